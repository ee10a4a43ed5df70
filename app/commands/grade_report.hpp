// The grades of a class as a page to show: what was wrong how often, a table, and the comparison of each submission.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/formats/diagnose/grades.hpp"

namespace headlight {

/// A lesson of the course, and the step that makes the mistake; 0: all of it is about such mistakes.
struct LessonToTeach {
  std::string id, title;
  std::size_t step = 0;
};

struct GradeReport {
  std::string title;                                  ///< of the setup or the lecture
  std::vector<Grade> grades;                          ///< in any order
  double points = 0;                                  ///< that can be reached; 0: none are given
  bool anonymous = false;                             ///< "submission 1" in place of the names
  std::map<std::string, LessonToTeach> lessons = {};  ///< by the names of mistakes
};

/// One HTML file. Of a submission it has the name and the result, and none of its numbers or of the names of its
/// arrays. Mistakes are in the order of their frequency, and so are the submissions; right ones come last.
std::string to_html(const GradeReport& report);

}  // namespace headlight
