// `headlight export --frames`
#pragma once

#include "app/commands/export.hpp"
#include "app/commands/what.hpp"

namespace headlight {

/// Draws one frame for each value of the sweep options.frames and writes them as a GIF. Returns the exit code. Throws
/// InputError if an option does not fit.
int animate(const What& what, const ExportOptions& options);

}  // namespace headlight
