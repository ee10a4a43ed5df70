// The end of a generated script, which prints its tensors or compares them with an archive.
#pragma once

#include <string>

#include "core/stages/code.hpp"

namespace headlight {

/// Code that collects the tensors by name, and prints them or compares each with the npz file named on the command
/// line.
std::string script_ending(const Code& code);

}  // namespace headlight
