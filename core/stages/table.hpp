// The forward pass as one table: for each tensor the operation that makes it, with its operands, its words, its line of
// code and how it is computed and explained. This is the only graph: where a number goes, the equation on the screen,
// the map with its wires, the formula, the scripts and the memory estimate are read from it (see graph.hpp).
//
// A new operation is a file of its own here that defines one entry, and a line in list.hpp.
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
  drawn,        ///< from the random generator (random/draws.hpp); the one kind without `compute`
  product,      ///< left @ right, and what is added to every row
  elementwise,  ///< each number from the number in the same place
  rowwise,      ///< each number from the row that it stands in
  window,       ///< the same numbers under other indices: heads split or joined
};

/// A tensor that a stage reads.
struct Operand {
  enum class Place : std::uint8_t { left, right, added };

  TensorId tensor = TensorId::X;
  Place place = Place::left;             ///< in a product; everything else has a left operand only
  bool transposed = false;               ///< with its last two axes swapped
  bool (*used)(const Setup&) = nullptr;  ///< null: wherever the tensor exists
};

/// What lectures count: the headings of the map.
enum class Phase : std::uint8_t { input, project, split, scores, weights, context, concat, output };
struct PhaseInfo {
  std::string_view title;     ///< "Project"
  std::string_view sentence;  ///< what happens there, in a few words

  friend bool operator==(const PhaseInfo&, const PhaseInfo&) = default;
};
/// In the order of Phase.
std::span<const PhaseInfo> phases();

/// A word of a formula: "÷ √d" with the subscript "head".
struct FormulaWord {
  std::string text;
  std::string subscript;
};

/// How an operation that is no product is written, with the setup's own numbers.
struct StageWords {
  std::string operation;            ///< between what goes in and what comes out: "÷ √4", "causal mask"
  std::string below;                ///< below its thumbnail on the map: "÷ √4", "mask: causal"
  std::string below_briefly;        ///< the same where there is less room
  std::vector<FormulaWord> before;  ///< in the formula of attention, before what goes in: "softmax ("
  std::vector<FormulaWord> after;   ///< and behind it: ")"
};

struct Stage {
  TensorId result = TensorId::X;
  StageKind kind = StageKind::drawn;
  Phase phase = Phase::input;
  std::string_view title;    ///< "Dot products"
  std::string_view formula;  ///< "dot_products = Q_heads @ K_headsᵀ"
  std::span<const Operand> operands = {};
  /// Whether the result is the operand itself, without a copy, as without a mask; null: never.
  bool (*passes_on)(const Setup& setup) = nullptr;
  /// Whether two setups agree in all that the stage reads besides its operands; null where it reads nothing else. Then
  /// unchanged operands mean that it would compute what it already has.
  bool (*same_settings)(const Setup& a, const Setup& b) = nullptr;
  /// Whether it also takes random decisions (trace.kept), drawn after everything else.
  bool takes_chances = false;
  /// Null for draws and products, which are written by their operands.
  StageWords (*words)(const Setup& setup) = nullptr;
  /// Fills trace[result] from its operands and the setup.
  void (*compute)(Trace& trace, Workspace& workspace) = nullptr;
  /// The explanation of one cell of the result.
  Explanation (*explain)(const Trace& trace, const Cell& cell) = nullptr;
  /// The lines of Python that do it. Null for draws, whose lines follow the order of the draws (draw_code in
  /// formats/script/script.hpp).
  CodeLines (*code)(const Code& code) = nullptr;
  /// The comment above those lines in a script; null: they stand below the lines of the stage before.
  std::string (*heading)(const Code& code) = nullptr;
};

/// One for each tensor, in the order of TensorId, which is the order in which they run.
std::span<const Stage> stages();
/// The stage that makes the tensor.
const Stage& stage_of(TensorId id);

bool same_settings(const Stage& stage, const Setup& a, const Setup& b);

/// Whether the engine makes the tensor as a window on an earlier one: split heads, concat, scores that no mask hides.
bool is_window(TensorId id, const Setup& setup);

}  // namespace headlight
