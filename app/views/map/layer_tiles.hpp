// The layers of a model around the one that is open on the map: tiles, the ends of the stream, and ◂ ▸.
#pragma once

#include "app/ui/drawing/canvas.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/map/accordion.hpp"
#include "app/views/map/pipeline_layout.hpp"

namespace headlight {

/// A part of the stream's line, which is dashed on the way back; and where something is added to it.
void draw_rail_piece(const Canvas& canvas, const MapRail::Piece& piece, float y, bool backward);
void draw_joint(const Canvas& canvas, Point middle, float radius);

/// Draws all of the accordion but the open block, whose layout gives the heights. A click on a tile shows its layer.
void draw_layer_tiles(ViewContext& context, const Accordion& accordion, const PipelineLayout& block);

}  // namespace headlight
