// Makes text fit for SVG, PDF and HTML.
#pragma once

#include <string>
#include <string_view>

namespace headlight {

/// The text with U+FFFD in place of control characters, which XML cannot write, and of code points that are not
/// characters (U+FFFE), which Cairo refuses.
std::string writable(std::string_view utf8);

}  // namespace headlight
