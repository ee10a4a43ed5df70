#include "core/formats/arrays/array_info.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/problem.hpp"
#include "core/text/numbers.hpp"

namespace headlight {

namespace {

/// Most names that a message lists.
constexpr std::size_t most_names = 12;

std::string names_of(const std::vector<ArrayInfo>& arrays) {
  std::vector<std::string_view> names;
  for (const ArrayInfo& array : arrays) names.push_back(array.name);
  const bool all = names.size() <= most_names;
  if (!all) names.resize(most_names);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     all ? "" : fmt::format(" and {} more", arrays.size() - most_names));
}

}  // namespace

ArrayInfo entry_of(const ArrayInfo& array, Index& entry, const std::string& source) {
  const Index count = array.extents.empty() ? 0 : array.extents.front();
  if (entry < -count || entry >= count)
    throw InputError({source, array.name,
                      fmt::format("the part [{}] of shape ({})", entry, fmt::join(array.extents, ", ")),
                      "a part inside the array"});
  if (entry < 0) entry += count;
  ArrayInfo rest = array;
  rest.extents.erase(rest.extents.begin());
  return rest;
}

std::size_t index_of(const std::vector<ArrayInfo>& arrays, std::string_view name, const std::string& source) {
  if (arrays.empty()) throw InputError({source, "", "no arrays", "a file with an array"});
  if (name.empty() && arrays.size() == 1) return 0;
  const auto found = std::ranges::find(arrays, name, &ArrayInfo::name);
  if (found != arrays.end()) return static_cast<std::size_t>(found - arrays.begin());
  throw InputError({source, std::string(name), name.empty() ? "no array name" : "no such array",
                    fmt::format("{}{}", arrays.size() > 1 ? "one of " : "", names_of(arrays))});
}

Shape shape_within(const ArrayInfo& array, Precision held, const std::string& source, std::int64_t limit) {
  if (array.extents.size() > static_cast<std::size_t>(Shape::max_rank)) {
    throw InputError({source, array.name, fmt::format("shape ({})", fmt::join(array.extents, ", ")),
                      fmt::format("up to {} axes", Shape::max_rank)});
  }
  const Shape shape(array.extents);
  // An axis of length 0 leaves nothing to hold, but the others must still be lengths that can be multiplied.
  Shape counted = shape;
  for (int axis = 0; axis < counted.rank(); ++axis) counted[axis] = std::max<Index>(counted[axis], 1);
  if (counted.elements() > limit / static_cast<std::int64_t>(bytes_per_element(held))) {
    throw InputError({source, array.name, fmt::format("shape {}", shape.to_string()),
                      fmt::format("up to {} of numbers", format_bytes(limit))});
  }
  return shape;
}

}  // namespace headlight
