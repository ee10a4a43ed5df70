// How things are shown, as text: the settings of --show, which a picture keeps too.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/session/display/display.hpp"

namespace headlight {

/// "KEY=VALUE" for everything that is not as in a new Display: of the heads ("hidden_heads=1,3"), of the tokens
/// ("threshold=0.1"), and of each tensor's colours ("weights.range=min_max").
std::vector<std::string> display_settings(const Display& display);
/// Those of the tensors' colours alone.
std::vector<std::string> colour_settings(const Display& display);
/// The same for the panels of a window: "setup_folded=true".
std::vector<std::string> panel_settings(const Appearance& appearance);

/// The display with such settings. Throws InputError (source: "--show") with all that is wrong with them.
Display with_display_settings(Display display, std::span<const std::string> settings);

}  // namespace headlight
