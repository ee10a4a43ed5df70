#include "core/diagnose/rounding.hpp"

#include <algorithm>
#include <cmath>

#include "core/compute/matrices.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

/// The longest row (or column) of all matrices of a tensor, by its 2-norm.
double longest(const Tensor& tensor, bool columns) {
  const Shape& shape = tensor.shape();
  const Index a_count = shape.rank() >= 3 ? shape[0] : 1, b_count = shape.rank() == 4 ? shape[1] : 1;
  double result = 0;
  with_element_type(tensor.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index a = 0; a < a_count; ++a) {
      for (Index b = 0; b < b_count; ++b) {
        const auto all = matrix<T>(tensor, a, b);
        const T norm = columns ? all.colwise().norm().maxCoeff() : all.rowwise().norm().maxCoeff();
        result = std::max(result, static_cast<double>(norm));
      }
    }
  });
  return result;
}

double largest(const Tensor& tensor) {
  const Tensor flat = tensor.contiguous();
  return with_element_type(flat.precision(), [&](auto zero) {
    using T = decltype(zero);
    return flat.elements() == 0 ? 0.0 : static_cast<double>(numbers(flat.data<T>(), flat.elements()).abs().maxCoeff());
  });
}

/// How far an error of the left operand moves the product. The shares of a row cannot all be off by as much: what some
/// gain the others lose, in all no more than four times what one may be off.
double error_through(const Trace& trace, const Operand& left, const Operand& right, double left_error, double length) {
  if (!info(left.tensor).probability) return left_error * length;
  return left_error * std::min(length, 4 * largest(trace[right.tensor]));
}

double longest_factor(const Trace& trace, const Operand& operand) {
  // Rows that sum to 1 are no longer than 1; dropout lengthens them.
  if (info(operand.tensor).probability) return 1 / (1 - trace.setup.attention.dropout);
  return longest(trace[operand.tensor], operand.slot == Operand::Slot::right && !operand.transposed);
}

double error(const Errors& errors, const Operand& operand) { return errors[index_of(operand.tensor)]; }

double error_of_product(const Trace& trace, const Stage& stage, const Errors& errors, double epsilon) {
  const Operand left = *operand_at(stage, Operand::Slot::left, trace.setup);
  const Operand right = *operand_at(stage, Operand::Slot::right, trace.setup);
  const double a = longest_factor(trace, left), b = longest_factor(trace, right);
  const double terms = static_cast<double>(trace[left.tensor].shape().back(0));
  const double own = (2 + std::sqrt(terms) / 2) * epsilon * a * b;
  return error_through(trace, left, right, error(errors, left), b) + a * error(errors, right) + own;
}

}  // namespace

double rounding_of(const Trace& trace, TensorId result, const Errors& errors, double epsilon) {
  const Stage& stage = stage_of(result);
  if (stage.operands.empty()) return 0;  // drawn, or given by the setup
  // Losses and gradients are compared without an allowance: they are as large as the numbers that they are computed
  // from.
  if (stage.kind == StageKind::reduced || stage.kind == StageKind::gradient) return 0;
  if (stage.kind == StageKind::product) return error_of_product(trace, stage, errors, epsilon);
  double before = error(errors, *operand_at(stage, Operand::Slot::left, trace.setup));
  if (stage.kind == StageKind::rowwise) return std::min(1.0, before / 2 + 4 * epsilon);
  if (stage.kind == StageKind::rotation) return std::sqrt(2.0) * before + 2 * epsilon * largest(trace[result]);
  if (result == TensorId::scores) before *= std::abs(trace.setup.score_factor());
  if (const auto added = operand_at(stage, Operand::Slot::added, trace.setup)) return before + error(errors, *added);
  if (result == TensorId::dropped_weights) return before / (1 - trace.setup.attention.dropout);
  return before;
}

}  // namespace headlight
