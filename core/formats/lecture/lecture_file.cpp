#include "core/formats/lecture/lecture_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numeric>
#include <system_error>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/diagnose/wrong_work.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_facts.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "core/formats/lecture/markdown_steps.hpp"
#include "core/formats/lecture/step_readers.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/formats/setup/setup_toml.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/keys.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr Index most_minutes = 1000;

TomlTable parse_block(const FencedBlock& block, const std::string& source) {
  return parse_toml(block.text, source, block.line);
}

void append(std::vector<Problem>& problems, const std::vector<Problem>& more) {
  problems.insert(problems.end(), more.begin(), more.end());
}

CheckedSetup read_setup_table(TomlReader& reader, const fs::path& folder) {
  if (!reader.has("setup")) {
    std::ignore = reader.value("setup");
    reader.add("setup", "none", fmt::format("a table [{}] with a setup", reader.key_path("setup")));
    return {};
  }
  const std::size_t before = reader.problems().size();
  TomlReader within = reader.table("setup");
  CheckedSetup result{setup_from(within, Version::optional, {.folder = folder}), false};
  result.valid = reader.problems().size() == before;
  return result;
}

/// A lecture while it is being read.
struct Draft {
  Lecture lecture;
  fs::path folder;                      ///< where the arrays of its values are
  std::vector<bool> valid;              ///< one per part
  std::vector<std::string_view> views;  ///< the words that a step may name; any, where there are none
};

void add_part(Draft& draft, Part part, const CheckedSetup& checked) {
  part.setup = checked.setup;
  if (part.title.empty()) part.title = part.setup.title.empty() ? draft.lecture.title : part.setup.title;
  if (part.setup.title.empty()) part.setup.title = part.title;
  draft.lecture.parts.push_back(std::move(part));
  draft.valid.push_back(checked.valid);
}

void read_main_part(TomlReader& reader, Draft& draft) {
  const CheckedSetup checked = read_setup_table(reader, draft.folder);
  Part part{.id = "main", .title = {}, .setup = {}, .facts = facts_from(reader, checked)};
  add_part(draft, std::move(part), checked);
}

void read_further_part(TomlReader& reader, Draft& draft) {
  Part part;
  reader.read("id", part.id);
  const auto& parts = draft.lecture.parts;
  const bool taken = std::any_of(parts.begin(), parts.end(), [&](const Part& other) { return other.id == part.id; });
  if (part.id.empty() || taken)
    reader.add("id", fmt::format("\"{}\"", part.id), "a name of its own; \"main\" is the first part");
  reader.read("title", part.title);
  part.title = parse_title(part.title);
  const CheckedSetup checked = read_setup_table(reader, draft.folder);
  part.facts = facts_from(reader, checked);
  reader.finish();
  add_part(draft, std::move(part), checked);
}

ListPosition read_list_position(TomlReader& reader) {
  constexpr std::array<std::string_view, 2> words{"course", "notebook"};
  ListPosition position;
  if (const auto word = reader.read_word("group", words)) position.group = static_cast<LectureGroup>(*word);
  reader.read("order", position.order);
  if (std::isnan(position.order)) {
    reader.add("order", "nan", std::string(wanted_number));
    position.order = ListPosition{}.order;
  }
  return position;
}

/// All of the front matter but its setups.
void read_about(TomlReader& reader, Lecture& lecture) {
  if (!reader.has("title")) reader.add("title", "none", "the title of the lecture");
  lecture.title = "unread";  // what stays where there is no text is a problem already
  reader.read("title", lecture.title);
  lecture.title = parse_title(lecture.title);
  if (lecture.title.empty()) reader.add("title", "nothing", "the title of the lecture");
  reader.read("source", lecture.source);
  reader.read("in_short", lecture.in_short);
  lecture.list_position = read_list_position(reader);
  reader.read("goals", lecture.goals);
  reader.read("prerequisites", lecture.prerequisites);
  reader.read("minutes", lecture.minutes);
  if (lecture.minutes < 0 || lecture.minutes > most_minutes)
    reader.add("minutes", fmt::format("{}", lecture.minutes),
               fmt::format("how many minutes it takes, up to {}", most_minutes));
}

