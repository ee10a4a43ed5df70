// clipped_scores = clip(scores, ±limit): scores beyond the limit become the limit.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/stages/gradient.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

bool same_limit(const Setup& a, const Setup& b) { return a.attention.limit == b.attention.limit; }

/// (batch, head, query, key) -> (batch, head, query, key), each number by itself
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor scores = left_of(stage, trace).contiguous();              // (batch, head, query, key)
  Tensor result = workspace.tensor(scores.precision(), scores.shape());  // (batch, head, query, key)
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T limit = static_cast<T>(trace.setup.attention.limit);
    numbers(result.writable<T>(), scores.elements()) =
        numbers(scores.data<T>(), scores.elements()).max(-limit).min(limit);
  });
  return result;
}

/// Whether a score is within the limits, where its gradient comes through.
double passes(double score, const Setup& setup) { return std::abs(score) <= setup.attention.limit ? 1 : 0; }

/// Back through the clip: ∂L/∂score is ∂L/∂result within the limits, and 0 beyond them.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor scores = left_of(*path.through, trace).contiguous();               // (batch, head, query, key)
  const Tensor arriving = trace[gradient_of(path.through->result)].contiguous();  // (batch, head, query, key)
  Tensor gradient = workspace.tensor(scores.precision(), scores.shape());         // (batch, head, query, key)
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < scores.elements(); ++i) {
      const bool within = passes(static_cast<double>(scores.data<T>()[i]), trace.setup) == 1;
      gradient.writable<T>()[i] = within ? arriving.data<T>()[i] : T(0);
    }
  });
  return gradient;
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId scores = left_operand(stage, trace.setup);
  const double limit = trace.setup.attention.limit;
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula =
      fmt::format("{0}[b,h,i,j] = max(−{2}, min({2}, {1}[b,h,i,j]))", name(stage.result), name(scores), limit);
  const Cell score{scores, cell.index};
  const double result = std::clamp(trace.value(score), -limit, limit);
  explanation.terms = {
      term("clipped", {Factor{fmt::format("max(−{0}, min({0}, {1}))", limit, to_string(score)), result, score}})};
  return explanation;
}

void explain_back(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  explain_by_chain_rule(explanation, trace, path, cell, " · (1 within the limits, 0 beyond)", [&](const Cell& made) {
    const double score = trace.value({left_operand(*path.through, trace.setup), made.index});
    return std::vector{Factor{fmt::format("∂{0}/∂score", to_string(made)), passes(score, trace.setup), made}};
  });
}

std::string back_code(const Code& code, const GradientPath& path) {
  return fmt::format("grad_{} * (abs({}) <= {})", name(path.through->result),
                     name(left_operand(*path.through, code.setup)), float_text(code.setup.attention.limit));
}

StageWords words(const Setup& setup) {
  const std::string word = fmt::format("clip ±{:.4g}", setup.attention.limit);
  return {.operation = word, .below = word, .below_briefly = word, .before = {{"clip (", {}}}, .after = {{")", {}}}};
}

CodeLines code(const Stage& stage, const Code& code) {
  return {{fmt::format("{0} = {1}.clip({3}, -{2}, {2})", name(stage.result), code.in_torch() ? "torch" : "np",
                       float_text(code.setup.attention.limit), name(left_operand(stage, code.setup))),
           shape_words(stage.result, code)}};
}

std::string heading(const Stage&, const Code&) { return "Clip: scores beyond the limit become the limit."; }

constexpr TensorId read_back[] = {TensorId::scores};

}  // namespace

namespace operations {

extern constinit const Operation clip{
    .kind = StageKind::elementwise,
    .title = "Clip",
    .formula = "{0} = max(−limit, min(limit, {1}))",
    .same_settings = same_limit,
    .words = words,
    .compute = compute,
    .explain = explain_cell,
    .backward = {.compute = back, .explain = explain_back, .code = back_code, .reads = read_back},
    .code = code,
    .heading = heading};

}  // namespace operations

}  // namespace headlight
