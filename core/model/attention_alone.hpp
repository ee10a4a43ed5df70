// Attention alone: a layer whose weights are known, but nothing that they were computed from.
#pragma once

#include <string>

#include "core/model/tensor.hpp"

namespace headlight {

/// Whether weights with this sum are a whole row: 1, as far as half precision holds it, or 0, where a query sees no
/// key.
bool is_whole_row(double sum);

/// What is wrong with the rows of some weights: "3 of 96 rows add up to something other than 1 (0.81 to 1.3); ...".
/// Empty where each is whole.
std::string doubts_about_rows(const Tensor& weights);

}  // namespace headlight
