#include "core/engine/engine.hpp"

#include <algorithm>
#include <array>
#include <bitset>
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
  const auto begins_backwards = [&] {
    return is_gradient(stage.result) && stage.result == gradient_of(what_leaves(a.setup));
  };
  const bool same_seam = stage.result == TensorId::X ? a.from_below.same_window(b.from_below)
                         : begins_backwards()        ? a.from_above.same_window(b.from_above)
                                                     : true;
  return same_seam && (!stage.operation->takes_chances || a.kept == b.kept) &&
         (!stage.operation->asks || a.sequences == b.sequences) &&
         std::ranges::all_of(stage.operands,
                             [&](const Operand& operand) { return a[operand.tensor].same_window(b[operand.tensor]); });
}

/// Whether the stage can keep its result from `last`. Operands tell a stage of most new sizes and of another precision,
/// but some stages have none, and the same X may have more past positions and fewer queries.
bool holds(const Trace* last, const Stage& stage, const Trace& next) {
  const auto has_form = [&](const Tensor& result) {
    return result.shape() == shape(stage.result, next.setup) &&
           next.setup.attention.precision == last->setup.attention.precision;
  };
  return last != nullptr && last->has(stage.result) && same_operands(stage, next, *last) &&
         has_form((*last)[stage.result]) && stage.same_settings(next.setup, last->setup);
}

using Layers = std::vector<std::shared_ptr<Trace>>;

/// A trace for each layer, without a tensor yet.
Layers empty_layers(const Setup& setup) {
  Layers layers;
  layers.reserve(static_cast<std::size_t>(setup.sizes.layers));
  for (Index layer = 0; layer < setup.sizes.layers; ++layer) {
    layers.push_back(std::make_shared<Trace>(seen_at(setup, layer)));
  }
  return layers;
}

std::vector<Trace*> pointers(const Layers& layers) {
  std::vector<Trace*> traces;
  traces.reserve(layers.size());
  for (const auto& layer : layers) traces.push_back(layer.get());
  return traces;
}

ModelTrace as_model(const Layers& layers) { return {{layers.begin(), layers.end()}}; }

