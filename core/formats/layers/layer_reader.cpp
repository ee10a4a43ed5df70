#include "core/formats/layers/layer_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/layers/captured.hpp"
#include "core/setup/value_checks.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

Shape shape_of(const ArrayInfo& info) { return Shape(info.extents); }

std::string shape_text(const ArrayInfo& info) {
  return info.extents.size() <= static_cast<std::size_t>(Shape::max_rank) ? "shape " + shape_of(info).to_string()
                                                                          : fmt::format("{} axes", info.extents.size());
}

}  // namespace

bool is_cross_name(std::string_view path) {
  return std::ranges::find(cross_attention_names(), last_name(path)) != cross_attention_names().end();
}

LayerReader::LayerReader(const NamedArrays& model, const Family& family, const std::string& path)
    : model_(model), family_(family) {
  layer_.path = path;
  layer_.family = &family;
}

std::size_t LayerReader::found() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(weight_names(family_), [&](auto name) { return model_.has(layer_.path, name); }));
}

bool LayerReader::is_likely() const {
  const std::string_view path = layer_.path;
  const std::string_view end = family_.path_end;
  if (!path.ends_with(end) || (!end.empty() && path.size() > end.size() && path[path.size() - end.size() - 1] != '.'))
    return false;
  const auto names = weight_names(family_);
  const bool only_output = found() == 1 && model_.has(layer_.path, names.back());
  return found() > 0 && 2 * found() >= names.size() && !only_output;
}

AttentionLayer LayerReader::read(const std::string& source) {
  if (!is_complete()) {
    report_missing(source);
    return std::move(layer_);
  }
  read_widths();
  if (layer_.problems.empty()) check_shapes();
  if (layer_.problems.empty()) read_source();
  for (const FurtherArray& each : further_arrays())
    if (std::ranges::find(family_.gains, each.name) == family_.gains.end() &&
        (model_.has(layer_.path, each.name) || model_.has("", each.name)))
      layer_.not_computed.push_back(each.what);
  return std::move(layer_);
}

/// What keys and values are made from: a captured file has it, else the layer's name tells.
void LayerReader::read_source() {
  const bool other_features = layer_.key_features != layer_.d_model || layer_.value_features != layer_.d_model;
  const bool cross_here = model_.has("", captured::y) || model_.has("", captured::keys_from);
  layer_.is_cross = other_features || (model_.has("", captured::x) ? cross_here : is_cross_name(layer_.path));
  layer_.own_values = layer_.key_features != layer_.value_features || model_.has("", captured::values_from);
}

void LayerReader::add(const StoredArray& array, std::string found, std::string allowed) {
  layer_.problems.push_back(
      {array.file.string(), std::string(first_bytes(array.info.name, 200)), std::move(found), std::move(allowed)});
}

void LayerReader::report_missing(const std::string& source) {
  std::vector<std::string> there;
  std::vector<std::string> missing;
  for (const std::string_view name : weight_names(family_))
    (model_.has(layer_.path, name) ? there : missing).push_back(joined(layer_.path, name));
  layer_.problems.push_back({source, "", fmt::format("{} without {}", fmt::join(there, ", "), fmt::join(missing, ", ")),
                             fmt::format("all of them, as in {}; if a model is in several files, open its "
                                         ".index.json",
                                         family_.name)});
}

std::optional<LayerReader::Widths> LayerReader::widths(Projection projection) const {
  const std::vector<Index>& extents = weight_of(projection).info.extents;
  if (extents.size() != 2 || !is_size(extents[0]) || !is_size(extents[1])) return std::nullopt;
  const bool out_in = family_.layout == WeightLayout::out_in;
  const Index out = extents[out_in ? 0 : 1];
  const Index parts = arrays_of(projection).weight.parts;
  if (out % parts != 0) return std::nullopt;
  return Widths{extents[out_in ? 1 : 0], out / parts};
}

/// From the output's weight, where it is square and must be, else from the query's.
void LayerReader::read_widths() {
  const auto out = widths(of_output);
  const auto in = widths(of_query);
  const bool square = out && out->in == out->out && !family_.other_output;
  if (!square && !in) {
    const StoredArray& array = weight_of(of_query);
    const Index parts = arrays_of(of_query).weight.parts;
    add(array, shape_text(array.info),
        parts > 1 ? fmt::format("a matrix of {} equal parts", parts)
                  : "a matrix, of up to 1000000000 rows and columns");
    return;
  }
  layer_.d_model = square ? out->out : in->in;
  layer_.head_columns = square ? out->in : in->out;
  layer_.d_out = family_.other_output && out ? out->out : layer_.d_model;
  const bool own_keys = arrays_of(of_key).weight.name != arrays_of(of_query).weight.name;
  const auto keys = own_keys ? widths(of_key) : std::nullopt;
  const auto values = own_keys ? widths(of_value) : std::nullopt;
  layer_.kv_columns = keys ? keys->out : layer_.head_columns;
  const bool other_features = family_.other_features || is_cross_name(layer_.path);
  layer_.key_features = other_features && keys ? keys->in : layer_.d_model;
  layer_.value_features = other_features && values ? values->in : layer_.d_model;
}

void LayerReader::check_shapes() {
  const std::array<Widths, 4> wanted{{{layer_.d_model, layer_.head_columns},
                                      {layer_.key_features, layer_.kv_columns},
                                      {layer_.value_features, layer_.kv_columns},
                                      {layer_.head_columns, layer_.d_out}}};
  for (const Projection each : all_projections) {
    const Widths& width = wanted[static_cast<std::size_t>(each)];
    const ProjectionArrays& arrays = arrays_of(each);
    const Index out = width.out * arrays.weight.parts;
    check_shape(arrays.weight, family_.layout == WeightLayout::out_in ? Shape{out, width.in} : Shape{width.in, out});
    check_shape(arrays.bias, Shape{width.out * arrays.bias.parts});
  }
  if (layer_.problems.empty() && layer_.head_columns % layer_.kv_columns != 0) {
    const StoredArray& array = weight_of(of_key);
    add(array, fmt::format("keys of {} numbers for all heads", layer_.kv_columns),
        fmt::format("a divisor of the queries' {}", layer_.head_columns));
  }
}

void LayerReader::check_shape(const ArrayPiece& piece, const Shape& wanted) {
  const auto index = model_.index_of(layer_.path, piece.name);
  if (!index || piece.part > 0) return;  // a bias may be left out, and parts of one array are judged once
  const StoredArray& array = model_[*index];
  const bool has_shape = array.info.extents.size() <= static_cast<std::size_t>(Shape::max_rank);
  if (has_shape && shape_of(array.info) == wanted) return;
  const std::string how = has_shape ? remedy(shape_of(array.info), wanted) : std::string{};
  add(array, shape_text(array.info),
      fmt::format("shape {}, as in {}{}", wanted.to_string(), family_.name,
                  how.empty() ? "" : fmt::format("; \"{}\" would make it fit", how)));
}

}  // namespace headlight
