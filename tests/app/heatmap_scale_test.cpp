// Drawing a large tensor costs as much as the screen is large: once every cell was read, a frame reads and uploads an
// amount proportional to its pixels, at every zoom.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "app/heatmap/heatmap_renderer.hpp"
#include "tests/app/heatmap_sheet.hpp"
#include "tests/app/sheet_app.hpp"

namespace headlight {
namespace {

/// With fewer than 16 cells per pixel along an axis the cells themselves are read; 17 because edges may cut cells.
constexpr Index most_cells_of_a_texel = 17 * 17;

Tensor large(Index rows, Index columns) {
  Tensor tensor = Tensor::uninitialized(Precision::float32, {rows, columns});
  float* const values = tensor.writable<float>();
  for (Index i = 0; i < rows * columns; ++i) values[i] = static_cast<float>(i * 2654435761 % 1000003) / 1000003;
  return tensor;
}

/// Different windows of side × side cells on one block of memory, like the heads of a tensor.
std::vector<Slice> heads(Index count, Index side) {
  const Tensor all = large(side + count, side);
  std::vector<Slice> slices;
  for (Index head = 0; head < count; ++head) slices.push_back(slice_of(all.narrowed(0, head, side)));
  return slices;
}

/// An app that draws heatmaps and records the work of each frame.
class Sheet {
 public:
  explicit Sheet(std::vector<Heatmap> heatmaps)
      : heatmaps_(std::move(heatmaps)),
        app_([this](FrameContext& frame) {
          for (const Heatmap& heatmap : heatmaps_) frame.heatmaps.draw(frame.ui.canvas(), heatmap);
        }),
        surface_(app_, 1024, 1024) {}

  std::vector<Heatmap>& heatmaps() { return heatmaps_; }
  Offscreen& surface() { return surface_; }

  HeatmapWork frame() {
    const HeatmapWork before = surface_.heatmaps().work();
    surface_.frames(1);
    surface_.picture();
    const HeatmapWork after = surface_.heatmaps().work();
    return {after.uploads - before.uploads, after.texels - before.texels, after.cells - before.cells};
  }

