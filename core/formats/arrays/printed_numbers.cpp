#include "core/formats/arrays/printed_numbers.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr std::string_view blanks = " \t\r\n,";

[[noreturn]] void fail(const std::string& found) { throw std::invalid_argument(found); }

/// "tensor([1., 2.], dtype=...)" -> "[1., 2.]"
std::string_view without_call(std::string_view text) {
  for (const std::string_view call : {"tensor(", "array("}) {
    if (!text.starts_with(call) || !text.ends_with(')')) continue;
    const auto last = text.find_last_of(']');
    if (last == std::string_view::npos) fail(fmt::format("{}...) without brackets", call));
    return trimmed(text.substr(call.size(), last + 1 - call.size()), blanks);
  }
  return text;
}

/// "np.float64(1.5)", "tensor(1.5)", as they are in lists -> "1.5"
std::string_view without_call_of_one(std::string_view word) {
  const auto open = word.find('(');
  return word.ends_with(')') && open != std::string_view::npos ? word.substr(open + 1, word.size() - open - 2) : word;
}

constexpr const char* gap_found =
    "\"...\" in place of numbers; np.set_printoptions(threshold=np.inf) or torch.set_printoptions(profile=\"full\") "
    "prints all of them";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Refuses numbers with decimal commas that blanks separate, because a comma separates numbers where arrays are
/// printed.
void refuse_decimal_commas(std::string_view text) {
  std::size_t comma = std::string_view::npos;
  bool has_blank_between = false;
  bool ends_number = false;  // whether the blanks before here follow a number
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_blank = text[i] == ' ' || text[i] == '\t';
    if (is_blank && i > 0 && text[i - 1] != ' ' && text[i - 1] != '\t')
      ends_number = is_digit(text[i - 1]) || text[i - 1] == '.';
    const bool is_after_blank = i > 0 && (text[i - 1] == ' ' || text[i - 1] == '\t');
    has_blank_between |= is_after_blank && ends_number && (is_digit(text[i]) || text[i] == '-');
    const bool is_between = i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if (text[i] == ',' && is_between) comma = std::min(comma, i);
  }
  if (comma == std::string_view::npos || !has_blank_between) return;
  const std::size_t begin = text.find_last_of(" \t\r\n[", comma) + 1;
  const std::string_view word = text.substr(begin, text.find_first_of(" \t\r\n]", comma) - begin);
  fail(fmt::format("\"{}\"{}", first_bytes(word, 40), number_meant_by(word)));
}

double parse_number(std::string_view word) {
  constexpr std::string_view minus = "\u2212";  // of what was set in type
  std::string_view digits = without_call_of_one(word);
  const bool is_negative = digits.starts_with(minus);
  if (is_negative) digits.remove_prefix(minus.size());
  else if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto value = number_from<double>(digits);
  if (!value || (is_negative && digits.starts_with('-'))) fail(fmt::format("\"{}\"", first_bytes(word, 40)));
  return is_negative ? -*value : *value;
}

/// Reads nested brackets. The first list at each depth sets how many entries the other lists at that depth must have.
class Brackets {
 public:
  explicit Brackets(std::string_view text) : text_(text) {}

  PrintedNumbers read() {
    read_list(0);
    skip_blanks();
    if (at_ != text_.size()) fail(fmt::format("\"{}\" after the last bracket", first_bytes(text_.substr(at_), 40)));
    PrintedNumbers result;
    for (const auto& extent : extents_) result.shape.push_back(extent.value_or(0));
    result.values = std::move(values_);
    return result;
  }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

  void read_list(std::size_t depth) {
    if (depth >= static_cast<std::size_t>(Shape::max_rank)) fail("brackets more than four deep");
    if (extents_.size() <= depth) {
      if (deepest_) fail("brackets of different depth");
      extents_.emplace_back();
    }
    ++at_;
    Index count = 0;
    for (;; ++count) {
      skip_blanks();
      if (at_ == text_.size()) fail("an unclosed bracket");
      if (text_[at_] == ']') break;
      if (text_[at_] == '[') read_list(depth + 1);
      else read_value(depth);
    }
    ++at_;
    auto& extent = extents_[depth];
    if (extent && *extent != count) fail(fmt::format("rows of {} and {} entries", *extent, count));
    extent = count;
  }

  void read_value(std::size_t depth) {
    deepest_ = deepest_.value_or(depth);
    if (depth != *deepest_ || extents_.size() != depth + 1) fail("brackets of different depth");
    const auto end = std::min(text_.find_first_of(" \t\r\n,[]", at_), text_.size());
    values_.push_back(parse_number(text_.substr(at_, end - at_)));
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::optional<Index>> extents_;
  std::optional<std::size_t> deepest_;  ///< the depth of the brackets that hold numbers; the same for all numbers
  std::vector<double> values_;
};

/// Puts each line that has numbers in brackets, and all of them in an outer pair if there is more than one line.
std::string bracketed(std::string_view text) {
  std::string result;
  std::size_t rows = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end), blanks);
    if (!line.empty()) {
      result += fmt::format("[{}]", line);
      ++rows;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows == 1 ? result : fmt::format("[{}]", result);
}

/// Fields between tabs or semicolons, as a spreadsheet copies them, where a comma between digits is a decimal point.
std::string with_points(std::string_view text) {
  const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  std::string result(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ';') result[i] = ' ';
    if (text[i] == ',' && i > 0 && is_digit(i - 1) && is_digit(i + 1)) result[i] = '.';
  }
  return result;
}

}  // namespace

std::string plain_table(std::string_view text) {
  const bool of_spreadsheet =
      text.find('[') == std::string_view::npos && text.find_first_of("\t;") != std::string_view::npos;
  return of_spreadsheet ? with_points(text) : std::string(text);
}

PrintedNumbers parse_printed(std::string_view text) {
  const std::string_view all = trimmed(text, blanks);
  if (all.find("...") != std::string_view::npos) fail(gap_found);
  const std::string_view array = without_call(all);
  if (array.empty()) fail("no numbers");
  if (plain_table(array) == array) refuse_decimal_commas(array);
  PrintedNumbers result =
      array.front() == '[' ? Brackets(array).read() : Brackets(bracketed(plain_table(array))).read();
  if (result.values.empty()) fail("no numbers");
  return result;
}

}  // namespace headlight
