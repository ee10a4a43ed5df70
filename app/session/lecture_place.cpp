#include "app/session/lecture_place.hpp"

#include <algorithm>
#include <utility>

#include "app/session/worker.hpp"

namespace headlight {

const Step* LecturePlace::shown_step() const { return lecture ? &lecture->lecture->steps[step] : nullptr; }

const Part* LecturePlace::part() const { return lecture ? &lecture->lecture->parts[shown_step()->part] : nullptr; }

const Setup* LecturePlace::setup() const { return lecture ? &lecture->lecture->setup_of(*shown_step()) : nullptr; }

bool in_same_setup(const LecturePlace& a, const LecturePlace& b) {
  if (a.lecture != b.lecture || a.part() != b.part()) return false;
  return !a.lecture || a.shown_step()->set == b.shown_step()->set;
}

LecturePlace place_in(std::shared_ptr<const Lecture> lecture, std::size_t step) {
  const LecturePlace place{nullptr, step};
  return moved_to(std::make_shared<OpenLecture>(OpenLecture{std::move(lecture), std::nullopt}), place);
}

LecturePlace moved_to(std::shared_ptr<const OpenLecture> lecture, const LecturePlace& place) {
  const std::size_t last = lecture->lecture->steps.size() - 1;
  return {std::move(lecture), std::min(place.step, last)};
}

std::vector<Problem> problems_of(const Lecture& lecture) {
  if (lecture.parts.empty() || lecture.steps.empty())
    return {{lecture.id, "steps", "none", "at least one step and one part"}};
  for (const Part& part : lecture.parts)
    if (auto found = refusals(part.setup, default_memory_limit); !found.empty()) return found;
  for (const Step& step : lecture.steps)
    if (step.changed_setup)
      if (auto found = refusals(*step.changed_setup, default_memory_limit); !found.empty()) return found;
  return {};
}

}  // namespace headlight
