#include "app/views/base/views.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/checking.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/view_header.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_view.hpp"
#include "app/views/compare/compare_study.hpp"
#include "app/views/compare/compare_tables.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/tensors/range_bar.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "app/views/tensors/whole_picture.hpp"
#include "app/views/tensors/zoom.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/changes.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

constexpr float margin = 24;
constexpr float picture_gap = 32;
constexpr float picture_around = 110;  ///< title, labels and colour bar
constexpr float bar_below = 38;        ///< the colour bar of the difference; A's and B's is the legend
constexpr float smallest_picture = 180;

// --- Nothing to compare yet ------------------------------------------------------------------------------------------

void draw_empty(ViewContext& context, const Rect& area) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const float width = std::min(area.w - 2 * margin, 460.0f);
  const float both = 236 + (context.bare() ? 0 : 16 + check_offer_height);
  const Rect card{area.center().x - width / 2, std::max(area.y + 12, area.center().y - both / 2), width, 236};
  if (!context.bare()) draw_check_offer(context, {card.x, card.bottom() + 16, width, check_offer_height});
  canvas.fill(card, theme.raised, 8);
  canvas.stroke(card, theme.line_strong, 1, 8);
  Rect rest = card.inset(28, 20);
  canvas.text_in(rest.cut_top(32), "Compare two states", TextStyle::title, theme.text);
  rest.cut_top(10);
  const std::array<std::string_view, 3> steps{"Set what is on screen now as A.",
                                              "Edit anything: a mask, a seed, a size. That is B.",
                                              "See A, B and B − A, and where they first differ."};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Rect row = rest.cut_top(30);
    canvas.text({row.x, row.y + 19}, fmt::format("{}", i + 1), TextStyle::mono_strong, theme.text3);
    canvas.text_in({row.x + 24, row.y, row.w - 24, row.h}, steps[i], TextStyle::body, theme.text2);
  }
  rest.cut_top(18);
  if (button(context.ui, "keep", {rest.x, rest.y, 168, 30}, "Set as A", {.kind = ButtonKind::primary, .keys = "C"}))
    Checking(context.session).set_reference();
}

// --- The first lines -------------------------------------------------------------------------------------------------

std::vector<TensorId> tensors_of(const Setup& setup) {
  std::vector<TensorId> tensors;
  for (const TensorInfo& tensor : all_tensors())
    if (exists(tensor.id, setup)) tensors.push_back(tensor.id);
  return tensors;
}

void draw_header(ViewContext& context, Rect& area) {
  Session& session = context.session;
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Setup& setup = session.setup();
  Rect title = area.cut_top(44).inset(0, 8);
  if (context.still) {
    const Selection& selection = session.selection();
    const std::string what = info(selection.tensor).has_heads()
                                 ? fmt::format("{}, {}", name(selection.tensor), head_words(selection.head, setup))
                                 : std::string(name(selection.tensor));
    const float wide = canvas.text({title.x, title.y + 21}, "Compare", TextStyle::title, canvas.theme().text);
    canvas.text({title.x + wide + 20, title.y + 20}, what, TextStyle::code, canvas.theme().text2);
    return;
  }
  if (icon_button(ui, "clear", title.cut_right(28), Icon::cross, {.tooltip = "Clear A"})) {
    Checking(session).clear_reference();
    return;
  }
  title.cut_right(8);
  if (button(ui, "again", title.cut_right(150), "Set as A",
             {.tooltip = "What is on screen now becomes A", .keys = "C"}))
    Checking(session).set_reference();
  canvas.text_in(title, "Compare", TextStyle::title, canvas.theme().text);
  title.cut_left(canvas.width("Compare", TextStyle::title) + 20);
  draw_compare_choice(context, title);

  Rect row = area.cut_top(38).inset(0, 5);
  const TensorId shown = session.selection().tensor;
  draw_tensor_choice(context, row.cut_left(170), tensors_of(setup), shown);
  row.cut_left(24);
  if (info(shown).has_heads() && setup.sizes.heads > 1) {
    canvas.text_in(row.cut_left(44), "head", TextStyle::control, canvas.theme().text2);
    long long head = session.selection().head;
    if (stepper(ui, "head", row.cut_left(104), head, 0, setup.sizes.heads - 1)) Selecting(session).select_head(head);
    row.cut_left(24);
  }
  if (info(shown).has_batch() && setup.sizes.batch > 1) {
    if (row.w < batch_choice_width) row = area.cut_top(38).inset(0, 5);
    draw_batch_choice(context, row.cut_left(batch_choice_width));
  }
}

