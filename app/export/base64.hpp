// Encodes bytes as text, for data: URLs.
#pragma once

#include <span>
#include <string>

namespace headlight {

/// The bytes in base64 by RFC 4648, with padding.
std::string to_base64(std::span<const unsigned char> bytes);

}  // namespace headlight
