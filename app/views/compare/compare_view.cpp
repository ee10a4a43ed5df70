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
#include "app/ui/ui.hpp"
#include "app/views/base/view_header.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_view.hpp"
#include "app/views/compare/compare_study.hpp"
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
  draw_tensor_choice(context, row.cut_left(170), existing_tensors(setup), shown);
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
  const TensorStatistics other = statistics_of(context, a, tensor);
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

/// "A", or "A, layer 1" where the state has several.
std::string state_title(std::string_view state, const Setup& setup) {
  return setup.sizes.layers == 1 ? std::string(state) : fmt::format("{}, layer {}", state, setup.layer);
}

/// The colour scale of A and B.
ColorScale scale_of(const ViewContext& context, const Trace& a, const TensorComparison& compared) {
  const Selection& selection = context.session.selection();
  const ColorScale scale = color_scale_of(context, selection.tensor, selection.head);
  return compared.a ? shared_scale(context, scale, a, selection.tensor) : scale;
}

void draw_pictures(ViewContext& context, const Areas& areas, const Trace& a, const TensorComparison& compared) {
  const Session& session = context.session;
  const Selection& selection = session.selection();
  const ColorScale scale = scale_of(context, a, compared);
  const TensorPicture of_b = picture_in(context, session.trace(), fitting(selection, session.setup()), scale);
  Zoom& zoom = zoom_for(context, View::compare, of_b.tensor, of_b.transposed);
  const std::string title_a = state_title("A", a.setup), title_b = state_title("B, now", session.setup());
  // A slide has no legend.
  TensorPictureOptions options{.title = title_a, .color_bar = context.presenting, .zoom = &zoom};
  const auto above_bar = [&](Rect r) {
    if (!options.color_bar) r.h -= bar_below;
    return r;
  };
  options.cells.paints = false;  // A is not the present setup, so the brush cannot paint in it
  if (!compared.a) {
    draw_missing(context, areas.at[0], title_a, fmt::format("A has no {}.", name(selection.tensor)));
  } else {
    TensorPictureOptions own = options;
    own.row_labels = own.column_labels = compared.comparable() && same_labels(a.setup, session.setup());
    if (!compared.comparable()) own.bands = own.cells.interactive = own.cells.ring = false;
    own.cells.of = "A:";
    draw_tensor_picture(context, "a", above_bar(areas.at[0]),
                        picture_in(context, a, fitting(selection, a.setup), scale), own);
  }
  options.title = title_b;
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

// --- The tables below the pictures: the settings that differ, and the difference of each tensor ----------------------

constexpr float title_row = 40;
constexpr float row_height = 26;
constexpr float two_columns = 620;
constexpr float column_gap = 32;
constexpr std::size_t most_changes = 12;

std::string magnitude(double value) {
  return value >= 0.001 && value < 1e5 ? fmt::format("{:.4g}", value) : fmt::format("{:.2e}", value);
}

/// The words in the last column of the table.
std::string verdict(const TensorComparison& one) {
  if (!one.a) return "only in B";
  if (!one.b) return "only in A";
  if (!one.comparable()) return fmt::format("{} → {}", one.a->to_string(), one.b->to_string());
  if (!one.measured) return "…";
  if (one.equal) return "equal";
  if (one.where) return magnitude(one.largest);
  return one.not_finite > 0 ? "" : "equal";
}

std::string remark(const TensorComparison& one, const Setup& setup) {
  if (!one.comparable()) return one.a && one.b ? "shapes differ" : "";
  if (one.not_finite > 0) return fmt::format("{} masked in one only", one.not_finite);
  return one.where ? text_of(*one.where, setup) : "";
}

void draw_row(ViewContext& context, const Rect& row, const TensorComparison& one, bool shown, bool first) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  ui.push_id(static_cast<int>(one.tensor));
  const bool there = one.b.has_value();
  const Item item = ui.item("row", row, {there, true});
  ui.say_control(item, name(one.tensor), "row", verdict(one));
  if (item.clicked && there) {
    if (one.where && one.not_finite == 0)
      Selecting(context.session).select(at_cell(context.session.selection(), *one.where, context.session.setup()));
    else Selecting(context.session).select_tensor(one.tensor);
  }
  if (shown) canvas.fill(row, theme.raised, 4);
  else if (item.hovered) canvas.fill(row, theme.hover, 4);
  if (item.focused) canvas.focus_ring(row.inset(2));
  if (first) {
    changed_dot(canvas, {row.x + 8, row.center().y});
    ui.tooltip(item, "The first tensor that differs: everything before it is equal");
  }
  const Rect inner = row.inset(18, 0);
  canvas.text_in({inner.x, inner.y, 128, inner.h}, name(one.tensor), shown ? TextStyle::mono_strong : TextStyle::mono,
                 one.equal ? theme.text2 : theme.text);
  const std::string said = verdict(one);
  const TextStyle style = !one.comparable() ? TextStyle::code : one.equal ? TextStyle::mono : TextStyle::mono_strong;
  const float wide = std::min(canvas.width(said, style) + 1, inner.w - 132);
  canvas.text_in({inner.right() - wide, inner.y, wide, inner.h}, said, style, one.equal ? theme.text3 : theme.text);
  const float room = inner.w - 136 - wide - 10;
  if (room > 70)
    canvas.text_in({inner.x + 136, inner.y, room, inner.h}, remark(one, context.session.setup()), TextStyle::code,
                   theme.text3);
  ui.pop_id();
}

