// Where the person is: at a step of an open lecture, or outside of any.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/lecture/check.hpp"
#include "core/lecture/lecture.hpp"
#include "core/model/problem.hpp"

namespace headlight {

/// A lecture with the results of comparing its printed facts, which happens once, when the lecture is opened.
struct OpenLecture {
  std::shared_ptr<const Lecture> lecture;
  std::optional<std::vector<FactResult>> facts;  ///< none until compared, which is before the lecture is shown
};

struct LecturePlace {
  std::shared_ptr<const OpenLecture> lecture;  ///< null outside of any lecture
  std::size_t step = 0;

  /// The step and its part; null outside of any lecture.
  const Step* shown_step() const;
  const Part* part() const;
  /// The setup that the lecture gives the step; null outside of any lecture.
  const Setup* setup() const;
  /// Whether the lecture's facts are still to be compared.
  bool is_unchecked() const { return lecture && !lecture->facts; }
};

/// Whether both show the same setup of the same lecture, or are outside of any: the same part, with the same settings.
bool in_same_setup(const LecturePlace& a, const LecturePlace& b);

/// A step of a lecture whose facts have not been compared yet; the last one where it has not as many.
LecturePlace place_in(std::shared_ptr<const Lecture> lecture, std::size_t step);
/// The same step of another version of its lecture.
LecturePlace moved_to(std::shared_ptr<const OpenLecture> lecture, const LecturePlace& place);

/// Why a lecture cannot be opened; empty if it can.
std::vector<Problem> problems_of(const Lecture& lecture);

}  // namespace headlight
