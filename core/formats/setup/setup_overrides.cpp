#include "core/formats/setup/setup_overrides.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "core/formats/files.hpp"
#include "core/formats/setup/setup_toml.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/setup/edits.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr const char* allowed_assignment = "KEY=VALUE with a key of the setup file, such as sizes.heads=4";
constexpr const char* allowed_addition = "tokens += {mat = [0, 1, 0, 2]}: a word, and its row of X";

struct Assignment {
  std::string source;  ///< "--set sizes.heads=4"
  std::string key;     ///< "sizes.heads"
  std::vector<TomlStep> path;
  TomlValue value;
};

/// The text as a TOML value if it is one, otherwise the text itself.
TomlValue value_of(std::string_view text) {
  const std::string as_text(trimmed(text, blanks));
  try {
    const TomlTable document = parse_toml("value = " + as_text, "");
    if (document.entries.size() == 1 && document.entries.begin()->second.line == 1)
      return document.entries.begin()->second;
  } catch (const InputError&) {
    // Not TOML, so the text itself is the value.
  }
  TomlValue value;
  value.content = as_text;
  return value;
}

/// Everything after "values." is one key, whose brackets are NumPy's: values.W_v[2,5] is values."W_v[2,5]".
std::string with_quoted_part(std::string_view key) {
  constexpr std::string_view values = "values.";
  if (!key.starts_with(values)) return std::string(key);
  const std::string_view rest = key.substr(values.size());
  const bool quoted = rest.starts_with('"') || rest.empty();
  return std::string(values) + (quoted ? std::string(rest) : toml_key(rest));
}

std::optional<Assignment> parse_assignment(const std::string& text, std::string_view option,
                                           std::vector<Problem>& found) {
  require_text(text, std::string(option));
  const std::string source = fmt::format("{} {}", option, text);
  const auto equals = text.find('=');
  if (equals == std::string::npos) {
    found.push_back({source, "", "no '='", allowed_assignment});
    return std::nullopt;
  }
  const std::string key = with_quoted_part(trimmed(std::string_view(text).substr(0, equals), blanks));
  std::vector<TomlStep> path = toml_path(key);
  if (path.empty()) {
    found.push_back({source, "", fmt::format("the key \"{}\"", key), allowed_assignment});
    return std::nullopt;
  }
  return Assignment{source, key, std::move(path), value_of(std::string_view(text).substr(equals + 1))};
}

/// Reads the assignments and sorts outer keys first, so that "mask.window=2" and "mask={...}" together give the same in
/// either order.
std::vector<Assignment> parse_assignments(const std::vector<std::string>& texts, std::string_view option,
                                          std::vector<Problem>& found) {
  std::vector<Assignment> assignments;
  for (const std::string& text : texts) {
    if (auto assignment = parse_assignment(text, option, found)) assignments.push_back(std::move(*assignment));
  }
  std::stable_sort(assignments.begin(), assignments.end(),
                   [](const Assignment& a, const Assignment& b) { return a.path.size() < b.path.size(); });
  return assignments;
}

std::optional<std::vector<double>> numbers_of(const TomlValue& value) {
  const auto* const list = value.as<TomlList>();
  if (list == nullptr) return std::nullopt;
  std::vector<double> numbers;
  for (const TomlValue& one : *list) {
    if (const auto* number = one.as<double>()) numbers.push_back(*number);
    else if (const auto* whole = one.as<std::int64_t>()) numbers.push_back(static_cast<double>(*whole));
    else return std::nullopt;
  }
  return numbers;
}

/// Reads `mat`, `"mat"`, `["mat"]` or `{mat = [0, 1, 0, 2]}`; nullopt if it is anything else.
std::optional<AddedToken> added_word(const TomlValue& value) {
  if (const auto* word = value.as<std::string>())
    return word->empty() ? std::nullopt : std::optional(AddedToken{*word, {}});
  if (const auto* list = value.as<TomlList>(); list != nullptr && list->size() == 1) {
    const auto* const word = list->front().as<std::string>();
    return word == nullptr || word->empty() ? std::nullopt : std::optional(AddedToken{*word, {}});
  }
  const auto* const table = value.as<TomlTable>();
  if (table == nullptr || table->entries.size() != 1) return std::nullopt;
  const auto& [word, numbers] = *table->entries.begin();
  auto row = numbers_of(numbers);
  return row && !word.empty() ? std::optional(AddedToken{word, std::move(row)}) : std::nullopt;
}

