// Writes a drawing as PDF: vector shapes and selectable text.
#pragma once

#include <string>

#include "app/export/page.hpp"
#include "app/ui/drawing/display_list.hpp"

namespace headlight {

/// The PDF file: one page of the given size (96 pixels to the inch). Only the characters that are used are embedded
/// from the fonts. The same drawing gives the same bytes. Throws std::runtime_error if Cairo fails.
std::string to_pdf(const DisplayList& drawing, const VectorOptions& options);

}  // namespace headlight
