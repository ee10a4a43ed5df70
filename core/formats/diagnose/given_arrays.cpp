#include "core/formats/diagnose/given_arrays.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "core/formats/arrays/npz.hpp"
#include "core/formats/arrays/printed_numbers.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "core/text/trimmed.hpp"

namespace headlight {
namespace {

constexpr std::string_view blanks = " \t\r\n";

// Digits.

/// The parts of "-1.250e-03" that say how exact it is.
struct Digits {
  bool has_point = false;
  int decimals = 0;  ///< after the point
  int exponent = 0;
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
  }
  return digits;
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
    words.push_back(array.substr(0, end));
    array.remove_prefix(end);
  }
}

/// Half a unit of the last digit of each word; empty if all are whole numbers.
std::vector<double> half_digits_of(const std::vector<std::string_view>& words) {
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
  for (const Digits& digits : all) halves.push_back(0.5 * std::pow(10.0, digits.exponent - decimals));
  return halves;
}

Tensor tensor_of(const Shape& shape, const std::vector<double>& values) {
  Tensor tensor = Tensor::uninitialized(Precision::float64, shape);
  std::ranges::copy(values, tensor.writable<double>());
  return tensor;
}

// A printout.

/// One array in a text, with the text before it.
struct Piece {
  std::string_view before;
  std::string_view array;  ///< from its first bracket to its last one
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

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  std::size_t at = 0;
  while (true) {
    const auto begin = text.find('[', at);
    if (begin == std::string_view::npos) return pieces;
    const auto end = end_of_array(text, begin);
    pieces.push_back({text.substr(at, begin - at), text.substr(begin, end - begin)});
    at = end;
  }
}

/// What stands after an array belongs to its call: ", dtype=torch.float64)", ", grad_fn=<AddBackward0>)".
std::string_view without_end_of_call(std::string_view before) {
  const auto start = trimmed(before, blanks);
  if (!start.starts_with(',') && !start.starts_with(')')) return before;
  const auto close = before.find(')');
  if (close == std::string_view::npos) return before;
  return before.substr(close + 1);
}

/// "Q =", "attn weights: tensor(" -> "Q", "attn weights"; the last line that is not empty.
std::string name_in(std::string_view before) {
  std::string_view line = trimmed(without_end_of_call(before), blanks);
  for (const std::string_view call : {"torch.tensor(", "np.array(", "tensor(", "array("}) {
    if (!line.ends_with(call)) continue;
    line = trimmed(line.substr(0, line.size() - call.size()), blanks);
    break;
  }
  if (const auto end = line.rfind('\n'); end != std::string_view::npos) line = trimmed(line.substr(end + 1), blanks);
  return std::string(trimmed(line, " \t=:'\"`,{"));
}

GivenArray array_of(std::string name, std::string_view text) {
  const PrintedNumbers numbers = parse_printed(text);
  const std::vector<double> halves = half_digits_of(words_of(text));
  GivenArray array{std::move(name), tensor_of(numbers.shape, numbers.values), {}};
  if (halves.size() == numbers.values.size()) array.half_digits = tensor_of(numbers.shape, halves);
  return array;
}

std::vector<GivenArray> read_printout(const std::filesystem::path& path) {
  try {
    return parse_printed_arrays(read_text(path));
  } catch (const std::invalid_argument& error) {
    throw InputError({path.string(), "", error.what(),
                      "an npz or npy file, or numbers as NumPy or PyTorch print them, whole (no \"...\")"});
  }
}

std::string first_bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 6> bytes{};
  file.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(file.gcount())};
}

}  // namespace

std::vector<GivenArray> parse_printed_arrays(std::string_view text) {
  std::vector<GivenArray> arrays;
  for (const Piece& piece : pieces_of(text)) arrays.push_back(array_of(name_in(piece.before), piece.array));
  if (arrays.empty()) arrays.push_back(array_of("", text));
  return arrays;
}

std::vector<GivenArray> read_given_arrays(const std::filesystem::path& path, std::int64_t limit) {
  const std::string start = first_bytes_of(path);
  std::vector<GivenArray> arrays;
  if (start.starts_with("PK")) {
    for (NamedTensor& named : read_npz(path, limit)) arrays.push_back({named.name, named.tensor, {}});
  } else if (start == "\x93NUMPY") {
    arrays.push_back({"", read_npy(path, limit), {}});
  } else {
    arrays = read_printout(path);
  }
  if (arrays.size() == 1 && arrays.front().name.empty()) arrays.front().name = path.stem().string();
  return arrays;
}

}  // namespace headlight
