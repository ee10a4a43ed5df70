// Writes what is on the screen as text of a lecture file.
#pragma once

#include <filesystem>
#include <string>

#include "core/lecture/lecture.hpp"

namespace headlight {

class Session;

/// The start of a lecture file in a folder: the setup, and a first step that shows the session's cell in its view.
std::string lecture_start(const Session& session, const std::filesystem::path& folder);

/// Appends a step with the session's setup, cell and view to the text of a lecture file. Throws InputError if the text
/// is not a valid lecture with or without the step.
std::string with_shown_step(const Session& session, const std::string& text, const std::filesystem::path& file);

}  // namespace headlight
