// Compares whole views with golden pictures; HEADLIGHT_UPDATE_GOLDEN=1 in the environment writes them again.
#include <doctest/doctest.h>

#include "app/session/checking.hpp"
#include "app/session/selecting.hpp"
#include "core/setup/edits.hpp"
#include "picture.hpp"
#include "probe.hpp"

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
