#include "core/stages/gradient.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/compute/matrices.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

bool leads_to(const Stage& stage, TensorId tensor) {
  return std::ranges::any_of(stage.operands, [&](const Operand& operand) { return operand.tensor == tensor; });
}

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

/// ∂L/∂T = what comes back on every way from T to L, added up.
void compute_gradient(TensorId tensor, Trace& trace, Workspace& workspace) {
  Tensor sum;
  for (const GradientPath& path : gradient_paths(tensor, trace.setup)) {
    const Tensor back = path.through->backward.compute(trace, workspace, path);  // in the shape of the tensor
    sum = sum.empty() ? back : sum_of(sum, back, workspace);
  }
  trace[gradient_of(tensor)] = sum;
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

/// The axis whose letter is that of a sum in the formula of the way forward.
Axis summed_letter(const GradientPath& path, const Setup& setup) {
  return path.through->kind == StageKind::product ? summed_axis(*path.through, setup) : Axis::d_model;
}

Explanation explain_gradient(const Trace& trace, const Cell& cell) {
  const Cell own{gradient_of(cell.tensor), cell.index};
  Explanation explanation = explanation_of(trace, cell);
  for (const GradientPath& path : gradient_paths(own.tensor, trace.setup))
    path.through->backward.explain(explanation, trace, path, own);
  const GradientPath first = gradient_paths(own.tensor, trace.setup).front();
  explanation.formula = fmt::format(
      "{} = {}", indexed(cell.tensor, summed_letter(first, trace.setup), info(first.through->result), trace.setup),
      explanation.formula);
  if (explanation.value == 0 && explanation.note.empty()) explanation.note = why_zero(explanation);
  return explanation;
}

CodeLines gradient_code(TensorId tensor, const Code& code) {
  std::vector<std::string> summands;
  for (const GradientPath& path : gradient_paths(tensor, code.setup))
    summands.push_back(path.through->backward.code(code, path));
  return {{fmt::format("{} = {}", name(gradient_of(tensor)), fmt::join(summands, " + ")), shape_words(tensor, code)}};
}

/// What a gradient's stage reads: of every stage that reads the tensor the result's gradient, the other operands of a
/// product, and what its way back names besides.
std::vector<Operand> operands_of_gradient(TensorId tensor, std::span<const Stage> forward) {
  std::vector<Operand> operands;
  const auto add = [&](TensorId id, bool (*used)(const Setup&)) {
    const auto known = std::ranges::find(operands, id, &Operand::tensor);
    if (known == operands.end()) operands.push_back({.tensor = id, .used = used});
    else if (known->used != used) known->used = nullptr;
  };
  for (const Stage& stage : forward) {
    for (const Operand& operand : stage.operands) {
      if (operand.tensor != tensor) continue;
      add(gradient_of(stage.result), operand.used);
      for (const TensorId id : stage.backward.reads) add(id, operand.used);
      if (stage.kind != StageKind::product || operand.slot == Operand::Slot::added) continue;
      for (const Operand& other : stage.operands)
        if (other.slot != Operand::Slot::added && other.slot != operand.slot) add(other.tensor, other.used);
    }
  }
  return operands;
}

bool same_ways(TensorId tensor, const Setup& a, const Setup& b) {
  return std::ranges::all_of(stages(), [&](const Stage& stage) {
    return !leads_to(stage, tensor) ||
           (same_settings(stage, a, b) && exists(stage.result, a) == exists(stage.result, b));
  });
}

template <std::size_t place>
Stage gradient_stage() {
  constexpr auto tensor = static_cast<TensorId>(place);
  return {.result = gradient_of(tensor),
          .kind = StageKind::gradient,
          .phase = Phase::loss,
          .title = "Gradient",
          .formula = info(gradient_of(tensor)).about,
          .same_settings = [](const Setup& a, const Setup& b) { return same_ways(tensor, a, b); },
          .compute = [](Trace& trace, Workspace& workspace) { compute_gradient(tensor, trace, workspace); },
          .explain = explain_gradient,
          .code = [](const Code& code) { return gradient_code(tensor, code); }};
}

template <std::size_t... places>
constexpr std::array<Stage (*)(), sizeof...(places)> gradient_stages_of(std::index_sequence<places...>) {
  return {gradient_stage<places>...};
}

/// The ways that lead back to each tensor, under any setup.
std::array<std::vector<GradientPath>, tensor_count> all_ways_back() {
  std::array<std::vector<GradientPath>, tensor_count> paths;
  for (const Stage& stage : stages())
    for (const Operand& operand : stage.operands) paths[index_of(operand.tensor)].push_back({&stage, operand});
  return paths;
}

}  // namespace

std::vector<GradientPath> gradient_paths(TensorId tensor, const Setup& setup) {
  static const std::array<std::vector<GradientPath>, tensor_count> all = all_ways_back();
  std::vector<GradientPath> paths;
  std::ranges::copy_if(all[index_of(tensor)], std::back_inserter(paths), [&](const GradientPath& path) {
    return reads(path.operand, setup) && exists(path.through->result, setup);
  });
  return paths;
}

std::vector<Stage> make_gradient_stages(std::span<const Stage> forward) {
  static std::array<std::vector<Operand>, forward_count> operands;  // a stage's operands are a window on these
  static constexpr auto make = gradient_stages_of(std::make_index_sequence<forward_count>{});
  std::vector<Stage> gradients;
  for (std::size_t place = 0; place < forward_count; ++place) {
    const auto tensor = static_cast<TensorId>(place);
    operands[place] = operands_of_gradient(tensor, forward);
    if (operands[place].empty()) continue;  // nothing reads the loss
    gradients.push_back(make[place]());
    gradients.back().operands = operands[place];
  }
  return gradients;
}

bool is_gradient_window(TensorId gradient, const Setup& setup) {
  const std::vector<GradientPath> paths = gradient_paths(gradient_of(gradient), setup);
  if (paths.size() != 1) return false;
  const Stage& through = *paths.front().through;
  return (through.backward.is_window != nullptr && through.backward.is_window(paths.front())) ||
         (through.passes_on != nullptr && through.passes_on(setup));
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
  const Index n = cell.index[info(cell.tensor).index_of(summed).value()];
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
      return axis_in_result(own, operand, result) == result.index_of(axis) && extent(own, setup) == extent(axis, setup);
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
    const Index place = cell.index[axis];
    switch (axes[static_cast<std::size_t>(axis)]) {
      case Axis::batch: parts.push_back(fmt::format("item {}", place)); break;
      case Axis::head: parts.push_back(fmt::format("head {}", place)); break;
      case Axis::query: parts.push_back(setup.query_label(place)); break;
      case Axis::key: parts.push_back(setup.key_label(place)); break;
      default: parts.push_back(fmt::format("d{}", place)); break;
    }
  }
  return parts.empty() ? "what comes back" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace detail

}  // namespace headlight
