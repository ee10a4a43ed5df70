#include "core/engine/engine.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "core/engine/cost.hpp"
#include "core/engine/course.hpp"
#include "core/model/shapes.hpp"
#include "core/random/draws.hpp"
#include "core/setup/validity.hpp"
#include "core/stages/table.hpp"
#include "core/training/training.hpp"

namespace headlight {
namespace {

bool same_operands(const Stage& stage, const Trace& a, const Trace& b) {
  return (!stage.operation->takes_chances || a.kept == b.kept) &&
         (!stage.operation->asks || a.sequences == b.sequences) &&
         std::ranges::all_of(stage.operands,
                             [&](const Operand& operand) { return a[operand.tensor].same_window(b[operand.tensor]); });
}

/// Whether the stage can keep its result from `last`. Operands tell a stage of most new sizes and of another precision,
/// but some stages have none, and the same X may have more past positions and fewer queries.
bool holds(const Trace* last, const Stage& stage, const Trace& next) {
  return last != nullptr && last->has(stage.result) && same_operands(stage, next, *last) &&
         same_form(stage.result, next.setup, last->setup) && stage.same_settings(next.setup, last->setup);
}

/// Puts the weights after the setup's steps into a trace that holds those before.
void train(Trace& trace, Training& training, Workspace& workspace) {
  const TrainingState state = training.at(trace.setup.training.steps, workspace);
  put_into(trace, state);
  const auto made = training.losses().begin() + state.step;
  trace.learning =
      std::make_shared<const Learning>(Learning{state.step, training.exploded_at(), {training.losses().begin(), made}});
}

std::vector<Tensor> values_of(const TrainingState& state) {
  std::vector<Tensor> values;
  for (const Parameter& parameter : state.parameters) values.push_back(parameter.value);
  return values;
}

/// A training, and what is known of it.
struct Learner {
  Training training;
  std::shared_ptr<const Course> course = std::make_shared<const Course>();

  /// Judges the kept states that are new by the sequences of a trace.
  void follow(const Trace& trace, const Progress& progress) {
    const auto& kept = training.kept();
    const bool same = course->made == training.made() && course->exploded_at == training.exploded_at() &&
                      course->kept.size() == kept.size();
    if (same) return;
    Course next{{}, training.made(), training.exploded_at()};
    constexpr std::array judged{TensorId::logits, TensorId::loss};
    const Setup learning = while_learning(trace.setup);
    auto known = course->kept.begin();
    for (const TrainingState& state : kept) {
      while (known != course->kept.end() && (*known)->step < state.step) ++known;
      if (known != course->kept.end() && (*known)->step == state.step) {
        next.kept.push_back(*known);
        continue;
      }
      if (progress.stop.stop_requested()) throw Stopped();
      std::vector<Tensor> learned = values_of(state);
      const Verdict verdict = verdict_of(passed_again(trace, learning, judged, learned));
      next.kept.push_back(std::make_shared<const KeptStep>(KeptStep{state.step, verdict, std::move(learned)}));
      if (!progress.pauses || !progress.pauses()) continue;
      next.kept.insert(next.kept.end(), known, course->kept.end());
      next.made = -1;  // it is not complete
      course = std::make_shared<const Course>(std::move(next));
      throw Stopped();
    }
    course = std::make_shared<const Course>(std::move(next));
  }
};

/// A trace that pauses: it has what is made so far.
struct Begun {
  std::shared_ptr<const Trace> trace;
  DrawCache draws;
};

/// How many bytes of freed tensors the engine keeps for the next edit.
constexpr std::size_t unused_memory_limit = std::size_t{512} << 20;

}  // namespace

struct Engine::State {
  State(std::int64_t limit, std::shared_ptr<Threads> all) : memory_limit(limit), threads(std::move(all)) {}

  std::int64_t memory_limit;
  std::shared_ptr<Threads> threads;
  BlockPool blocks{unused_memory_limit};
  DrawCache draws;
  std::optional<Learner> learner;
  std::shared_ptr<const Trace> last;
  std::optional<Begun> begun;
  std::vector<TensorId> recomputed;
  std::uint64_t version = 0;
};

Engine::Engine(std::int64_t memory_limit, std::shared_ptr<Threads> threads)
    : state_(std::make_unique<State>(memory_limit, std::move(threads))) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::shared_ptr<const Trace> Engine::compute(const Setup& setup, const Progress& progress) {
  const Trace* last = state_->last.get();
  require_valid(setup, {}, last == nullptr ? nullptr : &last->setup);
  require_fits(setup, state_->memory_limit);
  // Costs are needed only to report progress.
  const std::vector<double> costs = progress.report ? estimated_stage_seconds(setup, last) : std::vector<double>{};
  const auto cost_of = [&](TensorId id) { return costs.empty() ? 0 : costs[index_of(id)]; };
  double cost_of_draws = 0;
  for (TensorId id : drawn_tensors())
    if (is_drawn(id, setup)) cost_of_draws += cost_of(id);
  const double cost_of_training = progress.report ? estimated_training_seconds(setup, last) : 0;
  Workspace workspace(*state_->threads, state_->blocks, progress,
                      std::accumulate(costs.begin(), costs.end(), cost_of_training));
  workspace.begin(cost_of_draws);

  const std::optional<Begun> begun = std::exchange(state_->begun, std::nullopt);
  auto next = std::make_shared<Trace>(setup);
  DrawCache draws = fill_drawn(*next, begun ? begun->draws : state_->draws, workspace);
  std::vector<TensorId> recomputed;
  recomputed.reserve(tensor_count);
  try {
    if (setup.has_task() && !(state_->learner && state_->learner->training.is_of(setup, *next)))
      state_->learner.emplace(Training(setup, *next));
    if (setup.training.steps > 0) {
      workspace.begin(cost_of_training);
      train(*next, state_->learner->training, workspace);
    }
    for (TensorId id : drawn_tensors())
      if (next->has(id) && (last == nullptr || !(*next)[id].same_window((*last)[id]))) recomputed.push_back(id);

    for (const Stage& stage : stages_for(setup)) {
      const TensorId result = stage.result;
      if (!exists(result, setup) || is_drawn(result, setup)) continue;
      workspace.begin(cost_of(result));
      if (holds(last, stage, *next)) {
        (*next)[result] = (*last)[result];
        continue;
      }
      recomputed.push_back(result);
      if (begun && holds(begun->trace.get(), stage, *next)) {
        (*next)[result] = (*begun->trace)[result];
        continue;
      }
      (*next)[result] = stage.compute(*next, workspace);
      workspace.may_pause();
    }
  } catch (const Stopped&) {
    if (!progress.stop.stop_requested()) state_->begun = Begun{std::move(next), std::move(draws)};
    throw;
  }
  next->hidden = hidden_without_scores(setup, workspace);
  workspace.finish();
  next->blind_queries = blind_queries(setup);
  next->version = ++state_->version;

  state_->draws = std::move(draws);
  state_->last = std::move(next);
  state_->recomputed = std::move(recomputed);
  state_->blocks.forget_unused();
  return state_->last;
}

std::shared_ptr<const Course> Engine::course(const Progress& progress) {
  if (state_->last == nullptr || !state_->last->setup.has_task()) return nullptr;
  state_->learner->follow(*state_->last, progress);
  return state_->learner->course;
}

const std::vector<TensorId>& Engine::recomputed() const { return state_->recomputed; }

std::shared_ptr<const Trace> compute_trace(const Setup& setup, std::int64_t memory_limit,
                                           std::shared_ptr<Threads> threads) {
  return Engine(memory_limit, std::move(threads)).compute(setup);
}

}  // namespace headlight
