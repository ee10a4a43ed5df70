// The app of the presenter's window. It shares the session with the app of the class, and shows what the next press
// shows by trying it in a session of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/platform/surfaces/app.hpp"
#include "app/session/session.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/presenter/presenter_view.hpp"

namespace headlight {

/// The time of a talk: since it began, and since the question on the slide was asked. Its times are those of a window's
/// clock, in seconds.
class TalkWatch {
 public:
  /// Call it in each frame. The talk begins when the session presents and ends when it does not.
  void follow(const Session& session, double now);
  void restart(double now) { began_ = now; }
  TalkTime at(double now) const;

 private:
  std::optional<double> began_;  ///< none: nobody presents
  std::optional<double> asked_;  ///< none: the step asks nothing
  LectureStep asks_;             ///< the step that asks
};

/// What the presenter's window knows from outside.
struct PresenterOutside {
  std::function<std::string()> clock = {};        ///< the time of day, "14:12"
  std::function<TalkTime(double now)> time = {};  ///< of the talk, instead of its own watch
};

class PresenterApp : public App {
 public:
  /// The session must outlive it.
  explicit PresenterApp(Session& session, PresenterOutside outside = {});

  SurfaceLook look() const override;
  std::string title() const override { return "Presenter · Headlight"; }
  void frame(FrameContext& frame) override;
  bool changed_outside() override { return next_ && next_->take_in(); }
  void set_wake(std::function<void()> wake) override;

  /// Follows the talk also while this window is closed.
  void follow_talk(double now) { watch_.follow(session_, now); }
  /// Draws the next slide at once, for pictures. Otherwise it waits until nothing changes for a moment.
  void draw_at_once() { patience_ = 0; }

 private:
  void look_ahead(Ui& ui);
  TalkTime time_at(double now) const;

  Session& session_;
  PresenterOutside outside_;
  ViewMemory memory_;
  TalkWatch watch_;
  std::function<void()> wake_;
  double patience_ = 0.15;            ///< seconds without a change before the next slide is drawn again
  SessionState seen_;                 ///< what the next press starts from, as it was last seen
  std::optional<double> try_at_;      ///< when to try the next press again; none: what is shown is right
  std::optional<Session> next_;       ///< after the next press; none: it does nothing
  std::uint64_t drawn_revision_ = 0;  ///< of `next_`, in the texture
  std::vector<JudgedChoice> judged_;
};

}  // namespace headlight
