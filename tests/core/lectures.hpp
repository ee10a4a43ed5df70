// The lectures that come with the program.
#pragma once

#include <filesystem>
#include <vector>

#include "core/formats/lecture/lecture_file.hpp"

namespace headlight {

inline std::vector<Lecture> all_lectures() {
  std::vector<Lecture> lectures;
  for (const auto& path : lecture_files(HEADLIGHT_LECTURES)) lectures.push_back(read_lecture(path));
  return lectures;
}

inline bool can_be_compared(const Fact& fact) { return fact.not_reproducible.empty(); }

}  // namespace headlight
