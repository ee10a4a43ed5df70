// Softmax over rows of contiguous numbers.
#pragma once

#include "core/model/shape.hpp"

namespace headlight {

/// weights = exp(scores − max) / Σ exp(scores − max), row by row; both arrays are (rows, keys). A row of -inf gives a
/// row of zeros. The exponential is within 1 unit in the last place, and every bit is the same on every machine.
void softmax_rows(const float* scores, float* weights, Index rows, Index keys);
void softmax_rows(const double* scores, double* weights, Index rows, Index keys);

/// Σ weights · gradients over one row. Every bit is the same on every machine.
float weighted_sum(const float* weights, const float* gradients, Index keys);
double weighted_sum(const double* weights, const double* gradients, Index keys);

/// The backward pass of softmax_rows: scores = weights · (gradients − Σ weights · gradients), row by row. `gradients`
/// are those of the weights, and what is written to `scores` those of the scores; all arrays are (rows, keys).
void softmax_rows_backward(const float* weights, const float* gradients, float* scores, Index rows, Index keys);
void softmax_rows_backward(const double* weights, const double* gradients, double* scores, Index rows, Index keys);

}  // namespace headlight
