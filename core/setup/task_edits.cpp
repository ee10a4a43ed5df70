
#include <algorithm>
#include <utility>

#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/offered_text.hpp"

namespace headlight {
namespace {

/// The features that symbols, answers and one-hot positions need, in whole heads.
Index needed_features(const Setup& setup) {
  const Index held = setup.embedding.learned ? 0 : features_of(setup.task);
  const Index answered = setup.embedding.unembed ? 0 : answers_of(setup.task.name) * setup.symbols();
  const Index symbols = std::max(held, answered);
  const Index positions = setup.position.encoding == Encoding::one_hot ? setup.positions() : 0;
  return (symbols + positions + setup.sizes.heads - 1) / setup.sizes.heads * setup.sizes.heads;
}

}  // namespace

namespace {

/// Two layers: one cannot look for what followed the same symbol before.
Setup offered_induction() {
  Setup setup;
  setup.task = {.name = TaskName::induction, .symbols = 12, .seed = 0};
  setup.sizes = {.batch = 16, .query_length = 12, .d_model = 32, .heads = 2};
  setup.sizes.layers = 2;
  setup.block.residual = true;
  setup.embedding = {.learned = true, .unembed = true};
  setup.position.encoding = Encoding::rotary;
  setup.mask.kinds = {MaskKind::causal};
  setup.random.generator = GeneratorKind::torch;
  for (const char* draw :
       {"seed 0", "W_E normal", "L*: W_q xavier_uniform, W_k xavier_uniform, W_v xavier_uniform, W_o xavier_uniform",
        "W_U xavier_uniform"})
    setup.random.draws.push_back(*parse_draw(draw));
  setup.training = {.optimizer = OptimizerKind::adam, .learning_rate = 0.003, .batch = 64, .steps = 0};
  return setup;
}

/// Two layers that learn to spell.
Setup offered_writer() {
  Setup setup = offered_induction();
  setup.task = {.name = TaskName::text, .text = TaskText(offered_text)};
  setup.sizes.query_length = 10;
  setup.sizes.heads = 4;
  setup.position = {.encoding = Encoding::learned};
  setup.random.draws.insert(setup.random.draws.begin() + 2, *parse_draw("P normal"));
  setup.training.batch = 32;
  return setup;
}

}  // namespace

Setup offered_setup(TaskName task) {
  if (task == TaskName::induction) return offered_induction();
  if (task == TaskName::text) return offered_writer();
  constexpr Index symbols = 6, heads = 2;
  const Index length = task == TaskName::lookup ? symbols + 1 : symbols + 2;
  Setup setup;
  setup.task = {.name = task, .symbols = symbols, .seed = 0};
  // Symbols, and answers, in the first features and positions in the last ones.
  const Index features = std::max(features_of(setup.task), answers_of(task) * symbols) + length;
  setup.sizes = {
      .batch = 16, .query_length = length, .d_model = (features + heads - 1) / heads * heads, .heads = heads};
  setup.position.encoding = Encoding::one_hot;
  for (const char* draw : {"seed 0", "W_q normal", "W_k normal", "W_v normal", "W_o normal"})
    setup.random.draws.push_back(*parse_draw(draw));
  setup.training = {.optimizer = OptimizerKind::adam, .learning_rate = 0.02, .batch = 32, .steps = 0};
  return setup;
}

Setup with_task(const Setup& setup, TaskName task) {
  if (task == setup.task.name) return setup;
  if (task != TaskName::none) return offered_setup(task);
  Setup edited = setup;
  edited.task = {};
  edited.training = {};
  return with_parts(with_distribution(edited, TensorId::X, Distribution::normal));
}

Setup with_room_for_symbols(const Setup& setup) {
  const Index needed = setup.has_task() ? needed_features(setup) : 0;
  return needed > setup.sizes.d_model ? with_d_model(setup, needed) : setup;
}

Setup with_symbols(const Setup& setup, Index symbols) {
  if (setup.task.is_text()) return setup;
  Setup edited = setup;
  edited.task.symbols = symbols;
  const bool filled = needed_features(setup) == setup.sizes.d_model;
  const Index needed = needed_features(edited);
  if (edited.sizes.d_out) edited.sizes.d_out = std::max(*edited.sizes.d_out, answers_of(edited.task.name) * symbols);
  return filled || needed > setup.sizes.d_model ? with_d_model(edited, needed) : edited;
}

Setup with_steps(const Setup& setup, Index steps) {
  Setup edited = setup;
  edited.training.steps = std::clamp<Index>(steps, 0, most_steps);
  return edited;
}

Setup going_on_from(const Setup& setup, const ModelTrace& model) {
  if (model.first().learning == nullptr || model.first().setup != setup) return setup;
  Setup edited = setup;
  for (const LayerTensor& each : learned_in_model(setup))
    edited = with_array(seen_at(std::move(edited), each.layer), each.tensor,
                        GivenNumbers(model.at(each.layer)[each.tensor].contiguous()));
  edited = seen_at(std::move(edited), setup.layer);
  edited.training.steps = 0;
  edited.training.with_heads.clear();
  edited.training.without_heads.clear();
  return edited;
}

}  // namespace headlight
