// Whether two arrays are the same numbers, but for rounding, and how far rounding alone may move numbers.
#pragma once

#include <array>
#include <utility>

#include "core/compute/workspace.hpp"
#include "core/diagnose/arrays/report.hpp"
#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// An array that was recognised, in the axes of the names table.
struct Theirs {
  Tensor values;
  Tensor half_digits = {};  ///< same shape, or empty
  bool has_nan = false;
  bool all_nan = false;
  bool averaged = false;  ///< (batch, 1, query, key): the mean over the heads
};

struct Agreement {
  double largest = 0;        ///< the largest |Δ|
  Index off = 0;             ///< how many cells do not agree
  bool has_nan = false;      ///< theirs holds NaN
  bool by_rounding = false;  ///< some cells agree only thanks to `rounding` or the printed digits

  bool agrees() const { return off == 0; }
};

/// How far rounding alone may move the numbers of a tensor, beyond the tolerance.
struct Rounding {
  double bound = 0;  ///< of all of its numbers
  /// In numbers of few digits, whose bound would be too wide to tell a mistake: how far each number moves usually, as
  /// the root of the mean square. In the tensor's shape, float64 and contiguous; empty: the bound decides.
  Tensor spread = {};

  // A bound is one, without more words.
  Rounding(double all = 0) : bound(all) {}  // NOLINT(google-explicit-constructor)
  Rounding(double all, Tensor each) : bound(all), spread(std::move(each)) {}
};

/// Compares every cell with the expected one. Equal infinities agree, and so do two NaN.
///
/// With a spread, a cell may be most_spreads of it off, since rounding may turn a row of softmax over, and the cells
/// together as far as chance makes likely.
///
/// Of masked scores, a number where we have −inf agrees if softmax cannot see it: if its exponential is lost beside the
/// largest of its row (−1e9 is as good as −inf).
///
/// Where theirs has one entry for each query head and the expected tensor one for each key and value head, the latter
/// is repeated. Where theirs is averaged, the mean over the expected heads is expected.
Agreement compare(TensorId id, const Theirs& theirs, const Tensor& expected, const Tolerance& tolerance,
                  const Rounding& rounding, Workspace& workspace);

constexpr double most_spreads = 16;

/// Whether the array is the tensor but for a constant in each row of it, which a softmax over the row doesn't see. Then
/// `largest` is what remains. Never agrees for tensors that no softmax reads, or where another step is in between.
Agreement compare_up_to_rows(TensorId id, const Theirs& theirs, const Tensor& expected, const Setup& setup,
                             const Tolerance& tolerance, const Rounding& rounding, Workspace& workspace);

/// (batch, head, query, key) -> (batch, 1, query, key)
Tensor mean_over_heads(const Tensor& tensor);

/// One bound for each tensor, indexed by TensorId.
using Errors = std::array<double, tensor_count>;

/// How far apart two programs may be that compute the same from the same draws, in numbers of the relative precision
/// `epsilon` (2⁻²³ for float32), if the operands of the stage are off by `errors`. To first order, with the errors of a
/// sum taken as independent of each other, as in
///   |Δ(A·B)| ≈ |Δa|·‖b‖ + ‖a‖·|Δb| + (2 + √n/2)·ε·‖a‖·‖b‖      for every row a of A and column b of B with n entries
///   |Δsoftmax(s)| ≤ w·(1 − w)·2·|Δs| ≤ |Δs|/2
/// in which the largest |Δa| and the longest a and b of each tensor are taken for all.
double rounding_of(const Trace& trace, TensorId result, const Errors& errors, double epsilon);

}  // namespace headlight
