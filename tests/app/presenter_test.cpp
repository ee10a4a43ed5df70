// The presenter's window beside the slides of the class, and the pen.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "app/figures/draw_figure.hpp"
#include "app/figures/fitted_surface.hpp"
#include "app/platform/pictures/image.hpp"
#include "app/presenter/presenter_app.hpp"
#include "app/session/selecting.hpp"
#include "app/views/presenter/presenter_view.hpp"
#include "app/views/window/present_view.hpp"
#include "core/model/problem.hpp"
#include "picture.hpp"
#include "scripted.hpp"
#include "talk.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// The class's window and the presenter's, which share a session.
struct Speaker : Scripted {
  explicit Speaker(std::size_t step = 0, int width = 1440)
      : Scripted(talking(step), 1280, 720), presenter(opened(app), width, 900) {
    presenter.settle();
    surface.settle();
  }
  static App& opened(HeadlightApp& app) {
    headlight::run(*action_named("presenter"), app.session());
    return *app.second();
  }
  const Presentation& stage() { return session().display().presentation; }
  std::size_t step() { return session().lesson().at.index; }
  bool answered() { return session().lesson().answer_state().shown; }
  void click_presenter(std::string_view path) {
    const auto found = presenter.item(path);
    REQUIRE_MESSAGE(found, path);
    presenter.click(found->center());
    presenter.settle();
    surface.settle();
  }
  void draw(Point from, Point to) {
    surface.drag(from, to, 12);
    surface.settle();
  }

  Offscreen presenter;
};

constexpr Chord ctrl_f5{.key = Key::f5, .ctrl = true};

/// What is said of the controls that Tab goes through.
std::set<std::string> heard(Offscreen& surface) {
  std::set<std::string> all;
  for (std::size_t i = 0; i < surface.tab_stops(); ++i) {
    surface.key(Key::tab);
    surface.settle();
    all.insert(surface.said());
  }
  return all;
}

}  // namespace

TEST_CASE("a key opens the presenter's window and presents; closing it does not end the talk") {
  Scripted person(talking());
  CHECK(person.app.second() == nullptr);
  person.press(ctrl_f5);
  CHECK(person.session().display().presentation.presenting);
  REQUIRE(person.app.second() != nullptr);
  Offscreen presenter(*person.app.second(), 1440, 900);
  presenter.close();
  CHECK(person.app.second() == nullptr);
  CHECK(person.session().display().presentation.presenting);
  person.press(ctrl_f5);
  CHECK(person.app.second() != nullptr);
  person.press(Key::f5);
  CHECK(person.app.second() == nullptr);
  person.press(Key::f5);  // with one monitor it opens on request only
  CHECK(person.session().display().presentation.presenting);
  CHECK(person.app.second() == nullptr);
}

TEST_CASE("the buttons of the presenter's window do what the keys do") {
  Speaker speaker(1);
  speaker.click_presenter("next");
  CHECK(speaker.answered());
  CHECK(speaker.step() == 1);
  speaker.click_presenter("next");
  CHECK(speaker.step() == 2);
  speaker.click_presenter("next");  // the last step: nothing follows
  CHECK(speaker.step() == 2);
  speaker.click_presenter("back");
  CHECK(speaker.step() == 1);
  speaker.click_presenter("pace/0/step");
  CHECK(speaker.step() == 0);
  speaker.click_presenter("black");
  CHECK(speaker.stage().black);
  speaker.click_presenter("black");
  CHECK_FALSE(speaker.stage().black);
  speaker.click_presenter("pens/blue");
  CHECK(speaker.stage().pen);
  CHECK(speaker.stage().pen_colour == PenColour::blue);
  speaker.click_presenter("pointer");
  CHECK(speaker.stage().pointer_circle);
  CHECK_FALSE(speaker.stage().pen);
  speaker.click_presenter("pen");
  CHECK(speaker.stage().pen);
  CHECK_FALSE(speaker.stage().pointer_circle);
  speaker.click_presenter("larger");
  CHECK(speaker.session().display().appearance.notes_size == NotesSize::large);
  speaker.click_presenter("smaller");
  speaker.click_presenter("smaller");
  CHECK(speaker.session().display().appearance.notes_size == NotesSize::small);
  speaker.click_presenter("close");
  CHECK(speaker.app.second() == nullptr);
  CHECK(speaker.stage().presenting);
}

