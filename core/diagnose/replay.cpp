#include "core/diagnose/replay.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>

#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

void collect(TensorId id, const Mixture& mixture, std::array<bool, tensor_count>& inside) {
  if (inside[index_of(id)]) return;
  inside[index_of(id)] = true;
  for (const TensorId operand : operand_tensors(id, mixture.trace.setup))
    if (!mixture.given[index_of(operand)]) collect(operand, mixture, inside);
}

/// All ways to choose some of these, fewest first.
std::vector<std::vector<TensorId>> choices(const std::vector<TensorId>& ids) {
  std::vector<std::vector<TensorId>> all;
  for (unsigned bits = 1; bits < 1u << ids.size(); ++bits) {
    all.emplace_back();
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (bits >> i & 1u) all.back().push_back(ids[i]);
  }
  std::ranges::stable_sort(all, {}, &std::vector<TensorId>::size);
  return all;
}

bool is_better(const Diagnosis& a, const Diagnosis& b) {
  if (a.explains != b.explains) return a.explains;
  return !a.explains && a.misfit < b.misfit;
}

/// The tensors that our stages compute between what was handed over and `target`, in the order of the stages; the
/// target is the last of them. Drawn tensors that were not handed over are among them.
std::vector<TensorId> segment_of(TensorId target, const Mixture& mixture) {
  std::array<bool, tensor_count> inside{};
  collect(target, mixture, inside);
  std::vector<TensorId> segment;
  for (const TensorInfo& tensor : all_tensors())
    if (inside[index_of(tensor.id)]) segment.push_back(tensor.id);
  return segment;
}

/// The digits of a half leave room for more than one explanation. The right one leaves the least.
void keep_closest(std::vector<Diagnosis>& diagnoses) {
  double least = std::numeric_limits<double>::infinity();
  for (const Diagnosis& diagnosis : diagnoses)
    if (diagnosis.explains) least = std::min(least, diagnosis.misfit);
  for (Diagnosis& diagnosis : diagnoses) diagnosis.explains &= diagnosis.misfit <= 2 * least;
}

/// Whether a mistake in fewer places explains the same.
bool is_more_than_needed(const Diagnosis& diagnosis, const std::vector<Diagnosis>& all) {
  return diagnosis.explains && std::ranges::any_of(all, [&](const Diagnosis& other) {
           return other.explains && other.at.size() < diagnosis.at.size() &&
                  std::ranges::all_of(other.at, [&](TensorId id) { return contains(diagnosis.at, id); });
         });
}

}  // namespace

Replays::Replays(const Mixture& mixture, const Match& target, const Tolerance& tolerance, Workspace& workspace)
    : mixture_(mixture),
      target_(target),
      tolerance_(tolerance),
      workspace_(workspace),
      segment_(segment_of(target.tensor, mixture)) {}

bool Replays::reaches_draws() const {
  return std::ranges::any_of(segment_, [&](TensorId id) { return is_drawn(id, mixture_.trace.setup); });
}

bool Replays::reads_ours_alone() const {
  const Setup& setup = mixture_.trace.setup;
  return std::ranges::all_of(segment_, [&](TensorId id) {
    if (is_drawn(id, setup)) return true;
    return std::ranges::all_of(operand_tensors(id, setup), [&](TensorId operand) {
      return contains(segment_, operand) || !mixture_.theirs[index_of(operand)];
    });
  });
}

void Replays::run_rest(Trace& trace, Errors& errors, std::array<bool, tensor_count>& changed, TensorId id,
                       Workspace& workspace) const {
  const auto operands = operand_tensors(id, trace.setup);
  if (std::ranges::none_of(operands, [&](TensorId one) { return changed[index_of(one)]; })) return;
  if (id == TensorId::weights && target_.theirs.has_nan) {
    Attempt attempt{trace, id, target_.tensor, target_.theirs, 0, workspace};
    trace[id] = attempt.softmax(trace[TensorId::masked_scores].contiguous());
  } else {
    run_stage(trace, id, workspace);
  }
  errors[index_of(id)] = rounding_of(trace, id, errors, epsilon_of(mixture_.digits));
  changed[index_of(id)] = true;
}

