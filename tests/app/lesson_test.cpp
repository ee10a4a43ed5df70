// A lecture of the course as a lesson: its words, its picture and its question in large type, and nothing else.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/session/actions/actions.hpp"
#include "app/session/selecting.hpp"
#include "app/session/state/step_words.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/model/problem.hpp"
#include "core/setup/edits.hpp"
#include "legibility.hpp"
#include "scripted.hpp"

using namespace headlight;
using headlight::testing::CellCount;
using headlight::testing::in_lesson;
using headlight::testing::lecture_session;
using headlight::testing::Scripted;

namespace {

struct Pupil : Scripted {
  explicit Pupil(std::string_view lecture = "bank", std::size_t step = 0, int wide = 1280, int high = 720)
      : Scripted(in_lesson(lecture_session(lecture, step)), wide, high) {}

  std::string words() {
    std::string all;
    for (const Drawn& drawn : surface.settled_drawing().drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape)) all += text->text + " ";
    return all;
  }
  bool shows(const std::string& some) { return words().find(some) != std::string::npos; }
  AnswerState said() { return session().lesson().answer_state(); }
  bool has_item_below(std::string_view scope) {
    return std::ranges::any_of(surface.items(), [&](const PlacedItem& item) { return item.path.starts_with(scope); });
  }
  float scale() { return static_cast<float>(surface.settled_picture().width) / surface_width(); }
  float surface_width() { return item("lesson/steps").w; }
};

const std::pair<int, int> sizes[] = {{1024, 600}, {1280, 720}, {1366, 768}, {1920, 1080}};

std::vector<std::string> course() {
  Session session;
  Documents().load_lectures(session);
  std::vector<std::string> ids;
  for (const auto& lecture : session.lectures())
    if (lecture->list_position.group == LectureGroup::course) ids.push_back(lecture->id);
  return ids;
}

/// The places of the choice that is right, and of one that is not.
std::pair<std::size_t, std::size_t> right_and_wrong(const Session& session) {
  const auto judged = judged_choices(session.state());
  const auto is_right = [](const JudgedChoice& choice) { return choice.is_right; };
  const auto right = std::ranges::find_if(judged, is_right);
  const auto wrong = std::ranges::find_if_not(judged, is_right);
  return {static_cast<std::size_t>(right - judged.begin()), static_cast<std::size_t>(wrong - judged.begin())};
}

/// The choice that is offered in a place, as a guess.
double choice_in(Session& session, std::size_t place) {
  return static_cast<double>(session.step_words()->question->order.at(place));
}

}  // namespace

TEST_CASE("the buttons of a question are at the same height in each step without code, before and after its answer") {
  Pupil pupil;
  std::optional<float> foot, next;
  for (std::size_t step = 0; step < pupil.session().lesson().step_count(); ++step) {
    Lesson(pupil.session()).go_to(step);
    pupil.session().wait();
    pupil.surface.settle();
    if (pupil.session().lesson().question() == nullptr || !pupil.session().lesson().step()->code.empty()) continue;
    CAPTURE(step);
    const float shown_at = pupil.item("question/show").center().y;
    CHECK(std::abs(shown_at - foot.value_or(shown_at)) < 3);
    foot = foot.value_or(shown_at);
    Lesson(pupil.session()).show_answer();
    pupil.session().wait();
    pupil.surface.settle();
    const float next_at = pupil.item("question/next").center().y;
    CHECK(std::abs(next_at - next.value_or(next_at)) < 3);
    next = next.value_or(next_at);
  }
  REQUIRE(foot);
}

TEST_CASE("a hint can be asked for after a wrong answer, and takes the place of what was said about it") {
  Pupil pupil;
  const auto [right, wrong] = right_and_wrong(pupil.session());
  Lesson(pupil.session()).guess(choice_in(pupil.session(), wrong));
  Lesson(pupil.session()).check_guess();
  pupil.surface.settle();
  CHECK(pupil.has_item("question/hint"));
  CHECK_FALSE(pupil.shows("Compare bank's water"));
  pupil.click_item("question/hint");
  CHECK(pupil.shows("Compare"));
  CHECK_FALSE(pupil.has_item("question/hint"));
}

