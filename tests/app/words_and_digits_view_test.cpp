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
std::vector<TextShape> numbers_of(const Tensor& values, float cell_width, ThemeName theme, bool large_type,
                                  const ColorScale& scale = ColorScale::around_zero(0, 3.3)) {
  const Rect area{10, 10, cell_width * static_cast<float>(values.shape()[1]),
                  24 * static_cast<float>(values.shape()[0])};
  SheetApp app(
      [&](FrameContext& frame) {
        Heatmap heatmap = make_heatmap(slice_of(values), scale, area, frame.ui.scale());
        heatmap.large_type = large_type;
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
    const auto texts = numbers_of(table({{0.24, 0.15, 0.26, 0.23, 0.12}, {-12.5, 10.25, 3.0, 7.5, 0.5}}), width,
                                  ThemeName::light, false);
    REQUIRE(texts.size() == 10);
    std::set<std::string> first_row;
    for (std::size_t i = 0; i < 5; ++i) first_row.insert(texts[i].text);
    CHECK(first_row.size() > 1);
  }
}

TEST_CASE("equal numbers of a row still look equal") {
  const auto texts = numbers_of(table({{0.2, 0.2, 0.2}, {-12.5, 10.25, 3.0}}), 34, ThemeName::light, false);
  REQUIRE(texts.size() == 6);
  CHECK(texts[0].text == texts[1].text);
  CHECK(texts[1].text == texts[2].text);
}

TEST_CASE("digits keep their colour down a column, and change it only where they could not be read") {
  // The keys of a head of numpy-from-scratch, which reach from the middle of the colours to their end.
  const Tensor keys = table({{2.9625, 2.6884, 3.0626, 2.0061},
                             {2.8187, 2.0366, 3.2694, 2.3107},
                             {2.2167, 2.3615, 2.3829, 1.3506},
                             {2.9831, 3.1885, 3.2711, 2.0010}});
  const auto fills = [&](ThemeName name) {
    const Heatmap heatmap = make_heatmap(slice_of(keys), ColorScale::around_zero(0, 3.3), {0, 0, 400, 96}, 1);
    std::vector<Color> colors;
    for (Index row = 0; row < 4; ++row)
      for (Index column = 0; column < 4; ++column)
        colors.push_back(heatmap.color_of(theme(name), GridCell{row, column}));
    return colors;
  };
  for (const ThemeName look : {ThemeName::light, ThemeName::dark})
    for (const bool large_type : {true, false}) {
      CAPTURE(large_type);
      CAPTURE(static_cast<int>(look));
      const auto texts = numbers_of(keys, 100, look, large_type);
      const std::vector<Color> behind = fills(look);
      REQUIRE(texts.size() == 16);
      const double readable = large_type ? 3.0 : 4.5;
      for (std::size_t column = 0; column < 4; ++column) {
        CAPTURE(column);
        // One ink is the column's own: the others stand where it can't be read.
        const auto excused = [&](const Color& own) {
          for (std::size_t i = column; i < 16; i += 4)
            if (!(texts[i].color == own) && contrast(own, behind[i]) >= readable) return false;
          return true;
        };
        CHECK((excused({0, 0, 0, 255}) || excused({255, 255, 255, 255})));
        if (large_type)
          for (std::size_t i = column + 4; i < 16; i += 4) CHECK(texts[i].color == texts[column].color);
        for (std::size_t i = column; i < 16; i += 4) CHECK(contrast(texts[i].color, behind[i]) >= readable);
      }
    }
}

TEST_CASE("where no ink suits the whole picture, each column keeps its own") {
  const ColorScale scale = ColorScale::from_zero();
  const Color white{255, 255, 255, 255};
  const Color black{0, 0, 0, 255};
  constexpr double readable = 3;  // for large type
  for (const ThemeName look : {ThemeName::light, ThemeName::dark}) {
    CAPTURE(static_cast<int>(look));
    const auto value_where = [&](const auto& holds) {
      for (double value = 0; value <= 1; value += 0.002)
        if (holds(scale.color(theme(look), value))) return value;
      FAIL("no such colour");
      return 0.0;
    };
    const double bright = value_where([&](const Color& fill) { return contrast(white, fill) < readable; });
    const double dark = value_where([&](const Color& fill) { return contrast(black, fill) < readable; });
    // Alone, these would have the other ink, though both can be read.
    const double darker =
        value_where([&](const Color& fill) { return contrast(black, fill) >= 3.2 && number_on(fill) != black; });
    const double brighter =
        value_where([&](const Color& fill) { return contrast(white, fill) >= 3.2 && number_on(fill) == black; });
    const auto texts = numbers_of(table({{bright, dark}, {darker, brighter}, {bright, dark}}), 100, look, true, scale);
    REQUIRE(texts.size() == 6);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      CAPTURE(i);
      CHECK(texts[i].color == (i % 2 == 0 ? black : white));
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
    Scripted person(std::move(session), 1440, 900);
    const ColorScale scale =
        color_scale_of(person.session(), person.app.memory().get<StatisticsCache>(), TensorId::dot_products, 0);
    CHECK((scale.lo == 0) == positive);
    const std::set<std::string> words = words_in(person, {0, 0, 1440, 900});
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
    person.surface.move_mouse({arrangement.picture.x + 2, arrangement.story.center().y});
    for (int i = 0; i < 40 && !person.has_item("after/cells"); ++i) person.surface.wheel(-1);
    CHECK(person.has_item("after/cells"));
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