void read_front_matter(const FencedBlock& block, const std::string& source, Draft& draft,
                       std::vector<Problem>& problems) {
  const TomlTable document = parse_block(block, source);
  std::vector<Problem> found;
  TomlReader reader(document, "", found);
  read_about(reader, draft.lecture);
  read_main_part(reader, draft);
  for (TomlReader& part : reader.tables("parts")) read_further_part(part, draft);
  reader.finish();
  append(problems, located(std::move(found), document, source));
}

Cell first_cell(TensorId tensor) {
  Cell cell{tensor, {}};
  for (int axis = 0; axis < info(tensor).rank; ++axis) cell.index.push_back(0);
  return cell;
}

void read_part_of_step(TomlReader& reader, const Draft& draft, Step& step) {
  std::string id;
  reader.read("part", id);
  if (!reader.has("part")) return;
  const auto& parts = draft.lecture.parts;
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.id == id; });
  if (found != parts.end()) {
    const auto index = static_cast<std::size_t>(found - parts.begin());
    if (index != step.part) step.look_at = first_cell(TensorId::X);
    step.part = index;
    return;
  }
  std::string ids;
  for (const Part& part : parts) ids += fmt::format("{}\"{}\"", ids.empty() ? "" : ", ", part.id);
  reader.add("part", fmt::format("\"{}\"", id), fmt::format("one of {}", ids));
}

void read_cell(TomlReader& reader, const CheckedSetup& checked, Step& step) {
  std::string cell;
  reader.read("cell", cell);
  if (cell.empty() || !checked.valid) return;
  try {
    step.look_at = parse_cell(cell, checked.setup);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) reader.add("cell", problem.found, problem.allowed);
  }
}

/// Reads what the step changes. Everything else in the step must fit the changed setup.
void read_set(TomlReader& reader, CheckedSetup& checked, const fs::path& folder, Step& step) {
  const std::size_t before = reader.problems().size();
  Setup changed = read_assignments(reader, "set", checked, folder, step.set);
  reader.read("compare", step.compare);
  if (step.compare && step.set.empty()) reader.add("compare", "nothing to compare with", "compare beside set");
  if (step.set.empty() || !checked.valid || reader.problems().size() != before) return;
  step.changed_setup = std::move(changed);
  checked.setup = *step.changed_setup;
}

/// The cell of the step before, if this step's setup has it too.
void keep_part_and_cell(const Draft& draft, Step& step) {
  const Setup& setup = draft.lecture.setup_of(step);
  if (draft.valid[step.part] && !contains(setup, step.look_at)) step.look_at = first_cell(TensorId::X);
}

void read_question(const FencedBlock& block, const std::string& source, const Draft& draft, const TextContext& context,
                   Step& step, std::vector<Problem>& problems) {
  const TomlTable document = parse_block(block, source);
  std::vector<Problem> found;
  TomlReader reader(document, "", found);
  const std::string name = draft.lecture.title + '\n' + step.title;
  step.question = question_from(reader, {draft.lecture.setup_of(step), draft.valid[step.part]}, context, name);
  step.question->line = block.line;
  if (step.picture && step.question->kind == Question::Kind::find)
    reader.add("find", "a step with a picture of its own", "find in a step that shows a view");
  for (Problem& problem : located(std::move(found), document, source)) {
    if (problem.source == source) problem.source = with_line(source, block.line);
    problems.push_back(std::move(problem));
  }
}

/// The words whose lines are these of the file.
LiveText read_words(std::string_view words, const std::vector<int>& lines, const std::string& source,
                    const TextContext& context, std::vector<Problem>& problems) {
  std::vector<WordsProblem> found;
  LiveText text = read_live_text(words, context, found);
  for (WordsProblem& one : found) {
    one.problem.source = with_line(source, one.line < lines.size() ? lines[one.line] : 0);
    problems.push_back(std::move(one.problem));
  }
  return text;
}

/// The step's words and its question, once its setup is known.
void read_lesson(const MarkdownStep& markdown, std::size_t step_count, const std::string& source, const Draft& draft,
                 Step& step, std::vector<Problem>& problems) {
  const Setup* const setup = draft.valid[step.part] ? &draft.lecture.setup_of(step) : nullptr;
  const TextContext context{setup, step_count, draft.views, draft.folder};
  step.narration = read_words(markdown.narration, step.narration_lines, source, context, problems);
  const auto words_in = [&](const std::optional<FencedBlock>& block) {
    if (!block) return LiveText{};
    std::vector<int> lines(static_cast<std::size_t>(std::ranges::count(block->text, '\n')) + 1);
    std::iota(lines.begin(), lines.end(), block->line + 1);
    return read_words(block->text, lines, source, context, problems);
  };
  step.more = words_in(markdown.more);
  step.notes = words_in(markdown.notes);
  if (markdown.question) read_question(*markdown.question, source, draft, context, step, problems);
}