TEST_CASE("more about a step waits for the answer, covers the picture when it is asked for, and goes with the step") {
  const std::string some = "That makes 2";
  const Chord key{.key = Key::y, .shift = true};
  Pupil pupil("bank", 2);
  CHECK_FALSE(pupil.has_item("lesson/step.more"));
  pupil.press(key);
  CHECK_FALSE(pupil.shows(some));
  Lesson(pupil.session()).show_answer();
  pupil.surface.settle();
  CHECK_FALSE(pupil.shows(some));
  pupil.click_item("lesson/step.more");
  CHECK(pupil.shows(some));
  pupil.press(Key::escape);
  CHECK_FALSE(pupil.shows(some));
  pupil.press(key);
  CHECK(pupil.shows(some));
  pupil.click_item("more over/close");
  CHECK_FALSE(pupil.shows(some));
  pupil.press(key);
  pupil.press(Key::right);
  CHECK(pupil.session().state().over == Over::nothing);
}

TEST_CASE("in a small window more about a step opens below its question") {
  for (const auto& [wide, high] : {std::pair{390, 844}, std::pair{640, 360}}) {
    Pupil pupil("bank", 2, wide, high);
    Lesson(pupil.session()).show_answer();
    pupil.surface.settle();
    CHECK_FALSE(pupil.shows("That makes 2"));
    REQUIRE(pupil.scroll_to("step.more", {40, static_cast<float>(high) / 2, 100, 60}));
    pupil.click_item("step.more");
    for (int i = 0; i < 8; ++i) pupil.surface.wheel(-1);
    CHECK(pupil.shows("That makes 2"));
    CHECK_FALSE(pupil.has_item("more over/close"));
  }
}

TEST_CASE("a link in more about a step works") {
  Pupil pupil("trained", 1);
  Lesson(pupil.session()).show_answer();
  run(*action_named("step.more"), pupil.session());
  pupil.surface.settle();
  const auto links = [&] {
    std::vector<std::string> paths;
    for (const PlacedItem& item : pupil.surface.items())
      if (item.path.starts_with("more over") && item.path.ends_with("link")) paths.push_back(item.path);
    return paths;
  };
  REQUIRE(links().size() == 2);
  pupil.click_item(links().front());
  CHECK(pupil.session().selection().tensor == TensorId::P);
}

TEST_CASE("two sentences at two temperatures say which is which") {
  Pupil pupil("bank", 7);
  CHECK(pupil.shows("temperature 1 "));
  CHECK(pupil.shows("temperature 0.1"));
  Pupil plain("bank", 6);
  CHECK_FALSE(plain.shows("temperature 1"));
}

TEST_CASE("a number that was dragged in one step of the course is the lesson's own in the next") {
  Pupil pupil("bank", 8);
  Setup setup = pupil.session().setup();
  setup.attention.temperature = 5;
  REQUIRE(pupil.session().edit(setup, "temperature").empty());
  pupil.session().wait();
  pupil.press(Key::right);
  CHECK(pupil.session().setup().attention.temperature == 1);
}

TEST_CASE("a lesson is words, picture and question, with at most twelve controls") {
  for (const auto& [wide, high] : sizes) {
    CAPTURE(wide);
    Pupil pupil("bank", 0, wide, high);
    for (const char* scope : {"top bar", "setup", "map", "right", "status"}) CHECK_FALSE(pupil.has_item_below(scope));
    std::size_t controls = 0;
    for (const PlacedItem& item : pupil.surface.items()) controls += item.path.find("centre/") == std::string::npos;
    CHECK(controls <= 12);
    CHECK(pupil.shows("One word, two meanings"));
    CHECK(pupil.shows("Point at any number"));
    CHECK_FALSE(pupil.shows("q2"));
    CHECK_FALSE(pupil.shows("d0"));
    CHECK_FALSE(pupil.shows("\u0394"));
  }
}

TEST_CASE("W opens the workbench and comes back, and nothing else changes") {
  Pupil pupil("bank", 4);
  pupil.session().edit(with_number(pupil.session().setup(), {TensorId::X, {0, 1, 0}}, 3));
  pupil.surface.settle();
  const SessionState before = pupil.session().state();
  pupil.press(Key::w);
  CHECK(pupil.has_item_below("top bar"));
  pupil.press(Key::w);
  CHECK_FALSE(pupil.has_item_below("top bar"));
  CHECK(pupil.session().lesson() == before.lesson);
  CHECK(pupil.session().state().selection == before.selection);
  CHECK(pupil.session().setup() == before.trace->setup);
  pupil.click_item("lesson/workbench");
  CHECK(pupil.has_item_below("top bar"));
  pupil.click_item("top bar/lesson");
  CHECK_FALSE(pupil.has_item_below("top bar"));
}

