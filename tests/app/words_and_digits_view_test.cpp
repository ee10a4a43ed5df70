// Slides show words and meaningful digits: labels of columns, digits that differ, one ink in a column, the ends of the
// colour bar, titles, and what a step chooses about its matrix.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/heatmap/numbers.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/selecting.hpp"
#include "app/ui/drawing/theme.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/setup/edits.hpp"
#include "heatmap_sheet.hpp"
#include "legibility.hpp"
#include "scripted.hpp"
#include "sheet_app.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

std::string lecture_with(const std::string& keys) {
  return fmt::format(R"lesson(+++
title = "A lesson"
[setup]
tokens = ["The", "representatives", "of", "shareholders", "complained", "yesterday", "again", "loudly"]
[setup.sizes]
heads = 1
query_length = 8
[setup.random]
draws = ["seed 5", "X normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal"]
+++
## A step
```step
cell = "weights[0,0,2,1]"
{}
```
Words.
)lesson",
                     keys);
}

Scripted lecture(const std::string& keys, bool presenting) {
  Session session;
  REQUIRE(Lesson(session).open(parse_lecture(lecture_with(keys), "a.md", "a", lecture_views()), 0).empty());
  session.set_timed(false);
  session.set_display(with_presenting(session.display(), presenting));
  return Scripted(std::move(session), 1280, 720);
}

std::vector<TextShape> texts_in(const DisplayList& drawing, const Rect& area) {
  std::vector<TextShape> texts;
  for (const Drawn& drawn : drawing.drawn)
    if (const auto* const text = std::get_if<TextShape>(&drawn.shape);
        text && area.contains({text->baseline.x + text->width / 2, text->baseline.y - 4}))
      texts.push_back(*text);
  return texts;
}

std::set<std::string> words_in(Scripted& person, const Rect& area) {
  std::set<std::string> words;
  for (const TextShape& text : texts_in(person.surface.settled_drawing(true), area)) words.insert(text.text);
  return words;
}

/// The strip above the cells of the picture.
Rect above(const Rect& cells) { return {cells.x - 20, cells.y - 48, cells.w + 40, 46}; }

/// The texts of a heatmap that fills cells of this size, row by row from the left, and their colours.
std::vector<TextShape> numbers_of(const Tensor& values, float cell_width, ThemeName theme,
                                  const ColorScale& scale = ColorScale::around_zero(0, 3.3)) {
  const Rect area{10, 10, cell_width * static_cast<float>(values.shape()[1]),
                  24 * static_cast<float>(values.shape()[0])};
  SheetApp app(
      [&](FrameContext& frame) {
        Heatmap heatmap = make_heatmap(slice_of(values), scale, area, frame.ui.scale());
        draw_numbers(frame.ui.canvas(), heatmap);
      },
      {theme});
  Offscreen surface(app, 600, 300);
  return texts_in(surface.settled_drawing(true), area);
}

Tensor table(const std::vector<std::vector<double>>& rows) {
  return tensor_from(
      static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()),
      [&](Index row, Index column) { return rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]; });
}

}  // namespace

TEST_CASE("labels of columns stay words when some of them are long") {
  const std::vector<std::string> tokens{"The",        "representatives", "of",    "shareholders",
                                        "complained", "yesterday",       "again", "loudly"};
  Scripted person = lecture("", false);
  const Rect cells = person.item("before/cells");
  REQUIRE(cells.w / 8 < 60);  // too narrow for the long words
  const std::set<std::string> shown = words_in(person, above(cells));
  for (const std::string& token : tokens) {
    CAPTURE(token);
    const bool found = std::ranges::any_of(shown, [&](const std::string& label) {
      const bool is_short =
          label.size() > 2 && label.ends_with(".") && token.starts_with(label.substr(0, label.size() - 1));
      return label == token || is_short;
    });
    CHECK(found);
  }
}

TEST_CASE("on a slide too: words that have no room are slanted, and none becomes its index") {
  const std::vector<std::string> tokens{"The",        "representatives", "of",    "shareholders",
                                        "complained", "yesterday",       "again", "loudly"};
  Scripted person = lecture("", true);
  const DisplayList drawing = person.surface.settled_drawing(true);
  std::map<std::string, int> slanted;
  for (const TextShape& text : texts_in(drawing, {0, 0, drawing.width, drawing.height})) {
    CHECK_FALSE((text.text.size() == 2 && text.text[0] == 'k' && text.text[1] >= '0' && text.text[1] <= '9'));
    if (text.turn != 0) ++slanted[text.text];
  }
  for (const std::string& token : tokens) {
    CAPTURE(token);
    CHECK(std::ranges::any_of(slanted, [&](const auto& label) {
      const std::string& words = label.first;
      return words == token ||
             (words.size() > 4 && words.ends_with(".") && token.starts_with(words.substr(0, words.size() - 1)));
    }));
  }
  for (const std::string& complaint : text_complaints(drawing, {0, 0, drawing.width, drawing.height}, 12))
    if (!complaint.ends_with("is shortened")) FAIL_CHECK(complaint);  // long words beside the rows are
}

