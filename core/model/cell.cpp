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
  return fmt::format("{}[{}]", name(cell.tensor), fmt::join(cell.index.begin(), cell.index.end(), ","));
}

Cell parse_cell(std::string_view text, const Setup& setup) {
  const std::string_view whole = trimmed(text, " ");
  const auto open = whole.find('[');
  const auto id = tensor_named(trimmed(whole.substr(0, open), " "));
  if (!id || !exists(*id, setup)) refuse(text, "a cell of one of " + existing_names(setup));

  const Shape extents = shape(*id, setup);
  std::vector<std::string_view> axes;
  for (Axis axis : info(*id).axis_list()) axes.push_back(axis_name(named_axis(axis, setup)));
  const std::string allowed =
      fmt::format("{}[{}] inside its shape {}", name(*id), fmt::join(axes, ","), extents.to_string());
  if (open == std::string_view::npos || !whole.ends_with(']')) refuse(text, allowed);
  const auto index = parse_indices(whole.substr(open + 1, whole.size() - open - 2));
  if (!index || !inside(*index, extents)) refuse(text, allowed);
  return {*id, *index};
}

bool contains(const Setup& setup, const Cell& cell) {
  return exists(cell.tensor, setup) && inside(cell.index, shape(cell.tensor, setup));
}

}  // namespace headlight
