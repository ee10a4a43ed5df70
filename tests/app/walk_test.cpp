// Walks through every step of every lecture in the sizes of screens and projectors, in the window and on slides, and
// reads what is drawn: the whole narration and title, the code or the button that shows it, and a number in every cell
// of every matrix that is read number by number. No two controls lie over each other. Only positions are recorded,
// without pixels.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/story/story.hpp"
#include "app/views/tensors/picture_fit.hpp"
#include "core/setup/edits.hpp"
#include "legibility.hpp"
#include "scripted.hpp"
#include "tests/effort.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

struct Screen {
  int width;
  int height;
  float scale = 1;      ///< of the display
  double ui_scale = 1;  ///< as the person chose it
};

constexpr float least_size = 12;  // design pixels; slides draw everything twice as large, and so have 24

/// The steps with code, and those of them that leave it out.
struct Code {
  int steps = 0;
  int left_out = 0;
};

/// Walks one lecture, each step on all screens of one scale: what a step computes and trains is the same on each.
class Walk {
 public:
  Walk(const std::string& lecture, const std::vector<Screen>& screens, bool presenting, ThemeName theme)
      : app_(shown_lecture(lecture, presenting, theme)),
        screens_(screens),
        surface_(app_, screens.front().width, screens.front().height, screens.front().scale),
        code_(screens.size()) {}

  void all_steps() {
    Session& session = app_.session();
    for (std::size_t step = 0; step < session.lesson().step_count(); ++step) {
      Lesson(session).go_to(step);
      for (std::size_t i = 0; i < screens_.size(); ++i) {
        const Screen& screen = screens_[i];
        CAPTURE(screen.width);
        CAPTURE(screen.height);
        CAPTURE(screen.scale);
        CAPTURE(screen.ui_scale);
        session.edit_display([&](Display& d) { d.appearance.scale = screen.ui_scale; });
        surface_.resize(screen.width, screen.height);
        surface_.move_mouse({-100, -100});  // no tooltip where the last screen had a button
        const DisplayList drawing = surface_.settled_drawing(true);
        check(drawing, surface_.items(), code_[i]);
      }
    }
    for (const Code& code : code_) {
      CAPTURE(code.left_out);
      CHECK(3 * code.left_out <= 2 * code.steps);
    }
  }

  /// For each screen.
  const std::vector<Code>& code() const { return code_; }

 private:
  bool presents() const { return app_.session().display().presentation.presenting; }

  /// The step's area: the whole slide, or the window's centre without the column of all heads.
  Rect area_of(const DisplayList& drawing) const {
    const Rect whole{0, 0, drawing.width, drawing.height};
    return presents() ? whole : layout_of(whole, app_.session().display()).centre;
  }

  void check(const DisplayList& drawing, const std::vector<PlacedItem>& items, Code& code) {
    const Session& session = app_.session();
    const Step& step = *session.lesson().step();
    const std::string place = session.lesson().lecture()->id + " step " +
                              std::to_string(session.lesson().at.index + 1) + (presents() ? " presented" : "");
    CAPTURE(place);
    const Rect area = area_of(drawing);
    for (const std::string& complaint : text_complaints(drawing, area, least_size)) FAIL_CHECK(complaint);
    CHECK_MESSAGE(shows_text(drawing, area, step.title), step.title);
    CHECK_MESSAGE(shows_words(drawing, area, *step_story(session).words), step.narration.source);
    if (!step.code.empty()) check_code(drawing, area, code);
    check_numbers(drawing, area, items);
    check_question(drawing, items);
    if (!presents()) check_apart(items);  // a slide's tools come over it with the mouse
  }

  /// No two controls lie over each other, unless one is in the other.
  static void check_apart(const std::vector<PlacedItem>& items) {
    constexpr float hair = 3;
    for (std::size_t i = 0; i < items.size(); ++i)
      for (std::size_t j = i + 1; j < items.size(); ++j) {
        const Rect both = items[i].rect.intersected(items[j].rect);
        const auto is_in = [&](const Rect& r) { return both.w > r.w - hair && both.h > r.h - hair; };
        const bool apart = both.w < hair || both.h < hair || is_in(items[i].rect) || is_in(items[j].rect);
        const bool controls = items[i].tab_stops && items[j].tab_stops;
        CHECK_MESSAGE((apart || !controls), items[i].path << " over " << items[j].path);
      }
  }

  /// The code is there, or a button and a key show it, and hide it again.
  void check_code(const DisplayList& drawing, const Rect& area, Code& counted) {
    const std::string code = shown_story(app_.session()).code;
    ++counted.steps;
    const auto button = surface_.item("step.code");
    CHECK(button.has_value() == app_.memory().get<KeptArrangement>().arrangement.rung.gives(Concession::code));
    if (!button) {
      CHECK_MESSAGE(shows_text(drawing, area, code), "code");
      return;
    }
    ++counted.left_out;
    CHECK(area.contains(button->center()));
    surface_.click(button->center());
    CHECK_MESSAGE(shows_text(surface_.settled_drawing(true), area, code), "code on request");
    surface_.key(Key::y);
    CHECK_FALSE(shows_text(surface_.settled_drawing(true), area, code));
  }