TEST_CASE("different numbers of a row never look equal, also beside large ones and in narrow cells") {
  for (const float width : {26.0f, 34.0f, 48.0f}) {
    CAPTURE(width);
    const auto texts =
        numbers_of(table({{0.24, 0.15, 0.26, 0.23, 0.12}, {-12.5, 10.25, 3.0, 7.5, 0.5}}), width, ThemeName::light);
    REQUIRE(texts.size() == 10);
    std::set<std::string> first_row;
    for (std::size_t i = 0; i < 5; ++i) first_row.insert(texts[i].text);
    CHECK(first_row.size() > 1);
  }
}

TEST_CASE("equal numbers of a row still look equal") {
  const auto texts = numbers_of(table({{0.2, 0.2, 0.2}, {-12.5, 10.25, 3.0}}), 34, ThemeName::light);
  REQUIRE(texts.size() == 6);
  CHECK(texts[0].text == texts[1].text);
  CHECK(texts[1].text == texts[2].text);
}

/// What stands in a cell with less contrast than WCAG AA asks of small type, a line for each digit that does.
std::vector<std::string> digits_too_faint(const DisplayList& drawing) {
  std::vector<std::string> faint;
  std::vector<CellsShape::Cell> cells;
  for (const Drawn& drawn : drawing.drawn) {
    if (const auto* const shape = std::get_if<CellsShape>(&drawn.shape)) {
      cells.insert(cells.end(), shape->cells.begin(), shape->cells.end());
      continue;
    }
    const auto* const text = std::get_if<TextShape>(&drawn.shape);
    if (text == nullptr || text->text.find_first_of("0123456789") == std::string::npos) continue;
    const Point middle{text->baseline.x + text->width / 2, text->baseline.y - 4};
    // The cell that was drawn last is the one that is seen.
    const auto cell =
        std::find_if(cells.rbegin(), cells.rend(), [&](const auto& one) { return one.r.contains(middle); });
    if (cell == cells.rend() || cell->r.h < 10) continue;
    const double seen = contrast(text->color, cell->color);
    if (seen < 4.5)
      faint.push_back(
          fmt::format("{} in {} on {}: {:.2f}", text->text, to_hex(text->color), to_hex(cell->color), seen));
  }
  return faint;
}

TEST_CASE("every digit can be read on every colour of every map, lit and quiet, in both themes") {
  // 600 cells through the whole scale.
  const Tensor values = tensor_from(25, 24, [](Index row, Index column) { return double(24 * row + column) / 599; });
  for (const ThemeName look : {ThemeName::light, ThemeName::dark})
    for (std::size_t map = 0; map <= colour_map_words.size(); ++map)
      for (const float strength : {0.0f, 0.3f, 0.7f, 1.0f}) {
        SheetApp app(
            [&](FrameContext& frame) {
              ColorScale scale = ColorScale::from_zero();
              scale.map = static_cast<ColorMapName>(map);
              Heatmap heatmap = make_heatmap(slice_of(values), scale, {10, 10, 960, 600}, frame.ui.scale());
              heatmap.emphasis = {.rows = IndexRange{3, 4}, .columns = {}, .strength = strength};
              record(frame.ui.canvas(), heatmap);
              draw_numbers(frame.ui.canvas(), heatmap);
            },
            {look});
        Offscreen surface(app, 1000, 640);
        const DisplayList drawing = surface.settled_drawing(true);
        CHECK(texts_in(drawing, {0, 0, 1000, 640}).size() == 600);
        for (const std::string& faint : digits_too_faint(drawing)) FAIL_CHECK(faint);
      }
}

TEST_CASE("digits can be read in every view, colour map, theme and size, and on slides") {
  struct Size {
    int width, height;
    bool presenting;
  };
  for (const Size& size : {Size{1280, 720, false}, Size{1366, 768, false}, Size{1920, 1080, false},
                           Size{1280, 720, true}, Size{1920, 1080, true}, Size{520, 900, false}})
    for (const ThemeName look : {ThemeName::dark, ThemeName::light})
      for (std::size_t map = 0; map < colour_map_words.size(); ++map)
        for (const std::string_view id : {"bank", "numpy-from-scratch", "masks"}) {
          Session session = shown_lecture(id, size.presenting, look);
          Lesson(session).go_to(4);
          session.edit_display([&](Display& d) { d.appearance.colour_map = static_cast<ColourMap>(map); });
          Scripted person(std::move(session), size.width, size.height);
          for (const View view : {View::pipeline, View::heads, View::tokens}) {
            person.session().show(view);
            CAPTURE(fmt::format("{} at {} x {}, {}, map {}, view {}", id, size.width, size.height,
                                size.presenting ? "slide" : "window", map, static_cast<int>(view)));
            for (const std::string& faint : digits_too_faint(person.surface.settled_drawing(true))) FAIL_CHECK(faint);
          }
        }
}

