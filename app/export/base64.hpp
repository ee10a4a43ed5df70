// Bytes as text, for data: URLs.
#pragma once

#include <span>
#include <string>

namespace headlight {

/// RFC 4648, with padding.
std::string to_base64(std::span<const unsigned char> bytes);

}  // namespace headlight
