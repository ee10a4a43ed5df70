// The lectures that come with the program, and words as in a lecture.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/lecture/live_text_reader.hpp"

namespace headlight {

inline std::vector<Lecture> all_lectures() {
  std::vector<Lecture> lectures;
  for (const auto& path : lecture_files(HEADLIGHT_LECTURES)) lectures.push_back(read_lecture(path));
  return lectures;
}

/// The words of a lecture with nine steps. Throws InputError if something is wrong with them.
inline LiveText read_live_text(std::string_view markdown) {
  std::vector<WordsProblem> problems;
  LiveText text = read_live_text(markdown, {nullptr, 9, {}}, problems);
  for (const WordsProblem& found : problems) throw InputError(found.problem);
  return text;
}

inline bool can_be_compared(const Fact& fact) { return fact.not_reproducible.empty(); }

}  // namespace headlight
