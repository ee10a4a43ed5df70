// What a lecture's question asks for is nowhere before its answer shows: not in a view, a panel, a tip, a figure.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "app/figures/fitted_surface.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/ui/drawing/theme.hpp"
#include "app/view_table.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/lecture/question.hpp"
#include "core/model/shapes.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

const std::string asking = R"lesson(+++
title = "A lesson"
[setup]
tokens = ["The", "cat", "sat", "down"]
[setup.sizes]
heads = 1
[setup.attention]
temperature = 9.0
[setup.random]
draws = ["seed 5", "X normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal"]
+++
## Asks for weights
```step
cell = "weights[0,0,2,0]"
```
Whom?
```question
ask = "Whom does sat look at?"
cells = "weights[0,0,2]"
answer = "argmax(weights[0,0,2])"
```
## Asks for scores
```step
cell = "scores[0,0,1,0]"
```
Which?
```question
ask = "Which row?"
rows = "scores[0,0]"
answer = "argmax(sum(scores[0,0,0]), sum(scores[0,0,1]), sum(scores[0,0,2]), sum(scores[0,0,3]))"
```
)lesson";

Session asked(std::size_t step) {
  Session session;
  REQUIRE(Lesson(session).open(parse_lecture(asking, "a.md", "a", lecture_views()), step).empty());
  session.set_timed(false);
  return session;
}

std::vector<double> asked_numbers(const Session& session) {
  std::vector<double> numbers;
  for (const Cell& cell : cells_of(*session.lesson().question(), session.setup()))
    numbers.push_back(session.trace().value(cell));
  return numbers;
}

/// Whether a decimal of a text is one of the numbers, to at least three decimals, or to one as a percentage.
bool tells_one_of(const std::string& shown, const std::vector<double>& numbers) {
  constexpr std::string_view digits = "0123456789";
  const bool percent = shown.find('%') != std::string::npos;
  for (std::size_t point = shown.find('.'); point != std::string::npos; point = shown.find('.', point + 1)) {
    const std::size_t end = std::min(shown.find_first_not_of(digits, point + 1), shown.size());
    const std::size_t decimals = end - point - 1;
    if (decimals < (percent ? 1 : 3)) continue;
    const std::size_t before = point == 0 ? std::string::npos : shown.find_last_not_of(digits, point - 1);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    const std::string_view lead = std::string_view(shown).substr(0, start);
    const double sign = lead.ends_with("−") || lead.ends_with("-") ? -1 : 1;
    const double scale = percent ? 100 : 1;
    const double value = sign * std::stod(fmt::format("0{}", shown.substr(start, end - start))) / scale;
    const double half = 0.5000001 * std::pow(10.0, -static_cast<double>(decimals)) / scale;
    if (std::ranges::any_of(numbers, [&](double asked) { return std::abs(asked - value) <= half; })) return true;
  }
  return false;
}

/// The texts that tell one of the numbers.
std::vector<std::string> texts_with(const DisplayList& drawing, const std::vector<double>& numbers) {
  std::vector<std::string> found;
  for (const Drawn& drawn : drawing.drawn) {
    const auto* const shape = std::get_if<TextShape>(&drawn.shape);
    if (shape && tells_one_of(shape->text, numbers)) found.push_back(shape->text);
  }
  return found;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& each : texts) all += each + " | ";
  return all;
}

}  // namespace

TEST_CASE("no view, panel or tip of the window shows what is asked, whatever is selected") {
  for (const std::size_t step : {0U, 1U}) {
    Scripted person(asked(step), 1440, 900);
    const std::vector<double> asked = asked_numbers(person.session());
    for (const ViewInfo& view : view_table) {
      if (view.of_two_states) continue;
      CAPTURE(view.word);
      CAPTURE(step);
      for (const char* cell : {"weights[0,0,2,1]", "weights[0,0,1,1]", "scores[0,0,2,1]", "dot_products[0,0,1,1]",
                               "masked_scores[0,0,1,2]", "context[0,0,2,1]", "context[0,0,1,0]"}) {
        CAPTURE(std::string(cell));
        Session& session = person.session();
        session.show(*view_named(view.word));
        if (!exists(*tensor_named(std::string(cell).substr(0, std::string(cell).find('['))), session.setup())) continue;
        Selecting(session).pin(parse_cell(cell, session.setup()));
        const std::vector<std::string> found = texts_with(person.surface.settled_drawing(), asked);
        CHECK_MESSAGE(found.empty(), joined(found));
      }
    }
    Lesson(person.session()).show_answer();
    person.session().show(View::pipeline);
    const Session& session = person.session();
    const Cell& cell = session.lesson().step()->look_at;
    Selecting(person.session()).select(at_cell(session.selection(), cell, session.setup()));
    CHECK_FALSE(texts_with(person.surface.settled_drawing(), asked).empty());  // the test sees numbers
  }
}

