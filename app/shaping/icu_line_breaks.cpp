// By ICU: the rules of Unicode (UAX 14), and its dictionaries of Thai, Lao, Khmer and Burmese words.
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <cstdint>

#include "app/shaping/destroyer.hpp"
#include "app/shaping/system_line_breaks.hpp"

namespace headlight {
namespace {

using Breaks = Owned<UBreakIterator, ubrk_close>;
using Text = Owned<UText, utext_close>;

/// Reading ICU's rules takes longer than using them, so each thread does it once. Null where ICU has no data.
UBreakIterator* breaks_of_this_thread() {
  thread_local const Breaks breaks = [] {
    UErrorCode error = U_ZERO_ERROR;
    return Breaks(ubrk_open(UBRK_LINE, "en", nullptr, 0, &error));
  }();
  return breaks.get();
}

}  // namespace

std::size_t next_line_break(const std::string& text, std::size_t from) {
  UBreakIterator* const breaks = breaks_of_this_thread();
  UErrorCode error = U_ZERO_ERROR;
  const Text read(utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &error));
  if (breaks == nullptr || U_FAILURE(error)) return text.size();
  ubrk_setUText(breaks, read.get(), &error);
  if (U_FAILURE(error)) return text.size();
  const std::int32_t found = ubrk_following(breaks, static_cast<std::int32_t>(from));
  return found == UBRK_DONE ? text.size() : static_cast<std::size_t>(found);
}

}  // namespace headlight
