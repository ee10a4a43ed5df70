// A handout as pages of paper.
#pragma once

#include <string>

#include "app/figures/handout/handout.hpp"
#include "app/session/export/paper.hpp"

namespace headlight {

/// The PDF file. No picture is cut, and no heading stands alone at the foot of a page. Throws MachineError if there is
/// no OpenGL 3.3, with whose fonts the words are measured.
std::string to_pdf(const Handout& handout, Paper paper);

}  // namespace headlight
