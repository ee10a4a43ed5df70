// `headlight compute`
#pragma once

#include <filesystem>

#include "app/commands/what.hpp"

namespace headlight {

/// Every tensor into an npz. Returns the exit code.
int compute(const What& what, const std::filesystem::path& output);

}  // namespace headlight
