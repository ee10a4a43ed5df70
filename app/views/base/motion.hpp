// Motion that explains. When the picture changes, matrices glide from their old areas to their new ones, and the
// operation is shown as it happens: a dot product adds up term by term, a row of scores becomes shares, heads split and
// join. When a number changes, the colours morph from the old numbers to the new ones.
//
// Everything is drawn as a function of three shares from 0 to 1, which start_frame() takes from the clock. At 1 the
// motion is over, and no further frame is requested. Exports, tests and users who reduce motion only see the pictures
// at 1, unless the share is held.
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

/// The parts of a frame whose changes start a motion.
struct MotionScene {
  const Lecture* lecture = nullptr;
  std::size_t step = 0;
  View view = View::pipeline;
  TensorId tensor = TensorId::X;
  HeadOrder order = HeadOrder::index;
  bool answered = false;  ///< the answer shows, and with it what moves: a step's own picture, a mask, or shares

  friend bool operator==(const MotionScene&, const MotionScene&) = default;
};

class Motion {
 public:
  /// Call it before anything is drawn. It finds what has changed since the last frame, and requests another frame while
  /// something moves. `build_seconds` is how long the present picture takes to build up. A key, a click or a cell under
  /// the mouse ends the build-up.
  void start_frame(const Session& session, Ui& ui, double build_seconds);

  /// How much of the picture's operation is shown as done.
  double built() const { return held_.value_or(built_); }
  /// Holds that share for this frame, while the user scrubs through a step. The build-up continues from there.
  void hold(double built) { held_ = built; }
  /// Sets the share that a picture builds up to: 1, except in the frames of an animation.
  void build_to(double built) { built_ = built_at_end_ = built; }

  /// Whether matrices are gliding. Bands and rings are drawn when they have arrived.
  bool gliding() const { return glided_ < 1; }
  /// The area of a matrix in this frame if it ends at `home`, which is remembered. `of` distinguishes several matrices
  /// of one tensor in a view.
  Rect glided(TensorId tensor, Index head, std::string_view of, const Rect& home);

  /// The numbers by which to colour a slice of the session's trace in this frame: between those before the last change
  /// and the present ones. None if they do not morph, or if they are too many.
  std::optional<Slice> morphed(const Session& session, TensorId tensor, Index batch, Index head,
                               const Slice& slice) const;

 private:
  struct Glide {
    TensorId tensor;
    Index head;
    std::string of;
    Rect rect;
  };
  void begin(const MotionScene& scene, double build_seconds, double now);
  void change_to(const std::shared_ptr<const Trace>& trace, double now);

  std::optional<MotionScene> scene_;
  double began_at_ = 0;       ///< when the scene began, in seconds
  double build_seconds_ = 0;  ///< how long it builds up; 0: not at all
  double built_ = 1;
  double built_at_end_ = 1;
  double glided_ = 1;
  std::optional<double> held_;
  std::vector<Glide> from_;     ///< the matrices of the scene before
  std::vector<Glide> targets_;  ///< where they end, by this frame

  std::shared_ptr<const Trace> trace_;   ///< of the last frame
  std::shared_ptr<const Trace> before_;  ///< morphed from; null while nothing morphs
  double changed_at_ = 0;                ///< when the trace changed last
  double morphed_ = 1;
};

/// The rectangle at this share between two.
inline Rect rect_between(const Rect& from, const Rect& to, double share) {
  const auto at = [&](float a, float b) { return a + (b - a) * static_cast<float>(share); };
  return {at(from.x, to.x), at(from.y, to.y), at(from.w, to.w), at(from.h, to.h)};
}

/// Fast at first and slow at the end.
inline double eased_out(double share) { return 1 - (1 - share) * (1 - share) * (1 - share); }

/// Of several things that happen one after the other: the one that happens now, and how far it has come. Each happens
/// in the first part of its time, and stays for the rest.
struct Turn {
  Index index = 0;
  double share = 0;
};
Turn turn_at(double built, Index count);

/// While the item is dragged, shows the step under the mouse, built up by how far the mouse is through the step's part
/// of the line. The line begins at `left`, and each step takes `width` of it.
void scrub_steps(ViewContext& context, const Item& item, float left, float width);

}  // namespace headlight
