// softmax as a browser with relaxed SIMD computes it.
#pragma once

#include "core/model/shape.hpp"

namespace headlight {

/// As softmax_rows, to the last bit. Null where there is no such browser.
struct RelaxedSoftmax {
  void (*doubles)(const double* scores, double* weights, Index rows, Index keys) = nullptr;
  void (*floats)(const float* scores, float* weights, Index rows, Index keys) = nullptr;
};
RelaxedSoftmax relaxed_softmax();

}  // namespace headlight
