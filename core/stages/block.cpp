// What is around attention in a layer of a transformer: the residual stream, which attention and the MLP add to, and
// the MLP's bend and its gate. Its products are `project`, and its norms `normalise`.
//
// Sources: "Attention is all you need" (2017) for the stream; PyTorch's relu, gelu, gelu(approximate="tanh") and silu
// for the bends; "GLU variants improve transformer" (2020) for the gate.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"

namespace headlight {
namespace {

using Slot = Operand::Slot;

// --- The stream ------------------------------------------------------------------------------------------------------

Tensor same_numbers(const Stage& stage, const Trace& trace, Workspace&) { return left_of(stage, trace); }

Tensor back_to_same_numbers(const Trace& trace, Workspace&, const GradientPath& path) {
  return trace[gradient_of(path.through->result)];
}

std::string back_to_same_code(const Code&, const GradientPath& path) {
  return std::string(name(gradient_of(path.through->result)));
}

bool is_always(const GradientPath&) { return true; }

Explanation explain_same_number(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId from = left_operand(stage, trace.setup);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,i,f] = {}[b,i,f]", name(stage.result), name(from));
  explanation.terms = {term("the same number", {factor(trace, from, cell.index)})};
  return explanation;
}

CodeLines same_code(const Stage& stage, const Code& code) {
  return {{fmt::format("{} = {}", name(stage.result), name(left_operand(stage, code.setup))),
           shape_words(stage.result, code)}};
}

StageWords stream_words(const Setup&) {
  return {.operation = {}, .below = "stream", .below_briefly = "stream", .before = {}, .after = {}};
}

/// Where X has past positions, only the last rows of the stream go on.
bool takes_last_rows(const Stage& stage, const Setup& setup) {
  return setup.past() > 0 && info(left_operand(stage, setup)).has(Axis::token);
}

/// (batch, token or query, d_model) and (batch, query, d_model) -> (batch, query, d_model)
Tensor compute_sum(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor added = tensor_at(stage, Slot::added, trace)->contiguous();  // (batch, query, d_model)
  const Tensor& all = left_of(stage, trace);
  const Index rows = added.shape()[1];
  const Tensor stream = all.narrowed(1, all.shape()[1] - rows, rows).contiguous();  // (batch, query, d_model)
  Tensor result = workspace.tensor(added.precision(), added.shape());
  with_element_type(added.precision(), [&](auto zero) {
    using T = decltype(zero);
    workspace.ranges(result.elements(), elements_per_task, [&](Index begin, Index end) {
      numbers(result.writable<T>() + begin, end - begin) =
          numbers(stream.data<T>() + begin, end - begin) + numbers(added.data<T>() + begin, end - begin);
    });
  });
  return result;
}

/// Both summands get the same numbers; past rows of the stream, which nothing was added to, get 0.
Tensor back_to_summand(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor& arriving = trace[gradient_of(path.through->result)];  // (batch, query, d_model)
  if (path.operand.slot == Slot::added || !takes_last_rows(*path.through, trace.setup)) return arriving;
  const Tensor& stream = trace[path.operand.tensor];  // (batch, token, d_model)
  const Index rows = arriving.shape()[1], positions = stream.shape()[1];
  Tensor gradient = workspace.tensor(arriving.precision(), stream.shape());
  copy_numbers(Tensor::zeros(arriving.precision(), {}), gradient);
  copy_numbers(arriving, gradient.narrowed(1, positions - rows, rows));
  return gradient;
}

Explanation explain_sum(const Stage& stage, const Trace& trace, const Cell& cell) {
  const Setup& setup = trace.setup;
  const TensorId stream = left_operand(stage, setup), added = operand_at(stage, Slot::added, setup)->tensor;
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,i,f] = {}[b,i,f] + {}[b,i,f]", name(stage.result), name(stream), name(added));
  explanation.terms = {term("stream", {factor(trace, stream, index_in_operand(stream, cell, 0, setup))}),
                       term(added == TensorId::output ? "attention" : "MLP", {factor(trace, added, cell.index)})};
  return explanation;
}

