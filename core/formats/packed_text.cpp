#include "core/formats/packed_text.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <span>

#include <zlib.h>

#include "core/text/base64.hpp"

namespace headlight {
namespace {

constexpr int without_header = -15;  // zlib: a raw stream with the largest window

Bytef* bytes_of(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

}  // namespace

std::string packed_text(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, without_header, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = bytes_of(text);
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = bytes_of(packed);
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return to_base64url({reinterpret_cast<const unsigned char*>(packed.data()), packed.size()});
}

std::optional<std::string> unpacked_text(std::string_view packed, std::size_t longest) {
  const auto bytes = from_base64url(packed);
  if (!bytes) return std::nullopt;
  z_stream stream{};
  if (inflateInit2(&stream, without_header) != Z_OK) throw std::bad_alloc();
  stream.next_in = bytes_of(*bytes);
  stream.avail_in = static_cast<uInt>(bytes->size());
  std::string text;
  std::array<char, 1 << 14> piece;
  int state = Z_OK;
  while (state == Z_OK && text.size() <= longest) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  const bool whole = state == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!whole || text.size() > longest) return std::nullopt;
  return text;
}

}  // namespace headlight
