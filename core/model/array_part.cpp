#include "core/model/array_part.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

std::string text_of(const std::optional<Index>& number) { return number ? std::to_string(*number) : std::string{}; }

constexpr std::string_view ellipsis = "...";

bool is_ellipsis(const PartItem& item) { return item.step == 0; }

std::string text_of(const PartItem& item) {
  if (is_ellipsis(item)) return std::string(ellipsis);
  if (item.is_position) return text_of(item.start);
  const std::string step = item.step ? fmt::format(":{}", text_of(item.step)) : "";
  return text_of(item.start) + ':' + text_of(item.stop) + step;
}

/// The number, if there is one; false if the text is anything else.
bool read_number(std::string_view text, std::optional<Index>& number) {
  const std::string_view digits = trimmed(text, " ");
  if (digits.empty()) return true;
  number = number_from<Index>(digits);
  return number.has_value();
}

std::optional<PartItem> parse_item(std::string_view text) {
  PartItem item;
  if (trimmed(text, " ") == ellipsis) {
    item.step = 0;
    return item;
  }
  const std::vector<std::string_view> numbers = split_at(text, ':');
  if (numbers.size() > 3) return std::nullopt;
  item.is_position = numbers.size() == 1;
  if (!read_number(numbers[0], item.start)) return std::nullopt;
  if (item.is_position && !item.start) return std::nullopt;
  if (numbers.size() > 1 && !read_number(numbers[1], item.stop)) return std::nullopt;
  if (numbers.size() > 2 && !read_number(numbers[2], item.step)) return std::nullopt;
  if (item.step == 0) return std::nullopt;
  return item;
}

/// Python's slice.indices: where a slice begins and ends in an axis, for steps of either sign.
AxisRange range_of(const PartItem& item, Index extent) {
  const Index step = item.step.value_or(1);
  const Index low = step > 0 ? 0 : -1;
  const Index high = step > 0 ? extent : extent - 1;
  const auto cut = [&](Index index) {
    return std::clamp(index < 0 && index >= -extent ? index + extent : index < 0 ? low : index, low, high);
  };
  const Index start = item.start ? cut(*item.start) : step > 0 ? low : high;
  const Index stop = item.stop ? cut(*item.stop) : step > 0 ? high : low;
  const Index distance = step > 0 ? stop - start : start - stop;
  // Written without step + distance or -step, which may not fit.
  const Index count = distance <= 0 ? 0 : (step > 0 ? (distance - 1) / step : (1 - distance) / step) + 1;
  return {start, count > 1 ? step : 1, count, false};
}

/// Whether two ranges share a place. One with a step of 1 is a stretch, which the other steps over or into.
bool share_an_index(const AxisRange& a, const AxisRange& b) {
  if (std::min(a.count, b.count) == 0) return false;
  const AxisRange& shorter = a.count < b.count ? a : b;
  const AxisRange& longer = a.count < b.count ? b : a;
  for (Index i = 0; i < shorter.count; ++i)
    if (longer.has(shorter.first + i * shorter.step)) return true;
  return false;
}

}  // namespace

std::string to_string(const ArrayPart& part) {
  if (part.empty()) return {};
  std::vector<std::string> items;
  for (const PartItem& item : part) items.push_back(text_of(item));
  return fmt::format("[{}]", fmt::join(items, ","));
}

std::optional<ArrayPart> parse_array_part(std::string_view text) {
  text = trimmed(text, " ");
  if (!text.starts_with('[') || !text.ends_with(']') || text.size() < 2) return std::nullopt;
  ArrayPart part;
  for (const std::string_view one : split_at(text.substr(1, text.size() - 2), ',')) {
    const auto item = parse_item(one);
    if (!item) return std::nullopt;
    part.push_back(*item);
    const auto axes = static_cast<Index>(part.size()) - std::ranges::count_if(part, is_ellipsis);
    if (axes > Shape::max_rank || axes + 1 < static_cast<Index>(part.size())) return std::nullopt;
  }
  return part;
}

std::optional<AxisRanges> ranges_of(const ArrayPart& part, std::span<const Index> extents) {
  const auto rest = std::ranges::find_if(part, is_ellipsis);
  const auto before = static_cast<std::size_t>(rest - part.begin());
  const std::size_t behind = rest == part.end() ? 0 : part.size() - before - 1;
  if (before + behind > extents.size()) return std::nullopt;
  AxisRanges ranges;
  ranges.reserve(extents.size());
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const std::size_t from_end = extents.size() - axis;
    const PartItem item = axis < before ? part[axis] : from_end <= behind ? part[part.size() - from_end] : PartItem{};
    const Index extent = extents[axis];
    if (!item.is_position) {
      ranges.push_back(range_of(item, extent));
      continue;
    }
    const Index index = *item.start < 0 ? *item.start + extent : *item.start;
    if (index < 0 || index >= extent) return std::nullopt;
    ranges.push_back({index, 1, 1, true});
  }
  return ranges;
}

Shape shape_of(const AxisRanges& ranges) {
  Shape shape;
  for (const AxisRange& range : ranges)
    if (!range.is_position) shape.push_back(range.count);
  return shape;
}

Tensor window_on(Tensor array, const AxisRanges& ranges) {
  int axis = 0;
  for (const AxisRange& range : ranges) {
    if (range.is_position) array = array.selected(axis, range.first);
    else array = array.stepped(axis++, range.first, range.step, range.count);
  }
  return array;
}

bool has(const AxisRanges& ranges, const Shape& index) {
  return std::equal(ranges.begin(), ranges.end(), index.begin(), index.end(),
                    [](const AxisRange& range, Index at) { return range.has(at); });
}

bool overlap(const AxisRanges& a, const AxisRanges& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), share_an_index);
}

}  // namespace headlight
