#include "app/views/compare/compare_tables.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"

namespace headlight {
namespace {

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

std::string remark(const TensorComparison& one) {
  if (!one.comparable()) return one.a && one.b ? "shapes differ" : "";
  if (one.not_finite > 0) return fmt::format("{} masked in one only", one.not_finite);
  return one.where ? to_string(*one.where) : "";
}

void draw_row(ViewContext& context, const Rect& row, const TensorComparison& one, bool shown, bool first) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  ui.push_id(static_cast<int>(one.tensor));
  const bool there = one.b.has_value();
  const Item item = ui.item("row", row, {there, true});
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
  if (room > 70) canvas.text_in({inner.x + 136, inner.y, room, inner.h}, remark(one), TextStyle::code, theme.text3);
  ui.pop_id();
}

}  // namespace

float changes_height(const std::vector<Change>& changes) {
  const std::size_t lines =
      std::max<std::size_t>(1, std::min(changes.size(), most_changes) + (changes.size() > most_changes ? 1 : 0));
  return title_row + row_height * static_cast<float>(lines) + 8;
}

void draw_changes(ViewContext& context, const Rect& area, const std::vector<Change>& changes) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  Rect rest = area;
  canvas.fill({rest.x, rest.y, rest.w, 1}, theme.line);
  canvas.text_in(rest.cut_top(title_row), "Settings that differ", TextStyle::control_strong, theme.text);
  if (changes.empty()) {
    canvas.text_in(rest.cut_top(row_height), "None: B is the same as A. Edit anything to change B.", TextStyle::control,
                   theme.text2);
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

}  // namespace headlight
