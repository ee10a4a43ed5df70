#include "app/presenter/presenter_app.hpp"

#include <cmath>
#include <utility>

#include "app/session/actions/actions.hpp"
#include "app/views/window/app_view.hpp"
#include "app/views/window/present_view.hpp"

namespace headlight {
namespace {

/// The slide by itself, drawn by the same function as for the class.
class SlideApp : public App {
 public:
  explicit SlideApp(Session& session) : session_(session) {}

  SurfaceLook look() const override {
    SurfaceLook look{session_.display().appearance.theme};
    look.fitted = slide_size;
    return look;
  }
  void frame(FrameContext& frame) override {
    frame.heatmaps.use(session_.summary().pyramids, session_.threads());
    ViewContext context{frame.ui, frame.heatmaps, session_, memory_};
    draw_app(context);
  }

 private:
  Session& session_;
  ViewMemory memory_;
};

enum class Slide : std::uint8_t { now, next };
constexpr std::size_t slide_count = 2;

/// Everything that the next slide depends on. Neither the pointer nor the drawing over this slide is part of it.
SessionState start_of_next(const Session& session) {
  SessionState state = session.state();
  state.hovered.reset();
  state.ink.clear();
  state.over = Over::nothing;
  state.notice.clear();
  state.written.clear();
  state.notices = 0;
  state.computing = false;
  state.problems.clear();
  state.display.overlay = Overlay::none;
  state.display.presentation = {.presenting = true};
  state.display.appearance.notes_size = {};
  state.display.appearance.class_monitor.clear();
  return state;
}

/// The session after the next press; none if that does nothing.
std::optional<Session> after_next_press(const Session& session) {
  Session ahead = session.twin();
  Display display = ahead.display();
  display.overlay = Overlay::none;
  display.presentation = {.presenting = true};
  ahead.set_display(display);
  if (!run(*action_named("present.next"), ahead)) return std::nullopt;
  return ahead;
}

/// The inner surface for one of the slides, of the size that fits its rectangle.
InnerSurface& fitting_surface(FrameContext& frame, Slide slide, const Rect& rect) {
  if (frame.inner.size() < slide_count) frame.inner.resize(slide_count);
  const auto pixels = [&](float length) {
    return std::max(16, static_cast<int>(std::lround(length * frame.ui.scale())));
  };
  auto& surface = frame.inner[static_cast<std::size_t>(slide)];
  if (!surface || surface->width() != pixels(rect.w) || surface->height() != pixels(rect.h))
    surface = std::make_unique<InnerSurface>(pixels(rect.w), pixels(rect.h));
  return *surface;
}

/// Width over height of what the class sees.
float aspect_of(const Surroundings& around) {
  const Point size = around.first_pixels;
  return size.x > 0 && size.y > 0 ? size.x / size.y : slide_size.x / slide_size.y;
}

}  // namespace

void TalkWatch::follow(const Session& session, double now) {
  if (!session.display().presentation.presenting) {
    *this = {};
    return;
  }
  if (!began_) began_ = now;
  const LessonState& lesson = session.lesson();
  if (!lesson.asks()) {
    asked_.reset();
  } else if (!asked_ || asks_.index != lesson.at.index || asks_.lecture != lesson.at.lecture) {
    asked_ = now;
    asks_ = lesson.at;
  }
}

TalkTime TalkWatch::at(double now) const {
  TalkTime time;
  if (began_) time.elapsed = now - *began_;
  if (asked_) time.asked_for = now - *asked_;
  return time;
}

PresenterApp::PresenterApp(Session& session, PresenterOutside outside)
    : session_(session), outside_(std::move(outside)) {}

SurfaceLook PresenterApp::look() const {
  const Appearance& appearance = session_.display().appearance;
  return {appearance.theme, static_cast<float>(appearance.scale), appearance.reduce_motion};
}

void PresenterApp::set_wake(std::function<void()> wake) {
  wake_ = std::move(wake);
  if (next_) next_->set_wake(wake_);
}

TalkTime PresenterApp::time_at(double now) const {
  TalkTime time = outside_.time ? outside_.time(now) : watch_.at(now);
  if (outside_.clock) time.clock = outside_.clock();
  return time;
}

/// Tries the next press whenever its starting point has changed, but not while that changes all the time, as while a
/// number is played.
void PresenterApp::look_ahead(Ui& ui) {
  SessionState now = start_of_next(session_);
  const bool another_step = !(now.lesson.at == seen_.lesson.at) || now.lesson.answers != seen_.lesson.answers;
  if (now != seen_) {
    try_at_ = ui.time() + (another_step ? 0 : patience_);
    seen_ = std::move(now);
  }
  if (!try_at_) return;
  if (const double left = *try_at_ - ui.time(); left > 0) return ui.request_frame_in(left);
  try_at_.reset();
  drawn_revision_ = 0;
  next_ = after_next_press(session_);
  if (next_) next_->set_wake(wake_);
}

void PresenterApp::frame(FrameContext& frame) {
  Ui& ui = frame.ui;
  session_.take_in();
  const std::uint64_t before = session_.revision();
  follow_talk(ui.time());
  if (ui.input().wants_to_close && session_.display().presentation.presenter) run(*action_named("presenter"), session_);
  look_ahead(ui);
  const float aspect = aspect_of(frame.around);
  const PresenterSlides slides = presenter_slides(ui.surface(), aspect, session_);
  PresenterShown shown;
  shown.now = frame.around.first_window;
  if (shown.now == nullptr) {
    SlideApp slide(session_);
    InnerSurface& surface = fitting_surface(frame, Slide::now, slides.now);
    surface.draw(slide);
    shown.now = surface.texture();
  }
  if (next_ && !next_->state().computing) {
    const InnerSurface* const old = frame.inner.size() < slide_count ? nullptr : frame.inner.back().get();
    InnerSurface& surface = fitting_surface(frame, Slide::next, slides.next);
    if (&surface != old || drawn_revision_ != next_->revision()) {
      SlideApp slide(*next_);
      surface.draw(slide);
      drawn_revision_ = next_->revision();
      judged_ = session_.lesson().asks() ? judged_choices(next_->state()) : std::vector<JudgedChoice>{};
    }
    shown.next = surface.texture();
    shown.judged = judged_;
  }
  shown.computes = next_ && next_->state().computing;
  shown.time = time_at(ui.time());
  shown.monitors = frame.around.monitors;
  shown.monitor = frame.around.monitor;
  ViewContext context{ui, frame.heatmaps, session_, memory_};
  const PresenterDone done = draw_presenter(context, aspect, shown);
  if (done.restarts_time) watch_.restart(ui.time());
  if (done.pointed) frame.far_pointer = FarPointer{*done.pointed, done.pressed};
  const double to_next_second = 1 - (shown.time.elapsed - std::floor(shown.time.elapsed));
  ui.request_frame_in(to_next_second + 0.005);
  if (session_.words_wait()) ui.request_frame_in(0.1);
  if (session_.revision() != before || done.restarts_time) ui.request_frame();
}

}  // namespace headlight