CodeLines sum_code(const Stage& stage, const Code& code) {
  const TensorId stream = left_operand(stage, code.setup);
  return {{fmt::format("{} = {}{} + {}", name(stage.result), name(stream),
                       takes_last_rows(stage, code.setup) ? "[:, past:]" : "",
                       name(operand_at(stage, Slot::added, code.setup)->tensor)),
           shape_words(stage.result, code)}};
}

std::string back_to_summand_code(const Code& code, const GradientPath& path) {
  const std::string arriving(name(gradient_of(path.through->result)));
  const bool fills_up = path.operand.slot == Slot::left && takes_last_rows(*path.through, code.setup);
  return fills_up ? fmt::format("np.pad({}, [(0, 0), (past, 0), (0, 0)])", arriving) : arriving;
}

StageWords sum_words(const Setup&) {
  return {.operation = "+", .below = "+ stream", .below_briefly = "+ stream", .before = {}, .after = {}};
}

bool is_what_is_added(const GradientPath& path) {
  return path.operand.slot == Slot::added || !info(path.operand.tensor).has(Axis::token);
}

// --- The bend --------------------------------------------------------------------------------------------------------

// of gelu_tanh: √(2/π), and what a cube counts
constexpr double stretch = 2 / std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
constexpr double cube = 0.044715;

/// The share of the standard normal distribution below x.
double normal_share(double x) { return 0.5 * (1 + std::erf(x * 0.5 * std::numbers::sqrt2)); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }

double bent(Mlp kind, double x) {
  switch (kind) {
    case Mlp::none: break;
    case Mlp::relu: return x > 0 || std::isnan(x) ? x : 0;
    case Mlp::gelu: return x * normal_share(x);
    case Mlp::gelu_tanh: return 0.5 * x * (1 + std::tanh(stretch * (x + cube * x * x * x)));
    case Mlp::silu: return x * logistic(x);
  }
  return x;
}

/// How much the result changes with x: the slope of `bent`.
double slope(Mlp kind, double x) {
  switch (kind) {
    case Mlp::none: break;
    case Mlp::relu: return x > 0 ? 1 : 0;
    case Mlp::gelu: return normal_share(x) + x * std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    case Mlp::gelu_tanh: {
      const double turn = std::tanh(stretch * (x + cube * x * x * x));
      return 0.5 * (1 + turn) + 0.5 * x * (1 - turn * turn) * stretch * (1 + 3 * cube * x * x);
    }
    case Mlp::silu: return logistic(x) * (1 + x * (1 - logistic(x)));
  }
  return 1;
}

bool same_bend(const Setup& a, const Setup& b) { return a.block.mlp == b.block.mlp; }

/// (batch, query, d_mlp) -> the same, each number by itself, in double
template <class Function>
Tensor each_number(const Tensor& numbers_in, Workspace& workspace, Function&& function) {
  const Tensor from = numbers_in.contiguous();
  Tensor result = workspace.tensor(from.precision(), from.shape());
  with_element_type(from.precision(), [&](auto zero) {
    using T = decltype(zero);
    workspace.ranges(from.elements(), elements_per_task / 16, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        result.writable<T>()[i] = static_cast<T>(function(i, static_cast<double>(from.data<T>()[i])));
    });
  });
  return result;
}

Tensor compute_bend(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Mlp kind = trace.setup.block.mlp;
  return each_number(left_of(stage, trace), workspace, [kind](Index, double x) { return bent(kind, x); });
}

Tensor back_through_bend(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Mlp kind = trace.setup.block.mlp;
  const Tensor arriving = trace[gradient_of(path.through->result)].contiguous();
  return with_element_type(arriving.precision(), [&](auto zero) {
    const auto* const change = arriving.data<decltype(zero)>();
    return each_number(trace[path.operand.tensor], workspace,
                       [kind, change](Index i, double x) { return static_cast<double>(change[i]) * slope(kind, x); });
  });
}

std::string bend_word(const Setup& setup) { return std::string(to_string(setup.block.mlp)); }

