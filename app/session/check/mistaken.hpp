// The work that a step of a lecture checks: what somebody hands in who makes a known mistake.
#pragma once

#include <memory>

#include "app/session/check/checked_work.hpp"
#include "core/lecture/lecture.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct Mistaken {
  Trace trace;       ///< every tensor as it comes out with the mistake
  CheckedWork work;  ///< the computed ones, handed in
};

/// Null without a step, where it has no mistake, and where that cannot be made under the trace's setup.
std::shared_ptr<const Mistaken> mistaken_work(const Step* step, const Trace& right);

}  // namespace headlight
