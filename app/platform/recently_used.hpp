// The desktop's list of recently used files, which file managers and other programs show.
#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

namespace headlight {

/// The list (recently-used.xbel, as the Desktop Bookmark Specification says) with a file as used at `now` by Headlight.
/// An empty text is a new list; any other text stays as it is.
std::string with_recently_used(const std::string& list, const std::filesystem::path& file, std::time_t now);

/// Adds the file to the desktop's list in `folder` ($XDG_DATA_HOME). Where there is no such folder, or it cannot be
/// written, nothing happens: the list is the desktop's, and Headlight keeps its own.
void add_to_recently_used(const std::filesystem::path& folder, const std::filesystem::path& file, std::time_t now);

}  // namespace headlight
