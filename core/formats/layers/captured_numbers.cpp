#include "core/formats/layers/captured_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace headlight {

double rounding_of(const Tensor& numbers) {
  constexpr double of_float32 = 1e-3, of_float16 = 5e-3, of_bfloat16 = 4e-2;
  constexpr std::uint32_t beyond_float16 = (1U << 13U) - 1, beyond_bfloat16 = (1U << 16U) - 1;
  if (numbers.precision() != Precision::float32) return of_float32;
  const Tensor flat = numbers.contiguous();
  std::uint32_t bits = 0;
  for (Index i = 0; i < flat.elements(); ++i) bits |= std::bit_cast<std::uint32_t>(flat.data<float>()[i]);
  return (bits & beyond_bfloat16) == 0 ? of_bfloat16 : (bits & beyond_float16) == 0 ? of_float16 : of_float32;
}

double magnitude(const Tensor& tensor) {
  double most = 0;
  const Tensor numbers = tensor.contiguous();
  with_element_type(numbers.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (const T* each = numbers.data<T>(); each != numbers.data<T>() + numbers.elements(); ++each)
      if (std::isfinite(*each)) most = std::max(most, std::abs(static_cast<double>(*each)));
  });
  return most;
}

double difference(const Tensor& ours, const Tensor& theirs) {
  double most = 0;
  const Tensor a = ours.contiguous(), b = theirs.contiguous();
  with_element_type(a.precision(), [&](auto zero_a) {
    using A = decltype(zero_a);
    with_element_type(b.precision(), [&](auto zero_b) {
      using B = decltype(zero_b);
      for (Index i = 0; i < a.elements(); ++i) {
        const auto own = static_cast<double>(a.data<A>()[i]), other = static_cast<double>(b.data<B>()[i]);
        if (std::isnan(other)) continue;
        most = std::isnan(own) ? std::numeric_limits<double>::infinity() : std::max(most, std::abs(own - other));
      }
    });
  });
  return most;
}

}  // namespace headlight
