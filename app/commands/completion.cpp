#include "app/commands/completion.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/commands/commands.hpp"
#include "app/commands/help.hpp"
#include "app/lectures/library.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/export/export_forms.hpp"
#include "app/view_table.hpp"
#include "core/model/names.hpp"
#include "core/model/problem.hpp"
#include "core/setup/keys.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// The words before the one that is completed, as far as they matter for it.
struct TypedWords {
  const CLI::App* command = nullptr;
  std::map<std::string, std::string, std::less<>> values = {};  ///< the last value of each option, by its longest name
  std::set<const CLI::Option*> given = {};
  std::size_t positionals = 0;
  const CLI::Option* awaiting = nullptr;  ///< the option whose value comes next
};

/// "--output" of "-o,--output"; the name of a positional argument.
std::string longest_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  return option.get_name(true);
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }
bool may_be_repeated(const CLI::Option& option) { return option.get_expected_max() > 1; }

TypedWords read_words(const CLI::App& program, std::span<const std::string> words) {
  TypedWords typed{.command = &program};
  for (const std::string& word : words) {
    if (const CLI::Option* const option = std::exchange(typed.awaiting, nullptr)) {
      typed.values[longest_name(*option)] = word;
      continue;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    if (const CLI::Option* const option =
            word.starts_with('-') ? typed.command->get_option_no_throw(word.substr(0, equals)) : nullptr) {
      typed.given.insert(option);
      if (equals != std::string::npos) typed.values[longest_name(*option)] = word.substr(equals + 1);
      else if (takes_value(*option)) typed.awaiting = option;
    } else if (const auto commands =
                   program.get_subcommands([&](const CLI::App* command) { return command->get_name() == word; });
               typed.command == &program && !commands.empty()) {
      typed.command = commands.front();
    } else if (!word.starts_with('-')) {
      ++typed.positionals;
    }
  }
  return typed;
}

// --- What values there are -------------------------------------------------------------------------------------------

using Words = std::vector<Candidate>;

Words tensors_before(std::string_view after) {
  Words words;
  for (const TensorInfo& tensor : all_tensors())
    words.push_back({fmt::format("{}{}", tensor.name, after), std::string(tensor.about)});
  return words;
}
Words tensors(const TypedWords&) { return tensors_before(""); }
Words cells(const TypedWords&) { return tensors_before("["); }

/// `typed` is "KEY=" and whatever follows: the words that the entry's value can be. Without "=": "KEY=".
template <class O>
void add_assignment(Words& to, const Entry<O>& entry, std::string_view typed, std::string_view before = {}) {
  const std::string key = fmt::format("{}{}=", before, entry.name);
  if (!typed.starts_with(key)) {
    to.push_back({key, std::string(entry.help.empty() ? entry.label : entry.help)});
    return;
  }
  constexpr bool of_setup = std::is_same_v<O, Setup>;
  const bool word = entry.value.kind == ValueKind::choice || entry.value.kind == ValueKind::number_or_word;
  if (entry.is_flag())
    for (const char* value : {"true", "false"}) to.push_back({key + value, ""});
  for (const Word& value : entry.words)
    to.push_back({key + (word || !of_setup ? std::string(value.name) : fmt::format("[\"{}\"]", value.name)),
                  std::string(value.help.empty() ? value.label : value.help)});
}

Words setup_assignments(const TypedWords&, std::string_view typed) {
  Words words;
  for (const SetupKey& key : setup_keys()) add_assignment(words, key, typed);
  return words;
}

Words shown_assignments(const TypedWords&, std::string_view typed) {
  Words words;
  for (const Entry<Display>& entry : display_entries())
    if (is_setting(entry)) add_assignment(words, entry, typed);
  for (const TensorInfo& tensor : all_tensors())
    for (const Entry<HeatmapOptions>& entry : colour_entries())
      add_assignment(words, entry, typed, fmt::format("{}.", tensor.name));
  return words;
}

Words number_keys() {
  Words words;
  for (const SetupKey& key : setup_keys())
    if (key.number(Setup{})) words.push_back({fmt::format("{}=", key.name), std::string(key.help)});
  return words;
}
Words played(const TypedWords&) { return number_keys(); }
Words frames(const TypedWords&) {
  Words words{
      {"steps", "The steps of the lecture"}, {"heads", "One head after the other"}, {"motion", "One picture moves"}};
  std::ranges::move(number_keys(), std::back_inserter(words));
  return words;
}

Words zoomed(const TypedWords&) {
  Words words;
  for (const std::string_view axis : zoom_axes) words.push_back({fmt::format("{}=", axis), ""});
  return words;
}

/// "att=" and a tensor. Before the "=" is a name that only the person knows.
Words renamed(const TypedWords&, std::string_view typed) {
  const auto equals = typed.find('=');
  if (equals == std::string_view::npos) return {};
  Words words = tensors_before("");
  for (Candidate& tensor : words) tensor.word = std::string(typed.substr(0, equals + 1)) + tensor.word;
  return words;
}

LectureLibrary library_of(const TypedWords& typed) {
  const auto folder = typed.values.find("--lectures");
  return folder == typed.values.end() ? LectureLibrary() : LectureLibrary(folder->second);
}

Words lectures(const TypedWords& typed) {
  Words words;
  for (const Lecture& lecture : library_of(typed).lectures()) words.push_back({lecture.id, lecture.title});
  return words;
}

/// The lecture that is named before; null where none is.
std::optional<Lecture> named_lecture(const TypedWords& typed) {
  for (const char* option : {"--lecture", "--present"})
    if (const auto found = typed.values.find(option); found != typed.values.end())
      return library_of(typed).lecture(found->second);
  return std::nullopt;
}

Words steps(const TypedWords& typed) {
  Words words;
  if (const auto lecture = named_lecture(typed))
    for (std::size_t step = 0; step < lecture->steps.size(); ++step)
      words.push_back({fmt::format("{}", step + 1), lecture->steps[step].title});
  return words;
}

Words parts(const TypedWords& typed) {
  Words words;
  if (const auto lecture = named_lecture(typed))
    for (const Part& part : lecture->parts) words.push_back({part.id, part.title});
  return words;
}

Words views(const TypedWords&) {
  Words words;
  for (const ViewInfo& view : view_table) words.push_back({std::string(view.word), std::string(view.title)});
  return words;
}

Words figures(const TypedWords&) {
  Words words;
  for (const ExportWhat what : all_exports)
    if (is_picture(what)) words.push_back({std::string(to_string(what)), std::string(title_of(what))});
  return words;
}

Words forms(const TypedWords&) {
  Words words;
  for (const ExportForm& form : all_forms())
    if (!form.drawn()) words.push_back({std::string(form.name), std::string(form.words)});
  return words;
}

Words frameworks(const TypedWords&) {
  Words words;
  for (const auto& [name, framework] : framework_names) words.push_back({std::string(name), ""});
  return words;
}

// --- Which option takes which ----------------------------------------------------------------------------------------

struct Source {
  std::string_view option;  ///< its longest name, or else its type
  Words (*words)(const TypedWords&) = nullptr;
  Words (*begun)(const TypedWords&, std::string_view typed) = nullptr;  ///< that depend on what is begun
  bool files = false;
};

constexpr Source sources[]{
    {.option = "--set", .begun = setup_assignments},
    {.option = "--was", .begun = setup_assignments},
    {.option = "--show", .begun = shown_assignments},
    {.option = "--name", .begun = renamed},
    {.option = "--zoom", .words = zoomed},
    {.option = "--frames", .words = frames},
    {.option = "--play", .words = played},
    {.option = "--step", .words = steps},
    {.option = "--part", .words = parts},
    {.option = "ID", .words = lectures},
    {.option = "VIEW", .words = views},
    {.option = "FIGURE", .words = figures},
    {.option = "TENSOR", .words = tensors},
    {.option = "PART", .words = tensors},
    {.option = "CELL", .words = cells},
    {.option = "FORM", .words = forms},
    {.option = "NAME", .words = frameworks},
    {.option = "FILE", .files = true},
    {.option = "FILE|FOLDER", .files = true},
    {.option = "MINE", .files = true},
    {.option = "DIR", .files = true},
};

Completion values_of(const CLI::Option& option, const TypedWords& typed, std::string_view begun) {
  const std::string name = longest_name(option);
  for (const Entry<ExportChoices>& entry : export_entries())
    if (entry.group.name == name && !entry.words.empty()) {
      Completion completion;
      for (const Word& word : entry.words)
        completion.words.push_back({std::string(word.name), std::string(word.label)});
      return completion;
    }
  for (const std::string& sought : {name, option.get_type_name()})
    for (const Source& source : sources) {
      if (source.option != sought) continue;
      try {
        if (source.words) return {source.words(typed), source.files};
        if (source.begun) return {source.begun(typed, begun), source.files};
      } catch (const InputError&) {
        return {};  // a lecture or a folder that is not there: the command will say so
      }
      return {{}, source.files};
    }
  return {};
}

void add_options(Completion& completion, const TypedWords& typed) {
  for (const CLI::Option* option : typed.command->get_options()) {
    if (option->get_positional() || (typed.given.contains(option) && !may_be_repeated(*option))) continue;
    completion.words.push_back({longest_name(*option), option->get_description()});
    for (const std::string& name : option->get_snames())
      completion.words.push_back({"-" + name, option->get_description()});
  }
}

void add(Completion& completion, Completion more) {
  std::ranges::move(more.words, std::back_inserter(completion.words));
  completion.files = completion.files || more.files;
}

Completion all_that_fit(const CLI::App& program, const TypedWords& typed, std::string_view begun) {
  if (typed.awaiting != nullptr) return values_of(*typed.awaiting, typed, begun);
  Completion completion;
  if (begun.starts_with("--") && begun.find('=') != std::string_view::npos) {
    const std::string before(begun.substr(0, begun.find('=') + 1));
    const CLI::Option* const option = typed.command->get_option_no_throw(before.substr(0, before.size() - 1));
    if (option == nullptr || !takes_value(*option)) return completion;
    completion = values_of(*option, typed, begun.substr(before.size()));
    for (Candidate& candidate : completion.words) candidate.word = before + candidate.word;
    return completion;
  }
  if (begun.starts_with('-')) {
    add_options(completion, typed);
    return completion;
  }
  if (typed.command == &program && typed.positionals == 0 && typed.given.empty())
    for (const CLI::App* command : program.get_subcommands(is_listed))
      completion.words.push_back({command->get_name(), command->get_description()});
  const CLI::Option* positional = nullptr;
  for (const CLI::Option* option : typed.command->get_options())
    if (option->get_positional()) positional = option;
  if (positional != nullptr && (typed.positionals == 0 || may_be_repeated(*positional)))
    add(completion, values_of(*positional, typed, begun));
  if (completion.words.empty() && !completion.files) add_options(completion, typed);
  return completion;
}

}  // namespace

Completion completion_of(const CLI::App& program, std::span<const std::string> words) {
  const std::string begun = words.empty() ? "" : words.back();
  const TypedWords typed = read_words(program, words.first(words.empty() ? 0 : words.size() - 1));
  Completion completion = all_that_fit(program, typed, begun);
  std::erase_if(completion.words, [&](const Candidate& candidate) { return !candidate.word.starts_with(begun); });
  return completion;
}

std::string text_of(const Completion& completion) {
  std::string text;
  for (const Candidate& candidate : completion.words)
    text += candidate.about.empty() ? candidate.word + "\n"
                                    : fmt::format("{}\t{}\n", candidate.word, printable(candidate.about));
  if (completion.files) text += ":files\n";
  return text;
}

}  // namespace headlight
