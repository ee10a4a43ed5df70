// What a template for checking one's own code has in place of the forward pass.
#pragma once

#include <string>

#include "core/stages/code.hpp"

namespace headlight {

/// Comments that name every tensor with its shape, room for somebody's own code, and the lines that write what there is
/// to an npz file, as `headlight diagnose` reads it.
std::string own_part(const Code& code);

}  // namespace headlight