TEST_CASE("numbers of one sign use the whole colour bar, and the choice of the range says so") {
  for (const bool positive : {true, false}) {
    CAPTURE(positive);
    Session session = lecture_session(positive ? "numpy-from-scratch" : "udl-12-2", 0);
    session.set_timed(false);
    Lesson(session).close();
    Selecting(session).select_tensor(TensorId::dot_products);
    session.show(View::heads);
    Selecting(session).select_tensor(TensorId::dot_products);
    session.edit_display([](Display& d) { d.view = View::pipeline; });
    Scripted person(std::move(session), 1440, 1000);
    const ColorScale scale =
        color_scale_of(person.session(), person.app.memory().get<StatisticsCache>(), TensorId::dot_products, 0);
    CHECK((scale.lo == 0) == positive);
    const std::set<std::string> words = words_in(person, {0, 0, 1440, 1000});
    CHECK(words.contains("0–max") == positive);
    CHECK(words.contains("±max") != positive);
  }
}

TEST_CASE("masked scores are titled scores where nothing is masked") {
  for (const bool masked : {false, true}) {
    CAPTURE(masked);
    Session session = lecture_session("numpy-from-scratch", 0);
    session.set_timed(false);
    if (masked) REQUIRE(session.edit(with_mask_kind(session.setup(), MaskKind::causal, true)).empty());
    session.wait();
    Selecting(session).select_tensor(TensorId::weights);
    Scripted person(std::move(session), 1280, 720);
    const Rect cells = person.item("before/cells");
    const std::set<std::string> below = words_in(person, {cells.x - 4, cells.bottom(), cells.w + 8, 60});
    CHECK(below.contains("masked scores") == masked);
    CHECK(below.contains("scores") != masked);
  }
}

TEST_CASE("in a low window words and picture scroll, and have the room for numbers in all cells") {
  for (const std::size_t step : {4U, 6U, 8U}) {
    CAPTURE(step + 1);
    Session session = enlarged(lecture_session("masks", step));
    session.set_timed(false);
    Scripted person(std::move(session), 1440, 900);  // 720 by 450 for what is twice as large
    const Arrangement& arrangement = person.app.memory().get<KeptArrangement>().arrangement;
    CHECK(arrangement.rung.cells >= Cells::readable);
    person.surface.move_mouse({arrangement.picture.x + 2, arrangement.picture.y + 2});
    // Beside the scores that they are made from, or alone.
    const auto has_weights = [&] { return person.has_item("after/cells") || person.has_item("alone/cells"); };
    for (int i = 0; i < 40 && !has_weights(); ++i) person.surface.wheel(-1);
    CHECK(has_weights());
  }
}

TEST_CASE("the setup panel writes the names of its settings in full") {
  Scripted person(lecture_session(), 1440, 1800);
  const DisplayList drawing = person.surface.settled_drawing();
  const Rect panel = layout_of({0, 0, drawing.width, drawing.height}, person.session().display()).setup;
  for (const char* name : {"Query length", "Ablated heads", "Norm of X"}) CHECK(shows_text(drawing, panel, name));
}

TEST_CASE("a step chooses its rows, its decimals and its labels") {
  for (const bool presenting : {false, true}) {
    CAPTURE(presenting);
    Scripted all = lecture("", presenting);
    Scripted chosen = lecture(
        "rows = \"1:3\"\ndecimals = 1\nlabels = { columns = [\"k1\", \"k2\", \"k3\", \"k4\", \"k5\", \"k6\", \"k7\", "
        "\"k8\"], rows = \"positions\" }",
        presenting);
    const auto rows_of = [](Scripted& person) {
      const Rect cells = person.item("after/cells");
      std::set<int> rows;
      std::set<std::size_t> decimals;
      for (const TextShape& text : texts_in(person.surface.settled_drawing(true), cells)) {
        rows.insert(static_cast<int>(text.baseline.y));
        if (const auto point = text.text.find('.'); point != std::string::npos)
          decimals.insert(text.text.size() - point - 1);
      }
      return std::pair{rows.size(), decimals};
    };
    CHECK(rows_of(all).first >= 3);
    CHECK(rows_of(chosen).first == 2);
    CHECK(rows_of(chosen).second == std::set<std::size_t>{1});
    CHECK(words_in(chosen, above(chosen.item("before/cells"))).contains("k8"));
    const std::set<std::string> slide = words_in(chosen, {0, 0, 1280, 720});
    CHECK_FALSE(slide.contains("shareholders"));
  }
}
