// PNG files: pictures in and out, with text beside them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/platform/pictures/image.hpp"

namespace headlight {

/// Text stored in the file, by keyword ("Software", "Comment", "Setup"): it says what the picture shows, so that it can
/// be drawn again. UTF-8; keywords are at most 79 characters of ASCII.
using PngText = std::map<std::string, std::string>;

/// The bytes of a PNG file. `dpi` says how large the picture is to be printed; 0 leaves that open. Alpha is stored only
/// if some pixel is transparent.
std::vector<unsigned char> encode_png(const Image& image, const PngText& text = {}, double dpi = 0);
/// Throws InputError naming `source` when the bytes are not a PNG.
Image decode_png(const std::vector<unsigned char>& bytes, const std::string& source, PngText* text = nullptr);

/// Replaces the file in one step, as write_file does; throws InputError where it cannot be written.
void write_png(const std::filesystem::path& path, const Image& image, const PngText& text = {}, double dpi = 0);
/// The text of a PNG file, without its picture in memory. Throws InputError if the file cannot be read or is not a PNG.
PngText read_png_text(const std::filesystem::path& path);
/// Throws InputError when the file cannot be read or is not a PNG.
Image read_png(const std::filesystem::path& path, PngText* text = nullptr);

}  // namespace headlight
