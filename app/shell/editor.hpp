// The person's own editor.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/session/settings/settings.hpp"

namespace headlight {

/// The command that opens a file in the person's editor: $VISUAL, else $EDITOR, else what the desktop opens such files
/// with (xdg-open). An editor that works in a terminal gets a terminal of its own. Programs that are not installed are
/// skipped; empty if none is left.
std::vector<std::string> editor_command(const Environment& environment, const std::filesystem::path& file);

/// The command that opens a file or a folder as the desktop does (xdg-open); empty where it is not installed.
std::vector<std::string> opener_command(const Environment& environment, const std::filesystem::path& file);

}  // namespace headlight
