#include "core/formats/diagnose/printed_arrays.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/formats/arrays/other_printouts.hpp"
#include "core/formats/arrays/printed_numbers.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr int most_exponent = 400;           // of any number that is neither 0 nor infinite in float64
constexpr std::size_t most_arrays = 10'000;  // each takes its time and room, however small

// Digits.

/// The parts of "-1.250e-03" that say how exact it is.
struct Digits {
  bool has_point = false;
  int decimals = 0;  ///< after the point
  int exponent = 0;  ///< not above 0 for a zero: nobody prints one as 0e5, which would stand for all up to 50,000
};

Digits digits_of(std::string_view word) {
  Digits digits;
  const auto e = std::min(word.find_first_of("eE"), word.size());
  const std::string_view mantissa = word.substr(0, e);
  if (const auto point = mantissa.find('.'); point != std::string_view::npos) {
    digits.has_point = true;
    digits.decimals = static_cast<int>(mantissa.size() - point - 1);
  }
  if (e < word.size()) {
    digits.has_point = true;
    std::string_view exponent = word.substr(e + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), digits.exponent);
    const bool is_zero = mantissa.find_first_of("123456789") == std::string_view::npos;
    digits.exponent = std::clamp(digits.exponent, -most_exponent, is_zero ? 0 : most_exponent);
  }
  return digits;
}

/// Not the digits of the name in "np.float64(0.5)".
bool is_number(std::string_view word) {
  return word.starts_with("nan") || word.starts_with("inf") || !std::isalpha(static_cast<unsigned char>(word.front()));
}

/// The numbers of an array as words, in their order.
std::vector<std::string_view> words_of(std::string_view array) {
  constexpr std::string_view between = " \t\r\n,[]()";
  std::vector<std::string_view> words;
  while (true) {
    const auto begin = array.find_first_not_of(between);
    if (begin == std::string_view::npos) return words;
    array.remove_prefix(begin);
    const auto end = std::min(array.find_first_of(between), array.size());
    const std::string_view word = array.substr(0, end);
    if (is_number(word)) words.push_back(word);
    array.remove_prefix(end);
  }
}

/// Half a unit of the last digit of each word; empty if all are whole numbers.
std::vector<double> half_digits_of(const std::vector<std::string_view>& words, double factor) {
  std::vector<Digits> all;
  int decimals = 0;
  bool exact = true;
  for (const std::string_view word : words) {
    all.push_back(digits_of(word));
    decimals = std::max(decimals, all.back().decimals);
    exact &= !all.back().has_point;
  }
  if (exact) return {};
  std::vector<double> halves;
  for (const Digits& digits : all) halves.push_back(0.5 * factor * std::pow(10.0, digits.exponent - decimals));
  return halves;
}

// A printout.

/// One array in a text, with the text before it.
struct Piece {
  std::string_view before;
  std::string_view array;  ///< from its first bracket to its last one
  std::string_view after;  ///< up to the next array
};

/// The place after the bracket that closes the one at `begin`.
std::size_t end_of_array(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0) return i + 1;
  }
  return text.size();
}

/// Whether the bracket is part of a word and opens no array: "weights[0]", "torch.Size([1, 4])", "In [3]:".
bool belongs_to_word(std::string_view text, std::size_t bracket) {
  const std::string_view before = text.substr(0, bracket);
  if (before.ends_with("In ") || before.ends_with("Size(")) return true;
  return !before.empty() && (std::isalnum(static_cast<unsigned char>(before.back())) || before.back() == '_');
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  std::size_t from = 0, at = 0;
  while (true) {
    const auto begin = text.find('[', at);
    if (begin == std::string_view::npos) break;
    at = end_of_array(text, begin);
    if (belongs_to_word(text, begin)) continue;
    if (pieces.size() == most_arrays) throw std::invalid_argument(fmt::format("more than {} arrays", most_arrays));
    pieces.push_back({text.substr(from, begin - from), text.substr(begin, at - begin), {}});
    from = at;
  }
  for (Piece& piece : pieces) {
    const auto end = static_cast<std::size_t>(piece.array.data() + piece.array.size() - text.data());
    piece.after = text.substr(end, std::min(text.find('[', end), text.size()) - end);
  }
  return pieces;
}

/// A type with fewer digits than float32, which rounds numbers before they are printed.
struct ShortType {
  int bits = 0;            ///< of the mantissa
  int least_exponent = 0;  ///< of a normal number
};

/// The type in the end of an array's call: ", dtype=torch.float16)", ", dtype=float16)"; none if it is no short one.
std::optional<ShortType> short_type_in(std::string_view after) {
  const std::string_view start = trimmed(after, blanks);
  if (!start.starts_with(',')) return std::nullopt;
  const std::string_view end_of_call = start.substr(0, start.find(')'));
  const auto says = [&](std::string_view type) { return end_of_call.find(type) != std::string_view::npos; };
  if (says("bfloat16")) return ShortType{7, -126};
  return says("float16") || says("torch.half") ? std::optional(ShortType{10, -14}) : std::nullopt;
}