/// Makes the additions ("tokens += ...") in their order, and leaves the other assignments for later.
Setup with_added_words(const Setup& setup, const std::vector<std::string>& texts, std::string_view option,
                       std::vector<std::string>& others, std::vector<Problem>& found) {
  std::vector<AddedToken> words;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || text[equals - 1] != '+') {
      others.push_back(text);
      continue;
    }
    require_text(text, std::string(option));
    const std::string source = fmt::format("{} {}", option, text);
    const auto refuse = [&](std::string what, std::string allowed) {
      found.push_back({source, "tokens", std::move(what), std::move(allowed)});
    };
    const std::string_view key = trimmed(std::string_view(text).substr(0, equals - 1), blanks);
    const std::string_view value = trimmed(std::string_view(text).substr(equals + 1), blanks);
    auto added = added_word(value_of(value));
    const Index width = setup.sizes.d_model;
    const auto wanted = fmt::format("{} numbers, one for each feature of X", width);
    if (key != "tokens") found.push_back({source, "", fmt::format("+= after \"{}\"", key), allowed_addition});
    else if (!added) refuse(value.empty() ? "\"\"" : std::string(value), allowed_addition);
    else if (added->row && static_cast<Index>(added->row->size()) != width)
      refuse(fmt::format("a row of {} for \"{}\"", added->row->size(), added->label), wanted);
    else if (!added->row && setup.values.whole(TensorId::X) != nullptr)
      refuse(fmt::format("no row of X for \"{}\"", added->label), wanted + ", because X is given");
    else words.push_back(*std::move(added));
  }
  return with_added_tokens(setup, words);
}

/// The value that a step leads to, created if the step is a new key of a table; null if there can be none.
TomlValue* value_within(TomlValue& value, const TomlStep& step) {
  if (auto* table = value.as<TomlTable>()) {
    const auto* key = std::get_if<std::string>(&step);
    if (key == nullptr) return nullptr;
    const bool is_new = table->find(*key) == nullptr;
    TomlValue& entry = (*table)[*key];
    if (is_new) entry.content = TomlTable{};
    return &entry;
  }
  auto* list = value.as<TomlList>();
  const auto* position = std::get_if<std::size_t>(&step);
  return list == nullptr || position == nullptr || *position >= list->size() ? nullptr : &(*list)[*position];
}

void assign(TomlValue& document, const Assignment& assignment, std::vector<Problem>& found) {
  TomlValue* at = &document;
  for (const TomlStep& step : assignment.path) {
    at = value_within(*at, step);
    if (at == nullptr) {
      found.push_back({assignment.source, assignment.key, "no such place in the setup", allowed_assignment});
      return;
    }
  }
  *at = assignment.value;
}

/// What the setup has where assignments change a part of a value, which leaves the rest: mask.blocked[2], values.X.
TomlTable partly_assigned(const Setup& setup, const std::vector<Assignment>& assignments) {
  TomlTable document;
  for (const SetupKey& key : setup_keys()) {
    const auto is_inside = [&](const Assignment& one) { return within(one.key, key.name) && one.key != key.name; };
    if (std::ranges::any_of(assignments, is_inside)) put(document, key, setup);
  }
  return document;
}

/// Finds the assignment that caused a problem without asking all of them.
class Causes {
 public:
  Causes(const std::vector<Assignment>& assignments, std::string_view option)
      : assignments_(assignments), option_(option) {
    for (const Assignment& one : assignments) {
      wrote_[one.key] = &one;
      each_around(one.key, [&](std::string_view outer) { wrote_inside_[outer] = &one; });
    }
  }

  /// The last assignment that wrote the problem's key or a table around it, else the last that wrote a key inside it.
  /// If none did, the only assignment, or just the option's name if there are several.
  std::string of(const Problem& problem) const {
    const Assignment* writer = nullptr;  // assignments lie in their order
    each_around(problem.key, [&](std::string_view outer) {
      if (const auto found = wrote_.find(outer); found != wrote_.end()) writer = std::max(writer, found->second);
    });
    if (writer != nullptr) return writer->source;
    if (const auto found = wrote_inside_.find(problem.key); found != wrote_inside_.end()) return found->second->source;
    return assignments_.size() == 1 ? assignments_.front().source : std::string(option_);
  }

 private:
  /// Calls `visit` with the key and, down to some depth, with what it is within.
  template <class Visit>
  static void each_around(std::string_view key, Visit&& visit) {
    constexpr int deepest = 10;  // no key of a setup has as many parts
    std::size_t end = 0;
    for (int depth = 0; depth < deepest; ++depth) {
      end = key.find_first_of(".[", end + 1);
      if (end == std::string_view::npos) break;
      visit(key.substr(0, end));
    }
    visit(key);
  }

  const std::vector<Assignment>& assignments_;
  std::string_view option_;
  std::unordered_map<std::string_view, const Assignment*> wrote_, wrote_inside_;
};

}  // namespace

