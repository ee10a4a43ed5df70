#include "app/session/settings/settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/session/display/display_entries.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr std::size_t most_recent_files = 10;

/// A folder from the environment, or its default. The XDG standard says that a relative folder is to be ignored.
std::filesystem::path folder(const Environment& environment, const char* variable, const char* below_home) {
  const auto absolute = [&](const char* name) {
    const char* text = environment(name);
    const std::filesystem::path path = text != nullptr ? text : "";
    return path.is_absolute() ? path : std::filesystem::path{};
  };
  if (const auto path = absolute(variable); !path.empty()) return path;
  const auto home = absolute("HOME");
  return home.empty() ? home : home / below_home;
}

Display display_of(const Settings& settings) {
  Display display;
  display.appearance = settings.appearance;
  return display;
}

/// A key for each step that was seen, counted from 1, so that two windows add to the same lecture.
TomlTable table_of(const std::vector<StepMark>& marks) {
  TomlTable table;
  for (std::size_t step = 0; step < marks.size(); ++step)
    if (marks[step] != StepMark::none)
      table[fmt::format("{}", step + 1)] = {std::string(step_mark_words[static_cast<std::size_t>(marks[step])])};
  return table;
}

/// Only so many steps are read, whatever a file says: no lecture has more.
constexpr std::size_t most_marked_steps = 1000;

std::vector<StepMark> marks_of(const TomlTable& table) {
  std::vector<StepMark> marks;
  for (const auto& [name, value] : table.entries) {
    const auto step = number_from<std::size_t>(name);
    const auto* const word = value.as<std::string>();
    if (!step || *step == 0 || *step > most_marked_steps || word == nullptr) continue;
    const auto found = std::ranges::find(step_mark_words, *word);
    if (found == step_mark_words.end()) continue;
    marks.resize(std::max(marks.size(), *step));
    marks[*step - 1] = static_cast<StepMark>(found - step_mark_words.begin());
  }
  return marks;
}

constexpr std::string_view mode_key = "mode";
constexpr std::string_view reviews_key = "reviews";

/// How often a question came up again: "2 times", or "2 times, missed".
TomlTable table_of(const std::map<std::size_t, Reviewed>& reviews) {
  TomlTable table;
  for (const auto& [step, reviewed] : reviews)
    table[fmt::format("{}", step + 1)] = {fmt::format("{} times{}", reviewed.times, reviewed.missed ? ", missed" : "")};
  return table;
}

std::map<std::size_t, Reviewed> reviews_of(const TomlTable& table) {
  std::map<std::size_t, Reviewed> reviews;
  for (const auto& [name, value] : table.entries) {
    const auto step = number_from<std::size_t>(name);
    const auto* const words = value.as<std::string>();
    if (!step || *step == 0 || *step > most_marked_steps || words == nullptr) continue;
    const auto times = number_from<std::uint16_t>(std::string_view(*words).substr(0, words->find(' ')));
    if (times) reviews[*step - 1] = {*times, words->ends_with("missed")};
  }
  return reviews;
}

std::string_view word_of(WindowMode mode) { return mode == WindowMode::lesson ? "lesson" : "workbench"; }

void read_lecture(const TomlTable& table, const std::string& lecture, Settings& settings) {
  if (auto marks = marks_of(table); !marks.empty()) settings.marks[lecture] = std::move(marks);
  if (const TomlTable* const reviews = table_in(table, std::string(reviews_key)))
    if (auto found = reviews_of(*reviews); !found.empty()) settings.reviews[lecture] = std::move(found);
  std::string word;
  read(table, mode_key, word);
  for (const WindowMode mode : {WindowMode::lesson, WindowMode::workbench})
    if (word == word_of(mode)) settings.modes[lecture] = mode;
}