  /// Nothing stands on the edge of the question's card, which is the smallest outline around its button.
  void check_question(const DisplayList& drawing, const std::vector<PlacedItem>& items) {
    const auto show =
        std::ranges::find_if(items, [](const auto& item) { return item.path.ends_with("question/show"); });
    if (show == items.end()) return;
    std::optional<Rect> card;
    for (const Drawn& drawn : drawing.drawn)
      if (const auto* const box = std::get_if<BoxShape>(&drawn.shape);
          box != nullptr && box->width > 0 && box->r.h > show->rect.h + 12 && box->r.contains(show->rect.center()) &&
          (!card || box->r.h < card->h))
        card = box->r;
    REQUIRE(card);
    for (const std::string& complaint : texts_on_edge(drawing, *card)) FAIL_CHECK(complaint);
  }

  /// Whether a picture is small enough to be read number by number. All heads side by side are one picture.
  bool is_read(const CellCount& count) const {
    const Session& session = app_.session();
    const auto heads = session.display().view == View::heads ? static_cast<int>(session.setup().sizes.heads) : 1;
    const auto most = static_cast<int>(most_read);
    return count.rows <= most && count.columns <= most && heads * count.rows * count.columns <= most * most;
  }

  void check_numbers(const DisplayList& drawing, const Rect& area, const std::vector<PlacedItem>& items) {
    int pictures = 0;
    for (const PlacedItem& item : items) {
      const bool is_curve = item.path.ends_with("/curve") || item.path.ends_with("/box");  // a picture without cells
      const bool is_picture = is_curve || item.path.ends_with("/cells");
      if (!is_picture || !area.contains(item.rect.center())) continue;
      ++pictures;
      if (is_curve) continue;
      const CellCount count = count_cells(drawing, item.rect);
      CAPTURE(item.path);
      CAPTURE(count.rows);
      CAPTURE(count.columns);
      if (is_read(count)) CHECK(count.without_number == 0);
      CHECK(count.with_exponent == 0);
    }
    const View view = app_.session().display().view;
    if (view != View::tokens && view != View::write) CHECK_MESSAGE(pictures > 0, "no picture");
  }

  HeadlightApp app_;
  std::vector<Screen> screens_;
  Offscreen surface_;
  std::vector<Code> code_;
};

std::vector<std::string> lecture_ids() {
  Session session;
  Documents().load_lectures(session);
  std::vector<std::string> ids;
  for (const auto& lecture : session.lectures()) ids.push_back(lecture->id);
  return ids;
}

/// The screens have one scale.
void walk(const std::vector<Screen>& screens, bool presenting, ThemeName theme) {
  std::vector<Code> all(screens.size());
  for (const std::string& id : lecture_ids()) {
    Walk lecture(id, screens, presenting, theme);
    lecture.all_steps();
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].steps += lecture.code()[i].steps;
      all[i].left_out += lecture.code()[i].left_out;
    }
  }
  // Code gives way to the picture, and before the type gets smaller, but it is there as a rule.
  for (const Code& code : all) {
    CAPTURE(code.left_out);
    CHECK((presenting ? 3 : 4) * code.left_out <= code.steps);
  }
}

}  // namespace

TEST_CASE("every step of every lecture can be read in the window, on every screen") {
  walk({{1280, 720}, {1440, 900}, {1920, 1080}, {2560, 1440}, {2560, 1440, 1, 2}}, false, ThemeName::dark);
  walk({{1280, 720, 2}}, false, ThemeName::dark);
  if (!is_long_run()) return;  // twice as many pixels give the same picture, but for what they round
  walk({{1440, 900, 2}, {1920, 1080, 2}, {2560, 1440, 2}}, false, ThemeName::dark);
}

TEST_CASE("every step of every lecture can be read on its slide, on every projector") {
  walk({{1280, 720}, {1920, 1080}, {2560, 1440}, {1024, 768}}, true, ThemeName::light);
  walk({{1280, 720, 2}}, true, ThemeName::light);
  if (!is_long_run()) return;  // only positions are read, which no theme changes
  walk({{1440, 900}}, true, ThemeName::light);
  walk({{1280, 720}}, true, ThemeName::dark);
}

