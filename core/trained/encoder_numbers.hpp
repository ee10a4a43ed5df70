// The bytes of the sentence encoder's numbers, which are most of the program.
#pragma once

namespace headlight::sentence_encoder {

/// The content of assets/models/sentence-encoder.bin. It is in the program, except in a page, which gets it when this
/// is first called. Throws InputError if it can't be had.
const char* numbers();

/// Whether they are here already, so that numbers() does not wait for a network.
bool are_here();

}  // namespace headlight::sentence_encoder
