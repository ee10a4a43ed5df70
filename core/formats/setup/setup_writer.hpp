// Writes the keys of a setup as lines of a file that people read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/model/setup.hpp"

namespace headlight {

/// Every key that has an effect, with a comment, section by section. The sections are inside `table` ("[setup.sizes]"),
/// or at the top if it is empty. Arrays of files are named from `folder` (see write_setup).
std::string written_keys(const Setup& setup, std::string_view table = {}, const std::filesystem::path& folder = {});

}  // namespace headlight
