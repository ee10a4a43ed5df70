// Writes drawings as PDF: pages of vector shapes and selectable text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/export/page.hpp"
#include "app/ui/drawing/display_list.hpp"

namespace headlight {

/// A drawing on a page, scaled to a place in the page's design pixels.
struct PlacedDrawing {
  const DisplayList* drawing = nullptr;
  Rect place;
};

/// A page of a document: what is drawn on it, and other drawings. `marks` are what the document's outline calls it.
struct DocumentPage {
  DisplayList drawing;
  std::vector<PlacedDrawing> others;
  std::vector<std::string> marks;
};

/// A PDF file of several pages of the same size, as to_pdf makes one of a single page.
std::string to_pdf(std::span<const DocumentPage> pages, const VectorOptions& options);

/// The PDF file: one page of the given size (96 pixels to the inch). Only the characters that are used are embedded
/// from the fonts. The same drawing gives the same bytes. Throws std::runtime_error if Cairo fails.
std::string to_pdf(const DisplayList& drawing, const VectorOptions& options);

}  // namespace headlight
