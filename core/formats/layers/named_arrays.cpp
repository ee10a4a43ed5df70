#include "core/formats/layers/named_arrays.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace headlight {

std::string joined(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('.') + 1); }

std::string_view parent_of(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

NamedArrays::NamedArrays(std::span<const StoredArray> arrays) : arrays_(arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) places_.emplace(arrays[i].info.name, i);
}

std::optional<std::size_t> NamedArrays::place(std::string_view path, std::string_view name) const {
  const auto found = places_.find(joined(path, name));
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

const StoredArray* NamedArrays::find(std::string_view path, std::string_view name) const {
  const auto at = place(path, name);
  return at ? &arrays_[*at] : nullptr;
}

bool NamedArrays::has_below(std::string_view path) const {
  const std::string start = joined(path, "");
  return std::ranges::any_of(arrays_, [&](const StoredArray& each) { return each.info.name.starts_with(start); });
}

}  // namespace headlight