void Replays::judge(Diagnosis& diagnosis, const Tensor& result, const Rounding& rounding, Workspace& workspace) const {
  const Agreement agreement = compare(target_.tensor, target_.theirs, result, tolerance_, rounding, workspace);
  diagnosis.misfit = agreement.largest;
  // If every number is NaN, any mistake that makes NaN would fit.
  diagnosis.explains = agreement.agrees() && (!target_.theirs.all_nan || diagnosis.mistake == "softmax_overflow");
}

const Replays::FirstPart& Replays::first_part(int axis) const {
  auto& kept = parts_[static_cast<std::size_t>(axis)];
  if (kept) return *kept;
  const Index length = std::max<Index>(1, target_.theirs.values.shape()[axis] / 16);
  const auto part = [&](const Tensor& tensor, int along) {
    return tensor.empty() ? tensor : tensor.narrowed(along, 0, length).contiguous();
  };
  kept = FirstPart{mixture_.trace, target_.theirs};
  kept->theirs.values = part(kept->theirs.values, axis);
  kept->theirs.half_digits = part(kept->theirs.half_digits, axis);
  // What may be read to make the target: tensors with the same axes, and the bias, which has no batch axis.
  for (std::size_t i = 0; i <= index_of(target_.tensor); ++i) {
    Tensor& tensor = kept->trace.tensors[i];
    if (info(static_cast<TensorId>(i)).axes == info(target_.tensor).axes) tensor = part(tensor, axis);
  }
  Tensor& bias = kept->trace[TensorId::position_bias];
  bias = part(bias, axis - 1);
  return *kept;
}

bool Replays::fails_on_a_part(const Mistake& mistake, TensorId at, int variant, Diagnosis& diagnosis) const {
  constexpr Index large = Index{1} << 20;
  const bool between = at == TensorId::scores || at == TensorId::masked_scores || at == TensorId::weights;
  if (!between || at != target_.tensor || target_.theirs.averaged || !mistake.parts ||
      target_.theirs.values.elements() < large)
    return false;
  const FirstPart& part = first_part(*mistake.parts);
  Attempt attempt{part.trace, at, at, part.theirs, variant, workspace_};
  const auto wrong = mistake.replay(attempt);
  if (!wrong) return false;
  const double rounding = rounding_of(attempt.trace, at, mixture_.errors, epsilon_of(mixture_.digits));
  const Agreement agreement = compare(at, part.theirs, *wrong, tolerance_, rounding, workspace_);
  diagnosis.misfit = agreement.largest;
  return !agreement.agrees();
}

double Replays::misfit_of(const Trace& from, TensorId at, const Tensor& result) const {
  Trace trace = from;
  Errors errors = mixture_.errors;
  std::array<bool, tensor_count> changed{};
  trace[at] = result;
  changed[index_of(at)] = true;
  for (const TensorId id : segment_)
    if (id > at) run_rest(trace, errors, changed, id, workspace_);
  const Theirs& theirs = target_.theirs;
  const Tensor& whole = trace[target_.tensor];
  const Tensor expected = converted(theirs.averaged ? mean_over_heads(whole) : whole, Precision::float64);
  const Tensor given = converted(theirs.values, Precision::float64);
  if (expected.shape() != given.shape()) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (Index i = 0; i < given.elements(); ++i) {
    const double difference = given.data<double>()[i] - expected.data<double>()[i];
    if (std::isfinite(difference)) sum += difference * difference;
  }
  return std::sqrt(sum / static_cast<double>(std::max<Index>(given.elements(), 1)));
}

