// The difference of two setups as assignments for --set.
#pragma once

#include <string>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// The assignments with which with_overrides turns `from` into `to`, such as "sizes.heads=4": one for each key that
/// differs. Both setups must be valid.
std::vector<std::string> overrides_between(const Setup& from, const Setup& to);

}  // namespace headlight
