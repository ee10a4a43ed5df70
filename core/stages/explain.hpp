// How a number is computed and what it is used for, in words: the explanation of any cell, the names of its indices,
// and what the explanations of several operations share.
#pragma once

#include <string>
#include <vector>

#include "core/model/explanation.hpp"
#include "core/model/trace.hpp"
#include "core/stages/table.hpp"

namespace headlight {

/// Explains any cell of any tensor of the trace, which is that of the cell's layer: how its number is computed, and
/// which numbers are computed from it. The terms add up to the value: exactly where there is a single term, otherwise
/// within the rounding error of a sum of that length. Throws InputError if the cell is not in the trace.
Explanation explain(const Trace& trace, const Cell& cell);

/// "sat" over "q2"; features have an index, "d3", and a name only where the setup gives them one.
struct AxisLabel {
  std::string token;  ///< empty where the setup has no name for it
  std::string index;

  const std::string& main() const { return token.empty() ? index : token; }
};
/// What an index on one of the tensor's axes, which are counted from 0, is called.
AxisLabel label_on_axis(TensorId tensor, int axis, Index index, const Setup& setup);
/// A head's name, or "head 3" where the setup names none.
std::string head_words(Index head, const Setup& setup);

// --- For the explanations of operations ------------------------------------------------------------------------------
//
// An operation knows one layer: its own. The cells that it names have none, and explain() puts the layer on all of
// them.

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
Explanation explain_drawn(const Stage& stage, const Trace& trace, const Cell& cell);

/// The explanation of a cell of any product in the table: Σ_n left · right, plus the bias if there is one. The indices
/// follow from the axes of the operands.
Explanation explain_product(const Stage& stage, const Trace& trace, const Cell& cell);

}  // namespace headlight
