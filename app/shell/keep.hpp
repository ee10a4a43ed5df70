// Where pictures and other files go that the window writes without asking for a name.
#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/platform/pictures/image.hpp"
#include "app/session/session.hpp"
#include "app/session/settings/settings.hpp"

namespace headlight {

/// The person's folder for pictures: $XDG_PICTURES_DIR, or what user-dirs.dirs says, or ~/Pictures; without a home the
/// current folder.
std::filesystem::path pictures_folder(const Environment& environment);

/// A file's name without its ending, after a title: "Two heads, causal" gives "two-heads-causal". "setup" where there
/// is nothing to name it after.
std::string file_name_for(std::string_view title);

/// Makes the folder where it is not there. Throws InputError.
void make_folder(const std::filesystem::path& folder);

/// A name in the folder that no file has: "headlight-2026-01-31-142501.png", then with "-2", "-3", ...
std::filesystem::path free_name(const std::filesystem::path& folder, std::time_t now, std::string_view ending);

/// Writes the picture as PNG, with setup and place in it as text, and returns its path. Throws InputError or
/// MachineError.
std::filesystem::path keep_picture(const Session& session, const Image& picture, const std::filesystem::path& folder,
                                   std::time_t now);

/// Whether a path is meant to be a picture: it ends in ".png".
bool names_picture(const std::filesystem::path& path);
/// The session that a picture shows, as keep_picture and the command line store it. Throws InputError where the file
/// cannot be read, is no PNG, or holds no setup.
RememberedSession place_in_picture(const std::filesystem::path& path);

}  // namespace headlight
