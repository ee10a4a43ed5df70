// What a place on an axis of a tensor is called: in pictures, in explanations, and in the questions of lectures.
#pragma once

#include <string>

#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// "sat" over "q2"; features have an index, "d3", and a name only where the setup gives them one.
struct AxisLabel {
  std::string token;  ///< empty where the setup has no name for the place
  std::string index;

  const std::string& main() const { return token.empty() ? index : token; }
};

/// The label of a place on one of the tensor's axes, which are counted from 0.
AxisLabel label_on_axis(TensorId tensor, int axis, Index place, const Setup& setup);

/// A head's name, or "head 3" where the setup names none.
std::string head_words(Index head, const Setup& setup);

}  // namespace headlight
