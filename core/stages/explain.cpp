#include "core/stages/explain.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"
#include "core/model/task.hpp"
#include "core/stages/graph.hpp"
#include "core/stages/overflow.hpp"

namespace headlight {
namespace {

/// A long sum is written with this many terms at the front, then the last one.
constexpr std::size_t shown_terms = 4;

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  return value < 0 ? fmt::format("({:.6g})", value) : fmt::format("{:.6g}", value);
}

std::string with_numbers(const Term& term) {
  std::string text;
  for (const Factor& factor : term.factors) text += (text.empty() ? "" : " · ") + number(factor.value);
  return text;
}

std::string with_numbers(const Explanation& explanation) {
  std::string text;
  const auto& terms = explanation.terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool skipped = i >= shown_terms && i + 1 < terms.size();
    if (skipped && i > shown_terms) continue;
    text += (text.empty() ? "" : " + ") + (skipped ? std::string("…") : with_numbers(terms[i]));
  }
  return fmt::format("{} = {}", text, number(explanation.value));
}

/// The block as text: "dot_products[0,1,2,:]"
std::string label_of(const GoesInto& block, const Setup& setup) {
  const Shape extents = shape(block.first.tensor, setup);
  std::vector<std::string> parts;
  for (int axis = 0; axis < extents.rank(); ++axis) {
    const Index first = block.first.index[axis], count = block.counts[axis];
    const bool all = count == extents[axis] && count > 1;
    parts.push_back(all ? ":" : count == 1 ? fmt::format("{}", first) : fmt::format("{}:{}", first, first + count));
  }
  const bool has_layer = !info(block.first.tensor).is_of_model();
  return fmt::format("{}{}[{}]", has_layer ? layer_prefix(block.first.layer) : "", name(block.first.tensor),
                     fmt::join(parts, ","));
}

/// The block of the cells with the other feature of the pair, in the same row.
GoesInto for_partner(GoesInto block, const Setup& setup) {
  Index& feature = block.first.index[block.first.index.rank() - 1];
  feature = partner(feature, setup);
  return block;
}

/// The cells of a tensor that are computed from this cell. Gradients flow from a stage's result to its operands.
std::vector<GoesInto> goes_into(const Cell& cell, TensorId next, const Setup& setup) {
  if (!is_gradient(next)) return cells_made_with(cell, stage_of(next), setup);
  GoesInto block = cells_made_of({gradient_of(cell.tensor), cell.index}, gradient_of(next), setup);
  block.first.tensor = next;
  return {block};
}

/// The same where rows of a table are looked up, or gradients come back to them: which ones, the symbols say.
std::vector<GoesInto> goes_into_looked_up(const Cell& cell, TensorId next, const Trace& trace) {
  const Sequences& sequences = *trace.sequences;
  const Index feature = cell.index[cell.index.rank() - 1];
  std::vector<GoesInto> cells;
  const std::int64_t* one = sequences.ones.data();
  for (Index row = 0; row < sequences.count * sequences.length; ++row)
    for (Index n = 0; n < sequences.held; ++n, ++one) {
      const Shape at{row / sequences.length, row % sequences.length, feature};
      if (*one < 0) continue;
      if (is_gradient(next) && at == cell.index) cells.push_back({{next, {*one, feature}}, {1, 1}, {}});
      if (!is_gradient(next) && *one == cell.index[0]) cells.push_back({{next, at}, {1, 1, 1}, {}});
    }
  return cells;
}

/// x, y and p for the inputs, v for values, else q or k.
char letter_of(TensorId tensor, bool keys) {
  const TensorInfo& about = info(tensor);
  if (is_before_projection(tensor)) return static_cast<char>(about.symbol.front() | 0x20);
  if (!keys) return 'q';
  return about.role == Role::value ? 'v' : 'k';
}

bool names_positions(const Setup& setup, Axis axis) {
  if (!setup.is_cross()) return !setup.tokens.empty();
  if (axis == Axis::key) return !setup.key_tokens.empty();
  return (axis == Axis::query || axis == Axis::token) && !setup.tokens.empty();
}

std::string numbered_head(Index head) { return fmt::format("head {}", head); }

std::string named(bool has_name, std::string name) { return has_name ? std::move(name) : std::string{}; }

}  // namespace

