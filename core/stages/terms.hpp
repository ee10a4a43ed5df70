// What the explanations of different stages share.
#pragma once

#include <string>
#include <string_view>
#include <utility>
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

/// One row of a product: Σ_n left[row..., n] · right[n..., column], and the bias where there is one.
/// `left` and `right` give the index of the n-th factor; `label` names the n-th summand.
template <class Left, class Right, class Label>
std::vector<Term> product_terms(const Trace& trace, Index length, TensorId left, Left&& left_index, TensorId right,
                                Right&& right_index, Label&& label) {
  std::vector<Term> terms;
  terms.reserve(static_cast<std::size_t>(length));
  for (Index n = 0; n < length; ++n) {
    std::vector<Factor> factors;
    factors.reserve(2);
    factors.push_back(factor(trace, left, left_index(n)));
    factors.push_back(factor(trace, right, right_index(n)));
    const double product = factors[0].value * factors[1].value;
    terms.push_back({label(n), product, std::move(factors)});
  }
  return terms;
}

/// A query head's key and value head: heads / kv_heads query heads share one.
Index kv_head_of(const Setup& setup, Index head);

/// The label of feature n of a head or of the model: "d0".
std::string feature_label(Index n);

}  // namespace headlight
