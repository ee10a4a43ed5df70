// The arrays of a model by their names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/formats/layers/model_arrays.hpp"

namespace headlight {

/// "layers.0.attn" and "weight" -> "layers.0.attn.weight"; the name alone behind an empty path.
std::string joined(std::string_view path, std::string_view name);
/// "layers.0.attn" -> "attn", "layers.0".
std::string_view last_name(std::string_view path);
std::string_view parent_of(std::string_view path);

/// A view on a list of arrays, which must outlive it.
class NamedArrays {
 public:
  explicit NamedArrays(std::span<const StoredArray> arrays);

  std::span<const StoredArray> all() const { return arrays_; }
  const StoredArray& operator[](std::size_t place) const { return arrays_[place]; }

  /// The place of the array with this name behind the path.
  std::optional<std::size_t> place(std::string_view path, std::string_view name) const;
  bool has(std::string_view path, std::string_view name) const { return place(path, name).has_value(); }
  /// The array itself; null where there is none.
  const StoredArray* find(std::string_view path, std::string_view name) const;
  /// Whether any array's name begins with the path.
  bool has_below(std::string_view path) const;

 private:
  std::span<const StoredArray> arrays_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace headlight