Explanation explain_bend(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId before = left_operand(stage, trace.setup);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula =
      fmt::format("{}[b,i,c] = {}({}[b,i,c])", name(stage.result), bend_word(trace.setup), name(before));
  const Cell from{before, cell.index};
  explanation.terms = {
      term("bent", {Factor{fmt::format("{}({})", bend_word(trace.setup), to_string(from)), trace.number(cell), from}})};
  return explanation;
}

void explain_back_through_bend(Explanation& explanation, const Trace& trace, const GradientPath& path,
                               const Cell& cell) {
  const std::string word = bend_word(trace.setup);
  explain_by_chain_rule(explanation, trace, path, cell, fmt::format(" · {}′({}[b,i,c])", word, name(cell.tensor)),
                        [&](const Cell&) {
                          return std::vector{Factor{fmt::format("{}′({})", word, to_string(cell)),
                                                    slope(trace.setup.block.mlp, trace.number(cell)), cell}};
                        });
}

CodeLines bend_code(const Stage& stage, const Code& code) {
  const std::string_view x = name(left_operand(stage, code.setup));
  const auto line = [&](std::string_view formula) -> CodeLines {
    return {{fmt::format("{} = {}", name(stage.result), formula), shape_words(stage.result, code)}};
  };
  const Mlp kind = code.setup.block.mlp;
  if (code.in_torch()) {
    const bool by_tanh = kind == Mlp::gelu_tanh;
    return line(fmt::format("torch.nn.functional.{}({}{})", by_tanh ? "gelu" : to_string(kind), x,
                            by_tanh ? ", approximate=\"tanh\"" : ""));
  }
  switch (kind) {
    case Mlp::none: break;
    case Mlp::relu: return line(fmt::format("np.maximum({}, 0)", x));
    case Mlp::gelu: {
      CodeLines lines{{fmt::format("share = (1 + np.vectorize(math.erf)({} / 2**0.5)) / 2", x),
                       "of a normal distribution below it"}};
      lines.push_back(line(fmt::format("({} * share).astype({}.dtype)", x, x)).front());
      return lines;
    }
    case Mlp::gelu_tanh: {
      CodeLines lines{{fmt::format("turn = np.tanh((2 / np.pi)**0.5 * ({0} + 0.044715 * {0}**3))", x), ""}};
      lines.push_back(line(fmt::format("{} * (1 + turn) / 2", x)).front());
      return lines;
    }
    case Mlp::silu: return line(fmt::format("{0} * (1 + np.tanh({0} / 2)) / 2", x));
  }
  return {};
}

std::string back_through_bend_code(const Code& code, const GradientPath& path) {
  const std::string_view x = name(path.operand.tensor);
  const std::string arriving(name(gradient_of(path.through->result)));
  switch (code.setup.block.mlp) {
    case Mlp::none: break;
    case Mlp::relu: return fmt::format("{} * ({} > 0)", arriving, x);
    case Mlp::gelu: return fmt::format("{0} * (share + {1} * np.exp(-{1}**2 / 2) / (2 * np.pi)**0.5)", arriving, x);
    case Mlp::gelu_tanh:
      return fmt::format(
          "{0} * ((1 + turn) / 2 + {1} * (1 - turn**2) / 2 * (2 / np.pi)**0.5 * (1 + 3 * 0.044715 * {1}**2))", arriving,
          x);
    case Mlp::silu:
      return fmt::format("{0} * (1 + np.tanh({1} / 2)) / 2 * (1 + {1} * (1 - np.tanh({1} / 2)) / 2)", arriving, x);
  }
  return arriving;
}

StageWords bend_words(const Setup& setup) {
  const std::string word = bend_word(setup);
  return in_brackets(word, word, word, word);
}

// --- The gate --------------------------------------------------------------------------------------------------------

/// (batch, query, d_mlp), (batch, query, d_mlp) -> the same, cell by cell
Tensor product_of_cells(const Tensor& one, const Tensor& another, Workspace& workspace) {
  const Tensor left = one.contiguous(), right = another.contiguous();
  Tensor result = workspace.tensor(left.precision(), left.shape());
  with_element_type(left.precision(), [&](auto zero) {
    using T = decltype(zero);
    workspace.ranges(result.elements(), elements_per_task, [&](Index begin, Index end) {
      numbers(result.writable<T>() + begin, end - begin) =
          numbers(left.data<T>() + begin, end - begin) * numbers(right.data<T>() + begin, end - begin);
    });
  });
  return result;
}