TEST_CASE("one click on a choice answers: a wrong one keeps the others, the right one shows why") {
  Pupil pupil;
  const auto [right, wrong] = right_and_wrong(pupil.session());
  const auto choice = [](std::size_t i) { return "question/" + std::to_string(i) + "/choice"; };
  const Rect first = pupil.item(choice(0));
  pupil.click_item(choice(wrong));
  CHECK(pupil.said().missed == choice_in(pupil.session(), wrong));
  CHECK_FALSE(pupil.said().shown);
  CHECK(pupil.item(choice(0)) == first);
  CHECK(pupil.shows("One more try"));
  pupil.click_item(choice(right));
  CHECK(pupil.said().shown);
  CHECK(pupil.said().guess == choice_in(pupil.session(), right));
  pupil.press(Key::enter);
  CHECK(pupil.session().lesson().at.index == 1);
}

TEST_CASE("numbers and letters choose, H gives the hint, Tab begins at the question, and Enter goes on") {
  Pupil pupil;
  const auto [right, wrong] = right_and_wrong(pupil.session());
  pupil.press(Key::h);
  CHECK(pupil.said().hint);
  pupil.press(static_cast<Key>(static_cast<int>(Key::digit_1) + static_cast<int>(wrong)));
  CHECK(pupil.said().missed == choice_in(pupil.session(), wrong));
  pupil.press(static_cast<Key>(static_cast<int>(Key::a) + static_cast<int>(right)));
  CHECK(pupil.said().shown);
  Pupil tabbing;
  tabbing.press(Key::tab);
  tabbing.press(Key::enter);
  CHECK((tabbing.said().shown || tabbing.said().missed == choice_in(tabbing.session(), 0)));
}

TEST_CASE("what is said of a step never needs scrolling, before and after its answer, and keeps its size") {
  struct Room {
    int wide, high;
    double scale;
    ThemeName theme;
  };
  const Room rooms[] = {{1366, 768, 1, ThemeName::dark},
                        {1280, 720, 1, ThemeName::light},
                        {1366, 768, 1.5, ThemeName::light},
                        {1280, 720, 1.5, ThemeName::dark}};
  Pupil pupil;
  for (const auto& lecture : pupil.session().lectures()) {
    if (lecture->list_position.group != LectureGroup::course) continue;
    for (std::size_t i = 0; i < lecture->steps.size(); ++i) {
      REQUIRE(Lesson(pupil.session()).open(lecture, i).empty());
      CAPTURE(lecture->id);
      CAPTURE(i + 1);
      std::map<int, TextStyle> titles;  // by the size of the window
      const auto check = [&] {
        for (const Room& room : rooms) {
          if (room.scale > 1 && lecture->id != "bank" && lecture->id != "learning") continue;  // a sample
          CAPTURE(room.wide);
          CAPTURE(room.scale);
          pupil.session().edit_display([&](Display& d) {
            d.appearance.scale = room.scale;
            d.appearance.theme = room.theme;
          });
          pupil.surface.resize(room.wide, room.high);
          pupil.surface.settle();
          for (const PlacedItem& item : pupil.surface.items())
            CHECK_MESSAGE(item.path.find("step " + std::to_string(i) + "/##scrollbar") == std::string::npos, item.path);
          const Rect foot = pupil.item("lesson/back");
          for (const char* name : {"question/show", "question/again", "question/next"})
            if (pupil.has_item(name)) CHECK(pupil.item(name).bottom() <= foot.y);
          const DisplayList drawing = pupil.surface.settled_drawing();
          const float pixels = static_cast<float>(room.wide) / drawing.width;
          for (const Drawn& drawn : drawing.drawn) {
            const auto* const text = std::get_if<TextShape>(&drawn.shape);
            if (text == nullptr || text->script != Script::normal) continue;
            CAPTURE(text->text);
            CHECK(text_size(text->style) * pixels >= 14.99f);
            const int size = static_cast<int>(room.wide * room.scale);
            if (text->text == lecture->steps[i].title)
              CHECK(titles.try_emplace(size, text->style).first->second == text->style);
          }
          const Rect all{0, 0, drawing.width, drawing.height};
          for (const std::string& complaint : headlight::testing::text_complaints(drawing, all, 12))
            if (room.scale == 1) FAIL_CHECK(complaint);
        }
      };
      check();
      if (pupil.session().lesson().question() == nullptr) continue;
      Lesson(pupil.session()).show_hint();
      if (pupil.session().lesson().question()->kind == Question::Kind::choice) {
        Lesson(pupil.session()).guess(static_cast<double>(right_and_wrong(pupil.session()).second));
        Lesson(pupil.session()).check_guess();
      }
      check();
      Lesson(pupil.session()).show_answer();
      check();
    }
  }
}

