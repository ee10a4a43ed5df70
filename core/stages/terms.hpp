// What the explanations of different stages share.
#pragma once

#include <string>
#include <vector>

#include "core/model/explanation.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The number of a cell of the trace, as a factor that links there.
Factor factor(const Trace& trace, TensorId tensor, const Shape& index);
Factor constant(std::string label, double value);

/// A summand: the product of its factors.
Term term(std::string label, std::vector<Factor> factors);

/// A cell whose explanation is yet to be filled in: `value` and `cell` are set.
Explanation explanation_of(const Trace& trace, const Cell& cell);

/// The explanation of a cell of any product of the table: Σ_n left · right, and what is added, with the indices that
/// the axes of the operands give.
Explanation explain_product(const Trace& trace, const Cell& cell);

}  // namespace headlight
