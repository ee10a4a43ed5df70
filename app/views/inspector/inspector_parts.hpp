// The parts of the inspector, and the column that they share: each part cuts off the rows that it draws in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/drawing/canvas.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/explanation.hpp"
#include "core/stages/table.hpp"

namespace headlight {

/// The free part of the panel; `y` is the top of the next row.
struct Column {
  ViewContext& context;
  float x = 0;
  float width = 0;
  float y = 0;

  Rect row(float height) {
    y += height;
    return {x, y - height, width, height};
  }
  void space(float height) { y += height; }
  /// The height of a row with links.
  float line() const;
  bool visible(const Rect& r) const;
};

/// A rule across the panel, a title, and quiet words on the right.
void draw_section(Column& column, std::string_view title, std::string_view right = {});

/// Words in as many rows as they need, each `line` high.
void draw_paragraph(Column& column, std::string_view words, TextStyle style, Color ink, float line);

/// The menu of a cell, after a right click on `r`.
void offer_cell_menu(Column& column, const Rect& r, const Cell& cell);

/// A link to a cell: a click pins the cell, and a right click opens its menu. Returns whether it was clicked. `ink` is
/// its colour without hovering.
bool cell_link(Column& column, std::string_view id, const Rect& r, std::string_view text, TextStyle style, Color ink,
               const Cell& cell, Align align = Align::left);

/// The cell's indices in their identity colours: "scores[0, h1, q2, k0]", with its layer where the setup has
/// several.
std::vector<Run> cell_runs(const Theme& theme, const Cell& cell, const Setup& setup, TextStyle style,
                           std::vector<std::string>& storage);

/// The identity colour of the factor's tensor.
Color factor_ink(const Theme& theme, const Factor& factor);

// --- The parts -------------------------------------------------------------------------------------------------------

/// How a number is computed: the terms of its sum as bars, or its factors if it is a single product.
void draw_terms(Column& column, const std::shared_ptr<const Explanation>& explanation);
/// A score or logit of a model with a residual stream by who wrote it; of other numbers of a head the score behind
/// them. Draws nothing for other cells, and while a step asks.
void draw_sources(Column& column, const Cell& cell);
/// For a weight: its score, and what the query is made of, back to the layer's input. Draws nothing for other cells,
/// while a step asks about one of the numbers, or where the layer has none before its weights.
void draw_path_back(Column& column, const Explanation& explanation);
/// How a number is used: its softmax row, and the cells that are computed from it.
void draw_destinations(Column& column, const Explanation& explanation);
/// The effects of a number that was given by hand: in every tensor the cell that changed most, before and after. Draws
/// nothing for other cells.
void draw_effects(Column& column, const Cell& cell);
/// The cell's whole tensor: statistics, histogram, and the range of values of its colours.
void draw_range(Column& column, const Cell& cell);

}  // namespace headlight
