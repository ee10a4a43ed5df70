#include "app/platform/animation/apng.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <zlib.h>

#include "app/platform/animation/frame_change.hpp"
#include "core/formats/files.hpp"

namespace headlight {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t signature_length = 8;

std::uint32_t number_at(const Bytes& bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at]) << 24 | static_cast<std::uint32_t>(bytes[at + 1]) << 16 |
         static_cast<std::uint32_t>(bytes[at + 2]) << 8 | bytes[at + 3];
}

std::string big_endian(std::uint32_t value, int bytes = 4) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 255);
  return text;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  const uLong sum = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(sum));
}

/// Calls `body(type, data)` for each chunk of a PNG file.
void for_each_chunk(const Bytes& png, auto&& body) {
  const auto* const text = reinterpret_cast<const char*>(png.data());
  for (std::size_t at = signature_length; at + 12 <= png.size();) {
    const std::size_t length = number_at(png, at);
    body(std::string_view(text + at + 4, 4), std::string_view(text + at + 8, length));
    at += length + 12;
  }
}

/// Writes the chunks of the frames, which carry numbers that run through the whole file.
class FrameChunks {
 public:
  explicit FrameChunks(double seconds) : thousandths_(static_cast<std::uint32_t>(std::lround(seconds * 1000))) {}

  /// The control chunk of a frame: its block of pixels, which replaces those below, and how long it shows.
  std::string control(const PixelBlock& block) {
    constexpr char keep = 0;
    constexpr char replace = 0;
    std::string data = big_endian(number_++);
    for (const int value : {block.width, block.height, block.x, block.y})
      data += big_endian(static_cast<std::uint32_t>(value));
    data += big_endian(thousandths_, 2) + big_endian(1000, 2);
    return chunk("fcTL", data + keep + replace);
  }
  std::string data(std::string_view compressed) {
    return chunk("fdAT", big_endian(number_++) + std::string(compressed));
  }

 private:
  std::uint32_t thousandths_;
  std::uint32_t number_ = 0;
};

bool has_transparency(const Animation& animation) {
  for (std::size_t i = 0; i < animation.frames; ++i) {
    const Image image = animation.picture(i);
    for (std::size_t at = 3; at < image.rgba.size(); at += 4)
      if (image.rgba[at] != 255) return true;
  }
  return false;
}

/// Writes the first picture, with the header and the text of the whole file. Programs without animation show only it.
void write_first(FileWriter& file, const Bytes& png, const Animation& animation, FrameChunks& chunks) {
  file.append({reinterpret_cast<const char*>(png.data()), signature_length});
  bool controlled = false;
  const Image size = animation.picture(0);
  for_each_chunk(png, [&](std::string_view type, std::string_view data) {
    if (type == "IEND") return;
    if (type == "IDAT" && !std::exchange(controlled, true))
      file.append(chunks.control({0, 0, size.width, size.height}));
    file.append(chunk(type, data));
    if (type == "IHDR")
      file.append(chunk("acTL", big_endian(static_cast<std::uint32_t>(animation.frames)) + big_endian(0)));
  });
}

}  // namespace

void write_apng(const std::filesystem::path& path, const Animation& animation, const PngText& text) {
  const PngColors colors = has_transparency(animation) ? PngColors::with_alpha : PngColors::opaque;
  FileWriter file(path);
  FrameChunks chunks(std::max(animation.seconds, shortest_frame));
  Image before = animation.picture(0);
  write_first(file, encode_png(before, text, 0, colors), animation, chunks);
  for (std::size_t i = 1; i < animation.frames; ++i) {
    Image now = animation.picture(i);
    const PixelBlock block = changed_block(before, now);
    file.append(chunks.control(block));
    const Bytes part = encode_png(now.cropped(block.x, block.y, block.width, block.height), {}, 0, colors);
    for_each_chunk(part, [&](std::string_view type, std::string_view data) {
      if (type == "IDAT") file.append(chunks.data(data));
    });
    before = std::move(now);
  }
  file.append(chunk("IEND", {}));
  file.commit();
}

}  // namespace headlight
