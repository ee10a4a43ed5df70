// Questions that are answered in other ways than by a choice or a number, with the mouse alone and with the keyboard
// alone: in the workbench, in a lesson and on a slide.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/state/step_words.hpp"
#include "app/view_table.hpp"
#include "app/views/aloud/aloud.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "legibility.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

const std::string kinds = R"lesson(+++
title = "Kinds"
[setup]
tokens = ["The", "cat", "sat", "down"]
[setup.random]
draws = ["seed 0", "X uniform", "W_q uniform", "W_k uniform", "W_v uniform", "W_o uniform"]
+++
## Finds
```step
cell = "Q_heads[0,1,2,0]"
```
Two heads.
```question
ask = "Which number begins row sat of head 1?"
find = "Q[0]"
hides = ["Q_heads", "K_heads"]
answer = "argmin(abs(Q[0] - Q_heads[0,1,2,0]))"
right = "It begins the second piece."
wrong = { "sat, d1" = "Pieces, not turns.", other = "Another row." }
```
## Orders
```step
cell = "weights[0,0,2,0]"
```
Three numbers.
```question
ask = "Put them in order, the smallest first."
order = ["sixteen", "four", "eight"]
answer = ["2 * d_model", "query_length", "d_model"]
hint = "Count."
right = "Twice as many each time."
wrong = { sixteen = "It has the most.", other = "Not yet." }
```
## Draws
```step
cell = "weights[0,0,2,0]"
```
Softmax.
```question
ask = "Draw the row of sat."
draw = "weights[0,0,2]"
right = "Each point more is e times as much."
wrong = { down = "Not all for down.", other = "Look at the scores." }
```
)lesson";

constexpr double right_cell = 2 * 8 + 4;
const double right_order = guess_of({1, 2, 0});

enum class Where : std::uint8_t { workbench, lesson, slide };

/// Somebody who reads the step in a mode.
struct Reader : Scripted {
  explicit Reader(Where mode, std::size_t step = 0) : Scripted(opened(mode, step), 1280, 720), where(mode) {
    if (mode == Where::slide) press(Key::f5);
  }

  static Session opened(Where mode, std::size_t step) {
    Session session;
    REQUIRE(Lesson(session).open(parse_lecture(kinds, "a.md", "a", lecture_views()), step).empty());
    return mode == Where::lesson ? in_lesson(std::move(session)) : std::move(session);
  }

  AnswerState said() { return session().lesson().answer_state(); }
  bool shows(const std::string& words) {
    const DisplayList drawing = surface.settled_drawing();
    return shows_text(drawing, {0, 0, drawing.width, drawing.height}, words);
  }
  /// Presses Tab until the words show.
  void tab_to(const std::string& words) {
    for (int i = 0; i < 60 && !shows(words); ++i) press(Key::tab);
    REQUIRE(shows(words));
  }
  /// A class on slides guesses before somebody checks; elsewhere a guess is an answer.
  void check() {
    if (where == Where::slide) click_item("question/show");
  }

  /// Whether people who listen are told these words about what the keyboard is on.
  bool hears(const std::string& words) {
    if (const auto said = app.new_words()) heard_ = *said;
    const std::size_t focus = heard_.find("headlight-focus");
    return focus != std::string::npos && heard_.find(words, focus) != std::string::npos;
  }

  Where where;

 private:
  std::string heard_;
};

constexpr Where everywhere[] = {Where::workbench, Where::lesson, Where::slide};

}  // namespace

TEST_CASE("a cell is found with the mouse: its number shows, a click answers, and the picture stays") {
  for (const Where where : everywhere) {
    CAPTURE(static_cast<int>(where));
    Reader reader(where);
    const auto cell = [&](int row, int column) {
      const Rect cells = reader.item("joined/cells");
      return Point{cells.x + cells.w * (static_cast<float>(column) + 0.5f) / 8,
                   cells.y + cells.h * (static_cast<float>(row) + 0.5f) / 4};
    };
    const Selection before = reader.session().selection();
    CHECK(count_cells(reader.surface.settled_drawing(), reader.item("joined/cells")).without_number == 0);
    reader.click(cell(2, 1));
    CHECK((reader.said().missed ? reader.said().missed : reader.said().guess) == 2 * 8 + 1);
    reader.check();
    CHECK(reader.shows("Pieces, not turns."));
    reader.click(cell(2, 4));
    reader.check();
    CHECK(reader.said().shown);
    CHECK(reader.said().guess == right_cell);
    CHECK(reader.shows("sat, d4: "));
    CHECK(reader.session().selection() == before);
    CHECK_FALSE(reader.session().state().pinned);
  }
}

