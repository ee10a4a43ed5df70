// `headlight export --frames`
#pragma once

#include <filesystem>
#include <functional>

#include "app/commands/export.hpp"
#include "app/commands/progress_line.hpp"
#include "app/commands/what.hpp"
#include "app/session/export/export_job.hpp"

namespace headlight {

/// Selects in a session that has come to a step of its lecture what an animation shows of it.
using ShowAgain = std::function<void(Session&)>;

/// Draws one frame for each value of the job's sweep and writes them as a GIF. `show_again` is called at each step of a
/// sweep over steps. Throws InputError if the sweep does not fit the session.
void write_animation(const std::filesystem::path& output, Session& session, const ExportJob& job,
                     const ShowAgain& show_again, const Report& report);

/// The animation that options.frames names. Returns the exit code. Throws InputError if an option does not fit.
int animate(const What& what, const ExportOptions& options);

}  // namespace headlight
