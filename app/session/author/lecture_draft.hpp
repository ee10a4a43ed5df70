// A lecture as its author writes it: the text of its file, cut into its steps.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/problem.hpp"

namespace headlight {

class Session;

struct LectureDraft {
  std::string front;               ///< all before the first step: title, setup, facts
  std::vector<std::string> steps;  ///< the text of each, from its heading to the next one

  /// The part of the text at a place: 0 is the front, 1 the first step.
  const std::string& at(std::size_t place) const { return place == 0 ? front : steps[place - 1]; }
  std::string& at(std::size_t place) { return place == 0 ? front : steps[place - 1]; }

  friend bool operator==(const LectureDraft&, const LectureDraft&) = default;
};

LectureDraft draft_of(std::string_view text);
std::string text_of(const LectureDraft& draft);
/// The heading of a step without its markup; empty where it has none.
std::string title_of(const std::string& step);

/// The line of the file, from 1, in which the part at a place begins.
int first_line(const LectureDraft& draft, std::size_t place);
/// The line of the file that a problem is about, from its source "lesson.md:12"; 0 where it names none.
int line_of(const Problem& problem);

/// The text of a step that shows what the session shows: its cell and view, and the settings that differ from those of
/// the lecture's part.
std::string step_of_screen(const Session& session);

}  // namespace headlight