Tensor compute_gated(const Stage& stage, const Trace& trace, Workspace& workspace) {
  return product_of_cells(left_of(stage, trace), right_of(stage, trace), workspace);
}

/// The other factor of the product that the path goes through.
TensorId other_factor(const GradientPath& path, const Setup& setup) {
  return path.operand.slot == Slot::left ? right_operand(*path.through, setup) : left_operand(*path.through, setup);
}

Tensor back_to_factor(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  return product_of_cells(trace[gradient_of(path.through->result)], trace[other_factor(path, trace.setup)], workspace);
}

Explanation explain_gated(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId left = left_operand(stage, trace.setup), right = right_operand(stage, trace.setup);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,i,c] = {}[b,i,c] · {}[b,i,c]", name(stage.result), name(left), name(right));
  explanation.terms = {term("gated", {factor(trace, left, cell.index), factor(trace, right, cell.index)})};
  return explanation;
}

void explain_back_to_factor(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  const TensorId other = other_factor(path, trace.setup);
  explain_by_chain_rule(explanation, trace, path, cell, fmt::format(" · {}[b,i,c]", name(other)),
                        [&](const Cell& made) { return std::vector{factor(trace, other, made.index)}; });
}

CodeLines gated_code(const Stage& stage, const Code& code) {
  return {{fmt::format("{} = {} * {}", name(stage.result), name(left_operand(stage, code.setup)),
                       name(right_operand(stage, code.setup))),
           shape_words(stage.result, code)}};
}

std::string back_to_factor_code(const Code& code, const GradientPath& path) {
  return fmt::format("{} * {}", name(gradient_of(path.through->result)), name(other_factor(path, code.setup)));
}

StageWords gate_words(const Setup&) {
  return {.operation = "×", .below = "× gate", .below_briefly = "× gate", .before = {}, .after = {}};
}

}  // namespace

namespace operations {

extern constinit const Operation pass_on{.kind = StageKind::window,
                                         .title = {},
                                         .formula = "{0} = {1}",
                                         .words = stream_words,
                                         .compute = same_numbers,
                                         .explain = explain_same_number,
                                         .backward = {.compute = back_to_same_numbers,
                                                      .explain = explain_passed_on,
                                                      .code = back_to_same_code,
                                                      .is_window = is_always},
                                         .code = same_code,
                                         .heading = "The residual stream: what heads and MLP read, and add to."};

extern constinit const Operation add{.kind = StageKind::elementwise,
                                     .title = "Add to the stream",
                                     .formula = "{0} = {1} + {2}",
                                     .words = sum_words,
                                     .compute = compute_sum,
                                     .explain = explain_sum,
                                     .backward = {.compute = back_to_summand,
                                                  .explain = explain_passed_on,
                                                  .code = back_to_summand_code,
                                                  .is_window = is_what_is_added},
                                     .code = sum_code,
                                     .heading = "Add to the stream."};

extern constinit const Operation activate{.kind = StageKind::elementwise,
                                          .title = "Bend",
                                          .formula = "{0} = bent({1})",
                                          .same_settings = same_bend,
                                          .words = bend_words,
                                          .compute = compute_bend,
                                          .explain = explain_bend,
                                          .backward = {.compute = back_through_bend,
                                                       .explain = explain_back_through_bend,
                                                       .code = back_through_bend_code,
                                                       .reads_operand = true},
                                          .code = bend_code,
                                          .heading = "Bend: each neuron by itself."};

extern constinit const Operation multiply_cells{
    .kind = StageKind::elementwise,
    .title = "Multiply by the gate",
    .formula = "{0} = {1} · {2}",
    .words = gate_words,
    .compute = compute_gated,
    .explain = explain_gated,
    .backward = {.compute = back_to_factor, .explain = explain_back_to_factor, .code = back_to_factor_code},
    .code = gated_code};

}  // namespace operations

}  // namespace headlight
