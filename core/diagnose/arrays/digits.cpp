#include "core/diagnose/arrays/digits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// A binary floating-point type.
struct Format {
  int bits = 53;               ///< of a number, with the leading one
  int least_exponent = -1022;  ///< of a normal number
  double largest = std::numeric_limits<double>::max();
};

Format format_of(Digits digits) {
  switch (digits) {
    case Digits::float16: return {11, -14, 65504};
    case Digits::bfloat16: return {8, -126, 3.3895313892515355e38};
    case Digits::float32: return {24, -126, std::numeric_limits<float>::max()};
    case Digits::float64: break;
  }
  return {};
}

/// To the nearest, ties to even.
double rounded(double number, const Format& format) {
  if (number == 0 || !std::isfinite(number)) return number;
  const int exponent = std::max(std::ilogb(number), format.least_exponent);
  const double unit = std::ldexp(1.0, exponent - format.bits + 1);
  const double nearest = std::nearbyint(number / unit) * unit;
  return std::abs(nearest) > format.largest ? std::copysign(std::numeric_limits<double>::infinity(), number) : nearest;
}

/// Whether all numbers are of the type, and some of them use its last bits, so that it is no accident.
bool are_all(const Tensor& numbers, Digits digits) {
  const Format format = format_of(digits), coarser{format.bits - 3, format.least_exponent, format.largest};
  const double* const first = numbers.data<double>();
  Index fine = 0;
  for (Index i = 0; i < numbers.elements(); ++i) {
    if (!std::isfinite(first[i])) continue;
    if (rounded(first[i], format) != first[i]) return false;
    fine += rounded(first[i], coarser) != first[i];
  }
  return fine >= 4 && fine * 4 >= numbers.elements();
}

}  // namespace

std::string_view name_of(Digits digits) {
  constexpr std::array<std::string_view, 4> names{"float64", "float32", "float16", "bfloat16"};
  return names[static_cast<std::size_t>(digits)];
}

double epsilon_of(Digits digits) { return std::ldexp(1.0, 1 - format_of(digits).bits); }

Digits digits_of(const Tensor& numbers) {
  const Tensor all = converted(numbers, Precision::float64);
  if (are_all(all, Digits::bfloat16)) return Digits::bfloat16;
  if (are_all(all, Digits::float16)) return Digits::float16;
  return numbers.precision() == Precision::float32 ? Digits::float32 : Digits::float64;
}

Tensor rounded_to(const Tensor& tensor, Digits digits) {
  const Format format = format_of(digits);
  const Tensor from = tensor.contiguous();
  Tensor result = Tensor::uninitialized(from.precision(), from.shape());
  with_element_type(from.precision(), [&](auto zero) {
    using T = decltype(zero);
    std::transform(from.data<T>(), from.data<T>() + from.elements(), result.writable<T>(),
                   [&](T number) { return static_cast<T>(rounded(static_cast<double>(number), format)); });
  });
  return result;
}

double rounding_seen(const Tensor& exact, const Tensor& rounded, Digits digits) {
  const Tensor a = converted(exact, Precision::float64), b = converted(rounded, Precision::float64);
  double moved = 0, largest = 0;
  for (Index i = 0; i < a.elements(); ++i) {
    const double x = a.data<double>()[i], y = b.data<double>()[i];
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    moved = std::max(moved, std::abs(x - y));
    largest = std::max(largest, std::abs(x));
  }
  return 8 * moved + epsilon_of(digits) * largest;
}

Errors rounding_errors(const Trace& ours, Digits digits, Workspace& workspace) {
  Errors errors{};
  Trace coarse = is_half(digits) ? ours : Trace{};
  for (const TensorInfo& tensor : all_tensors()) {
    const std::size_t i = index_of(tensor.id);
    if (!exists(tensor.id, ours.setup)) continue;
    if (!is_half(digits)) {
      errors[i] = rounding_of(ours, tensor.id, errors, epsilon_of(digits));
      continue;
    }
    if (!is_drawn(tensor.id, ours.setup)) run_stage(coarse, tensor.id, workspace);
    coarse[tensor.id] = rounded_to(coarse[tensor.id], digits);
    errors[i] = rounding_seen(ours[tensor.id], coarse[tensor.id], digits);
  }
  return errors;
}

}  // namespace headlight
