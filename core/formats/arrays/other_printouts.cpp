#include "core/formats/arrays/other_printouts.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/shape.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr std::string_view line_blanks = " \t\r";
using Words = std::vector<std::string_view>;
using Rows = std::vector<std::vector<std::string>>;

// --- Words and numbers -----------------------------------------------------------------------------------------------

Words words_in(std::string_view line) {
  Words words;
  for (std::size_t at = line.find_first_not_of(line_blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(line_blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(line_blanks, end);
  }
  return words;
}

bool is_numeral(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  if (word == "NaN" || word == "-Inf" || word == "Inf" || word == "NA") return true;
  return number_from<double>(word).has_value();
}

/// As NumPy writes it.
std::string numeral(std::string_view word) {
  if (word == "NaN" || word == "NA") return "nan";
  if (word == "Inf") return "inf";
  if (word == "-Inf") return "-inf";
  return std::string(word);
}

bool are_numerals(const Words& words) { return !words.empty() && std::ranges::all_of(words, is_numeral); }

std::vector<std::string> numerals(const Words& words) {
  std::vector<std::string> result;
  std::ranges::transform(words, std::back_inserter(result), numeral);
  return result;
}

/// The whole numbers in a text, in their order.
std::vector<Index> wholes_in(std::string_view text) {
  std::vector<Index> found;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end > at) found.push_back(number_from<Index>(text.substr(at, end - at)).value_or(0));
    at = std::max(end, at + 1);
  }
  return found;
}

/// Whether the text holds nothing but these characters and digits, and a digit.
bool is_made_of(std::string_view text, std::string_view others) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  return std::ranges::any_of(text, is_digit) &&
         std::ranges::all_of(text, [&](char c) { return is_digit(c) || others.find(c) != std::string_view::npos; });
}

// --- Arrays that are read line by line -------------------------------------------------------------------------------

/// A matrix of an array, at its place on the other axes.
struct Slice {
  std::vector<Index> place;
  Rows rows;
};

struct PrintedArray {
  std::string name;
  std::string factor;  ///< "1.0e+03"; empty for none
  std::vector<Slice> slices;
  bool leads = false;      ///< whether the axes of the slices come first, as in PyTorch, and not last
  bool is_vector = false;  ///< whether its rows are one vector

  bool empty() const {
    return std::ranges::all_of(slices, [](const Slice& slice) { return slice.rows.empty(); });
  }
};

std::string joined(const std::vector<std::string>& items) { return fmt::format("[{}]", fmt::join(items, ", ")); }

std::string matrix_text(const Rows& rows) {
  std::vector<std::string> lines;
  std::ranges::transform(rows, std::back_inserter(lines), joined);
  return joined(lines);
}

/// Slices in front, which are in the order of their places: nested in as many brackets as they have axes.
std::string leading_text(const std::vector<Slice>& slices, std::size_t axis) {
  if (slices.front().place.size() == axis) return matrix_text(slices.front().rows);
  std::vector<std::string> parts;
  for (auto first = slices.begin(); first != slices.end();) {
    const auto end =
        std::find_if(first, slices.end(), [&](const Slice& slice) { return slice.place[axis] != first->place[axis]; });
    parts.push_back(leading_text({first, end}, axis + 1));
    first = end;
  }
  return joined(parts);
}

/// The numbers of one cell in all slices, which are sorted by their places.
std::string trailing_cell(const std::vector<Slice>& slices, std::size_t axis, std::size_t row, std::size_t column) {
  if (slices.front().place.size() == axis) return slices.front().rows[row][column];
  std::vector<std::string> parts;
  for (auto first = slices.begin(); first != slices.end();) {
    const auto end =
        std::find_if(first, slices.end(), [&](const Slice& slice) { return slice.place[axis] != first->place[axis]; });
    parts.push_back(trailing_cell({first, end}, axis + 1, row, column));
    first = end;
  }
  return joined(parts);
}

/// Whether all slices have as many rows, with as many numbers.
bool are_alike(const std::vector<Slice>& slices) {
  const auto lengths = [](const Slice& slice) {
    std::vector<std::size_t> found;
    std::ranges::transform(slice.rows, std::back_inserter(found), [](const auto& row) { return row.size(); });
    return found;
  };
  return std::ranges::all_of(slices, [&](const Slice& slice) { return lengths(slice) == lengths(slices.front()); });
}

