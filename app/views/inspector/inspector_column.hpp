// What the parts of the inspector share. They stand one under the other: each takes rows off a column and draws in
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/drawing/canvas.hpp"
#include "app/views/frame/view_context.hpp"
#include "core/model/explanation.hpp"
#include "core/stages/table.hpp"

namespace headlight {

/// Where the next row goes.
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
  bool visible(const Rect& r) const;
};

/// A rule over the whole panel, a title, and quiet words at the right.
void draw_section(Column& column, std::string_view title, std::string_view right = {});

/// Words that pin a cell; returns whether they were clicked. `ink` is their colour when nobody points at them.
bool cell_link(Column& column, std::string_view id, const Rect& r, std::string_view text, TextStyle style, Color ink,
               const Cell& cell, Align align = Align::left);

/// The cell's indices with their identities: "scores[0, h1, q2, k0]".
std::vector<Run> cell_runs(const Theme& theme, const Cell& cell, TextStyle style, std::vector<std::string>& storage);

/// The identity of the tensor that a factor is a cell of.
Color factor_ink(const Theme& theme, const Factor& factor);

}  // namespace headlight
