#include "core/diagnose/arrays/digits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

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

/// The distance to the next number of the type; 0 of zero and of what is not finite.
double unit_of(double number, const Format& format) {
  if (number == 0 || !std::isfinite(number)) return 0;
  return std::ldexp(1.0, std::max(std::ilogb(number), format.least_exponent) - format.bits + 1);
}

/// To the nearest, ties to even.
double rounded(double number, const Format& format) {
  const double unit = unit_of(number, format);
  if (unit == 0) return number;
  const double nearest = std::nearbyint(number / unit) * unit;
  return std::abs(nearest) > format.largest ? std::copysign(std::numeric_limits<double>::infinity(), number) : nearest;
}

/// How many numbers use the last bits of a type, if all of them are of the type.
struct Telling {
  Index fine = 0;
  Index coarse = 0;  ///< those that use few bits, but not zeros and powers of two
};
std::optional<Telling> telling(const Tensor& numbers, Digits digits) {
  const Tensor all = converted(numbers, Precision::float64);
  const Format format = format_of(digits), coarser{format.bits - 3, format.least_exponent, format.largest};
  Telling found;
  for (Index i = 0; i < all.elements(); ++i) {
    const double number = all.data<double>()[i];
    if (!std::isfinite(number)) continue;
    if (rounded(number, format) != number) return std::nullopt;
    int exponent = 0;
    if (rounded(number, coarser) != number) ++found.fine;
    else if (std::abs(std::frexp(number, &exponent)) != 0.5 && number != 0) ++found.coarse;
  }
  return found;
}

}  // namespace

std::string_view name_of(Digits digits) {
  constexpr std::array<std::string_view, 4> names{"float64", "float32", "float16", "bfloat16"};
  return names[static_cast<std::size_t>(digits)];
}

double epsilon_of(Digits digits) { return std::ldexp(1.0, 1 - format_of(digits).bits); }

