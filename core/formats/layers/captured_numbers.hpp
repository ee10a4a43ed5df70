// Numbers that were captured, beside ours.
#pragma once

#include "core/model/tensor.hpp"

namespace headlight {

/// What rounding may leave, as a share of the largest number of their output: a layer that ran in half precision has
/// numbers with few bits.
double rounding_of(const Tensor& numbers);

/// The largest of the numbers that are finite, without its sign.
double magnitude(const Tensor& tensor);

/// The largest difference where theirs is a number: PyTorch gives NaN for a query that sees no key. Infinite where only
/// ours is none.
double difference(const Tensor& ours, const Tensor& theirs);

}  // namespace headlight
