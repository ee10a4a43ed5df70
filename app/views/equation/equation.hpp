// Chooses the picture that explains a tensor: the product that computes it, the operation on each cell, the heads that
// it is split into or joined from, or the tensor alone if it is made from no other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/names.hpp"
#include "core/model/setup.hpp"
#include "core/stages/table.hpp"

namespace headlight {

enum class EquationKind : std::uint8_t { alone, product, elementwise, pieces };

/// A tensor in an equation. When `transposed`, its rows run across the screen.
struct ShownTensor {
  TensorId tensor = TensorId::X;
  bool transposed = false;
};

struct Equation {
  EquationKind kind = EquationKind::alone;
  ShownTensor result;
  /// product: `left` @ `right` as they are on the screen. With tokens in columns C = A B is shown as Cᵀ = Bᵀ Aᵀ,
  /// which is how such notebooks write it.
  ShownTensor left;
  ShownTensor right;
  std::optional<ShownTensor> bias;  ///< what is added to the result of the operation
  /// elementwise: the input of the operation. pieces: the tensor that is split or joined.
  ShownTensor before;
  /// Of a gradient: the tensor that it belongs to, which is shown beside it, and the only path on which it comes back,
  /// if the picture shows that.
  std::optional<ShownTensor> twin;
  std::optional<GradientPath> path;
};

/// The tensor must exist under the setup.
Equation equation_of(TensorId tensor, const Setup& setup);

/// What a path back does to what comes back, briefly: "· Vᵀ", "softmax′", "÷ √4", "split heads".
std::string words_of(const GradientPath& path, const Setup& setup);

/// A tensor as formulas and titles write it: the base "W" with the subscript "q", or "Q" without one.
struct Symbol {
  std::string base;
  std::string subscript;
};
Symbol symbol_of(TensorId tensor);
/// "queries", "head 1", "item 2": the words beside the symbol in a title, the most important last.
std::vector<std::string> title_words(TensorId tensor, Index batch, Index head, const Setup& setup);

}  // namespace headlight
