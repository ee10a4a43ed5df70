// The text of the task *text*: its characters are the symbols, and a position is asked which one comes next.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/shape.hpp"

namespace headlight {

/// How sequences are taken from a text: a line each, from its beginning, or any part of the whole.
enum class TextSplit : std::uint8_t { lines, stream };
constexpr std::array<std::string_view, 2> file_words(TextSplit) { return {"lines", "stream"}; }

/// A text as symbols, shared by all copies and never changed. The symbols are its characters (code points) in their
/// order, after the line break, which is always there and is symbol 0. Line breaks of other systems are read as "\n",
/// as Python reads them, and so is the text without one at its end.
class TaskText {
 public:
  /// None.
  TaskText() = default;
  /// `path`, from the root, is where it was read; empty if it was typed. Throws InputError for bytes that are not
  /// UTF-8.
  explicit TaskText(std::string_view text, std::string path = {});

  bool empty() const { return data_ == nullptr; }
  const std::string& path() const;
  /// The text, with "\n" between its lines.
  const std::string& text() const;
  /// 16 hexadecimal digits that change when the text does.
  const std::string& digest() const;
  /// How many symbols there are; 0 without a text.
  Index symbols() const;
  /// Its character as UTF-8.
  const std::string& character(std::int64_t symbol) const;
  /// The whole text, symbol by symbol.
  std::span<const std::int64_t> all() const;
  Index lines() const;
  /// A line without its break.
  std::span<const std::int64_t> line(Index index) const;
  /// The mean surprise, −ln of a probability, of somebody who knows how often each symbol is asked for and nothing
  /// else: in lines, their breaks count too.
  double surprise_of_frequencies(TextSplit split) const;
  /// The text's symbols; the character that is none of them where there is one.
  struct Spelled {
    std::vector<std::int64_t> symbols = {};
    std::optional<std::string> unknown = {};
  };
  Spelled spelled(std::string_view text) const;

  /// Whether they are the same text from the same place.
  friend bool operator==(const TaskText& a, const TaskText& b);

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace headlight
