// `headlight capture`
#pragma once

#include <filesystem>
#include <optional>

namespace headlight {

/// A Python program that writes the attention layers of a running PyTorch model into npz files; on standard output
/// without a file. Returns the exit code.
int write_capture_program(const std::optional<std::filesystem::path>& output);

}  // namespace headlight
