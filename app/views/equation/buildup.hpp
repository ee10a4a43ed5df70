// How a picture of the pipeline is built up, as a function of how much of its operation has happened: from 0, before
// anything, to 1, where all numbers are those of the trace.
#pragma once

#include <vector>

#include "app/slices/slice.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "core/model/shape.hpp"

namespace headlight {

class Session;

/// How many seconds it takes to build up what the session shows; 0 where it shows at once.
double build_seconds(const Session& session);

/// A dot product that adds up: which term is being added, its two factors, and the sum up to now.
struct PartialSum {
  Index term = 0;
  double left = 0;
  double right = 0;
  double sum = 0;
};
/// The product of a row of `left` and a column of `right`, as they are on the screen.
PartialSum partial_sum(const TensorPicture& left, const TensorPicture& right, Index row, Index column, double built);

/// A row of scores that becomes a row of shares: first each exponential by itself, then all divided by their sum.
struct PartialShares {
  std::vector<double> numbers;  ///< of the row, as they are now
  Index key = 0;                ///< whose exponential is being taken
  double exponential = 0;       ///< of that key
  double sum = 0;               ///< of all exponentials
  bool dividing = false;
};
PartialShares partial_shares(const Slice& scores, Index row, double built);

}  // namespace headlight