std::optional<Replays::Run> Replays::run(const Mistake& mistake, const std::vector<TensorId>& at, int variant,
                                         ChanceRounding* coarse) const {
  Run run{mixture_.trace, mixture_.errors};
  std::array<bool, tensor_count> changed{};
  if (coarse) {
    for (const TensorInfo& tensor : all_tensors()) {
      if (!run.trace.has(tensor.id) || tensor.id > target_.tensor) continue;
      run.trace[tensor.id] = (*coarse)(run.trace[tensor.id]);
      changed[index_of(tensor.id)] = !mixture_.given[index_of(tensor.id)];
    }
  }
  for (const TensorId id : segment_) {
    if (!contains(at, id)) {
      if (!coarse || !is_drawn(id, run.trace.setup)) run_rest(run.trace, run.errors, changed, id, workspace_);
    } else {
      Attempt attempt{run.trace, id, target_.tensor, target_.theirs, variant, workspace_, [&](const Tensor& result) {
                        return misfit_of(run.trace, id, result);
                      }};
      const auto wrong = mistake.replay(attempt);
      if (!wrong) return std::nullopt;
      run.said = attempt.said;
      run.trace[id] = *wrong;
      run.errors[index_of(id)] = rounding_of(attempt.trace, id, run.errors, epsilon_of(mixture_.digits));
      changed[index_of(id)] = true;
    }
    if (coarse) run.trace[id] = (*coarse)(run.trace[id]);
  }
  return run;
}

bool Replays::is_far(const Tensor& result, const Rounding& rounding) const {
  constexpr double far = 8;
  Tensor spread = Tensor::uninitialized(Precision::float64, rounding.spread.shape());
  std::transform(rounding.spread.data<double>(), rounding.spread.data<double>() + rounding.spread.elements(),
                 spread.writable<double>(), [](double each) { return each * far; });
  const Rounding wider{rounding.bound, std::move(spread)};
  return !compare(target_.tensor, target_.theirs, result, tolerance_, wider, workspace_).agrees();
}

Diagnosis Replays::replay(const Mistake& mistake, const std::vector<TensorId>& at, int variant, bool& possible) const {
  Diagnosis diagnosis{.tensor = at.front(),
                      .given = target_.tensor,
                      .mistake = mistake.name,
                      .words = std::string(mistake.words),
                      .misfit = std::numeric_limits<double>::infinity(),
                      .at = at,
                      .mended = mistake.mended,
                      .fix_numpy = std::string(mistake.fix_numpy),
                      .fix_torch = std::string(mistake.fix_torch),
                      .variant = variant};
  possible = true;
  if (at.size() == 1 && fails_on_a_part(mistake, at.front(), variant, diagnosis)) return diagnosis;
  std::optional<Run> exact = run(mistake, at, variant, nullptr);
  possible = exact.has_value();
  if (!possible) return diagnosis;
  diagnosis.words += exact->said;
  const Tensor& result = exact->trace[target_.tensor];
  Rounding rounding = exact->errors[index_of(target_.tensor)];
  if (is_half(mixture_.digits)) {
    SeenRounding seen(result);
    for (int nth = 0; nth < runs_that_round(mixture_.trace.setup); ++nth) {
      ChanceRounding round(mixture_.digits, static_cast<std::uint64_t>(nth));
      const std::optional<Run> coarse = run(mistake, at, variant, &round);
      if (!coarse || coarse->trace[target_.tensor].shape() != result.shape()) break;
      seen.add(coarse->trace[target_.tensor]);
      rounding = seen.rounding();
      if (nth == 0 && is_far(result, rounding)) break;
    }
  }
  judge(diagnosis, result, rounding, workspace_);
  return diagnosis;
}