TEST_CASE("the presenter's window is worked with the keyboard alone") {
  Speaker speaker;
  for (int i = 0; i < 20 && speaker.step() == 0; ++i) {
    speaker.presenter.key(Key::tab);
    if (const auto next = speaker.presenter.item("next"); !next) FAIL("no button");
    if (i < 8) continue;  // time, close, four tools and three pens come first
    speaker.presenter.key(Key::enter);
    speaker.presenter.settle();
  }
  CHECK(speaker.stage().presenting);
  CHECK(speaker.app.second() != nullptr);
}

TEST_CASE("the next slide is what the next press shows") {
  for (const std::size_t step : {0U, 1U}) {
    CAPTURE(step);
    Speaker speaker(step);
    const Image window = speaker.presenter.settled_picture();
    const PresenterSlides slides = presenter_slides({0, 0, 1440, 900}, 16.0f / 9, speaker.session());
    const auto part = [&](const Rect& r) {
      return window.cropped(static_cast<int>(r.x), static_cast<int>(r.y), static_cast<int>(r.w), static_cast<int>(r.h));
    };
    Figure slide;
    slide.what = ExportWhat::window;
    const auto drawn = [&](const Rect& r) {
      slide.size = PageSize{r.w, r.h, LengthUnit::pixels};
      return draw_pixels(speaker.session(), slide).cropped(0, 0, static_cast<int>(r.w), static_cast<int>(r.h));
    };
    CHECK(complaint(part(slides.now), drawn(slides.now)) == "");
    CHECK(complaint(part(slides.next), drawn(slides.next)) != "");
    run(*action_named("present.next"), speaker.session());
    CHECK(complaint(part(slides.next), drawn(slides.next)) == "");
  }
}

TEST_CASE("an answer changes the next slide at once, without waiting for rest") {
  Speaker speaker(1);
  const Rect next = presenter_slides({0, 0, 1440, 900}, 16.0f / 9, speaker.session()).next;
  const auto slide = [&](const Image& window) {
    return window.cropped(static_cast<int>(next.x), static_cast<int>(next.y), static_cast<int>(next.w),
                          static_cast<int>(next.h));
  };
  const Image before = slide(speaker.presenter.settled_picture());
  run(*action_named("present.next"), speaker.session());
  speaker.presenter.frames(3);
  const Image early = slide(speaker.presenter.picture());
  CHECK(complaint(early, before) != "");
  CHECK(complaint(early, slide(speaker.presenter.settled_picture())) == "");
}

TEST_CASE("trying the next press changes nothing, and hides nothing from the class") {
  Session session = talking(1);
  run(*action_named("presenter"), session);
  const SessionState before = session.state();
  Session ahead = session.twin();
  CHECK(ahead.state() == before);
  REQUIRE(run(*action_named("present.next"), ahead));
  CHECK(ahead.lesson().answer_state().shown);
  CHECK(session.state() == before);
  const std::vector<JudgedChoice> judged = judged_choices(ahead.state());
  REQUIRE(judged.size() == 4);
  CHECK(std::ranges::count_if(judged, &JudgedChoice::is_right) == 1);
  CHECK(std::ranges::count(judged, "at itself", &JudgedChoice::label) == 1);
  for (const JudgedChoice& choice : judged) CHECK_FALSE(choice.why.empty());
}

TEST_CASE("the talk's time begins with presenting, and the question's with its step") {
  Session session = talking();
  TalkWatch watch;
  watch.follow(session, 100);
  CHECK(watch.at(130).elapsed == 0);
  session.set_display(with_presenting(session.display(), true));
  watch.follow(session, 200);
  CHECK(watch.at(260).elapsed == 60);
  CHECK_FALSE(watch.at(260).asked_for);
  Lesson(session).go_to(1);
  watch.follow(session, 300);
  watch.follow(session, 320);
  CHECK(watch.at(340).asked_for == 40);
  Lesson(session).show_answer();
  watch.follow(session, 350);
  CHECK_FALSE(watch.at(360).asked_for);
  watch.restart(400);
  CHECK(watch.at(401).elapsed == 1);
  session.set_display(with_presenting(session.display(), false));
  watch.follow(session, 500);
  session.set_display(with_presenting(session.display(), true));
  watch.follow(session, 600);
  CHECK(watch.at(601).elapsed == 1);
  CHECK(minutes_and_seconds(0.9) == "0:00");
  CHECK(minutes_and_seconds(1000) == "16:40");
  CHECK(minutes_and_seconds(3723) == "1:02:03");
}

