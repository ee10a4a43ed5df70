#include "core/formats/lecture_file.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "core/formats/files.hpp"
#include "core/formats/markdown_steps.hpp"
#include "core/formats/printed_numbers.hpp"
#include "core/formats/setup_toml.hpp"
#include "core/shapes.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string_view to_string(FactOrigin origin) { return origin == FactOrigin::notebook ? "notebook" : "library"; }

/// The block's TOML, behind as many blank lines as stand before it in the file: its line numbers are the file's.
TomlTable parse_block(const FencedBlock& block, const std::string& source) {
  return parse_toml(std::string(static_cast<std::size_t>(block.line), '\n') + block.text, source);
}

void append(std::vector<Problem>& problems, const std::vector<Problem>& more) {
  problems.insert(problems.end(), more.begin(), more.end());
}

/// What every read of a part's facts and steps needs: the setup, unless it is wrong itself.
struct CheckedSetup {
  Setup setup;
  bool valid = false;
};

CheckedSetup read_setup_table(TomlReader& reader) {
  if (!reader.has("setup")) {
    std::ignore = reader.value("setup");
    reader.add("setup", "none", fmt::format("a table [{}] with a setup", reader.key_path("setup")));
    return {};
  }
  const std::size_t before = reader.problems().size();
  TomlReader within = reader.table("setup");
  CheckedSetup result{setup_from(within, Version::optional), false};
  result.valid = reader.problems().size() == before;
  return result;
}

std::string tensor_names() {
  std::string names;
  for (const TensorInfo& tensor : all_tensors()) names += fmt::format("{}{}", names.empty() ? "" : ", ", tensor.name);
  return names;
}

/// The tensor that a key names, where the setup has it.
std::optional<TensorId> read_tensor(TomlReader& reader, std::string_view key, const CheckedSetup& checked) {
  std::string name;
  reader.read(key, name);
  if (name.empty()) return std::nullopt;
  const auto id = tensor_named(name);
  if (!id) reader.add(key, fmt::format("\"{}\"", name), fmt::format("one of {}", tensor_names()));
  else if (checked.valid && !exists(*id, checked.setup)) {
    reader.add(key, fmt::format("\"{}\"", name), "a tensor that this setup has (biases only where drawn, Y only in cross-attention)");
    return std::nullopt;
  }
  return id;
}

/// Nested lists as a printout, so that both are read by the same rules.
std::string printed(const TomlValue& value) {
  const auto* list = value.as<TomlList>();
  if (list == nullptr) return describe(value);
  std::string text = "[";
  for (const TomlValue& entry : *list) text += printed(entry) + ' ';
  return text + ']';
}

void read_values(TomlReader& reader, Fact& fact) {
  const TomlValue* value = reader.value("values");
  if (value == nullptr) return;
  constexpr const char* allowed = "a rectangular array of numbers, as lists or as a printout in quotes";
  const auto* printout = value->as<std::string>();
  if (printout == nullptr && value->as<TomlList>() == nullptr) {
    reader.add("values", describe(*value), allowed);
    return;
  }
  try {
    PrintedNumbers numbers = parse_printed(printout != nullptr ? *printout : printed(*value));
    fact.values_shape = numbers.shape;
    fact.values = std::move(numbers.values);
  } catch (const std::invalid_argument& error) {
    reader.add("values", error.what(), allowed);
  }
}

void read_shape(TomlReader& reader, Fact& fact) {
  if (!reader.has("shape")) return;
  std::vector<Index> extents;
  reader.read("shape", extents);
  const bool positive = std::all_of(extents.begin(), extents.end(), [](Index extent) { return extent > 0; });
  if (extents.empty() || extents.size() > static_cast<std::size_t>(Shape::max_rank) || !positive) {
    reader.add("shape", fmt::format("[{}]", fmt::join(extents, ", ")), "one to four extents of at least 1, such as [1, 4, 8]");
    return;
  }
  fact.printed_shape = Shape(extents);
}

/// The extents of the block that `at` names; nothing where it lies outside the tensor.
std::optional<Shape> block_shape(const Shape& tensor, const std::vector<Index>& at) {
  if (at.size() > static_cast<std::size_t>(tensor.rank())) return std::nullopt;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    if (at[axis] < 0 || at[axis] >= tensor[static_cast<int>(axis)]) return std::nullopt;
  }
  return Shape(std::span(tensor.begin() + at.size(), tensor.end()));
}