TEST_CASE("theirs, ours and the difference have numbers in all their cells in a lesson") {
  for (const auto& [wide, high] : {std::pair{1280, 720}, std::pair{1366, 768}, std::pair{1920, 1080}}) {
    Pupil pupil("mistakes", 0, wide, high);
    for (const std::size_t step : {2u, 3u, 8u}) {
      CAPTURE(wide);
      CAPTURE(step + 1);
      Lesson(pupil.session()).go_to(step);
      Lesson(pupil.session()).show_answer();
      const DisplayList drawing = pupil.surface.settled_drawing();
      for (const char* picture : {"yours/cells", "ours/cells", "difference/cells"}) {
        CAPTURE(picture);
        const CellCount count = headlight::testing::count_cells(drawing, pupil.item(picture));
        CHECK(count.rows * count.columns == 16);
        CHECK(count.without_number == 0);
      }
    }
  }
}

TEST_CASE("code that is too wide goes on four letters further right than its statement") {
  Pupil pupil("meaning", 8);
  const DisplayList drawing = pupil.surface.settled_drawing();
  const auto left_of = [&](std::string_view words) {
    for (const Drawn& drawn : drawing.drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape); text && text->text.starts_with(words))
        return text->baseline.x;
    FAIL("not on the screen: " << words);
    return 0.0f;
  };
  const float statement = left_of("dot_products = np.array");
  CHECK(left_of("W_k[:, :5].T,") > statement + 24);
  CHECK(left_of("W_q[:, 5:] @ W_k[:, 5:].T]])") == doctest::Approx(left_of("W_k[:, :5].T,")));
}

TEST_CASE("no type of a lesson is below 15 pixels") {
  Pupil pupil;
  std::vector<float> scales;  // of each size; to measure one takes a picture
  for (const auto& [wide, high] : sizes) {
    pupil.surface.resize(wide, high);
    scales.push_back(pupil.scale());
  }
  for (const auto& lecture : pupil.session().lectures()) {
    if (lecture->list_position.group != LectureGroup::course || lecture->id == "trained") continue;
    for (std::size_t i = 0; i < lecture->steps.size(); ++i) {
      REQUIRE(Lesson(pupil.session()).open(lecture, i).empty());
      CAPTURE(lecture->id);
      CAPTURE(i + 1);
      for (std::size_t size = 0; size < scales.size(); ++size) {
        const auto& [wide, high] = sizes[size];
        const float scale = scales[size];
        CAPTURE(wide);
        pupil.surface.resize(wide, high);
        for (const Drawn& drawn : pupil.surface.settled_drawing().drawn)
          if (const auto* const text = std::get_if<TextShape>(&drawn.shape); text && text->script == Script::normal) {
            CAPTURE(text->text);
            CHECK(text_size(text->style) * scale >= 14.99f);
          }
      }
    }
  }
}

TEST_CASE("the number that is pointed at is said in words below the picture, and a click keeps it") {
  Pupil pupil;
  const Rect cell = pupil.item("feature 0/cells");
  pupil.surface.move_mouse({cell.x + 0.625f * cell.w, cell.center().y});
  pupil.surface.settle();
  CHECK(pupil.words().find("bank") != std::string::npos);
  CHECK(pupil.shows("\u2019s water: 1"));
  CHECK(pupil.shows("X[0,2,0]"));
  pupil.click({cell.x + 0.625f * cell.w, cell.center().y});
  pupil.surface.move_mouse({4, 300});
  pupil.surface.settle();
  CHECK(pupil.shows("\u2019s water: 1"));
  CHECK_FALSE(pupil.has_item("explanation/close"));
  pupil.click_item("lesson/more");
  CHECK(pupil.has_item("explanation/close"));
  pupil.press(Key::escape);
  CHECK_FALSE(pupil.has_item("explanation/close"));
  pupil.press(Key::escape);
  CHECK(pupil.shows("Point at any number"));
}

