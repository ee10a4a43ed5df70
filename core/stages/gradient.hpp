// The backward pass: the gradient of every tensor, derived from the stages that read it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/model/setup.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/graph.hpp"

namespace headlight {

/// The stages that make the gradients of all tensors that a stage reads. `forward` holds the stages of the forward
/// pass.
std::vector<Stage> make_gradient_stages(std::span<const Stage> forward);

/// A new tensor in the shape of `tensor`, with its axes in the same order in memory: where heads are columns of another
/// tensor, their gradients are too, and joining them needs no copy.
Tensor laid_out_like(const Tensor& tensor, Workspace& workspace);

/// Σ over the batch: (batch, ...) -> (...). The gradient of what every batch item shares.
Tensor sum_over_batch(const Tensor& gradient, Workspace& workspace);

/// Explains the gradient of a cell by the chain rule: a term for every cell of the result that is made with it. A
/// term is the gradient of that cell, times `factors(result cell)`, which are the factors of ∂result/∂cell. `symbols`
/// writes these in the formula: " · K_heads[b,h,j,d]".
template <class Factors>
void explain_by_chain_rule(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell,
                           std::string_view symbols, Factors&& factors);

/// The same if the result changes as much as the cell: ∂result/∂cell is 1.
void explain_passed_on(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell);
/// The same of any product: ∂result/∂cell is the number of the other operand.
void explain_product_backward(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell);

namespace detail {
/// Adds the summand of a path to the formula.
void add_to_formula(Explanation& explanation, const Setup& setup, const GradientPath& path, std::string_view symbols);
/// The n-th cell of a block, in row-major order.
Cell cell_in(const GoesInto& block, Index n);
/// The part of a cell's label that tells it from the other cells of the block: "The", "item 0, d3".
std::string label_in(const GoesInto& block, const Cell& cell, const Setup& setup);
}  // namespace detail

template <class Factors>
void explain_by_chain_rule(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell,
                           std::string_view symbols, Factors&& factors) {
  detail::add_to_formula(explanation, trace.setup, path, symbols);
  const std::vector<GoesInto> blocks = cells_made_with(cell, *path.through, trace.setup);
  if (blocks.empty()) explanation.terms.push_back(term("not read", {constant("0", 0)}));
  for (const GoesInto& block : blocks) {
    const Index count = block.counts.elements();
    for (Index n = 0; n < count; ++n) {
      const Cell made = detail::cell_in(block, n);
      std::vector<Factor> all{factor(trace, gradient_of(made.tensor), made.index)};
      for (Factor& each : factors(made)) all.push_back(std::move(each));
      explanation.terms.push_back(term(detail::label_in(block, made, trace.setup), std::move(all)));
    }
  }
}

// --- Products head by head, for `multiply` and `mix` and their backward passes (multiply.cpp) ------------------------

/// result[b,h] = left[b,h] @ right[b, the key and value head of h]: (rows, n) @ (n, columns) for every query head.
/// `right` has one matrix for each key and value head. The rows of `result` are contiguous.
void multiply_heads(const Setup& setup, Workspace& workspace, const Tensor& left, const Tensor& right, Tensor& result);

/// The same in the forward pass, where the rows are queries. Past positions that make none don't change the bits.
void multiply_queries(const Setup& setup, Workspace& workspace, const Tensor& left, const Tensor& right,
                      Tensor& result);

/// result[b,g] = Σ left[b,h]ᵀ @ right[b,h] over the query heads h that share the key and value head g. (batch, head,
/// query, key) and (batch, head, query, d_head) -> (batch, kv_head, key, d_head)
void add_up_heads(const Setup& setup, Workspace& workspace, const Tensor& left, const Tensor& right, Tensor& result);

}  // namespace headlight
