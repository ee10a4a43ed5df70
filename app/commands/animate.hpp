// `headlight export --frames`
#pragma once

#include "app/commands/export.hpp"
#include "app/commands/what.hpp"

namespace headlight {

/// The frames of an animation as a GIF or an animated PNG. Returns the exit code.
int animate(const What& what, const ExportOptions& options);

}  // namespace headlight