float changes_height(const std::vector<Change>& changes) {
  const std::size_t lines =
      std::max<std::size_t>(1, std::min(changes.size(), most_changes) + (changes.size() > most_changes ? 1 : 0));
  return title_row + row_height * static_cast<float>(lines) + 8;
}

/// Draws the settings that differ, one per line: "sizes.heads   2 → 4".
void draw_changes(ViewContext& context, const Rect& area, const std::vector<Change>& changes, bool same_layer) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  Rect rest = area;
  canvas.fill({rest.x, rest.y, rest.w, 1}, theme.line);
  canvas.text_in(rest.cut_top(title_row), "Settings that differ", TextStyle::control_strong, theme.text);
  if (changes.empty()) {
    canvas.text_in(rest.cut_top(row_height),
                   same_layer ? "None: B is the same as A. Edit anything to change B."
                              : "None: A and B are two layers of the same model.",
                   TextStyle::control, theme.text2);
    return;
  }
  for (std::size_t i = 0; i < std::min(changes.size(), most_changes); ++i) {
    const Change& change = changes[i];
    Rect row = rest.cut_top(row_height);
    const float names = std::min(200.0f, row.w * 0.4f);
    canvas.text_in(row.cut_left(names), change.key, TextStyle::mono, theme.text2);
    if (change.lecture_value == change.own_value) {  // the same tensors are given
      canvas.text_in(row, "other numbers in " + change.own_value, TextStyle::mono_strong, theme.text);
      continue;
    }
    const float half = (row.w - 28) / 2;
    const float first = std::min(canvas.width(change.lecture_value, TextStyle::mono) + 2, half);
    canvas.text_in(row.cut_left(first), change.lecture_value, TextStyle::mono, theme.text);
    canvas.text_in(row.cut_left(28), "→", TextStyle::control, theme.text3, Align::center);
    canvas.text_in(row, change.own_value, TextStyle::mono_strong, theme.text);
  }
  if (changes.size() > most_changes)
    canvas.text_in(rest.cut_top(row_height), fmt::format("and {} more", changes.size() - most_changes),
                   TextStyle::control, theme.text3);
}

float differences_height(float width, std::size_t tensors) {
  const std::size_t rows = width >= two_columns ? (tensors + 1) / 2 : tensors;
  return title_row + row_height * static_cast<float>(rows) + 12;
}

/// Draws a table with the largest difference, max |Δ|, of every tensor. A click on a row selects its tensor, and the
/// cell with the largest difference.
void draw_differences(ViewContext& context, const Rect& area, const std::vector<TensorComparison>& all,
                      TensorId shown) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  Rect rest = area;
  canvas.fill({rest.x, rest.y, rest.w, 1}, theme.line);
  const Rect title = rest.cut_top(title_row);
  canvas.text_in(title, "Largest difference of each tensor", TextStyle::control_strong, theme.text);
  canvas.text_in(title, "max |B − A|", TextStyle::control, theme.text3, Align::right);
  const bool two = area.w >= two_columns;
  const std::size_t rows = two ? (all.size() + 1) / 2 : all.size();
  const float width = two ? (rest.w - column_gap) / 2 : rest.w;
  const auto first = std::find_if(all.begin(), all.end(), [](const TensorComparison& one) { return !one.equal; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Rect row{rest.x + (i < rows ? 0 : width + column_gap), rest.y + row_height * static_cast<float>(i % rows),
                   width, row_height};
    draw_row(context, row, all[i], all[i].tensor == shown, first != all.end() && all[i].tensor == first->tensor);
  }
}

}  // namespace

void draw_compare_view(ViewContext& context, Rect area) {
  Session& session = context.session;
  const bool from_step = session.state().checking.is_of_step();
  if (session.state().checking.work().shown && (from_step || !context.bare())) return draw_check_view(context, area);
  if (session.state().checking.reference.empty()) {
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
  const std::shared_ptr<const Trace> a = session.state().checking.reference_at(session.setup().layer);
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
  draw_changes(context, page.cut_top(settings_h), settings, a->setup.layer == session.setup().layer);
  draw_differences(context, page, all, shown);
}

void draw_beside_compare(ViewContext& context, Rect area) {
  if (context.session.state().checking.work().shown && context.session.state().checking.work().given && !context.bare())
    return draw_diagnosis_panel(context, area);
  draw_inspector(context, area);
}

}  // namespace headlight
