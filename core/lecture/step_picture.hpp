// What a step of a lecture shows in place of a view: a picture that is made for what the step says. Its numbers are
// those of the trace.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "core/lecture/expression.hpp"
#include "core/model/names.hpp"
#include "core/model/shape.hpp"

namespace headlight {

/// Words in a row as one reads them, their features below, then the numbers of one query, and how it blends the words.
/// The query is the row of the step's cell.
struct SentencePicture {
  /// Two states: that of the step's part above, and upside down below it that of the step, so that equal numbers are
  /// side by side.
  bool mirrored = false;
  std::vector<Index> features;  ///< of X: a row for each
  std::vector<TensorId> rows;   ///< of the query, from queries to keys: scores, weights
  bool blend = true;            ///< the query's row of the output, in the same features
};

/// Numbers of the trace as functions of a number of the setup.
struct CurvePicture {
  struct Line {
    std::string label;
    Expression value = Expression("0");
  };
  std::string play;  ///< the number and its range: "temperature=0.1..1e6"
  std::vector<Line> lines;
};

/// Rows of tensors as arrows in the plane of two features.
struct ArrowsPicture {
  std::vector<TensorId> tensors;  ///< one: each of its rows; two: the query's row of the first, rows of the second
  std::array<Index, 2> pair{0, 1};
  std::vector<Index> rows;  ///< of the only or the second tensor; empty: all
};

/// How the step's tensor is made, as boxes with names and shapes.
struct ShapesPicture {};

using StepPicture = std::variant<SentencePicture, CurvePicture, ArrowsPicture, ShapesPicture>;

inline constexpr std::array<std::string_view, 5> picture_kinds{"sentence", "mirror", "curve", "arrows", "shapes"};

}  // namespace headlight
