// Writing a lecture in the window, as a value: the draft, what came before it, and what is wrong with it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/author/lecture_draft.hpp"
#include "core/lecture/lecture.hpp"

namespace headlight {

struct Authoring {
  std::filesystem::path file;
  LectureDraft draft;
  LectureDraft saved;                ///< what the file holds
  std::vector<LectureDraft> before;  ///< that undo goes back to, the latest last
  std::vector<LectureDraft> after;   ///< that redo goes forward to
  std::string gesture;               ///< of the last change: changes of one gesture are one step of undo
  std::size_t place = 1;             ///< the part that is being edited: 0 is the front, 1 the first step
  std::vector<Problem> problems;     ///< why the draft is no lecture; the window then shows the last one that was

  bool changed() const { return draft != saved; }

  friend bool operator==(const Authoring&, const Authoring&) = default;
};

/// Begins with the text of a file.
Authoring begun_writing(const std::filesystem::path& file, std::string_view text);
/// With another draft, and the one before kept for undo.
Authoring with_draft(Authoring authoring, LectureDraft draft, std::string_view gesture = {});
/// With the part at a place as a person has typed it.
Authoring with_text(Authoring authoring, std::size_t place, std::string text);
/// With a step added behind the one that is being edited, which then is.
Authoring with_step(Authoring authoring, std::string step);
/// Without the step that is being edited; the last one stays.
Authoring without_step(Authoring authoring);
/// With the step that is being edited moved by one place, −1 or +1, if there is one.
Authoring with_step_moved(Authoring authoring, int direction);
Authoring undone(Authoring authoring);
Authoring redone(Authoring authoring);

/// The lecture of the draft. Throws InputError with what is wrong, each problem with its line.
Lecture lecture_of(const Authoring& authoring);

}  // namespace headlight
