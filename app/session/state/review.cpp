#include "app/session/state/review.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace headlight {
namespace {

/// A question that may come up again.
struct Candidate {
  ReviewItem item;
  std::size_t distance = 0;  ///< in lectures
  bool missed = false;
  std::uint16_t times = 0;
  bool was_hard = false;  ///< it took two tries
};

Candidate candidate_of(const Lecture& lecture, std::size_t step, StepMark mark, const Reviews& reviews,
                       std::size_t distance) {
  Candidate found{{lecture.id, step}, distance, mark == StepMark::shown, 0, mark == StepMark::second_try};
  const auto of_lecture = reviews.find(lecture.id);
  if (of_lecture == reviews.end()) return found;
  const auto known = of_lecture->second.find(step);
  if (known == of_lecture->second.end()) return found;
  found.times = known->second.times;
  found.missed = known->second.missed;
  return found;
}

std::vector<Candidate> candidates_before(const Lecture& lecture,
                                         const std::vector<std::shared_ptr<const Lecture>>& lectures,
                                         const LectureMarks& marks, const Reviews& reviews) {
  std::vector<const Lecture*> earlier;
  for (const auto& each : lectures) {
    if (each->id == lecture.id) break;
    if (each->list_position.group == LectureGroup::course) earlier.push_back(each.get());
  }
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    const auto known = marks.find(earlier[i]->id);
    if (known == marks.end() || earlier[i]->is_outline()) continue;
    for (std::size_t step = 0; step < std::min(known->second.size(), earlier[i]->steps.size()); ++step) {
      const StepMark mark = known->second[step];
      if (!earlier[i]->steps[step].question || mark < StepMark::shown || mark > StepMark::first_try) continue;
      found.push_back(candidate_of(*earlier[i], step, mark, reviews, earlier.size() - i));
    }
  }
  return found;
}

}  // namespace

std::vector<ReviewItem> questions_before(const Lecture& lecture,
                                         const std::vector<std::shared_ptr<const Lecture>>& lectures,
                                         const LectureMarks& marks, const Reviews& reviews) {
  if (lecture.list_position.group != LectureGroup::course) return {};
  std::vector<Candidate> left = candidates_before(lecture, lectures, marks, reviews);
  std::ranges::stable_sort(left, {}, [](const Candidate& each) {
    return std::tuple(!each.missed, each.times, !each.was_hard, each.distance, each.item.step);
  });
  std::vector<ReviewItem> chosen;
  const auto take = [&](auto&& fits, std::size_t most) {
    for (auto at = left.begin(); at != left.end() && most > 0 && chosen.size() < most_reviewed;) {
      if (!fits(*at)) {
        ++at;
        continue;
      }
      chosen.push_back(at->item);
      at = left.erase(at);
      --most;
    }
  };
  take([](const Candidate& each) { return each.missed; }, most_reviewed);
  for (const std::size_t distance : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{8}})
    take([&](const Candidate& each) { return each.distance == distance; }, 1);
  std::ranges::stable_sort(left, {}, [](const Candidate& each) { return std::tuple(each.times, each.distance); });
  take([](const Candidate&) { return true; }, most_reviewed);
  return chosen;
}

std::shared_ptr<const Reviews> with_review(const std::shared_ptr<const Reviews>& reviews, const ReviewItem& item,
                                           bool missed) {
  Reviews next = *reviews;
  Reviewed& known = next[item.lecture][item.step];
  known.missed = missed;
  if (known.times < 1000) ++known.times;
  return std::make_shared<const Reviews>(std::move(next));
}

Reviews joined(Reviews reviews, const Reviews& others) {
  for (const auto& [lecture, steps] : others)
    for (const auto& [step, other] : steps) {
      Reviewed& known = reviews[lecture][step];
      if (other.times > known.times) known = other;
    }
  return reviews;
}

}  // namespace headlight
