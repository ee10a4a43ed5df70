#include "core/formats/arrays/array_info.hpp"

#include <algorithm>
#include <utility>

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

void require_few_arrays(std::size_t arrays, const std::string& source) {
  constexpr std::size_t most_arrays = 500'000;
  if (arrays <= most_arrays) return;
  throw InputError({source, "", fmt::format("{} arrays", arrays), fmt::format("up to {}", most_arrays)});
}

ArrayNames::ArrayNames(const std::vector<ArrayInfo>& arrays, std::string source)
    : source_(std::move(source)), count_(arrays.size()), words_(names_of(arrays)) {
  for (std::size_t i = 0; i < arrays.size(); ++i) indices_.emplace(arrays[i].name, i);
}

std::size_t ArrayNames::index_of(std::string_view name) const {
  if (count_ == 0) throw InputError({source_, "", "no arrays", "a file with an array"});
  if (name.empty() && count_ == 1) return 0;
  const auto found = indices_.find(std::string(name));
  if (found != indices_.end()) return found->second;
  throw InputError({source_, std::string(name), name.empty() ? "no array name" : "no such array",
                    fmt::format("{}{}", count_ > 1 ? "one of " : "", words_)});
}

std::vector<std::string> ArrayReader::read_texts(std::string_view name) {
  throw InputError({"", std::string(name), "an array of texts", "one in an .npz file, which can hold texts"});
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
