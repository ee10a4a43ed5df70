// What the user has seen of the lectures, and how the questions were answered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/display/display.hpp"
#include "core/lecture/lecture.hpp"

namespace headlight {

/// What is known of a step. The answer to its question counts once: asking again does not make it better.
enum class StepMark : std::uint8_t {
  none,
  seen,
  shown,       ///< its answer was shown, after wrong guesses or none
  second_try,  ///< its question was answered right, at the second try
  first_try,
  passed,  ///< its task was solved in the user's own code
};
inline constexpr std::array<std::string_view, 6> step_mark_words{"",           "seen",      "shown",
                                                                 "second try", "first try", "passed"};

/// By the lecture's id; for each of its steps, as far as there are any.
using LectureMarks = std::map<std::string, std::vector<StepMark>>;

/// The lectures whose mode a person has chosen, by id: lesson or workbench.
using LectureModes = std::map<std::string, WindowMode>;

/// With this mark, unless the step has an answer already.
std::shared_ptr<const LectureMarks> with_mark(const std::shared_ptr<const LectureMarks>& marks,
                                              const std::string& lecture, std::size_t step, StepMark mark);
/// What is in both, and the higher mark where both know a step.
LectureMarks joined(LectureMarks marks, const LectureMarks& others);

/// The user's progress in a lecture.
struct LectureProgress {
  std::size_t steps = 0, seen = 0;
  std::size_t questions = 0, answered = 0, first_try = 0, second_try = 0;
  std::size_t tasks = 0, passed = 0;  ///< a lecture is done without them, too

  /// The first step is on the screen when the program first opens, so it alone doesn't count.
  bool begun() const { return seen > 1 || answered > 0; }
  bool done() const { return seen == steps && answered == questions; }
};
LectureProgress progress_in(const Lecture& lecture, const LectureMarks& marks);

/// Where to go on: after the last step that was seen; then at the first that was left out, or whose question is still
/// open; at the first step of a lecture that is done or was not begun.
std::size_t step_to_go_on_at(const Lecture& lecture, const LectureMarks& marks);

/// "You have seen all 12 steps. You answered 6 of 9 questions at the first try, 2 at the second."
std::string words_of(const LectureProgress& progress);
/// "7 of 12 steps", "12 steps" of a lecture that was not begun, "done".
std::string short_words_of(const LectureProgress& progress);

}  // namespace headlight
