// What a step of a lecture shows in place of a view: a picture that is made for what the step says. Its numbers are
// those of the trace.
#pragma once

#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/names.hpp"
#include "core/model/shape.hpp"

namespace headlight {

/// Words in a row as one reads them, their features below, then the numbers of one query, and how it blends the words.
/// The query is the row of the step's cell.
struct SentencePicture {
  /// Two states: that of the step's part above, and upside down below it that of the step, so that equal numbers lie
  /// side by side.
  bool mirrored = false;
  std::vector<Index> features;  ///< of X: a row for each
  std::vector<TensorId> rows;   ///< of the query, from queries to keys: scores, weights
  bool blend = true;            ///< the query's row of the output, in the same features
};

using StepPicture = std::variant<SentencePicture>;

inline constexpr std::array<std::string_view, 2> picture_kinds{"sentence", "mirror"};

}  // namespace headlight
