// The cells that a lecture's question is about: hidden until its answer shows, then marked.
#pragma once

#include <optional>
#include <string_view>

#include "app/heatmap/layout.hpp"
#include "app/session/display/selection.hpp"
#include "app/slices/slice.hpp"
#include "app/ui/drawing/canvas.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/explanation.hpp"

namespace headlight {

/// Shown instead of the step's number while the step asks for that number.
inline constexpr std::string_view words_on_asked =
    "The step asks about this. Point at any number to see where it comes from.";

/// The sentence in place of a number's explanation, while the step asks about the number or about one that it is
/// computed from; else empty.
std::string_view words_instead_of(const Session& session, const Explanation& explanation);

/// Whether the step asks about numbers of this tensor, and the answer does not show yet. Then its smallest and largest
/// number must not show either. The layer is the shown one, or that of a setup that is asked about another.
bool asks_about(const Session& session, TensorId tensor);
bool asks_about(const Session& session, TensorId tensor, const Setup& layer);

/// The slice of a tensor at this batch item and head, in which what the step asks about is masked: no number, colour or
/// file made from it holds the answer.
Slice without_asked(const Session& session, const Selection& selection, Slice slice);

/// The choice in the picture that the keyboard is on: while the question's field has the focus.
struct AimedChoice {
  std::optional<double> choice;
};

/// Covers a cell with "?", with a ring if it is the guess.
void draw_hidden_cell(const Canvas& canvas, const Rect& cell, bool guessed = false);

/// Covers what the step asks about with "?", but for cells to be found, and marks the guess; once the answer shows,
/// marks it and a wrong guess with badges. The picture shows a matrix (a tensor, a batch item and a head) from the cell
/// `origin` on. Draws nothing in pictures of other tensors.
void draw_asked_cells(const ViewContext& context, const Selection& matrix, GridCell origin,
                      const HeatmapLayout& layout);

/// The badges of this frame at this frame around cells once more, which has been drawn over them.
void draw_signs_over(const ViewContext& context, const Rect& frame);

}  // namespace headlight
