#include "app/ui/gestures.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace headlight {
namespace {

/// Where nothing is: a button that goes up there clicks nothing.
constexpr Point nowhere{-1, -1};

float distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// How long before it leaves a finger's moves tell its speed.
constexpr double recent = 0.1;

bool takes(DragUse drags, Point by) {
  return drags == DragUse::any || (drags == DragUse::sideways && std::abs(by.x) > std::abs(by.y));
}

}  // namespace

std::vector<Deed> Gestures::take(const PointerEvent& event, DragUse drags) {
  if (event.touch) return take_finger(event, drags);
  std::vector<Deed> deeds{PointTo{event.kind == PointerEvent::Kind::cancel ? nowhere : event.at}};
  if (event.kind != PointerEvent::Kind::move)
    deeds.emplace_back(PressButton{event.button, event.kind == PointerEvent::Kind::down});
  return deeds;
}

std::vector<Deed> Gestures::rest_until(double time, DragUse drags) {
  if (state_ == State::gliding) return glide_until(time);
  if (!due() || time < *due()) return {};
  if (drags == DragUse::after_rest) {
    state_ = State::dragging;
    return {PressButton{0, true}};
  }
  state_ = State::done;
  return {PressButton{1, true}, PressButton{1, false}};
}

std::optional<double> Gestures::due() const {
  if (state_ == State::gliding) return glided_until_;
  return state_ == State::resting ? std::optional(since_ + long_press) : std::nullopt;
}

Point Gestures::speed_at(double time) const {
  constexpr double least_time = 1.0 / 60;  // events of one frame come at once
  const auto first = std::ranges::find_if(way_, [&](const Passed& each) { return each.time >= time - recent; });
  if (first == way_.end() || std::next(first) == way_.end()) return {};
  const auto seconds = static_cast<float>(std::max(least_time, way_.back().time - first->time));
  const Point speed = (way_.back().at - first->at) * (1 / seconds);
  return speed * std::min(1.0f, fastest_glide / std::max(1.0f, distance(speed, {})));
}

std::vector<Deed> Gestures::glide_until(double time) {
  const double left = std::exp(-std::max(0.0, time - glided_until_) / glide_time);  // of the speed
  const Point by = speed_ * static_cast<float>(glide_time * (1 - left));
  speed_ = speed_ * static_cast<float>(left);
  glided_until_ = std::max(glided_until_, time);
  if (distance(speed_, {}) > slowest_glide) return {ScrollBy{by}};
  state_ = State::idle;
  return {ScrollBy{by}, PointTo{nowhere}};
}

std::vector<Deed> Gestures::take_finger(const PointerEvent& event, DragUse drags) {
  using Kind = PointerEvent::Kind;
  if (event.kind == Kind::down) return put_down(event);
  const auto finger = fingers_.find(event.id);
  if (finger == fingers_.end()) return {};
  if (event.kind == Kind::move) {
    const Point before = finger->second;
    finger->second = event.at;
    return moved(event, before, drags);
  }
  fingers_.erase(finger);
  return lifted(event);
}

std::vector<Deed> Gestures::put_down(const PointerEvent& event) {
  fingers_[event.id] = event.at;
  if (fingers_.size() == 1) {
    state_ = state_ == State::gliding ? State::stopping : State::resting;
    start_ = event.at;
    since_ = event.time;
    return {PointTo{event.at}};
  }
  std::vector<Deed> deeds;
  if (state_ == State::dragging) deeds = {PointTo{nowhere}, PressButton{0, false}};
  if (fingers_.size() > 2 || state_ == State::done) {
    state_ = State::done;
    return deeds;
  }
  state_ = State::pinching;
  pair_ = pair();
  deeds.emplace_back(PointTo{pair_.middle});
  return deeds;
}

std::vector<Deed> Gestures::moved(const PointerEvent& event, Point before, DragUse drags) {
  switch (state_) {
    case State::resting:
    case State::stopping:
      if (distance(event.at, start_) <= finger_strays) return {};
      state_ = takes(drags, event.at - start_) ? State::dragging : State::scrolling;
      if (state_ == State::dragging) return {PressButton{0, true}, PointTo{event.at}};
      way_ = {{since_, start_}, {event.time, event.at}};
      return {ScrollBy{event.at - start_}};
    case State::dragging: return {PointTo{event.at}};
    case State::scrolling: way_.push_back({event.time, event.at}); return {ScrollBy{event.at - before}};
    case State::pinching: {
      const Pair was = pair_;
      pair_ = pair();
      std::vector<Deed> deeds{PointTo{pair_.middle}};
      if (!(pair_.middle == was.middle)) deeds.emplace_back(ScrollBy{pair_.middle - was.middle});
      if (was.apart > 0 && pair_.apart != was.apart) deeds.emplace_back(ZoomBy{pair_.apart / was.apart});
      return deeds;
    }
    case State::idle:
    case State::gliding:
    case State::done: return {};
  }
  return {};
}

std::vector<Deed> Gestures::lifted(const PointerEvent& event) {
  const bool cancelled = event.kind == PointerEvent::Kind::cancel;
  std::vector<Deed> deeds;
  if (state_ == State::scrolling && fingers_.empty() && !cancelled) {
    speed_ = speed_at(event.time);
    glided_until_ = event.time;
    if (distance(speed_, {}) > slowest_glide) {
      state_ = State::gliding;
      return {};
    }
  }
  if (state_ == State::dragging) {
    if (cancelled) deeds.emplace_back(PointTo{nowhere});
    deeds.emplace_back(PressButton{0, false});
  } else if (state_ == State::resting && !cancelled) {
    deeds = {PressButton{0, true}, PressButton{0, false}};
  }
  state_ = fingers_.empty() ? State::idle : State::done;
  // Or what was tapped would look as if a mouse pointed at it.
  if (fingers_.empty() && !cancelled) deeds.emplace_back(PointTo{nowhere});
  return deeds;
}

Gestures::Pair Gestures::pair() const {
  const Point a = fingers_.begin()->second;
  const Point b = std::next(fingers_.begin())->second;
  return {{(a.x + b.x) / 2, (a.y + b.y) / 2}, std::max(1.0f, distance(a, b))};
}

}  // namespace headlight
