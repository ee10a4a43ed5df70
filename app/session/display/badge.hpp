// What the screen may say about the notebook that the lecture follows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/lecture/check.hpp"

namespace headlight {

struct Badge {
  enum class Kind : std::uint8_t {
    none,              ///< no lecture, or nothing printed for this part
    matches,           ///< every compared fact holds
    differs,           ///< a fact does not hold
    setup_differs,     ///< the person changed the setup: nothing can be said about the notebook
    not_reproducible,  ///< printed, but nobody can compare it
  };
  Kind kind = Kind::none;
  FactOrigin origin = FactOrigin::notebook;  ///< who printed what was compared
  std::vector<TensorId> tensors;             ///< what was compared: the step's tensor, or else what its part printed
  Index values = 0;                          ///< how many values were compared; 0 where only shapes were
  std::optional<double> largest_difference;  ///< of the values that were compared
  std::string text;  ///< the sentence: "output matches the notebook: max |Δ| 4.9e-09, 32 values"
  std::string note;  ///< what else an honest reader should know; may be empty

  friend bool operator==(const Badge&, const Badge&) = default;
};

/// The badge of a step, from the results of check() for its lecture. `changed_keys` is the number of keys with which
/// the person's setup differs from the part's in a way that affects numbers.
Badge badge_of(const Lecture& lecture, std::size_t step, const std::vector<FactResult>& facts,
               std::size_t changed_keys);

}  // namespace headlight
