// What the pictures of equations share: how lengths are divided, titles, bands, and pictures with a zoom.
#pragma once

#include <string_view>
#include <vector>

#include "app/heatmap/heatmap.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/tensors/tensor_picture.hpp"

namespace headlight {

inline constexpr float widest_cell = 76;
inline constexpr float highest_cell = 68;
inline constexpr float title_row = 26;

/// Two runs of cells share a length.
struct Shares {
  float first = 0;
  float second = 0;
};
/// Cells of one pitch, at most `largest`, while neither run gets less than a good part of the length that it could use.
Shares shared(Index first, Index second, float length, float largest);

/// The picture of an operand for the selected batch item and head.
TensorPicture operand_picture(const ViewContext& context, const ShownTensor& operand);

/// "Kᵀ keys, head 1 ... (4, 4)" in one row, in the tensor's identity.
/// `reduced`: several cells share a pixel, and the title says what it shows of them.
void draw_operand_title(const Canvas& canvas, const Rect& row, const TensorPicture& picture, const Setup& setup,
                        bool reduced = false);

struct Band {
  Rect rect;
  Color identity;
};
void draw_tints(const Canvas& canvas, const std::vector<Band>& bands);
void draw_outlines(const Canvas& canvas, const std::vector<Band>& bands);

/// Whether cells beside the lit ones go quiet: something of the equation is hovered, or the selection is pinned.
bool focused(const ViewContext& context);

/// The cell that lights the equation, as a place of its tensor; `cell` is the session's, or the selection's where
/// another tensor than these is hovered.
struct Focus {
  TensorId tensor = TensorId::X;
  Index row = 0;
  Index column = 0;
};
Focus focus_of(const ViewContext& context, std::initializer_list<TensorId> shown, TensorId otherwise);

}  // namespace headlight
