// The files in which windows keep their places: one for each window that is open at the same time.
#pragma once

#include <filesystem>
#include <optional>

#include "app/platform/file_lock.hpp"

namespace headlight {

/// How many places are kept at most, unless more windows are open: session.toml, session-2.toml, ...
inline constexpr int most_kept_places = 12;

/// A file that one window has for itself, for as long as this lives.
struct KeptPlace {
  std::filesystem::path file;  ///< empty: nothing is kept
  std::optional<FileLock> lock = std::nullopt;
};

enum class Start { go_on, afresh };

/// Takes a file for a window: of those that no window has, the one that was written last, so that a start goes on where
/// the last window was left, and a second window where the one before was. A window that starts afresh, as with a
/// lecture named on the command line, replaces no place but the oldest of many: what stood in `first` goes to another
/// file. `first` is the path of the first place.
KeptPlace take_place(const std::filesystem::path& first, Start start);

}  // namespace headlight
