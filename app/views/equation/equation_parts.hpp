// What the pictures of equations share: their tensors, division of lengths, titles, the focused cell.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "app/heatmap/heatmap.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/tensors/picture_cells.hpp"

namespace headlight {

/// A cell grows with its window up to this, and its number with it.
inline constexpr float widest_cell = 176;
inline constexpr float highest_cell = 132;
inline constexpr float title_row = 26;

/// How far a picture that ends at `end` moves to be centred in the area.
inline Point to_the_middle(const Rect& area, Point end) {
  return {std::max(0.0f, area.right() - end.x) / 2, std::max(0.0f, area.bottom() - end.y) / 2};
}

/// The lengths of two runs of cells, one after the other, in design pixels.
struct Shares {
  float first = 0;
  float second = 0;
};
/// Divides `length` so that all cells have the same pitch, at most `largest`. Where that is less than `readable`, a
/// short run still gets a minimum share, and one that is short enough to be read gets `readable` for each cell if the
/// other is not.
Shares shared(Index first, Index second, float length, float largest, float readable);

/// The pictures of an equation's tensors for the selected batch item and head. Those that its kind does not have are
/// empty.
struct EquationPictures {
  TensorPicture result;
  TensorPicture left;
  TensorPicture right;
  TensorPicture before;
  std::optional<TensorPicture> bias;
  std::optional<TensorPicture> twin;  ///< of a gradient: the tensor that it belongs to
  std::vector<TensorPicture> heads;   ///< that the tensor is split into, or joined from
};
EquationPictures pictures_of(const ViewContext& context, const Equation& equation);

/// How many rows and columns of a picture are on the screen at first: all, those of the lecture's step, or where a
/// slide shows one row, only one along this axis.
CellsAtFirst shown_cells(const Session& session, const TensorPicture& picture, const Rung& rung, ZoomAxis along);
/// The zoom, or where a slide shows one row, that of this row alone.
Zoom shown_zoom(Zoom zoom, const Rung& rung, ZoomAxis along, Index row);

/// What a title says of the numbers below it.
struct TitleNote {
  bool reduced = false;  ///< several cells share a pixel: how they are combined ("mean per pixel")
  int power = 0;         ///< the numbers are multiples of this power of ten ("×10⁴")
};
/// "Kᵀ keys, head 1 ... (4, 4)" in one row, in the tensor's identity.
void draw_operand_title(const Canvas& canvas, const Rect& row, const TensorPicture& picture, const Setup& setup,
                        const TitleNote& note = {});
void draw_operand_title(const Canvas& canvas, const Rect& row, const PlacedPicture& placed, const Setup& setup);

/// The room between a gradient and the tensor that it belongs to.
inline constexpr float twin_gap = 30;
/// That tensor beside its gradient: the same rows, a solid outline, and a frame where the gradient is lit.
void draw_twin(ViewContext& context, const PlacedPicture& placed, const PictureLight& light, float below);
/// Dashed is a gradient, solid a value: the outline of a picture where both are side by side.
void draw_outline(const Canvas& canvas, const Rect& cells, TensorId tensor, float distance = 8);

/// What happens to a cell while its picture is built up, in words above it: "2.89 × 2.96".
void draw_happening(const Canvas& canvas, const Rect& cell, std::string_view words);

/// Whether unlit cells are drawn quietly: while any cell is hovered or pinned, but not while presenting, where a
/// projector needs all the colour.
bool focused(const ViewContext& context);

/// The cell that lights the equation: its tensor, row and column. It is the session's hovered or pinned cell if that is
/// in one of the `shown` tensors, otherwise the selection's cell in the tensor `otherwise`.
struct Focus {
  TensorId tensor = TensorId::X;
  Index row = 0;
  Index column = 0;
  bool lit = true;  ///< false where lights would point at what the lecture's step asks for
};
Focus focus_of(const ViewContext& context, std::initializer_list<TensorId> shown, TensorId otherwise);
/// The same cell of the gradient, where the focus is in the tensor that it belongs to.
Focus on_gradient(Focus focus, const Equation& equation);

}  // namespace headlight
