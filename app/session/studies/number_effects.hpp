// What a number that was given by hand changes: in every computed tensor the cell that moved most.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "core/compute/threads.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The cell of a tensor that moved most, and its number before and after.
struct NumberEffect {
  Cell cell;
  double before = 0;
  double after = 0;

  friend bool operator==(const NumberEffect&, const NumberEffect&) = default;
};

struct NumberEffects {
  std::shared_ptr<const Trace> before;  ///< without the number
  std::vector<NumberEffect> most;  ///< of the tensors that are computed otherwise, in the order of the forward pass
};

/// Of no use where it was stopped.
NumberEffects number_effects(const std::shared_ptr<Threads>& threads, const Setup& without, const Trace& with,
                             const std::stop_token& stop = {});

}  // namespace headlight
