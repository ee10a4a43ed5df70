#include "core/formats/layers/attention_layers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/captured.hpp"
#include "core/formats/layers/model_arrays.hpp"
#include "core/setup/value_checks.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

using enum TensorId;

// --- A layer of one family -------------------------------------------------------------------------------------------

/// Reads the arrays behind a path as a layer of one family, as far as names and shapes allow.
class LayerReader {
 public:
  LayerReader(const NamedArrays& model, const Family& family, const std::string& path);

  /// The number of the family's weights that are there.
  std::size_t found() const;
  bool is_complete() const { return found() == weight_names(family_).size(); }
  /// The path ends as it should, and at least half of the weights are there: not the output's alone, whose name many
  /// modules share.
  bool is_likely() const;

  /// The layer with its widths, but without heads and arrays; with its problems where weights are missing, do not fit,
  /// or are such that no setup can hold them. `source` is the file that was asked for.
  AttentionLayer read(const std::string& source);

 private:
  /// How many numbers a weight makes of how many, for each of its parts.
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
  std::optional<Widths> widths(Projection projection) const;
  void add(const StoredArray& array, std::string found, std::string allowed);
  void report_missing(const std::string& source);
  void read_widths();
  void check_shapes();
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

// --- What heads and configuration add, and the layers of a model -----------------------------------------------------

/// Whether every feature of a head is turned.
bool turns_all(const AttentionLayer& layer, const ModelConfig::Rotary& rotary) {
  const Index d_head = layer.d_head();
  if (rotary.features) return *rotary.features == d_head;
  return rotary.share.value_or(layer.family->positions.turned) == 1;
}

void know_rotary(AttentionLayer& layer, const ModelConfig& config) {
  const ModelConfig::Rotary& rotary =
      layer.sliding_window && config.sliding_rotary ? *config.sliding_rotary : config.rotary;
  if (!turns_all(layer, rotary) || layer.d_head() % 2 != 0)
    return layer.not_computed.push_back("rotary positions of a part of each head");
  if (rotary.rescaled) return layer.not_computed.push_back("rotary positions with rescaled angles");
  layer.position.encoding = Encoding::rotary;
  layer.position.layout = layer.family->positions.layout;
  if (rotary.base) layer.position.base = *rotary.base;
  else layer.assumed.push_back("The base of the rotary positions is not given: 10000 is assumed");
}

/// Sets the layer's `position`, for which its heads must be known. If a setup cannot have it, `not_computed` tells why:
/// rotary positions that turn a part of each head's features, or whose angles are rescaled for long texts. If
/// config.json leaves something open, it is as in most models, and listed in `assumed`.
void know_positions(AttentionLayer& layer, const ModelConfig& config) {
  const FamilyPositions& positions = layer.family->positions;
  if (layer.heads == 0 || positions.name.empty()) return;
  if (positions.encoding == Encoding::rotary) return know_rotary(layer, config);
  layer.position.encoding = positions.encoding;
  if (positions.encoding == Encoding::none) layer.not_computed.push_back(positions.name);
}

/// Whether the layer is Gemma's, by its config.json or by the norms beside it.
bool is_gemma(const AttentionLayer& layer, const NamedArrays& model, const ModelConfig& config) {
  return config.model_type.starts_with("gemma") || config.query_scalar ||
         model.has(parent_of(layer.path), "pre_feedforward_layernorm.weight");
}

/// The extent of an array with a single axis; 0 if there is none.
Index length_of(const NamedArrays& model, std::string_view path, std::string_view name) {
  const StoredArray* const array = name.empty() ? nullptr : model.find(path, name);
  return array == nullptr || array->info.extents.size() != 1 ? 0 : array->info.extents[0];
}

/// Sets the layer's norm of queries and keys, for which its heads must be known, and places its gains.
void know_qk_norm(AttentionLayer& layer, const NamedArrays& model, const ModelConfig& config) {
  const auto& [queries, keys] = layer.family->gains;
  if (queries.empty() || !(model.has(layer.path, queries) || model.has(layer.path, keys))) return;
  const Index of_queries = length_of(model, layer.path, queries), of_keys = length_of(model, layer.path, keys);
  const bool each = of_queries == layer.d_head() && of_keys == layer.d_head();
  const bool all = of_queries == layer.head_columns && of_keys == layer.kv_columns;
  if (!(each || all) || model.has(layer.path, "q_norm.bias"))
    return layer.not_computed.push_back("a norm of the queries and keys");
  layer.qk_norm = each ? NormSpan::head : NormSpan::heads;
  if (config.epsilon) layer.epsilon = *config.epsilon;
  else layer.assumed.push_back("The epsilon of the norms is not given: 1e-06 is assumed");
  const double added = is_gemma(layer, model, config) ? 1 : 0;
  const auto add = [&](TensorId one, TensorId of_heads, std::string_view name, Index heads) {
    const std::string steps = each ? "" : fmt::format(".reshape({}, {})", heads, layer.d_head());
    layer.arrays.push_back({each ? one : of_heads, {}, *model.index_of(layer.path, name), steps, added});
  };
  add(q_gain, q_head_gains, queries, layer.heads);
  add(k_gain, k_head_gains, keys, layer.kv_heads);
}

/// Sets what multiplies the dot products and what caps the scores.
void know_scores(AttentionLayer& layer, const NamedArrays& model, const ModelConfig& config) {
  layer.scale = layer.family->scale;
  if (layer.family->causal != CausalMask::always) return;
  if (config.query_scalar && *config.query_scalar != static_cast<double>(layer.d_head()))
    layer.scale = 1 / std::sqrt(*config.query_scalar);
  if (config.soft_cap) layer.soft_cap = *config.soft_cap;
  if (is_gemma(layer, model, config) && config.source.empty() && !layer.qk_norm)
    layer.assumed.push_back("Whether it caps its scores, as Gemma 2 does, is not given: no cap is assumed");
}

/// The tensors that the projections of a family become.
struct ProjectionTensors {
  TensorId weight;
  TensorId bias;
};
constexpr std::array<ProjectionTensors, 4> projection_tensors{{{W_q, b_q}, {W_k, b_k}, {W_v, b_v}, {W_o, b_o}}};

/// Rows of this many places each, the outputs of a piece.
struct PieceSteps {
  const AttentionLayer& layer;
  const ArrayPiece& piece;
  Index in = 0;   ///< 0 for a bias
  Index out = 0;  ///< of the piece