TEST_CASE("a cell is found with the keyboard: arrows go from cell to cell, and Enter takes one") {
  for (const Where where : everywhere) {
    CAPTURE(static_cast<int>(where));
    Reader reader(where);
    reader.tab_to("The, d0");
    for (const Key key : {Key::down, Key::down, Key::down, Key::up, Key::right, Key::right, Key::right, Key::right})
      reader.press(key);
    CHECK(reader.shows("sat, d4"));
    CHECK(reader.session().lesson().at.index == 0);
    CHECK_FALSE(reader.said().guess);
    reader.press(Key::enter);
    CHECK(reader.said().guess == right_cell);
    if (where == Where::slide) reader.press(Key::page_down);
    CHECK(reader.said().shown);
    CHECK(reader.shows("It begins the second piece."));
  }
}

TEST_CASE("no light leads from a hidden cell to the one that is to be found") {
  Reader reader(Where::workbench);
  const auto lit = [&] {
    std::size_t strokes = 0;
    const Rect cells = reader.item("joined/cells");
    for (const Drawn& drawn : reader.surface.settled_drawing().drawn)
      if (const auto* const box = std::get_if<BoxShape>(&drawn.shape))
        strokes += box->width > 0 && cells.outset(12).contains(box->r.center());
    return strokes;
  };
  reader.surface.move_mouse({5, 5});
  const std::size_t before = lit();
  reader.surface.move_mouse(reader.item("1/head/cells").center());
  reader.surface.wait(0.5);
  CHECK(lit() == before);
}

TEST_CASE("a cell to be found is told in words, and so is the guess") {
  Reader reader(Where::slide);
  CHECK(in_words(reader.session()).find("The answer is a cell of the picture.") != std::string::npos);
  Lesson(reader.session()).guess(right_cell);
  CHECK(in_words(reader.session()).find("Your guess: sat, d4") != std::string::npos);
}

TEST_CASE("items are put in order with the mouse: one is dragged to its place, and the others make room") {
  for (const Where where : everywhere) {
    CAPTURE(static_cast<int>(where));
    Reader reader(where, 1);
    const auto item = [&](std::size_t which) { return reader.item(std::to_string(which) + "/item"); };
    const auto drag = [&](std::size_t which, const Rect& to) {
      reader.surface.drag(item(which).center(), to.center());
      reader.surface.settle();
    };
    // From whatever order is offered, to an order that begins with "sixteen".
    const auto placed = [&] { return reader.session().step_words()->question->arrangement; };
    if (placed().front() != 0) drag(0, item(placed().front()));
    else drag(placed()[1], item(placed()[2]));
    REQUIRE(placed().front() == 0);
    REQUIRE(reader.said().guess);
    CHECK_FALSE(reader.said().shown);
    reader.click_item(where == Where::lesson ? "question/check" : "question/show");
    CHECK(reader.shows("It has the most."));
    CHECK(reader.said().missed == guess_of(placed()));
    drag(0, item(placed().back()));
    if (placed() != std::vector<std::size_t>{1, 2, 0}) drag(1, item(2));
    CHECK(reader.said().guess == right_order);
    reader.click_item(where == Where::lesson ? "question/check" : "question/show");
    CHECK(reader.said().shown);
    CHECK(reader.shows("four, eight, sixteen"));
    CHECK(reader.shows("Twice as many each time."));
  }
}

TEST_CASE("items are put in order with the keyboard: arrows move the one that Tab has reached, and Enter checks") {
  for (const Where where : everywhere) {
    CAPTURE(static_cast<int>(where));
    Reader reader(where, 1);
    const auto tab_to_item = [&](const std::string& words) {
      for (int i = 0; i < 60 && !reader.hears("of 3: " + words); ++i) reader.press(Key::tab);
      REQUIRE(reader.hears("of 3: " + words));
    };
    tab_to_item("sixteen");
    for (const Key key : {Key::right, Key::down}) reader.press(key);
    CHECK(reader.hears("3 of 3: sixteen"));
    tab_to_item("four");
    for (const Key key : {Key::left, Key::up}) reader.press(key);
    CHECK(reader.hears("1 of 3: four"));
    CHECK(reader.said().guess == right_order);
    CHECK(reader.session().lesson().at.index == 1);
    CHECK_FALSE(reader.said().shown);
    reader.press(Key::enter);
    CHECK(reader.said().shown);
    CHECK(reader.said().guess == right_order);
  }
}

TEST_CASE("an order is told in words, as it is now") {
  Reader reader(Where::slide, 1);
  Lesson(reader.session()).guess(right_order);
  const std::string said = in_words(reader.session());
  CHECK(said.find("In this order now:") != std::string::npos);
  CHECK(said.find("<li>four</li>") < said.find("<li>eight</li>"));
  CHECK(said.find("<li>eight</li>") < said.find("<li>sixteen</li>"));
}

