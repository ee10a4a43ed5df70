// `headlight explain`
#pragma once

#include <string>

#include "app/commands/what.hpp"

namespace headlight {

/// Prints where the number in a cell ("scores[0,1,2,0]") comes from and where it goes, as text or JSON. Returns the
/// exit code.
int explain_cell(const What& what, const std::string& cell, bool json);

}  // namespace headlight