/// Half the distance between neighbouring numbers of the type: what its rounding may have changed.
double half_step(double value, const ShortType& type) {
  const int exponent = value == 0 || !std::isfinite(value) ? type.least_exponent : std::ilogb(value);
  return std::ldexp(0.5, std::max(exponent, type.least_exponent) - type.bits);
}

/// Takes a factor off the end that PyTorch prints above small numbers, "1e-02 *".
double taken_factor(std::string_view& before) {
  std::string_view rest = trimmed(before, blanks);
  if (!rest.ends_with('*')) return 1;
  rest = trimmed(rest.substr(0, rest.size() - 1), blanks);
  const auto begin = rest.find_last_of(" \t\r\n(") + 1;  // 0 where there is none
  const auto factor = number_from<double>(rest.substr(begin));
  if (!factor || !std::isfinite(*factor) || *factor <= 0) return 1;
  before = rest.substr(0, begin);
  return *factor;
}

/// The text after an array belongs to its call: ", dtype=torch.float64)", ", grad_fn=<AddBackward0>)".
std::string_view without_end_of_call(std::string_view before) {
  const auto start = trimmed(before, blanks);
  if (!start.starts_with(',') && !start.starts_with(')')) return before;
  const auto close = before.find(')');
  if (close == std::string_view::npos) return before;
  return before.substr(close + 1);
}

/// ">>> print(Q)", "In [3]: Q" -> "Q"
std::string_view without_prompt(std::string_view line) {
  constexpr std::string_view call = "print(";
  if (line.starts_with(">>>")) line.remove_prefix(3);
  if (line.starts_with("In [")) line.remove_prefix(std::min(line.find(':') + 1, line.size()));
  line = trimmed(line, blanks);
  if (line.starts_with(call) && line.ends_with(')')) line = line.substr(call.size(), line.size() - call.size() - 1);
  return line;
}

/// "Q shape: (1, 4, 8)", "Q torch.Size([1, 4, 8])" -> "Q"
std::string_view without_shape(std::string_view line) {
  line = trimmed(line, " \t=:");
  const auto open = line.rfind('(');
  if (open == std::string_view::npos || line.find_first_not_of("()[], 0123456789", open) != std::string_view::npos)
    return line;
  line.remove_suffix(line.size() - open);
  for (const std::string_view word : {"torch.Size", "shape"}) {
    line = trimmed(line, " \t=:.");
    if (line.ends_with(word)) line.remove_suffix(word.size());
  }
  return trimmed(line, " \t=:.");
}

/// "Q =", "attn weights: tensor(" -> "Q", "attn weights"; the last line that is not empty, but for IPython's "Out[3]:".
std::string name_in(std::string_view before) {
  std::string_view line;
  do {
    line = trimmed(without_end_of_call(before), blanks);
    for (const std::string_view call : {"torch.tensor(", "np.array(", "tensor(", "array("}) {
      if (!line.ends_with(call)) continue;
      line = trimmed(line.substr(0, line.size() - call.size()), blanks);
      break;
    }
    const auto end = line.rfind('\n');
    if (end == std::string_view::npos) break;
    before = line.substr(0, end);
    line = trimmed(line.substr(end + 1), blanks);
  } while (line.starts_with("Out["));
  return std::string(trimmed(without_shape(without_prompt(line)), " \t=:'\"`,{"));
}

GivenArray array_of(std::string name, std::string_view text, double factor = 1,
                    const std::optional<ShortType>& type = {}) {
  PrintedNumbers numbers = parse_printed(text);
  // A factor is printed for the largest number, so that it says how exact zeros are only beside one that needs it.
  const bool needs_factor = std::ranges::any_of(numbers.values, [](double value) { return std::abs(value) >= 1; });
  std::vector<double> halves = half_digits_of(words_of(text), needs_factor ? factor : std::min(factor, 1.0));
  for (double& value : numbers.values) value *= factor;
  if (type) {
    halves.resize(numbers.values.size(), 0);
    for (std::size_t i = 0; i < halves.size(); ++i) halves[i] += half_step(numbers.values[i], *type);
  }
  GivenArray array{std::move(name), tensor_of(numbers.shape, numbers.values), {}};
  if (halves.size() == numbers.values.size()) array.half_digits = tensor_of(numbers.shape, halves);
  return array;
}

}  // namespace

std::vector<GivenArray> parse_printed_arrays(std::string_view printed) {
  const std::string text = with_brackets(printed);
  std::vector<GivenArray> arrays;
  for (Piece& piece : pieces_of(text)) {
    const double factor = taken_factor(piece.before);
    arrays.push_back(array_of(name_in(piece.before), piece.array, factor, short_type_in(piece.after)));
  }
  if (arrays.empty()) arrays.push_back(array_of("", plain_table(text)));
  return arrays;
}

}  // namespace headlight
