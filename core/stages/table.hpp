// What a line of the forward pass may say (its lines are in forward_pass.cpp), and the whole table: a stage for each
// tensor, which says how it is made. There is no other description of the graph: the equation on the screen, the map
// with its wires, the formulas, the scripts, the memory estimate and the engine's decisions are all read from this
// table (see graph.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/model/explanation.hpp"
#include "core/model/trace.hpp"
#include "core/stages/code.hpp"

namespace headlight {

enum class StageKind : std::uint8_t {
  drawn,        ///< always from the random generator or given (random/draws.hpp); the only kind without `compute`
  product,      ///< left @ right, plus `added` in every row
  elementwise,  ///< each number is computed from the number in the same cell
  rowwise,      ///< each number is a share of its row: a softmax
  norm,         ///< each number is brought to the spread of its row, times a gain, plus a shift
  rotation,     ///< each number is computed from two of its row: the pair of features that is turned together
  window,       ///< the same numbers under other indices: heads split or joined
  given,      ///< from the setup alone, such as a table of positions; without operands, but where it only passes one on
  reduced,    ///< each number is computed from a whole row: the loss
  looked_up,  ///< each row is one of a table's, or the sum of several
  gradient,   ///< how the loss changes with each number, from the stages that read the tensor
};

/// The phases of the forward pass, as lectures count them; each is a heading of the map.
enum class Phase : std::uint8_t { input, norm, project, split, scores, weights, context, concat, output, block, loss };
struct PhaseInfo {
  std::string_view title;     ///< "Project"
  std::string_view sentence;  ///< the phase in a few words

  friend bool operator==(const PhaseInfo&, const PhaseInfo&) = default;
};

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

/// The words of an operation that its operand follows in brackets: "softmax" as `before` makes "softmax (…)".
inline StageWords in_brackets(std::string_view before, std::string operation, std::string below, std::string briefly) {
  return {.operation = std::move(operation),
          .below = std::move(below),
          .below_briefly = std::move(briefly),
          .before = {{std::string(before) + " (", {}}},
          .after = {{")", {}}}};
}

/// A tensor that a stage reads.
struct Operand {
  /// Products have a left and a right operand. A norm may have a right one too, its gain; other stages have only a left
  /// one. An added operand is added to the result of the operation on these: after the scaling, for example, if the
  /// operation scales.
  enum class Slot : std::uint8_t { left, right, added };

  TensorId tensor = TensorId::X;
  Slot slot = Slot::left;
  bool transposed = false;  ///< read with its last two axes swapped
};

struct Operation;

/// How one tensor is made: by an operation, from its operands.
struct Stage {
  TensorId result = TensorId::X;
  const Operation* operation = nullptr;
  /// In a line of the forward pass, operands in the same slot are alternatives: the first that exists under the setup
  /// is read (operand_at in graph.hpp).
  std::vector<Operand> operands = {};
  StageKind kind = StageKind::drawn;
  Phase phase = Phase::input;
  std::string title = {};    ///< "Dot products"
  std::string formula = {};  ///< "dot_products = Q_heads @ K_headsᵀ"

