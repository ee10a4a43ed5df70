// What a step chooses about its matrix: rows, rounding and labels. The room on the screen decides about the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/shape.hpp"

namespace headlight {

/// The labels beside the rows or above the columns of a matrix.
struct AxisWords {
  enum class Kind : std::uint8_t {
    automatic,  ///< words and positions, or the words alone
    words,      ///< the words alone: "sat"
    positions,  ///< the positions alone: "q2"
    own,        ///< words of the step's own
  };
  Kind kind = Kind::automatic;
  std::vector<std::string> own = {};  ///< one for each index

  friend bool operator==(const AxisWords&, const AxisWords&) = default;
};

/// Rows that follow each other.
struct RowRange {
  Index first = 0;
  Index count = 0;

  bool has(Index row) const { return row >= first && row < first + count; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

struct MatrixChoices {
  std::optional<RowRange> rows = {};  ///< only these show at first; the person can zoom out
  std::optional<int> decimals = {};   ///< of every number in the picture
  AxisWords row_words = {};
  AxisWords column_words = {};

  friend bool operator==(const MatrixChoices&, const MatrixChoices&) = default;
};

inline constexpr int most_chosen_decimals = 6;

}  // namespace headlight
