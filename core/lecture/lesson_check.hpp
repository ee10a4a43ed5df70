// Checks what a lecture's words and questions claim: that every live number has a value under its step's setup, and
// every question exactly one answer.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/engine/engine.hpp"
#include "core/lecture/lecture.hpp"

namespace headlight {

struct LessonResult {
  enum class Kind : std::uint8_t { question, live_number } kind = Kind::question;
  std::size_t step = 0;
  int line = 0;       ///< in the file; 0 where it is not known
  std::string what;   ///< the question, or the expression
  std::string words;  ///< the answer, or the number as it is shown
  std::string found;  ///< what is wrong; empty where nothing is
  std::string allowed;

  bool holds() const { return found.empty(); }
};

/// Computes the setup of each step that has live numbers or a question, and evaluates them. Throws InputError where a
/// setup cannot be computed, and Stopped soon after it is asked to stop.
std::vector<LessonResult> check_lessons(const Lecture& lecture, const std::stop_token& stop = {},
                                        const std::shared_ptr<Threads>& threads = std::make_shared<Threads>());

}  // namespace headlight
