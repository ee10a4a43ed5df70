// Reads the keys of a TOML table into values, and collects all problems on the way.
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

// What messages allow for a value of each type.
constexpr std::string_view wanted_text = "text in quotes";
constexpr std::string_view wanted_number = "a number";
constexpr std::string_view wanted_truth = "true or false";
constexpr std::string_view wanted_whole = "a whole number";
constexpr std::string_view wanted_texts = "a list of texts, such as [\"The\", \"cat\"]";
constexpr std::string_view wanted_wholes = "a list of whole numbers, such as [3, 2]";
std::string one_of(std::span<const std::string_view> words);
std::string list_of_any(std::span<const std::string_view> words);

/// Reads one table of a document. Each read leaves its target unchanged if the key is absent, and adds a problem if the
/// value has the wrong type. `finish` adds a problem for each key that nothing read. Problems have the dotted key but
/// no source; located() adds it.
class TomlReader {
 public:
  /// `path` is the dotted key of the table, empty for the document itself. The table and `problems` must outlive the
  /// reader.
  TomlReader(const TomlTable& table, std::string path, std::vector<Problem>& problems);

  bool has(std::string_view key) const { return table_.find(key) != nullptr; }
  /// The dotted key from the document's top: "sizes.heads" for "heads" in the table "sizes".
  std::string key_path(std::string_view key) const;
  const std::string& path() const { return path_; }

  void read(std::string_view key, std::string& value);
  void read(std::string_view key, double& value);
  void read(std::string_view key, bool& value);
  void read(std::string_view key, Index& value);
  void read(std::string_view key, std::optional<Index>& value);
  void read(std::string_view key, std::vector<std::string>& values);
  void read(std::string_view key, std::vector<Index>& values);

  /// The index in `words` of the key's value; nullopt if the key is absent or the word is unknown, which is a problem.
  std::optional<std::size_t> read_word(std::string_view key, std::span<const std::string_view> words);
  /// The indices in `words` of the entries of a list. An unknown word is a problem and left out.
  std::vector<std::size_t> read_words(std::string_view key, std::span<const std::string_view> words);

  /// All keys of the table, sorted.
  std::vector<std::string> keys() const;
  /// The value of a key, whatever its type; null where it is absent.
  const TomlValue* value(std::string_view key);
  /// The entries of a list; empty if the key is absent or not a list. `allowed` is for the message in the latter case.
  const TomlList& list(std::string_view key, std::string_view allowed);
  /// A reader for a table inside this one; for an empty table if the key is absent or not a table.
  TomlReader table(std::string_view key);
  /// Readers for a list of tables, in order. An entry that is not a table is a problem and left out.
  std::vector<TomlReader> tables(std::string_view key);

  void add(std::string_view key, std::string found, std::string allowed);
  void add_entry(std::string_view key, std::size_t position, std::string found, std::string allowed);
  std::vector<Problem>& problems() { return problems_; }

  /// Adds a problem for every key of the table that was never asked for.
  void finish();

 private:
  void refuse(std::string_view key, const TomlValue& found, std::string_view allowed);

  const TomlTable& table_;
  std::string path_;
  std::vector<Problem>& problems_;
  std::vector<std::string> known_;  ///< the keys that were asked for so far
};

/// The problems with their source filled in: the document's name and the line of the key ("lesson.toml:12").
std::vector<Problem> located(std::vector<Problem> problems, const TomlTable& root, const std::string& source);

}  // namespace headlight