std::optional<Diagnosis> Replays::best_of(const Mistake& mistake) const {
  const auto within = [&](const std::vector<TensorId>& ids) {
    std::vector<TensorId> reachable;
    std::ranges::copy_if(ids, std::back_inserter(reachable), [&](TensorId id) { return contains(segment_, id); });
    return reachable;
  };
  std::vector<std::vector<TensorId>> ways;
  const std::vector<TensorId> own = within(mistake.at), also = within(mistake.also);
  if (mistake.everywhere) {
    if (!own.empty()) ways.push_back(own);
  } else {
    for (const auto& some : choices(own)) {
      ways.push_back(some);
      for (const TensorId id : also) {
        ways.push_back(some);
        ways.back().push_back(id);
      }
    }
    std::ranges::stable_sort(ways, {}, &std::vector<TensorId>::size);
  }
  std::optional<Diagnosis> best;
  for (const auto& at : ways) {
    for (int variant = 0;; ++variant) {
      bool possible = false;
      Diagnosis diagnosis = replay(mistake, at, variant, possible);
      if (!possible) break;
      if (!best || is_better(diagnosis, *best)) best = std::move(diagnosis);
      if (best->explains) return best;
    }
  }
  return best;
}

bool Replays::is_right_but_for_nan() const {
  if (!target_.theirs.has_nan || !contains(segment_, TensorId::weights)) return false;
  Run run{mixture_.trace, mixture_.errors};
  std::array<bool, tensor_count> changed{};
  changed[index_of(TensorId::masked_scores)] = true;
  for (const TensorId id : segment_)
    if (id >= TensorId::weights) run_rest(run.trace, run.errors, changed, id, workspace_);
  Diagnosis right;
  right.mistake = "softmax_overflow";
  judge(right, run.trace[target_.tensor], run.errors[index_of(target_.tensor)], workspace_);
  return right.explains;
}

std::vector<Diagnosis> Replays::known_mistakes() const {
  std::vector<Diagnosis> all;
  const bool only_nan = is_right_but_for_nan();
  for (const bool fitted : {false, true}) {
    for (const Mistake& mistake : mistakes()) {
      if (mistake.fitted != fitted || (only_nan && mistake.name != "softmax_overflow")) continue;
      if (auto best = best_of(mistake)) all.push_back(std::move(*best));
    }
    if (std::ranges::any_of(all, &Diagnosis::explains)) break;
  }
  if (is_half(mixture_.digits)) keep_closest(all);
  std::vector<Diagnosis> needed;
  std::ranges::copy_if(all, std::back_inserter(needed),
                       [&](const Diagnosis& diagnosis) { return !is_more_than_needed(diagnosis, all); });
  return needed;
}

Diagnosis Replays::other_draws(const WrongDraws& wrong, const Trace& drawn, Workspace& workspace) const {
  Diagnosis diagnosis{.tensor = segment_.front(),
                      .given = target_.tensor,
                      .mistake = wrong.mistake,
                      .words = wrong.words,
                      .misfit = std::numeric_limits<double>::infinity(),
                      .draws = mixture_.trace.setup.random.draws,
                      .drawn_as = std::make_shared<const Setup>(wrong.setup)};
  const auto [result, rounding] = from_draws(drawn, workspace);
  judge(diagnosis, result, rounding, workspace);
  return diagnosis;
}

std::pair<Tensor, double> Replays::from_draws(const Trace& drawn, Workspace& workspace) const {
  Trace trace = mixture_.trace;
  Errors errors = mixture_.errors;
  std::array<bool, tensor_count> changed{};
  trace.kept = drawn.kept;
  for (const TensorId id : segment_) {
    if (is_drawn(id, trace.setup)) {
      trace[id] = drawn[id];
      changed[index_of(id)] = true;
    } else if (id == TensorId::dropped_weights) {
      changed[index_of(TensorId::weights)] = true;
      run_rest(trace, errors, changed, id, workspace);
    } else {
      run_rest(trace, errors, changed, id, workspace);
    }
  }
  return {trace[target_.tensor], errors[index_of(target_.tensor)]};
}

bool Replays::is_theirs(const Tensor& result, double rounding) const {
  Diagnosis diagnosis;
  judge(diagnosis, result, rounding, workspace_);
  return diagnosis.explains;
}

}  // namespace headlight
