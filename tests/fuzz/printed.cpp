// Printed numbers: every array that is accepted, printed again with every digit, reads back the same, bit for bit.
#include "core/formats/arrays/printed_numbers.hpp"

#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
namespace {

/// The numbers from `next` on as text, in brackets for the axes from `axis` on.
std::string printed(const PrintedNumbers& numbers, int axis, std::size_t& next) {
  if (axis == numbers.shape.rank()) return fmt::format("{}", numbers.values[next++]);
  std::string text = "[";
  for (Index i = 0; i < numbers.shape[axis]; ++i) text += printed(numbers, axis + 1, next) + ' ';
  return text + ']';
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

}  // namespace

void judge(std::string_view bytes) {
  PrintedNumbers numbers;
  try {
    numbers = parse_printed(bytes);
  } catch (const std::invalid_argument& error) {
    require(*error.what() != '\0', "a refusal says what was found");
    return;
  }
  require(numbers.shape.rank() > 0, "numbers have an axis");
  require(numbers.shape.elements() == static_cast<Index>(numbers.values.size()), "numbers fill their shape");
  std::size_t next = 0;
  const PrintedNumbers again = parse_printed(printed(numbers, 0, next));
  require(again.shape == numbers.shape, "a shape is read again as it was printed");
  require(same_bits(again.values, numbers.values), "numbers are read again as they were printed");
}

}  // namespace headlight::fuzz