 private:
  std::vector<Heatmap> heatmaps_;
  SheetApp app_;
  Offscreen surface_;
};

std::vector<Heatmap> grid(const std::vector<Slice>& slices) {
  std::vector<Heatmap> heatmaps;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Rect area{static_cast<float>(i % 4) * 256, static_cast<float>(i / 4) * 256, 250, 250};
    heatmaps.push_back(make_heatmap(slices[i], ColorScale::from_zero(), area, 1));
  }
  return heatmaps;
}

void zoom(std::vector<Heatmap>& heatmaps, double factor) {
  for (Heatmap& heatmap : heatmaps)
    heatmap.layout = heatmap.layout.zoomed(heatmap.layout.area().min() + Point{60, 170}, factor);
}

TEST_CASE("heatmap: sixteen heads of 2048² cost their cells once and then their pixels, on the way in and out") {
  constexpr Index side = 2048;
  constexpr Index pixels = 16 * 250 * 250;
  Sheet sheet(grid(heads(16, side)));
  const HeatmapWork first = sheet.frame();
  CHECK(first.cells == 16 * side * side);
  CHECK(first.texels == pixels);
  CHECK(sheet.frame() == HeatmapWork{});
  for (int step = 0; step < 14; ++step) {
    CAPTURE(step);
    zoom(sheet.heatmaps(), step < 7 ? 1.9 : 1 / 1.9);
    const HeatmapWork moved = sheet.frame();
    CHECK(moved.uploads == 16);
    CHECK(moved.texels <= pixels + 16 * 2 * 251);  // cells cut by the edges of a picture are uploaded whole
    CHECK(moved.cells <= most_cells_of_a_texel * moved.texels);
    CHECK(sheet.frame() == HeatmapWork{});
  }
}

TEST_CASE("heatmap: a head that changed is read and uploaded, the others are not") {
  constexpr Index side = 1024;
  Sheet sheet(grid(heads(16, side)));
  sheet.frame();
  sheet.heatmaps()[5].slice = heads(1, side).front();
  CHECK(sheet.frame() == HeatmapWork{1, 250 * 250, side * side});
  CHECK(sheet.frame() == HeatmapWork{});
}

TEST_CASE("heatmap: slices whose pyramids were made beside the frames are drawn without a look at their cells") {
  std::vector<Slice> slices = heads(16, 1024);
  auto prepared = std::make_shared<std::vector<Pyramid>>();
  const auto threads = std::make_shared<Threads>();
  for (const Slice& slice : slices) prepared->emplace_back(slice).prepare(*threads);
  const auto thumbnails = [&] {
    std::vector<Heatmap> heatmaps;
    for (std::size_t i = 0; i < slices.size(); ++i)
      heatmaps.push_back(make_heatmap(slices[i], ColorScale::from_zero(), {static_cast<float>(i) * 60, 0, 50, 50}, 1));
    return heatmaps;
  };
  SheetApp app([&](FrameContext& frame) {
    frame.heatmaps.use(prepared, threads);
    for (const Heatmap& heatmap : thumbnails()) frame.heatmaps.draw(frame.ui.canvas(), heatmap);
  });
  Offscreen surface(app, 1024, 64);
  surface.frames(1);
  const Image picture = surface.picture();
  CHECK(surface.heatmaps().work() == HeatmapWork{16, 16 * 50 * 50, 0});
  Sheet from_cells(thumbnails());
  from_cells.surface().resize(1024, 64);
  CHECK(from_cells.frame().cells == 16 * 1024 * 1024);
  CHECK(from_cells.surface().picture() == picture);
}

/// Checks that every pixel has the colour of the cell that the mouse finds there.
void check_pixels(Sheet& sheet, int step) {
  const Image image = sheet.surface().settled_picture();
  const Heatmap& heatmap = sheet.heatmaps().front();
  const Rect& area = heatmap.layout.area();
  const Theme& colors = theme(ThemeName::dark);
  for (int y = static_cast<int>(area.y); y < static_cast<int>(area.bottom()); y += step) {
    for (int x = static_cast<int>(area.x); x < static_cast<int>(area.right()); x += step) {
      const auto found = heatmap.at({static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f});
      REQUIRE(found);
      const Color wanted = heatmap.scale.color(colors, found->value);
      const Color drawn = image.at(x, y);
      REQUIRE(std::abs(drawn.r - wanted.r) + std::abs(drawn.g - wanted.g) + std::abs(drawn.b - wanted.b) <= 3);
    }
  }
}

TEST_CASE("heatmap: 4096² in one picture, each pixel the largest of its cells") {
  constexpr Index side = 4096;
  Sheet sheet({make_heatmap(slice_of(large(side, side)), ColorScale::from_zero(), {12, 12, 1000, 1000}, 1)});
  const HeatmapWork first = sheet.frame();
  CHECK(first.cells <= side * side + most_cells_of_a_texel * first.texels);
  CHECK(first.texels == 1000 * 1000);
  check_pixels(sheet, 7);
  zoom(sheet.heatmaps(), 9);
  check_pixels(sheet, 7);
}

TEST_CASE("heatmap: a tensor that is longer than any texture is drawn from textures of the size of its picture") {
  for (const bool tall : {false, true}) {
    CAPTURE(tall);
    constexpr Index length = 300'000;
    constexpr Index most = 1024;  // side of the surface; textures must not be larger
    const Tensor tensor = tall ? large(length, 3) : large(3, length);
    const Rect area = tall ? Rect{5, 3, 90, 1000} : Rect{3, 5, 1000, 90};
    Sheet sheet({make_heatmap(slice_of(tensor), ColorScale::from_zero(), area, 1)});
    CHECK(sheet.frame().texels <= most * 3);
    check_pixels(sheet, 3);
    for (const double factor : {3.0, 10.0}) {
      zoom(sheet.heatmaps(), factor);
      CHECK(sheet.frame().texels <= most * 3);
      check_pixels(sheet, 3);
    }
  }
}

}  // namespace
}  // namespace headlight
