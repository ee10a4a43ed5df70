// `headlight lectures`
#pragma once

#include <filesystem>
#include <optional>

namespace headlight {

/// A table of the lectures on standard output. Returns the exit code.
int list_lectures(const std::optional<std::filesystem::path>& folder);

}  // namespace headlight