TEST_CASE("no figure holds what is asked, neither as a number nor as a colour") {
  for (const ExportWhat what : all_exports) {
    if (!is_picture(what) || what == ExportWhat::window) continue;
    if (what == ExportWhat::curve) continue;      // it needs a task
    if (what == ExportWhat::presenter) continue;  // only the speaker sees it
    CAPTURE(to_string(what));
    Session session = asked(0);
    Figure figure;
    figure.what = what;
    const DisplayList drawing = FittedSurface(session, figure).shapes();
    const std::vector<std::string> found = texts_with(drawing, asked_numbers(session));
    CHECK_MESSAGE(found.empty(), joined(found));
    if (what != ExportWhat::heatmap) continue;
    std::size_t coloured = 0;
    for (const Drawn& drawn : drawing.drawn)
      if (const auto* const cells = std::get_if<CellsShape>(&drawn.shape)) coloured += cells->cells.size();
    CHECK(coloured == 12);
    Lesson(session).show_answer();
    CHECK_FALSE(texts_with(FittedSurface(session, figure).shapes(), asked_numbers(session)).empty());
  }
}

TEST_CASE("on paper a negative number without digits has a dash, and a masked or a positive one has none") {
  Setup setup;
  setup.sizes.query_length = 24;
  setup.sizes.d_model = 32;
  setup.mask.kinds = {MaskKind::causal};
  for (const char* const draw : {"seed 4", "X normal", "W_q normal", "W_k normal"})
    setup.random.draws.push_back(parse_draw(draw).value());
  Session session(setup);
  for (const TensorId tensor : {TensorId::X, TensorId::masked_scores}) {
    Selecting(session).select_tensor(tensor);
    Figure figure;
    figure.what = ExportWhat::heatmap;
    figure.room = PageSize{420, 340};
    const auto small_cells = [&] {
      std::size_t cells = 0;
      for (const Drawn& drawn : FittedSurface(session, figure).shapes().drawn)
        if (const auto* const shape = std::get_if<CellsShape>(&drawn.shape)) cells += shape->cells.size();
      return cells;
    };
    const std::size_t plain = small_cells();
    figure.printed = true;
    std::size_t negative = 0;
    const Tensor& numbers = session.trace()[tensor];
    const Shape extents = numbers.shape();
    const bool heads = extents.rank() == 4;
    for (Index row = 0; row < extents.back(1); ++row)
      for (Index column = 0; column < extents.back(0); ++column) {
        const Cell cell = heads ? Cell{tensor, {0, 0, row, column}} : Cell{tensor, {0, row, column}};
        const double value = session.trace().value(cell);
        negative += std::isfinite(value) && value < 0;
      }
    REQUIRE(negative > 50);
    CHECK(small_cells() == plain + negative);
  }
}

namespace {

/// The lecture with the first step on one of the cells that it asks for.
Session on_candidate(const std::string& cell, const std::string& asked, int heads = 1) {
  std::string lecture = asking;
  lecture.replace(lecture.find("heads = 1"), 9, fmt::format("heads = {}", heads));
  const std::string own = "cell = \"weights[0,0,2,0]\"";
  lecture.replace(lecture.find(own), own.size(), "cell = \"" + cell + "\"");
  const std::string cells = "cells = \"weights[0,0,2]\"\nanswer = \"argmax(weights[0,0,2])\"";
  lecture.replace(lecture.find(cells), cells.size(), asked);
  Session session;
  REQUIRE(Lesson(session).open(parse_lecture(lecture, "a.md", "a", lecture_views()), 0).empty());
  session.set_timed(false);
  return session;
}

}  // namespace

