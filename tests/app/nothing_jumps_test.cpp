// Nothing jumps: every step of every lecture, as a lesson, on a phone and in the workbench. The pictures stay where
// they are while numbers change, and from a question over its hint and a wrong guess to its answer.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "app/session/display/display.hpp"
#include "app/session/lesson.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/play/play.hpp"
#include "core/setup/edits.hpp"
#include "scripted.hpp"
#include "tests/effort.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// The parts of a picture, by their paths.
using Places = std::vector<std::pair<std::string, Rect>>;

struct WatchedScreen {
  int width;
  int height;
  WindowMode mode;
};
constexpr WatchedScreen in_lesson_window{1280, 720, WindowMode::lesson}, on_phone{390, 844, WindowMode::lesson},
    in_workbench_window{1280, 720, WindowMode::workbench};

/// One lecture on one screen.
class Watch {
 public:
  Watch(const std::string& lecture, const WatchedScreen& screen)
      : app_(in_mode(shown_lecture(lecture, false), screen.mode)), surface_(app_, screen.width, screen.height, 1) {}

  Session& session() { return app_.session(); }

  bool go_to(std::size_t step) {
    Lesson(session()).go_to(step);
    session().wait();
    return session().lesson().question() != nullptr;
  }

  /// Begins to play with the temperature; whether that can be played with.
  bool play() {
    session().request(PlayWith{"attention.temperature"});
    surface_.settle();
    std::optional<Play>& play = app_.memory().get<PlayMemory>().play;
    if (play) play->sweeping = true;
    return play.has_value();
  }
  /// Where the parts are some time later, in the midst of motion.
  Places places_after(double seconds) {
    surface_.wait(seconds);
    return places_in(surface_.drawing(true));
  }
  void end_play() { app_.memory().get<PlayMemory>().play.reset(); }

  Places places() { return places_in(surface_.settled_drawing(true)); }

  Places places_in(const DisplayList& drawing) {
    const Rect whole{0, 0, drawing.width, drawing.height};
    const bool is_lesson = session().display().mode == WindowMode::lesson;
    const Rect area = is_lesson ? whole : layout_of(whole, session().display()).centre;
    Places places;
    for (const PlacedItem& item : surface_.items()) {
      const bool is_picture =
          item.path.ends_with("/cells") || item.path.ends_with("/curve") || item.path.ends_with("/box");
      if (is_picture && area.contains(item.rect.center())) places.emplace_back(item.path, item.rect);
    }
    return places;
  }

  /// Asks the question again, with its hint, and answers it wrongly for the first time.
  Places tried(double wrong) {
    try_once(session(), wrong);
    return places();
  }
  Places answered(double guess) {
    Lesson said(session());
    said.ask_again();
    session().wait();
    said.guess(guess);
    said.show_answer();
    session().wait();
    return places();
  }
  Places asked() {
    Lesson(session()).ask_again();
    session().wait();
    return places();
  }

 private:
  HeadlightApp app_;
  Offscreen surface_;
};

template <class Visit>
void each_step(const WatchedScreen& screen, const Visit& visit) {
  Session all;
  Documents().load_lectures(all);
  for (const auto& lecture : all.lectures()) {
    CAPTURE(lecture->id);
    Watch watch(lecture->id, screen);
    for (std::size_t step = 0; step < lecture->steps.size(); ++step) {
      CAPTURE(step + 1);
      const bool asks = watch.go_to(step);
      visit(watch, asks);
    }
  }
}

}  // namespace

TEST_CASE("in a lesson no picture moves until the answer, and then only where that shows another setup") {
  for (const WatchedScreen& screen : {in_lesson_window, on_phone}) {
    CAPTURE(screen.width);
    each_step(screen, [&](Watch& watch, bool asks) {
      if (!asks) return;
      const double right = say(watch.session(), Said::right), wrong = say(watch.session(), Said::wrong);
      const Places before = watch.asked();
      CHECK(watch.tried(wrong) == before);
      const bool is_page =
          screen.width == in_lesson_window.width;  // a column scrolls to the answer, and has waited with the blend
      if (is_page && watch.session().lesson().question()->set.empty()) CHECK(watch.answered(right) == before);
    });
  }
}

TEST_CASE("in the workbench three of five pictures stay where they are at a second try, and two at the answer") {
  int questions = 0, moved_at_try = 0, moved_at_answer = 0;
  each_step(in_workbench_window, [&](Watch& watch, bool asks) {
    if (!asks) return;
    const double right = say(watch.session(), Said::right), wrong = say(watch.session(), Said::wrong);
    const Places before = watch.asked();
    ++questions;
    moved_at_try += watch.tried(wrong) != before;
    moved_at_answer += watch.answered(right) != before;
  });
  CAPTURE(questions);
  CAPTURE(moved_at_try);
  CAPTURE(moved_at_answer);
  CHECK(5 * moved_at_try < 2 * questions);
  CHECK(5 * moved_at_answer < 3 * questions);
}

TEST_CASE("no picture moves while only numbers change") {
  for (const WatchedScreen& screen : {in_lesson_window, in_workbench_window}) {
    CAPTURE(static_cast<int>(screen.mode));
    each_step(screen, [](Watch& watch, bool) {
      Session& session = watch.session();
      session.edit_display([](Display& d) { d.words = WordsFold::unfolded; });  // a change folds them otherwise
      const Places before = watch.places();
      Setup other = with_seed(session.setup(), 12345);
      other.attention.temperature *= 1.7;
      if (!session.edit(other).empty()) return;
      session.wait();
      CHECK(watch.places() == before);
    });
  }
}

TEST_CASE("no picture moves while a number is played") {
  constexpr std::size_t each = 4;  // every fourth step
  for (const WatchedScreen& screen : {in_lesson_window, in_workbench_window}) {
    CAPTURE(static_cast<int>(screen.mode));
    std::size_t step = 0, played = 0;
    double coolest = 10, warmest = 0;
    each_step(screen, [&](Watch& watch, bool) {
      if (step++ % each != 0 && !is_long_run()) return;
      watch.session().edit_display([](Display& d) { d.words = WordsFold::unfolded; });  // a change folds them otherwise
      if (!watch.play()) return;
      ++played;
      const Places before = watch.places_after(0.1);
      for (const double seconds : {0.2, 0.5}) {
        CHECK(watch.places_after(seconds) == before);
        coolest = std::min(coolest, watch.session().setup().attention.temperature);
        warmest = std::max(warmest, watch.session().setup().attention.temperature);
      }
      watch.end_play();
    });
    CHECK(played > 30);
    CHECK(warmest > 1.2 * coolest);
  }
}
