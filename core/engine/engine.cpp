#include "core/engine/engine.hpp"

#include <algorithm>
#include <numeric>

#include "core/engine/cost.hpp"
#include "core/random/draws.hpp"

namespace headlight {
namespace {

bool same_drawn(const Trace& a, const Trace& b) {
  const auto& drawn = stage(StageId::draw).outputs;
  return a.kept == b.kept &&
         std::all_of(drawn.begin(), drawn.end(), [&](TensorId id) { return a[id].same_window(b[id]); });
}

bool same_inputs(const Stage& stage, const Trace& a, const Trace& b) {
  return (stage.id != StageId::dropout || a.kept == b.kept) &&
         std::all_of(stage.inputs.begin(), stage.inputs.end(), [&](TensorId id) { return a[id].same_window(b[id]); });
}

bool makes_any(const Stage& stage, const Setup& setup) {
  return std::any_of(stage.outputs.begin(), stage.outputs.end(), [&](TensorId id) { return exists(id, setup); });
}

/// Whether the stage would make what `last` holds.
bool holds(const Trace* last, const Stage& stage, const Trace& next) {
  return last != nullptr && last->has(stage.outputs.front()) && same_inputs(stage, next, *last) &&
         same_settings(stage, next.setup, last->setup);
}

/// What may lie unused between two edits.
constexpr std::size_t unused_memory_limit = std::size_t{512} << 20;

}  // namespace

struct Engine::State {
  State(std::int64_t limit, unsigned thread_count) : memory_limit(limit), threads(thread_count) {}

  std::int64_t memory_limit;
  Threads threads;
  BlockPool blocks{unused_memory_limit};
  DrawCache draws;
  std::shared_ptr<const Trace> last;
  std::vector<StageId> recomputed;
  std::uint64_t version = 0;
};

Engine::Engine(std::int64_t memory_limit, unsigned threads) : state_(std::make_unique<State>(memory_limit, threads)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::shared_ptr<const Trace> Engine::compute(const Setup& setup, const Progress& progress) {
  require_valid(setup);
  require_fits(setup, state_->memory_limit);
  const Trace* last = state_->last.get();
  // How far it is matters to somebody who listens only.
  const std::vector<double> costs = progress.report ? estimated_stage_seconds(setup, last) : std::vector<double>{};
  const auto cost_of = [&](std::size_t stage) { return costs.empty() ? 0 : costs[stage]; };
  Workspace workspace(state_->threads, state_->blocks, progress, std::accumulate(costs.begin(), costs.end(), 0.0));
  workspace.begin(cost_of(0));

  auto next = std::make_shared<Trace>();
  next->setup = setup;
  DrawCache draws = fill_drawn(*next, state_->draws, workspace);
  std::vector<StageId> recomputed;
  recomputed.reserve(stages().size());
  if (last == nullptr || !same_drawn(*next, *last)) recomputed.push_back(StageId::draw);

  for (std::size_t i = 1; i < stages().size(); ++i) {
    const Stage& stage = stages()[i];
    if (!makes_any(stage, setup)) continue;
    workspace.begin(cost_of(i));
    if (holds(last, stage, *next)) {
      for (TensorId id : stage.outputs) (*next)[id] = (*last)[id];
    } else {
      stage.compute(*next, workspace);
      recomputed.push_back(stage.id);
    }
  }
  workspace.finish();
  next->blind_queries = blind_queries(setup);
  next->version = ++state_->version;

  state_->draws = std::move(draws);
  state_->last = std::move(next);
  state_->recomputed = std::move(recomputed);
  state_->blocks.forget_unused();
  return state_->last;
}

const std::vector<StageId>& Engine::recomputed() const { return state_->recomputed; }

std::shared_ptr<const Trace> compute_trace(const Setup& setup, std::int64_t memory_limit) {
  return Engine(memory_limit).compute(setup);
}

}  // namespace headlight
