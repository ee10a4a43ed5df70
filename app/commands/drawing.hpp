// Draws what an export job asks for: a picture, or an animation.
#pragma once

#include <filesystem>
#include <functional>

#include "app/commands/progress_line.hpp"
#include "app/session/export/export_job.hpp"

namespace headlight {

/// Restores the person's changes and selection in a session that an animation has just moved to a step of its lecture.
using ShowAgain = std::function<void(Session&)>;

/// Draws the picture or the animation that a job asks for, of a session that shows its snapshot, into a file. Throws
/// InputError or MachineError.
void draw_job(const std::filesystem::path& output, Session& session, const ExportJob& job, const ShowAgain& show_again,
              const Report& report);

}  // namespace headlight
