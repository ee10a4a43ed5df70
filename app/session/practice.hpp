// A lecture's task: the reader computes a tensor in Python of their own.
#pragma once

#include <string>

#include "core/lecture/lecture.hpp"

namespace headlight {

class Session;

/// The task of the open lecture's step; null if it has none.
const Practice* practice_of(const Session& session);

/// Whether arrays were handed in since the step was opened, and its own numbers are what they are compared with.
bool takes_practice(const Session& session);

/// Whether the step's task was passed, now or in an earlier session.
bool has_passed(const Session& session);

/// The template for the reader's own code: that of the step's task, or else one for all tensors of what is shown.
std::string template_of(const Session& session);

}  // namespace headlight
