#include "core/diagnose/mistakes/model.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/diagnose/arrays/flow.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

using enum TensorId;

// --- The residual stream ---------------------------------------------------------------------------------------------

/// What attention and the MLP add, without the stream that it should be added to.
std::optional<Tensor> nothing_is_added(const Trace& layer, TensorId id, Workspace&) {
  return layer[operand_tensors(id, layer.setup).back()];
}

std::optional<Tensor> attention_is_not_added(const Trace& layer, TensorId id, Workspace& workspace) {
  const bool is_first =
      id == (layer.setup.has_mlp() || layer.setup.norms(NormPlacement::after) ? resid_mid : resid_post);
  return is_first ? nothing_is_added(layer, id, workspace) : std::nullopt;
}

std::optional<Tensor> mlp_is_not_added(const Trace& layer, TensorId id, Workspace& workspace) {
  return id == resid_post && layer.setup.has_mlp() ? nothing_is_added(layer, id, workspace) : std::nullopt;
}

// --- Norms -----------------------------------------------------------------------------------------------------------

/// The tensor after its stage has read other numbers for one of its operands.
Tensor computed_with(const Trace& layer, TensorId id, TensorId operand, const Tensor& numbers, Workspace& workspace) {
  Trace other = layer;
  other[operand] = numbers;
  run_stage(other, id, workspace);
  return other[id];
}

bool norms_before(const Trace& layer) { return layer.setup.norms(NormPlacement::before); }

/// Before for after, and the reverse: every tensor is then one of a model with the other placement.
bool take_other_placement(Trace& layer, const ModelTrace&) {
  if (!layer.setup.has_norm()) return false;
  NormPlacement& placement = layer.setup.norm.placement;
  placement = placement == NormPlacement::before ? NormPlacement::after : NormPlacement::before;
  return true;
}

/// The stream goes on from what was normed for attention and for the MLP.
std::optional<Tensor> norm_of_the_stream(const Trace& layer, TensorId id, Workspace& workspace) {
  if (!norms_before(layer)) return std::nullopt;
  if (id == resid_mid) return computed_with(layer, id, resid_pre, layer[N], workspace);
  if (id == resid_post && layer.setup.has_mlp()) return computed_with(layer, id, resid_mid, layer[N_mlp], workspace);
  if (id == resid_post) return computed_with(layer, id, resid_pre, layer[N], workspace);
  return std::nullopt;
}

// --- The MLP, the mask, the weights, the targets ---------------------------------------------------------------------

std::optional<Tensor> no_activation(const Trace& layer, TensorId id, Workspace&) {
  return layer[operand_tensors(id, layer.setup).front()];
}

std::optional<Tensor> no_mask(const Trace& layer, TensorId id, Workspace&) {
  return layer[operand_tensors(id, layer.setup).front()];
}

bool take_weights_of(const Trace& other, Trace& layer) {
  for (const TensorId id : drawn_tensors())
    if (!info(id).is_of_model() && info(id).kind != TensorKind::input && layer.has(id) && other.has(id))
      layer[id] = other[id];
  return other.setup.layer != layer.setup.layer;
}
bool take_first_weights(Trace& layer, const ModelTrace& ours) { return take_weights_of(ours.first(), layer); }
bool take_last_weights(Trace& layer, const ModelTrace& ours) { return take_weights_of(ours.last(), layer); }

/// Each position is asked for the symbol that it holds itself.
std::optional<Tensor> own_symbols(const Trace& layer, TensorId id, Workspace& workspace) {
  const TaskName task = layer.setup.task.name;
  if (task != TaskName::text && task != TaskName::induction) return std::nullopt;
  Sequences sequences = *layer.sequences;
  for (Index item = 0; item < sequences.count; ++item)
    for (Index query = 0; query < sequences.queries(); ++query)
      if (sequences.asks(item, query))
        sequences.labels[static_cast<std::size_t>(item * sequences.queries() + query)] =
            sequences.ones[static_cast<std::size_t>(item * sequences.length + sequences.past + query)];
  Trace other = layer;
  other.sequences = std::make_shared<const Sequences>(std::move(sequences));
  run_stage(other, id, workspace);
  return other[id];
}

