// `headlight render`, and what draws an export.
#pragma once

#include "app/commands/animate.hpp"
#include "app/commands/figure_options.hpp"
#include "app/commands/what.hpp"

namespace headlight {

/// Draws the picture or the animation that a job asks for, of a session that shows its snapshot, into a file. Throws
/// InputError or MachineError.
void draw_job(const std::filesystem::path& output, Session& session, const ExportJob& job, const ShowAgain& show_again,
              const Report& report);

/// Draws the window or a figure without a display and writes it as PNG, SVG or PDF, by the ending of options.output.
/// Returns the exit code.
int render(const What& what, const RenderOptions& options);

}  // namespace headlight