TEST_CASE("a changed number moves nothing, and the way back to the lesson's numbers comes with it") {
  for (const bool lesson : {true, false}) {
    CAPTURE(lesson);
    Pupil pupil("bank", 4);
    if (!lesson) Lesson(pupil.session()).show_workbench(true);
    pupil.surface.settle();
    const Rect cells = pupil.item("feature 0/cells");
    const char* const reset = lesson ? "lesson/reset" : "centre/reset";
    CHECK_FALSE(pupil.has_item(reset));
    pupil.session().edit(with_number(pupil.session().setup(), {TensorId::X, {0, 1, 0}}, 3));
    pupil.surface.settle();
    CHECK(pupil.item("feature 0/cells") == cells);
    CHECK(pupil.shows(pupil.session().lesson().step()->title));
    pupil.session().edit(with_seed(pupil.session().setup(), 7));
    pupil.surface.settle();
    CHECK(pupil.item("feature 0/cells") == cells);
    REQUIRE(pupil.session().changes().size() > 0);
    pupil.click_item(lesson ? "lesson/reset" : "reset");
    CHECK(pupil.session().changes().empty());
  }
}

TEST_CASE("the first drag of a number moves nothing, while it goes on and afterwards, on any screen") {
  for (const auto& [wide, high] : {std::pair{1280, 720}, std::pair{640, 360}, std::pair{390, 844}}) {
    CAPTURE(wide);
    Pupil pupil("numpy-from-scratch", 0, wide, high);
    const Rect cells = pupil.item("cells");
    const auto places = [&] {
      std::vector<std::pair<std::string, Rect>> found;
      for (const PlacedItem& item : pupil.surface.items())
        if (!item.path.ends_with("reset")) found.emplace_back(item.path, item.rect);
      return found;
    };
    const auto before = places();
    const Point at{cells.x + 0.3f * cells.w, cells.y + 0.3f * cells.h};
    pupil.surface.move_mouse(at);
    pupil.surface.frames(2);
    pupil.surface.press_mouse();
    pupil.surface.frames(60);  // a finger must rest first
    for (int i = 1; i <= 10; ++i) {
      pupil.surface.move_mouse({at.x + 4 * static_cast<float>(i), at.y});
      pupil.surface.frames(1);
    }
    pupil.surface.settle();
    REQUIRE_FALSE(pupil.session().changes().empty());
    const auto holds = [&](const auto& place) { return std::ranges::find(before, place) != before.end(); };
    for (const auto& place : places())
      if (place.first.ends_with("cells")) CHECK(holds(place));
    pupil.surface.release_mouse();
    pupil.surface.settle();
    for (const auto& place : places())
      if (place.first.ends_with("cells") || place.first.ends_with("/on") || place.first.ends_with("/press"))
        CHECK(holds(place));
  }
}

TEST_CASE("a link of several words is one, with the gaps between them") {
  Pupil pupil("bank", 9, 1366, 768);
  const Rect link = pupil.item("0/link");
  pupil.surface.move_mouse({link.x + 3, link.center().y});
  pupil.surface.settle();
  std::size_t lines = 0;
  for (const Drawn& drawn : pupil.surface.settled_drawing().drawn)
    if (const auto* const box = std::get_if<BoxShape>(&drawn.shape)) {
      const bool is_line = box->r.h < 4 && std::abs(box->r.w - link.w) < 2;
      lines += is_line && link.outset(1).contains(box->r.center()) ? 1U : 0U;
    }
  CHECK(lines == 1);  // under all of it
  REQUIRE(pupil.session().setup().tokens.size() == 4);
  pupil.click(link.center());  // between "Add" and "loan"
  CHECK(pupil.session().setup().tokens.size() == 5);
}

TEST_CASE("pictures stay whole beside their words in a low and narrow window") {
  const Rect picture{345, 66, 295, 294};
  REQUIRE(course().size() >= 12);
  for (const std::string& lecture : course()) {
    Pupil pupil(lecture, 0, 640, 360);
    for (std::size_t step = 0; step < pupil.session().lesson().step_count(); ++step) {
      Lesson(pupil.session()).go_to(step);
      for (const bool answered : {false, true}) {
        if (answered && !pupil.session().lesson().asks()) continue;
        if (answered) Lesson(pupil.session()).show_answer();
        CAPTURE(lecture);
        CAPTURE(step + 1);
        CAPTURE(answered);
        pupil.session().wait();
        pupil.surface.wait(2);
        for (const std::string& complaint : testing::text_complaints(pupil.surface.settled_drawing(), picture, 14.9f))
          FAIL_CHECK(complaint);
      }
    }
  }
}

TEST_CASE("heads that are compared are as large as a phone allows") {
  for (const std::size_t step : std::array<std::size_t, 2>{2, 11}) {
    CAPTURE(step + 1);
    Pupil pupil("trained", step, 640, 360);
    const auto sides = [&] {
      std::vector<float> found;
      for (const PlacedItem& item : pupil.surface.items())
        if (item.path.ends_with("/head")) found.push_back(item.rect.h);
      return found;
    };
    REQUIRE(sides().size() == 4);
    for (const float side : sides()) CHECK(side > 100);
  }
}

