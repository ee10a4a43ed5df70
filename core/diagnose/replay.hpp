// Mistakes put into the stages between two sets of tensors.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/diagnose/arrays/agreement.hpp"
#include "core/diagnose/arrays/digits.hpp"
#include "core/diagnose/arrays/matching.hpp"
#include "core/diagnose/arrays/report.hpp"
#include "core/diagnose/mistakes/draws.hpp"
#include "core/diagnose/mistakes/mistake.hpp"

namespace headlight {

/// Every tensor of the setup: theirs if it was handed over and differs from ours; computed from theirs by our stages if
/// it was not handed over; else ours.
struct Mixture {
  Trace trace;
  std::array<bool, tensor_count> theirs{};  ///< the tensor is not ours
  std::array<bool, tensor_count> given{};   ///< the tensor was handed over
  Errors errors{};                          ///< how far rounding may have moved it
  Digits digits = Digits::float64;          ///< of the side that has fewer
};

/// Replays mistakes on one tensor whose step does not agree.
class Replays {
 public:
  Replays(const Mixture& mixture, const Match& target, const Tolerance& tolerance, Workspace& workspace);

  /// Every known mistake of the stages in the segment, by itself and in several of its tensors at once; the best of
  /// each.
  std::vector<Diagnosis> known_mistakes() const;
  /// The segment computed from these draws, of which `drawn` are the tensors.
  Diagnosis other_draws(const WrongDraws& wrong, const Trace& drawn, Workspace& workspace) const;
  /// The target computed from these draws, and how far rounding may have moved it.
  std::pair<Tensor, double> from_draws(const Trace& drawn, Workspace& workspace) const;
  /// Whether theirs is this, which these draws give.
  bool is_theirs(const Tensor& result, double rounding) const;
  /// Whether draws that were not handed over are part of the segment.
  bool reaches_draws() const;
  /// Whether the segment reads nothing of theirs: then it gives the same for everybody.
  bool reads_ours_alone() const;
  const std::vector<TensorId>& segment() const { return segment_; }

 private:
  Diagnosis replay(const Mistake& mistake, const std::vector<TensorId>& at, int variant, bool& possible) const;
  /// The segment with the mistake in it: nothing where it is not possible. With `coarse`, everything is rounded.
  struct Run {
    Trace trace;
    Errors errors;
    std::string said = {};
  };
  std::optional<Run> run(const Mistake& mistake, const std::vector<TensorId>& at, int variant,
                         ChanceRounding* coarse) const;
  /// Whether theirs is so far from a result that more runs would not bring it nearer than rounding.
  bool is_far(const Tensor& result, const Rounding& rounding) const;
  /// What remains at the target if this is the result at a tensor of the segment, and everything after it is right.
  double misfit_of(const Trace& trace, TensorId at, const Tensor& result) const;
  std::optional<Diagnosis> best_of(const Mistake& mistake) const;
  /// Whether theirs is what follows from the operands without a mistake, but for NaN where no key is seen.
  bool is_right_but_for_nan() const;
  /// The mistake on the first part of a large tensor; whether that part does not agree.
  bool fails_on_a_part(const Mistake& mistake, TensorId at, int variant, Diagnosis& diagnosis) const;
  void judge(Diagnosis& diagnosis, const Tensor& result, const Rounding& rounding, Workspace& workspace) const;
  void run_rest(Trace& trace, Errors& errors, std::array<bool, tensor_count>& changed, TensorId id,
                Workspace& workspace) const;

  /// The first part of everything between scores and weights along an axis, in memory of its own.
  struct FirstPart {
    Trace trace;
    Theirs theirs;
  };
  const FirstPart& first_part(int axis) const;

  const Mixture& mixture_;
  const Match& target_;
  const Tolerance& tolerance_;
  Workspace& workspace_;
  std::vector<TensorId> segment_;
  mutable std::array<std::optional<FirstPart>, Shape::max_rank> parts_;  ///< kept, since many mistakes read the same
};

}  // namespace headlight
