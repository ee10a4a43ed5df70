// X with a task: 1 at the features of the symbols that a position holds. Without a task X is drawn or given.
#include <algorithm>

#include <fmt/format.h>

#include "core/model/shapes.hpp"
#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

/// -> (batch, query, d_model)
void compute(Trace& trace, Workspace& workspace) {
  const Sequences& sequences = *trace.sequences;
  Tensor result = workspace.tensor(trace.setup.attention.precision, shape(TensorId::X, trace.setup));
  const Index features = result.shape()[2];
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    T* row = result.writable<T>();
    std::fill(row, row + result.elements(), T{0});
    const std::int64_t* one = sequences.ones.data();
    for (Index position = 0; position < sequences.count * sequences.length; ++position, row += features)
      for (Index n = 0; n < sequences.held; ++n, ++one)
        if (*one >= 0) row[*one] = T{1};
  });
  trace[TensorId::X] = result;  // (batch, query, d_model)
}

Explanation explain_cell(const Trace& trace, const Cell& cell) {
  if (is_drawn(TensorId::X, trace.setup)) return explain_drawn(trace, cell);
  const TaskSettings& task = trace.setup.task;
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "X[b,i,c] = 1 where position i holds symbol c, else 0";
  if (cell.index[2] >= features_of(task)) explanation.note = "not a feature of a symbol";
  const std::string origin = fmt::format("task {}, seed {}", to_string(task.name), task.seed);
  explanation.terms = {term("symbol", {constant(origin, explanation.value)})};
  return explanation;
}

/// The function next_sequences() of a script makes X and the labels together.
CodeLines code(const Code&) { return {}; }

}  // namespace

Stage symbols_stage() {
  return {.result = TensorId::X,
          .kind = StageKind::given,
          .phase = Phase::input,
          .title = "Seeded draws",
          .formula = "X, W_q, W_k, W_v, W_o from the random generator",
          .asks = true,
          .compute = compute,
          .explain = explain_cell,
          .code = code};
}

}  // namespace headlight
