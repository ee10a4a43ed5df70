// Whether two arrays are the same numbers, but for rounding.
#pragma once

#include "core/compute/workspace.hpp"
#include "core/diagnose/report.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// An array that was recognised, in the axes of the names table.
struct Theirs {
  Tensor values;
  Tensor half_digits = {};  ///< same shape, or empty
  bool has_nan = false;
  bool all_nan = false;
};

struct Agreement {
  double largest = 0;        ///< the largest |Δ|
  Index off = 0;             ///< how many cells do not agree
  bool has_nan = false;      ///< theirs holds NaN
  bool by_rounding = false;  ///< some cells agree only thanks to `rounding` or the printed digits

  bool agrees() const { return off == 0; }
};

/// Compares every cell with the expected one. Equal infinities agree, and so do two NaN. `rounding` is how far rounding
/// alone may move a number, beyond the tolerance.
///
/// Of masked scores, a number where we have −inf agrees if softmax cannot see it: if its exponential is lost beside the
/// largest of its row (−1e9 is as good as −inf).
///
/// Where theirs has one entry for each query head and the expected tensor one for each key and value head, the latter
/// is repeated.
Agreement compare(TensorId id, const Theirs& theirs, const Tensor& expected, const Tolerance& tolerance,
                  double rounding, Workspace& workspace);

}  // namespace headlight
