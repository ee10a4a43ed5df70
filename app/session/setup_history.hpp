// The setups that undo and redo go through.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/session/lecture_place.hpp"
#include "app/session/trail.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// A setup, with the place where it was last shown.
struct Moment {
  Setup setup;
  LecturePlace place;
};

/// Successive edits with the same gesture, such as the drag of a slider, are one step of undo, until the gesture ends.
class SetupHistory {
 public:
  bool can_undo() const { return moments_.can_go_back(); }
  bool can_redo() const { return moments_.can_go_forward(); }
  /// The moments that undo and redo return to.
  const Moment& before() const { return moments_.before(); }
  const Moment& after() const { return moments_.after(); }
  void undo() { moments_.go_back(); }
  void redo() { moments_.go_forward(); }

  /// Whether an edit with this gesture would belong to the last step.
  bool continues(std::string_view gesture) const;
  void end_gesture() { gesture_.clear(); }
  /// Records an edit. One that ends its gesture where the gesture began leaves no step.
  void record(Moment moment, std::string_view gesture);
  /// Records what is shown without an edit: another setup is a new step, another place with the same setup is not.
  void remember(Moment moment);
  /// Adds a step, whatever it is, or replaces the last one.
  void visit(Moment moment) { moments_.visit(std::move(moment)); }
  void replace(Moment moment) { moments_.replace(std::move(moment)); }

  /// Makes the present moment the oldest.
  void forget_others() { moments_.forget_others(); }
  /// Puts a new version of a lecture in the place of the old one.
  void replace_lecture(const std::shared_ptr<const OpenLecture>& old, const std::shared_ptr<const OpenLecture>& next);

 private:
  Trail<Moment> moments_;
  std::string gesture_;
};

}  // namespace headlight
