// Names and folders for files that the window writes without asking, and the session inside pictures.
#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/platform/pictures/image.hpp"
#include "app/session/session.hpp"
#include "app/session/settings/settings.hpp"
#include "app/session/snapshot/snapshot.hpp"

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

/// Writes the picture as PNG under a free name, with the setup and the place as text in it. Returns its path. Throws
/// InputError or MachineError.
std::filesystem::path keep_picture(const Session& session, const Image& picture, const std::filesystem::path& folder,
                                   std::time_t now);

/// Whether a path is meant to be a picture: it ends in ".png".
bool names_picture(const std::filesystem::path& path);
/// The session that a picture shows, which keep_picture and the command line store in it. Throws InputError if the file
/// cannot be read, is not a PNG, or holds no setup.
Snapshot snapshot_in_picture(const std::filesystem::path& path);

}  // namespace headlight
