// The program's standard streams: what a command prints has arrived when it ends with 0, and what it says beside that
// changes no result.
#pragma once

#include <string_view>

namespace headlight {

/// Fills the places of standard streams that the program was started without. Otherwise the next file that is opened
/// would take such a place, and get what is meant for the stream. Writing to them still fails.
void fill_closed_streams();

/// Writes the bytes of a file to standard output. Throws InputError if it takes no more.
void print(std::string_view text);

/// Writes words for a person to standard output, with control characters escaped but for line breaks. Throws as print.
void print_words(std::string_view words);

/// Returns when everything printed has left the program. Throws InputError if that fails.
void finish_printing();

/// Writes to standard error, if it takes anything.
void say(std::string_view text);

}  // namespace headlight
