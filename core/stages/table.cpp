#include "core/stages/table.hpp"

#include <array>
#include <stdexcept>

#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/list.hpp"

namespace headlight {
namespace {

std::array<Stage, tensor_count> make_table() {
  std::array<Stage, tensor_count> table{};
  const std::span<const Stage> forward(table.data(), forward_count);
  for (const TensorInfo& tensor : all_tensors().first(forward_count))
    table[static_cast<std::size_t>(tensor.id)] = drawn_stage(tensor.id);
  for (Stage (*make)() : computed_stages) {
    const Stage stage = make();
    table[static_cast<std::size_t>(stage.result)] = stage;
  }
  for (const Stage& gradient : make_gradient_stages(forward))
    table[static_cast<std::size_t>(gradient.result)] = gradient;
  for (const TensorInfo& tensor : all_tensors()) {
    const Stage& stage = table[static_cast<std::size_t>(tensor.id)];
    const bool reads_none = stage.kind == StageKind::drawn || stage.kind == StageKind::given;
    if ((stage.kind == StageKind::drawn) != (tensor.can_be_drawn() && tensor.made == nullptr))
      throw std::logic_error("every tensor is drawn or the result of a stage");
    if (stage.operands.empty() != reads_none) throw std::logic_error("only what is drawn or given has no operands");
  }
  return table;
}

const std::array<Stage, tensor_count>& table() {
  static const std::array<Stage, tensor_count> stages = make_table();
  return stages;
}

constexpr std::array<PhaseInfo, 9> phase_infos{{
    {"Input", "the vectors of the tokens"},
    {"Project", "three views of each token: query, key and value"},
    {"Split", "each head takes its own columns"},
    {"Scores", "every query meets every key"},
    {"Weights", "softmax turns scores into shares"},
    {"Context", "each query averages the values by its weights"},
    {"Concat", "the heads stand side by side again"},
    {"Output", "a last projection mixes the heads"},
    {"Loss", "how far the answers are from the right ones"},
}};

}  // namespace

std::span<const PhaseInfo> phases() { return phase_infos; }

std::span<const Stage> stages() { return all_stages().first(forward_count); }
std::span<const Stage> gradient_stages() { return all_stages().subspan(forward_count, forward_count); }
std::span<const Stage> aside_stages() { return all_stages().subspan(2 * forward_count); }
std::span<const Stage> all_stages() { return table(); }

std::span<const Stage> stages_for(const Setup& setup) {
  // What stands aside is for features with names, which a task gives them.
  return setup.names_features() ? all_stages() : stages();
}

const Stage& stage_of(TensorId id) { return table()[index_of(id)]; }

Making making_of(TensorId id, const Setup& setup) {
  const Stage& stage = stage_of(id);
  const bool drawn = is_drawn(id, setup);
  if (drawn && setup.values.whole(id) != nullptr) return {"Given numbers", "its numbers stand in the setup"};
  if (drawn && !setup.fills(id)) return {"Zeros", "nothing draws or gives it"};
  return {stage.title, stage.formula};
}

bool same_settings(const Stage& stage, const Setup& a, const Setup& b) {
  return stage.same_settings == nullptr || stage.same_settings(a, b);
}

bool same_heads(const Setup& a, const Setup& b) {
  return a.sizes.heads == b.sizes.heads && a.kv_heads() == b.kv_heads();
}

bool is_window(TensorId id, const Setup& setup) {
  if (is_gradient(id)) return is_gradient_window(id, setup);
  const Stage& stage = stage_of(id);
  return stage.kind == StageKind::window || (stage.passes_on != nullptr && stage.passes_on(setup));
}

}  // namespace headlight
