#include "app/presenter/talk_watch.hpp"

namespace headlight {

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

}  // namespace headlight
