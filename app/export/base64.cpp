#include "app/export/base64.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace headlight {

std::string to_base64(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t taken = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < taken ? bytes[at + i] : 0u);
    for (std::size_t i = 0; i < 4; ++i) text += i <= taken ? digits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace headlight