TEST_CASE("a step opens the parts of the workbench that its words need") {
  const std::string text = R"(+++
title = "Parts"
group = "course"
[setup]
tokens = ["a", "b", "c"]
sizes = { query_length = 3, d_model = 4, heads = 1 }
+++

## Nothing

Words.

## The mask

```step
cell = "masked_scores[0,0,1,0]"
shows = ["map", "setup:mask", "inspector"]
```

Words.
)";
  Session session;
  REQUIRE(Lesson(session).open(parse_lecture(text, "a.md", "a", lecture_views())).empty());
  CHECK(session.lesson().lecture()->steps[1].shows.setup == std::vector<std::string>{"mask"});
  Scripted person(in_lesson(std::move(session)), 1366, 768);
  const auto has = [&](std::string_view scope) {
    return std::ranges::any_of(person.surface.items(),
                               [&](const PlacedItem& item) { return item.path.find(scope) != std::string::npos; });
  };
  CHECK_FALSE(has("setup scroll"));
  Lesson(person.session()).go_to(1);
  person.surface.settle();
  CHECK(has("setup scroll"));
  CHECK_THROWS_WITH_AS(
      parse_lecture(text.substr(0, text.find("\"map\"")) + "\"maps\"" + text.substr(text.find("\"map\"") + 5), "a.md",
                    "a", lecture_views()),
      doctest::Contains("setup:mask"), InputError);
}

TEST_CASE("an inspector that a step opens says where its number comes from, whole, and nothing else") {
  for (const auto& [lecture, step] : {std::pair{"numpy-from-scratch", 3}, std::pair{"two-layers", 5}})
    for (const auto& [wide, high] : {std::pair{1280, 720}, std::pair{1366, 768}}) {
      CAPTURE(lecture);
      CAPTURE(wide);
      Pupil pupil(lecture, static_cast<std::size_t>(step), wide, high);
      pupil.session().wait();
      pupil.surface.settle();
      CHECK(pupil.shows("Where it comes from"));
      CHECK_FALSE(pupil.shows("Where it goes"));
      const Rect below{0, 120, 0.34f * static_cast<float>(wide), static_cast<float>(high) - 200};
      for (const std::string& complaint : testing::text_complaints(pupil.surface.settled_drawing(), below, 12))
        FAIL_CHECK(complaint);
    }
}

TEST_CASE("a click on a number of the blend says why: words, shares and sum, a level, and what if") {
  for (const auto& [wide, high] : sizes) {
    CAPTURE(wide);
    Pupil pupil("bank", 4, wide, high);
    Lesson(pupil.session()).show_answer();
    pupil.surface.settle();
    pupil.click_item("context[0,0,2,0]");
    CHECK(pupil.shows("Why 1.46?"));
    for (const char* number : {"0.009", "0.464", "0.063", "0.929", "1.456"}) CHECK(pupil.shows(number));
    CHECK(pupil.shows("surplus fills up the others"));
    const float scale = pupil.scale();
    const DisplayList drawing = pupil.surface.settled_drawing();
    for (const Drawn& drawn : drawing.drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape); text && text->script == Script::normal) {
        CAPTURE(text->text);
        CHECK(text_size(text->style) * scale >= 14.99f);
        CHECK(text->baseline.x >= 0);
        CHECK(text->baseline.x + text->width <= drawing.width);
        CHECK(text->baseline.y <= drawing.height);
      }
    const Rect border = pupil.item("1/border");
    pupil.surface.drag(border.center(), {border.center().x + 40, border.center().y});
    pupil.surface.settle();
    CHECK(pupil.shows("was 1.46"));
    CHECK(pupil.session().changes().empty());  // it is only tried
    pupil.press(Key::backspace);
    CHECK_FALSE(pupil.shows("was 1.46"));
    pupil.press(Key::escape);
    CHECK_FALSE(pupil.shows("Why 1.46?"));
    CHECK(pupil.shows("Point at any number"));
  }
}

TEST_CASE("a number of the blend that is asked about is not explained") {
  Pupil pupil("bank", 4);
  Selecting(pupil.session()).pin({TensorId::context, {0, 0, 2, 0}});
  pupil.surface.settle();
  CHECK_FALSE(pupil.shows("Why "));
}
