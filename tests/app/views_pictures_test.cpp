// Compares whole views with golden pictures; HEADLIGHT_UPDATE_GOLDEN=1 in the environment writes them again.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "app/figures/draw_figure.hpp"
#include "app/session/drafting.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/trainer.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/window/start_page.hpp"
#include "golden.hpp"
#include "learner.hpp"
#include "pictured_step.hpp"
#include "scenes.hpp"
#include "scripted.hpp"
#include "talk.hpp"
#include "whole_desk.hpp"

using namespace headlight;
using namespace headlight::testing;

TEST_CASE("every view looks as it did when somebody found it good") {
  for (const Scene& scene : scenes) {
    CAPTURE(scene.picture);
    const auto [width, height] = size_of(scene);
    Scripted person(session_of(scene), width, height);
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

namespace {

/// Sizes at which no product goes through BLAS, whose last digits differ from machine to machine (matrix_product.cpp).
void without_blas(Setup& setup) {
  setup.sizes.d_model = 16;
  setup.sizes.d_mlp = 32;
  setup.training.batch = 8;
}

}  // namespace

TEST_CASE("a model of several layers looks as it did when somebody found it good") {
  for (const ThemeName theme : {ThemeName::dark, ThemeName::light}) {
    Setup setup = offered_setup(TaskName::induction);
    setup.sizes.layers = 4;
    setup.sizes.heads = 4;
    setup.sizes.batch = 4;
    setup.block.mlp = Mlp::gelu;
    setup.norm.kind = NormKind::layer;
    without_blas(setup);
    Session session(with_parts(setup));
    session.set_timed(false);
    session.edit_display([&](Display& d) { d.appearance.theme = theme; });
    session.look_at_layer(1);
    Selecting(session).pin({TensorId::weights, {0, 1, 9, 2}, 1});
    Scripted person(std::move(session), 1366, 768);
    expect_picture(person.picture_below_top_bar(), theme == ThemeName::dark ? "view-stack" : "view-stack-light");
  }
}

TEST_CASE("a model that writes looks as it did when somebody found it good") {
  const auto drawn = [](const char* name, ThemeName theme, int width, int height, const Draft& draft, bool presenting) {
    CAPTURE(name);
    Setup setup = offered_setup(TaskName::text);
    setup.sizes.batch = 1;
    setup.training.steps = 300;
    without_blas(setup);
    Session session(setup);
    session.set_timed(false);
    session.show(View::write);
    Drafting(session).restore(draft);
    session.look_at_layer(1);
    Selecting(session).select_head(1);
    Display display = with_presenting(session.display(), presenting);
    display.appearance.theme = theme;
    session.set_display(display);
    Scripted person(std::move(session), width, height);
    expect_picture(presenting || width < 700 ? person.surface.settled_picture() : person.picture_below_top_bar(), name);
  };
  const Draft badger{.prompt = "ba", .written = "dge", .seed = 4};
  const Draft cool{.written = "lizard", .sampling = {.temperature = 2, .top_k = 8}, .seed = 2};
  drawn("view-write", ThemeName::dark, 1280, 720, badger, false);
  drawn("view-write-light", ThemeName::light, 1366, 768, cool, false);
  drawn("present-write", ThemeName::light, 1280, 720, badger, true);
  drawn("phone-write", ThemeName::dark, 390, 844, badger, false);
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

TEST_CASE("the first page, and why a blend is what it is, look as they did when somebody found them good") {
  const auto page = [](const char* name, Session session, ThemeName theme, bool first) {
    CAPTURE(name);
    session.set_timed(false);
    session.edit_display([&](Display& d) { d.appearance.theme = theme; });
    Scripted person(std::move(session), 1280, 720);
    person.app.memory().opened<StartPage>() = StartPage{.first = first};
    expect_picture(person.surface.settled_picture(), name);
  };
  page("start", lecture_session("bank"), ThemeName::dark, true);
  Session begun = lecture_session("meaning");
  for (int i = 0; i < 3; ++i) Lesson(begun).step_by(1);
  page("start-continue-light", std::move(begun), ThemeName::light, false);

  Session why = in_lesson(lecture_session("bank", 4));
  Lesson(why).show_answer();
  Selecting(why).pin({TensorId::context, {0, 0, 2, 0}});
  why.set_timed(false);
  Scripted pupil(std::move(why), 1280, 720);
  expect_picture(pupil.surface.settled_picture(), "lesson-why");
}

TEST_CASE("a file of several layers offers to open them whole, and says where the chain is cut") {
  {
    WholeDesk person;
    person.drop(gpt2());
    expect_picture(person.picture_below_top_bar(), "card-whole-model");
  }
  WholeDesk person;
  std::vector<NamedTensor> arrays = gpt2();
  std::erase_if(arrays, [](const NamedTensor& each) { return each.name == "h.1.ln_2.weight"; });
  person.drop(arrays);
  expect_picture(person.picture_below_top_bar(), "card-whole-model-cut");
}