TEST_CASE("nothing points at what is asked: no picture depends on which candidate the step selects") {
  struct Asked {
    const char* keys;
    const char* one;
    const char* other;
  };
  for (const Asked& asked :
       {Asked{"cells = \"weights[0,0,2]\"\nanswer = \"argmax(weights[0,0,2])\"", "weights[0,0,2,0]",
              "weights[0,0,2,3]"},
        Asked{"rows = \"weights[0,0]\"\nanswer = \"argmax(weights[0,0,:,0])\"", "weights[0,0,0,1]", "weights[0,0,3,1]"},
        Asked{"within = 1\nanswer = \"100 * max(weights[0,0])\"", "weights[0,0,1,0]", "weights[0,0,3,2]"},
        Asked{"within = 1\nanswer = \"std(Q)\"", "Q[0,1,0]", "Q[0,3,2]"}})
    for (const bool presenting : {false, true})
      for (const ViewInfo& view : view_table) {
        if (view.of_two_states || view.of_task || view.of_model || view.of_step) continue;
        // Such a view selects a weight instead, which is not what this step asks for.
        if (view.of_weights && !std::string_view(asked.one).starts_with("weights")) continue;
        CAPTURE(asked.one);
        CAPTURE(presenting);
        CAPTURE(view.word);
        const auto picture = [&](const char* cell, bool shown) {
          Session session = on_candidate(cell, asked.keys);
          session.set_display(with_presenting(session.display(), presenting));
          session.show(*view_named(view.word));
          Scripted person(std::move(session), 1280, 720);
          if (shown) Lesson(person.session()).show_answer();
          person.surface.settled_picture();  // studies in the background are done
          return person.surface.settled_picture();
        };
        CHECK(picture(asked.one, false) == picture(asked.other, false));
        // A cell that was asked for is selected with the answer; of anything else the step's own cell is lit again.
        const bool has_answer_selected = std::string_view(asked.keys).starts_with("cells");
        if (std::string_view(view.word) == "pipeline")
          CHECK((picture(asked.one, true) == picture(asked.other, true)) == has_answer_selected);
      }
}

namespace {

constexpr const char* asks_for_a_row = "rows = \"weights[0,0]\"\nanswer = \"argmax(weights[0,0,:,0])\"";

/// Frames in the colour of the selection; of at least this height, where buttons have that colour too.
std::size_t frames_of_selection(const DisplayList& drawing, const Rect& area, Color lamp, float least_height = 0) {
  return static_cast<std::size_t>(std::ranges::count_if(drawing.drawn, [&](const Drawn& drawn) {
    const auto* const box = std::get_if<BoxShape>(&drawn.shape);
    return box != nullptr && box->width > 0 && box->color == lamp && box->r.h >= least_height &&
           area.contains(box->r.center());
  }));
}

}  // namespace

TEST_CASE("no figure marks what is asked: none depends on which candidate the step selects") {
  for (const ExportWhat what :
       {ExportWhat::view, ExportWhat::heatmap, ExportWhat::heads, ExportWhat::equation, ExportWhat::tokens}) {
    CAPTURE(to_string(what));
    Figure figure;
    figure.what = what;
    const auto drawn = [&](const char* cell, bool shown) {
      Session session = on_candidate(cell, asks_for_a_row);
      if (shown) Lesson(session).show_answer();
      session.wait();
      return FittedSurface(session, figure).pixels();
    };
    CHECK(drawn("weights[0,0,0,1]", false) == drawn("weights[0,0,3,1]", false));
    if (what == ExportWhat::equation) CHECK_FALSE(drawn("weights[0,0,0,1]", true) == drawn("weights[0,0,3,1]", true));
  }
}

TEST_CASE("the map frames no tensor while the step asks for it") {
  Scripted person(on_candidate("weights[0,0,0,1]", asks_for_a_row), 1440, 900);
  const Rect map = layout_of({0, 0, 1440, 900}, person.session().display()).map;
  const Color lamp = theme(person.session().display().appearance.theme).lamp;
  CHECK(frames_of_selection(person.surface.settled_drawing(true), map, lamp) == 0);
  Lesson(person.session()).show_answer();
  CHECK(frames_of_selection(person.surface.settled_drawing(true), map, lamp) > 0);
}

