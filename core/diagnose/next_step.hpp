// What to hand over next, where no known mistake explains the first difference.
#pragma once

#include <vector>

#include "core/diagnose/arrays/report.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// What is known of the place where the difference begins.
struct NextStep {
  std::vector<TensorId> hand_over;  ///< tells whether that is before or after it; empty: nothing more is needed
  bool in_this_step = false;        ///< everything that the first different tensor is made of was given, and agrees
};

/// Of the tensors between what agrees and the first difference, the one that divides them best.
NextStep next_step(const CheckReport& report, const Setup& setup);

}  // namespace headlight
