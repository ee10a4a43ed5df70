// Writes the parts of a lecture file that Headlight can write: its beginning, and a step.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/lecture/lecture.hpp"

namespace headlight {

/// The beginning of a lecture file, for a lecturer to continue: the setup, and a first step that looks at the cell in
/// the view ("heads"; if empty, the step names no view). parse_lecture reads the same setup from it. Arrays of files
/// are named from `folder` (see write_setup).
std::string write_lecture_start(const Setup& setup, const Cell& look_at, std::string_view view,
                                const std::filesystem::path& folder = {});

/// What a step that is added to a lecture shows.
struct AddedStep {
  const Setup& setup;
  Cell look_at;
  std::string_view part;  ///< the id of the part that the setup started from; "main" if the lecture has no such part
  std::string_view view;  ///< empty: the step names no view
  bool compare = false;   ///< shows the setup beside its part's, if it differs
};

/// The text of a lecture file with a step at its end. The step's `set` is how its setup differs from its part's.
/// `lecture` is the text as parse_lecture reads it.
std::string with_step_added(std::string text, const Lecture& lecture, const AddedStep& added);

}  // namespace headlight
