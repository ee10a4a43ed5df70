// The picture stays: every step of every lecture, in the window and on its slide, before its answer and after it, right
// or wrong. There is always a picture, at least a third as high as the window or slide; its cells have room for their
// digits; and nothing is cut off.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "app/session/lesson.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/story/story.hpp"
#include "app/views/tensors/picture_fit.hpp"
#include "legibility.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

constexpr float least_size = 12;
/// A step that says more in all can't show everything beside its picture on the smallest slide; the picture stays.
constexpr std::size_t most_said = 440;

enum class Said { nothing, right, wrong };

/// Hides the answer of the step and gives another one. Of the wrong guesses the one about which most is said.
void say(Session& session, Said said) {
  Lesson lesson(session);
  const auto answered = [&](double guess) {
    lesson.ask_again();
    session.wait();
    lesson.guess(guess);
    lesson.show_answer();
    session.wait();
    return plain_text(words_of_step(session)->question->why).size();
  };
  lesson.show_answer();
  session.wait();
  const double right = answer_of(session).value();
  const Question& question = *session.lesson().question();
  double guess = right;
  if (said == Said::wrong && !question.is_chosen()) guess = right + 2 * question.within + 1;
  if (said == Said::wrong && question.is_chosen()) {
    std::size_t most = 0;
    const std::size_t choices = words_of_step(session)->question->choices.size();
    for (std::size_t i = 0; i < choices; ++i) {
      const auto wrong = static_cast<double>(i);
      if (wrong == right) continue;
      if (const std::size_t length = answered(wrong); length >= most) {
        most = length;
        guess = wrong;
      }
    }
  }
  answered(guess);
}

class Visit {
 public:
  Visit(const std::string& lecture, int width, int height, bool presenting, ThemeName theme)
      : app_(session_of(lecture, presenting, theme)), surface_(app_, width, height, 1) {}

  void all_steps() {
    Session& session = app_.session();
    for (std::size_t step = 0; step < session.lesson().step_count(); ++step) {
      Lesson(session).go_to(step);
      session.wait();
      look("unanswered");
      if (!session.lesson().question()) continue;
      say(session, Said::right);
      look("answered right");
      say(session, Said::wrong);
      look("answered wrong");
    }
  }

 private:
  static Session session_of(const std::string& lecture, bool presenting, ThemeName theme) {
    Session session = lecture_session(lecture);
    session.set_timed(false);
    Display display = with_presenting(session.display(), presenting);
    display.appearance.theme = theme;
    session.set_display(display);
    return session;
  }

  void look(const std::string& state) {
    const DisplayList drawing = surface_.settled_drawing(true);
    const Session& session = app_.session();
    const bool presenting = session.display().presentation.presenting;
    const std::string place = session.lesson().lecture()->id + " step " +
                              std::to_string(session.lesson().at.index + 1) + (presenting ? " presented, " : ", ") +
                              state;
    CAPTURE(place);
    const Rect whole{0, 0, drawing.width, drawing.height};
    const Rect area = presenting ? whole : layout_of(whole, session.display()).centre;
    const Arrangement& arrangement = app_.memory().get<KeptArrangement>().arrangement;
    CHECK(arrangement.picture.h >= area.h / 3);
    if (said() > most_said) return;
    check_cells(drawing, area);
    check_words(drawing, area);
  }

  /// How many characters the step says and asks now.
  std::size_t said() const {
    const auto words = words_of_step(app_.session());
    std::size_t count = plain_text(words->narration).size();
    if (words->question) count += plain_text(words->question->ask).size() + plain_text(words->question->why).size();
    return count;
  }

  void check_cells(const DisplayList& drawing, const Rect& area) {
    const Session& session = app_.session();
    int pictures = 0;
    for (const PlacedItem& item : surface_.items()) {
      if (!item.path.ends_with("/cells") || !area.contains(item.rect.center())) continue;
      ++pictures;
      CHECK(item.rect.bottom() <= area.bottom());
      const CellCount count = count_cells(drawing, item.rect);
      const auto most = static_cast<int>(most_read);
      const int heads = session.display().view == View::heads ? static_cast<int>(session.setup().sizes.heads) : 1;
      const bool is_read =
          count.rows <= most && count.columns <= most && heads * count.rows * count.columns <= most * most;
      if (is_read) CHECK_MESSAGE(count.without_number == 0, item.path);
    }
    const bool has_cells = session.display().view != View::tokens && session.display().view != View::picture;
    if (has_cells) CHECK(pictures > 0);
  }

  void check_words(const DisplayList& drawing, const Rect& area) {
    for (const std::string& complaint : text_complaints(drawing, area, least_size)) FAIL_CHECK(complaint);
    const Session& session = app_.session();
    CHECK(shows_text(drawing, area, plain_text(*step_story(session).words)));
    const auto words = words_of_step(session);
    if (!words->question || !words->question->shown) return;
    CHECK(shows_text(drawing, area, plain_text(words->question->why)));
    const auto again = surface_.item("question/again");
    REQUIRE(again);
    CHECK(again->bottom() <= area.bottom());
  }

  HeadlightApp app_;
  Offscreen surface_;
};

void visit(bool presenting, ThemeName theme) {
  Session session;
  Documents().load_lectures(session);
  for (const auto& lecture : session.lectures())
    for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1440, 900}, std::pair{1920, 1080}}) {
      CAPTURE(width);
      Visit(lecture->id, width, height, presenting, theme).all_steps();
    }
}

}  // namespace

TEST_CASE("the picture stays in the window, before the answer and after it") {
  visit(false, ThemeName::dark);
  visit(false, ThemeName::light);
}

TEST_CASE("the picture stays on a slide, before the answer and after it") {
  visit(true, ThemeName::light);
  visit(true, ThemeName::dark);
}
