#include "core/stages/gradient.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/compute/matrices.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// a + b, number by number. Both have the same shape.
Tensor sum_of(const Tensor& a, const Tensor& b, Workspace& workspace) {
  const Tensor left = a.contiguous(), right = b.contiguous();
  Tensor sum = workspace.tensor(a.precision(), a.shape());
  with_element_type(a.precision(), [&](auto zero) {
    using T = decltype(zero);
    workspace.ranges(sum.elements(), elements_per_task, [&](Index begin, Index end) {
      numbers(sum.writable<T>() + begin, end - begin) =
          numbers(left.data<T>() + begin, end - begin) + numbers(right.data<T>() + begin, end - begin);
    });
  });
  return sum;
}

/// ∂L/∂T: the gradients on all paths from T to L, added up.
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const bool comes_from_above = !trace.setup.is_last() && gradient_of(stage.result) == what_leaves(trace.setup);
  Tensor sum = comes_from_above ? trace.from_above : Tensor{};
  for (const GradientPath& path : gradient_paths(gradient_of(stage.result), trace.setup)) {
    const Tensor gradient = path.through->operation->backward.compute(trace, workspace, path);  // in the shape of T
    sum = sum.empty() ? gradient : sum_of(sum, gradient, workspace);
  }
  return sum;
}

/// Why a gradient is exactly 0: the factors that are, if there are few.
std::string why_zero(const Explanation& explanation) {
  std::vector<std::string> zeros;
  for (const Term& term : explanation.terms) {
    const auto zero = std::ranges::find(term.factors, 0.0, &Factor::value);
    if (zero == term.factors.end()) return {};  // the terms cancel
    if (zeros.empty() || zeros.back() != zero->name()) zeros.push_back(zero->name());
  }
  if (zeros.size() == 1) return fmt::format("0, because {} is 0", zeros.front());
  if (zeros.size() > 3) return fmt::format("0, because each term has a factor that is 0: {}, …", zeros.front());
  return fmt::format("0, because these are 0: {}", fmt::join(zeros, ", "));
}

/// The axis whose letter is that of the sum in the formula of the forward pass.
Axis summed_letter(const GradientPath& path, const Setup& setup) {
  return path.through->kind == StageKind::product ? summed_axis(*path.through, setup) : Axis::d_model;
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const Cell own{gradient_of(stage.result), cell.index};
  const std::vector<GradientPath> paths = gradient_paths(own.tensor, trace.setup);
  Explanation explanation = explanation_of(trace, cell);
  for (const GradientPath& path : paths) path.through->operation->backward.explain(explanation, trace, path, own);
  const GradientPath& first = paths.front();
  explanation.formula = fmt::format(
      "{} = {}", indexed(cell.tensor, summed_letter(first, trace.setup), info(first.through->result), trace.setup),
      explanation.formula);
  if (explanation.value == 0 && explanation.note.empty()) explanation.note = why_zero(explanation);
  return explanation;
}

CodeLines code(const Stage& stage, const Code& code) {
  // It comes from the layer above.
  if (!code.setup.is_last() && gradient_of(stage.result) == what_leaves(code.setup)) return {};
  std::vector<std::string> summands;
  for (const GradientPath& path : gradient_paths(gradient_of(stage.result), code.setup))
    summands.push_back(path.through->operation->backward.code(code, path));
  return {{fmt::format("{} = {}", name(stage.result), fmt::join(summands, " + ")), shape_words(stage.result, code)}};
}

constexpr Operation chain_rule{.kind = StageKind::gradient,
                               .title = "Gradient",
                               .formula = {},
                               .compute = compute,
                               .explain = explain_cell,
                               .code = code};

}  // namespace

std::vector<Stage> make_gradient_stages(std::span<const Stage> forward) {
  const GradientPaths paths = gradient_paths(forward);
  std::vector<Stage> made;
  for (const Stage& stage : forward) {
    const TensorInfo& about = info(gradient_of(stage.result));
    std::vector<Operand> operands = operands_on(paths[index_of(stage.result)]);
    if (operands.empty()) continue;  // nothing reads the loss
    made.push_back({.result = about.id,
                    .operation = &chain_rule,
                    .operands = std::move(operands),
                    .kind = chain_rule.kind,
                    .phase = Phase::loss,
                    .title = std::string(chain_rule.title),
                    .formula = std::string(about.about)});
  }
  return made;
}

