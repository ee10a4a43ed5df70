#include "app/views/layers/layers_scale.hpp"

#include "app/session/session.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/tensors/tensor_scale.hpp"

namespace headlight {

ColorScale scale_of_layers(const ViewContext& context, const LayersStudy& study) {
  const Session& session = context.session;
  ColorScale scale =
      color_scale_of(session, context.memory.get<StatisticsCache>(), TensorId::weights, session.selection().head);
  const RangeKind range = session.display().heatmap(TensorId::weights).range;
  const bool follows = range == RangeKind::top || range == RangeKind::min_max || range == RangeKind::shared;
  if (!follows || scale.multiples || study.largest() <= 0) return scale;
  const ColorMapName map = scale.map;
  scale = ColorScale::from_zero(study.largest());
  scale.map = map;
  return scale;
}

}  // namespace headlight