namespace {

/// The cell of the layer below or above that holds the same number, where the cell's tensor is handed from layer to
/// layer.
std::optional<Cell> made_as(const Cell& cell, const Setup& setup) {
  const TensorId leaving = what_leaves(setup);
  if (cell.tensor == TensorId::X && !setup.is_first()) return Cell{leaving, cell.index, setup.layer - 1};
  if (cell.tensor == gradient_of(leaving) && !setup.is_last())
    return Cell{gradient_of(TensorId::X), cell.index, setup.layer + 1};
  return std::nullopt;
}

/// And the one that it goes on as.
std::optional<Cell> goes_on_as(const Cell& cell, const Setup& setup) {
  const TensorId leaving = what_leaves(setup);
  if (cell.tensor == leaving && !setup.is_last()) return Cell{TensorId::X, cell.index, setup.layer + 1};
  if (cell.tensor == gradient_of(TensorId::X) && !setup.is_first())
    return Cell{gradient_of(leaving), cell.index, setup.layer - 1};
  return std::nullopt;
}

Explanation explain_seam(const Trace& trace, const Cell& cell, const Cell& other) {
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("L{}.{}[b,i,f] = L{}.{}[b,i,f]", trace.setup.layer, name(cell.tensor), other.layer,
                                    name(other.tensor));
  explanation.terms = {term("the same number", {{{}, explanation.value, other}})};
  return explanation;
}

/// Puts a layer on every cell of an explanation of one layer.
void stamp(Explanation& explanation, Index layer) {
  for (Term& each : explanation.terms)
    for (Factor& factor : each.factors)
      if (factor.cell) factor.cell->layer = layer;
  for (SoftmaxEntry& entry : explanation.softmax_row) entry.score.layer = layer;
  for (GoesInto& block : explanation.goes_into) block.first.layer = layer;
}

/// How a number is made and what is made with it, in its layer.
Explanation explain_in_layer(const Trace& trace, const Cell& cell) {
  Explanation explanation =
      made_as(cell, trace.setup) ? explanation_of(trace, cell) : stage_of(cell.tensor).explain(trace, cell);
  if (const std::string overflow = note_of_overflow(trace, cell); !overflow.empty())
    explanation.note = explanation.note.empty() ? overflow : fmt::format("{}; {}", explanation.note, overflow);
  for (TensorId next : consumers(cell.tensor, trace.setup)) {
    const TensorId made = is_gradient(next) ? gradient_of(cell.tensor) : next;
    const bool turns =
        stage_of(made).kind == StageKind::rotation && cell.index[cell.index.rank() - 1] < turned_features(trace.setup);
    const bool is_looked_up = stage_of(made).kind == StageKind::looked_up;
    for (const GoesInto& block :
         is_looked_up ? goes_into_looked_up(cell, next, trace) : goes_into(cell, next, trace.setup)) {
      explanation.goes_into.push_back(block);
      if (turns) explanation.goes_into.push_back(for_partner(block, trace.setup));
    }
  }
  return explanation;
}

}  // namespace

Explanation explain(const Trace& trace, const Cell& cell) {
  if (!contains(trace.setup, cell)) parse_cell(to_string(cell), trace.setup);  // throws, with what is allowed
  (void)trace.value(cell);                                                     // throws for a cell of another layer
  const Cell own{cell.tensor, cell.index};
  const Setup& setup = trace.setup;
  Explanation explanation = explain_in_layer(trace, own);
  stamp(explanation, cell.layer);
  if (const auto other = made_as(own, setup)) {
    Explanation seam = explain_seam(trace, own, *other);
    seam.goes_into = std::move(explanation.goes_into);
    explanation = std::move(seam);
  }
  if (const auto other = goes_on_as(own, setup)) {
    Shape single;
    for (int axis = 0; axis < cell.index.rank(); ++axis) single.push_back(1);
    explanation.goes_into.push_back({*other, single, {}});
  }
  explanation.cell = cell;
  explanation.numbers = with_numbers(explanation);
  for (GoesInto& block : explanation.goes_into) block.label = label_of(block, setup);
  return explanation;
}

AxisLabel label_on_axis(TensorId tensor, int axis, Index index, const Setup& setup) {
  const Axis counts = info(tensor).axes[static_cast<std::size_t>(axis)];
  switch (counts) {
    case Axis::batch: return {"", fmt::format("item {}", index)};
    case Axis::head: return {named(!setup.head_names.empty(), setup.head_label(index)), numbered_head(index)};
    case Axis::kv_head: return {"", numbered_head(index)};
    case Axis::query:
    case Axis::key:
    case Axis::token:
    case Axis::position: {
      const bool keys = counts == Axis::key;
      const std::string label = keys                    ? setup.key_label(index)
                                : counts == Axis::query ? setup.query_label(index)
                                                        : setup.token_label(index);
      return {named(names_positions(setup, counts), label), fmt::format("{}{}", letter_of(tensor, keys), index)};
    }
    case Axis::d_model:
    case Axis::d_source:
    case Axis::d_out: {
      const bool has_name = setup.names_features() && named_axis(counts, setup) == Axis::d_model;
      return {named(has_name, setup.feature_label(index)), fmt::format("d{}", index)};
    }
    case Axis::answers: return {symbol_word(index % setup.symbols(), setup.task), fmt::format("d{}", index)};
    case Axis::symbols: return {symbol_word(index % setup.symbols(), setup.task), fmt::format("s{}", index)};
    case Axis::d_mlp: return {"", fmt::format("n{}", index)};
    default: return {"", fmt::format("d{}", index)};
  }
}

