// The claims that the screen may make about the notebook that the lecture follows.
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
    setup_differs,     ///< the person changed the setup, so the notebook says nothing about these numbers
    not_reproducible,  ///< printed, but it cannot be compared
  };
  Kind kind = Kind::none;
  FactOrigin origin = FactOrigin::notebook;  ///< whose printed facts were compared
  std::vector<TensorId> tensors;             ///< the step's tensor, or else all that its part printed
  Index values = 0;                          ///< how many values were compared; 0 if only shapes were
  std::optional<double> largest_difference;  ///< among the compared values
  std::string text;  ///< the sentence: "output matches the notebook: max |Δ| 4.9e-09, 32 values"
  std::string note;  ///< another remark, to be honest about the rest; may be empty

  friend bool operator==(const Badge&, const Badge&) = default;
};

/// The badge of a step, from the results of check() for its lecture. `changed_keys` counts the keys that affect numbers
/// and differ between the person's setup and the part's.
Badge badge_of(const Lecture& lecture, std::size_t step, const std::vector<FactResult>& facts,
               std::size_t changed_keys);

}  // namespace headlight
