// The presenter's window, which only the speaker sees: the slide that the class sees, what the next press shows, the
// question with its answer, the notes, the time and the pace.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/session/state/step_words.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// The time of a talk, in seconds.
struct TalkTime {
  double elapsed = 0;                 ///< since the talk began
  std::optional<double> asked_for{};  ///< how long the question has been open; none without one
  std::string clock;                  ///< "14:12"
};

/// What the window shows and the session does not know.
struct PresenterShown {
  void* now = nullptr;                    ///< the texture of the slide that the class sees
  void* next = nullptr;                   ///< of what the next press shows; null: nothing follows
  bool computes = false;                  ///< that is still being computed
  std::vector<JudgedChoice> judged = {};  ///< the choices of the question, while it is open
  TalkTime time = {};
  std::vector<std::string> monitors = {};  ///< their names
  std::size_t monitor = 0;                 ///< that of the class, among them
};

/// What the speaker did that is not an action of the session.
struct PresenterDone {
  bool restarts_time = false;
  std::optional<Point> pointed = {};  ///< where the pointer is on the class's slide, in shares of its width and height
  bool pressed = false;               ///< with its button down
};

/// Where the two slides are, for a slide of this width over height.
struct PresenterSlides {
  Rect now;
  Rect next;
};
PresenterSlides presenter_slides(const Rect& surface, float aspect, const Session& session);

/// Draws it over the whole surface.
PresenterDone draw_presenter(ViewContext& context, float aspect, const PresenterShown& shown);

/// "16:40", or "1:02:03".
std::string minutes_and_seconds(double seconds);

}  // namespace headlight
