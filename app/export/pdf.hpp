// A drawing as PDF: one page of real shapes and selectable text.
#pragma once

#include <string>

#include "app/export/page.hpp"
#include "app/ui/drawing/display_list.hpp"

namespace headlight {

/// The PDF document: a page of the given size (96 pixels to the inch), the fonts cut down to what is used and embedded.
/// The same drawing gives the same bytes. Throws std::runtime_error where Cairo fails.
std::string to_pdf(const DisplayList& drawing, const VectorOptions& options);

}  // namespace headlight
