// A handout as one HTML file: words, mathematics, pictures and fonts, and nothing that is loaded from elsewhere.
#pragma once

#include <string>

#include "app/figures/handout/handout.hpp"
#include "app/session/export/export_choices.hpp"

namespace headlight {

/// The file. `paper` is what a browser prints it on.
std::string to_html(const Handout& handout, Paper paper);

}  // namespace headlight
