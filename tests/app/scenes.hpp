// The views that golden pictures show.
#pragma once

#include <utility>

#include "app/session/checking.hpp"
#include "app/session/selecting.hpp"
#include "core/setup/edits.hpp"
#include "scripted.hpp"

namespace headlight::testing {

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

inline constexpr Scene scenes[] = {
    // The only one with the top bar.
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

inline Session session_of(const Scene& scene) {
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
  return session;
}

/// Width and height of the surface: just large enough for a whole view, because there are twenty of these pictures in
/// the repository.
constexpr std::pair<int, int> size_of(const Scene& scene) {
  return scene.scale > 1 ? std::pair{1280, 800} : std::pair{1024, 640};
}

}  // namespace headlight::testing
