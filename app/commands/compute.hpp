// `headlight compute`
#pragma once

#include <filesystem>

#include "app/commands/what.hpp"

namespace headlight {

/// Computes WHAT and writes every tensor to the npz file `output`. Returns the exit code.
int compute(const What& what, const std::filesystem::path& output);

}  // namespace headlight
