#include "core/trained/encoder_numbers.hpp"

extern "C" const char _binary_sentence_encoder_bin_start[];

namespace headlight::sentence_encoder {

const char* numbers() { return _binary_sentence_encoder_bin_start; }
bool are_here() { return true; }

}  // namespace headlight::sentence_encoder
