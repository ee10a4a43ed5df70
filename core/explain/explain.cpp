#include "core/explain/explain.hpp"

#include <array>

#include <fmt/format.h>

#include "core/model/shapes.hpp"
#include "core/stages/table.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

/// Long sums show this many terms at the front, then the last one.
constexpr std::size_t shown_terms = 4;

std::string number(double value) {
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

/// A block of cells that starts as one cell and is stretched along some axes.
class Block {
 public:
  Block(TensorId tensor, Shape first) : target_{{tensor, first}, first, {}} {
    for (int axis = 0; axis < first.rank(); ++axis) target_.counts[axis] = 1;
  }
  Block along(int axis, Index first, Index count) && {
    target_.first.index[axis] = first;
    target_.counts[axis] = count;
    return std::move(*this);
  }
  Block whole(int axis, const Setup& setup) && {
    return std::move(*this).along(axis, 0, shape(target_.first.tensor, setup)[axis]);
  }
  GoesInto labelled(const Setup& setup) && {
    const Shape extents = shape(target_.first.tensor, setup);
    std::vector<std::string> parts;
    for (int axis = 0; axis < extents.rank(); ++axis) {
      const Index first = target_.first.index[axis], count = target_.counts[axis];
      const bool all = count == extents[axis] && count > 1;
      parts.push_back(all ? ":" : count == 1 ? fmt::format("{}", first) : fmt::format("{}:{}", first, first + count));
    }
    target_.label = fmt::format("{}[{}]", name(target_.first.tensor), fmt::join(parts, ","));
    return std::move(target_);
  }

 private:
  GoesInto target_;
};

/// The heads of the queries that read one key and value head.
struct HeadGroup {
  Index first;
  Index count;
};
HeadGroup readers_of(const Setup& setup, Index kv_head) {
  const Index count = setup.sizes.heads / setup.kv_heads();
  return {kv_head * count, count};
}

std::vector<Block> consumers(const Setup& setup, const Cell& cell) {
  using enum TensorId;
  const Shape& i = cell.index;
  const Index width = setup.d_head();
  const auto row_of = [&](TensorId tensor) { return Block(tensor, {i[0], i[1], 0}).whole(2, setup); };
  const auto column_of = [&](TensorId tensor, Index column) {
    return Block(tensor, {0, 0, column}).whole(0, setup).whole(1, setup);
  };
  const auto split_of = [&](TensorId tensor) { return Block(tensor, {i[0], i[2] / width, i[1], i[2] % width}); };
  switch (cell.tensor) {
    case X: return setup.is_cross() ? std::vector{row_of(Q)} : std::vector{row_of(Q), row_of(K), row_of(V)};
    case Y: return {row_of(K), row_of(V)};
    case W_q: return {column_of(Q, i[1])};
    case b_q: return {column_of(Q, i[0])};
    case W_k: return {column_of(K, i[1])};
    case b_k: return {column_of(K, i[0])};
    case W_v: return {column_of(V, i[1])};
    case b_v: return {column_of(V, i[0])};
    case W_o: return {column_of(output, i[1])};
    case b_o: return {column_of(output, i[0])};
    case Q: return {split_of(Q_heads)};
    case K: return {split_of(K_heads)};
    case V: return {split_of(V_heads)};
    case Q_heads: return {Block(dot_products, {i[0], i[1], i[2], 0}).whole(3, setup)};
    case K_heads: {
      const HeadGroup heads = readers_of(setup, i[1]);
      return {Block(dot_products, {i[0], 0, 0, i[2]}).along(1, heads.first, heads.count).whole(2, setup)};
    }
    case V_heads: {
      const HeadGroup heads = readers_of(setup, i[1]);
      return {Block(context, {i[0], 0, 0, i[3]}).along(1, heads.first, heads.count).whole(2, setup)};
    }
    case dot_products: return {Block(scores, i)};
    case scores: return {Block(masked_scores, i)};
    case masked_scores: return {Block(weights, {i[0], i[1], i[2], 0}).whole(3, setup)};
    case weights:
      if (setup.attention.dropout > 0) return {Block(dropped_weights, i)};
      [[fallthrough]];
    case dropped_weights: return {Block(context, {i[0], i[1], i[2], 0}).whole(3, setup)};
    case context: return {Block(concat, {i[0], i[2], i[1] * width + i[3]})};
    case concat: return {row_of(output)};
    case output: return {};
  }
  return {};
}

}  // namespace

Explanation explain(const Trace& trace, const Cell& cell) {
  if (!contains(trace.setup, cell)) parse_cell(to_string(cell), trace.setup);  // throws, with what is allowed
  Explanation explanation = stage_of(cell.tensor).explain(trace, cell);
  explanation.numbers = with_numbers(explanation);
  for (Block& block : consumers(trace.setup, cell))
    explanation.goes_into.push_back(std::move(block).labelled(trace.setup));
  return explanation;
}

}  // namespace headlight
