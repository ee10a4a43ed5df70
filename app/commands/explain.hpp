// `headlight explain`
#pragma once

#include <string>

#include "app/commands/what.hpp"

namespace headlight {

/// One cell, as text or JSON on standard output. Returns the exit code.
int explain_cell(const What& what, const std::string& cell, bool json);

}  // namespace headlight
