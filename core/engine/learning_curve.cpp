#include "core/engine/learning_curve.hpp"

#include <array>

#include <fmt/format.h>

#include "core/engine/engine.hpp"
#include "core/training/training.hpp"

namespace headlight {

LearningCurve learning_curve(const Setup& setup, Index steps, const std::shared_ptr<Threads>& threads,
                             const Progress& progress, std::int64_t memory_limit) {
  Setup as_drawn = while_learning(setup);
  as_drawn.training.steps = 0;
  const ModelTrace drawn = compute_model(as_drawn, memory_limit, threads);
  constexpr std::size_t unused_limit = std::size_t{64} << 20;
  BlockPool blocks(unused_limit);
  Workspace workspace(*threads, blocks, progress, 1);
  workspace.begin(1);

  constexpr std::array judged{TensorId::logits, TensorId::loss};
  Pass shown(as_drawn, judged);
  LearningCurve curve;
  std::vector<Trace*> layers;
  for (Trace& layer : shown.layers()) layers.push_back(&layer);
  Training training(as_drawn, drawn);
  training.at(steps, workspace, [&](const TrainingState& state) {
    Workspace quiet = workspace.quiet();
    put_into(layers, state);
    shown.run(drawn.first().sequences, quiet);
    const Verdict verdict = verdict_of(shown.last());
    curve.points.push_back({state.step, training.losses().back(), verdict.loss, verdict.accuracy()});
  });
  curve.exploded_at = training.exploded_at();
  curve.points.resize(static_cast<std::size_t>(training.made()));
  workspace.finish();
  return curve;
}

std::string as_csv(const LearningCurve& curve) {
  std::string text = "step,loss,shown_loss,shown_accuracy\n";
  for (const CurvePoint& point : curve.points)
    text += fmt::format("{},{},{},{}\n", point.step, point.loss, point.shown_loss, point.shown_accuracy);
  return text;
}

std::string words_of_explosion(Index step) {
  const std::string kept = step > 1 ? fmt::format("as it was after step {}", step - 1) : "as drawn";
  return fmt::format("step {} of training gave numbers that are not finite; the layer stays {}", step, kept);
}

}  // namespace headlight
