// What a person hands over to have it checked: arrays under their own names.
#pragma once

#include <string>

#include "core/model/tensor.hpp"

namespace headlight {

struct GivenArray {
  std::string name;  ///< as in the file: "attn_scores"; empty where a printout has none
  Tensor values;     ///< in the shape that the file has
  /// Of a printout: half a unit of each number's last printed digit, in the shape of `values`. Empty where the numbers
  /// are complete.
  Tensor half_digits;
  bool called_by_file = false;  ///< the name is that of the file, which may say nothing of what is in it
};

}  // namespace headlight
