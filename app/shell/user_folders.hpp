// Names and folders for files that the window writes without asking.
#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/session/settings/settings.hpp"

namespace headlight {

/// The person's folder for pictures: $XDG_PICTURES_DIR, or the one in user-dirs.dirs, or ~/Pictures. Without $HOME it
/// is the current folder.
std::filesystem::path pictures_folder(const Environment& environment);
/// The same for documents and for downloads.
std::filesystem::path documents_folder(const Environment& environment);
std::filesystem::path downloads_folder(const Environment& environment);

/// A file name without ending, made from a title: "Two heads, causal" gives "two-heads-causal". "setup" if the title
/// has no letters or digits.
std::string file_name_for(std::string_view title);

/// Creates the folder and those around it if they are missing. Throws InputError if that fails.
void make_folder(const std::filesystem::path& folder);

/// A path in the folder that is not yet taken: "headlight-2026-01-31-142501.png" (local time), then with "-2", "-3",
/// ...
std::filesystem::path free_name(const std::filesystem::path& folder, std::time_t now, std::string_view ending);

}  // namespace headlight
