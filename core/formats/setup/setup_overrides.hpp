// Changes keys of a setup, as --set KEY=VALUE does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/values/values_toml.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// The setup with keys of its file replaced: "sizes.heads=4", "mask.kinds=[\"causal\"]", "random.draws[0]=seed 7". What
/// stands after '=' is a TOML value; what does not parse as one is text as it stands, so that
/// "attention.precision=float32" and "title=Hello there" need no quotes. Behind "values." stands one key, as in
/// "values.W_v[2,5]=0.25"; files that it names are looked for in the folder of `files`, or in the one that the program
/// runs in. All assignments hold together, in any order, before anything is checked. Token labels are cut or filled up
/// to fit new lengths unless they are assigned themselves; a mask that no longer fits is a problem. Throws InputError
/// with all the problems; their source is the assignment behind its option: "--set sizes.heads=x".
Setup with_overrides(Setup base, const std::vector<std::string>& assignments, std::string_view option = "--set",
                     ValueFiles files = {});

}  // namespace headlight
