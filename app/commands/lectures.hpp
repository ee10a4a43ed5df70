// `headlight lectures`
#pragma once

#include <filesystem>
#include <optional>

namespace headlight {

/// Prints a table of the lectures, with those in `folder` if one is given. Returns the exit code.
int list_lectures(const std::optional<std::filesystem::path>& folder);

}  // namespace headlight
