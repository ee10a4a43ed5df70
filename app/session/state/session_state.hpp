// The state of the app as one value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "app/session/display/display.hpp"
#include "app/session/display/ink.hpp"
#include "app/session/display/selection.hpp"
#include "app/session/state/checked_work.hpp"
#include "app/session/state/draft.hpp"
#include "app/session/state/lesson_state.hpp"
#include "app/session/state/marks.hpp"
#include "app/session/state/review.hpp"
#include "app/session/state/training_pace.hpp"
#include "core/formats/layers/open_model.hpp"
#include "core/model/cell.hpp"
#include "core/model/problem.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// What of a step may cover its picture.
enum class Over : std::uint8_t { nothing, code, more };

/// Everything that a frame shows. Equal states look the same.
struct SessionState {
  std::shared_ptr<const Trace> trace;      ///< of the layer that is shown; never null; holds the setup
  ModelTrace layers;                       ///< the traces of all layers
  std::shared_ptr<const Course> course;    ///< its training so far; null without a task
  TrainingPlay training;                   ///< whether the layer is training now
  CheckingState checking;                  ///< what the compare view shows beside the trace
  Draft draft;                             ///< the text that the model is writing
  Index symbols_owed = 0;                  ///< so many more of it are to be written
  std::shared_ptr<const OpenModel> model;  ///< whose layers can be opened; null: none
  Selection selection;
  bool pinned = false;
  std::optional<Cell> hovered;
  LessonState lesson;
  /// What the user has seen of all lectures; never null.
  std::shared_ptr<const LectureMarks> marks = std::make_shared<const LectureMarks>();
  /// How the user left them; never null.
  std::shared_ptr<const LectureModes> modes = std::make_shared<const LectureModes>();
  /// How questions of the course were answered when they came up again; never null.
  std::shared_ptr<const Reviews> reviews = std::make_shared<const Reviews>();
  std::optional<Review> review;  ///< the questions before a lecture, while one of them is open
  Display display;
  bool computing = false;         ///< wanted() is being computed; `trace` is the last complete one
  bool blank = false;             ///< and `trace` is only a stand-in, because no trace is complete yet
  std::vector<Problem> problems;  ///< of the last edit, if it was refused
  Ink ink;                        ///< what the pen has drawn over the slide
  Over over = Over::nothing;      ///< what covers the picture, until another picture comes
  std::string notice;             ///< one line that is shown for a while: "Copied scores[0,1,2,0]"
  std::filesystem::path written;  ///< the file that the notice is about, which it offers to open; empty: none
  std::uint64_t notices = 0;      ///< how many there were, so that the same words can be said again

  friend bool operator==(const SessionState&, const SessionState&) = default;
};

/// Whether there are layers for the view Layers: those of the model that is computed, or of the open one.
inline bool has_layers(const Setup& setup, const SessionState& state) {
  return setup.sizes.layers > 1 || state.model != nullptr;
}

/// Whether both show the same step, and the same picture in it, perhaps with other numbers.
inline bool shows_same_picture(const SessionState& a, const SessionState& b) {
  const auto picture = [](const SessionState& state) {
    const Selection& at = state.selection;
    return std::tuple(state.display.presentation.presenting, state.display.view, state.trace->setup.layer, at.tensor,
                      at.head, at.batch);
  };
  return a.lesson.at == b.lesson.at && picture(a) == picture(b);
}

}  // namespace headlight
