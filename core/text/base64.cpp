#include "core/text/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace headlight {
namespace {

constexpr std::string_view usual = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view for_addresses = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encoded(std::span<const unsigned char> bytes, std::string_view digits, std::string_view padding) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t taken = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < taken ? bytes[at + i] : 0u);
    for (std::size_t i = 0; i <= taken; ++i) text += digits[bits >> (18 - 6 * i) & 63];
    for (std::size_t i = taken; i < 3; ++i) text += padding;
  }
  return text;
}

}  // namespace

std::string to_base64(std::span<const unsigned char> bytes) { return encoded(bytes, usual, "="); }

std::string to_base64url(std::span<const unsigned char> bytes) { return encoded(bytes, for_addresses, ""); }

std::optional<std::string> from_base64url(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int known = 0;
  for (const char c : text) {
    const auto digit = for_addresses.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    known += 6;
    if (known < 8) continue;
    known -= 8;
    bytes += static_cast<char>(bits >> known & 0xFF);
  }
  return bytes;
}

}  // namespace headlight
