#include "core/diagnose/arrays/layout.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/shapes.hpp"
#include "core/setup/validity.hpp"

namespace headlight {
namespace {

bool is_input(TensorId id) { return id == TensorId::X || id == TensorId::Y || id == TensorId::P; }

bool is_swapped(TensorId id, const ArrayLayout& layout) {
  switch (info(id).kind) {
    case TensorKind::bias:
    case TensorKind::gain:
    case TensorKind::shift:
    case TensorKind::embedding:
    case TensorKind::sink: return false;
    case TensorKind::weight: return layout.weights_out_in;
    case TensorKind::input:
    case TensorKind::encoding:
    case TensorKind::computed: return layout.token_columns;
  }
  return false;
}

Shape without_axis(const Shape& shape, int axis) {
  Shape result;
  for (int i = 0; i < shape.rank(); ++i)
    if (i != axis) result.push_back(shape[i]);
  return result;
}

/// Whether the shape is the expected one, but for axes of extent 1 before the last two (or the last one of a vector).
bool same_but_for_units(const Shape& found, const Shape& expected) {
  if (found == expected) return true;
  if (found.rank() > expected.rank()) return found[0] == 1 && same_but_for_units(without_axis(found, 0), expected);
  for (int axis = 0; axis + 2 < expected.rank(); ++axis)
    if (expected[axis] == 1 && same_but_for_units(found, without_axis(expected, axis))) return true;
  return false;
}

Shape swapped(Shape shape) {
  if (shape.rank() >= 2) std::swap(shape[shape.rank() - 2], shape[shape.rank() - 1]);
  return shape;
}

}  // namespace

std::optional<Tensor> read_as(const Tensor& array, TensorId id, const Setup& setup, const ArrayLayout& layout) {
  std::vector<Shape> shapes{shape(id, setup)};
  if (info(id).has_kv_heads() && setup.kv_heads() != setup.sizes.heads) {
    shapes.push_back(shapes[0]);
    shapes[1][1] = setup.sizes.heads;
  }
  const bool turned = is_swapped(id, layout);
  for (const Shape& wanted : shapes) {
    const Shape expected = turned ? swapped(wanted) : wanted;
    if (!same_but_for_units(array.shape(), expected)) continue;
    const Tensor full = array.shape() == expected ? array : reshaped(array, expected);
    return turned ? full.transposed(expected.rank() - 2, expected.rank() - 1) : full;
  }
  return std::nullopt;
}

namespace {

/// Layouts in words: b are the batch items, h the heads, t the last axis but one and w the last one; axes in one word
/// are one axis.
using Layouts = std::vector<std::vector<std::string_view>>;

const Layouts& known_layouts(TensorId id) {
  static const Layouts heads{{"b", "t", "h", "w"}, {"bh", "t", "w"}, {"hb", "t", "w"}, {"h", "b", "t", "w"},
                             {"t", "b", "h", "w"}, {"t", "bh", "w"}, {"bt", "h", "w"}},
      keys{{"b", "t", "h", "w"}, {"bh", "t", "w"}, {"hb", "t", "w"},     {"h", "b", "t", "w"}, {"t", "b", "h", "w"},
           {"t", "bh", "w"},     {"bt", "h", "w"}, {"b", "h", "w", "t"}, {"bh", "w", "t"}},
      shares{{"bh", "t", "w"},     {"hb", "t", "w"},     {"h", "b", "t", "w"}, {"b", "t", "h", "w"},
             {"t", "w", "b", "h"}, {"b", "h", "w", "t"}, {"bh", "w", "t"}},
      tokens{{"t", "b", "w"}, {"bt", "w"}}, none;
  const TensorInfo& tensor = info(id);
  if (tensor.is_query_by_key() && tensor.rank == 4) return shares;
  if (tensor.rank == 4) return tensor.has_kv_heads() && tensor.role == Role::key ? keys : heads;
  return tensor.rank == 3 && tensor.has(Axis::batch) ? tokens : none;
}

/// The place of each letter among the axes of the names table.
int axis_of(char letter, int rank) {
  return letter == 'b' ? 0 : letter == 'h' ? 1 : letter == 't' ? rank - 2 : rank - 1;
}

Shape without_units(const Shape& shape) {
  Shape result;
  for (const Index extent : shape)
    if (extent != 1) result.push_back(extent);
  return result;
}

/// The array in the axes of the names table, of these extents; none if its shape is not that of the layout.
std::optional<Tensor> arranged(const Tensor& array, const std::vector<std::string_view>& layout, const Shape& extents) {
  Shape found, parts;
  std::string letters;
  for (const std::string_view word : layout) {
    Index product = 1;
    for (const char letter : word) {
      parts.push_back(extents[axis_of(letter, extents.rank())]);
      product *= parts.back(0);
      letters += letter;
    }
    found.push_back(product);
  }
  if (without_units(found) != without_units(array.shape())) return std::nullopt;
  Tensor result = reshaped(array, parts);
  for (int axis = 0; axis < extents.rank(); ++axis) {  // brings each axis to its place
    int at = axis;
    while (axis_of(letters[static_cast<std::size_t>(at)], extents.rank()) != axis) ++at;
    if (at == axis) continue;
    result = result.transposed(axis, at);
    std::swap(letters[static_cast<std::size_t>(axis)], letters[static_cast<std::size_t>(at)]);
  }
  return result.contiguous();
}

std::string words_of(const std::vector<std::string_view>& layout, TensorId id) {
  std::vector<std::string> axes;
  for (const std::string_view word : layout) {
    std::vector<std::string_view> names;
    for (const char letter : word)
      names.push_back(axis_name(info(id).axes[static_cast<std::size_t>(axis_of(letter, info(id).rank))]));
    axes.push_back(fmt::format("{}", fmt::join(names, " · ")));
  }
  return fmt::format("({})", fmt::join(axes, ", "));
}

bool is_transposed(const std::vector<std::string_view>& layout) {
  return layout.size() > 1 && layout[layout.size() - 2] == "w" && layout.back() == "t";
}

}  // namespace

std::vector<Arranged> arrangements(const Tensor& array, TensorId id, const Setup& setup) {
  std::vector<Shape> shapes{shape(id, setup)};
  if (info(id).has_kv_heads() && setup.kv_heads() != setup.sizes.heads) {
    shapes.push_back(shapes[0]);
    shapes[1][1] = setup.sizes.heads;
  }
  std::vector<Arranged> all;
  for (const Shape& extents : shapes) {
    for (const auto& layout : known_layouts(id))
      if (auto values = arranged(array, layout, extents))
        all.push_back({std::move(*values), words_of(layout, id), is_transposed(layout)});
  }
  return all;
}

std::optional<Setup> exchanged(const Setup& setup) {
  if (setup.key_length() != setup.sizes.query_length) return std::nullopt;
  if (setup.mask.has(MaskKind::padding)) return std::nullopt;
  Setup result = setup;
  std::swap(result.sizes.batch, result.sizes.query_length);
  if (setup.is_cross()) result.sizes.key_length = setup.sizes.batch;
  result.tokens.clear();
  result.key_tokens.clear();
  result.mask.valid_lengths.clear();
  result.model = {};
  for (const GivenValue& value : setup.values.entries())  // their shapes are those of the setup
    if (is_input(value.tensor)) result.values.erase(value.tensor, value.part);
  if (!problems(result).empty()) return std::nullopt;
  return result;
}

std::string hint_for(const Shape& found, TensorId id, const Setup& setup) {
  Shape wanted = shape(id, setup);
  while (wanted.rank() > std::max(found.rank(), 2) && wanted[0] == 1) wanted = without_axis(wanted, 0);
  if (found.rank() == wanted.rank()) {
    std::array<int, Shape::max_rank> axes{};
    const auto end = axes.begin() + found.rank();
    std::iota(axes.begin(), end, 0);
    while (std::next_permutation(axes.begin(), end)) {
      bool fits = true;
      for (int axis = 0; axis < found.rank(); ++axis)
        fits &= found[axes[static_cast<std::size_t>(axis)]] == wanted[axis];
      if (fits) return fmt::format("transpose({}) would fit", fmt::join(axes.begin(), end, ", "));
    }
  }
  const bool joined = wanted.rank() == 4 && found.rank() == 3 && found[0] == wanted[0] && found[1] == wanted[2] &&
                      found[2] == wanted[1] * wanted[3];
  if (joined) {
    return fmt::format("a split into heads would fit: reshape({}, {}, {}, {}).transpose(0, 2, 1, 3)", wanted[0],
                       wanted[2], wanted[1], wanted[3]);
  }
  const bool split = wanted.rank() == 3 && found.rank() == 4 && found[0] == wanted[0] && found[2] == wanted[1] &&
                     found[1] * found[3] == wanted[2];
  if (split) {
    return fmt::format("the heads side by side would fit: transpose(0, 2, 1, 3).reshape({}, {}, {})", wanted[0],
                       wanted[1], wanted[2]);
  }
  return {};
}

Tensor converted(const Tensor& tensor, Precision precision) {
  if (tensor.precision() == precision && tensor.is_contiguous()) return tensor;
  Tensor result = Tensor::uninitialized(precision, tensor.shape());
  copy_numbers(tensor, result);
  return result;
}

Tensor reshaped(const Tensor& tensor, const Shape& shape) {
  const Tensor from = tensor.contiguous();
  Tensor result = Tensor::uninitialized(tensor.precision(), shape);
  with_element_type(tensor.precision(), [&](auto zero) {
    using T = decltype(zero);
    std::copy_n(from.data<T>(), from.elements(), result.writable<T>());
  });
  return result;
}

Tensor side_by_side(const Tensor& heads) {
  const Shape& shape = heads.shape();  // (batch, head, position, width)
  if (heads.strides()[1] == shape[3] * heads.strides()[3]) return heads;
  const Tensor joined = Tensor::uninitialized(heads.precision(), {shape[0], shape[2], shape[1] * shape[3]});
  Tensor split = joined.split_heads(shape[1]);
  copy_numbers(heads, split);
  return split;
}

Tensor chosen_heads(const Tensor& heads, std::span<const Index> order) {
  Shape shape = heads.shape();
  shape[1] = static_cast<Index>(order.size());
  const Tensor result = Tensor::uninitialized(heads.precision(), shape);
  for (Index head = 0; head < shape[1]; ++head)
    copy_numbers(heads.selected(1, order[static_cast<std::size_t>(head)]), result.selected(1, head));
  return result;
}

Tensor repeated_heads(const Tensor& kv_heads, Index heads) {
  std::vector<Index> order(static_cast<std::size_t>(heads));
  std::iota(order.begin(), order.end(), 0);
  const Index group = heads / kv_heads.shape()[1];
  for (Index& head : order) head /= group;
  return chosen_heads(kv_heads, order);
}

}  // namespace headlight