std::optional<Digits> half_of(std::span<const Tensor> tensors) {
  for (const Digits digits : {Digits::bfloat16, Digits::float16}) {
    Telling all;
    for (const Tensor& tensor : tensors) {
      const auto found = telling(tensor, digits);
      if (!found) continue;
      all.fine += found->fine;
      all.coarse += found->coarse;
    }
    if (all.fine >= 3 && all.fine >= all.coarse) return digits;
  }
  return std::nullopt;
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

Tensor ChanceRounding::operator()(const Tensor& tensor) {
  const Format format = format_of(digits_);
  std::uniform_real_distribution<double> chance;
  const Tensor from = tensor.contiguous();
  Tensor result = Tensor::uninitialized(from.precision(), from.shape());
  with_element_type(from.precision(), [&](auto zero) {
    using T = decltype(zero);
    std::transform(from.data<T>(), from.data<T>() + from.elements(), result.writable<T>(), [&](T number) {
      const double unit = unit_of(static_cast<double>(number), format);
      if (unit == 0) return number;
      return static_cast<T>(std::floor(static_cast<double>(number) / unit + chance(random_)) * unit);
    });
  });
  return result;
}

SeenRounding::SeenRounding(const Tensor& exact)
    : exact_(converted(exact, Precision::float64)), squares_(Tensor::zeros(Precision::float64, exact.shape())) {}

void SeenRounding::add(const Tensor& rounded) {
  const Tensor from = converted(rounded, Precision::float64);
  runs_ += 1;
  for (Index i = 0; i < exact_.elements(); ++i) {
    const double moved = from.data<double>()[i] - exact_.data<double>()[i];
    if (std::isfinite(moved)) squares_.writable<double>()[i] += moved * moved;
  }
}

Rounding SeenRounding::rounding() const {
  // What few runs show of a number is made steadier by what they show of its neighbours.
  constexpr double runs_of_row = 2;
  const Index columns = exact_.shape().rank() == 0 ? 1 : std::max<Index>(exact_.shape().back(0), 1);
  Tensor spread = Tensor::uninitialized(Precision::float64, exact_.shape());
  double largest = 0;
  for (Index row = 0; row < exact_.elements() / columns; ++row) {
    const double* const of_row = squares_.data<double>() + row * columns;
    const double mean = std::accumulate(of_row, of_row + columns, 0.0) / static_cast<double>(columns) / runs_;
    for (Index i = 0; i < columns; ++i) {
      double& each = spread.writable<double>()[row * columns + i];
      each = std::sqrt((of_row[i] + runs_of_row * mean) / (runs_ + runs_of_row));
      largest = std::max(largest, each);
    }
  }
  return {4 * largest, std::move(spread)};
}

int runs_that_round(const Setup& setup) {
  constexpr Index large = Index{1} << 18;
  return shape(TensorId::weights, setup).elements() > large ? 3 : 16;
}

namespace {

/// How far the finite numbers of a tensor reach from 0, or from those of another one.
double reach(const Tensor& tensor, const Tensor* from = nullptr) {
  const Tensor a = converted(tensor, Precision::float64).contiguous();
  const Tensor b = from == nullptr ? Tensor{} : converted(*from, Precision::float64).contiguous();
  double largest = 0;
  for (Index i = 0; i < a.elements(); ++i) {
    const double distance = std::abs(a.data<double>()[i] - (b.empty() ? 0 : b.data<double>()[i]));
    if (std::isfinite(distance)) largest = std::max(largest, distance);
  }
  return largest;
}

/// A bound adds up the worst of every step. Where that is so wide that a mistake would pass, as after large scores that
/// are capped, the forward pass runs once more in the other precision: a bound is then many times what that moves.
void tighten(Roundings& roundings, const Trace& ours, Workspace& workspace) {
  constexpr double too_wide = 1e-4, many = 50, least_share = 1e-3;
  const Setup& setup = ours.setup;
  const auto is_forward = [&](TensorId id) { return exists(id, setup) && !is_gradient(id); };
  const auto is_too_wide = [&](const TensorInfo& tensor) {
    return is_forward(tensor.id) && !(roundings[index_of(tensor.id)].bound <= too_wide * reach(ours[tensor.id]));
  };
  if (setup.has_task() || setup.has_attention_alone() || std::ranges::none_of(all_tensors(), is_too_wide)) return;
  Trace other = ours;
  const bool is_single = setup.attention.precision == Precision::float32;
  other.setup.attention.precision = is_single ? Precision::float64 : Precision::float32;
  for (const TensorInfo& tensor : all_tensors()) {
    if (!is_forward(tensor.id)) continue;
    if (is_drawn(tensor.id, setup)) other[tensor.id] = converted(ours[tensor.id], other.setup.attention.precision);
    else run_stage(other, tensor.id, workspace);
    double& bound = roundings[index_of(tensor.id)].bound;
    const double seen = std::max(many * reach(ours[tensor.id], &other[tensor.id]), least_share * bound);
    bound = std::min(bound, seen);
  }
}

}  // namespace

Roundings roundings_of(const Trace& ours, Digits digits, Workspace& workspace) {
  Roundings roundings{};
  if (!is_half(digits)) {
    Errors errors{};
    for (const TensorInfo& tensor : all_tensors()) {
      const std::size_t i = index_of(tensor.id);
      if (exists(tensor.id, ours.setup)) errors[i] = rounding_of(ours, tensor.id, errors, epsilon_of(digits));
      roundings[i].bound = errors[i];
    }
    if (digits == Digits::float32) tighten(roundings, ours, workspace);
    return roundings;
  }
  std::array<std::optional<SeenRounding>, tensor_count> seen;
  for (const TensorInfo& tensor : all_tensors())
    if (exists(tensor.id, ours.setup)) seen[index_of(tensor.id)].emplace(ours[tensor.id]);
  for (int run = 0; run < runs_that_round(ours.setup); ++run) {
    Trace coarse = ours;
    ChanceRounding round(digits, static_cast<std::uint64_t>(run));
    for (const TensorInfo& tensor : all_tensors()) {
      if (!exists(tensor.id, ours.setup)) continue;
      if (!is_drawn(tensor.id, ours.setup)) run_stage(coarse, tensor.id, workspace);
      coarse[tensor.id] = round(coarse[tensor.id]);
      seen[index_of(tensor.id)]->add(coarse[tensor.id]);
    }
  }
  for (const TensorInfo& tensor : all_tensors())
    if (exists(tensor.id, ours.setup)) roundings[index_of(tensor.id)] = seen[index_of(tensor.id)]->rounding();
  return roundings;
}

}  // namespace headlight
