// `headlight train`
#pragma once

#include <filesystem>
#include <optional>

#include "app/commands/what.hpp"

namespace headlight {

/// Trains the layer of WHAT, which must have a task, and writes a row for each step: step, loss, shown_loss,
/// shown_accuracy. Without `output` they go to standard output. Returns the exit code. Throws InputError where the
/// layer explodes, after the rows up to there are written.
int train(const What& what, std::int64_t steps, const std::optional<std::filesystem::path>& output);

}  // namespace headlight
