// Checks the claims of a lecture: that its setups give what its document printed, that every live number has a value
// under its step's setup, and that every question has exactly one answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/engine/engine.hpp"
#include "core/lecture/lecture.hpp"

namespace headlight {

struct FactResult {
  std::string what;  ///< "output, 32 values to 8 decimals", "Q shape (1, 5, 16)"
  std::string part;  ///< Part::id
  enum class Verdict : std::uint8_t { holds, differs, not_reproducible } verdict = Verdict::holds;
  FactOrigin origin = FactOrigin::notebook;
  std::optional<double> largest_difference;  ///< of value facts that were compared
  std::string detail;                        ///< the shape found, "(1, 5, 16)", or why the fact cannot be compared
  TensorId tensor = TensorId::output;
  Index layer = 0;
  Index values = 0;  ///< how many values were compared; 0 for a shape
};

/// Compares the traces of a part with its facts. A value holds where rounding it to the printed decimals gives the
/// printed digits.
std::vector<FactResult> check(const Part& part, const ModelTrace& model);
/// Computes each part and does the same. Throws InputError where a setup cannot be computed, and Stopped soon after it
/// is asked to stop.
std::vector<FactResult> check(const Lecture& lecture, const std::stop_token& stop = {},
                              const std::shared_ptr<Threads>& threads = std::make_shared<Threads>());

/// The texts of a step that may have links.
std::vector<const LiveText*> texts_of(const Step& step);

struct LessonResult {
  enum class Kind : std::uint8_t { question, live_number, step } kind = Kind::question;
  std::size_t step = 0;
  int line = 0;       ///< in the file; 0 where it is not known
  std::string what;   ///< the question, the expression, or the title of the step
  std::string words;  ///< the answer, or the number as it is shown
  std::string found;  ///< the fault; empty if there is none
  std::string allowed;

  bool holds() const { return found.empty(); }
};

/// Computes the setup of each step, and evaluates its live numbers and its question. A step of the results is one whose
/// numbers overflow. Throws InputError naming the step where a setup cannot be computed, and Stopped soon after it is
/// asked to stop.
std::vector<LessonResult> check_lessons(const Lecture& lecture, const std::stop_token& stop = {},
                                        const std::shared_ptr<Threads>& threads = std::make_shared<Threads>());

}  // namespace headlight
