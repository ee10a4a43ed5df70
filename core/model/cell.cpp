#include "core/model/cell.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/shapes.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string allowed) {
  throw InputError({"", "cell", fmt::format("\"{}\"", text), std::move(allowed)});
}

/// The integers in "0, 1,2"; nullopt if the text is not a list of integers or has more than four of them.
std::optional<Shape> parse_indices(std::string_view text) {
  Shape index;
  for (const std::string_view item : split_at(text, ',')) {
    const auto value = number_from<Index>(trimmed(item, " "));
    if (!value || index.rank() == Shape::max_rank) return std::nullopt;
    index.push_back(*value);
  }
  return index;
}

bool inside(const Shape& index, const Shape& extents) {
  if (index.rank() != extents.rank()) return false;
  for (int axis = 0; axis < index.rank(); ++axis) {
    if (index[axis] < 0 || index[axis] >= extents[axis]) return false;
  }
  return true;
}

}  // namespace

std::string to_string(const Cell& cell) {
  return fmt::format("{}{}[{}]", info(cell.tensor).is_of_model() ? std::string() : layer_prefix(cell.layer),
                     name(cell.tensor), fmt::join(cell.index.begin(), cell.index.end(), ","));
}

Index layer_with(TensorId tensor, Index layer, const Setup& setup) {
  switch (info(tensor).layers) {
    case OfLayers::first: return 0;
    case OfLayers::last: return setup.sizes.layers - 1;
    case OfLayers::each: break;
  }
  return layer;
}

std::string name_in_model(TensorId tensor, const Setup& setup) {
  if (setup.sizes.layers == 1 || info(tensor).is_of_model()) return std::string(name(tensor));
  return fmt::format("L{}.{}", setup.layer, name(tensor));
}

Cell parse_cell(std::string_view text, const Setup& of_any_layer) {
  std::string_view whole = trimmed(text, " ");
  const std::string_view without_index = whole.substr(0, whole.find('['));
  const bool has_layer = without_index.find('.') != std::string_view::npos;
  const Index named = take_layer_prefix(whole);
  const Index layers = of_any_layer.sizes.layers;
  if (named >= layers) refuse(text, fmt::format("a layer from L0 to L{}", layers - 1));
  const auto open = whole.find('[');
  const auto id = tensor_named(trimmed(whole.substr(0, open), " "));
  const Index layer = id ? layer_with(*id, named, of_any_layer) : named;
  const Setup setup = seen_at(of_any_layer, layer);
  if (!id || !exists(*id, setup) || (has_layer && info(*id).is_of_model()))
    refuse(text, "a cell of one of " + existing_names(setup));

  const Shape extents = shape(*id, setup);
  std::vector<std::string_view> axes;
  for (Axis axis : info(*id).axis_list()) axes.push_back(axis_name(named_axis(axis, setup)));
  const std::string allowed =
      fmt::format("{}[{}] inside its shape {}", name(*id), fmt::join(axes, ","), extents.to_string());
  if (open == std::string_view::npos || !whole.ends_with(']')) refuse(text, allowed);
  const auto index = parse_indices(whole.substr(open + 1, whole.size() - open - 2));
  if (!index || !inside(*index, extents)) refuse(text, allowed);
  return {*id, *index, layer};
}

bool has_index(const Setup& setup, TensorId tensor, const Shape& index) {
  return exists(tensor, setup) && inside(index, shape(tensor, setup));
}

bool contains(const Setup& of_any_layer, const Cell& cell) {
  if (cell.layer < 0 || cell.layer >= of_any_layer.sizes.layers) return false;
  return cell.layer == of_any_layer.layer ? has_index(of_any_layer, cell.tensor, cell.index)
                                          : has_index(seen_at(of_any_layer, cell.layer), cell.tensor, cell.index);
}

}  // namespace headlight