TEST_CASE("no head is framed while the step asks for numbers of it") {
  constexpr float card = 100;  // at least so high
  Session session = on_candidate("weights[0,0,0,1]", asks_for_a_row, 2);
  session.show(View::heads);
  Scripted person(std::move(session), 1440, 900);
  const Rect centre = layout_of({0, 0, 1440, 900}, person.session().display()).centre;
  const Color lamp = theme(person.session().display().appearance.theme).lamp;
  CHECK(frames_of_selection(person.surface.settled_drawing(true), centre, lamp, card) == 0);
  Lesson(person.session()).show_answer();
  CHECK(frames_of_selection(person.surface.settled_drawing(true), centre, lamp, card) > 0);
}

TEST_CASE("what a person points at is lit, also while the step asks for it") {
  Scripted person(on_candidate("weights[0,0,2,0]", "rows = \"weights[0,0]\"\nanswer = \"argmax(weights[0,0,:,0])\""),
                  1280, 720);
  const Image before = person.surface.settled_picture();
  person.surface.move_mouse(person.item("after/cells").center());
  CHECK_FALSE(person.surface.settled_picture() == before);
}

TEST_CASE(
    "with the answer its cell is selected, whatever was guessed, and a cell that a person has pinned elsewhere stays") {
  constexpr const char* asks_for_a_cell = "cells = \"weights[0,0,2]\"\nanswer = \"argmax(weights[0,0,2])\"";
  const auto answered = [&](const char* pinned) {
    Session session = on_candidate("weights[0,0,2,3]", asks_for_a_cell);
    session.wait();
    if (*pinned != '\0') Selecting(session).pin(parse_cell(pinned, session.setup()));
    Lesson(session).show_answer();
    return session;
  };
  const Session untouched = answered("");
  const auto right = static_cast<Index>(*answer_of(untouched));
  REQUIRE(right != 3);
  CHECK(untouched.selection().column == right);
  CHECK_FALSE(untouched.state().pinned);
  CHECK(answered("weights[0,0,2,3]").selection().column == right);
  CHECK(answered("weights[0,0,1,0]").selection().row == 1);
  CHECK(answered("Q[0,1,0]").selection().tensor == TensorId::Q);
  Session back = answered("");
  Lesson(back).go_to(1);
  Lesson(back).go_to(0);
  CHECK(back.selection().column == right);
}

TEST_CASE("nothing of what is asked is copied") {
  Scripted person(asked(0), 1440, 900);
  Selecting(person.session()).pin({TensorId::weights, {0, 0, 2, 1}});
  for (const char* action : {"copy.cell", "copy.row", "copy.matrix"}) {
    person.run(action);
    CHECK(person.surface.clipboard().empty());
    CHECK(person.session().state().notice.find("asks about this tensor") != std::string::npos);
  }
  Lesson(person.session()).show_answer();
  Selecting(person.session()).pin({TensorId::weights, {0, 0, 2, 1}});
  person.run("copy.cell");
  CHECK(std::stod(person.surface.clipboard()) == person.session().trace().value({TensorId::weights, {0, 0, 2, 1}}));
}

TEST_CASE("a whole tensor stays hidden when the setup has grown") {
  Session session =
      on_candidate("weights[0,0,1,0]", "within = 1\nanswer = \"100 * max(weights[0,0])\"\nhides = [\"weights\"]");
  Setup grown = session.setup();
  grown.tokens.clear();
  grown.sizes.query_length = 70;
  REQUIRE(session.edit(grown, "size").empty());
  session.wait();
  REQUIRE(session.lesson().asks());
  REQUIRE(session.trace()[TensorId::weights].elements() == 70 * 70);
  const Slice weights =
      without_asked(session, {.tensor = TensorId::weights}, slice_of(session.trace(), TensorId::weights));
  std::size_t hidden = 0;
  for (Index row = 0; row < weights.rows(); ++row)
    for (Index column = 0; column < weights.columns(); ++column)
      if (weights.kind(row, column) == CellKind::masked) ++hidden;
  CHECK(hidden == 70 * 70);
  CHECK(session.lesson().hides({TensorId::weights, {0, 0, 69, 69}}, session.setup()));
}