void check_block(TomlReader& reader, Fact& fact, const std::vector<Index>& at, const Setup& setup) {
  const Shape whole = shape(fact.tensor, setup);
  const auto block = block_shape(whole, at);
  if (!block) {
    reader.add("at", fmt::format("[{}]", fmt::join(at, ", ")),
               fmt::format("leading indices inside {} {}", name(fact.tensor), whole.to_string()));
    return;
  }
  fact.at = Shape(at);
  if (!fact.values.empty() && static_cast<Index>(fact.values.size()) != block->elements()) {
    reader.add("values", fmt::format("{} numbers", fact.values.size()),
               fmt::format("{} numbers: {} of {} {}", block->elements(), block->to_string(), name(fact.tensor), whole.to_string()));
  }
}

void read_decimals(TomlReader& reader, Fact& fact) {
  constexpr Index most = 17;
  Index decimals = 0;
  const bool needed = reader.has("values") && fact.not_reproducible.empty();
  if (needed && !reader.has("decimals")) reader.add("decimals", "none", "how many decimals the values were printed with");
  reader.read("decimals", decimals);
  if (decimals < 0 || decimals > most) reader.add("decimals", fmt::format("{}", decimals), fmt::format("0 to {}", most));
  else fact.decimals = static_cast<int>(decimals);
}

Fact fact_from(TomlReader& reader, const CheckedSetup& checked) {
  Fact fact;
  if (!reader.has("tensor")) reader.add("tensor", "none", fmt::format("one of {}", tensor_names()));
  const auto tensor = read_tensor(reader, "tensor", checked);
  fact.tensor = tensor.value_or(TensorId::output);
  if (const auto origin = reader.read_word("from", {to_string(FactOrigin::notebook), to_string(FactOrigin::library)})) {
    fact.origin = static_cast<FactOrigin>(*origin);
  }
  reader.read("not_reproducible", fact.not_reproducible);
  if (reader.has("not_reproducible") && fact.not_reproducible.empty()) reader.add("not_reproducible", "no reason", "the reason in words");
  read_shape(reader, fact);
  read_values(reader, fact);
  read_decimals(reader, fact);
  std::vector<Index> at;
  reader.read("at", at);
  reader.finish();

  const bool has_shape = reader.has("shape");
  const bool has_values = reader.has("values");
  if (has_shape && has_values) reader.add("values", "values beside a shape", "one of shape and values; two facts for both");
  if (!has_shape && !has_values && fact.not_reproducible.empty()) reader.add("values", "neither shape nor values", "one of them");
  if (checked.valid && tensor) check_block(reader, fact, at, checked.setup);
  return fact;
}

std::vector<Fact> facts_from(TomlReader& reader, const CheckedSetup& checked) {
  std::vector<Fact> facts;
  for (TomlReader& entry : reader.tables("facts")) facts.push_back(fact_from(entry, checked));
  return facts;
}

/// A lecture while it is being read: which parts can be checked against.
struct Draft {
  Lecture lecture;
  std::vector<bool> valid;  ///< one per part
};

void add_part(Draft& draft, Part part, const CheckedSetup& checked) {
  part.setup = checked.setup;
  if (part.title.empty()) part.title = part.setup.title.empty() ? draft.lecture.title : part.setup.title;
  if (part.setup.title.empty()) part.setup.title = part.title;
  draft.lecture.parts.push_back(std::move(part));
  draft.valid.push_back(checked.valid);
}

void read_main_part(TomlReader& reader, Draft& draft) {
  const CheckedSetup checked = read_setup_table(reader);
  Part part{.id = "main", .title = {}, .setup = {}, .facts = facts_from(reader, checked)};
  add_part(draft, std::move(part), checked);
}

void read_further_part(TomlReader& reader, Draft& draft) {
  Part part;
  reader.read("id", part.id);
  const auto& parts = draft.lecture.parts;
  const bool taken = std::any_of(parts.begin(), parts.end(), [&](const Part& other) { return other.id == part.id; });
  if (part.id.empty() || taken) reader.add("id", fmt::format("\"{}\"", part.id), "a name of its own; \"main\" is the first part");
  reader.read("title", part.title);
  const CheckedSetup checked = read_setup_table(reader);
  part.facts = facts_from(reader, checked);
  reader.finish();
  add_part(draft, std::move(part), checked);
}