  std::string text() const {
    if (piece.per_head) return of_each_head();
    const bool turned = in > 0 && layer.family->layout == WeightLayout::out_in;
    const bool columns = in > 0 && !turned;
    std::string steps;
    if (piece.parts > 1)
      steps = fmt::format("[{}{}:{}]", columns ? ":, " : "", piece.part * out, (piece.part + 1) * out);
    return steps + (turned ? ".T" : "");
  }

 private:
  std::string of_each_head() const {
    const std::string per_head = fmt::format("{}, {}, {}", layer.heads, piece.parts, out / layer.heads);
    if (in == 0) return fmt::format(".reshape({})[:, {}].reshape({})", per_head, piece.part, out);
    return fmt::format(".reshape({}, {})[:, {}].reshape({}, {}).T", per_head, in, piece.part, out, in);
  }
};

ArrayPart rows_from(Index first, Index count, Index all) {
  if (count == all) return {};
  return {PartItem{false, first, first + count, std::nullopt}};
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
    const Index first = i == of_value ? layer.first_value_feature() : 0;
    const bool from_source = i == of_key || i == of_value;
    layer.arrays.push_back({projection_tensors[i].weight, rows_from(first, in, from_source ? layer.d_source() : in),
                            *model.index_of(layer.path, weight.name), PieceSteps{layer, weight, in, out}.text()});
    if (const auto index = model.index_of(layer.path, bias.name))
      layer.arrays.push_back({projection_tensors[i].bias, {}, *index, PieceSteps{layer, bias, 0, out}.text()});
  }
}

