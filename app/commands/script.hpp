// `headlight script`
#pragma once

#include <filesystem>
#include <optional>

#include "app/commands/what.hpp"
#include "core/formats/script/script.hpp"

namespace headlight {

/// Writes a Python program that recomputes the trace, to `output` or to standard output. Returns the exit code.
int write_script(const What& what, Framework framework, const std::optional<std::filesystem::path>& output);

}  // namespace headlight
