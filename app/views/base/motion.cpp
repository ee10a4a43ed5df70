#include "app/views/base/motion.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"

namespace headlight {
namespace {

constexpr double glide_seconds = 0.24;
constexpr double morph_seconds = 0.12;
/// Changes that follow each other faster come from dragging, and are not animated.
constexpr double between_changes = 0.25;
constexpr Index most_morphed = 4096;  ///< cells of a slice

double share_of(double since, double seconds) { return seconds > 0 ? std::clamp(since / seconds, 0.0, 1.0) : 1.0; }

MotionScene scene_of(const Session& session) {
  const Display& display = session.display();
  const TensorId shown = session.selection().tensor;
  const bool moves =
      display.view == View::picture ||
      (display.view == View::pipeline && (shown == TensorId::masked_scores || shown == TensorId::weights));
  const bool answered = moves && session.lesson().question() != nullptr && !session.lesson().asks();
  return {session.lesson().lecture(), session.lesson().at.index, display.view,
          session.selection().tensor, display.heads.order,       answered};
}

/// Whether the scene is later than the other one: at a later step of the same lecture, or with a later tensor.
bool follows(const MotionScene& next, const MotionScene& last) {
  if (next.lecture != last.lecture) return false;
  if (next.step == last.step && next.answered && !last.answered) return true;
  return next.step != last.step ? next.step > last.step : next.tensor > last.tensor;
}

}  // namespace

void Motion::start_frame(const Session& session, Ui& ui, double build_seconds) {
  const double now = ui.time();
  if (held_) began_at_ = now - *std::exchange(held_, std::nullopt) * build_seconds_;
  const MotionScene scene = scene_of(session);
  if (scene_ != scene) begin(scene, build_seconds, now);
  change_to(session.state().trace, now);
  targets_.clear();
  const bool touched = !ui.keys().empty() || ui.mouse_clicked() || session.state().hovered;
  if (touched && now > began_at_) build_seconds_ = 0;
  if (ui.memory().reduce_motion) {
    build_seconds_ = 0;
    from_.clear();
    before_.reset();
  }
  built_ = std::min(built_at_end_, share_of(now - began_at_, build_seconds_));
  glided_ = from_.empty() ? 1 : eased_out(share_of(now - began_at_, glide_seconds));
  morphed_ = before_ ? share_of(now - changed_at_, morph_seconds) : 1;
  if (glided_ == 1) from_.clear();
  if (morphed_ == 1) before_.reset();
  if (built_ < built_at_end_ || glided_ < 1 || morphed_ < 1) ui.request_frame();
}

void Motion::begin(const MotionScene& scene, double build_seconds, double now) {
  const bool same_view = scene_ && scene_->view == scene.view && scene_->lecture == scene.lecture;
  from_ = same_view ? std::move(targets_) : std::vector<Glide>{};
  build_seconds_ = scene_ && follows(scene, *scene_) ? build_seconds : 0;
  began_at_ = now;
  scene_ = scene;
}

void Motion::change_to(const std::shared_ptr<const Trace>& trace, double now) {
  const std::shared_ptr<const Trace> last = std::exchange(trace_, trace);
  if (!last || last == trace) return;
  before_ = now - changed_at_ > between_changes ? last : nullptr;
  changed_at_ = now;
}

Rect Motion::glided(TensorId tensor, Index head, std::string_view of, const Rect& home) {
  const auto is_this = [&](const Glide& other) {
    return other.tensor == tensor && other.head == head && other.of == of;
  };
  if (std::none_of(targets_.begin(), targets_.end(), is_this))
    targets_.push_back({tensor, head, std::string(of), home});
  const auto from = std::find_if(from_.begin(), from_.end(), is_this);
  if (from == from_.end()) return home;
  return glided_ == 1 ? home : rect_between(from->rect, home, glided_);
}

std::optional<Slice> Motion::morphed(const Session& session, TensorId tensor, Index batch, Index head,
                                     const Slice& slice) const {
  const Trace& now = session.trace();
  const bool unmoved = !before_ || slice.rows() * slice.columns() > most_morphed;
  if (unmoved || (*before_)[tensor].shape() != now[tensor].shape()) return std::nullopt;
  if (!slice.same_window(slice_of(now, tensor, batch, head))) return std::nullopt;
  const Slice old = slice_of(*before_, tensor, batch, head);
  return with_numbers(slice, [&](Index row, Index column) {
    const double from = old.value(row, column);
    const double to = slice.value(row, column);
    return std::isfinite(from) && std::isfinite(to) ? from + (to - from) * morphed_ : to;
  });
}

Turn turn_at(double built, Index count) {
  constexpr double moving = 0.5;
  const double at = std::clamp(built, 0.0, 1.0) * static_cast<double>(count);
  const auto index = std::min(static_cast<Index>(at), count - 1);
  return {index, eased_out(std::min(1.0, (at - static_cast<double>(index)) / moving))};
}

void scrub_steps(ViewContext& context, const Item& item, float left, float width) {
  Session& session = context.session;
  context.ui.claim_drag(item);
  if (!item.held || !item.dragged || session.lesson().step_count() == 0) return;
  const auto last = static_cast<float>(session.lesson().step_count() - 1);
  const float at = std::clamp((context.ui.mouse().x - left) / width, 0.0f, last + 1);
  const float step = std::min(std::floor(at), last);
  if (session.lesson().at.index != static_cast<std::size_t>(step))
    Lesson(session).go_to(static_cast<std::size_t>(step));
  context.memory.get<Motion>().hold(static_cast<double>(at - step));
  context.ui.request_frame();
}

}  // namespace headlight
