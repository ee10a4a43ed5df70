// Changes keys of a setup, as --set KEY=VALUE does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// The setup with values assigned to keys of its file: "sizes.heads=4", "mask.kinds=[\"causal\"]",
/// "random.draws[0]=seed 7". The text after '=' is a TOML value. Text that is not TOML is taken as it is, so
/// "attention.precision=float32" and "title=Hello there" need no quotes. All assignments are made, in any order, before
/// anything is checked. Token labels are cut or filled up to new lengths unless they are assigned themselves; a mask
/// that no longer fits is a problem. Throws InputError with all problems; the source of each is the option and the
/// assignment: "--set sizes.heads=x".
Setup with_overrides(Setup base, const std::vector<std::string>& assignments, std::string_view option = "--set");

}  // namespace headlight