/// The array as NumPy prints it; nullopt where its slices don't fit each other.
std::optional<std::string> array_text(PrintedArray array) {
  std::erase_if(array.slices, [](const Slice& slice) { return slice.rows.empty(); });
  if (array.slices.empty() || !are_alike(array.slices)) return std::nullopt;
  std::ranges::stable_sort(array.slices, {}, &Slice::place);
  std::string numbers;
  if (array.is_vector) {
    std::vector<std::string> all;
    for (const auto& row : array.slices.front().rows) all.insert(all.end(), row.begin(), row.end());
    numbers = joined(all);
  } else if (array.leads || array.slices.front().place.empty()) {
    numbers = leading_text(array.slices, 0);
  } else {
    Rows rows;
    for (std::size_t row = 0; row < array.slices.front().rows.size(); ++row) {
      rows.emplace_back();
      for (std::size_t column = 0; column < array.slices.front().rows[row].size(); ++column)
        rows.back().push_back(trailing_cell(array.slices, 0, row, column));
    }
    numbers = matrix_text(rows);
  }
  return fmt::format("{} = {}{}\n", array.name, array.factor.empty() ? "" : array.factor + " * ", numbers);
}

/// Reads what R, MATLAB, Octave, Julia and old versions of PyTorch print, line by line.
class LineReader {
 public:
  /// Nullopt if any line is none of theirs, or nothing tells that one of them has printed it.
  std::optional<std::string> read(std::string_view text) {
    for (const std::string_view line : split_at(text, '\n')) {
      const std::string_view own = trimmed(line, line_blanks);
      if (!own.empty() && !take(own)) return std::nullopt;
    }
    finish();
    return is_sure_ && is_good_ ? std::optional(text_) : std::nullopt;
  }

 private:
  bool take(std::string_view line) {
    return take_slice(line) || take_columns(line) || take_factor(line) || take_end(line) || take_size(line) ||
           take_row(line) || take_name(line);
  }

  /// ", , 2" of R, "A(:,:,2) =" of MATLAB, "ans(:,:,2) =" or "[:, :, 2] =" of Julia, "(1 ,.,.) =" of PyTorch.
  bool take_slice(std::string_view line) {
    const bool of_r = line.starts_with(", , ") && is_made_of(line, ", ");
    const auto open = line.find("(:,:,");
    const bool of_matlab = open != std::string_view::npos && line.ends_with('=');
    const bool of_julia = line.starts_with("[:, :, ") && line.ends_with('=');
    const bool of_torch = line.starts_with('(') && line.find(",.,.)") != std::string_view::npos;
    if (!of_r && !of_matlab && !of_julia && !of_torch) return false;
    is_sure_ = true;
    if (of_matlab) {
      const std::string name(trimmed(line.substr(0, open), line_blanks));
      if (array_.name != name) begin(name);
    }
    if (of_torch && !array_.leads) begin(array_.empty() ? array_.name : "");
    array_.leads = of_torch;
    array_.slices.push_back({wholes_in(of_matlab ? line.substr(open) : line), {}});
    row_ = 0;
    return true;
  }

  /// A line that says which columns follow: "[,1] [,2]" of R, "Columns 1 through 6" of MATLAB, "Columns 0 to 5".
  bool take_columns(std::string_view line) {
    const bool of_r = line.starts_with("[,") && is_made_of(line, "[], ");
    const bool in_words = line.starts_with("Column") && !wholes_in(line).empty();
    if (!of_r && !in_words) return false;
    is_sure_ = true;
    const Index first = wholes_in(line).front();
    const bool goes_on = of_r ? first > 1 : !rows().empty();
    if (of_r && !goes_on && !rows().empty()) begin("");
    row_ = 0;
    widens_ = goes_on;
    return true;
  }

  /// "1.0e+03 *" of MATLAB and PyTorch.
  bool take_factor(std::string_view line) {
    if (!line.ends_with('*')) return false;
    const std::string_view factor = trimmed(line.substr(0, line.size() - 1), line_blanks);
    if (!number_from<double>(factor)) return false;
    is_sure_ = true;
    array_.factor = factor;
    return true;
  }

  /// "[torch.FloatTensor of size 4x8]", which ends an array.
  bool take_end(std::string_view line) {
    if (!line.starts_with("[torch.") || line.find("Tensor of size") == std::string_view::npos) return false;
    is_sure_ = true;
    const auto sizes = line.substr(line.find(" size") + 5);
    array_.is_vector = sizes.substr(0, sizes.find_first_of("]( ", 1)).find('x') == std::string_view::npos;
    begin("");
    return true;
  }

