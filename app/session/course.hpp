// How far a person has come in the course, and what comes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/lecture/lecture.hpp"

namespace headlight {

class Session;

/// What comes next for the person.
struct NextLesson {
  enum class Kind : std::uint8_t {
    first,  ///< nothing is done and nothing is begun
    going,  ///< a lecture is begun
    next,   ///< some are done, and this is the first that isn't
    again,  ///< the whole course is done
  };
  std::shared_ptr<const Lecture> lecture;  ///< null if there are no lectures
  std::size_t step = 0;                    ///< from 0
  Kind kind = Kind::first;
  bool only_question = false;  ///< all of the lecture was seen, and this step's question is still open
};

/// The open lecture if it is begun, else the first of the course that is begun or not done.
NextLesson next_lesson(const Session& session);

/// Of a lecture that is begun, where it goes on: "Step 5 of 10: Blend."; else empty.
std::string words_of_step(const NextLesson& next);

/// "Start: Which bank?", "Continue at step 5".
std::string words_of(const NextLesson& next);

/// "ten lessons, about seven hours, one question at a time"; "1 of 10 done, about six hours to go".
std::string words_of_course(const Session& session);

/// The line about a lecture in a list: its own, or else the beginning of what it says about its source.
std::string line_about(const Lecture& lecture);

}  // namespace headlight
