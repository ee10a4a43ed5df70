#include "app/views/layers/layers_study.hpp"

#include <algorithm>

#include "app/session/model/open_layer.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/tensors/tensor_scale.hpp"

namespace headlight {

namespace {

/// The weights of a layer of the model that is computed.
const Tensor& weights_of(const Session& session, std::size_t layer) {
  return session.model_trace().at(static_cast<Index>(layer))[TensorId::weights];
}

}  // namespace

void LayersStudy::forget_others(const Session& session) {
  const auto& model = session.state().model;
  const bool computed = session.setup().sizes.layers > 1;
  const Index batch = session.selection().batch;
  const bool is_other = model != model_ || computed != computed_ || layer_count(session) != known_.size();
  if (!is_other && batch == batch_) return;
  if (is_other) stopped_ = false;
  model_ = model;
  computed_ = computed;
  batch_ = batch;
  known_.assign(layer_count(session), {});
  next_.reset();
}

bool LayersStudy::is_missing(const Session& session, std::size_t layer) const {
  const Known& known = known_[layer];
  return !known.glance || (computed_ && !known.weights.same_window(weights_of(session, layer)));
}

void LayersStudy::choose_next(const Session& session, std::span<const std::size_t> wanted) {
  next_.reset();
  const auto misses = [&](std::size_t layer) { return layer < known_.size() && is_missing(session, layer); };
  if (const auto first = std::ranges::find_if(wanted, misses); first != wanted.end()) next_ = *first;
  for (std::size_t layer = 0; layer < known_.size() && !next_; ++layer)
    if (misses(layer)) next_ = layer;
}

/// Null while it is being computed.
const LayerGlance* LayersStudy::look(Session& session, std::size_t layer) {
  if (computed_) {
    const auto trace = session.model_trace().layers[layer];
    const Tensor& weights = (*trace)[TensorId::weights];
    return coming_.of(session, {nullptr, weights, batch_, layer}, weights.elements() * 4,
                      [trace, batch = batch_](Threads& threads, const std::stop_token& stop) {
                        return layer_glance(threads, *trace, batch, stop);
                      });
  }
  // Never within a frame, however small the layer is: there may be many.
  return coming_.of(session, {model_.get(), {}, batch_, layer}, beside_the_frame,
                    [model = model_, batch = batch_, layer, threads = session.threads(),
                     limit = session.memory_limit()](Threads&, const std::stop_token& stop) {
                      return layer_glance(threads, model->layers[layer], batch, limit, stop);
                    });
}

void LayersStudy::advance(Session& session, std::span<const std::size_t> wanted) {
  forget_others(session);
  if (stopped_) return;
  if (!next_ || computed_) choose_next(session, wanted);
  while (next_) {
    const std::size_t layer = *next_;
    const Tensor weights = computed_ ? weights_of(session, layer) : Tensor();
    const LayerGlance* const found = look(session, layer);
    if (found == nullptr) return;
    known_[layer] = {*found, weights};
    choose_next(session, wanted);
  }
}

std::size_t LayersStudy::done() const {
  return static_cast<std::size_t>(std::ranges::count_if(known_, [](const Known& each) { return !!each.glance; }));
}

double LayersStudy::largest() const {
  double largest = 0;
  for (const Known& each : known_)
    if (each.glance) largest = std::max(largest, each.glance->largest);
  return largest;
}

ColorScale scale_of_layers(const ViewContext& context, const LayersStudy& study) {
  const Session& session = context.session;
  ColorScale scale = color_scale_of(context, TensorId::weights, session.selection().head);
  const RangeKind range = session.display().heatmap(TensorId::weights).range;
  const bool follows = range == RangeKind::top || range == RangeKind::min_max || range == RangeKind::shared;
  if (!follows || scale.multiples || study.largest() <= 0) return scale;
  const ColorMapName map = scale.map;
  scale = ColorScale::from_zero(study.largest());
  scale.map = map;
  return scale;
}

}  // namespace headlight