  /// "4×8 Matrix{Float64}:" and "3-element Vector{Float32}:" of Julia.
  bool take_size(std::string_view line) {
    if (!line.ends_with(':') || line.find('{') == std::string_view::npos) return false;
    const bool is_vector = line.find("-element ") != std::string_view::npos;
    if (!is_vector && line.find("×") == std::string_view::npos) return false;
    is_sure_ = true;
    if (!array_.empty()) begin("");
    array_.is_vector = is_vector;
    return true;
  }

  /// Numbers, behind "[2,]" or "[5]" in R.
  bool take_row(std::string_view line) {
    Words words = words_in(line);
    const std::string_view first = words.front();
    const bool has_place = first.starts_with('[') && first.ends_with(']') && is_made_of(first, "[],");
    if (has_place) words.erase(words.begin());
    if (!are_numerals(words)) return false;
    if (has_place) {
      is_sure_ = true;
      const bool of_vector = first.find(',') == std::string_view::npos;
      if (of_vector && first == "[1]" && !array_.empty()) begin("");
      array_.is_vector = of_vector;
    }
    if (array_.slices.empty()) array_.slices.push_back({});
    if (!widens_ || row_ >= rows().size()) {
      is_good_ &= !widens_;
      rows().emplace_back();
      row_ = rows().size() - 1;
    }
    std::vector<std::string>& row = rows()[row_++];
    const auto more = numerals(words);
    row.insert(row.end(), more.begin(), more.end());
    return true;
  }

  /// A name on a line of its own: "output =", "output". MATLAB's has an equals sign.
  bool take_name(std::string_view line) {
    const bool assigns = line.ends_with('=');
    for (const std::string_view prompt : {">> ", "> ", "julia> "})
      if (line.starts_with(prompt)) line.remove_prefix(prompt.size());
    const std::string_view name = trimmed(line, " \t\r=:");
    const bool is_word = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
                         name.find_first_of("[]{}()|&\\,;\"") == std::string_view::npos && words_in(name).size() <= 3;
    if (!is_word) return false;
    begin(std::string(name));
    is_assigned_ = assigns;
    return true;
  }

  Rows& rows() {
    if (array_.slices.empty()) array_.slices.push_back({});
    return array_.slices.back().rows;
  }

  void begin(std::string name) {
    finish();
    array_ = {};
    array_.name = std::move(name);
    row_ = 0;
    widens_ = is_assigned_ = false;
  }

  void finish() {
    if (array_.empty()) return;
    is_sure_ |= is_assigned_;
    if (auto text = array_text(std::move(array_))) text_ += *text;
    else is_good_ = false;
    array_ = {};
  }

  PrintedArray array_;
  std::size_t row_ = 0;       ///< of the present slice, that the next line gives numbers to
  bool widens_ = false;       ///< whether lines go on with rows that are there
  bool is_assigned_ = false;  ///< whether the array's name was followed by "="
  bool is_sure_ = false;      ///< whether a line is as only these programs print it
  bool is_good_ = true;
  std::string text_;
};

// --- Tables with headings --------------------------------------------------------------------------------------------

using WordTable = std::vector<Words>;

/// The numbers of a table: without a first line and a first column that are labels. Nullopt if anything else is no
/// number, or if a line is shorter than others.
std::optional<Rows> numbers_of(WordTable table, bool has_heading) {
  if (has_heading && !table.empty()) table.erase(table.begin());
  if (table.empty()) return std::nullopt;
  const bool has_labels = std::ranges::any_of(table, [](const Words& words) { return !is_numeral(words.front()); });
  Rows rows;
  for (Words& words : table) {
    if (has_labels) words.erase(words.begin());
    if (!are_numerals(words) || (!rows.empty() && rows.front().size() != words.size())) return std::nullopt;
    rows.push_back(numerals(words));
  }
  return rows;
}

Words cells_of(std::string_view line, char between) {
  Words cells;
  for (const std::string_view cell : split_at(line, between)) cells.push_back(trimmed(cell, " \t\r*`$"));
  return cells;
}

