#include "core/lecture/value.hpp"

#include <fmt/format.h>

#include "core/model/problem.hpp"

namespace headlight {

void Work::take(double steps) {
  left_ -= steps;
  if (left_ < 0)
    throw InputError(
        {"", "", "more than the numbers of a step may compute",
         fmt::format("operations on up to {} numbers in all, and products with up to 16 times as many terms", steps_)});
}

}  // namespace headlight
