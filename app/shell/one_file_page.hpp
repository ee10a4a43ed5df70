// The app for browsers as one HTML file, which is installed beside the program.
#pragma once

#include <filesystem>
#include <string>

#include "app/session/settings/settings.hpp"

namespace headlight {

struct OneFilePage {
  std::filesystem::path file;
  std::string html;
};

/// Reads headlight.html: the first one of
///
///   $XDG_DATA_HOME/headlight (~/.local/share/headlight)
///   ../share/headlight, seen from the folder of `program`, where it is installed
///   ../web, seen from there, where ./web builds it
///   headlight in each folder of $XDG_DATA_DIRS (/usr/local/share, /usr/share)
///
/// `environment` gives variables; null for those that are not set. Throws InputError, which names these places
/// and how to build it, if none of them has it.
OneFilePage one_file_page(const std::filesystem::path& program, const Environment& environment);

/// The file of the running program; empty if it is not known.
std::filesystem::path this_programs_file();

}  // namespace headlight
