// The picture on the first page: how a word blends its neighbours, for somebody who is new, and else that of the step
// that comes next. Its numbers are computed in a session of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/session/course.hpp"
#include "app/session/session.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/pictures/blend.hpp"

namespace headlight {

class StartPicture {
 public:
  StartPicture(const Session& session, const NextLesson& next);

  /// Whether it is about this step.
  bool is_of(const NextLesson& next) const { return lecture_ == next.lecture && step_ == next.step; }
  /// The word that the picture is about, if it is about one.
  std::string word() const { return blend_ ? blend_->words[blend_->query] : std::string(); }
  /// `context` is that of the window.
  void draw(ViewContext& context, const Rect& area);

 private:
  void draw_blend(Ui& ui, Rect area);

  std::shared_ptr<const Lecture> lecture_;
  std::size_t step_ = 0;
  Session session_;
  ViewMemory memory_;
  std::optional<Blend> blend_, other_;  ///< with the words of the lecture, and with those that it puts in their place
  bool swapped_ = false;
};

}  // namespace headlight
