// Where one number comes from and which numbers are computed from it, as a value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/cell.hpp"

namespace headlight {

/// A number inside a term: a cell of another tensor (then the app shows it as a link), or a constant such as 1/√d_head.
struct Factor {
  std::string label;  ///< "1/√4", "exp(masked_scores[0,1,2,0] − max)"; empty if the cell's own name is enough
  double value = 0;
  std::optional<Cell> cell;  ///< where the number is in the trace; none for constants

  /// "Q_heads[0,1,2,0]" for a plain cell, else the label. Built on demand, because a long sum has thousands of factors.
  std::string name() const { return label.empty() && cell ? to_string(*cell) : label; }
};

/// One summand. The cell's value is the sum of its terms' values.
struct Term {
  std::string label;  ///< the name of the summand: "d0", "bias", "The"
  double value = 0;   ///< the product of the factors
  std::vector<Factor> factors;
};

/// One entry of the softmax row that a cell of `weights` or `probabilities` belongs to.
struct SoftmaxEntry {
  Cell score;  ///< cell of masked_scores or logits
  double score_value = 0;
  double exponential = 0;  ///< exp(score − the row's maximum); 0 if the key is hidden
  double weight = 0;
};

/// The cells of a later tensor that are computed from this one: a block that starts at `first` and has `counts` cells
/// along each axis.
struct GoesInto {
  Cell first;
  Shape counts;
  std::string label;  ///< "dot_products[0,1,2,:]"; ":" means the whole axis
};

struct Explanation {
  Cell cell;
  double value = 0;
  std::string formula;  ///< with index letters: "dot_products[b,h,i,j] = Σ_d Q_heads[b,h,i,d] · K_heads[b,h,j,d]"
  std::string numbers;  ///< the formula with its numbers; long sums are shortened in the middle
  std::vector<Term> terms;
  std::vector<SoftmaxEntry> softmax_row;  ///< only for cells of `weights` and `probabilities`
  double sink = 0;                        ///< the row's exponential that belongs to no key; 0 without one
  std::string note;                       ///< a remark for the reader: "hidden by the causal mask"
  std::vector<GoesInto> goes_into;
};

}  // namespace headlight
