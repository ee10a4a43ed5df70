// Files that keep values from one start to the next: read leniently, written whole, and made from tables of entries.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/toml/toml_entry.hpp"
#include "core/setup/entry.hpp"

namespace headlight {

/// What a file holds. If it is damaged, `value` has the defaults and `message` says so.
template <class Value>
struct Loaded {
  Value value;
  std::string message;
};

/// Reads a document. A missing file gives an empty table without a message; a damaged one is renamed to NAME.damaged.
Loaded<TomlTable> load_document(const std::filesystem::path& file);
/// Renames a file that will be written anew, so that its content is not lost; says in words where it is.
std::string set_aside(const std::filesystem::path& file);
/// Saves a document: makes its folder if necessary, writes a new file beside it and then replaces it. Throws InputError
/// if the disk refuses. Without a path nothing happens.
void save_document(const TomlTable& table, const std::filesystem::path& file);
/// The document as text: the values first, then each table under its header.
std::string document_text(const TomlTable& table);

// Each leaves its target unchanged where the key is absent or its value has another type.
void read(const TomlTable& table, std::string_view key, bool& value);
void read(const TomlTable& table, std::string_view key, Index& value);
void read(const TomlTable& table, std::string_view key, std::size_t& value);
void read(const TomlTable& table, std::string_view key, double& value);
void read(const TomlTable& table, std::string_view key, std::string& value);
void read(const TomlTable& table, std::string_view key, std::vector<std::string>& values);
const TomlTable* table_in(const TomlTable& table, std::string_view key);  ///< null if there is none
const TomlList* list_in(const TomlTable& table, std::string_view key);

/// A value as the input of an entry; of a list, its whole numbers. nullopt for tables and dates.
std::optional<ControlInput> input_of(const TomlValue& value);

/// Writes the values of the entries that `is_kept` chooses into the table.
template <class O, class Kept>
void write_entries(TomlTable& table, std::span<const Entry<O>> entries, const O& owner, Kept is_kept) {
  for (const Entry<O>& entry : entries)
    if (is_kept(entry)) table[entry.name] = toml_of(entry, owner);
}

/// Reads the entries that the table has, in the order of the entries. It skips entries that this version cannot use.
template <class O>
O with_entries(O owner, std::span<const Entry<O>> entries, const TomlTable& table) {
  for (const Entry<O>& entry : entries) {
    const TomlValue* const value = table.find(entry.name);
    const auto input = value == nullptr ? std::nullopt : input_of(*value);
    if (!input) continue;
    if (auto result = entry.with(owner, *input); result.owner) owner = *std::move(result.owner);
  }
  return owner;
}

}  // namespace headlight
