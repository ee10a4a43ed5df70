// Text as an address holds it: compressed (raw deflate, RFC 1951), then written in base64url without padding.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headlight {

std::string packed_text(std::string_view text);

/// Reads it back; nullopt if it is damaged, cut short, or would be longer than `longest` bytes.
std::optional<std::string> unpacked_text(std::string_view packed, std::size_t longest = std::size_t{16} << 20);

}  // namespace headlight
