// Positions, and heads that are taken away.
#pragma once

#include "core/model/setup.hpp"

namespace headlight {

/// Another encoding of the positions. A learned P is drawn last, from a normal distribution, unless it is drawn or
/// given already; what is drawn or given for a P that is no longer learned goes.
Setup with_encoding(const Setup& setup, Encoding encoding);

/// Takes a head away, or brings it back; the heads stay in order.
Setup with_ablated(const Setup& setup, Index head, bool ablated);

}  // namespace headlight