Tensor laid_out_like(const Tensor& tensor, Workspace& workspace) {
  const Shape& extents = tensor.shape();
  const bool in_columns = extents.rank() == 4 && tensor.strides()[1] == extents[3];
  if (!in_columns) return workspace.tensor(tensor.precision(), extents);
  return workspace.tensor(tensor.precision(), {extents[0], extents[2], extents[1] * extents[3]})
      .split_heads(extents[1]);
}

Tensor sum_over_batch(const Tensor& gradient, Workspace& workspace) {
  const Tensor all = gradient.contiguous();
  Tensor sum = workspace.tensor(all.precision(), all.selected(0, 0).shape());
  with_element_type(all.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Index count = sum.elements();
    workspace.ranges(count, elements_per_task, [&](Index begin, Index end) {
      auto to = numbers(sum.writable<T>() + begin, end - begin);
      to = numbers(all.data<T>() + begin, end - begin);
      for (Index item = 1; item < all.shape()[0]; ++item)
        to += numbers(all.data<T>() + item * count + begin, end - begin);
    });
  });
  return sum;
}

void explain_passed_on(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  explain_by_chain_rule(explanation, trace, path, cell, "", [](const Cell&) { return std::vector<Factor>(); });
}

void explain_product_backward(Explanation& explanation, const Trace& trace, const GradientPath& path,
                              const Cell& cell) {
  using Slot = Operand::Slot;
  const Setup& setup = trace.setup;
  const TensorId result = path.through->result;
  if (path.operand.slot == Slot::added) return explain_passed_on(explanation, trace, path, cell);
  const Slot slot = path.operand.slot == Slot::left ? Slot::right : Slot::left;
  const TensorId other = operand_at(*path.through, slot, setup)->tensor;
  const Axis summed = summed_axis(*path.through, setup);
  const Index n = cell.index[summed_axis_in(cell.tensor, *path.through)];
  explain_by_chain_rule(
      explanation, trace, path, cell, " · " + indexed(other, summed, info(result), setup),
      [&](const Cell& made) { return std::vector{factor(trace, other, index_in_operand(other, made, n, setup))}; });
}

namespace detail {

void add_to_formula(Explanation& explanation, const Setup& setup, const GradientPath& path, std::string_view symbols) {
  const TensorInfo& result = info(path.through->result);
  const TensorInfo& operand = info(path.operand.tensor);
  std::string sums;
  for (const Axis axis : result.axis_list()) {
    if (path.through->kind == StageKind::window) break;  // one number, under other indices
    const bool fixed = std::ranges::any_of(operand.axis_list(), [&](Axis own) {
      // A position of X makes one query at most, even if past ones make none.
      return axis_in_result(own, operand, result) == result.index_of(axis) &&
             (own == Axis::token || extent(own, setup) == extent(axis, setup));
    });
    if (!fixed) sums += "Σ_" + letter(axis, axis, result, setup) + " ";
  }
  explanation.formula +=
      fmt::format("{}{}{}{}", explanation.formula.empty() ? "" : " + ", sums,
                  indexed(gradient_of(result.id), summed_letter(path, setup), result, setup), symbols);
}

Cell cell_in(const GoesInto& block, Index n) {
  Cell cell = block.first;
  for (int axis = cell.index.rank() - 1; axis >= 0; --axis) {
    cell.index[axis] += n % block.counts[axis];
    n /= block.counts[axis];
  }
  return cell;
}

std::string label_in(const GoesInto& block, const Cell& cell, const Setup& setup) {
  std::vector<std::string> parts;
  const auto axes = info(cell.tensor).axis_list();
  for (int axis = 0; axis < cell.index.rank(); ++axis) {
    if (block.counts[axis] == 1) continue;
    const Index index = cell.index[axis];
    switch (axes[static_cast<std::size_t>(axis)]) {
      case Axis::batch: parts.push_back(fmt::format("item {}", index)); break;
      case Axis::head: parts.push_back(fmt::format("head {}", index)); break;
      case Axis::query: parts.push_back(setup.query_label(index)); break;
      case Axis::key: parts.push_back(setup.key_label(index)); break;
      case Axis::token: parts.push_back(setup.token_label(index)); break;
      default: parts.push_back(fmt::format("d{}", index)); break;
    }
  }
  return parts.empty() ? "what comes back" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace detail

}  // namespace headlight
