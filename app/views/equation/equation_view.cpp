#include "app/views/equation/equation_view.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/equation/elementwise_view.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/equation/formula_ribbon.hpp"
#include "app/views/equation/pieces_view.hpp"
#include "app/views/equation/product_view.hpp"
#include "app/views/heads/head_column.hpp"
#include "app/views/story/story.hpp"
#include "app/views/tensors/mask_brush.hpp"

namespace headlight {
namespace {

/// Below this the picture scrolls instead of shrinking further.
constexpr float lowest_picture = 240;
constexpr float narrowest_with_heads = 600;
constexpr float padding = 24;
constexpr float narrow_padding = 16;

/// One way to show an equation: where its story stands, and what the picture gives up.
struct Setting {
  Arrangement at;
  PictureStyle style;
  bool in_quadrant = false;  ///< a product's story stands in the quadrant that its operands leave empty
  bool heads = false;        ///< with the column of all heads
};

std::optional<QuadrantStory> quadrant_story(const Setting& setting, const Story& story) {
  if (!setting.in_quadrant) return std::nullopt;
  return QuadrantStory{story, setting.at.form, setting.at.type};
}

void draw_picture(ViewContext& context, const Rect& area, const Equation& equation, const Setting& setting,
                  const Story& story) {
  switch (equation.kind) {
    case EquationKind::product:
      return draw_product(context, area, equation, setting.style, quadrant_story(setting, story));
    case EquationKind::elementwise: return draw_elementwise(context, area, equation, setting.style);
    case EquationKind::pieces: return draw_pieces(context, area, equation, setting.style);
    case EquationKind::alone: return draw_alone(context, area, equation);
  }
}

/// What becomes of the picture; the story's area becomes the quadrant where it stands there.
PictureFit fit_of(const ViewContext& context, const Equation& equation, const Story& story, Setting& setting) {
  const Rect& area = setting.at.picture;
  switch (equation.kind) {
    case EquationKind::product: {
      const ProductFit fit = product_fit(context, area, equation, setting.style, quadrant_story(setting, story));
      if (setting.in_quadrant) setting.at.story = fit.story;
      return fit.picture;
    }
    case EquationKind::elementwise: return elementwise_fit(context, area, equation, setting.style);
    case EquationKind::pieces: return pieces_fit(context, area, equation, setting.style);
    case EquationKind::alone: break;
  }
  return alone_fit(context, area, equation);
}

/// Numbers come before labels, and labels before words: a whole story and numbers that can be read count most, then the
/// heads, whole labels, large type and large cells.
float score_of(const ViewContext& context, const Equation& equation, const Story& story, Setting& setting) {
  constexpr float comfortable_pitch = 56;
  constexpr float largest_pitch = 96;
  const PictureFit fit = fit_of(context, equation, story, setting);
  float score = context.still ? 0 : story_score(context, setting.at, story);
  if (fit.characters > 0) score += 1000 + 25 * static_cast<float>(std::min(fit.characters, 5));
  if (setting.heads) score += 200;
  if (setting.in_quadrant) score += context.on_stage ? 60 : 120;
  if (setting.style.low_labels && !context.on_stage) score -= 20;
  if (setting.style.low_rows) score -= 20;
  if (setting.style.one_row) score -= 150;
  return score + 1.5f * std::min(fit.pitch, comfortable_pitch) +
         0.75f * std::clamp(fit.pitch - comfortable_pitch, 0.0f, largest_pitch - comfortable_pitch);
}

/// Less of the height than this is too little for a picture beside the goals of a lecture.
constexpr float least_share_beside_goals = 0.4f;

/// Every way to show the equation in the area.
std::vector<Setting> settings_of(const ViewContext& context, const Rect& area, const Equation& equation,
                                 const Story& story, bool may_show_heads) {
  const bool product = equation.kind == EquationKind::product;
  const bool has_rows = equation.kind != EquationKind::alone;
  std::vector<Setting> all;
  const auto add = [&](const Arrangement& at, bool in_quadrant, bool heads) {
    for (bool low_labels : {false, true})
      for (bool low_rows : {false, true})
        for (bool one_row : {false, true})
          if ((low_labels || !context.on_stage) && (!low_rows || in_quadrant) &&
              (!one_row || (has_rows && context.on_stage)))
            all.push_back({at, {low_labels, low_rows, one_row}, in_quadrant, heads});
  };
  for (bool heads : {true, false}) {
    if (heads && !may_show_heads) continue;
    Rect rest = area;
    if (heads) rest.cut_right(head_column_width + padding);
    if (context.still) {
      add({{}, {}, {}, rest}, false, heads);
      continue;
    }
    for (Arrangement at : arrangements(context, rest, story)) add(at, false, heads);
    if (!product || story.folded) continue;
    for (StoryType type : story_types)
      add({context.on_stage ? StoryForm::words : StoryForm::column, type, {}, rest}, true, heads);
  }
  return all;
}

/// Whether a story with goals is read without scrolling, and leaves room for the picture.
bool has_room_for_goals(const ViewContext& context, const Rect& area, const Setting& setting, const Story& story) {
  const auto& [form, type, words, picture] = setting.at;
  return picture.h >= least_share_beside_goals * area.h &&
         story_height(context.ui.canvas(), words.w, story, form, type) <= words.h + 0.5f;
}

/// The best way to show the equation; none where the story's goals find no room.
std::optional<Setting> best_setting(const ViewContext& context, const Rect& area, const Equation& equation,
                                    const Story& story, bool may_show_heads) {
  std::optional<Setting> best;
  float most = -std::numeric_limits<float>::infinity();
  for (Setting setting : settings_of(context, area, equation, story, may_show_heads)) {
    const float score = score_of(context, equation, story, setting);
    if (score <= most || (story.goals && !has_room_for_goals(context, area, setting, story))) continue;
    most = score;
    best = setting;
  }
  return best;
}

bool has_masked(const Equation& equation) {
  if (equation.twin) return false;  // the mask is painted on the way forward
  if (equation.kind == EquationKind::product)
    return info(equation.left.tensor).masked || info(equation.right.tensor).masked;
  return info(equation.result.tensor).masked;
}

/// The formula, and the brush beside it where something can be painted.
void draw_last_line(ViewContext& context, Rect line, const Equation& equation) {
  if (has_masked(equation) && !context.still) {
    const Rect end = line.cut_right(paint_button_width);
    draw_paint_button(context, {end.x, end.center().y - 14, end.w, 28});
    line.cut_right(16);
  }
  draw_formula_ribbon(context, line);
}

}  // namespace

void draw_equation_view(ViewContext& context, Rect area) {
  const Session& session = context.session;
  const Equation equation = equation_of(session.selection().tensor, session.setup());
  Story story = story_of(session);
  const bool narrow = area.w < narrowest_with_heads;
  Rect rest = context.on_stage ? area : area.inset(narrow ? narrow_padding : padding, narrow ? 10 : 16);
  const Rect ribbon = rest.cut_bottom(context.on_stage ? 0 : formula_ribbon_height);
  if (!context.on_stage) rest.cut_bottom(6);
  const bool many_heads = info(equation.result.tensor).has_heads() && session.setup().sizes.heads > 1;
  const bool may_show_heads = many_heads && equation.kind != EquationKind::pieces && !narrow && !context.bare();
  Rect planned = rest;
  const float lowest = context.bare() ? 0 : lowest_picture;
  planned.h = std::max(planned.h, lowest);
  auto best = best_setting(context, planned, equation, story, may_show_heads);
  if (!best) {
    story.goals.reset();
    best = best_setting(context, planned, equation, story, may_show_heads);
  }
  const Setting setting = best.value_or(Setting{});
  if (setting.heads) {
    Rect beside = rest;
    draw_head_column(context, beside.cut_right(head_column_width), equation.result.tensor);
  }
  {
    // Pictures keep a margin for bands and rings, which stand a little outside the cells.
    const Rect viewport = rest.outset(6);
    const ScrollArea scroll(context.ui, "picture", viewport, planned.h + 12, context.ui.theme().canvas);
    const float down = scroll.content().y + 6 - rest.y;
    if (!setting.in_quadrant)
      draw_story(context, setting.at.story.moved(0, down), story, setting.at.form, setting.at.type);
    draw_picture(context, setting.at.picture.moved(0, down), equation, setting, story);
  }
  if (!context.on_stage) draw_last_line(context, ribbon, equation);
}

}  // namespace headlight