  /// The result, from operands that the trace holds. Throws Stopped if the caller has cancelled.
  Tensor compute(const Trace& trace, Workspace& workspace) const;
  /// Explains one cell of the result.
  Explanation explain(const Trace& trace, const Cell& cell) const;
  /// What divides one cell of a norm's result (Operation::divisor); 1 for all other stages.
  double divisor(const Trace& trace, const Cell& cell) const;
  /// The lines of Python that compute the result; none for draws, whose lines follow the order of the draws (draw_code
  /// in formats/script/draw_code.hpp).
  CodeLines code(const Code& code) const;
  /// How the operation is written; nothing for those that are written with their operands alone.
  StageWords words(const Setup& setup) const;
  /// Whether two setups agree in everything that the stage reads besides its operands. If they agree and the operands
  /// are unchanged, the engine keeps the last result.
  bool same_settings(const Setup& a, const Setup& b) const;
};

/// A path on which the loss depends on a tensor: a stage that reads it.
struct GradientPath {
  const Stage* through = nullptr;
  Operand operand;
};

/// The backward pass of an operation. The loss L depends on a number of an operand through every number of the result
/// that is made with it, so the gradient on this path is Σ ∂L/∂result · ∂result/∂number.
struct Backward {
  /// This sum for every number of the operand, in its shape. Reads the result's gradient, the other operands of a
  /// product, and what `reads` lists.
  Tensor (*compute)(const Trace& trace, Workspace& workspace, const GradientPath& path) = nullptr;
  /// Adds the sum's terms for one cell of the operand to the explanation of its gradient, and their formula.
  void (*explain)(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) = nullptr;
  /// The sum as an expression of NumPy: "grad_dot_products @ K_heads".
  std::string (*code)(const Code& code, const GradientPath& path) = nullptr;
  std::span<const TensorId> reads = {};
  /// Whether it also reads the operand itself, as the slope of a bend does.
  bool reads_operand = false;
  /// Whether the gradient on this path is a window on the result's gradient; null: never.
  bool (*is_window)(const GradientPath& path) = nullptr;
  /// The operation never runs beside a task, so that no loss depends on it and it needs no backward pass.
  bool never_needed = false;
};

/// The work of a stage on its operands, forward and backward. Each is defined in the file of its name, or in the one
/// named beside its declaration in forward_pass.cpp.
struct Operation {
  StageKind kind = StageKind::drawn;
  /// "Softmax"; {} is what the rows of the result are, as in "Project the {}". Empty: the title of the result.
  std::string_view title;
  /// "{0} = softmax({1}) over the keys": {0} is the result, {1} and so on are the operands.
  std::string_view formula;
  /// Whether the result is the operand itself, without a copy, as when there is no mask; null: never.
  bool (*passes_on)(const Setup& setup) = nullptr;
  /// Whether two setups agree in everything that the operation reads of them; null if it reads nothing of them.
  bool (*same_settings)(const Setup& a, const Setup& b) = nullptr;
  /// Whether it also reads the dropout decisions (trace.kept), which are drawn after everything else.
  bool takes_chances = false;
  /// Whether it also reads what is asked (trace.sequences).
  bool asks = false;
  /// How it is written; null for those that are written with their operands alone: draws, products and what is given.
  StageWords (*words)(const Setup& setup) = nullptr;
  Tensor (*compute)(const Stage& stage, const Trace& trace, Workspace& workspace) = nullptr;
  Explanation (*explain)(const Stage& stage, const Trace& trace, const Cell& cell) = nullptr;
  /// Of a norm: the spread or root mean square that divides a cell of its result. Infinite where the squares of its row
  /// are too large for float64; the norm makes zeros of such a row, as its formula does in NumPy (PyTorch 1.13's
  /// layer_norm: NaN). Null: the operation has none.
  double (*divisor)(const Stage& stage, const Trace& trace, const Cell& cell) = nullptr;
  Backward backward = {};
  CodeLines (*code)(const Stage& stage, const Code& code) = nullptr;
  /// The comment above those lines in a script. Empty: they follow the lines before without one, as they do where the
  /// line before is of the same operation.
  std::string_view heading = {};
  /// The same where it depends on the stage or the setup.
  std::string_view (*varying_heading)(const Stage& stage, const Code& code) = nullptr;
};

/// All phases, in the order of Phase.
std::span<const PhaseInfo> phases();

/// Whether the tensor belongs to a phase before the projections: an input, its positions, or its norm.
bool is_before_projection(TensorId tensor);

/// One stage for each tensor of the forward pass, in the order of TensorId, which is also the order in which they run.
std::span<const Stage> stages();
/// The stages of the backward pass, which run after those: one for each gradient, in the order of TensorId. They follow
/// from the `backward` of the others (gradient.cpp).
std::span<const Stage> gradient_stages();
/// Those of the tensors from which nothing is computed: run last, and only made from tensors of the forward pass.
std::span<const Stage> aside_stages();
/// All of them, one after the other.
std::span<const Stage> all_stages();
/// Those of them that the setup can need at all: without a task there is no backward pass.
std::span<const Stage> stages_for(const Setup& setup);
/// The stage that makes the tensor.
const Stage& stage_of(TensorId id);

/// Throws std::logic_error, which names the tensor, unless every tensor is drawn or the result of a stage with all that
/// its kind needs, and every operation that the loss depends on has a backward pass.
void require_complete(std::span<const Stage> forward);

/// What makes the tensor under a setup, as a heading and as a formula: those of its stage, except that a drawn tensor
/// may be given, or stay zero.
struct StageText {
  std::string_view title;
  std::string_view formula;
};
StageText text_of(TensorId id, const Setup& setup);

/// What a layer with a residual stream hands to the layer above: the stream, or what its last norm makes of it.
TensorId what_leaves(const Setup& setup);
inline const Tensor& what_leaves(const Trace& trace) { return trace[what_leaves(trace.setup)]; }

/// Whether words about how one tensor is made suit the other. A gradient is only like itself.
bool made_alike(TensorId a, TensorId b, const Setup& setup);

/// The scores, with −inf where the mask hides the key from the query (mask.cpp). (batch, head, query, key)
Tensor masked_where_hidden(const Tensor& scores, const Setup& setup, Workspace& workspace);

/// The softmax of each row of scores, with the sinks of the trace (softmax.cpp). (batch, head, query, key), one row of
/// keys after the other
Tensor softmax_over_keys(const Tensor& scores, const Trace& trace, Workspace& workspace);

/// The hidden keys where only the weights are known: the masked scores of scores that are 0, which all heads share.
/// Empty without a mask, and where there are masked scores.
Tensor hidden_without_scores(const Setup& setup, Workspace& workspace);

/// Whether both setups have as many heads and key-value heads: all the settings that a stage of heads reads.
bool same_heads(const Setup& a, const Setup& b);

/// Whether the engine makes the tensor as a window on an earlier one: split heads, concat, or masked scores without a
/// mask.
bool is_window(TensorId id, const Setup& setup);

}  // namespace headlight