TEST_CASE("a row is drawn with the mouse: bars are dragged, the others give way, and the true shares are compared") {
  for (const Where where : everywhere) {
    CAPTURE(static_cast<int>(where));
    Reader reader(where, 2);
    const Question question = *reader.session().lesson().question();
    const std::vector<double> row = row_to_draw(question, reader.session().model_trace());
    const double answer = answer_of(question, {reader.session().model_trace()});
    CHECK(reader.session().lesson().hides({TensorId::weights, {0, 0, 2, 1}}, reader.session().setup()));
    const auto draw = [&](std::size_t key, double share) {
      const Rect bar = reader.item(std::to_string(key) + "/bar");
      reader.click({bar.center().x, bar.bottom() - std::clamp(static_cast<float>(share) * bar.h, 1.0f, bar.h - 1)});
    };
    draw(3, 0.5);
    REQUIRE(reader.said().guess);
    const Rect room = reader.item("3/bar");
    const double high = row_of(*reader.said().guess, 4)[3] * static_cast<double>(room.h);
    CHECK(std::ranges::any_of(reader.surface.settled_drawing().drawn, [&](const Drawn& drawn) {
      const auto* const box = std::get_if<BoxShape>(&drawn.shape);
      return box != nullptr && std::abs(box->r.x - room.x) < 1 && std::abs(box->r.w - room.w) < 1 &&
             std::abs(static_cast<double>(box->r.h) - high) < 1.5;
    }));
    draw(3, 1);
    CHECK(row_of(*reader.said().guess, 4)[3] > 0.95);
    CHECK_FALSE(reader.said().shown);
    reader.click_item(where == Where::lesson ? "question/check" : "question/show");
    CHECK(reader.shows("Not close enough"));
    CHECK(reader.shows("Not all for down."));
    for (int round = 0; round < 8 && !is_right(question, reader.said().guess.value_or(0), answer); ++round)
      for (std::size_t key = 0; key < row.size(); ++key) draw(key, row[key]);
    reader.click_item(where == Where::lesson ? "question/check" : "question/show");
    CHECK(reader.said().shown);
    CHECK(is_right(question, *reader.said().guess, answer));
    CHECK_FALSE(reader.shows("Not close enough"));
    CHECK(reader.shows("Each point more is e times as much."));
    CHECK_FALSE(reader.has_item("0/bar"));
    CHECK(reader.shows("The true shares"));
    for (const double share : row) CHECK(reader.shows(fmt::format("{:.0f} %", 100 * share)));
  }
}

TEST_CASE("a row is drawn with the keyboard: arrows change a bar or go to the next, and Enter checks") {
  for (const Where where : everywhere) {
    CAPTURE(static_cast<int>(where));
    Reader reader(where, 2);
    const Question question = *reader.session().lesson().question();
    const std::vector<double> row = row_to_draw(question, reader.session().model_trace());
    for (int i = 0; i < 60 && !reader.hears("The: 2"); ++i) reader.press(Key::tab);
    REQUIRE(reader.hears("The: 2"));
    const auto drawn = [&] { return reader.session().step_words()->question->drawn; };
    for (int round = 0; round < 3; ++round) {
      for (std::size_t key = 0; key < row.size(); ++key) {
        for (int i = 0; i < 50 && std::abs(drawn()[key] - row[key]) > 0.011; ++i)
          reader.press(drawn()[key] < row[key] ? Key::up : Key::down);
        if (key + 1 < row.size()) reader.press(Key::right);
      }
      for (std::size_t key = 1; key < row.size(); ++key) reader.press(Key::left);
    }
    CHECK(reader.hears("The: "));
    CHECK(reader.session().lesson().at.index == 2);
    CHECK_FALSE(reader.said().shown);
    reader.press(Key::enter);
    CHECK(reader.said().shown);
    CHECK_FALSE(reader.said().missed);
  }
}

TEST_CASE("a row is told in words, as it is drawn now") {
  Reader reader(Where::slide, 2);
  Lesson(reader.session()).guess(guess_of_row({0.5, 0.3, 0.2, 0}));
  const std::string said = in_words(reader.session());
  for (const char* words : {"As drawn now:", "The: 50 %", "cat: 30 %", "sat: 20 %", "down: 0 %"})
    CHECK(said.find(words) != std::string::npos);
}

TEST_CASE("a share is found among all heads, also with tokens in columns") {
  for (const bool presenting : {false, true}) {
    Scripted person(in_lesson(lecture_session("udl-12-2", 7)), 1280, 720);
    if (presenting) person.press(Key::f5);
    const Rect cells = person.item("0/cells/cells");
    person.click({cells.x + 5.5f / 6 * cells.w, cells.y + 0.5f / 6 * cells.h});  // query x5, key x0
    CHECK(person.session().lesson().answer_state().guess == 5 * 6 + 0);
    if (presenting) person.click_item("question/show");
    CHECK(person.session().lesson().answer_state().shown);
    CHECK_FALSE(person.session().lesson().answer_state().missed);
  }
}
