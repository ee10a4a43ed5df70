#include "core/engine.hpp"

#include <algorithm>

#include "core/random/draws.hpp"

namespace headlight {
namespace {

/// What a stage read when it made what the engine holds.
using Settings = std::vector<StageSettings>;

bool same_inputs(const Stage& stage, const Trace& a, const Trace& b) {
  return std::all_of(stage.inputs.begin(), stage.inputs.end(), [&](TensorId id) { return a[id].same_window(b[id]); });
}

bool same_drawn(const Trace& a, const Trace& b) {
  const auto& drawn = stage(StageId::draw).outputs;
  return a.kept == b.kept && std::all_of(drawn.begin(), drawn.end(), [&](TensorId id) { return a[id].same_window(b[id]); });
}

}  // namespace

struct Engine::State {
  std::int64_t memory_limit;
  DrawCache draws;
  std::shared_ptr<const Trace> last;
  Settings settings;  ///< of the last trace, one entry per stage
  std::vector<StageId> recomputed;
  std::uint64_t version = 0;
};

Engine::Engine(std::int64_t memory_limit) : state_(std::make_unique<State>()) { state_->memory_limit = memory_limit; }
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::shared_ptr<const Trace> Engine::compute(const Setup& setup) {
  require_valid(setup);
  require_fits(setup, state_->memory_limit);

  auto next = std::make_shared<Trace>();
  next->setup = setup;
  fill_drawn(*next, state_->draws);
  const Trace* last = state_->last.get();
  std::vector<StageId> recomputed;
  if (last == nullptr || !same_drawn(*next, *last)) recomputed.push_back(StageId::draw);

  Settings settings(stages().size());
  for (std::size_t i = 0; i < stages().size(); ++i) {
    const Stage& stage = stages()[i];
    if (stage.compute == nullptr) continue;
    settings[i] = stage.settings(*next);
    const bool wanted = std::any_of(stage.outputs.begin(), stage.outputs.end(), [&](TensorId id) { return exists(id, setup); });
    if (!wanted) continue;
    const bool held = last != nullptr && settings[i] == state_->settings[i] && last->has(stage.outputs.front()) &&
                      same_inputs(stage, *next, *last);
    if (held) {
      for (TensorId id : stage.outputs) (*next)[id] = (*last)[id];
    } else {
      stage.compute(*next);
      recomputed.push_back(stage.id);
    }
  }
  next->blind_queries = blind_queries(setup);
  next->version = ++state_->version;

  state_->last = std::move(next);
  state_->settings = std::move(settings);
  state_->recomputed = std::move(recomputed);
  return state_->last;
}

const std::vector<StageId>& Engine::recomputed() const { return state_->recomputed; }

std::shared_ptr<const Trace> compute_trace(const Setup& setup, std::int64_t memory_limit) {
  return Engine(memory_limit).compute(setup);
}

}  // namespace headlight
