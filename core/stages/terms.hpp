// Helpers that the explanations of several stages share.
#pragma once

#include <string>
#include <vector>

#include "core/model/explanation.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The number of a cell of the trace as a factor; it links to the cell.
Factor factor(const Trace& trace, TensorId tensor, const Shape& index);
Factor constant(std::string label, double value);

/// A summand, whose value is the product of its factors.
Term term(std::string label, std::vector<Factor> factors);

/// The letter of an index in a formula: i for rows; key positions are j if the result also has queries.
std::string letter(Axis axis, Axis summed, const TensorInfo& result, const Setup& setup);
/// A tensor with its index letters: "Q_heads[b,h,i,d]"
std::string indexed(TensorId id, Axis summed, const TensorInfo& result, const Setup& setup);

/// An explanation with only `value` and `cell` filled in.
Explanation explanation_of(const Trace& trace, const Cell& cell);

/// The explanation of a cell that is drawn or given: which draw or which value it came from.
Explanation explain_drawn(const Trace& trace, const Cell& cell);

/// The explanation of a cell of any product in the table: Σ_n left · right, plus the bias if there is one. The indices
/// follow from the axes of the operands.
Explanation explain_product(const Trace& trace, const Cell& cell);

}  // namespace headlight
