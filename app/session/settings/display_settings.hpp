// Display choices as text: the settings of --show, which pictures store too.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/session/display/display.hpp"

namespace headlight {

/// "KEY=VALUE" for everything that differs from a new Display: heads ("hidden_heads=1,3"), tokens ("threshold=0.1"),
/// and the colours of each tensor ("weights.range=min_max").
std::vector<std::string> display_settings(const Display& display);
/// The same for the tensors' colours alone.
std::vector<std::string> colour_settings(const Display& display);
/// The same for what only a whole window shows: its panels ("setup_folded=true"), and whether it presents.
std::vector<std::string> window_settings(const Display& display);

/// The display with the settings applied. Throws InputError (source: "--show") with all that is wrong with them.
Display with_display_settings(Display display, std::span<const std::string> settings);

}  // namespace headlight
