// The bytes of the sentence encoder's numbers, which are most of the program.
#pragma once

#include <cstdint>

namespace headlight::sentence_encoder {

/// The content of assets/models/sentence-encoder.bin. It is in the program, except in a page, which has to fetch it: if
/// it has not arrived, this waits for it. Throws InputError if it can't be had.
const char* numbers();

/// Whether the numbers are here. `failed`: fetch() couldn't get them, and another call tries again.
enum class Arrival : std::uint8_t { none, coming, here, failed };
Arrival arrival();

/// Starts to fetch them, where they are neither here nor coming, and returns at once.
void fetch();

}  // namespace headlight::sentence_encoder
