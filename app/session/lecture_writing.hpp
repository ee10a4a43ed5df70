// What is on the screen as text of a lecture file.
#pragma once

#include <filesystem>
#include <string>

#include "core/lecture/lecture.hpp"

namespace headlight {

class Session;

/// The beginning of a lecture file in a folder: the setup, and a first step that looks at the session's cell in its
/// view.
std::string lecture_start(const Session& session, const std::filesystem::path& folder);

/// The text of a lecture's file with a step at its end that shows what the session shows: its setup, cell and view.
/// Throws InputError where the text is no lecture, or would be none with the step.
std::string with_shown_step(const Session& session, const std::string& text, const std::filesystem::path& file);

}  // namespace headlight
