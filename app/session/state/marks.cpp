#include "app/session/state/marks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/text/wording.hpp"

namespace headlight {
namespace {

bool is_answer(StepMark mark) { return mark >= StepMark::shown; }

}  // namespace

std::shared_ptr<const LectureMarks> with_mark(const std::shared_ptr<const LectureMarks>& marks,
                                              const std::string& lecture, std::size_t step, StepMark mark) {
  const auto found = marks->find(lecture);
  const bool known = found != marks->end() && step < found->second.size();
  const StepMark before = known ? found->second[step] : StepMark::none;
  if (is_answer(before) || mark <= before) return marks;
  LectureMarks next = *marks;
  std::vector<StepMark>& steps = next[lecture];
  steps.resize(std::max(steps.size(), step + 1));
  steps[step] = mark;
  return std::make_shared<const LectureMarks>(std::move(next));
}

LectureMarks joined(LectureMarks marks, const LectureMarks& others) {
  for (const auto& [lecture, added] : others) {
    std::vector<StepMark>& steps = marks[lecture];
    steps.resize(std::max(steps.size(), added.size()));
    for (std::size_t step = 0; step < added.size(); ++step) steps[step] = std::max(steps[step], added[step]);
  }
  return marks;
}

LectureProgress progress_in(const Lecture& lecture, const LectureMarks& marks) {
  const auto found = marks.find(lecture.id);
  const auto mark_at = [&](std::size_t step) {
    return found != marks.end() && step < found->second.size() ? found->second[step] : StepMark::none;
  };
  LectureProgress progress{.steps = lecture.steps.size()};
  for (std::size_t step = 0; step < lecture.steps.size(); ++step) {
    const StepMark mark = mark_at(step);
    progress.seen += mark != StepMark::none;
    progress.tasks += lecture.steps[step].practice.has_value();
    progress.passed += mark == StepMark::passed;
    if (!lecture.steps[step].question) continue;
    ++progress.questions;
    progress.answered += is_answer(mark);
    progress.first_try += mark == StepMark::first_try;
    progress.second_try += mark == StepMark::second_try;
  }
  return progress;
}

std::size_t step_to_go_on_at(const Lecture& lecture, const LectureMarks& marks) {
  const auto found = marks.find(lecture.id);
  const LectureProgress progress = progress_in(lecture, marks);
  if (progress.done() || !progress.begun()) return 0;
  const auto seen = static_cast<std::size_t>(std::ranges::find(found->second.rbegin(), found->second.rend(), true,
                                                               [](StepMark mark) { return mark != StepMark::none; })
                                                 .base() -
                                             found->second.begin());
  if (seen < lecture.steps.size()) return seen;
  for (std::size_t step = 0; step < lecture.steps.size(); ++step) {
    const StepMark mark = step < found->second.size() ? found->second[step] : StepMark::none;
    if (mark == StepMark::none || (lecture.steps[step].question && !is_answer(mark))) return step;
  }
  return 0;
}

std::string words_of(const LectureProgress& progress) {
  std::string words = progress.steps == 1 && progress.seen == 1 ? "You have seen its only step."
                      : progress.seen == progress.steps
                          ? fmt::format("You have seen all {} steps.", progress.steps)
                          : fmt::format("You have seen {} of {} steps.", progress.seen, progress.steps);
  if (progress.passed > 0) words += progress.tasks == 1 ? " You have passed its task." : " You have passed a task.";
  if (progress.questions == 0) return words;
  words += progress.questions == 1 && progress.first_try == 1
               ? " You answered its question at the first try"
               : fmt::format(" You answered {} of {} at the first try", progress.first_try,
                             counted(static_cast<std::ptrdiff_t>(progress.questions), "question", "questions"));
  if (progress.second_try > 0) words += fmt::format(", {} at the second", progress.second_try);
  return words + ".";
}

std::string short_words_of(const LectureProgress& progress) {
  if (progress.done()) return "done";
  if (!progress.begun()) return counted(static_cast<std::ptrdiff_t>(progress.steps), "step", "steps");
  return fmt::format("{} of {} steps", progress.seen, progress.steps);
}

}  // namespace headlight
