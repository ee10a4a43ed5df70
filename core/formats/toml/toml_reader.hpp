// Reads the keys of one TOML table into values, and collects everything that is wrong on the way.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/toml/toml_value.hpp"
#include "core/model/problem.hpp"
#include "core/model/shape.hpp"

namespace headlight {

// What messages say of a value that must have a type.
constexpr std::string_view wanted_text = "text in quotes";
constexpr std::string_view wanted_number = "a number";
constexpr std::string_view wanted_whole = "a whole number";
constexpr std::string_view wanted_texts = "a list of texts, such as [\"The\", \"cat\"]";
constexpr std::string_view wanted_wholes = "a list of whole numbers, such as [3, 2]";
std::string one_of(std::span<const std::string_view> words);
std::string list_of_any(std::span<const std::string_view> words);

/// One table of a document. Each read leaves its target alone where the key is absent, and adds a problem where the
/// value has the wrong type; `finish` adds one for each key that nothing read. Problems carry the dotted key and no
/// source: whoever started the reading knows it (see located()).
class TomlReader {
 public:
  /// `path` is the dotted key of the table, empty for the document itself. Table and problems outlive the reader.
  TomlReader(const TomlTable& table, std::string path, std::vector<Problem>& problems);

  bool has(std::string_view key) const { return table_.find(key) != nullptr; }
  /// "sizes.heads" for "heads" in the table "sizes".
  std::string key_path(std::string_view key) const;
  const std::string& path() const { return path_; }

  void read(std::string_view key, std::string& value);
  void read(std::string_view key, double& value);
  void read(std::string_view key, Index& value);
  void read(std::string_view key, std::optional<Index>& value);
  void read(std::string_view key, std::vector<std::string>& values);
  void read(std::string_view key, std::vector<Index>& values);

  /// The place of the word that the key has among `words`.
  std::optional<std::size_t> read_word(std::string_view key, std::span<const std::string_view> words);
  /// The places of several of them; an unknown word is a problem and left out.
  std::vector<std::size_t> read_words(std::string_view key, std::span<const std::string_view> words);

  /// All keys of the table, sorted.
  std::vector<std::string> keys() const;
  /// The value of a key, whatever its type; null where it is absent.
  const TomlValue* value(std::string_view key);
  /// The entries of a list; empty where it is absent or no list.
  const TomlList& list(std::string_view key, std::string_view allowed);
  /// A table within; an empty one where it is absent or no table.
  TomlReader table(std::string_view key);
  /// The tables of a list of tables, in order; entries that are no tables are problems and left out.
  std::vector<TomlReader> tables(std::string_view key);

  void add(std::string_view key, std::string found, std::string allowed);
  void add_entry(std::string_view key, std::size_t position, std::string found, std::string allowed);
  std::vector<Problem>& problems() { return problems_; }

  /// Every key that nothing has asked for is unknown.
  void finish();

 private:
  void refuse(std::string_view key, const TomlValue& found, std::string_view allowed);

  const TomlTable& table_;
  std::string path_;
  std::vector<Problem>& problems_;
  std::vector<std::string> known_;  ///< the keys that were asked for
};

/// The problems with their source: the document's name and the line of the key.
std::vector<Problem> located(std::vector<Problem> problems, const TomlTable& root, const std::string& source);

}  // namespace headlight
