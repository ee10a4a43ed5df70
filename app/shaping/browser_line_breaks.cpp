// By the browser, which knows the words of these scripts.
#include "app/shaping/system_line_breaks.hpp"

extern "C" int page_line_break(const char* text, int from);

namespace headlight {

std::size_t next_line_break(const std::string& text, std::size_t from) {
  return static_cast<std::size_t>(page_line_break(text.c_str(), static_cast<int>(from)));
}

}  // namespace headlight
