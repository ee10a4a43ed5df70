// Bytes as text, by RFC 4648.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headlight {

/// Base64 with padding, for data: URLs.
std::string to_base64(std::span<const unsigned char> bytes);

/// The alphabet that needs no escapes in an address ("-" and "_"), without padding.
std::string to_base64url(std::span<const unsigned char> bytes);
/// Reads it back; nullopt if a character is missing or is not in the alphabet. Padding is optional.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace headlight
