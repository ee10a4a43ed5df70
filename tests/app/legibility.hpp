// Reads a recorded drawing as a person in the room would: is every text whole, large enough and on its own, and does
// every cell carry its number?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/drawing/display_list.hpp"
#include "core/text/markdown.hpp"

namespace headlight::testing {

/// What is wrong with the texts in an area, a line for each; empty if nothing. A text must lie within its clip, may not
/// overlap another one, may not end in "…", and must be at least `least_size` design pixels high (sub- and superscripts
/// excepted).
std::vector<std::string> text_complaints(const DisplayList& drawing, const Rect& area, float least_size);

/// The texts that stand across the edge of a box, a line for each; empty if all are inside or outside.
std::vector<std::string> texts_on_edge(const DisplayList& drawing, const Rect& box);

/// Whether the text stands in the area: all of it and in this order, whatever its lines and spaces.
bool shows_text(const DisplayList& drawing, const Rect& area, std::string_view text);

/// Whether all words of a text stand in the area. Math among them is drawn in pieces of its own.
bool shows_words(const DisplayList& drawing, const Rect& area, const Markdown& text);

/// How the cells of the picture at `cells` fare.
struct CellCount {
  int rows = 0;
  int columns = 0;
  int without_number = 0;
  int with_exponent = 0;  ///< "1e4": the power of ten belongs beside the matrix, once
};
CellCount count_cells(const DisplayList& drawing, const Rect& cells);

}  // namespace headlight::testing
