#include "app/views/pipeline_map.hpp"

#include "app/views/stub.hpp"

namespace headlight {

void draw_pipeline_map(ViewContext& context, Rect area) { draw_stub(context, area, "Pipeline map"); }

}  // namespace headlight
