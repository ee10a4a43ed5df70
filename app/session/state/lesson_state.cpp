#include "app/session/state/lesson_state.hpp"

#include <algorithm>
#include <utility>

namespace headlight {

const Step* LectureStep::step() const { return lecture ? &lecture->lecture->steps[index] : nullptr; }

const Part* LectureStep::part() const { return lecture ? &lecture->lecture->parts[step()->part] : nullptr; }

const Setup* LectureStep::setup() const { return lecture ? &lecture->lecture->setup_of(*step()) : nullptr; }

std::vector<Change> changes_in(const LectureStep& step, const Setup& own) {
  const Setup* const lecture_setup = step.setup();
  return lecture_setup ? changes(*lecture_setup, own) : std::vector<Change>{};
}

bool in_same_setup(const LectureStep& a, const LectureStep& b) {
  if (a.lecture != b.lecture || a.part() != b.part()) return false;
  return !a.lecture || a.step()->set == b.step()->set;
}

LectureStep step_of(std::shared_ptr<const Lecture> lecture, std::size_t index) {
  return moved_to(std::make_shared<OpenLecture>(OpenLecture{std::move(lecture), std::nullopt}), {nullptr, index});
}

LectureStep moved_to(std::shared_ptr<const OpenLecture> lecture, const LectureStep& step) {
  const std::size_t last = lecture->lecture->steps.size() - 1;
  return {std::move(lecture), std::min(step.index, last)};
}

StepLook look_of_step(const Lecture& lecture, std::size_t step, const Setup& setup) {
  const Step& shown = lecture.steps[step];
  StepLook look;
  for (std::size_t i = 0; i <= step; ++i) {
    const Step& passed = lecture.steps[i];
    const bool same = passed.part == shown.part && passed.set == shown.set;
    const Setup& its = same ? setup : lecture.setup_of(passed);
    const Index layer = std::min(passed.look_at.layer, its.sizes.layers - 1);
    look.selection = at_cell(look.selection, passed.look_at, seen_at(its, layer));
    look.view = view_named(passed.view).value_or(look.view);
  }
  if (shown.picture) look.view = View::picture;
  return look;
}

const Question* LessonState::question() const {
  return step() != nullptr && step()->question ? &*step()->question : nullptr;
}

AnswerState LessonState::answer_state() const {
  const auto found = answers.find(at.index);
  return found == answers.end() ? AnswerState{} : found->second;
}

bool LessonState::hides(const Cell& cell, const Setup& shown) const {
  return asks() && headlight::hides(*question(), cell, shown);
}

void LessonState::guess(std::optional<double> guess) {
  if (!asks()) return;
  AnswerState& said = answers[at.index];
  const bool again = guess && question()->is_chosen() && guess == said.missed;
  if (!again) said.guess = guess;
}

void LessonState::find_changes(const Setup& shown) {
  auto found = changes_in(at, shown);
  if (found != *changes) changes = std::make_shared<const std::vector<Change>>(std::move(found));
}

void LessonState::go_to(const LectureStep& step) {
  if (step == at) return;
  if (step.lecture != at.lecture) answers.clear();
  experiment.reset();
  traces.answered = {};
  at = step;
  hide_answer_that_sets(at.index);
}

void LessonState::hide_answer_that_sets(std::size_t step) {
  const auto said = answers.find(step);
  if (said == answers.end() || step >= step_count()) return;
  const auto& question = lecture()->steps[step].question;
  if (!question || question->set.empty()) return;
  said->second.shown = false;
  said->second.verdict = nullptr;
}

}  // namespace headlight
