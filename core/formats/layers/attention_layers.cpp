#include "core/formats/layers/attention_layers.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/captured.hpp"
#include "core/formats/layers/layer_arithmetic.hpp"
#include "core/formats/layers/model_arrays.hpp"
#include "core/formats/layers/model_types.hpp"
#include "core/setup/value_checks.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// What can be done with a layer whose arrays no setup can refer to.
constexpr std::string_view how_to_open_the_rest =
    "weights of 16 bits or more, one matrix for each projection. Load the model with its own library and capture its "
    "layers while it runs: headlight capture -o capture.py; or open the files that it was made from";

// --- A layer of one family -------------------------------------------------------------------------------------------

/// Reads the arrays behind a path as a layer of one family, as far as names and shapes allow.
class LayerReader {
 public:
  LayerReader(const NamedArrays& model, const Family& family, const std::string& path);

  /// The number of the family's weights that are there.
  std::size_t found() const;
  bool is_complete() const { return found() == weight_names(family_).size(); }
  /// The path ends as it should, if that tells families apart, and at least half of the weights are there: not the
  /// output's alone, whose name many modules share.
  bool is_likely(bool by_path) const;

  /// The layer with its widths, but without heads and arrays; with its problems where weights are missing, do not fit,
  /// or are such that no setup can hold them. `source` is the file that was asked for.
  AttentionLayer read(const std::string& source);

 private:
  /// How many numbers a weight makes of how many.
  struct Widths {
    Index in = 0;
    Index out = 0;
  };

  const ProjectionArrays& arrays_of(Projection projection) const {
    return family_.projections[static_cast<std::size_t>(projection)];
  }
  const StoredArray& weight_of(Projection projection) const {
    return *model_.find(layer_.path, arrays_of(projection).weight.name);
  }
  std::optional<Widths> whole_widths(Projection projection) const;
  std::optional<Widths> widths(Projection projection) const;
  void add(const StoredArray& array, std::string found, std::string allowed);
  void report_missing(const std::string& source);
  void report_few_bits();
  void count_stored_heads();
  void read_widths();
  bool read_widths_with_fewer_keys();
  void check_shapes();
  Shape wanted_weight(Projection projection, const Widths& widths) const;
  Shape wanted_bias(Projection projection, const Widths& widths) const;
  void check_shape(const ArrayPiece& piece, const Shape& wanted);
  void read_source();

  const NamedArrays& model_;
  const Family& family_;
  AttentionLayer layer_;
};

Shape shape_of(const ArrayInfo& info) { return Shape(info.extents); }

std::string shape_text(const ArrayInfo& info) {
  return info.extents.size() <= static_cast<std::size_t>(Shape::max_rank) ? "shape " + shape_of(info).to_string()
                                                                          : fmt::format("{} axes", info.extents.size());
}

/// Whether such modules attend to another sequence, by their names.
bool is_cross_name(std::string_view path) {
  return std::ranges::find(cross_attention_names(), last_name(path)) != cross_attention_names().end();
}

LayerReader::LayerReader(const NamedArrays& model, const Family& family, const std::string& path)
    : model_(model), family_(family) {
  layer_.path = path;
  layer_.family = &family;
  layer_.arithmetic = family.usual;
}

std::size_t LayerReader::found() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(weight_names(family_), [&](auto name) { return model_.has(layer_.path, name); }));
}