// --- The pictures ----------------------------------------------------------------------------------------------------

/// B's colour scale, widened to include A's numbers. A range that the user has fixed is kept.
ColorScale shared_scale(const ViewContext& context, const ColorScale& scale, const Trace& a, TensorId tensor) {
  const bool fixed = context.session.display().heatmap(tensor).range == RangeKind::fixed;
  if (fixed || scale.multiples) return scale;
  const TensorStatistics other =
      statistics_of(*context.session.threads(), a, context.memory.get<StatisticsCache>(), tensor);
  return scale.widened(other.min, other.max);
}

bool same_labels(const Setup& a, const Setup& b) {
  return a.tokens == b.tokens && a.key_tokens == b.key_tokens && a.attention.source == b.attention.source;
}

/// Three areas side by side, or one below the other.
struct Areas {
  std::array<Rect, 3> at;
  float height = 0;
};

Areas areas_for(const Rect& area, const TensorPicture& picture, float available) {
  const float side_by_side = (area.w - 2 * picture_gap) / 3;
  const bool across = side_by_side >= smallest_picture;
  const float width = across ? side_by_side : std::min(area.w, 420.0f);
  const float aspect = std::clamp(
      static_cast<float>(picture.rows_on_screen()) / static_cast<float>(picture.columns_on_screen()), 0.2f, 1.4f);
  const float lowest = std::min(120.0f, 40.0f * static_cast<float>(picture.rows_on_screen()));
  const float largest = std::max(lowest, across ? available - picture_around : width);
  const float cells = std::min({(width - 40) * aspect, largest, 56.0f * static_cast<float>(picture.rows_on_screen())});
  const float height = std::max(lowest, cells) + picture_around;
  Areas areas;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto n = static_cast<float>(i);
    areas.at[i] = across ? Rect{area.x + n * (width + picture_gap), area.y, width, height}
                         : Rect{area.x, area.y + n * (height + 16), width, height};
  }
  areas.height = across ? height : 3 * height + 32;
  return areas;
}

void draw_missing(ViewContext& context, const Rect& area, std::string_view title, const std::string& why) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  canvas.text_in({area.x, area.y, area.w, 26}, title, TextStyle::heading, theme.text);
  const Rect box{area.x, area.y + 34, area.w, std::max(60.0f, area.h - picture_around)};
  canvas.dashed(box, theme.line_strong, 1, 6);
  const auto lines = canvas.wrapped(why, TextStyle::body, box.w - 24);
  float y = box.center().y - 10 * static_cast<float>(lines.size());
  for (std::string_view line : lines) {
    canvas.text_in({box.x + 12, y, box.w - 24, 20}, line, TextStyle::body, theme.text2, Align::center);
    y += 20;
  }
}

/// The colour scale of A and B.
ColorScale scale_of(const ViewContext& context, const Trace& a, const TensorComparison& compared) {
  const Selection& selection = context.session.selection();
  const ColorScale scale =
      color_scale_of(context.session, context.memory.get<StatisticsCache>(), selection.tensor, selection.head);
  return compared.a ? shared_scale(context, scale, a, selection.tensor) : scale;
}

