// What the loss becomes where one number is another one.
#pragma once

#include "core/model/trace.hpp"

namespace headlight {

/// L, the mean loss over everything that is asked, where a number of a tensor of the forward pass is another one: all
/// that is made from it follows. The trace has a task. Costs about a forward pass.
double loss_with(const Trace& trace, const Cell& cell, double number);

}  // namespace headlight