std::string head_words(Index head, const Setup& setup) {
  return setup.head_names.empty() ? numbered_head(head) : setup.head_label(head);
}

// --- For the explanations of operations ------------------------------------------------------------------------------

namespace {

/// The label of the n-th summand: the key's token if the sum runs over keys, else the feature, "d0".
std::string summand_label(Axis summed, Index n, const Setup& setup) {
  return summed == Axis::key ? setup.key_label(n) : fmt::format("d{}", n);
}

}  // namespace

std::string letter(Axis axis, Axis summed, const TensorInfo& result, const Setup& setup) {
  const bool meets_queries = result.has(Axis::query);
  const bool has_past = setup.past() > 0;
  switch (axis) {
    case Axis::batch: return "b";
    case Axis::head: return "h";
    case Axis::kv_head: return setup.kv_heads() == setup.sizes.heads ? "h" : "h // (heads/kv_heads)";
    case Axis::query:
    case Axis::position: return "i";
    case Axis::token: return !has_past ? "i" : meets_queries ? "past+i" : "j";
    case Axis::key: return meets_queries || has_past ? "j" : "i";
    case Axis::d_head: return "d";
    // The features of X are those of the source in self-attention.
    case Axis::d_source:
    // What leaves a layer with a stream is as wide as what enters it.
    case Axis::d_out: return summed == Axis::d_model || summed == axis ? "n" : "c";
    default: return axis == summed ? "n" : "c";
  }
}

std::string indexed(TensorId id, Axis summed, const TensorInfo& result, const Setup& setup) {
  std::vector<std::string> letters;
  for (Axis axis : info(id).axis_list()) letters.push_back(letter(axis, summed, result, setup));
  return fmt::format("{}[{}]", name(id), fmt::join(letters, ","));
}

Factor factor(const Trace& trace, TensorId tensor, const Shape& index) {
  const Cell cell{tensor, index};
  return {{}, trace.number(cell), cell};
}

Factor constant(std::string label, double value) { return {std::move(label), value, std::nullopt}; }

Term term(std::string label, std::vector<Factor> factors) {
  double product = 1;
  for (const Factor& each : factors) product *= each.value;
  return {std::move(label), product, std::move(factors)};
}

Explanation explanation_of(const Trace& trace, const Cell& cell) {
  Explanation explanation;
  explanation.cell = cell;
  explanation.value = trace.number(cell);
  return explanation;
}

Explanation explain_product(const Stage& stage, const Trace& trace, const Cell& cell) {
  const Setup& setup = trace.setup;
  const TensorId left = left_operand(stage, setup);
  const TensorId right = right_operand(stage, setup);
  const auto added = operand_at(stage, Operand::Slot::added, setup);
  const Axis summed = summed_axis(stage, setup);
  const Index length = extent(summed, setup);

  Explanation explanation = explanation_of(trace, cell);
  explanation.terms.reserve(static_cast<std::size_t>(length) + 1);
  for (Index n = 0; n < length; ++n) {
    std::vector<Factor> factors;
    factors.reserve(2);
    factors.push_back(factor(trace, left, index_in_operand(left, cell, n, setup)));
    factors.push_back(factor(trace, right, index_in_operand(right, cell, n, setup)));
    explanation.terms.push_back(term(summand_label(summed, n, setup), std::move(factors)));
  }
  const TensorInfo& result = info(cell.tensor);
  const auto word = [&](TensorId id) { return indexed(id, summed, result, setup); };
  explanation.formula = fmt::format("{} = Σ_{} {} · {}", word(cell.tensor), letter(summed, summed, result, setup),
                                    word(left), word(right));
  if (added) {
    explanation.terms.push_back(
        term("bias", {factor(trace, added->tensor, index_in_operand(added->tensor, cell, 0, setup))}));
    explanation.formula += " + " + word(added->tensor);
  }
  return explanation;
}

}  // namespace headlight
