// PNG files: pictures in and out, with text beside them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/platform/pictures/image.hpp"

namespace headlight {

/// Text stored with the picture, by keyword ("Software", "Comment", "Setup"): what it shows, so that it can be redrawn.
/// UTF-8; keywords are at most 79 characters of ASCII.
using PngText = std::map<std::string, std::string>;

/// Whether alpha is stored: where a pixel needs it, or as the caller says.
enum class PngColors : std::uint8_t { as_needed, opaque, with_alpha };

/// The bytes of a PNG file. `dpi`, where it is above 0, is how large the picture is meant to be printed.
std::vector<unsigned char> encode_png(const Image& image, const PngText& text = {}, double dpi = 0,
                                      PngColors colors = PngColors::as_needed);
/// Throws InputError naming `source` when the bytes are not a PNG.
Image decode_png(const std::vector<unsigned char>& bytes, const std::string& source, PngText* text = nullptr);

/// Replaces the file in one step, as write_file does; throws InputError where it cannot be written.
void write_png(const std::filesystem::path& path, const Image& image, const PngText& text = {}, double dpi = 0);
/// The text of a PNG file, without holding its picture. Throws InputError when the file cannot be read or is no PNG.
PngText read_png_text(const std::filesystem::path& path);
/// Throws InputError when the file cannot be read or is not a PNG.
Image read_png(const std::filesystem::path& path, PngText* text = nullptr);

}  // namespace headlight
