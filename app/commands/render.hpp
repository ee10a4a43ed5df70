// `headlight render`
#pragma once

#include "app/commands/figure_options.hpp"
#include "app/commands/what.hpp"

namespace headlight {

/// A picture of the window or of a part of it, drawn without one: PNG, SVG or PDF. Returns the exit code.
int render(const What& what, const RenderOptions& options);

}  // namespace headlight
