// The options that render and the animations of export share.
#pragma once

#include "app/commands/commands.hpp"
#include "app/commands/progress_line.hpp"
#include "app/figures/figure.hpp"
#include "app/session/session.hpp"

namespace headlight {

/// The figure that is asked for. Throws InputError, as the functions below.
Figure figure_of(const RenderOptions& options);

/// WHAT as the figure shows it; `report` is told how much of it is computed.
Session session_of(const What& what, const RenderOptions& options, const Figure& figure, const Report& report);

/// The view, head, tensor and cell that the options name; what they leave open stays.
void show_place(Session& session, const RenderOptions& options);

}  // namespace headlight
