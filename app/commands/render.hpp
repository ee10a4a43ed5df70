// `headlight render`
#pragma once

#include "app/commands/figure_options.hpp"
#include "app/commands/what.hpp"

namespace headlight {

/// Draws the window or a figure without a display and writes it as PNG, SVG or PDF, by the ending of options.output.
/// Returns the exit code.
int render(const What& what, const RenderOptions& options);

}  // namespace headlight
