// The pictures that steps of lectures can show in place of a view. Each says how well it can be read in an area, and
// draws itself there. All take their numbers from the trace, and hide what the step asks about.
#pragma once

#include <optional>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/tensors/picture_fit.hpp"
#include "core/lecture/lecture.hpp"
#include "core/model/cell.hpp"

namespace headlight {

PictureFit fit_of(const ViewContext& context, const SentencePicture& picture, const Rect& area);
void draw_picture(ViewContext& context, const SentencePicture& picture, const Rect& area);
PictureFit fit_of(const ViewContext& context, const CurvePicture& picture, const Rect& area);
void draw_picture(ViewContext& context, const CurvePicture& picture, const Rect& area);
PictureFit fit_of(const ViewContext& context, const ArrowsPicture& picture, const Rect& area);
void draw_picture(ViewContext& context, const ArrowsPicture& picture, const Rect& area);
PictureFit fit_of(const ViewContext& context, const ShapesPicture& picture, const Rect& area);
void draw_picture(ViewContext& context, const ShapesPicture& picture, const Rect& area);
PictureFit fit_of(const ViewContext& context, const SourcesPicture& picture, const Rect& area);
void draw_picture(ViewContext& context, const SourcesPicture& picture, const Rect& area);
PictureFit fit_of(const ViewContext& context, const HeadSourcesPicture& picture, const Rect& area);
void draw_picture(ViewContext& context, const HeadSourcesPicture& picture, const Rect& area);

/// How many seconds the picture of the shown step takes to build up, as by build_seconds(); 0 where it shows at once.
double picture_seconds(const Session& session);

/// The batch item, head and query that a picture of a query is about: those of the step's cell, or of the cell that
/// the person has selected instead.
struct QueryRow {
  Index batch = 0;
  Index head = 0;
  Index query = 0;
};
QueryRow query_row(const ViewContext& context);

/// A number that is no cell of a heatmap, but can be pointed at, clicked and asked about like one.
void point_at_cell(ViewContext& context, const Rect& area, const Cell& cell);

}  // namespace headlight
