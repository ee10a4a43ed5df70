#include "app/platform/pictures/png.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <png.h>

#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

constexpr std::int64_t largest_png_file = std::int64_t{1} << 30;
/// The most memory that libpng gets at once; neither a row of pixels nor a text is near this.
constexpr png_alloc_size_t largest_allocation = png_alloc_size_t{64} << 20;

/// The error message of libpng.
struct PngFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// libpng may not return from its error callback; an exception leaves it, as the library allows for C++ callers.
[[noreturn]] void fail(png_structp, png_const_charp message) { throw PngFailure(message); }
void ignore_warning(png_structp, png_const_charp) {}

struct Writer {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, fail, ignore_warning);
  png_infop info = png_create_info_struct(png);
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { png_destroy_write_struct(&png, &info); }
};

// libpng takes memory for a chunk as large as the file says, before it sees that the file ends.
png_voidp take_memory(png_structp, png_alloc_size_t size) {
  return size > largest_allocation ? nullptr : std::malloc(size);
}
void free_memory(png_structp, png_voidp memory) { std::free(memory); }

struct Reader {
  png_structp png =
      png_create_read_struct_2(PNG_LIBPNG_VER_STRING, nullptr, fail, ignore_warning, nullptr, take_memory, free_memory);
  png_infop info = png_create_info_struct(png);
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

bool is_opaque(const Image& image) {
  for (std::size_t i = 3; i < image.rgba.size(); i += 4)
    if (image.rgba[i] != 255) return false;
  return true;
}

void append(png_structp png, png_bytep data, png_size_t length) {
  auto& bytes = *static_cast<std::vector<unsigned char>*>(png_get_io_ptr(png));
  bytes.insert(bytes.end(), data, data + length);
}
void flush(png_structp) {}

struct Source {
  const std::vector<unsigned char>& bytes;
  std::size_t at = 0;
};

void take(png_structp png, png_bytep data, png_size_t length) {
  auto& source = *static_cast<Source*>(png_get_io_ptr(png));
  if (length > source.bytes.size() - source.at) png_error(png, "the file ends too early");
  std::memcpy(data, source.bytes.data() + source.at, length);
  source.at += length;
}

/// Flat areas and sharp edges compress best unfiltered, and filtering takes more time than all the rest. A higher level
/// of compression saves a tenth of the bytes for twice the time.
void set_compression(png_structp png) {
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
  png_set_compression_level(png, 3);
}

/// Stores the text as iTXt chunks, the only chunks of text in UTF-8.
void set_text(Writer& writer, const PngText& text) {
  std::string no_language;
  std::vector<png_text> entries;
  for (const auto& [keyword, value] : text) {
    png_text entry{};
    entry.compression = value.size() > 1024 ? PNG_ITXT_COMPRESSION_zTXt : PNG_ITXT_COMPRESSION_NONE;
    entry.key = const_cast<char*>(keyword.c_str());
    entry.text = const_cast<char*>(value.c_str());
    entry.itxt_length = value.size();
    entry.lang = no_language.data();
    entry.lang_key = no_language.data();
    entries.push_back(entry);
  }
  png_set_text(writer.png, writer.info, entries.data(), static_cast<int>(entries.size()));
}

/// Skips the pixels, by reading every row into the same memory.
void pass_over_pixels(Reader& reader) {
  const int passes = png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  std::vector<png_byte> row(png_get_rowbytes(reader.png, reader.info));
  for (int pass = 0; pass < passes; ++pass)
    for (png_uint_32 y = 0; y < png_get_image_height(reader.png, reader.info); ++y)
      png_read_row(reader.png, row.data(), nullptr);
}

void get_text(Reader& reader, PngText& text) {
  png_textp entries = nullptr;
  int count = 0;
  png_get_text(reader.png, reader.info, &entries, &count);
  for (int i = 0; i < count; ++i) text[entries[i].key] = entries[i].text ? entries[i].text : "";
}

}  // namespace

std::vector<unsigned char> encode_png(const Image& image, const PngText& text, double dpi) {
  std::vector<unsigned char> bytes;
  Writer writer;
  const bool opaque = is_opaque(image);
  png_set_write_fn(writer.png, &bytes, append, flush);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height),
               8, opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  set_compression(writer.png);
  png_set_sRGB(writer.png, writer.info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (dpi > 0) {
    const auto per_metre = static_cast<png_uint_32>(std::lround(dpi / 0.0254));
    png_set_pHYs(writer.png, writer.info, per_metre, per_metre, PNG_RESOLUTION_METER);
  }
  if (!text.empty()) set_text(writer, text);
  png_write_info(writer.png, writer.info);
  if (opaque) png_set_filler(writer.png, 0, PNG_FILLER_AFTER);
  for (int y = 0; y < image.height; ++y)
    png_write_row(writer.png,
                  image.rgba.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) * 4);
  png_write_end(writer.png, writer.info);
  return bytes;
}

Image decode_png(const std::vector<unsigned char>& bytes, const std::string& source, PngText* text) {
  try {
    Reader reader;
    Source from{bytes};
    png_set_read_fn(reader.png, &from, take);
    png_read_info(reader.png, reader.info);
    png_set_expand(reader.png);
    png_set_strip_16(reader.png);
    png_set_gray_to_rgb(reader.png);
    png_set_filler(reader.png, 255, PNG_FILLER_AFTER);
    png_set_interlace_handling(reader.png);
    png_read_update_info(reader.png, reader.info);
    Image image(static_cast<int>(png_get_image_width(reader.png, reader.info)),
                static_cast<int>(png_get_image_height(reader.png, reader.info)));
    std::vector<png_bytep> rows;
    for (int y = 0; y < image.height; ++y)
      rows.push_back(image.rgba.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) * 4);
    png_read_image(reader.png, rows.data());
    png_read_end(reader.png, reader.info);
    if (text) get_text(reader, *text);
    return image;
  } catch (const PngFailure& failure) {
    throw InputError(Problem{source, "", failure.what(), "a PNG picture"});
  }
}

PngText read_png_text(const std::filesystem::path& path) {
  const std::string file = read_bytes(path, largest_png_file);
  const std::vector<unsigned char> bytes(file.begin(), file.end());
  try {
    Reader reader;
    Source from{bytes};
    png_set_read_fn(reader.png, &from, take);
    png_read_info(reader.png, reader.info);
    pass_over_pixels(reader);  // some programs write the text after the pixels
    png_read_end(reader.png, reader.info);
    PngText text;
    get_text(reader, text);
    return text;
  } catch (const PngFailure& failure) {
    throw InputError(Problem{path.string(), "", failure.what(), "a PNG picture"});
  }
}

void write_png(const std::filesystem::path& path, const Image& image, const PngText& text, double dpi) {
  const std::vector<unsigned char> bytes = encode_png(image, text, dpi);
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Image read_png(const std::filesystem::path& path, PngText* text) {
  const std::string bytes = read_bytes(path, largest_png_file);
  return decode_png({bytes.begin(), bytes.end()}, path.string(), text);
}

}  // namespace headlight
