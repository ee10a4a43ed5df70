// How two setups differ, as what --set takes.
#pragma once

#include <string>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// Assignments that make `to` of `from` in with_overrides: one for each key that differs. Both must be valid.
std::vector<std::string> overrides_between(const Setup& from, const Setup& to);

}  // namespace headlight
