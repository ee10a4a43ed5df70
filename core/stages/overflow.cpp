#include "core/stages/overflow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/model/mask.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double largest_of(Precision precision) {
  return precision == Precision::float32 ? static_cast<double>(std::numeric_limits<float>::max())
                                         : std::numeric_limits<double>::max();
}

std::string_view name_of(Precision precision) { return precision == Precision::float32 ? "float32" : "float64"; }

/// The largest size among the numbers; infinite where any is infinite or NaN.
double largest_in(const Tensor& tensor) {
  const Tensor rows = tensor.contiguous();
  return with_element_type(rows.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* const from = rows.data<T>();
    T largest = 0;
    bool finite = true;
    for (Index i = 0; i < rows.elements(); ++i) {
      const T size = std::abs(from[i]);
      largest = size > largest ? size : largest;
      finite &= size <= std::numeric_limits<T>::max();
    }
    return finite ? static_cast<double>(largest) : infinity;
  });
}

/// The numbers of the tensor that are not finite, but for the −∞ of the mask.
Overflow overflow_of(TensorId id, const Trace& trace) {
  const Tensor& tensor = trace[id];
  const Mask mask(trace.setup);
  const auto is_masked = [&](const Shape& at) {
    return info(id).hides_as_infinity() && !mask.visible(at[0], at[2], at[3]);
  };
  Overflow overflow;
  Shape index = tensor.shape();
  for (int axis = 0; axis < index.rank(); ++axis) index[axis] = 0;
  do {
    const double value = tensor.at({index.begin(), index.end()});
    if (std::isfinite(value) || (value < 0 && is_masked(index))) continue;
    if (overflow.numbers++ == 0) overflow = {{id, index}, value, 1};
  } while (advance(index, tensor.shape()));
  return overflow;
}

/// The numbers of a norm's result that were divided by infinity.
Overflow infinite_divisors(const Stage& stage, const Trace& trace) {
  const TensorId id = stage.result;
  Overflow overflow;
  overflow.is_divisor = true;
  Shape index = trace[id].shape();
  const Index width = index.back(0);
  for (int axis = 0; axis < index.rank(); ++axis) index[axis] = 0;
  do {
    if (index.back(0) != 0) continue;  // a row has one divisor
    const double divisor = stage.divisor(trace, {id, index});
    if (std::isfinite(divisor)) continue;
    if (overflow.numbers == 0) overflow.first = {id, index}, overflow.value = divisor;
    overflow.numbers += width;
  } while (advance(index, trace[id].shape()));
  return overflow;
}

/// No number of the tensor is larger than this, by the sizes of what it is made of. Infinite if that does not tell.
class Bounds {
 public:
  explicit Bounds(const Trace& trace) : trace_(trace) {}

  /// Whether all numbers of the stage's result are finite.
  bool is_finite(const Stage& stage) {
    const Tensor& tensor = trace_[stage.result];
    double& bound = bounds_[index_of(stage.result)];
    const bool is_from_below = stage.result == TensorId::X && !trace_.setup.is_first();
    if (is_window(stage.result, trace_.setup) && !is_from_below) {
      bound = of(operand_at(stage, Operand::Slot::left, trace_.setup));
      return true;
    }
    const bool between_queries_and_keys = info(stage.result).has(Axis::query) && info(stage.result).has(Axis::key);
    bound = between_queries_and_keys ? bound_of(stage) : largest_in(tensor);
    // Half of what there is room for, because sums are rounded.
    if (between_queries_and_keys && !(bound < largest_of(tensor.precision()) / 2)) bound = largest_in(tensor);
    return bound < infinity;
  }

  /// Whether the squares of what a norm reads may be too large to be added.
  bool may_overflow_squared(const Stage& stage) const {
    const double largest = of(operand_at(stage, Operand::Slot::left, trace_.setup));
    const auto count = static_cast<double>(trace_[stage.result].elements());
    return !(largest * largest * count <
             largest_of(Precision::float64) / 4);  // less the mean, it may be twice as large
  }

 private:
  double of(const Operand* operand) const { return operand == nullptr ? 0 : bounds_[index_of(operand->tensor)]; }

  /// Where queries meet keys.
  double bound_of(const Stage& stage) const {
    const Setup& setup = trace_.setup;
    const double left = of(operand_at(stage, Operand::Slot::left, setup));
    const double added = of(operand_at(stage, Operand::Slot::added, setup));
    switch (stage.kind) {
      case StageKind::product:
        return static_cast<double>(extent(summed_axis(stage, setup), setup)) * left *
                   of(operand_at(stage, Operand::Slot::right, setup)) +
               added;
      case StageKind::elementwise:
        return stage.result == TensorId::scores ? left * std::abs(setup.score_factor()) + added : left;
      case StageKind::rowwise: return 1;
      case StageKind::given: return static_cast<double>(setup.key_length() + setup.sizes.query_length);
      default: return infinity;
    }
  }

  const Trace& trace_;
  std::array<double, tensor_count> bounds_{};
};

}  // namespace

std::optional<Overflow> overflow_in(const Trace& trace) {
  Bounds bounds(trace);
  for (const Stage& stage : stages()) {
    if (!trace.has(stage.result)) continue;
    Overflow overflow;
    if (!bounds.is_finite(stage)) overflow = overflow_of(stage.result, trace);
    else if (stage.kind == StageKind::norm && bounds.may_overflow_squared(stage))
      overflow = infinite_divisors(stage, trace);
    if (overflow.numbers == 0) continue;
    overflow.first.layer = trace.setup.layer;
    return overflow;
  }
  return std::nullopt;
}

namespace {

std::string too_large_squares() {
  return fmt::format("the sum of the squares is larger than float64 holds, {:.2g}", largest_of(Precision::float64));
}

}  // namespace

std::string words_of(const Overflow& overflow, const Trace& trace) {
  const TensorId id = overflow.first.tensor;
  const Tensor& tensor = trace[id];
  if (overflow.is_divisor)
    return fmt::format("{} of {} numbers of {} are divided by {}, first {}: {}", overflow.numbers, tensor.elements(),
                       name(id), overflow.value, to_string(overflow.first), too_large_squares());
  const bool is_one = overflow.numbers == 1;
  return fmt::format("{} of {} numbers of {} {} not finite, first {} = {}: {} holds numbers up to {:.2g}",
                     overflow.numbers, tensor.elements(), name(id), is_one ? "is" : "are", to_string(overflow.first),
                     overflow.value, name_of(tensor.precision()), largest_of(tensor.precision()));
}

bool is_hidden(const Trace& trace, const Cell& cell) {
  return !Mask(trace.setup).visible(cell.index[0], cell.index[2], cell.index[3]);
}

std::string note_of_overflow(const Trace& trace, const Cell& cell) {
  const double value = trace.number(cell);
  if (std::isfinite(value)) return std::isinf(stage_of(cell.tensor).divisor(trace, cell)) ? too_large_squares() : "";
  if (value < 0 && info(cell.tensor).hides_as_infinity() && is_hidden(trace, cell)) return {};
  const Precision precision = trace[cell.tensor].precision();
  if (std::isinf(value))
    return fmt::format("too large for {}, which holds numbers up to {:.2g}", name_of(precision), largest_of(precision));
  const auto overflow = overflow_in(trace);
  const std::string where = overflow && (overflow->first.tensor != cell.tensor || overflow->first.index != cell.index)
                                ? fmt::format("; the first of them are in {}", name(overflow->first.tensor))
                                : std::string();
  return fmt::format("no number (NaN): it is made of numbers too large for {}{}", name_of(precision), where);
}

}  // namespace headlight
