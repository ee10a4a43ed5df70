#include "core/formats/setup/setup_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/files.hpp"
#include "core/formats/setup/setup_toml.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/setup/edits.hpp"

namespace headlight {

Setup parse_setup(std::string_view text, const std::string& source, const std::filesystem::path& folder) {
  const TomlTable document = parse_toml(text, source);
  std::vector<Problem> problems;
  TomlReader reader(document, "", problems);
  reader.value("exercise");  // what people hand in, which read_exercise reads
  Setup setup = setup_from(reader, Version::required, {.folder = folder});
  if (!problems.empty()) throw InputError(located(std::move(problems), document, source));
  return setup;
}

Setup read_setup(const std::filesystem::path& path) {
  return parse_setup(read_text(path), path.string(), folder_of(path));
}

std::string write_setup(const Setup& setup, const std::filesystem::path& folder) {
  return toml_line("version", "1") + written_keys(setup, {}, folder);
}

namespace {

std::string one_per_line(const std::vector<std::string>& entries) {
  std::string text = "[";
  for (const std::string& entry : entries) text += fmt::format("\n  {},", entry);
  return text + (entries.empty() ? "]" : "\n]");
}

std::string written_value(const SetupKey& key, const Setup& setup, const std::filesystem::path& folder) {
  const TomlValue value = key.name == "task.file" ? toml_value(setup.task.file, folder) : toml_of(key, setup);
  const auto* list = value.as<TomlList>();
  if (list == nullptr) return toml_text(value);
  std::vector<std::string> entries;
  for (const TomlValue& entry : *list) entries.push_back(toml_text(entry));
  return key.name == "random.draws" ? one_per_line(entries) : toml_list(entries);
}

std::string comment(const SetupKey& key) {
  std::string words = fmt::format("{}", fmt::join(names_of(key.words), ", "));
  if (key.value.kind == ValueKind::choice) return words;
  if (key.name == "mask.kinds") return "any of " + words;
  return std::string(key.comment);
}

std::string heading(std::string_view table, std::string_view section) {
  return fmt::format("\n[{}{}{}]\n", table, table.empty() ? "" : ".", section);
}

std::string written_values(const Values& values, const std::filesystem::path& folder) {
  std::string text;
  for (const GivenValue& value : values.entries())
    text += toml_line(toml_key(key_of(value)), toml_text(value.numbers, folder));
  return text;
}

}  // namespace

std::string written_keys(const Setup& setup, std::string_view table, const std::filesystem::path& folder) {
  std::string text;
  std::string_view section;
  for (const SetupKey& key : setup_keys()) {
    const bool written = is_written(key, setup);
    if (key.name == "values") {
      if (written) text += heading(table, key.name) + written_values(values_beside_model(setup), folder);
      continue;
    }
    if (!written) continue;
    if (key.section() != section) {
      section = key.section();
      text += heading(table, section);
    }
    text += toml_line(key.last_name(), written_value(key, setup, folder), comment(key));
  }
  return text;
}

}  // namespace headlight
