#include "core/setup/fitting_sizes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr std::size_t axis_kinds = static_cast<std::size_t>(Axis::answers) + 1;

/// The extent of each axis, by the arrays.
class AxisExtents {
 public:
  /// False if the array has another number of axes, or contradicts another array.
  bool read(const ArrayForTensor& array) {
    const TensorInfo& tensor = info(array.tensor);
    const int missing = tensor.rank - array.shape.rank();
    if (missing < 0 || missing > (tensor.has_batch() ? 1 : 0)) return false;
    for (int axis = 0; axis < array.shape.rank(); ++axis) {
      const Index found = array.shape[axis];
      auto& extent = (*this)[tensor.axes[static_cast<std::size_t>(axis) + static_cast<std::size_t>(missing)]];
      if (!is_size(found) || extent.value_or(found) != found) return false;
      extent = found;
    }
    return true;
  }

  /// Several axes are as long as d_model is.
  std::optional<Index>& operator[](Axis axis) {
    const bool is_d_model = axis == Axis::other_d_model || axis == Axis::head_columns;
    return extents_[static_cast<std::size_t>(is_d_model ? Axis::d_model : axis)];
  }

 private:
  std::array<std::optional<Index>, axis_kinds> extents_{};
};

/// How many heads keys and values have, if queries have so many; nullopt where these do not divide.
std::optional<Index> kv_heads_with(const Setup& setup, Index heads, std::optional<Index> kv_columns) {
  const Index d_head = setup.sizes.d_model / heads;
  if (kv_columns && *kv_columns % d_head != 0) return std::nullopt;
  const bool follow = setup.kv_heads() == setup.sizes.heads;
  const Index kv_heads = kv_columns ? *kv_columns / d_head : follow ? heads : setup.kv_heads();
  if (kv_heads > heads || heads % kv_heads != 0) return std::nullopt;
  return kv_heads;
}

/// Changes the heads as little as d_model and the columns of keys allow; false where they allow none.
bool choose_heads(Setup& setup, std::optional<Index> kv_columns) {
  std::vector<Index> choices;
  for (Index low = 1; low <= setup.sizes.d_model / low; ++low) {
    if (setup.sizes.d_model % low != 0) continue;
    choices.push_back(low);
    choices.push_back(setup.sizes.d_model / low);
  }
  const Index wanted = setup.sizes.heads;
  std::ranges::stable_sort(choices, {}, [&](Index heads) { return std::abs(heads - wanted); });
  for (const Index heads : choices) {
    const auto kv_heads = kv_heads_with(setup, heads, kv_columns);
    if (!kv_heads) continue;
    if (setup.sizes.kv_heads || *kv_heads != heads) setup.sizes.kv_heads = kv_heads;
    setup.sizes.heads = heads;
    return true;
  }
  return false;
}

}  // namespace

std::optional<Sizes> fitting_sizes(const Setup& setup, std::span<const ArrayForTensor> arrays) {
  AxisExtents extents;
  for (const ArrayForTensor& array : arrays)
    if (!extents.read(array)) return std::nullopt;
  Setup fitting = setup;
  Sizes& sizes = fitting.sizes;
  const auto take = [](Index& size, const std::optional<Index>& extent) { size = extent.value_or(size); };
  take(sizes.batch, extents[Axis::batch]);
  take(sizes.d_model, extents[Axis::d_model]);
  if (!setup.is_cross()) take(sizes.query_length, extents[Axis::position]);
  take(sizes.query_length, extents[Axis::query]);
  if (!setup.is_cross() && sizes.key_length) sizes.key_length = sizes.query_length;
  if (setup.is_cross() && extents[Axis::key]) sizes.key_length = extents[Axis::key];
  if (!choose_heads(fitting, extents[Axis::kv_columns])) return std::nullopt;
  const bool all_fit = std::ranges::all_of(arrays, [&](const ArrayForTensor& array) {
    const Shape whole = shape(array.tensor, fitting);
    return std::equal(array.shape.begin(), array.shape.end(), whole.end() - array.shape.rank());
  });
  return all_fit ? std::optional(sizes) : std::nullopt;
}

std::vector<std::pair<std::string_view, Index>> changed_sizes(const Setup& setup, const Sizes& to) {
  const Sizes& from = setup.sizes;
  std::vector<std::pair<std::string_view, Index>> changes;
  const auto add = [&](std::string_view name, Index before, Index after) {
    if (before != after) changes.emplace_back(name, after);
  };
  add("batch", from.batch, to.batch);
  add("query_length", from.query_length, to.query_length);
  if (to.key_length) add("key_length", setup.key_length(), *to.key_length);
  add("d_model", from.d_model, to.d_model);
  add("heads", from.heads, to.heads);
  if (to.kv_heads) add("kv_heads", setup.kv_heads(), *to.kv_heads);
  return changes;
}

}  // namespace headlight
