#include "app/commands/lectures.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "app/commands/exit_code.hpp"
#include "app/commands/table.hpp"
#include "app/lectures/library.hpp"

namespace headlight {

int list_lectures(const std::optional<std::filesystem::path>& folder) {
  std::vector<std::vector<std::string>> rows;
  for (const Lecture& lecture : LectureLibrary(folder).lectures()) {
    rows.push_back({lecture.id, fmt::format("{}", lecture.steps.size()), lecture.title, lecture.source});
  }
  fmt::print("{}", table({"id", "steps", "title", "follows"}, rows));
  return done;
}

}  // namespace headlight
