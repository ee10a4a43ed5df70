// position_bias = −2^(−8(h + 1)/heads) · |i − j|: attention with linear biases (ALiBi)
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

double slope(Index head, Index heads) {
  return std::exp2(-8 * static_cast<double>(head + 1) / static_cast<double>(heads));
}

/// -> (head, query, key), one row of keys after the other
void compute(Trace& trace, Workspace& workspace) {
  const Setup& setup = trace.setup;
  const Shape extents = shape(TensorId::position_bias, setup);
  const Index heads = extents[0], queries = extents[1], keys = extents[2];
  Tensor result = workspace.tensor(setup.attention.precision, extents);  // (head, query, key)
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    T* to = result.writable<T>();
    workspace.ranges(heads * queries, std::max<Index>(1, elements_per_task / keys), [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        const double down = -slope(row / queries, heads);
        const Index query = row % queries;
        for (Index key = 0; key < keys; ++key)
          to[row * keys + key] = static_cast<T>(down * static_cast<double>(std::abs(query - key)));
      }
    });
  });
  trace[TensorId::position_bias] = result;  // (head, query, key)
}

Explanation explain_cell(const Trace& trace, const Cell& cell) {
  const Index head = cell.index[0], distance = std::abs(cell.index[1] - cell.index[2]);
  const Index heads = trace.setup.sizes.heads;
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "position_bias[h,i,j] = −2^(−8(h + 1)/heads) · |i − j|";
  explanation.terms = {term("position", {constant(fmt::format("−2^(−8·{}/{})", head + 1, heads), -slope(head, heads)),
                                         constant("|i − j|", static_cast<double>(distance))})};
  return explanation;
}

CodeLines code(const Code& code) {
  const std::string_view library = code.in_torch() ? "torch" : "np";
  const std::string_view rounded = !code.is_float32() ? "" : code.in_torch() ? ".float()" : ".astype(np.float32)";
  return {{fmt::format("slopes = 2 ** (-8 / heads * {0}.arange(1, heads + 1, dtype={0}.float64))", library), "(head,)"},
          {fmt::format("distance = abs({0}.arange(query_length)[:, None] - {0}.arange({1}))", library,
                       extent_code(Axis::key, code)),
           "(query, key)"},
          {fmt::format("position_bias = (-slopes[:, None, None] * distance){}", rounded),
           shape_words(TensorId::position_bias, code)}};
}

}  // namespace

Stage position_bias_stage() {
  return {.result = TensorId::position_bias,
          .kind = StageKind::given,
          .phase = Phase::scores,
          .title = "Position bias",
          .formula = "position_bias = −2^(−8(h + 1)/heads) · |i − j|",
          .compute = compute,
          .explain = explain_cell,
          .code = code,
          .heading = [](const Code&) { return std::string("A key counts less the farther it is from the query."); }};
}

}  // namespace headlight
