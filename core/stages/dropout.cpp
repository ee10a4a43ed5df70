// Inverted dropout: dropped_weights = weights / (1 − dropout) where the weight is kept, else 0.
#include <array>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/graph.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

bool same_dropout(const Setup& a, const Setup& b) { return a.attention.dropout == b.attention.dropout; }

double enlargement(const Trace& trace) { return 1 / (1 - trace.setup.attention.dropout); }

/// (batch, head, query, key) -> (batch, head, query, key), each number by itself
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  if (trace.kept == nullptr) return trace[stage.result];  // the user's own work, whose decisions are unknown
  const Tensor& weights = left_of(stage, trace);          // (batch, head, query, key)
  const unsigned char* kept = trace.kept->data();         // (batch, head, query, key)
  Tensor result = workspace.tensor(weights.precision(), weights.shape());  // (batch, head, query, key)
  with_element_type(weights.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T factor = static_cast<T>(enlargement(trace));
    const T* from = weights.data<T>();
    T* to = result.writable<T>();
    workspace.ranges(weights.elements(), elements_per_task, [&](Index begin, Index end) {
      const Index count = end - begin;
      numbers(to + begin, count) =
          (numbers(kept + begin, count) != 0).select(numbers(from + begin, count) * factor, T{0});
    });
  });
  return result;
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId weights = left_operand(stage, trace.setup);
  const Shape& extents = trace[weights].shape();  // (batch, head, query, key)
  Index flat = 0;
  for (int axis = 0; axis < extents.rank(); ++axis) flat = flat * extents[axis] + cell.index[axis];
  const bool kept = (*trace.kept)[static_cast<std::size_t>(flat)] != 0;
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula =
      fmt::format("{}[b,h,i,j] = {}[b,h,i,j] / (1 − dropout) where kept, else 0", name(stage.result), name(weights));
  explanation.note = kept ? "kept, and enlarged so that the expected sum stays 1" : "dropped";
  const Factor weight = factor(trace, weights, cell.index);
  const double dropout = trace.setup.attention.dropout;
  explanation.terms = {kept ? term("kept", {weight, constant(fmt::format("1/(1 − {})", dropout), enlargement(trace))})
                            : term("dropped", {weight, constant("0", 0)})};
  return explanation;
}

StageWords words(const Setup& setup) {
  const std::string share = fmt::format("dropout {:.3g} %", 100 * setup.attention.dropout);
  return in_brackets("dropout", share, share, "dropout");
}

/// The script draws the decisions with the same library as the tensors, and after all of them.
CodeLines code(const Stage& stage, const Code& code) {
  CodeLines lines{{fmt::format("dropout = {}", float_text(code.setup.attention.dropout)), ""}};
  const std::string shape = shape_words(stage.result, code);
  // Past positions are decided about too, as if they made queries.
  const bool has_past = code.setup.past() > 0;
  const std::string drawn = has_past ? "(batch, heads, key_length, key_length)" : "weights.shape";
  const std::string own = has_past ? "[:, :, past:]" : "";
  if (!code.draws_in_torch()) {
    const std::string kept = fmt::format(
        "{}{} >= dropout",
        code.draws_with_rng() ? fmt::format("rng.random({})", drawn) : fmt::format("np.random.rand(*{})", drawn), own);
    lines.push_back({"keep = " + (code.in_torch() ? fmt::format("torch.from_numpy({})", kept) : kept), shape});
    lines.push_back({"dropped_weights = weights * keep / (1 - dropout)", shape});
  } else if (code.in_torch() && !has_past) {
    lines.push_back({"dropped_weights = torch.nn.functional.dropout(weights, dropout, training=True)", shape});
  } else {
    lines.push_back(
        {fmt::format("keep = torch.nn.functional.dropout(torch.ones({}{}), dropout, training=True){}{}", drawn,
                     code.in_torch()     ? ", dtype=weights.dtype"
                     : code.is_float32() ? ""
                                         : ", dtype=torch.float64",
                     own, code.in_torch() ? "" : ".numpy()"),
         "0 or 1 / (1 - dropout)"});
    lines.push_back({"dropped_weights = weights * keep", shape});
  }
  return lines;
}

}  // namespace

namespace operations {

extern constinit const Operation dropout{
    .kind = StageKind::elementwise,
    .title = "Dropout",
    .formula = "{0} = {1} / (1 − dropout) where kept, else 0",
    .same_settings = same_dropout,
    .takes_chances = true,
    .words = words,
    .compute = compute,
    .explain = explain_cell,
    .backward = {.never_needed = true},  // with a task, dropout is 0
    .code = code,
    .heading = "Dropout, drawn last: some weights become 0, the others grow to make up for them."};

}  // namespace operations

}  // namespace headlight
