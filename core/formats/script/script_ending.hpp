// The end of a generated script: it prints its tensors or compares them with an archive, or it leaves room for
// somebody's own code and writes what that makes.
#pragma once

#include <string>

#include "core/stages/code.hpp"

namespace headlight {

/// Code that collects the tensors by name, and prints them or compares each with the npz file named on the command
/// line.
std::string script_ending(const Code& code);

/// Comments that name every tensor with its shape, room for somebody's own code, and the lines that write the tensors
/// to an npz file, as `headlight diagnose` reads it.
std::string own_part(const Code& code);

}  // namespace headlight