TEST_CASE("while nothing happens, the clock asks for a frame a second, and the class's window for none") {
  Speaker speaker;
  speaker.surface.wait(1);
  CHECK(std::isinf(speaker.surface.next_frame_in()));
  int at_once = 0;
  for (int frame = 0; frame < 120; ++frame) {
    speaker.presenter.frames();
    CHECK(speaker.presenter.next_frame_in() < 1.1);
    at_once += speaker.presenter.next_frame_in() < 1.0 / 60 ? 1 : 0;
  }
  CHECK(at_once <= 6);  // at the ends of two seconds
}

TEST_CASE("the pen draws on the slide and reaches nothing under it; the ink goes away with the step") {
  Scripted person(talking(1), 1280, 720);
  person.press(Key::f5);
  person.surface.move_mouse({300, 200});
  person.press(Key::p);
  REQUIRE(person.session().display().presentation.pen);
  const DisplayList slide = person.surface.settled_drawing();
  CHECK(std::ranges::any_of(slide.drawn, [](const Drawn& drawn) {  // the point of the pen
    const auto* const circle = std::get_if<CircleShape>(&drawn.shape);
    return circle != nullptr && circle->center == Point{300, 200};
  }));
  const Selection before = person.session().selection();
  person.surface.drag({200, 180}, {420, 260}, 12);
  person.surface.settle();
  REQUIRE(person.session().state().ink.size() == 1);
  CHECK(person.session().state().ink[0].points.size() > 8);
  CHECK(person.session().state().ink[0].colour == PenColour::red);
  CHECK(person.session().selection() == before);
  CHECK_FALSE(person.session().state().hovered);
  const auto red_pixels = [](const Image& image) {
    int count = 0;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) count += image.at(x, y) == Color{0xC8, 0x10, 0x2E, 255} ? 1 : 0;
    return count;
  };
  person.press({.key = Key::p, .shift = true});
  CHECK(person.session().display().presentation.pen_colour == PenColour::ink);
  CHECK(red_pixels(person.surface.settled_picture()) > 400);
  person.press(Key::escape);  // puts the pen away
  CHECK(person.session().display().presentation.presenting);
  CHECK_FALSE(person.session().display().presentation.pen);
  CHECK(red_pixels(person.surface.settled_picture()) > 400);
  person.press(Key::page_down);  // the answer: the same slide
  CHECK(person.session().state().ink.size() == 1);
  person.press(Key::page_down);
  CHECK(person.session().lesson().at.index == 2);
  CHECK(person.session().state().ink.empty());
  person.press(Key::page_up);
  CHECK(person.session().state().ink.empty());
  CHECK(red_pixels(person.surface.settled_picture()) == 0);
}

TEST_CASE("near its corner a slide offers the pen and the presenter's window to the mouse") {
  Scripted person(talking(1), 1280, 720);
  person.press(Key::f5);
  const auto choose = [&](std::string_view tool) {
    person.surface.move_mouse({slide_size.x - 4, 4});
    person.surface.settle();
    person.click_item(tool);
  };
  choose("pen");
  CHECK(person.session().display().presentation.pen);
  person.surface.drag({200, 180}, {420, 260}, 12);
  CHECK(person.session().state().ink.size() == 1);
  choose("wipe");
  CHECK(person.session().state().ink.empty());
  choose("pen");
  CHECK_FALSE(person.session().display().presentation.pen);
  choose("presenter");
  CHECK(person.app.second() != nullptr);
  choose("leave");
  CHECK_FALSE(person.session().display().presentation.presenting);
}

