// capped_scores = cap · tanh(scores / cap): scores approach the soft cap and never pass it.
#include <cmath>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/stages/gradient.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

bool same_cap(const Setup& a, const Setup& b) { return a.attention.soft_cap == b.attention.soft_cap; }

/// (batch, head, query, key) -> (batch, head, query, key), each number by itself
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor scores = left_of(stage, trace).contiguous();              // (batch, head, query, key)
  Tensor result = workspace.tensor(scores.precision(), scores.shape());  // (batch, head, query, key)
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T cap = static_cast<T>(trace.setup.attention.soft_cap);
    workspace.ranges(scores.elements(), elements_per_task / 16, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) result.writable<T>()[i] = cap * std::tanh(scores.data<T>()[i] / cap);
    });
  });
  return result;
}

/// Back through cap · tanh(score / cap): ∂L/∂score = ∂L/∂result · (1 − (result / cap)²).
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor result = trace[path.through->result].contiguous();                 // (batch, head, query, key)
  const Tensor arriving = trace[gradient_of(path.through->result)].contiguous();  // (batch, head, query, key)
  Tensor gradient = workspace.tensor(result.precision(), result.shape());         // (batch, head, query, key)
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T cap = static_cast<T>(trace.setup.attention.soft_cap);
    const auto share = numbers(result.data<T>(), result.elements()) / cap;
    numbers(gradient.writable<T>(), result.elements()) =
        numbers(arriving.data<T>(), result.elements()) * (1 - share * share);
  });
  return gradient;
}

double share_of(const Trace& trace, TensorId capped, const Shape& index) {
  return trace.number({capped, index}) / trace.setup.attention.soft_cap;
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId scores = left_operand(stage, trace.setup);
  const double cap = trace.setup.attention.soft_cap;
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,h,i,j] = cap · tanh({}[b,h,i,j] / cap)", name(stage.result), name(scores));
  const Cell score{scores, cell.index};
  explanation.terms = {term(
      "capped", {constant(fmt::format("{}", cap), cap), Factor{fmt::format("tanh({} / {})", to_string(score), cap),
                                                               share_of(trace, stage.result, cell.index), score}})};
  return explanation;
}

void explain_back(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  explain_by_chain_rule(
      explanation, trace, path, cell, " · (1 − (capped_scores[b,h,i,j] / cap)²)", [&](const Cell& made) {
        const double share = share_of(trace, made.tensor, made.index);
        return std::vector{Factor{fmt::format("1 − ({} / cap)²", to_string(made)), 1 - share * share, made}};
      });
}

std::string back_code(const Code& code, const GradientPath& path) {
  const std::string_view result = name(path.through->result);
  return fmt::format("grad_{0} * (1 - ({0} / {1})**2)", result, float_text(code.setup.attention.soft_cap));
}

StageWords words(const Setup& setup) {
  const std::string word = fmt::format("cap {:.4g}", setup.attention.soft_cap);
  return in_brackets("cap", word, word, word);
}

CodeLines code(const Stage& stage, const Code& code) {
  const std::string cap = float_text(code.setup.attention.soft_cap);
  return {{fmt::format("{0} = {1} * {2}.tanh({3} / {1})", name(stage.result), cap, code.in_torch() ? "torch" : "np",
                       name(left_operand(stage, code.setup))),
           shape_words(stage.result, code)}};
}

constexpr TensorId read_back[] = {TensorId::capped_scores};

}  // namespace

namespace operations {

extern constinit const Operation cap{
    .kind = StageKind::elementwise,
    .title = "Soft cap",
    .formula = "{0} = cap · tanh({1} / cap)",
    .same_settings = same_cap,
    .words = words,
    .compute = compute,
    .explain = explain_cell,
    .backward = {.compute = back, .explain = explain_back, .code = back_code, .reads = read_back},
    .code = code,
    .heading = "Cap: scores approach it and never pass it."};

}  // namespace operations

}  // namespace headlight
