#include "core/diagnose/next_step.hpp"

#include <algorithm>

#include "core/diagnose/arrays/flow.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

using enum TensorId;

bool is_given(TensorId id, const CheckReport& report) {
  return std::ranges::find(report.tensors, id, &TensorVerdict::tensor) != report.tensors.end();
}

/// What the first difference is computed from in one step, if nothing of that was handed over.
std::vector<TensorId> missing_inputs(const CheckReport& report, const Setup& setup) {
  std::vector<TensorId> missing;
  for (const TensorId id : operand_tensors(*report.first_difference, setup))
    if (!is_given(id, report)) missing.push_back(id);
  return missing;
}

/// What a tensor is computed from, back to what was handed over.
struct Way {
  std::vector<TensorId> between;  ///< was not handed over
  bool begins_at_theirs = false;  ///< something of theirs is computed on

  void collect(TensorId id, const CheckReport& report, const Setup& setup) {
    for (const TensorId operand : operand_tensors(id, setup)) {
      if (info(operand).kind != TensorKind::computed || contains(between, operand)) continue;
      if (is_given(operand, report)) {
        begins_at_theirs = true;
        continue;
      }
      between.push_back(operand);
      collect(operand, report, setup);
    }
  }
};

/// The same numbers as those that they are cut from, or put together from.
bool is_another_view(TensorId id) { return id == Q_heads || id == K_heads || id == V_heads || id == concat; }

}  // namespace

NextStep next_step(const CheckReport& report, const Setup& setup) {
  if (!report.first_difference || is_gradient(*report.first_difference) ||
      info(*report.first_difference).kind != TensorKind::computed)
    return {};
  Way way;
  way.collect(*report.first_difference, report, setup);
  std::vector<TensorId>& between = way.between;
  std::erase_if(between, is_another_view);
  std::ranges::sort(between);
  if (between.empty() && !way.begins_at_theirs)
    return {.hand_over = missing_inputs(report, setup), .in_this_step = false};
  if (between.empty()) return {.hand_over = {}, .in_this_step = true};
  for (const TensorId id : {scores, weights, context})
    if (contains(between, id)) return {.hand_over = {id}, .in_this_step = false};
  std::vector<TensorId> projected;
  for (const TensorId id : {Q, K})
    if (contains(between, id)) projected.push_back(id);
  if (!projected.empty()) return {.hand_over = projected, .in_this_step = false};
  return {.hand_over = {between[between.size() / 2]}, .in_this_step = false};
}

}  // namespace headlight