bool LayerReader::is_likely(bool by_path) const {
  const std::string_view path = layer_.path;
  const std::string_view end = by_path || family_.names == Names::t5 ? family_.path_end : "";
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
  report_few_bits();
  if (!layer_.problems.empty()) return std::move(layer_);
  count_stored_heads();
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

/// Packed into so few bits that they are no weights before another array has scaled them.
void LayerReader::report_few_bits() {
  for (const std::string_view name : weight_names(family_)) {
    const StoredArray& array = *model_.find(layer_.path, name);
    const std::string& type = array.info.type;
    if (type != "U8" && type != "I8" && type != "|u1" && type != "|i1" && !type.starts_with("F8")) continue;
    return add(array, fmt::format("quantised weights: numbers of 8 bits or fewer ({}), which others scale", type),
               std::string(how_to_open_the_rest));
  }
}

/// Where each head has an axis or modules of its own.
void LayerReader::count_stored_heads() {
  const std::vector<Index>& extents = weight_of(of_query).info.extents;
  if (family_.axes == WeightAxes::in_heads_out && extents.size() == 3) layer_.stored_heads = extents[1];
  if (family_.axes == WeightAxes::heads_in_out && extents.size() == 3) layer_.stored_heads = extents[0];
  if (!family_.head_modules) return;
  const auto has_head = [&](Index head) {
    return std::ranges::all_of(std::array{of_query, of_key, of_value}, [&](Projection each) {
      return model_.has(layer_.path, of_head(arrays_of(each).weight.name, head));
    });
  };
  while (has_head(layer_.stored_heads)) ++layer_.stored_heads;
}

/// Of the array, with all that is in it.
std::optional<LayerReader::Widths> LayerReader::whole_widths(Projection projection) const {
  const std::vector<Index>& extents = weight_of(projection).info.extents;
  if (!std::ranges::all_of(extents, is_size)) return std::nullopt;
  const bool by_head = family_.axes == WeightAxes::in_heads_out || family_.axes == WeightAxes::heads_in_out;
  if (extents.size() != (by_head ? 3 : 2)) return std::nullopt;
  if (by_head && projection == of_output) return Widths{extents[0] * extents[1], extents[2]};
  switch (family_.axes) {
    case WeightAxes::out_in: return Widths{extents[1], extents[0]};
    case WeightAxes::in_out: return Widths{extents[0], extents[1]};
    case WeightAxes::in_heads_out: return Widths{extents[0], extents[1] * extents[2]};
    case WeightAxes::heads_in_out: return Widths{extents[1], extents[0] * extents[2]};
  }
  return std::nullopt;
}

/// Of the projection, if all in its array are equally wide.
std::optional<LayerReader::Widths> LayerReader::widths(Projection projection) const {
  auto widths = whole_widths(projection);
  if (!widths) return std::nullopt;
  if (family_.head_modules && projection != of_output) widths->out *= layer_.stored_heads;
  const Index parts = arrays_of(projection).weight.parts;
  if (widths->out % parts != 0) return std::nullopt;
  widths->out /= parts;
  return widths;
}

/// From the output's weight, where it is square and must be, else from the query's.
void LayerReader::read_widths() {
  if (family_.fewer_keys && read_widths_with_fewer_keys()) return;
  std::optional<Widths> out;
  if (!family_.ends_with_heads()) out = widths(of_output);
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
  layer_.d_out = family_.ends_with_heads()     ? layer_.head_columns
                 : family_.other_output && out ? out->out
                                               : layer_.d_model;
  const bool own_keys = arrays_of(of_key).weight.name != arrays_of(of_query).weight.name;
  const auto keys = own_keys ? widths(of_key) : std::nullopt;
  const auto values = own_keys ? widths(of_value) : std::nullopt;
  layer_.kv_columns = keys ? keys->out : layer_.head_columns;
  const bool other_features = family_.other_features || is_cross_name(layer_.path);
  layer_.key_features = other_features && keys ? keys->in : layer_.d_model;
  layer_.value_features = other_features && values ? values->in : layer_.d_model;
}

/// The output's weight says how much of the packed array is of the queries; keys and values share the rest. False where
/// that leaves them nothing.
bool LayerReader::read_widths_with_fewer_keys() {
  const auto out = widths(of_output), packed = whole_widths(of_query);
  if (!out || !packed || packed->out <= out->in || (packed->out - out->in) % 2 != 0) return false;
  layer_.d_model = layer_.d_out = layer_.key_features = layer_.value_features = out->out;
  layer_.head_columns = out->in;
  layer_.kv_columns = (packed->out - out->in) / 2;
  return true;
}

Shape LayerReader::wanted_weight(Projection projection, const Widths& widths) const {
  const auto& [in, out] = widths;
  if (family_.axes == WeightAxes::out_in) return {out, in};
  if (family_.axes == WeightAxes::in_out) return {in, out};
  const Index d_head = layer_.head_columns / layer_.stored_heads;
  if (projection == of_output) return {in / d_head, d_head, out};
  return family_.axes == WeightAxes::in_heads_out ? Shape{in, out / d_head, d_head} : Shape{out / d_head, in, d_head};
}

Shape LayerReader::wanted_bias(Projection projection, const Widths& widths) const {
  const bool by_head = family_.axes == WeightAxes::in_heads_out || family_.axes == WeightAxes::heads_in_out;
  if (!by_head || projection == of_output) return {widths.out};
  const Index d_head = layer_.head_columns / layer_.stored_heads;
  return {widths.out / d_head, d_head};
}

void LayerReader::check_shapes() {
  const std::array<Widths, 4> wanted{{{layer_.d_model, layer_.head_columns},
                                      {layer_.key_features, layer_.kv_columns},
                                      {layer_.value_features, layer_.kv_columns},
                                      {layer_.head_columns, layer_.d_out}}};
  for (const Projection each : all_projections) {
    Widths width = wanted[static_cast<std::size_t>(each)];
    const ProjectionArrays& arrays = arrays_of(each);
    if (arrays.weight.name.empty()) continue;
    // Of all that are in the array; what is in it before this one is of the same width, or has been judged with it.
    const auto all_of_it = [&](const ArrayPiece& piece) {
      return piece.parts == 3 ? layer_.head_columns + 2 * layer_.kv_columns : width.out * piece.parts;
    };
    if (family_.head_modules && each != of_output) width.out /= layer_.stored_heads;
    check_shape(arrays.weight, wanted_weight(each, {width.in, all_of_it(arrays.weight)}));
    check_shape(arrays.bias, wanted_bias(each, {width.in, all_of_it(arrays.bias)}));
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
  // The first half of the rows would be half of the queries, and half of their gates.
  if (has_shape && piece.name == "q_proj.weight" && shape_of(array.info) == Shape{2 * wanted[0], wanted[1]}) {
    add(array, shape_text(array.info) + ", as for queries with a gate beside each head, which a setup does not have",
        fmt::format("shape {}, as in {}", wanted.to_string(), family_.name));
    return;
  }
  const std::string how = has_shape ? remedy(shape_of(array.info), wanted) : std::string{};
  add(array, shape_text(array.info),
      fmt::format("shape {}, as in {}{}", wanted.to_string(), family_.name,
                  how.empty() ? "" : fmt::format("; \"{}\" would make it fit", how)));
}

// --- What heads and configuration add, and the layers of a model -----------------------------------------------------

/// The tensors that the projections of a family become.
struct ProjectionTensors {
  TensorId weight;
  TensorId bias;
};
constexpr std::array<ProjectionTensors, 4> projection_tensors{{{W_q, b_q}, {W_k, b_k}, {W_v, b_v}, {W_o, b_o}}};

/// What is done to an array, so that it becomes a projection's weight or bias.
struct PieceSteps {
  const AttentionLayer& layer;
  const ArrayPiece& piece;
  Projection projection;
  Index in = 0;  ///< 0 for a bias
  Index out = 0;

  std::string text() const {
    const WeightAxes axes = layer.family->axes;
    if (axes == WeightAxes::in_heads_out || axes == WeightAxes::heads_in_out) return of_head_axes(axes);
    if (piece.parts > 1 && piece.packing == Packing::grouped) return of_groups();
    const bool turned = in > 0 && axes == WeightAxes::out_in;
    const bool columns = in > 0 && !turned;
    std::string steps;
    if (piece.parts > 1) {
      const bool after_queries = piece.parts == 3 && piece.part > 0;
      const Index first = after_queries ? layer.head_columns + (piece.part - 1) * layer.kv_columns : piece.part * out;
      steps = fmt::format("[{}{}:{}]", columns ? ":, " : "", first, first + out);
    }
    return steps + (turned ? ".T" : "");
  }

 private:
  std::string of_head_axes(WeightAxes axes) const {
    if (in == 0) return projection == of_output ? "" : fmt::format(".reshape({})", out);
    if (axes == WeightAxes::in_heads_out || projection == of_output) return fmt::format(".reshape({}, {})", in, out);
    return fmt::format(".T.reshape({}, {}).T", out, in);
  }

  /// In each group the queries, then the key and the value.
  std::string of_groups() const {
    const Index queries = layer.heads / layer.kv_heads;
    const std::string groups = fmt::format("{}, {}, {}", layer.kv_heads, queries + 2, layer.d_head());
    const std::string taken = projection != of_query ? fmt::format("{}", queries + piece.part - 1)
                              : queries == 1         ? "0"
                                                     : fmt::format("0:{}", queries);
    if (in == 0) return fmt::format(".reshape({})[:, {}].reshape({})", groups, taken, out);
    return fmt::format(".reshape({}, {})[:, {}].reshape({}, {}).T", groups, in, taken, out, in);
  }
};

PartItem range(Index first, Index count) { return {false, first, first + count, std::nullopt}; }

ArrayPart rows_from(Index first, Index count, Index all) {
  if (count == all) return {};
  return {range(first, count)};
}

/// The arrays of a projection of which each head has a module.
void place_head_modules(AttentionLayer& layer, const NamedArrays& model, std::size_t projection) {
  const auto& [weight, bias] = layer.family->projections[projection];
  const auto& tensors = projection_tensors[projection];
  for (Index head = 0; head < layer.heads; ++head) {
    const PartItem columns = range(head * layer.d_head(), layer.d_head());
    layer.arrays.push_back(
        {tensors.weight, {PartItem{}, columns}, *model.index_of(layer.path, of_head(weight.name, head)), ".T"});
    if (const auto index = model.index_of(layer.path, of_head(bias.name, head)))
      layer.arrays.push_back({tensors.bias, {columns}, *index, ""});
  }
}

/// Lists the arrays of a layer without problems, whose heads are known: which part of which array fills its weights and
/// biases.
void place_arrays(AttentionLayer& layer, const NamedArrays& model) {
  const std::array<std::pair<Index, Index>, 4> widths{{{layer.d_model, layer.head_columns},
                                                       {layer.key_features, layer.kv_columns},
                                                       {layer.value_features, layer.kv_columns},
                                                       {layer.head_columns, layer.d_out}}};
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto& [in, out] = widths[i];
    const auto& [weight, bias] = layer.family->projections[i];
    if (weight.name.empty()) continue;
    if (layer.family->head_modules && i != of_output) {
      place_head_modules(layer, model, i);
      continue;
    }
    const auto projection = static_cast<Projection>(i);
    const Index first = i == of_value ? layer.first_value_feature() : 0;
    const bool from_source = i == of_key || i == of_value;
    layer.arrays.push_back({projection_tensors[i].weight, rows_from(first, in, from_source ? layer.d_source() : in),
                            *model.index_of(layer.path, weight.name),
                            PieceSteps{layer, weight, projection, in, out}.text()});
    if (bias.name.empty()) continue;
    if (const auto index = model.index_of(layer.path, bias.name))
      layer.arrays.push_back(
          {projection_tensors[i].bias, {}, *index, PieceSteps{layer, bias, projection, 0, out}.text()});
  }
}

/// Every path that has a weight of any family behind it.
std::set<std::string> paths_in(const NamedArrays& model) {
  std::set<std::string_view> names;
  for (const Family& family : families())
    for (const std::string_view name : weight_names(family)) names.insert(name);
  for (const RefusedArray& each : refused_arrays()) names.insert(each.name);
  std::set<std::string> paths;
  for (const StoredArray& array : model.all()) {
    const std::string with_dots = dotted(array.info.name);
    const std::string_view whole = with_dots;
    for (const std::string_view name : names) {
      if (whole == name) paths.insert("");
      else if (whole.size() > name.size() && whole.ends_with(name) && whole[whole.size() - name.size() - 1] == '.')
        paths.emplace(whole.substr(0, whole.size() - name.size() - 1));
    }
  }
  return paths;
}

/// Of the families whose weights are all there the first whose shapes fit; else the one of which most are there.
class LayerFinder {
 public:
  LayerFinder(const NamedArrays& model, const KnownHeads& heads, const std::string& source)
      : model_(model), heads_(heads), source_(source) {}

  std::optional<AttentionLayer> layer_at(const std::string& path) const {
    const ConfigPart config = heads_.config.part_of(path);
    const ModelType* const type = model_type_of(config);
    auto layer = type != nullptr ? best_at(path, type->names) : std::nullopt;
    const bool has_names = layer && layer->problems.empty();
    if (!has_names)
      if (auto other = best_at(path, {}); other && (!layer || other->problems.empty())) layer = std::move(other);
    if (!layer || !layer->problems.empty())
      if (auto refused = refused_at(path)) return refused;
    if (!layer) return layer;
    layer->is_configured = !heads_.config.source.empty();
    if (type != nullptr && has_names) {
      layer->type = type->name;
      layer->arithmetic = type->arithmetic;
      layer->usual_heads = type->heads;
      layer->usual_d_head = type->d_head;
    } else if (layer->problems.empty()) {
      layer->unchecked = printable(shortened(config.type_in_words()));  // it comes into a comment of the setup
    }
    if (!layer->problems.empty()) return layer;
    count_heads(*layer, model_, heads_, source_);
    if (layer->problems.empty()) place_arrays(*layer, model_);
    know_arithmetic(*layer, model_, config);
    return layer;
  }

 private:
  /// Among all families, or those with certain names.
  std::optional<AttentionLayer> best_at(const std::string& path, const std::vector<Names>& names) const {
    std::optional<AttentionLayer> best;
    std::size_t most = 0;
    bool best_complete = false;
    for (const Family& family : families()) {
      if (!names.empty() && std::ranges::find(names, family.names) == names.end()) continue;
      LayerReader reader(model_, family, path);
      const bool complete = reader.is_complete();
      if (!reader.is_likely(names.empty()) || best_complete > complete) continue;
      const std::size_t found = reader.found();
      AttentionLayer layer = reader.read(source_);
      if (complete && layer.problems.empty()) return layer;
      if (family.unnamed) continue;
      if (best && complete == best_complete && found <= most) continue;
      best = std::move(layer);
      most = found;
      best_complete = complete;
    }
    return best;
  }

  /// A layer that is kept in a way that no setup can refer to.
  std::optional<AttentionLayer> refused_at(const std::string& path) const {
    for (const RefusedArray& each : refused_arrays()) {
      const StoredArray* const array = model_.find(path, each.name);
      if (array == nullptr) continue;
      AttentionLayer layer;
      layer.path = path;
      layer.family = &families().front();
      layer.type = "?";
      layer.problems.push_back({array->file.string(), std::string(first_bytes(array->info.name, 200)),
                                std::string(each.what), std::string(how_to_open_the_rest)});
      return layer;
    }
    return std::nullopt;
  }

  const NamedArrays& model_;
  const KnownHeads& heads_;
  const std::string& source_;
};

/// Whether the arrays behind `path` are those of a layer that is further up: "attention.self" of BERT's "attention".
bool belongs_to(const std::string& path, const AttentionLayer& layer) {
  const std::string start = joined(layer.path, "");
  if (layer.d_model == 0 || path.size() <= layer.path.size() || !path.starts_with(layer.path.empty() ? "" : start))
    return false;
  const std::string rest = path.substr(layer.path.empty() ? 0 : start.size()) + ".";
  if (layer.family->head_modules && rest.starts_with("heads.")) return true;
  return std::ranges::any_of(weight_names(*layer.family), [&](auto name) { return name.starts_with(rest); });
}

}  // namespace

