// The picture stays: every step of every lecture, in the window and on its slide, before its answer, with a hint and
// after a first wrong guess, and after the answer, right or wrong. There is always a picture, at least a third as high
// as the window or slide; its cells have room for their digits; and nothing is cut off.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "app/session/lesson.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/story/story.hpp"
#include "app/views/tensors/picture_fit.hpp"
#include "legibility.hpp"
#include "scripted.hpp"
#include "tests/effort.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

constexpr float least_type = 12;

using Size = std::pair<int, int>;

/// One lecture, each of its states in all sizes: what a step computes and trains is the same in each.
class Visit {
 public:
  Visit(const std::string& lecture, std::vector<Size> sizes, bool presenting, ThemeName theme)
      : app_(shown_lecture(lecture, presenting, theme)),
        sizes_(std::move(sizes)),
        surface_(app_, sizes_.front().first, sizes_.front().second, 1) {}

  void all_steps() {
    Session& session = app_.session();
    for (std::size_t step = 0; step < session.lesson().step_count(); ++step) {
      Lesson(session).go_to(step);
      session.wait();
      look("unanswered");
      if (!session.lesson().question()) continue;
      say(session, Said::right);
      look("answered right");
      const double wrong = say(session, Said::wrong);
      look("answered wrong");
      try_once(session, wrong);
      look("missed once, with the hint", true);
    }
  }

 private:
  /// On a slide, where a second try is the mouse's, its words may scroll.
  void look(const std::string& state, bool second_try = false) {
    for (const auto& [width, height] : sizes_) {
      CAPTURE(width);
      surface_.resize(width, height);
      look_here(state, second_try);
    }
  }

  void look_here(const std::string& state, bool second_try) {
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
    // Code yields before the type gets smaller.
    const bool has_code = !step_story(session).code.empty();
    CHECK((!has_code || arrangement.rung.gives(Concession::code) || arrangement.rung.type() == StoryType::large));
    check_code(drawing, area);
    if (second_try && presenting) return;
    check_cells(drawing, area);
    check_words(drawing, area);
  }

  /// The code is there, or the button that shows it.
  void check_code(const DisplayList& drawing, const Rect& area) {
    const std::string code = shown_story(app_.session()).code;
    const auto items = surface_.items();
    const bool has_button = std::ranges::any_of(items, [&](const PlacedItem& item) {
      return (item.path == "step.code" || item.path.ends_with("/step.code")) && area.contains(item.rect.center());
    });
    if (!code.empty() && !has_button) CHECK_MESSAGE(shows_text(drawing, area, code), "code");
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
    // Lines, pictures of their own, and bricks, whose rows stand in the window alone.
    const auto without_cells = {View::tokens, View::picture, View::write};
    if (std::ranges::find(without_cells, session.display().view) == without_cells.end()) CHECK(pictures > 0);
  }

  void check_words(const DisplayList& drawing, const Rect& area) {
    const Session& session = app_.session();
    const auto words = session.step_words();
    for (const std::string& complaint : text_complaints(drawing, area, least_type))
      if (!is_question_in_a_line(complaint)) FAIL_CHECK(complaint);
    CHECK(shows_words(drawing, area, *step_story(session).words));
    if (!words->question) return;
    if (!words->question->shown) {
      CHECK(shows_words(drawing, area, words->question->ask));
      const auto show = surface_.item("question/show");
      REQUIRE(show);
      CHECK(show->bottom() <= area.bottom());
      return;
    }
    CHECK(shows_words(drawing, area, words->question->why));
    const auto again = surface_.item("question/again");
    REQUIRE(again);
    CHECK(again->bottom() <= area.bottom());
  }

  /// An answered question takes a single line where there is no room for more.
  bool is_question_in_a_line(const std::string& complaint) const {
    const auto words = app_.session().step_words();
    const std::size_t end = complaint.find("…\" is shortened");
    if (!words->question || !words->question->shown || end == std::string::npos) return false;
    return app_.memory().get<KeptArrangement>().arrangement.rung.gives(Concession::question) &&
           plain_text(words->question->ask).starts_with(complaint.substr(1, end - 1));
  }

  HeadlightApp app_;
  std::vector<Size> sizes_;
  Offscreen surface_;
};

void visit(bool presenting, ThemeName theme) {
  Session session;
  Documents().load_lectures(session);
  session.edit_display([](Display& display) { display.mode = WindowMode::workbench; });
  std::vector<Size> sizes{{1280, 720}, {1920, 1080}};
  if (is_long_run()) sizes.insert(sizes.begin() + 1, {1440, 900});  // between the smallest and the largest
  for (const auto& lecture : session.lectures()) Visit(lecture->id, sizes, presenting, theme).all_steps();
}

}  // namespace

TEST_CASE("the picture stays in the window, before the answer and after it") {
  visit(false, ThemeName::dark);
  if (is_long_run()) visit(false, ThemeName::light);  // only positions and texts are read, which no theme changes
}

TEST_CASE("the picture stays on a slide, before the answer and after it") {
  visit(true, ThemeName::light);
  if (is_long_run()) visit(true, ThemeName::dark);
}