void draw_pictures(ViewContext& context, const Areas& areas, const Trace& a, const TensorComparison& compared) {
  const Session& session = context.session;
  const Selection& selection = session.selection();
  const ColorScale scale = scale_of(context, a, compared);
  const TensorPicture of_b = picture_in(context, session.trace(), fitting(selection, session.setup()), scale);
  Zoom& zoom = zoom_for(context, View::compare, of_b.tensor, of_b.transposed);
  // A slide has no legend.
  TensorPictureOptions options{.title = "A", .color_bar = context.presenting, .zoom = &zoom};
  const auto above_bar = [&](Rect r) {
    if (!options.color_bar) r.h -= bar_below;
    return r;
  };
  options.cells.paints = false;  // A is not the present setup, so the brush cannot paint in it
  if (!compared.a) {
    draw_missing(context, areas.at[0], "A", fmt::format("A has no {}.", name(selection.tensor)));
  } else {
    TensorPictureOptions own = options;
    own.row_labels = own.column_labels = compared.comparable() && same_labels(a.setup, session.setup());
    if (!compared.comparable()) own.bands = own.cells.interactive = own.cells.ring = false;
    own.cells.of = "A:";
    draw_tensor_picture(context, "a", above_bar(areas.at[0]),
                        picture_in(context, a, fitting(selection, a.setup), scale), own);
  }
  options.title = "B, now";
  options.cells.paints = true;
  if (draw_tensor_picture(context, "b", above_bar(areas.at[1]), of_b, options).reduced)
    context.ui.canvas().text({areas.at[2].right(), areas.at[0].y + areas.height + 8}, words_of(of_b.reduction),
                             TextStyle::caption, context.ui.theme().text3, Align::right);
  options.cells.paints = false;
  if (!compared.comparable()) {
    draw_missing(context, areas.at[2], "B − A",
                 compared.a
                     ? fmt::format("The shapes differ: {} and {}.", compared.a->to_string(), compared.b->to_string())
                     : std::string("There is nothing to subtract."));
    return;
  }
  const Slice* const slice = context.memory.get<CompareStudy>().difference(context.session);
  if (!slice || !compared.measured) {
    draw_missing(context, areas.at[2], "B − A", "Comparing…");
    context.ui.request_frame_in(look_again);
    return;
  }
  TensorPicture difference = of_b;
  difference.slice = *slice;
  difference.shade.reset();
  difference.scale = ColorScale::symmetric(compared.largest);
  options.title = compared.equal ? "B − A: equal" : "B − A";
  options.color_bar = true;
  options.cells.of = "B − A:";
  draw_tensor_picture(context, "difference", areas.at[2], difference, options);
}

const TensorComparison& found(const std::vector<TensorComparison>& all, TensorId tensor) {
  return *std::find_if(all.begin(), all.end(), [&](const TensorComparison& one) { return one.tensor == tensor; });
}

}  // namespace

void draw_compare_view(ViewContext& context, Rect area) {
  Session& session = context.session;
  const bool from_step = session.state().checking.is_of_step();
  if (session.state().checking.work().shown && (from_step || !context.bare())) return draw_check_view(context, area);
  if (!session.state().checking.reference) {
    draw_empty(context, area);
    return;
  }
  Rect rest = context.presenting ? area : area.inset(margin, 0);
  if (context.presenting) {
    cut_slide_code(context, rest);
  } else {
    cut_lecture_story(context, rest, 0.3f);
    rest.cut_top(area.h < 560 ? 4 : 12);
    draw_header(context, rest);
  }
  const std::shared_ptr<const Trace> a = session.state().checking.reference;
  if (!a) {
    context.ui.request_frame();
    return;
  }
  const auto& all = context.memory.get<CompareStudy>().of(context.session);
  const TensorId shown = session.selection().tensor;
  const TensorComparison& compared = found(all, shown);
  const std::vector<Change> settings = changes(a->setup, session.setup());
  const TensorPicture of_b = picture_of(context, shown, session.selection().batch, session.selection().head);

  // A slide shows only the pictures, because tables would be a second idea.
  if (context.presenting) return draw_pictures(context, areas_for(rest, of_b, rest.h), *a, compared);
  const Rect legend = rest.cut_bottom(low_legend);
  const Rect room = draw_legend(context, legend, shown, scale_of(context, *a, compared));
  constexpr std::string_view words = "B − A has its own colours";
  const Canvas canvas = context.ui.canvas();
  if (canvas.width(words, TextStyle::control) <= room.w)
    canvas.text({room.x, room.y + 13}, words, TextStyle::control, canvas.theme().text2);
  const Areas size = areas_for(rest, of_b, std::max(rest.h * 0.55f, 200.0f));
  const float settings_h = changes_height(settings);
  const float table_h = differences_height(rest.w, all.size());
  const float height = size.height + 16 + settings_h + table_h;
  const ScrollArea scroll(context.ui, "compare", {area.x, rest.y, area.w, rest.h}, height, context.ui.theme().canvas);
  Rect page{rest.x, scroll.content().y, rest.w, height};
  draw_pictures(context, areas_for(page, of_b, std::max(rest.h * 0.55f, 200.0f)), *a, compared);
  page.cut_top(size.height + 16);
  draw_changes(context, page.cut_top(settings_h), settings);
  draw_differences(context, page, all, shown);
}

void draw_beside_compare(ViewContext& context, Rect area) {
  if (context.session.state().checking.work().shown && context.session.state().checking.work().given && !context.bare())
    return draw_diagnosis_panel(context, area);
  draw_inspector(context, area);
}

}  // namespace headlight
