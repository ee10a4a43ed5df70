// Mistakes in sharing features among queries, keys, values and heads.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// Other numbers of heads that the features can be shared among.
std::vector<Setup> with_other_heads(const Setup& setup, Index query_columns, Index key_columns) {
  std::vector<Setup> all;
  for (Index heads = 1; heads <= query_columns; ++heads) {
    const Index width = query_columns / heads;
    if (heads == setup.sizes.heads || query_columns % heads != 0 || key_columns % width != 0) continue;
    if (heads % (key_columns / width) != 0) continue;
    Setup other = setup;
    other.sizes.heads = heads;
    other.sizes.d_head = width;
    other.sizes.kv_heads = key_columns / width;
    const Index turned = setup.position.encoding == Encoding::rotary ? turned_features(other) : 2;
    if (turned < 2 || turned % 2 != 0) continue;
    all.push_back(std::move(other));
  }
  return all;
}

/// Everything from the split to the concat with another number of heads, each as much wider or narrower.
std::optional<Tensor> heads_count(Attempt& attempt) {
  const Setup& setup = attempt.setup();
  const Attention& attention = setup.attention;
  if (attention.dropout > 0 || attention.qk_norm || !attention.ablated_heads.empty() || attention.sink == Sink::learned)
    return std::nullopt;
  const std::vector<Setup> all = with_other_heads(setup, attempt[Q].shape()[2], attempt[K].shape()[2]);
  const auto n = static_cast<std::size_t>(attempt.variant);
  if (n >= all.size()) return std::nullopt;
  attempt.said = fmt::format(": {} instead of {}", all[n].sizes.heads, setup.sizes.heads);
  attempt.trace.setup = all[n];
  run_through(attempt.trace, Q_heads, concat, attempt.workspace);
  return attempt.trace[concat];
}

/// Keys or values made from what queries are made from.
std::optional<Tensor> keys_from_queries(Attempt& attempt) {
  const Setup& setup = attempt.setup();
  const TensorId source = left_operand(stage_of(K), setup), queries = left_operand(stage_of(Q), setup);
  if (attempt.variant > 0 || !setup.is_cross() || setup.d_source() != setup.sizes.d_model) return std::nullopt;
  const bool as_long = setup.key_length() == setup.sizes.query_length;
  attempt[source] = attempt[queries];
  if (attempt.at != concat) return as_long ? std::optional(attempt.computed()) : std::nullopt;
  // With other lengths everything up to the concat has another shape.
  if (as_long || setup.attention.dropout > 0) return std::nullopt;
  attempt.trace.setup.sizes.key_length = setup.sizes.query_length;
  run_through(attempt.trace, K, concat, attempt.workspace);
  return attempt.trace[concat];
}

/// A way to lay the columns of a fused projection out.
enum class Fused { parts_first, heads_first, features_first };

/// Where the column of a part (0: queries, 1: keys, 2: values), a head and a feature is.
Index column_of(Fused fused, Index part, Index head, Index feature, Index heads, Index width) {
  switch (fused) {
    case Fused::parts_first: return (part * heads + head) * width + feature;
    case Fused::heads_first: return (head * 3 + part) * width + feature;
    case Fused::features_first: return (head * width + feature) * 3 + part;
  }
  return 0;
}

/// How the columns were made, how they are read, and in which order the parts are taken.
struct Misreading {
  Fused made = Fused::parts_first, read = Fused::parts_first;
  std::array<Index, 3> order{0, 1, 2};
};

std::vector<Misreading> misreadings() {
  constexpr Fused parts = Fused::parts_first, heads = Fused::heads_first, features = Fused::features_first;
  std::vector<Misreading> all;
  std::array<Index, 3> order{0, 1, 2};
  while (std::ranges::next_permutation(order).found) all.push_back({parts, parts, order});
  for (const auto& [made, read] : {std::pair{parts, heads},
                                   {heads, parts},
                                   {parts, features},
                                   {features, parts},
                                   {heads, features},
                                   {features, heads}})
    all.push_back({made, read, {0, 1, 2}});
  return all;
}

/// The columns of queries, keys and values, side by side, as another program reads them.
std::optional<Tensor> fused_order(Attempt& attempt) {
  static const std::vector<Misreading> all = misreadings();
  const Setup& setup = attempt.setup();
  if (static_cast<std::size_t>(attempt.variant) >= all.size() || setup.is_cross() ||
      setup.kv_heads() != setup.sizes.heads)
    return std::nullopt;
  // The projection makes all three from all rows of X; queries are the last of them.
  Trace right = attempt.trace;
  right.setup.sizes.query_length += setup.past();
  right.setup.sizes.past = 0;
  for (const TensorId id : {Q, K, V}) run_stage(right, id, attempt.workspace);
  const std::array<Tensor, 3> parts{right[Q].contiguous(), right[K].contiguous(), right[V].contiguous()};
  const auto& [made, read, order] = all[static_cast<std::size_t>(attempt.variant)];
  const Index heads = setup.sizes.heads, width = setup.d_head(), columns = heads * width;
  const Index part = order[attempt.at == Q ? 0 : attempt.at == K ? 1 : 2];
  std::vector<std::pair<std::size_t, Index>> from(static_cast<std::size_t>(3 * columns));  // of each fused column
  for (Index p = 0; p < 3; ++p)
    for (Index column = 0; column < columns; ++column)
      from[static_cast<std::size_t>(column_of(made, p, column / width, column % width, heads, width))] = {
          static_cast<std::size_t>(p), column};
  Tensor result = Tensor::uninitialized(parts[0].precision(), parts[0].shape());
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index column = 0; column < columns; ++column) {
      const auto [p, source] =
          from[static_cast<std::size_t>(column_of(read, part, column / width, column % width, heads, width))];
      for (Index row = 0; row < result.elements() / columns; ++row)
        result.writable<T>()[row * columns + column] = parts[p].data<T>()[row * columns + source];
    }
  });
  if (attempt.at == Q) return result.narrowed(1, setup.past(), setup.sizes.query_length).contiguous();
  return result;
}

}  // namespace

std::vector<Mistake> sharing_mistakes() {
  return {
      {.name = "keys_from_queries",
       .words = "keys or values are made from X, which queries are made from, instead of Y",
       .at = {K, V, concat},
       .replay = keys_from_queries,
       .mended = {K, V}},
      {.name = "fused_order",
       .words = "the parts of a fused projection are read in another order, or for each head",
       .at = {Q, K, V},
       .replay = fused_order,
       .everywhere = true},
      {.name = "heads_count",
       .words = "there is another number of heads",
       .at = {concat},
       .replay = heads_count,
       .mended = {Q_heads, K_heads, V_heads, scores, concat}},
  };
}

}  // namespace headlight
