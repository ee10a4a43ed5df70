#include "app/session/state/session_state.hpp"

#include <tuple>

namespace headlight {

bool shows_same_picture(const SessionState& a, const SessionState& b) {
  const auto picture = [](const SessionState& state) {
    const Selection& at = state.selection;
    return std::tuple(state.display.presentation.presenting, state.display.view, at.tensor, at.head, at.batch);
  };
  return a.lesson.at == b.lesson.at && picture(a) == picture(b);
}

}  // namespace headlight