/// Every path that has a weight of any family behind it.
std::set<std::string> paths_in(const NamedArrays& model) {
  std::set<std::string_view> names;
  for (const Family& family : families())
    for (const std::string_view name : weight_names(family)) names.insert(name);
  std::set<std::string> paths;
  for (const StoredArray& array : model.all()) {
    const std::string_view whole = array.info.name;
    for (const std::string_view name : names) {
      if (whole == name) paths.insert("");
      else if (whole.size() > name.size() && whole.ends_with(name) && whole[whole.size() - name.size() - 1] == '.')
        paths.emplace(whole.substr(0, whole.size() - name.size() - 1));
    }
  }
  return paths;
}

bool is_causal(const AttentionLayer& layer, const NamedArrays& model, const ModelConfig& config) {
  if (layer.is_cross || layer.family->causal == CausalMask::never) return false;
  if (layer.family->causal == CausalMask::always || config.is_decoder) return true;
  if (layer.path.find("decoder") != std::string::npos) return true;
  const std::string_view parent = parent_of(layer.path);
  return std::ranges::any_of(cross_attention_names(),
                             [&](std::string_view name) { return model.has_below(joined(parent, name)); });
}

/// Where the layer is in its model: the number in "model.layers.3.self_attn"; 0 where there is none.
Index layer_number(std::string_view path) {
  const auto digit = path.find_first_of("0123456789");
  if (digit == std::string_view::npos) return 0;
  const std::string_view from = path.substr(digit);
  return number_from<Index>(from.substr(0, from.find('.'))).value_or(0);
}

std::optional<Index> sliding_window(const AttentionLayer& layer, const ModelConfig& config) {
  if (!config.sliding_window || layer.family->causal != CausalMask::always || layer.is_cross) return std::nullopt;
  if (!config.sliding_window->is_of(layer_number(layer.path))) return std::nullopt;
  return config.sliding_window->keys;
}

/// Of the families whose weights are all there the first whose shapes fit; else the one of which most are there.
std::optional<AttentionLayer> layer_at(const std::string& path, const NamedArrays& model, const KnownHeads& heads,
                                       const std::string& source) {
  std::optional<AttentionLayer> best;
  std::size_t most = 0;
  bool best_complete = false;
  for (const Family& family : families()) {
    LayerReader reader(model, family, path);
    const bool complete = reader.is_complete();
    if (!reader.is_likely() || best_complete > complete) continue;
    const std::size_t found = reader.found();
    AttentionLayer layer = reader.read(source);
    if (complete && layer.problems.empty()) {
      count_heads(layer, model, heads, source);
      if (layer.problems.empty()) place_arrays(layer, model);
      layer.is_causal = is_causal(layer, model, heads.config);
      layer.sliding_window = sliding_window(layer, heads.config);
      know_positions(layer, heads.config);
      if (layer.heads > 0) know_qk_norm(layer, model, heads.config);
      if (layer.heads > 0) know_scores(layer, model, heads.config);
      return layer;
    }
    if (best && complete == best_complete && found <= most) continue;
    best = std::move(layer);
    most = found;
    best_complete = complete;
  }
  return best;
}

}  // namespace

std::vector<AttentionLayer> attention_layers(const NamedArrays& model, const KnownHeads& heads,
                                             const std::string& source) {
  const std::set<std::string> paths = paths_in(model);
  std::vector<AttentionLayer> layers;
  for (const std::string& path : paths) {
    if (auto layer = layer_at(path, model, heads, source)) layers.push_back(std::move(*layer));
    require_few_layers(static_cast<Index>(layers.size()), source);
  }
  std::ranges::sort(layers, counts_before, &AttentionLayer::path);
  return layers;
}

std::string known_families() {
  std::vector<std::pair<std::string, std::vector<std::string_view>>> all;  // names of weights, and who has them
  for (const Family& family : families()) {
    const std::string weights = fmt::format("{}", fmt::join(weight_names(family), ", "));
    if (all.empty() || all.back().first != weights) all.push_back({weights, {}});
    std::vector<std::string_view>& names = all.back().second;
    if (std::ranges::find(names, family.name) == names.end()) names.push_back(family.name);
  }
  std::vector<std::string> words;
  for (const auto& [weights, names] : all) words.push_back(fmt::format("{} ({})", fmt::join(names, ", "), weights));
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace headlight
