#include "app/platform/animation/gif_palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace headlight {
namespace {

/// How visible a difference in red, green and blue is: the usual weights of a cheap colour distance.
constexpr std::array<double, 3> channel_weights{2, 4, 3};

std::uint32_t packed(Color color) {
  return static_cast<std::uint32_t>(color.r) << 16 | static_cast<std::uint32_t>(color.g) << 8 | color.b;
}

struct Point3 {
  std::array<double, 3> rgb;
  double weight;
};

struct Box {
  std::span<Point3> points;
  std::array<double, 3> mean{};
  int widest = 0;     ///< the channel along which its colours differ most
  double spread = 0;  ///< how much its colours differ in all, weighted
};

Box box_of(std::span<Point3> points) {
  Box box{.points = points};
  double weight = 0;
  for (const Point3& point : points) {
    weight += point.weight;
    for (std::size_t c = 0; c < 3; ++c) box.mean[c] += point.weight * point.rgb[c];
  }
  for (double& value : box.mean) value /= weight;
  std::array<double, 3> spread{};
  for (const Point3& point : points)
    for (std::size_t c = 0; c < 3; ++c)
      spread[c] += channel_weights[c] * point.weight * (point.rgb[c] - box.mean[c]) * (point.rgb[c] - box.mean[c]);
  box.widest = static_cast<int>(std::max_element(spread.begin(), spread.end()) - spread.begin());
  box.spread = spread[0] + spread[1] + spread[2];
  return box;
}

/// Divides a box at the mean of its widest channel. If its spread is above 0, both parts have colours.
std::pair<Box, Box> divided(const Box& box) {
  const auto channel = static_cast<std::size_t>(box.widest);
  const auto middle = std::partition(box.points.begin(), box.points.end(),
                                     [&](const Point3& point) { return point.rgb[channel] <= box.mean[channel]; });
  const auto count = static_cast<std::size_t>(middle - box.points.begin());
  return {box_of(box.points.first(count)), box_of(box.points.subspan(count))};
}

Color color_of(const Box& box) {
  const auto byte = [](double value) { return static_cast<std::uint8_t>(std::lround(value)); };
  return {byte(box.mean[0]), byte(box.mean[1]), byte(box.mean[2]), 255};
}

}  // namespace

void ColorCount::add(const Image& image) {
  for (std::size_t i = 0; i < image.rgba.size(); i += 4)
    ++counts_[packed({image.rgba[i], image.rgba[i + 1], image.rgba[i + 2], 255})];
}

std::vector<Color> palette_of(const ColorCount& count, std::size_t size) {
  std::vector<Point3> points;
  for (const auto& [color, times] : count.counts())
    points.push_back(
        {{static_cast<double>(color >> 16), static_cast<double>(color >> 8 & 255), static_cast<double>(color & 255)},
         std::sqrt(static_cast<double>(times))});
  // Sorted, because a hash table has no fixed order and the same pictures must give the same palette.
  std::sort(points.begin(), points.end(), [](const Point3& a, const Point3& b) { return a.rgb < b.rgb; });
  std::vector<Box> boxes;
  if (!points.empty()) boxes.push_back(box_of(points));
  while (boxes.size() < size) {
    const auto most =
        std::max_element(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.spread < b.spread; });
    if (most == boxes.end() || most->points.size() < 2) break;
    auto [low, high] = divided(*most);
    *most = low;
    boxes.push_back(high);
  }
  std::vector<Color> palette;
  for (const Box& box : boxes) palette.push_back(color_of(box));
  return palette;
}

std::uint8_t PaletteIndex::nearest(Color color) {
  const auto [entry, is_new] = known_.try_emplace(packed(color), std::uint8_t{0});
  if (!is_new) return entry->second;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < palette_.size(); ++i) {
    const std::array<int, 3> apart{palette_[i].r - color.r, palette_[i].g - color.g, palette_[i].b - color.b};
    double distance = 0;
    for (std::size_t c = 0; c < 3; ++c) distance += channel_weights[c] * apart[c] * apart[c];
    if (distance >= least) continue;
    least = distance;
    entry->second = static_cast<std::uint8_t>(i);
  }
  return entry->second;
}

}  // namespace headlight
