// The forward pass as one table: for each tensor the operation that makes it, its operands, its words, its line of
// code, and how it is computed and explained. There is no other description of the graph: the equation on the screen,
// the map with its wires, the formulas, the scripts, the memory estimate and the list of tensors made from a number's
// tensor are all read from this table (see graph.hpp).
//
// A new operation needs a file in this folder that defines one entry, and a line in list.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/model/explanation.hpp"
#include "core/model/trace.hpp"
#include "core/stages/code.hpp"

namespace headlight {

enum class StageKind : std::uint8_t {
  drawn,        ///< always from the random generator or given (random/draws.hpp); the only kind without `compute`
  product,      ///< left @ right, plus `added` in every row
  elementwise,  ///< each number is computed from the number in the same place
  rowwise,      ///< each number is computed from the row that it stands in
  rotation,     ///< each number is computed from two of its row: the pair of features that is turned together
  window,       ///< the same numbers under other indices: heads split or joined
  given,        ///< from the setup alone, such as a table of positions; the only computed kind without operands
  reduced,      ///< each number is computed from a whole row: the loss
  gradient,     ///< what comes back to a tensor through the stages that read it
};

/// A tensor that a stage reads.
struct Operand {
  enum class Slot : std::uint8_t { left, right, added };

  TensorId tensor = TensorId::X;
  /// Products have a left and a right operand, other stages only a left one. What is added is added to the result of
  /// the operation on these: behind the scale, for one, if the operation scales.
  Slot slot = Slot::left;
  bool transposed = false;               ///< read with its last two axes swapped
  bool (*used)(const Setup&) = nullptr;  ///< under which setups the stage reads it; null: whenever the tensor exists
};

struct Stage;

/// A stage that reads a tensor: a way on which the loss depends on it, and which its gradient comes back.
struct GradientPath {
  const Stage* through = nullptr;
  Operand operand;
};

/// How a stage is walked backwards. The loss L depends on a number of an operand through every number of the result
/// that is made with it, so what comes back is Σ ∂L/∂result · ∂result/∂number. All is null for a stage that L never
/// depends on.
struct Backward {
  /// This sum for every number of the operand, in its shape. Reads the result's gradient, the other operands of a
  /// product, and what `reads` lists.
  Tensor (*compute)(const Trace& trace, Workspace& workspace, const GradientPath& path) = nullptr;
  /// Adds the sum's terms for one cell of the operand to the explanation of its gradient, and their formula.
  void (*explain)(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) = nullptr;
  /// The sum as an expression of NumPy: "grad_dot_products @ K_heads".
  std::string (*code)(const Code& code, const GradientPath& path) = nullptr;
  std::span<const TensorId> reads = {};
  /// Whether what comes back is a window on the result's gradient; null: never.
  bool (*is_window)(const GradientPath& path) = nullptr;
};

/// The phases of the forward pass, as lectures count them; each is a heading of the map.
enum class Phase : std::uint8_t { input, project, split, scores, weights, context, concat, output, loss };
struct PhaseInfo {
  std::string_view title;     ///< "Project"
  std::string_view sentence;  ///< what happens there, in a few words

  friend bool operator==(const PhaseInfo&, const PhaseInfo&) = default;
};
/// All phases, in the order of Phase.
std::span<const PhaseInfo> phases();

/// A word of a formula, such as "÷ √d", with its subscript, such as "head".
struct FormulaWord {
  std::string text;
  std::string subscript;
};

/// How an operation other than a product is written, with the numbers of the setup.
struct StageWords {
  std::string operation;            ///< between operand and result: "÷ √4", "causal mask"
  std::string below;                ///< below the result's thumbnail on the map: "÷ √4", "mask: causal"
  std::string below_briefly;        ///< the same in fewer letters, for narrow places
  std::vector<FormulaWord> before;  ///< in the formula of attention, before the operand: "softmax ("
  std::vector<FormulaWord> after;   ///< in the formula of attention, after the operand: ")"
};

struct Stage {
  TensorId result = TensorId::X;
  StageKind kind = StageKind::drawn;
  Phase phase = Phase::input;
  std::string_view title;    ///< "Dot products"
  std::string_view formula;  ///< "dot_products = Q_heads @ K_headsᵀ"
  std::span<const Operand> operands = {};
  /// Whether the result is the operand itself, without a copy, as when there is no mask; null: never.
  bool (*passes_on)(const Setup& setup) = nullptr;
  /// Whether two setups agree in everything that the stage reads besides its operands; null if it reads nothing else.
  /// If they agree and the operands are unchanged, the engine keeps the last result.
  bool (*same_settings)(const Setup& a, const Setup& b) = nullptr;
  /// Whether the stage also reads the dropout decisions (trace.kept), which are drawn after everything else.
  bool takes_chances = false;
  /// Whether the stage also reads what is asked (trace.sequences).
  bool asks = false;
  /// How the operation is written. Null for those that are written with their operands alone: draws, products and what
  /// is given.
  StageWords (*words)(const Setup& setup) = nullptr;
  /// Fills trace[result] from its operands and the setup. Throws Stopped if the caller has cancelled.
  void (*compute)(Trace& trace, Workspace& workspace) = nullptr;
  /// Explains one cell of the result.
  Explanation (*explain)(const Trace& trace, const Cell& cell) = nullptr;
  /// The way back, from the result's gradient to an operand's.
  Backward backward = {};
  /// The lines of Python that compute the result. Null for draws, whose lines follow the order of the draws (draw_code
  /// in formats/script/script.hpp).
  CodeLines (*code)(const Code& code) = nullptr;
  /// The comment above those lines in a script; null: they follow the previous stage's lines without one.
  std::string (*heading)(const Code& code) = nullptr;
};

/// One stage for each tensor of the forward pass, in the order of TensorId, which is also the order in which they run.
std::span<const Stage> stages();
/// The stages of the way back, which run after those: one for each gradient, in the order of TensorId. They follow from
/// the `backward` of the others (gradient.cpp).
std::span<const Stage> gradient_stages();
/// What stands aside: run last, and only made from tensors of the forward pass.
std::span<const Stage> aside_stages();
/// All of them, one after the other.
std::span<const Stage> all_stages();
/// Those of them that the setup can need at all: without a task there is no way back.
std::span<const Stage> stages_for(const Setup& setup);
/// The stage that makes the tensor.
const Stage& stage_of(TensorId id);

/// What makes the tensor under a setup, as a heading and as a formula: those of its stage, except that a drawn tensor
/// may be given, or stay zero.
struct Making {
  std::string_view title;
  std::string_view formula;
};
Making making_of(TensorId id, const Setup& setup);

bool same_settings(const Stage& stage, const Setup& a, const Setup& b);

/// Whether both setups have as many heads and key-value heads: all the settings that a stage of heads reads.
bool same_heads(const Setup& a, const Setup& b);

/// Whether the engine makes the tensor as a window on an earlier one: split heads, concat, or masked scores without a
/// mask.
bool is_window(TensorId id, const Setup& setup);

}  // namespace headlight
