// Session files: each window that is open keeps its place in one of its own.
#pragma once

#include <filesystem>
#include <optional>

#include "app/platform/file_lock.hpp"

namespace headlight {

/// The largest number of files that are kept, unless more windows are open: session.toml, session-2.toml, ...
inline constexpr int most_session_files = 12;

/// A file that one window has for itself, for as long as this lives.
struct SessionFile {
  std::filesystem::path file;  ///< empty: nothing is kept
  std::optional<FileLock> lock = std::nullopt;
};

enum class Start { go_on, afresh };

/// Takes a file for a window: of those that no window has, the one that was written last, so that a start continues
/// where the last window was left, and a second window where the one before was. A window that starts afresh, as with a
/// lecture named on the command line, replaces no place but the oldest of many: the place in `first` moves to another
/// file. `first` is the path of the first place.
SessionFile take_session_file(const std::filesystem::path& first, Start start);

}  // namespace headlight
