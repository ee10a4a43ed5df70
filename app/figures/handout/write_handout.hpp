// Writes a lecture as a handout: PDF, or one HTML file that needs nothing else.
#pragma once

#include <filesystem>
#include <functional>

#include "app/session/export/paper.hpp"

namespace headlight {

class Session;

struct HandoutOptions {
  Paper paper = Paper::a4;
  bool notes = false;  ///< with the speaker's notes
};

/// Writes the handout of the lecture that the session has open; its form follows from the ending of the file's name.
/// The file is replaced in one step. `report`, which may be empty, is told how much is done, from 0 to 1. Throws
/// InputError if the ending is another, the file cannot be written, or no lecture is open.
void write_handout(const std::filesystem::path& path, Session& session, const HandoutOptions& options,
                   const std::function<void(double fraction)>& report = {});

/// Throws InputError (source: "-o") if write_handout cannot write files with this ending.
void require_handout_ending(const std::filesystem::path& path);

}  // namespace headlight