TomlTable table_of(const Settings& settings) {
  TomlTable table;
  write_entries(table, display_entries(), display_of(settings),
                [](const Entry<Display>& entry) { return entry.saved == KeptIn::settings; });
  table["hint_seen"] = {settings.hint_seen};
  table["maximised"] = {settings.maximised};
  table["recent_files"] = toml_value(settings.recent_files);
  TomlTable exporting = toml_of(settings.export_choices);
  exporting["folder"] = {settings.export_folder};
  exporting["data_folder"] = {settings.export_data_folder};
  table["export"] = {exporting};
  TomlTable lectures;
  for (const auto& [lecture, marks] : settings.marks) lectures[lecture] = {table_of(marks)};
  const auto entry_of = [&](const std::string& lecture, std::string_view key) -> TomlValue& {
    if (lectures.find(lecture) == nullptr) lectures[lecture] = {TomlTable{}};
    return (*lectures[lecture].as<TomlTable>())[std::string(key)];
  };
  for (const auto& [lecture, mode] : settings.modes) entry_of(lecture, mode_key) = {std::string(word_of(mode))};
  for (const auto& [lecture, reviews] : settings.reviews) entry_of(lecture, reviews_key) = {table_of(reviews)};
  table["lectures"] = {lectures};
  return table;
}

/// Replaces in `table` what differs between `known` and `mine`.
void apply_changes(TomlTable& table, const TomlTable& known, const TomlTable& mine) {
  std::erase_if(table.entries, [&](const auto& entry) {
    return known.find(entry.first) != nullptr && mine.find(entry.first) == nullptr;
  });
  const TomlTable nothing;
  for (const auto& [name, value] : mine.entries) {
    const TomlTable* inner = value.as<TomlTable>();
    const TomlTable* before = table_in(known, name);
    const TomlValue* there = table.find(name);
    const TomlValue* known_value = known.find(name);
    if (inner && there && there->as<TomlTable>())
      apply_changes(*table[name].as<TomlTable>(), before ? *before : nothing, *inner);
    else if (!there || !known_value || toml_text(*known_value) != toml_text(value)) table[name] = value;
  }
}

}  // namespace

Settings with_recent_file(Settings settings, const std::filesystem::path& file) {
  auto& recent = settings.recent_files;
  std::erase(recent, file.string());
  recent.insert(recent.begin(), file.string());
  if (recent.size() > most_recent_files) recent.resize(most_recent_files);
  return settings;
}

Appearance lasting_appearance(const Display& display) { return display.before_projector.value_or(display.appearance); }

MemoryFiles memory_files(const Environment& environment) {
  const auto config = folder(environment, "XDG_CONFIG_HOME", ".config");
  const auto state = folder(environment, "XDG_STATE_HOME", ".local/state");
  return {config.empty() ? config : config / "headlight" / "settings.toml",
          state.empty() ? state : state / "headlight" / "session.toml"};
}

std::filesystem::path data_folder(const Environment& environment) {
  return folder(environment, "XDG_DATA_HOME", ".local/share");
}

Loaded<Settings> load_settings(const std::filesystem::path& file) {
  const auto [table, message] = load_document(file);
  Settings settings;
  std::vector<Entry<Display>> kept;
  for (const Entry<Display>& entry : display_entries())
    if (entry.saved == KeptIn::settings) kept.push_back(entry);
  settings.appearance = fitting(with_entries<Display>({}, kept, table), 1).appearance;
  if (const TomlTable* const exporting = table_in(table, "export")) {
    settings.export_choices = export_choices_of(*exporting);
    read(*exporting, "folder", settings.export_folder);
    read(*exporting, "data_folder", settings.export_data_folder);
  }
  if (const TomlTable* const lectures = table_in(table, "lectures"))
    for (const auto& [name, value] : lectures->entries)
      if (const auto* const lecture = value.as<TomlTable>()) read_lecture(*lecture, name, settings);
  read(table, "hint_seen", settings.hint_seen);
  read(table, "maximised", settings.maximised);
  read(table, "recent_files", settings.recent_files);
  settings.recent_files.resize(std::min(settings.recent_files.size(), most_recent_files));
  return {settings, message};
}

void save_changes(const Settings& known, const Settings& settings, const std::filesystem::path& file) {
  TomlTable table = load_document(file).value;
  std::vector<std::string> others;
  read(table, "recent_files", others);
  apply_changes(table, table_of(known), table_of(settings));
  if (settings.recent_files != known.recent_files) {
    Settings joined;
    joined.recent_files = std::move(others);
    for (auto recent = settings.recent_files.rbegin(); recent != settings.recent_files.rend(); ++recent)
      joined = with_recent_file(std::move(joined), *recent);
    table["recent_files"] = toml_value(joined.recent_files);
  }
  save_document(table, file);
}

}  // namespace headlight
