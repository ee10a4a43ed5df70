// `headlight script`
#pragma once

#include <filesystem>
#include <optional>

#include "app/commands/what.hpp"
#include "core/formats/script/script.hpp"

namespace headlight {

/// A program that recomputes the trace, or with `check` a template for somebody's own; on standard output without a
/// file. Returns the exit code.
int write_script(const What& what, Framework framework, bool check, const std::optional<std::filesystem::path>& output);

}  // namespace headlight