/// The work that the step checks. `headlight check` finds out whether the mistake changes a number.
void read_mistake(TomlReader& reader, Step& step) {
  reader.read("mistake", step.mistake);
  if (step.mistake.empty()) return;
  try {
    mistake_named(step.mistake, {}, {});
  } catch (const InputError& error) {
    reader.add("mistake", error.problems().front().found, error.problems().front().allowed);
  }
}

/// One tensor, or the first and the last of those that the reader computes.
void read_practice(TomlReader& reader, const CheckedSetup& checked, Step& step) {
  std::vector<std::string> names;
  reader.read("practice", names);
  if (!reader.has("practice") || !checked.valid) return;
  const Setup& setup = checked.setup;
  std::vector<TensorId> tensors;
  for (const std::string& name : names)
    if (const auto id = tensor_named(name); id && exists(*id, setup) && !is_drawn(*id, setup)) tensors.push_back(*id);
  const bool fits = !tensors.empty() && tensors.size() == names.size() && names.size() <= 2 &&
                    tensors.front() <= tensors.back() && is_aside(tensors.front()) == is_aside(tensors.back());
  // The template of anything else would need more than the lines before a tensor.
  const bool is_plain = setup.sizes.layers == 1 && setup.attention.token_axis == TokenAxis::rows &&
                        setup.training.steps == 0 && !setup.has_attention_alone() &&
                        !(setup.has_task() && setup.random.generator == GeneratorKind::torch);
  if (!fits || !is_plain)
    return reader.add("practice", fmt::format("[{}]", fmt::join(names, ", ")),
                      "one or two computed tensors of a layer that isn't trained, the earlier one first");
  step.practice = Practice{tensors.front(), tensors.back()};
}

/// Code would be the solution, and a question would be in its place.
void check_practice(const MarkdownStep& markdown, const Step& step, const std::string& source,
                    std::vector<Problem>& problems) {
  if (!step.practice) return;
  for (const auto& [block, what] : {std::pair{&markdown.code, "python"}, std::pair{&markdown.question, "question"}})
    if (*block)
      problems.push_back({with_line(source, (*block)->line), "", fmt::format("a {} block beside practice", what),
                          "a step of its own"});
}

void read_minutes(TomlReader& reader, Step& step) {
  if (!reader.has("minutes")) return;
  step.minutes = 1;  // read() says if it isn't a number
  reader.read("minutes", step.minutes);
  if (!(step.minutes > 0 && step.minutes <= most_minutes))
    reader.add("minutes", fmt::format("{}", step.minutes),
               fmt::format("how many minutes the step takes, above 0 and up to {}", most_minutes));
}

/// Groups of the setup are named in small letters behind "setup:".
void read_shows(TomlReader& reader, Step& step) {
  std::vector<std::string> words{"map", "inspector"};
  for (const std::string_view label : setup_group_labels) {
    std::string group(label);
    std::ranges::transform(group, group.begin(), [](unsigned char c) { return std::tolower(c); });
    words.push_back("setup:" + group);
  }
  const std::vector<std::string_view> allowed(words.begin(), words.end());
  for (const std::size_t word : reader.read_words("shows", allowed)) {
    if (word == 0) step.shows.map = true;
    else if (word == 1) step.shows.inspector = true;
    else step.shows.setup.push_back(words[word].substr(words[word].find(':') + 1));
  }
}

