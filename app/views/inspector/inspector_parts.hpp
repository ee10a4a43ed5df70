// The parts of the inspector, each a box. A part that has nothing to say is an empty one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/boxes/box.hpp"
#include "app/views/base/panel_boxes.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/explanation.hpp"

namespace headlight {

/// The height of a row with links.
float line_with_links(const Ui& ui);

/// Words on the left, and a number on the right.
Box number_row(ViewContext& context, std::string label, std::string number, TextStyle style = TextStyle::mono);
/// A thin rule, above a result.
Box rule(ViewContext& context);

/// The menu of a cell, after a right click on `r`.
void offer_cell_menu(ViewContext& context, const Rect& r, const Cell& cell);

/// Text that leads to a cell: a click pins the cell, and a right click opens its menu. Only the text can be clicked.
/// `ink` is its colour without hovering.
void draw_cell_link(ViewContext& context, std::string_view id, const Rect& r, std::string_view text, TextStyle style,
                    Color ink, const Cell& cell, Align align = Align::left);
/// The same as a box: the cell's name, with its layer where the setup has several, or other text.
Box cell_link(ViewContext& context, std::string id, const Cell& cell);
Box cell_link(ViewContext& context, std::string id, const Cell& cell, std::string text, Color ink);

/// The cell's name with its indices in their identity colours: "scores[0, h1, q2, k0]", with its layer where the setup
/// has several.
Box cell_name(const Theme& theme, const Cell& cell, const Setup& setup, TextStyle style);

/// The identity colour of the factor's tensor.
Color factor_ink(const Theme& theme, const Factor& factor);

// --- The parts -------------------------------------------------------------------------------------------------------

/// How a number is computed: the terms of its sum as bars, or its factors if it is a single product.
Box terms_part(ViewContext& context, const std::shared_ptr<const Explanation>& explanation);
/// A score or logit of a model with a residual stream by who wrote it; of other numbers of a head the score behind
/// them. Nothing for other cells, and while a step asks.
Box sources_part(ViewContext& context, const Cell& cell);
/// For a weight: its score, and what the query is made of, back to the layer's input. Nothing for other cells, while a
/// step asks about one of the numbers, or where the layer has none before its weights.
Box path_back_part(ViewContext& context, const Explanation& explanation);
/// How a number is used: its softmax row, and the cells that are computed from it.
Box destinations_part(ViewContext& context, const Explanation& explanation);
/// The effects of a number that was given by hand: in every tensor the cell that changed most, before and after.
/// Nothing for other cells.
Box effects_part(ViewContext& context, const Cell& cell);
/// The cell's whole tensor: statistics, histogram, and the range of values of its colours.
Box range_part(ViewContext& context, const Cell& cell);

}  // namespace headlight