const std::string_view usual_arrays =
    "the weights of queries, keys, values and output under their usual names, with any prefix: in_proj_weight, "
    "q_proj.weight, c_attn.weight, query.weight, W_query.weight, to_q.weight and others (the page \"Models and "
    "captures\" lists the families)";

std::string AttentionLayer::doubt() const {
  if (unchecked.empty()) return {};
  return fmt::format("A layer of {}: opened as one of {}; not checked", unchecked, family->name);
}

std::vector<std::string> AttentionLayer::remarks() const {
  std::vector<std::string> all = findings;
  if (!unchecked.empty()) all.push_back(doubt());
  for (const std::string_view what : not_computed) all.push_back(fmt::format("The setup does not compute {}", what));
  return all;
}

std::vector<AttentionLayer> attention_layers(const NamedArrays& model, const KnownHeads& heads,
                                             const std::string& source) {
  const LayerFinder finder(model, heads, source);
  std::vector<AttentionLayer> layers;
  for (const std::string& path : paths_in(model)) {
    if (auto layer = finder.layer_at(path)) layers.push_back(std::move(*layer));
    require_few_layers(std::ssize(layers), source);
  }
  std::map<std::string_view, const AttentionLayer*> by_path;
  for (const AttentionLayer& layer : layers) by_path.emplace(layer.path, &layer);
  // Only a layer whose path begins this one can have it as a part.
  const auto is_part = [&](const std::string& path) {
    for (std::size_t end = 0; end < path.size(); end = std::min(path.find('.', end + 1), path.size()))
      if (const auto found = by_path.find(std::string_view(path).substr(0, end));
          found != by_path.end() && belongs_to(path, *found->second))
        return true;
    return false;
  };
  std::vector<AttentionLayer> whole;
  std::ranges::copy_if(layers, std::back_inserter(whole),
                       [&](const AttentionLayer& each) { return !is_part(each.path); });
  std::swap(layers, whole);
  std::ranges::sort(layers, counts_before, &AttentionLayer::path);
  return layers;
}

}  // namespace headlight