/// "| q | 0.1 | 0.2 |" below "|---|---|---|".
std::optional<std::string> markdown_text(std::string_view text) {
  std::string result, name;
  WordTable table;
  bool has_heading = false;
  const auto finish = [&] {
    if (table.empty()) return true;
    const auto rows = numbers_of(std::exchange(table, {}), std::exchange(has_heading, false));
    if (rows) result += fmt::format("{} = {}\n", name, matrix_text(*rows));
    name.clear();
    return rows.has_value();
  };
  for (const std::string_view full : split_at(text, '\n')) {
    std::string_view line = trimmed(full, line_blanks);
    if (!line.starts_with('|') || !line.ends_with('|') || line.size() < 3) {
      if (!finish()) return std::nullopt;
      if (!line.empty()) name = trimmed(line, " \t\r=:#*`");
      continue;
    }
    line = line.substr(1, line.size() - 2);
    if (line.find_first_not_of("-:| \t") == std::string_view::npos) has_heading = table.size() == 1;
    else table.push_back(cells_of(line, '|'));
  }
  return finish() && !result.empty() ? std::optional(result) : std::nullopt;
}

/// "\begin{pmatrix} 0.1 & 0.2 \\ 0.3 & 0.4 \end{pmatrix}", and tables with lines and a heading.
std::optional<std::string> latex_text(std::string_view text) {
  std::string result;
  constexpr std::string_view begin = "\\begin{", end = "\\end{";
  const auto behind = [&](std::string_view closing, std::size_t start) {
    const auto at = text.find_first_of(closing, start);
    return at == std::string_view::npos ? at : at + 1;
  };
  std::size_t from = 0;
  for (auto at = text.find(begin); at != std::string_view::npos; at = text.find(begin, from)) {
    std::string_view name = trimmed(text.substr(from, at - from), " \t\r\n=:$&[]()\\");
    name = name.substr(name.find_last_of("\n") == std::string_view::npos ? 0 : name.find_last_of("\n") + 1);
    const auto stop = text.find(end, at);
    if (stop == std::string_view::npos) return std::nullopt;
    std::size_t inside = behind("}", at);
    while (inside < stop && (text[inside] == '{' || text[inside] == '[')) inside = behind("}]", inside);
    if (inside > stop) return std::nullopt;
    std::string body(text.substr(inside, stop - inside));
    for (const std::string_view line : {"\\hline", "\\toprule", "\\midrule", "\\bottomrule", "\n"})
      body = replaced(body, line, " ");
    WordTable table;
    for (std::size_t row = 0; row < body.size();) {
      const auto next = std::min(body.find("\\\\", row), body.size());
      const std::string_view line = trimmed(std::string_view(body).substr(row, next - row), line_blanks);
      if (!line.empty()) table.push_back(cells_of(line, '&'));
      row = next + 2;
    }
    const bool has_heading = !table.empty() && !is_numeral(table.front().back());
    const auto rows = numbers_of(table, has_heading);
    if (!rows) return std::nullopt;
    result += fmt::format("{} = {}\n", name, matrix_text(*rows));
    from = std::min(text.find('}', stop), text.size() - 1) + 1;
  }
  return result.empty() ? std::nullopt : std::optional(result);
}

/// A heading, and below it lines with one word more, their label, as pandas and R print tables. A wide one goes on with
/// more columns below.
std::optional<std::string> labelled_text(std::string_view text) {
  Rows rows;
  Words labels;
  std::size_t columns = 0, row = 0;
  std::string name;
  for (const std::string_view full : split_at(text, '\n')) {
    const std::string_view line = trimmed(full, " \t\r\\");
    const bool is_summary = line.starts_with('[') && line.ends_with("columns]");
    if (line.empty() || is_summary) continue;
    Words words = words_in(line);
    const bool is_row = columns > 0 && words.size() == columns + 1 && are_numerals({words.begin() + 1, words.end()});
    if (!is_row) {
      if (columns > 0 && rows.empty()) return std::nullopt;  // two headings
      if (columns > 0 && row != rows.size()) return std::nullopt;
      columns = words.size();
      row = 0;
      continue;
    }
    if (row == rows.size() && labels.size() == rows.size()) {
      rows.emplace_back();
      labels.push_back(words.front());
    }
    if (row >= rows.size() || labels[row] != words.front()) return std::nullopt;
    words.erase(words.begin());
    const auto more = numerals(words);
    rows[row].insert(rows[row].end(), more.begin(), more.end());
    ++row;
  }
  if (rows.empty() || row != rows.size()) return std::nullopt;
  return " = " + matrix_text(rows) + "\n";
}