/// Puts the weights after the setup's steps into traces that hold those before.
void train(const Layers& layers, Training& training, Workspace& workspace) {
  const TrainingState state = training.at(layers.front()->setup.training.steps, workspace);
  put_into(pointers(layers), state);
  const auto made = training.losses().begin() + state.step;
  const auto learning =
      std::make_shared<const Learning>(Learning{state.step, training.exploded_at(), {training.losses().begin(), made}});
  for (const auto& layer : layers) layer->learning = learning;
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
  void follow(const ModelTrace& model, const Progress& progress) {
    const auto& kept = training.kept();
    const bool same = course->made == training.made() && course->exploded_at == training.exploded_at() &&
                      course->kept.size() == kept.size();
    if (same) return;
    Course next{{}, training.made(), training.exploded_at()};
    constexpr std::array judged{TensorId::logits, TensorId::loss};
    const Setup learning = while_learning(model.first().setup);
    auto known = course->kept.begin();
    for (const TrainingState& state : kept) {
      while (known != course->kept.end() && (*known)->step < state.step) ++known;
      if (known != course->kept.end() && (*known)->step == state.step) {
        next.kept.push_back(*known);
        continue;
      }
      if (progress.stop.stop_requested()) throw Stopped();
      std::vector<Tensor> learned = values_of(state);
      const Verdict verdict = verdict_of(passed_again(model, learning, judged, learned).last());
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

/// Traces that pause: they have what is made so far.
struct Begun {
  ModelTrace model;
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
  ModelTrace last;
  std::optional<Begun> begun;
  std::vector<TensorId> recomputed;
  std::uint64_t version = 0;
};

Engine::Engine(std::int64_t memory_limit, std::shared_ptr<Threads> threads)
    : state_(std::make_unique<State>(memory_limit, std::move(threads))) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

namespace {

/// The trace of a layer in another model; null where that has no such layer.
const Trace* layer_of(const ModelTrace& model, Index layer) {
  return layer < std::ssize(model.layers) ? &model.at(layer) : nullptr;
}

/// Runs stages of one layer after the other, and keeps what the traces of before hold.
class Run {
 public:
  Run(const ModelTrace& last, const ModelTrace* begun, const std::vector<double>& costs, Workspace& workspace)
      : last_(last), begun_(begun), costs_(costs), workspace_(workspace) {}

  void drawn(const Trace& next) {
    const Trace* const last = layer_of(last_, next.setup.layer);
    for (const TensorId id : drawn_tensors())
      if (next.has(id) && (last == nullptr || !next[id].same_window((*last)[id]))) made_.set(index_of(id));
  }

  void stages(std::span<const Stage> stages, Trace& next) {
    const Trace* const last = layer_of(last_, next.setup.layer);
    const Trace* const begun = begun_ != nullptr ? layer_of(*begun_, next.setup.layer) : nullptr;
    for (const Stage& stage : stages) {
      const TensorId result = stage.result;
      if (!exists(result, next.setup) || is_drawn(result, next.setup)) continue;
      workspace_.begin(costs_.empty() ? 0 : costs_[index_of(result)]);
      if (holds(last, stage, next)) {
        next[result] = (*last)[result];
        continue;
      }
      made_.set(index_of(result));
      if (holds(begun, stage, next)) {
        next[result] = (*begun)[result];
        continue;
      }
      next[result] = stage.compute(next, workspace_);
      workspace_.may_pause();
    }
  }

  std::vector<TensorId> made() const {
    std::vector<TensorId> ids;
    ids.reserve(made_.count());
    for (const TensorInfo& tensor : all_tensors())
      if (made_[index_of(tensor.id)]) ids.push_back(tensor.id);
    return ids;
  }

 private:
  const ModelTrace& last_;
  const ModelTrace* begun_;
  const std::vector<double>& costs_;
  Workspace& workspace_;
  std::bitset<tensor_count> made_;
};

/// Forward through the layers, upwards, and then back through them.
void pass_through(const Layers& layers, Run& run) {
  const Setup& setup = layers.front()->setup;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    if (layer > 0) layers[layer]->from_below = what_leaves(*layers[layer - 1]);
    run.stages(stages(), *layers[layer]);
  }
  for (std::size_t layer = layers.size(); setup.has_task() && layer-- > 0;) {
    if (layer + 1 < layers.size()) layers[layer]->from_above = (*layers[layer + 1])[gradient_of(TensorId::X)];
    run.stages(gradient_stages(), *layers[layer]);
  }
  for (const auto& layer : layers) run.stages(aside_stages(), *layer);
}

}  // namespace

std::shared_ptr<const Trace> Engine::compute(const Setup& setup, const Progress& progress) {
  const Trace* last = layer_of(state_->last, 0);
  require_valid(setup, {}, last == nullptr ? nullptr : &last->setup);
  require_fits(setup, state_->memory_limit);
  // Costs are needed only to report progress.
  const std::vector<double> costs = progress.report ? estimated_stage_seconds(setup, last) : std::vector<double>{};
  const auto layer_count = static_cast<double>(setup.sizes.layers);
  double cost_of_draws = 0;
  for (TensorId id : drawn_tensors())
    if (is_drawn(id, setup) && !costs.empty()) cost_of_draws += layer_count * costs[index_of(id)];
  const double cost_of_training = progress.report ? estimated_training_seconds(setup, last) : 0;
  Workspace workspace(*state_->threads, state_->blocks, progress,
                      layer_count * std::accumulate(costs.begin(), costs.end(), 0.0) + cost_of_training);
  workspace.begin(cost_of_draws);

  const std::optional<Begun> begun = std::exchange(state_->begun, std::nullopt);
  const Layers next = empty_layers(setup);
  DrawCache draws = fill_drawn(pointers(next), begun ? begun->draws : state_->draws, workspace);
  Run run(state_->last, begun ? &begun->model : nullptr, costs, workspace);
  try {
    if (setup.has_task() && !(state_->learner && state_->learner->training.is_of(setup, as_model(next))))
      state_->learner.emplace(Training(setup, as_model(next)));
    if (setup.training.steps > 0) {
      workspace.begin(cost_of_training);
      train(next, state_->learner->training, workspace);
    }
    for (const auto& layer : next) run.drawn(*layer);
    pass_through(next, run);
  } catch (const Stopped&) {
    if (!progress.stop.stop_requested()) state_->begun = Begun{as_model(next), std::move(draws)};
    throw;
  }
  for (const auto& layer : next) {
    layer->hidden = hidden_without_scores(layer->setup, workspace);
    layer->blind_queries = blind_queries(layer->setup);
  }
  workspace.finish();
  ++state_->version;
  for (const auto& layer : next) layer->version = state_->version;

  state_->draws = std::move(draws);
  state_->last = as_model(next);
  state_->recomputed = run.made();
  state_->blocks.forget_unused();
  return state_->last.layers[static_cast<std::size_t>(setup.layer)];
}

const ModelTrace& Engine::model() const { return state_->last; }

std::shared_ptr<const Course> Engine::course(const Progress& progress) {
  if (state_->last.layers.empty() || !state_->last.first().setup.has_task()) return nullptr;
  state_->learner->follow(state_->last, progress);
  return state_->learner->course;
}

const std::vector<TensorId>& Engine::recomputed() const { return state_->recomputed; }

ModelTrace compute_model(const Setup& setup, std::int64_t memory_limit, std::shared_ptr<Threads> threads) {
  Engine engine(memory_limit, std::move(threads));
  engine.compute(setup);
  return engine.model();
}

std::shared_ptr<const Trace> compute_trace(const Setup& setup, std::int64_t memory_limit,
                                           std::shared_ptr<Threads> threads) {
  return Engine(memory_limit, std::move(threads)).compute(setup);
}

}  // namespace headlight
