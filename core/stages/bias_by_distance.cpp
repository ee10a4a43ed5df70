// position_bias = −slope_h · |i − j|: attention with linear biases (ALiBi). Where X has past positions, query i is at
// past + i.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

bool same_distances(const Setup& a, const Setup& b) { return a.past() == b.past(); }

/// -> (head, query, key), one row of keys after the other
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Setup& setup = trace.setup;
  const Shape extents = shape(stage.result, setup);
  const Index heads = extents[0], queries = extents[1], keys = extents[2];
  Tensor result = workspace.tensor(setup.attention.precision, extents);  // (head, query, key)
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    T* to = result.writable<T>();
    workspace.ranges(heads * queries, std::max<Index>(1, elements_per_task / keys), [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        const double slope = alibi_slope(row / queries, heads);
        const Index query = setup.past() + row % queries;
        for (Index key = 0; key < keys; ++key)  // 0 − 0 is 0, and not −0
          to[row * keys + key] = static_cast<T>(0 - slope * static_cast<double>(std::abs(query - key)));
      }
    });
  });
  return result;
}

Explanation explain_cell(const Stage&, const Trace& trace, const Cell& cell) {
  const Index past = trace.setup.past();
  const Index head = cell.index[0], distance = std::abs(past + cell.index[1] - cell.index[2]);
  const char* words = past > 0 ? "|past + i − j|" : "|i − j|";
  const double slope = alibi_slope(head, trace.setup.sizes.heads);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("position_bias[h,i,j] = −slope_h · {}", words);
  explanation.terms = {
      term("distance", {constant(fmt::format("−slope of head {} = −2^({:.6g})", head, std::log2(slope)), -slope),
                        constant(words, static_cast<double>(distance))})};
  return explanation;
}

/// The powers of two that are the slopes, as the paper's code finds them.
CodeLines slopes(const Code& code) {
  const Index heads = code.setup.sizes.heads;
  const std::string_view library = code.in_torch() ? "torch" : "np";
  const std::string exact = fmt::format(", dtype={}.float64", library);
  const auto among = [&](std::string_view steps, Index count) {
    return fmt::format("2.0 ** (-8 / {} * {}.arange({}{}))", count, library, steps, exact);
  };
  Index power = 1;
  while (2 * power <= heads) power *= 2;
  if (power == heads) return {{fmt::format("slopes = {}", among("1, heads + 1", heads)), "(head,)"}};
  return {{fmt::format("slopes = {}", among(fmt::format("1, {}", power + 1), power)), "as with fewer heads"},
          {fmt::format("between = {}", among(fmt::format("1, {}, 2", 2 * (heads - power) + 1), 2 * power)),
           "every other slope of twice as many"},
          {fmt::format("slopes = {}([slopes, between])", code.in_torch() ? "torch.cat" : "np.concatenate"), "(head,)"}};
}

CodeLines code(const Stage& stage, const Code& code) {
  const std::string_view library = code.in_torch() ? "torch" : "np";
  const std::string rounded = !code.is_float32() ? "" : code.in_torch() ? ".float()" : ".astype(np.float32)";
  CodeLines lines = slopes(code);
  const std::string queries = code.setup.past() > 0 ? "past, key_length" : "query_length";
  lines.push_back({fmt::format("distance = abs({0}.arange({1})[:, None] - {0}.arange({2}))", library, queries,
                               extent_code(Axis::key, code)),
                   "(query, key)"});
  lines.push_back(
      {fmt::format("position_bias = (-slopes[:, None, None] * distance){}", rounded), shape_words(stage.result, code)});
  return lines;
}

}  // namespace

namespace operations {

extern constinit const Operation bias_by_distance{.kind = StageKind::given,
                                                  .title = "Position bias",
                                                  .formula = "{0} = −slope_h · |i − j|",
                                                  .same_settings = same_distances,
                                                  .compute = compute,
                                                  .explain = explain_cell,
                                                  .code = code,
                                                  .heading = "A key counts less the farther it is from the query."};

}  // namespace operations

}  // namespace headlight
