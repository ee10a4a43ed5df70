// Motion that explains. Where one comes to another picture, its matrices glide from where they stood, and what makes
// the picture happens before the eye: a dot product adds up term by term, a row of scores becomes shares, heads split
// and join. Where a number changes, the colours morph from the old numbers to the new ones.
//
// Everything is drawn as a function of three shares from 0 to 1, which start_frame() takes from the clock. At 1 a
// picture is what it is without motion, and no further frame is asked for. That is all that exports, tests and people
// who reduce motion see, unless the share is held.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/display/display.hpp"
#include "app/slices/slice.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/names.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct Lecture;
struct Item;

/// What a frame shows, as far as motion is about it.
struct MotionScene {
  const Lecture* lecture = nullptr;
  std::size_t step = 0;
  View view = View::pipeline;
  TensorId tensor = TensorId::X;
  HeadOrder order = HeadOrder::index;

  friend bool operator==(const MotionScene&, const MotionScene&) = default;
};

class Motion {
 public:
  /// To be called before anything is drawn. Sees what has changed since the last frame, and asks for another frame
  /// while something moves. `build_seconds` is how long the present picture takes to build up. A key, a click and a
  /// cell under the mouse end what is being built.
  void start_frame(const Session& session, Ui& ui, double build_seconds);

  /// How much of the picture's operation has happened.
  double built() const { return held_.value_or(built_); }
  /// Holds that share for this frame, while somebody scrubs through a step. Then it goes on from there.
  void hold(double built) { held_ = built; }
  /// Where a picture stands that nothing moves: at 1, but for the frames of an animation.
  void stand_at(double built) { built_ = stands_at_ = built; }

  /// Whether matrices are on their way. Bands and rings wait until they have arrived.
  bool gliding() const { return glided_ < 1; }
  /// Where a matrix that belongs at `place` is in this frame; remembers the place. `of` tells matrices of one tensor
  /// apart, if a view shows several.
  Rect glided(TensorId tensor, Index head, std::string_view of, const Rect& home);

  /// The numbers whose colours a slice of the session's trace has in this frame: on their way from those before the
  /// last change. None where they stand, or are too many.
  std::optional<Slice> morphed(const Session& session, TensorId tensor, Index batch, Index head,
                               const Slice& slice) const;

 private:
  struct Glide {
    TensorId tensor;
    Index head;
    std::string of;
    Rect rect;
  };
  void come_to(const MotionScene& scene, double build_seconds, double now);
  void change_to(const std::shared_ptr<const Trace>& trace, double now);

  std::optional<MotionScene> scene_;
  double came_at_ = 0;        ///< when the scene came, in seconds
  double build_seconds_ = 0;  ///< how long it is built up; 0: it stands at once
  double built_ = 1;
  double stands_at_ = 1;
  double glided_ = 1;
  std::optional<double> held_;
  std::vector<Glide> from_;  ///< where the matrices stood before the scene came
  std::vector<Glide> now_;   ///< where they belong in this frame

  std::shared_ptr<const Trace> trace_;   ///< of the last frame
  std::shared_ptr<const Trace> before_;  ///< what is morphed from; null while nothing is
  double changed_at_ = 0;                ///< when the trace changed last
  double morphed_ = 1;
};

/// The rectangle at a share of the way.
inline Rect on_the_way(const Rect& from, const Rect& to, double share) {
  const auto at = [&](float a, float b) { return a + (b - a) * static_cast<float>(share); };
  return {at(from.x, to.x), at(from.y, to.y), at(from.w, to.w), at(from.h, to.h)};
}

/// Fast at first and slow at the end, as things that arrive.
inline double eased_out(double share) { return 1 - (1 - share) * (1 - share) * (1 - share); }

/// While the item is dragged, shows the step under the mouse, built up as far as the mouse is through its part of the
/// line. The line begins at `left`, and each step takes `width` of it.
void scrub_steps(ViewContext& context, const Item& item, float left, float width);

}  // namespace headlight