void read_step_block(const FencedBlock& block, const std::string& source, const Draft& draft, Step& step,
                     std::vector<Problem>& problems) {
  const TomlTable document = parse_block(block, source);
  std::vector<Problem> found;
  TomlReader reader(document, "", found);
  read_part_of_step(reader, draft, step);
  CheckedSetup checked{draft.lecture.parts[step.part].setup, draft.valid[step.part]};
  read_set(reader, checked, draft.folder, step);
  read_mistake(reader, step);
  read_minutes(reader, step);
  read_shows(reader, step);
  read_practice(reader, checked, step);
  if (const auto tensor = read_tensor(reader, "tensor", checked)) step.look_at = first_cell(*tensor);
  read_cell(reader, checked, step);
  if (reader.has("cell") && reader.has("tensor"))
    reader.add("tensor", "a tensor beside a cell", "one of cell and tensor");
  keep_part_and_cell(draft, step);
  step.matrix = matrix_choices_from(reader, {draft.lecture.setup_of(step), checked.valid}, step.look_at);
  if (draft.views.empty()) reader.read("view", step.view);
  else if (const auto view = reader.read_word("view", draft.views)) step.view = draft.views[*view];
  step.picture = read_picture(reader, checked, step, draft.folder);
  if (reader.has("picture") && reader.has("view"))
    reader.add("view", fmt::format("\"{}\" beside a picture", step.view), "one of view and picture");
  reader.finish();
  append(problems, located(std::move(found), document, source));
}

void read_steps(std::vector<MarkdownStep> steps, const std::string& source, Draft& draft,
                std::vector<Problem>& problems) {
  Step last;
  last.look_at = first_cell(TensorId::X);
  const std::size_t step_count = steps.size();
  for (MarkdownStep& markdown : steps) {
    Step step;
    step.title = std::move(markdown.title);
    step.part = last.part;
    step.look_at = last.look_at;
    step.line = markdown.line;
    step.narration_lines = std::move(markdown.narration_lines);
    try {
      if (markdown.step) read_step_block(*markdown.step, source, draft, step, problems);
      else keep_part_and_cell(draft, step);
      check_practice(markdown, step, source, problems);
      if (markdown.code) step.code = std::move(markdown.code->text);
      read_lesson(markdown, step_count, source, draft, step, problems);
    } catch (const InputError& error) {
      append(problems, error.problems());
    }
    last.part = step.part;
    last.look_at = step.look_at;
    draft.lecture.steps.push_back(std::move(step));
  }
}

/// The minutes of the steps must leave room for each other, and for the steps that have none of their own.
void check_pace(const Lecture& lecture, const std::string& source, std::vector<Problem>& problems) {
  const auto has_minutes = [](const Step& step) { return step.minutes > 0; };
  const auto timed = std::ranges::count_if(lecture.steps, has_minutes);
  const auto others = std::ssize(lecture.steps) - timed;
  if (timed == 0) return;
  const auto at = [&](const Step& step) { return with_line(source, step.line); };
  const Step& last = *std::ranges::find_if(lecture.steps.rbegin(), lecture.steps.rend(), has_minutes);
  double sum = 0;
  for (const Step& step : lecture.steps) sum += step.minutes;
  const auto all = static_cast<double>(lecture.minutes);
  if (lecture.minutes == 0 && others > 0)
    problems.push_back({at(*std::ranges::find_if_not(lecture.steps, has_minutes)), "minutes", "none",
                        "minutes for each step, or minutes at the top of the lecture, which such steps share"});
  else if (lecture.minutes > 0 && sum > all)
    problems.push_back({at(last), "minutes", fmt::format("{} minutes in all steps together", sum),
                        fmt::format("no more than the {} minutes of the lecture", lecture.minutes)});
  else if (lecture.minutes > 0 && others > 0 && sum == all)
    problems.push_back({at(last), "minutes", fmt::format("{} minutes in all steps together", sum),
                        fmt::format("less than the {} minutes of the lecture, because {} of its steps share the rest",
                                    lecture.minutes, others)});
}

bool is_lecture_file(const fs::directory_entry& entry) {
  std::error_code error;
  const std::string name = entry.path().filename().string();
  return entry.is_regular_file(error) && name.ends_with(".md") && name != "README.md" && !name.starts_with('.');
}

}  // namespace

Lecture parse_lecture(std::string_view text, const std::string& source, std::string id,
                      const std::vector<std::string_view>& views, const fs::path& folder) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  require_text(text, source);
  std::vector<Problem> problems;
  MarkdownLecture markdown = split_lecture(text, source, problems);
  Draft draft;
  draft.lecture.id = std::move(id);
  draft.views = views;
  draft.folder = folder;
  draft.lecture.folder = folder.string();
  if (markdown.front_matter) {
    try {
      read_front_matter(*markdown.front_matter, source, draft, problems);
    } catch (const InputError& error) {
      append(problems, error.problems());
    }
  }
  // Without a main part there is no setup to check the steps against.
  if (!draft.lecture.parts.empty()) read_steps(std::move(markdown.steps), source, draft, problems);
  if (problems.empty()) check_pace(draft.lecture, source, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return std::move(draft.lecture);
}

