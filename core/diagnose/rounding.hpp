// How far rounding alone may move the numbers of a tensor.
#pragma once

#include <array>

#include "core/model/trace.hpp"

namespace headlight {

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
