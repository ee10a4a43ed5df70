// Compares a lecture with what its document printed.
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
  Index values = 0;  ///< how many values were compared; 0 for a shape
};

/// Computes each part and compares it with its facts. A value holds where rounding it to the printed decimals gives the
/// printed digits. Throws InputError where a setup cannot be computed, and Stopped soon after it is asked to stop.
std::vector<FactResult> check(const Lecture& lecture, const std::stop_token& stop = {},
                              const std::shared_ptr<Threads>& threads = std::make_shared<Threads>());

}  // namespace headlight
