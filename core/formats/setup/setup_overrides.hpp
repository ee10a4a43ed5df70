// Changes keys of a setup by assignments, as --set KEY=VALUE does, and finds the assignments between two setups.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/values/values_toml.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// The setup with keys of its file replaced: "sizes.heads=4", "mask.kinds=[\"causal\"]", "random.draws[0]=seed 7". A
/// value that is not TOML is text, so that "attention.precision=float32" and "title=Hello there" need no quotes.
/// Everything after "values." is one key, as in "values.W_v[2,5]=0.25"; files that a value names are looked for in the
/// folder of `files`, or in the one that the program runs in. All assignments are made, in any order, before anything
/// is checked. Token labels are cut or filled up to fit new lengths unless they are assigned themselves; a mask that no
/// longer fits is a problem. "tokens += {mat = [0, 1, 0, 2]}" puts a word after the last token, with its row of X,
/// before all else; lengths and labels follow. "tokens += mat" leaves the row to the draw of X. Throws InputError with
/// all the problems; their source is the option with its assignment:
/// "--set sizes.heads=x".
Setup with_overrides(Setup base, const std::vector<std::string>& assignments, std::string_view option = "--set",
                     ValueFiles files = {});

// --- The assignments between two setups ------------------------------------------------------------------------------

/// The assignments with which with_overrides turns `from` into `to`, such as "sizes.heads=4": one for each key that
/// differs. Both setups must be valid.
std::vector<std::string> overrides_between(const Setup& from, const Setup& to);

}  // namespace headlight
