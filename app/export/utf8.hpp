// UTF-8 without what files cannot hold.
#pragma once

#include <string>
#include <string_view>

#include "core/text/utf8.hpp"

namespace headlight {

/// The text with U+FFFD in place of control characters and of code points that Unicode keeps for no character: XML has
/// no way to write the former, Cairo refuses the latter.
std::string writable(std::string_view utf8);

}  // namespace headlight