void read_front_matter(const FencedBlock& block, const std::string& source, Draft& draft, std::vector<Problem>& problems) {
  const TomlTable document = parse_block(block, source);
  std::vector<Problem> found;
  TomlReader reader(document, "", found);
  if (!reader.has("title")) reader.add("title", "none", "the title of the lecture");
  reader.read("title", draft.lecture.title);
  reader.read("source", draft.lecture.source);
  double order = 0;  // for lecture_files(); here it is only checked
  reader.read("order", order);
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

void read_step_block(const FencedBlock& block, const std::string& source, const Draft& draft, Step& step,
                     std::vector<Problem>& problems) {
  const TomlTable document = parse_block(block, source);
  std::vector<Problem> found;
  TomlReader reader(document, "", found);
  read_part_of_step(reader, draft, step);
  const CheckedSetup checked{draft.lecture.parts[step.part].setup, draft.valid[step.part]};
  if (const auto tensor = read_tensor(reader, "tensor", checked)) step.look_at = first_cell(*tensor);
  read_cell(reader, checked, step);
  if (reader.has("cell") && reader.has("tensor")) reader.add("tensor", "a tensor beside a cell", "one of cell and tensor");
  const std::vector<std::string_view> views{"pipeline", "heads", "tokens"};
  if (const auto view = reader.read_word("view", views)) step.view = views[*view];
  reader.finish();
  append(problems, located(std::move(found), document, source));
}

void read_steps(std::vector<MarkdownStep> steps, const std::string& source, Draft& draft, std::vector<Problem>& problems) {
  Step place;
  place.look_at = first_cell(TensorId::X);
  for (MarkdownStep& markdown : steps) {
    Step step{.title = std::move(markdown.title),
              .narration = std::move(markdown.narration),
              .code = markdown.code ? std::move(markdown.code->text) : std::string{},
              .part = place.part,
              .look_at = place.look_at,
              .view = {}};
    if (markdown.step) {
      try {
        read_step_block(*markdown.step, source, draft, step, problems);
      } catch (const InputError& error) {
        append(problems, error.problems());
      }
    }
    place.part = step.part;
    place.look_at = step.look_at;
    draft.lecture.steps.push_back(std::move(step));
  }
}

/// Where a lecture wants to stand among the others; last where it does not say or cannot be read.
double order_of(const fs::path& path) {
  constexpr double last = std::numeric_limits<double>::infinity();
  try {
    std::vector<Problem> ignored;
    const MarkdownLecture markdown = split_lecture(read_text(path), path.string(), ignored);
    if (!markdown.front_matter) return last;
    const TomlTable document = parse_block(*markdown.front_matter, path.string());
    double order = last;
    TomlReader(document, "", ignored).read("order", order);
    return order == order ? order : last;
  } catch (const InputError&) {
    return last;
  }
}

bool is_lecture_file(const fs::directory_entry& entry) {
  std::error_code error;
  const std::string name = entry.path().filename().string();
  return entry.is_regular_file(error) && name.ends_with(".md") && name != "README.md" && !name.starts_with('.');
}

}  // namespace

Lecture parse_lecture(std::string_view text, const std::string& source, std::string id) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  require_text(text, source);
  std::vector<Problem> problems;
  MarkdownLecture markdown = split_lecture(text, source, problems);
  Draft draft;
  draft.lecture.id = std::move(id);
  if (markdown.front_matter) {
    try {
      read_front_matter(*markdown.front_matter, source, draft, problems);
    } catch (const InputError& error) {
      append(problems, error.problems());
    }
  }
  // Without a main part there is nothing that steps could be checked against.
  if (!draft.lecture.parts.empty()) read_steps(std::move(markdown.steps), source, draft, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return std::move(draft.lecture);
}

Lecture read_lecture(const fs::path& path) { return parse_lecture(read_text(path), path.string(), path.stem().string()); }

std::vector<fs::path> lecture_files(const fs::path& folder) {
  std::error_code error;
  std::vector<std::pair<double, fs::path>> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (is_lecture_file(*entry)) found.emplace_back(order_of(entry->path()), entry->path());
  }
  if (error) throw InputError({folder.string(), "", error.message(), "a folder with lectures in it"});
  std::sort(found.begin(), found.end());
  std::vector<fs::path> paths;
  for (auto& [order, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace headlight
