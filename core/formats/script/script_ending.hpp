// What becomes of a script's tensors: printed, or compared with an archive.
#pragma once

#include <string>

#include "core/stages/code.hpp"

namespace headlight {

/// The tensors by name, and the lines that print them, or compare each with that of the npz file that was named.
std::string script_ending(const Code& code);

}  // namespace headlight
