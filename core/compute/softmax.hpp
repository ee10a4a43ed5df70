// Softmax over rows of contiguous numbers.
#pragma once

#include "core/model/shape.hpp"

namespace headlight {

/// weights = exp(scores − max) / Σ exp(scores − max), row by row; both arrays are (rows, keys). A row of -inf gives a
/// row of zeros. The exponential is within 1 unit in the last place, and every bit is the same on every machine.
void softmax_rows(const float* scores, float* weights, Index rows, Index keys);
void softmax_rows(const double* scores, double* weights, Index rows, Index keys);

}  // namespace headlight
