// Questions that come up again: up to three of them, from earlier lectures, before a lecture of the course.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/session/state/marks.hpp"
#include "core/lecture/lecture.hpp"

namespace headlight {

/// The question of a lecture's step.
struct ReviewItem {
  std::string lecture;  ///< its id
  std::size_t step = 0;

  friend bool operator==(const ReviewItem&, const ReviewItem&) = default;
};

/// What is asked before a lecture, and how far that is. It has an item.
struct Review {
  std::vector<ReviewItem> items;
  std::size_t at = 0;
  bool noted = false;   ///< how the present item was answered is in the Reviews
  std::string lecture;  ///< the id of the one that opens afterwards

  const ReviewItem& item() const { return items[at]; }
  friend bool operator==(const Review&, const Review&) = default;
};

/// How a question was answered when it came up again.
struct Reviewed {
  std::uint16_t times = 0;
  bool missed = false;  ///< the last time

  friend bool operator==(const Reviewed&, const Reviewed&) = default;
};
/// By the lecture's id and the step.
using Reviews = std::map<std::string, std::map<std::size_t, Reviewed>>;

inline constexpr std::size_t most_reviewed = 3;

/// What to ask before this lecture of the course: first questions that were missed; then one each from the lecture one,
/// two, four and eight places before, the one that came up least often; then others of the nearest. Only questions that
/// were answered once come up again, and nothing does outside of the course.
std::vector<ReviewItem> questions_before(const Lecture& lecture,
                                         const std::vector<std::shared_ptr<const Lecture>>& lectures,
                                         const LectureMarks& marks, const Reviews& reviews);

/// With another answer to the question.
std::shared_ptr<const Reviews> with_review(const std::shared_ptr<const Reviews>& reviews, const ReviewItem& item,
                                           bool missed);
/// What is in both; of a question that both know, the one that came up more often.
Reviews joined(Reviews reviews, const Reviews& others);

}  // namespace headlight
