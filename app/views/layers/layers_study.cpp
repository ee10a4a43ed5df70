#include "app/views/layers/layers_study.hpp"

#include <algorithm>

#include "app/views/base/view_memory.hpp"
#include "app/views/tensors/tensor_scale.hpp"

namespace headlight {

void LayersStudy::choose_next(std::span<const std::size_t> wanted) {
  next_.reset();
  const auto is_missing = [&](std::size_t layer) { return layer < glances_.size() && !glances_[layer]; };
  if (const auto first = std::ranges::find_if(wanted, is_missing); first != wanted.end()) next_ = *first;
  for (std::size_t layer = 0; layer < glances_.size() && !next_; ++layer)
    if (is_missing(layer)) next_ = layer;
}

void LayersStudy::advance(Session& session, std::span<const std::size_t> wanted) {
  const auto& model = session.state().model;
  const Index batch = session.selection().batch;
  if (model != model_ || batch != batch_) {
    if (model != model_) stopped_ = false;
    model_ = model;
    batch_ = batch;
    glances_.assign(model ? model->layers.size() : 0, std::nullopt);
    next_.reset();
  }
  if (stopped_) return;
  if (!next_) choose_next(wanted);
  while (next_) {
    const auto work = [model, batch, layer = *next_, threads = session.threads(), limit = session.memory_limit()](
                          Threads&, const std::stop_token& stop) {
      return layer_glance(threads, model->layers[layer], batch, limit, stop);
    };
    // Never within a frame, however small the layer is: there may be many.
    const LayerGlance* const found = coming_.of(session, {model.get(), batch, *next_}, beside_the_frame, work);
    if (found == nullptr) return;
    glances_[*next_] = *found;
    choose_next(wanted);
  }
}

std::size_t LayersStudy::done() const {
  return static_cast<std::size_t>(std::ranges::count_if(glances_, [](const auto& each) { return each.has_value(); }));
}

double LayersStudy::largest() const {
  double largest = 0;
  for (const auto& each : glances_)
    if (each) largest = std::max(largest, each->largest);
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
