// A pasted printout of several arrays: what is accepted has digits where it has a point, and as many as numbers.
#include <stdexcept>

#include "core/formats/diagnose/printed_arrays.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {

void judge(std::string_view bytes) {
  std::vector<GivenArray> arrays;
  try {
    arrays = parse_printed_arrays(bytes);
  } catch (const std::invalid_argument& error) {
    require(*error.what() != '\0', "a refusal says what was found");
    return;
  }
  require(!arrays.empty(), "a printout holds an array");
  for (const GivenArray& array : arrays) {
    require(array.values.elements() > 0, "an array holds numbers");
    if (array.half_digits.empty()) continue;
    require(array.half_digits.shape() == array.values.shape(), "each number has its digits");
    for (Index i = 0; i < array.half_digits.elements(); ++i)
      require(array.half_digits.data<double>()[i] >= 0, "half a digit is no less than nothing");
  }
}

}  // namespace headlight::fuzz
