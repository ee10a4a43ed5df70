// softmax once more, in a WebAssembly module of its own that is compiled with relaxed SIMD. It has the memory of the
// program, and the program asks for it where the browser can read it (core/compute/relaxed_softmax.hpp).
#include "core/compute/fused.hpp"
#include "core/compute/softmax.hpp"

namespace headlight {

extern "C" {
/// Whether this browser rounds a product and a sum once: (1 + e)² − (1 + 2e) is e² then, and 0 otherwise.
[[clang::export_name("rounds_once")]] int rounds_once(double e) {
  using Number = QuickFused<double>::Register;
  const Number one_and_e = Number{} + (1 + e), rest = Number{} - (1 + 2 * e);
  const float f = static_cast<float>(e * 0x1p15);
  using Short = QuickFused<float>::Register;
  const Short short_one_and_e = Short{} + (1 + f), short_rest = Short{} - (1 + 2 * f);
  return QuickFused<double>::of_register(one_and_e, one_and_e, rest)[0] == e * e &&
         QuickFused<float>::of_register(short_one_and_e, short_one_and_e, short_rest)[0] == f * f;
}
[[clang::export_name("softmax_doubles")]] void softmax_doubles(const double* scores, double* weights, Index rows,
                                                               Index keys) {
  softmax_rows(scores, weights, rows, keys);
}
[[clang::export_name("softmax_floats")]] void softmax_floats(const float* scores, float* weights, Index rows,
                                                             Index keys) {
  softmax_rows(scores, weights, rows, keys);
}
}

}  // namespace headlight
