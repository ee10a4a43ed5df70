#include "app/platform/animation/gif.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <string>

#include <gif_lib.h>

#include "app/platform/animation/gif_palette.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

constexpr double shortest_frame = 0.02;  ///< seconds; viewers slow down faster animations

constexpr int most_colors = 256;
/// The last colour means "as in the picture before".
constexpr int unchanged = most_colors - 1;

/// The file that giflib writes to. giflib is C code, so an exception of the writer is kept in `thrown` until it
/// returns.
struct Sink {
  FileWriter file;
  std::exception_ptr thrown = nullptr;
};

int append(GifFileType* gif, const GifByteType* bytes, int count) {
  auto& sink = *static_cast<Sink*>(gif->UserData);
  try {
    sink.file.append({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count)});
    return count;
  } catch (...) {
    sink.thrown = std::current_exception();
    return 0;
  }
}

struct CloseGif {
  void operator()(GifFileType* gif) const { EGifCloseFile(gif, nullptr); }
};
struct FreeColors {
  void operator()(ColorMapObject* colors) const { GifFreeMapObject(colors); }
};

class GifWriter {
 public:
  GifWriter(const std::filesystem::path& path, int width, int height, const std::vector<Color>& palette)
      : path_(path), sink_{FileWriter(path)}, gif_(EGifOpen(&sink_, append, nullptr)) {
    const std::unique_ptr<ColorMapObject, FreeColors> colors(GifMakeMapObject(most_colors, nullptr));
    require(gif_ != nullptr && colors != nullptr);
    for (std::size_t i = 0; i < palette.size(); ++i) colors->Colors[i] = {palette[i].r, palette[i].g, palette[i].b};
    EGifSetGifVersion(gif_.get(), true);
    require(EGifPutScreenDesc(gif_.get(), width, height, 8, 0, colors.get()) == GIF_OK);
    repeat_forever();
  }

  /// Adds a frame: its block of pixels, as indices into the palette, row by row.
  void add(const PixelBlock& block, std::vector<GifByteType>& pixels, int hundredths) {
    const GraphicsControlBlock control{DISPOSE_DO_NOT, false, hundredths, unchanged};
    GifByteType bytes[4];
    EGifGCBToExtension(&control, bytes);
    require(EGifPutExtension(gif_.get(), GRAPHICS_EXT_FUNC_CODE, sizeof bytes, bytes) == GIF_OK);
    require(EGifPutImageDesc(gif_.get(), block.x, block.y, block.width, block.height, false, nullptr) == GIF_OK);
    for (int row = 0; row < block.height; ++row)
      require(EGifPutLine(gif_.get(), pixels.data() + static_cast<std::ptrdiff_t>(row) * block.width, block.width) ==
              GIF_OK);
  }

  void commit() {
    require(EGifCloseFile(gif_.release(), nullptr) == GIF_OK);
    sink_.file.commit();
  }

 private:
  /// Writes the extension for loops, which every viewer knows. 0 loops means forever.
  void repeat_forever() {
    const GifByteType times[]{1, 0, 0};
    require(EGifPutExtensionLeader(gif_.get(), APPLICATION_EXT_FUNC_CODE) == GIF_OK);
    require(EGifPutExtensionBlock(gif_.get(), 11, "NETSCAPE2.0") == GIF_OK);
    require(EGifPutExtensionBlock(gif_.get(), sizeof times, times) == GIF_OK);
    require(EGifPutExtensionTrailer(gif_.get()) == GIF_OK);
  }

  void require(bool done) const {
    if (done) return;
    if (sink_.thrown) std::rethrow_exception(sink_.thrown);
    throw InputError({path_.string(), "", "a picture that cannot be stored", "a GIF of up to 65535 pixels a side"});
  }

  std::filesystem::path path_;
  Sink sink_;
  std::unique_ptr<GifFileType, CloseGif> gif_;
};

std::vector<GifByteType> indexed(const Image& image, const PixelBlock& block, const Image* before,
                                 PaletteIndex& index) {
  std::vector<GifByteType> pixels;
  pixels.reserve(static_cast<std::size_t>(block.width) * static_cast<std::size_t>(block.height));
  for (int y = block.y; y < block.y + block.height; ++y) {
    for (int x = block.x; x < block.x + block.width; ++x) {
      const Color color = image.at(x, y);
      const bool same = before != nullptr && before->at(x, y) == color;
      pixels.push_back(same ? GifByteType{unchanged} : index.nearest(color));
    }
  }
  return pixels;
}

}  // namespace

PixelBlock changed_block(const Image& before, const Image& now) {
  int left = now.width, right = -1, top = now.height, bottom = -1;
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      if (before.at(x, y) == now.at(x, y)) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = y;
    }
  }
  if (right < 0) return {0, 0, 1, 1};
  return {left, top, right - left + 1, bottom - top + 1};
}

void write_gif(const std::filesystem::path& path, const Animation& animation) {
  ColorCount count;
  for (std::size_t i = 0; i < animation.frames; ++i) count.add(animation.picture(i));
  const std::vector<Color> palette = palette_of(count, unchanged);
  PaletteIndex index(palette);
  const int hundredths = static_cast<int>(std::lround(std::max(animation.seconds, shortest_frame) * 100));

  Image before = animation.picture(0);
  GifWriter gif(path, before.width, before.height, palette);
  const PixelBlock whole{0, 0, before.width, before.height};
  std::vector<GifByteType> pixels = indexed(before, whole, nullptr, index);
  gif.add(whole, pixels, hundredths);
  for (std::size_t i = 1; i < animation.frames; ++i) {
    Image now = animation.picture(i);
    const PixelBlock block = changed_block(before, now);
    pixels = indexed(now, block, &before, index);
    gif.add(block, pixels, hundredths);
    before = std::move(now);
  }
  gif.commit();
}

}  // namespace headlight