/// Whether the words above the first line with a label are one fewer than its own, as in a table with a heading.
bool has_labels_and_heading(std::string_view text) {
  std::vector<Words> lines;
  for (const std::string_view line : split_at(text, '\n'))
    if (Words words = words_in(trimmed(line, " \t\r\\")); !words.empty() && lines.size() < 2)
      lines.push_back(std::move(words));
  return lines.size() == 2 && lines[1].size() == lines[0].size() + 1;
}

// --- Other spellings -------------------------------------------------------------------------------------------------

/// "{{1., 2.*^-3}}" of Mathematica -> "[[1., 2.e-3]]"
std::string with_square_brackets(std::string_view text) {
  std::string result = replaced(text, "*^", "e");
  std::ranges::replace(result, '{', '[');
  std::ranges::replace(result, '}', ']');
  return result;
}

/// "[1 2; 3 4]" of MATLAB and Julia -> "[[1 2], [3 4]]"
std::string with_rows(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto open = text.find('[', at),
               close = open == std::string_view::npos ? open : text.find_first_of("[]", open + 1);
    const bool has_rows = close != std::string_view::npos && text[close] == ']' &&
                          text.substr(open, close - open).find(';') != std::string_view::npos;
    const std::size_t end = open == std::string_view::npos ? text.size() : has_rows ? close + 1 : open + 1;
    if (has_rows)
      result += std::string(text.substr(at, open - at)) + "[[" +
                replaced(trimmed(text.substr(open + 1, close - open - 1), " \t\r\n;"), ";", "], [") + "]]";
    else result += text.substr(at, end - at);
    at = end;
  }
  return result;
}

/// Whether the text has numbers, and each is a share in percent.
bool is_in_percent(std::string_view text) {
  constexpr std::string_view between = " \t\r\n,;|&[](){}";
  bool any = false;
  for (std::size_t at = text.find_first_not_of(between); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const bool is_share = word.ends_with('%') && is_numeral(word.substr(0, word.size() - 1));
    if (!is_share && is_numeral(word)) return false;
    any |= is_share;
    at = text.find_first_not_of(between, end);
  }
  return any;
}

/// Numbers in brackets, or line by line without any, as hundredths.
std::string as_hundredths(std::string text) {
  if (const auto open = text.find('['); open != std::string::npos) return text.insert(open, "0.01 * ");
  std::vector<std::string> rows;
  for (const std::string_view line : split_at(text, '\n'))
    if (const std::string_view own = trimmed(line, " \t\r,"); !own.empty()) rows.push_back(fmt::format("[{}]", own));
  return fmt::format("0.01 * {}\n", rows.size() == 1 ? rows.front() : joined(rows));
}

/// "> 0.5 1.2" of a mail -> "0.5 1.2", if all lines are quoted.
std::string without_quotes(std::string_view text) {
  std::string result;
  for (const std::string_view line : split_at(trimmed(text, " \t\r\n"), '\n')) {
    std::string_view own = trimmed(line, line_blanks);
    if (!own.empty() && (!own.starts_with('>') || own.starts_with(">>"))) return std::string(text);
    if (!own.empty()) own = own.substr(1);
    result += std::string(own) + "\n";
  }
  return result;
}

bool has(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

std::string read_by_kind(std::string_view text) {
  if (has(text, "\\begin{")) return latex_text(text).value_or(std::string(text));
  if (has(text, "|"))
    if (auto table = markdown_text(text)) return *table;
  if (has(text, "{") && !has(text, "[") && !has(text, ":")) return with_square_brackets(text);
  if (auto lines = LineReader().read(text)) return *lines;
  const bool is_plain = !has(text, "[") || has(text, "columns]");
  if (is_plain && has_labels_and_heading(text))
    if (auto table = labelled_text(text)) return *table;
  return has(text, ";") && has(text, "[") ? with_rows(text) : std::string(text);
}

}  // namespace

std::string with_brackets(std::string_view text) {
  const std::string unquoted = without_quotes(text);
  const std::string shares = replaced(replaced(unquoted, "\\%", "%"), " %", "%");
  if (!is_in_percent(shares)) return read_by_kind(unquoted);
  return as_hundredths(read_by_kind(replaced(shares, "%", "")));
}

}  // namespace headlight