std::vector<ModelMistake> all() {
  return {
      {.name = "residual_missing",
       .words = "what attention and the MLP found replaces the stream: it is not added to it",
       .at = {resid_mid, resid_post},
       .replay = nothing_is_added},
      {.name = "residual_missing",
       .words = "what attention found replaces the stream: it is not added to it",
       .at = {resid_mid, resid_post},
       .replay = attention_is_not_added},
      {.name = "residual_missing",
       .words = "what the MLP found replaces the stream: it is not added to it",
       .at = {resid_post},
       .replay = mlp_is_not_added},
      {.name = "norm_misplaced",
       .words = "the norms stand on the other side: before attention and the MLP instead of after them, or the reverse",
       .at = {N, N_post, N_mlp, N_mlp_post},
       .prepare = take_other_placement},
      {.name = "norm_misplaced",
       .words = "the stream itself is normed: what is normed for attention and the MLP goes on in its place",
       .at = {resid_mid, resid_post},
       .replay = norm_of_the_stream},
      {.name = "activation_missing",
       .words = "the MLP is a product of two matrices: nothing bends between them",
       .at = {mlp_act},
       .replay = no_activation},
      {.name = "layers_shared",
       .words = "all layers have the weights of layer 0: one layer is used several times",
       .at = {},
       .from = 1,
       .prepare = take_first_weights,
       .fix_numpy = "layers = [make_layer() for _ in range(number_of_layers)]  # each with weights of its own",
       .fix_torch = "self.layers = nn.ModuleList(Layer() for _ in range(layers))  # [layer] * layers is one layer"},
      {.name = "layers_shared",
       .words = "all layers have the weights of the last one: one layer is used several times",
       .at = {},
       .prepare = take_last_weights,
       .fix_numpy = "layers = [make_layer() for _ in range(number_of_layers)]  # each with weights of its own",
       .fix_torch = "self.layers = nn.ModuleList(Layer() for _ in range(layers))  # [layer] * layers is one layer"},
      {.name = "mask_in_first_layer_only",
       .words = "only layer 0 has the mask",
       .at = {masked_scores},
       .from = 1,
       .replay = no_mask},
      {.name = "targets_not_shifted",
       .words = "each position is asked for the symbol that it holds, and not for the next one",
       .at = {loss},
       .replay = own_symbols,
       .fix_numpy = "labels[:, :-1] = symbols[:, 1:]",
       .fix_torch = "loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), symbols[:, 1:].flatten())"}};
}

bool is_computed(TensorId id, const Setup& setup) {
  return exists(id, setup) && !is_drawn(id, setup) && !is_gradient(id);
}

}  // namespace

const std::vector<ModelMistake>& model_mistakes() {
  static const std::vector<ModelMistake> mistakes = all();
  return mistakes;
}

Trace from_input(const Trace& ours, const Tensor& input, Workspace& workspace) {
  Trace layer = ours;
  layer.from_below = input;
  for (const Stage& stage : stages())
    if (is_computed(stage.result, layer.setup)) run_stage(layer, stage.result, workspace);
  return layer;
}

namespace {

/// The model computed anew, where `begin(layer)` may change what a layer is given and `replaced(layer, id)` may give a
/// result in place of our stage's.
template <class Begin, class Replaced>
ModelTrace computed_anew(const ModelTrace& ours, Workspace& workspace, const Begin& begin, const Replaced& replaced) {
  ModelTrace model;
  for (Index at = 0; at < std::ssize(ours.layers); ++at) {
    auto layer = std::make_shared<Trace>(ours.at(at));
    if (at > 0) layer->from_below = what_leaves(model.at(at - 1));
    begin(*layer);
    for (const TensorInfo& tensor : all_tensors())  // another setup may have others
      if (!exists(tensor.id, layer->setup)) (*layer)[tensor.id] = Tensor();
    for (const Stage& stage : stages()) {
      if (!is_computed(stage.result, layer->setup)) continue;
      if (auto result = replaced(*layer, stage.result)) (*layer)[stage.result] = *result;
      else run_stage(*layer, stage.result, workspace);
    }
    model.layers.push_back(std::move(layer));
  }
  return model;
}

}  // namespace

std::optional<ModelTrace> with_mistake(const ModelMistake& mistake, const ModelTrace& ours, Workspace& workspace) {
  bool differs = false;
  const auto is_made = [&](const Trace& layer) { return layer.setup.layer >= mistake.from; };
  ModelTrace wrong = computed_anew(
      ours, workspace,
      [&](Trace& layer) { differs |= is_made(layer) && mistake.prepare != nullptr && mistake.prepare(layer, ours); },
      [&](const Trace& layer, TensorId id) -> std::optional<Tensor> {
        if (!is_made(layer) || mistake.replay == nullptr || !contains(mistake.at, id)) return std::nullopt;
        auto result = mistake.replay(layer, id, workspace);
        differs |= result.has_value();
        return result;
      });
  if (!differs) return std::nullopt;
  return wrong;
}

std::optional<ModelTrace> with_mistake_in_all(const Mistake& mistake, int variant, const std::vector<TensorId>& at,
                                              const ModelTrace& ours, Workspace& workspace) {
  bool differs = false;
  ModelTrace wrong = computed_anew(
      ours, workspace, [](Trace&) {},
      [&](const Trace& layer, TensorId id) -> std::optional<Tensor> {
        if (!contains(at, id)) return std::nullopt;
        const Theirs theirs{ours.at(layer.setup.layer)[id]};
        Attempt attempt{layer, id, id, theirs, variant, workspace};
        auto result = mistake.replay(attempt);
        differs |= result.has_value();
        return result;
      });
  if (!differs) return std::nullopt;
  return wrong;
}

}  // namespace headlight