TEST_CASE("the keyboard reaches the tools of a slide, and each is said with its name, what it is and its state") {
  Scripted person(talking(1), 1280, 720);
  person.press(Key::f5);
  std::set<std::string> said = heard(person.surface);
  for (const char* const words :
       {"Stop presenting, button", "Presenter's window, button", "Draw with the pointer, button, off"})
    CHECK_MESSAGE(said.contains(words), words);
  while (person.surface.said() != "Draw with the pointer, button, off") person.press(Key::tab);
  person.press(Key::enter);
  CHECK(person.session().display().presentation.pen);
  person.surface.drag({200, 180}, {420, 260}, 12);
  said = heard(person.surface);
  for (const char* const words : {"Draw with the pointer, button, on", "Erase the drawing, button"})
    CHECK_MESSAGE(said.contains(words), words);
}

TEST_CASE("every tool of the presenter's window is said with its name, what it is and its state") {
  Speaker speaker(1);
  speaker.click_presenter("blue");
  const std::set<std::string> said = heard(speaker.presenter);
  CHECK_FALSE(said.contains(""));
  for (const char* const words :
       {"Presenting: draw with the pointer, button, on", "Presenting: circle around the pointer, button, off",
        "Presenting: black screen on or off, button, off", "Blue pen, button, on", "Red pen, button, off",
        "Previous step, button"})
    CHECK_MESSAGE(said.contains(words), words);
}

TEST_CASE("the pen's ink is wiped by a key, and ends with the talk") {
  Speaker speaker;
  speaker.click_presenter("pen");
  speaker.draw({100, 100}, {300, 150});
  speaker.draw({100, 150}, {300, 200});
  CHECK(speaker.session().state().ink.size() == 2);
  speaker.click_presenter("wipe");
  CHECK(speaker.session().state().ink.empty());
  speaker.draw({100, 100}, {300, 150});
  speaker.press(Key::e);
  CHECK(speaker.session().state().ink.empty());
  speaker.draw({100, 100}, {300, 150});
  speaker.press(Key::f5);
  CHECK(speaker.session().state().ink.empty());
}

TEST_CASE("the presenter's window at its sizes") {
  for (const Point size : {Point{640, 400}, Point{1024, 600}, Point{1280, 720}, Point{1920, 1080}, Point{900, 1200}}) {
    CAPTURE(size.x);
    for (const float aspect : {16.0f / 9, 4.0f / 3, 0.7f}) {
      const Rect surface{0, 0, size.x, size.y};
      const PresenterSlides slides = presenter_slides(surface, aspect, talking(1));
      for (const Rect& slide : {slides.now, slides.next}) {
        CHECK(slide.intersected(surface) == slide);
        CHECK(slide.w >= 40);
        CHECK(slide.w / slide.h == doctest::Approx(aspect).epsilon(0.05));
      }
      CHECK(slides.now.intersected(slides.next).empty());
    }
  }
}

TEST_CASE("the words above the slides of the presenter's window stand beside each other") {
  for (const int width : {800, 1000, 1440}) {
    CAPTURE(width);
    Speaker speaker(1, width);
    const DisplayList drawing = speaker.presenter.settled_drawing();
    std::vector<TextShape> texts;
    for (const Drawn& drawn : drawing.drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape)) texts.push_back(*text);
    const auto title = std::ranges::find(texts, "The next press", &TextShape::text);
    REQUIRE(title != texts.end());
    const float baseline = title->baseline.y;
    std::erase_if(texts, [&](const TextShape& text) { return text.baseline.y != baseline; });
    std::ranges::sort(texts, {}, [](const TextShape& text) { return text.baseline.x; });
    CHECK(texts.size() > 2);
    for (std::size_t i = 1; i < texts.size(); ++i) {
      CAPTURE(texts[i].text);
      CHECK(texts[i - 1].baseline.x + texts[i - 1].width <= texts[i].baseline.x);
    }
  }
}

TEST_CASE("of many choices the presenter's window shows the right one first") {
  Session session = lecture_session("trained", 4);
  session.set_timed(false);
  Figure figure;
  figure.what = ExportWhat::presenter;
  float right = 0;
  float first_wrong = 1e9f;
  for (const Drawn& drawn : FittedSurface(session, figure).shapes().drawn) {
    const auto* const text = std::get_if<TextShape>(&drawn.shape);
    if (text == nullptr) continue;
    if (text->style == TextStyle::body_strong && text->text == "street") right = text->baseline.y;
    if (text->style == TextStyle::body && text->text == "animal") first_wrong = text->baseline.y;
  }
  CHECK(right > 0);
  CHECK(right < first_wrong);
}
