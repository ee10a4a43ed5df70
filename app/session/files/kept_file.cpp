#include "app/session/files/kept_file.hpp"

#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "core/formats/files.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

template <class Value>
void read_as(const TomlTable& table, std::string_view key, Value& value) {
  const TomlValue* const found = table.find(key);
  if (const Value* const same = found == nullptr ? nullptr : found->as<Value>()) value = *same;
}

/// `path` is that of the table, with a dot: "export.".
std::string table_text(const TomlTable& table, const std::string& path) {
  std::string text;
  for (const auto& [key, value] : table.entries)
    if (value.as<TomlTable>() == nullptr) text += toml_line(toml_key(key), toml_text(value));
  for (const auto& [key, value] : table.entries) {
    const std::string name = path + toml_key(key);
    if (const TomlTable* const inner = value.as<TomlTable>())
      text += fmt::format("\n[{}]\n{}", name, table_text(*inner, name + "."));
  }
  return text;
}

}  // namespace

std::string set_aside(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path aside = file.string() + ".damaged";
  std::filesystem::rename(file, aside, error);
  return error ? "it could not be set aside" : fmt::format("it is kept as {}", aside.filename().string());
}

Loaded<TomlTable> load_document(const std::filesystem::path& file) {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return {};
  std::string bytes;
  try {
    bytes = read_bytes(file, largest_text_file);
  } catch (const InputError& unreadable) {
    return {{}, unreadable.what()};
  }
  const std::string name = file.filename().string();
  try {
    return {parse_toml(bytes, name), {}};
  } catch (const InputError& damage) {
    const Problem& first = damage.problems().front();
    return {{}, fmt::format("{} is damaged ({}: {}); {}", name, first.source, first.found, set_aside(file))};
  }
}

void save_document(const TomlTable& table, const std::filesystem::path& file) {
  if (file.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) throw InputError({file.string(), "", error.message(), "a folder that can be written to"});
  write_file(file, document_text(table));
}

std::string document_text(const TomlTable& table) { return table_text(table, ""); }

void read(const TomlTable& table, std::string_view key, bool& value) { read_as(table, key, value); }
void read(const TomlTable& table, std::string_view key, Index& value) { read_as(table, key, value); }
void read(const TomlTable& table, std::string_view key, std::string& value) { read_as(table, key, value); }

void read(const TomlTable& table, std::string_view key, std::size_t& value) {
  Index whole = 0;
  read(table, key, whole);
  if (whole > 0) value = static_cast<std::size_t>(whole);
}

void read(const TomlTable& table, std::string_view key, double& value) {
  Index whole = 0;
  read(table, key, whole);
  if (whole != 0) value = static_cast<double>(whole);
  read_as(table, key, value);
}

void read(const TomlTable& table, std::string_view key, std::vector<std::string>& values) {
  const TomlList* const list = list_in(table, key);
  if (list == nullptr) return;
  values.clear();
  for (const TomlValue& entry : *list)
    if (const std::string* const text = entry.as<std::string>()) values.push_back(*text);
}

const TomlTable* table_in(const TomlTable& table, std::string_view key) {
  const TomlValue* const found = table.find(key);
  return found == nullptr ? nullptr : found->as<TomlTable>();
}

const TomlList* list_in(const TomlTable& table, std::string_view key) {
  const TomlValue* const found = table.find(key);
  return found == nullptr ? nullptr : found->as<TomlList>();
}

std::optional<ControlInput> input_of(const TomlValue& value) {
  if (const bool* const flag = value.as<bool>()) return *flag;
  if (const std::int64_t* const whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
  if (const double* const number = value.as<double>()) return *number;
  if (const std::string* const text = value.as<std::string>()) return *text;
  const TomlList* const list = value.as<TomlList>();
  if (list == nullptr) return std::nullopt;
  std::string numbers;
  for (const TomlValue& entry : *list) {
    const std::int64_t* const whole = entry.as<std::int64_t>();
    if (whole != nullptr) numbers += fmt::format("{} ", *whole);
  }
  return numbers;
}

}  // namespace headlight
