// The formula of attention, piece by piece, as the setup and the table of stages give it; and its ribbon below the
// picture. The part that computes the selected tensor is lit, and every part is a link to its tensor.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// A piece of the formula, and the tensor that a click on it selects.
struct FormulaPiece {
  std::string text;
  std::string subscript;
  TensorId target;
  float space = 6;  ///< to the next piece
};

struct Formula {
  /// The pieces, from `first` up to `end`, that compute a tensor.
  struct Part {
    TensorId tensor;
    std::size_t first;
    std::size_t end;
  };

  std::vector<FormulaPiece> pieces;
  std::vector<Part> parts;

  /// Whether the piece is one of those that compute the tensor.
  bool lit(std::size_t piece, TensorId tensor) const;
};

/// The formula in which the tensor is computed: "Q = X W_q", with the other projections, or for everything behind them
/// "concat ( softmax ( Q · Kᵀ ÷ √d_head + mask ) · V ) · W_o". For a gradient it is the way that it comes back from the
/// loss: "loss → ... → context → V".
Formula formula_of(TensorId tensor, const Setup& setup);

// --- Its ribbon ------------------------------------------------------------------------------------------------------

inline constexpr float formula_ribbon_height = 44;

/// The width that it takes in its smallest type.
float least_formula_width(const ViewContext& context);

void draw_formula_ribbon(ViewContext& context, const Rect& area);

}  // namespace headlight