TEST_CASE("a layer that learns can be read on a slide, with its answers, and with its curve where rows are few") {
  for (const Screen& screen : {Screen{1280, 720}, Screen{1920, 1080}, Screen{2560, 1440}, Screen{1280, 720, 2}})
    for (const auto& [steps, length] : {std::pair{0, 8}, std::pair{120, 8}, std::pair{120, 4}}) {
      CAPTURE(screen.width);
      CAPTURE(screen.scale);
      CAPTURE(steps);
      CAPTURE(length);
      Setup setup = offered_setup(TaskName::previous);
      setup.sizes.query_length = length;
      setup.training.steps = steps;
      Session session(setup);
      session.set_timed(false);
      session.show(View::learn);
      session.set_display(with_presenting(session.display(), true));
      HeadlightApp app(std::move(session));
      Offscreen surface(app, screen.width, screen.height, screen.scale);
      const DisplayList drawing = surface.settled_drawing(true);
      const Rect whole{0, 0, drawing.width, drawing.height};
      for (const std::string& complaint : text_complaints(drawing, whole, least_size)) FAIL_CHECK(complaint);
      for (const char* words : {"wanted", "answer", "not asked"}) CHECK(shows_text(drawing, whole, words));
      CHECK(shows_text(drawing, whole, "guessing: ln") == (steps > 0 && length == 4));
      const float rows = static_cast<float>(setup.sizes.query_length);
      bool any = false;
      for (const Drawn& drawn : drawing.drawn) {
        if (!std::holds_alternative<CellsShape>(drawn.shape)) continue;
        any = true;
        CHECK(bounds_of(drawn.shape).h >= 16 * rows - 3);
      }
      CHECK(any);
    }
}

TEST_CASE("a power of ten that the numbers of a matrix share is written once, in its title") {
  struct Step {
    const char* lecture;
    std::size_t step;
    const char* title;
  };
  for (const Step& shown : {Step{"valid-lengths", 3, nullptr},  // some 13,000, in cells that have room
                            Step{"shapes", 3, nullptr},         // scores of .7 beside products of 6
                            Step{"learning", 2, "×10⁻³"}}) {    // gradients below 0.01, in cells for "−0.01"
    CAPTURE(shown.lecture);
    HeadlightApp app([&] {
      Session session = lecture_session(shown.lecture);
      Lesson(session).go_to(shown.step);
      if (shown.title) Selecting(session).look_at(gradient_of(TensorId::logits));
      return session;
    }());
    Offscreen surface(app, 1280, 720);
    const DisplayList drawing = surface.settled_drawing(true);
    const Rect centre = layout_of({0, 0, 1280, 720}, app.session().display()).centre;
    if (shown.title) CHECK(shows_text(drawing, centre, shown.title));
    else CHECK_FALSE(shows_text(drawing, centre, "×10"));
  }
}

TEST_CASE("a way back from the loss that is too long keeps its ends, and the tensor that is selected") {
  HeadlightApp app(lecture_session("learning"));
  Selecting(app.session()).select_tensor(gradient_of(TensorId::W_q));
  Offscreen surface(app, 1920, 1080);
  const auto shown = [&] {
    const DisplayList drawing = surface.settled_drawing(true);
    const Rect centre = layout_of({0, 0, drawing.width, drawing.height}, app.session().display()).centre;
    std::vector<bool> found;
    for (const char* words : {"loss→probabilities→logits→", "loss→···→", "dotproducts→Q→Wq→next step"})
      found.push_back(shows_text(drawing, centre, words));
    return found;
  };
  CHECK(shown() == std::vector{true, false, true});
  surface.resize(1280, 720);
  CHECK(shown() == std::vector{false, true, true});
}

TEST_CASE("no picture moves while somebody drags the temperature") {
  for (const bool presenting : {false, true})
    for (const std::size_t step : {std::size_t{5}, std::size_t{6}}) {  // scores and weights
      CAPTURE(presenting);
      CAPTURE(step);
      Session session = lecture_session("numpy-from-scratch", step);
      session.set_timed(false);
      Display display = with_presenting(session.display(), presenting);
      display.words = WordsFold::unfolded;  // a change folds them unless the user wants them
      session.set_display(display);
      HeadlightApp app(std::move(session));
      Offscreen surface(app, 1280, 720);
      const auto pictures = [&] {
        const DisplayList drawing = surface.settled_drawing(true);
        const Rect whole{0, 0, drawing.width, drawing.height};
        const Rect area = presenting ? whole : layout_of(whole, app.session().display()).centre;
        std::vector<Rect> cells;
        for (const PlacedItem& item : surface.items())
          if (item.path.ends_with("/cells") && area.contains(item.rect.center())) cells.push_back(item.rect);
        return cells;
      };
      const std::vector<Rect> before = pictures();
      REQUIRE_FALSE(before.empty());
      for (const double temperature : {0.1, 0.35, 2.0, 10.0, 123.456}) {
        CAPTURE(temperature);
        Setup setup = app.session().setup();
        setup.attention.temperature = temperature;
        REQUIRE(app.session().edit(setup, "temperature").empty());
        app.session().wait();
        CHECK(pictures() == before);
      }
    }
}