Setup with_overrides(Setup base, const std::vector<std::string>& assignments, std::string_view option,
                     ValueFiles files) {
  if (assignments.empty()) return base;
  std::vector<Problem> found;
  std::vector<std::string> others;
  base = with_added_words(base, assignments, option, others, found);
  files.known = &base.values;
  files.known_text = &base.task.file;
  const std::vector<Assignment> parsed = parse_assignments(others, option, found);
  TomlValue changes{partly_assigned(base, parsed), 0};
  std::vector<std::string> anew;  // a section that is assigned as a whole has nothing of the one before
  for (const Assignment& one : parsed) {
    assign(changes, one, found);
    if (one.path.size() == 1) anew.push_back(one.key);
    else if (within(one.key, "values")) anew.emplace_back("values");  // the changes hold them all
  }
  std::vector<Problem> in_values;
  TomlReader reader(*changes.as<TomlTable>(), "", in_values);
  Setup setup = changed_by(reader, base, anew, files);
  const Causes causes(parsed, option);
  for (Problem& problem : in_values) {
    problem.source = causes.of(problem);
    found.push_back(std::move(problem));
  }
  if (!found.empty()) throw InputError(std::move(found));
  return setup;
}

// --- The assignments between two setups ------------------------------------------------------------------------------

namespace {

/// If more entries of a list than this differ, the whole list is assigned.
constexpr std::size_t most_single_entries = 3;

/// The text after '=' in an assignment. A text value needs no quotes if it cannot be mistaken for TOML.
std::string assigned(const TomlValue& value) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ []";
  constexpr std::array<std::string_view, 4> values_of_toml{"true", "false", "inf", "nan"};
  const auto* text = value.as<std::string>();
  if (text == nullptr || text->empty() || text->find_first_not_of(plain) != std::string::npos) return toml_text(value);
  const bool begins_with_letter = (text->front() | 0x20) >= 'a' && (text->front() | 0x20) <= 'z';
  const bool reads_as_value = std::any_of(values_of_toml.begin(), values_of_toml.end(),
                                          [&](std::string_view word) { return text->starts_with(word); });
  return begins_with_letter && !reads_as_value && text->back() != ' ' ? *text : toml_text(value);
}

class Differences {
 public:
  void add(const std::string& key, const TomlValue& from, const TomlValue& to) {
    const auto* was = from.as<TomlTable>();
    const auto* is = to.as<TomlTable>();
    if (was != nullptr && is != nullptr) add_tables(key, *was, *is, to);
    else if (toml_text(from) != toml_text(to) && !(has_entries(key) && add_entries(key, from, to))) assign(key, to);
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void assign(const std::string& key, const TomlValue& value) {
    found_.push_back(fmt::format("{}={}", key, assigned(value)));
  }

  /// A position in a list of a value would be read as a part in NumPy's notation.
  static bool has_entries(const std::string& key) { return !within(key, "values"); }

  void add_tables(const std::string& key, const TomlTable& from, const TomlTable& to, const TomlValue& whole) {
    const auto inside = [&](const std::string& name) { return key.empty() ? name : key + '.' + name; };
    for (const auto& [name, value] : from.entries) {
      if (to.find(name) != nullptr) continue;
      // An assignment cannot remove a key. But one of a table can leave it out, and labels and values can be none.
      if (!key.empty()) return assign(key, whole);
      const bool is_table = value.as<TomlTable>() != nullptr;
      assign(inside(name), is_table ? TomlValue{TomlTable{}, 0} : TomlValue{TomlList{}, 0});
    }
    for (const auto& [name, value] : to.entries) {
      const bool is_section = key.empty() && value.as<TomlTable>() != nullptr && has_entries(name);
      if (const TomlValue* was = from.find(name)) add(inside(name), *was, value);
      else if (is_section) add(inside(name), {TomlTable{}, 0}, value);  // a section that was left out
      else assign(inside(name), value);
    }
  }

  /// Assigns single entries if both lists have the same length. Returns false if the whole list should be assigned.
  bool add_entries(const std::string& key, const TomlValue& from, const TomlValue& to) {
    const auto* was = from.as<TomlList>();
    const auto* is = to.as<TomlList>();
    if (was == nullptr || is == nullptr || was->size() != is->size()) return false;
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < is->size(); ++i)
      if (toml_text((*was)[i]) != toml_text((*is)[i])) changed.push_back(i);
    if (changed.size() > most_single_entries) return false;
    for (const std::size_t i : changed) assign(fmt::format("{}[{}]", key, i), (*is)[i]);
    return true;
  }

  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> overrides_between(const Setup& from, const Setup& to) {
  Differences differences;
  differences.add("", {toml_of(from), 0}, {toml_of(to), 0});
  return differences.take();
}

}  // namespace headlight
