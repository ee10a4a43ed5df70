// Compares whole views with golden pictures; HEADLIGHT_UPDATE_GOLDEN=1 in the environment writes them again.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "app/figures/draw_figure.hpp"
#include "app/session/checking.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/trainer.hpp"
#include "core/setup/edits.hpp"
#include "learner.hpp"
#include "picture.hpp"
#include "pictured_step.hpp"
#include "scripted.hpp"
#include "talk.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

struct Scene {
  const char* picture;
  const char* lecture;
  View view;
  TensorId tensor;
  Index batch = 0;
  ThemeName theme = ThemeName::dark;
  double scale = 1;
  bool causal = false;
  bool painting = false;
};

constexpr Scene scenes[] = {
    {"view-input", "numpy-from-scratch", View::pipeline, TensorId::X},
    {"view-projection", "numpy-from-scratch", View::pipeline, TensorId::Q},
    {"view-split", "numpy-from-scratch", View::pipeline, TensorId::K_heads},
    {"view-dot-products", "numpy-from-scratch", View::pipeline, TensorId::dot_products},
    {"view-scale", "numpy-from-scratch", View::pipeline, TensorId::scores},
    {"view-mask", "numpy-from-scratch", View::pipeline, TensorId::masked_scores, 0, ThemeName::dark, 1, true, true},
    {"view-softmax", "numpy-from-scratch", View::pipeline, TensorId::weights, 0, ThemeName::dark, 1, true},
    {"view-context", "numpy-from-scratch", View::pipeline, TensorId::context},
    {"view-concat", "numpy-from-scratch", View::pipeline, TensorId::concat},
    {"view-output", "numpy-from-scratch", View::pipeline, TensorId::output},
    {"view-columns", "udl-12-2", View::pipeline, TensorId::K},
    {"view-cross", "valid-lengths", View::pipeline, TensorId::weights, 1},
    {"view-light", "numpy-from-scratch", View::pipeline, TensorId::dot_products, 0, ThemeName::light},
    {"view-double", "numpy-from-scratch", View::tokens, TensorId::weights, 0, ThemeName::dark, 2},
    {"view-heads", "behind-the-scenes", View::heads, TensorId::weights},
    {"view-heads-light", "behind-the-scenes", View::heads, TensorId::weights, 0, ThemeName::light},
    {"view-tokens", "behind-the-scenes", View::tokens, TensorId::weights},
    {"view-tokens-cross", "valid-lengths", View::tokens, TensorId::weights, 1, ThemeName::light},
    {"view-compare", "numpy-from-scratch", View::compare, TensorId::weights},
    {"view-compare-light", "numpy-from-scratch", View::compare, TensorId::weights, 0, ThemeName::light},
};

}  // namespace

TEST_CASE("every view looks as it did when somebody found it good") {
  for (const Scene& scene : scenes) {
    CAPTURE(scene.picture);
    Session session = lecture_session(scene.lecture);
    session.set_timed(false);
    if (scene.view == View::compare) {
      Checking(session).set_reference();
      session.edit(with_mask_kind(session.setup(), MaskKind::causal, true));
    }
    if (scene.causal) session.edit(with_mask_kind(session.setup(), MaskKind::causal, true));
    Display display = session.display();
    display.view = scene.view;
    display.appearance.theme = scene.theme;
    display.appearance.scale = scene.scale;
    display.painting = scene.painting;
    display.appearance.setup_folded = display.appearance.inspector_folded = scene.view == View::compare;
    session.set_display(display);
    Selecting(session).select({scene.tensor, scene.batch, 1, 1, 1});
    Selecting(session).pin();
    // Just large enough for a whole view, because there are twenty of these pictures in the repository. One of them
    // shows the top bar.
    const bool large = scene.scale > 1;
    Scripted person(std::move(session), large ? 1280 : 1024, large ? 800 : 640);
    const bool with_top_bar = std::string_view(scene.picture) == "view-input";
    expect_picture(with_top_bar ? person.surface.settled_picture() : person.picture_below_top_bar(), scene.picture);
  }
}

TEST_CASE("slides look as they did when somebody found them good") {
  Session session = lecture_session("numpy-from-scratch", 3);
  Display display = with_presenting(session.display(), true);
  display.appearance.theme = ThemeName::light;
  session.set_display(display);
  Scripted person(std::move(session), 1280, 720);
  expect_picture(person.surface.settled_picture(), "present-light");
}

TEST_CASE("pictures of steps look as they did when somebody found them good") {
  struct Look {
    const char* name;
    std::size_t step;
    bool presenting;
    bool answered;
    ThemeName theme;
  };
  for (const Look& look :
       {Look{"picture-sentence", 0, true, false, ThemeName::light},
        Look{"picture-mirror", 1, true, false, ThemeName::light},
        Look{"picture-mirror-answer", 1, true, true, ThemeName::dark},
        Look{"picture-mirror-window", 1, false, true, ThemeName::light},
        Look{"picture-curve", 2, true, false, ThemeName::light}, Look{"picture-arrows", 3, true, true, ThemeName::dark},
        Look{"picture-shapes", 4, true, false, ThemeName::light}}) {
    CAPTURE(look.name);
    Scripted person(pictured_step(look.step, look.presenting, look.theme), 1280, 720);
    if (look.answered) Lesson(person.session()).show_answer();
    expect_picture(look.presenting ? person.surface.settled_picture() : person.picture_below_top_bar(), look.name);
  }
}

TEST_CASE("learning and the way back look as they did when somebody found it good") {
  for (const ThemeName theme : {ThemeName::dark, ThemeName::light}) {
    const std::string ending = theme == ThemeName::dark ? "" : "-light";
    const auto in_theme = [&](Session session) {
      session.edit_display([&](Display& d) { d.appearance.theme = theme; });
      return session;
    };
    Session learn = Learner::shown(learn_setup(300), View::learn);
    Trainer(learn).go_to(210);
    Selecting(learn).pin({gradient_of(TensorId::weights), {13, 1, 2, 1}});
    Scripted learner(in_theme(std::move(learn)), 1280, 720);
    expect_picture(learner.picture_below_top_bar(), ("view-learn" + ending).c_str());
    Session back = Learner::shown(backward_setup(), View::pipeline);
    Selecting(back).pin({gradient_of(TensorId::V_heads), {0, 1, 2, 1}});
    Scripted turned(in_theme(std::move(back)), 1280, 720);
    expect_picture(turned.picture_below_top_bar(), ("view-backward" + ending).c_str());
  }
}

TEST_CASE("pictures of the presenter's window") {
  for (const ThemeName theme : {ThemeName::dark, ThemeName::light}) {
    Session session = talking(1);
    Figure figure;
    figure.what = ExportWhat::presenter;
    figure.theme = theme;
    expect_picture(draw_pixels(session, figure), theme == ThemeName::dark ? "presenter-dark" : "presenter-light");
  }
}
