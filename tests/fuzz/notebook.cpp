// A notebook as it was saved: it is refused with InputError, or holds arrays.
#include "core/formats/diagnose/notebook_arrays.hpp"
#include "core/model/problem.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {

void judge(std::string_view bytes) {
  std::vector<GivenArray> arrays;
  try {
    arrays = parse_notebook(bytes, "notebook.ipynb");
  } catch (const InputError& error) {
    require(!error.problems().empty(), "a refusal says what was found");
    return;
  }
  require(!arrays.empty(), "what is accepted holds an array");
  for (const GivenArray& array : arrays) require(array.values.elements() > 0, "an array holds numbers");
}

}  // namespace headlight::fuzz
