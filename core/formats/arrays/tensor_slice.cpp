#include "core/formats/arrays/tensor_slice.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/shapes.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string allowed) {
  throw InputError({"", "tensor", fmt::format("\"{}\"", text), std::move(allowed)});
}

std::string allowed_parts(const TensorInfo& tensor, const Shape& extents, const Setup& setup) {
  std::vector<std::string_view> axes;
  for (const Axis axis : tensor.axis_list()) axes.push_back(axis_name(named_axis(axis, setup)));
  return fmt::format("{0}, or {0}[{1}] inside its shape {2}, with ':' for all of an axis", tensor.name,
                     fmt::join(axes, ","), extents.to_string());
}

/// Reads "0, :,2" into the positions of `slice`. Returns false if the text is anything else or a position is outside
/// `extents`.
bool read_positions(std::string_view text, const Shape& extents, TensorSlice& slice) {
  int axis = 0;
  for (const std::string_view part : split_at(text, ',')) {
    if (axis == extents.rank()) return false;
    if (const std::string_view item = trimmed(part, " "); item != ":") {
      const auto position = number_from<Index>(item);
      if (!position || *position < 0 || *position >= extents[axis]) return false;
      slice.at[static_cast<std::size_t>(axis)] = *position;
    }
    ++axis;
  }
  return true;
}

LabelledAxis labelled(Axis axis, Index extent, const Setup& setup) {
  const bool query = axis == Axis::query, key = axis == Axis::key, token = axis == Axis::token;
  LabelledAxis result{.name = std::string(axis_name(named_axis(axis, setup))), .labels = {}, .tokens = false};
  for (Index i = 0; i < extent; ++i)
    result.labels.push_back(query   ? setup.query_label(i)
                            : key   ? setup.key_label(i)
                            : token ? setup.token_label(i)
                                    : std::to_string(i));
  const bool own_labels = setup.is_cross() && key;
  result.tokens = (query || key || token) && !(own_labels ? setup.key_tokens : setup.tokens).empty();
  return result;
}

Tensor window(Tensor tensor, const TensorSlice& slice) {
  for (int axis = tensor.shape().rank() - 1; axis >= 0; --axis)
    if (const auto& position = slice.at[static_cast<std::size_t>(axis)]) tensor = tensor.selected(axis, *position);
  return tensor;
}

}  // namespace

std::string to_string(const TensorSlice& slice) {
  std::vector<std::string> positions;
  for (const auto& position : slice.at) positions.push_back(position ? std::to_string(*position) : ":");
  while (!positions.empty() && positions.back() == ":") positions.pop_back();
  const std::string whole =
      (info(slice.tensor).is_of_model() ? std::string() : layer_prefix(slice.layer)).append(name(slice.tensor));
  return positions.empty() ? whole : fmt::format("{}[{}]", whole, fmt::join(positions, ","));
}

TensorSlice parse_tensor_slice(std::string_view text, const Setup& of_any_layer) {
  std::string_view whole = trimmed(text, " ");
  const bool has_layer = whole.substr(0, whole.find('[')).find('.') != std::string_view::npos;
  const Index named = has_layer ? take_layer_prefix(whole) : of_any_layer.layer;
  if (named >= of_any_layer.sizes.layers)
    refuse(text, fmt::format("a layer from L0 to L{}", of_any_layer.sizes.layers - 1));
  const auto open = whole.find('[');
  const auto id = tensor_named(trimmed(whole.substr(0, open), " "));
  const Index layer = id ? layer_with(*id, named, of_any_layer) : named;
  const Setup setup = seen_at(of_any_layer, layer);
  if (!id || !exists(*id, setup) || (has_layer && info(*id).is_of_model()))
    refuse(text, "one of " + existing_names(setup));
  TensorSlice slice{.tensor = *id, .layer = layer};
  if (open == std::string_view::npos) return slice;
  const Shape extents = shape(*id, setup);
  if (!whole.ends_with(']') || !read_positions(whole.substr(open + 1, whole.size() - open - 2), extents, slice))
    refuse(text, allowed_parts(info(*id), extents, setup));
  return slice;
}

bool LabelledNumbers::masked(std::span<const Index> index) const {
  if (hidden.empty()) return false;
  const double score = hidden.at(index);
  return std::isinf(score) && score < 0;
}

LabelledNumbers numbers_of(const Trace& trace, const TensorSlice& slice) {
  LabelledNumbers numbers;
  numbers.name = to_string(slice);
  numbers.values = window(trace[slice.tensor], slice);
  const Tensor hidden = info(slice.tensor).masked ? trace.hidden_cells() : Tensor{};
  if (!hidden.empty()) numbers.hidden = window(hidden, slice);
  const auto axes = info(slice.tensor).axis_list();
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (!slice.at[axis])
      numbers.axes.push_back(labelled(axes[axis], trace[slice.tensor].shape()[static_cast<int>(axis)], trace.setup));
  return numbers;
}

}  // namespace headlight