std::string id_in_name(const fs::path& file) {
  const fs::path name = file.stem();
  return name.extension() == ".headlight" ? name.stem().string() : name.string();
}

Lecture read_lecture(const fs::path& path, const std::vector<std::string_view>& views) {
  return parse_lecture(read_text(path), path.string(), id_in_name(path), views, folder_of(path));
}

Lecture read_outline(std::string_view text, std::string id) {
  constexpr const char* source = "";
  Lecture outline;
  outline.id = std::move(id);
  std::vector<Problem> ignored;
  MarkdownLecture markdown = split_lecture(text, source, ignored);
  for (MarkdownStep& step : markdown.steps) {
    Step& listed = outline.steps.emplace_back();
    listed.title = std::move(step.title);
    if (step.question) listed.question.emplace();
  }
  if (!markdown.front_matter) return outline;
  try {
    const TomlTable document = parse_block(*markdown.front_matter, source);
    TomlReader reader(document, "", ignored);
    read_about(reader, outline);
  } catch (const InputError&) {  // opening the lecture reports it
  }
  return outline;
}

ListPosition list_position_of(const fs::path& file) {
  try {
    return read_outline(read_text(file), {}).list_position;
  } catch (const InputError&) {
    return {};
  }
}

std::vector<fs::path> lecture_files(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
    FileReader{folder};  // refuses what is no file
    return {folder};
  }
  error.clear();
  std::vector<std::pair<ListPosition, fs::path>> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (is_lecture_file(*entry)) found.emplace_back(list_position_of(entry->path()), entry->path());
  }
  if (error) throw InputError({folder.string(), "", error.message(), "a folder with lectures in it"});
  std::sort(found.begin(), found.end());
  std::vector<fs::path> paths;
  for (auto& [position, path] : found) paths.push_back(std::move(path));
  return paths;
}

namespace {

constexpr std::string_view first_words = "Say here what there is to see.\n";

std::string view_line(std::string_view view) {
  return view.empty() ? std::string() : fmt::format("view = {}\n", toml_text(view));
}

}  // namespace

std::string write_lecture_start(const Setup& setup, const Cell& look_at, std::string_view view,
                                const std::filesystem::path& folder) {
  const std::string title = setup.title.empty() ? "A new lecture" : setup.title;
  const std::string front_matter = toml_line("title", toml_text(title)) +
                                   toml_line("source", "\"\"", "the document that it follows, in words") +
                                   "\n[setup]\n" + written_keys(setup, "setup", folder);
  return fmt::format("+++\n{}+++\n\n## {}\n\n```step\ncell = {}\n{}```\n\n{}", front_matter, name(look_at.tensor),
                     toml_text(to_string(look_at)), view_line(view), first_words);
}

std::string with_step_added(std::string text, const Lecture& lecture, const AddedStep& added) {
  const auto same = std::ranges::find(lecture.parts, added.part, &Part::id);
  const std::size_t part = same == lecture.parts.end() ? 0 : static_cast<std::size_t>(same - lecture.parts.begin());
  std::string block;
  // A step that names no part belongs to that of the step before it.
  if (!lecture.steps.empty() && lecture.steps.back().part != part)
    block += fmt::format("part = {}\n", toml_text(lecture.parts[part].id));
  block += fmt::format("cell = {}\n{}", toml_text(to_string(added.look_at)), view_line(added.view));
  std::vector<std::string> set;
  for (const std::string& assignment : overrides_between(lecture.parts[part].setup, added.setup))
    set.push_back(toml_text(assignment));
  if (!set.empty()) block += fmt::format("set = [{}]\n", fmt::join(set, ", "));
  if (!set.empty() && added.compare) block += "compare = true\n";
  if (!text.ends_with('\n')) text += '\n';
  return text + fmt::format("\n## {}\n\n```step\n{}```\n\n{}", name(added.look_at.tensor), block, first_words);
}

}  // namespace headlight
