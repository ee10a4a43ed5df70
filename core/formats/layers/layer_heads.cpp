#include "core/formats/layers/layer_heads.hpp"

#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/setup.hpp"

namespace headlight {
namespace {

/// The numbers of heads that divide the columns of the layer's queries and keys.
class PossibleHeads {
 public:
  PossibleHeads(Index columns, Index kv_columns) {
    for (Index heads = 1; heads <= columns / heads; ++heads) {
      if (columns % heads != 0) continue;
      for (const Index each : {heads, columns / heads})
        if (kv_columns % (columns / each) == 0) all_.insert(each);
    }
  }

  bool has(Index heads) const { return all_.contains(heads); }
  std::optional<Index> only() const { return all_.size() == 1 ? std::optional(*all_.begin()) : std::nullopt; }
  std::string words() const { return fmt::format("{}", fmt::join(all_, ", ")); }

 private:
  std::set<Index> all_;
};

/// A number of heads, and its source.
struct SaidHeads {
  Index heads = 0;
  std::string source;
  std::string key;
};

/// The extent of an array along an axis; nothing where there is no such array with so many axes.
std::optional<Index> extent_of(const NamedArrays& model, std::string_view path, std::string_view name, std::size_t axes,
                               std::size_t axis) {
  const StoredArray* const array = model.find(path, name);
  if (array == nullptr || array->info.extents.size() != axes) return std::nullopt;
  return array->info.extents[axis];
}

std::optional<SaidHeads> heads_by_shapes(const NamedArrays& model, const AttentionLayer& layer) {
  if (const auto heads = extent_of(model, "", "weights", 4, 1)) return SaidHeads{*heads, "weights", "heads"};
  if (layer.stored_heads > 0)
    return SaidHeads{layer.stored_heads, std::string(layer.family->projections[of_query].weight.name), "heads"};
  // T5's first layer has a bias of each head for each distance.
  if (const auto heads = extent_of(model, layer.path, "relative_attention_bias.weight", 2, 1))
    return SaidHeads{*heads, "relative_attention_bias.weight", "heads"};
  // A gain for each feature of a head, unless it is for those of all heads.
  const auto gains = extent_of(model, layer.path, layer.family->gains[0], 1, 0);
  if (gains && is_size(*gains) && *gains < layer.head_columns && layer.head_columns % *gains == 0)
    return SaidHeads{layer.head_columns / *gains, std::string(layer.family->gains[0]), "heads"};
  // Rotary positions turn pairs of features; Llama's turn all of a head.
  const auto pairs = extent_of(model, layer.path, "rotary_emb.inv_freq", 1, 0);
  if (!pairs || !is_size(*pairs) || layer.family->projections[0].weight.packing == Packing::grouped)
    return std::nullopt;
  if (layer.head_columns % (2 * *pairs) != 0) return std::nullopt;
  return SaidHeads{layer.head_columns / (2 * *pairs), "rotary_emb.inv_freq", "heads"};
}

std::optional<Index> width_of_heads(const ConfigPart& config) {
  for (const char* key : {"head_dim", "d_kv", "kv_channels"})
    if (const auto width = config.size(key)) return width;
  return std::nullopt;
}

std::optional<SaidHeads> stated_heads(const NamedArrays& model, const AttentionLayer& layer, const KnownHeads& known) {
  if (known.asked) return SaidHeads{*known.asked, "--heads", ""};
  if (known.captured) return SaidHeads{*known.captured, "num_heads", ""};
  if (auto heads = heads_by_shapes(model, layer)) return heads;
  const ConfigPart config = known.config.part_of(layer.path);
  if (auto heads = config.heads()) return SaidHeads{heads->heads, known.config.source, heads->key};
  const auto d_head = width_of_heads(config);
  if (d_head && layer.head_columns % *d_head == 0)
    return SaidHeads{layer.head_columns / *d_head, known.config.source, "head_dim"};
  const Index usual = layer.usual_d_head;
  if (usual > 0 && layer.head_columns % usual == 0)
    return SaidHeads{layer.head_columns / usual, known.config.source, "head_dim"};
  if (layer.usual_heads > 0) return SaidHeads{layer.usual_heads, known.config.source, "num_attention_heads"};
  return std::nullopt;
}

}  // namespace

void count_heads(AttentionLayer& layer, const NamedArrays& model, const KnownHeads& known, const std::string& source) {
  const Index kv_columns = layer.kv_columns;
  const Index columns = layer.head_columns;
  const PossibleHeads possible(columns, kv_columns);
  const auto stated = stated_heads(model, layer, known);
  const auto heads = stated ? std::optional(stated->heads) : possible.only();
  const bool is_shared = columns == layer.d_model;
  const std::string widths = fmt::format("{} {}{}", is_shared ? "d_model =" : "queries of", columns,
                                         kv_columns == columns ? "" : fmt::format(" and keys of {}", kv_columns));
  if (!heads) {
    layer.problems.push_back(
        {source, "",
         fmt::format(
             "{}, but neither a config.json beside the file nor the shapes give the number of heads that share it",
             widths),
         fmt::format("--heads with one of {}", possible.words())});
    return;
  }
  if (!possible.has(*heads)) {
    layer.problems.push_back({stated->source, stated->key, fmt::format("{} heads", *heads),
                              fmt::format("one of {}, which divide {}", possible.words(), widths)});
    return;
  }
  const Index d_head = columns / *heads;
  const ConfigPart config = known.config.part_of(layer.path);
  const auto told = config.heads();
  if (const auto width = width_of_heads(config); told && told->heads == *heads && width.value_or(d_head) != d_head) {
    layer.problems.push_back({known.config.source, "head_dim", fmt::format("{}", *width),
                              fmt::format("{} / heads = {} / {} = {}, to match the shapes of the weights",
                                          is_shared ? "d_model" : "columns of the queries", columns, *heads, d_head)});
    return;
  }
  layer.heads = *heads;
  layer.kv_heads = kv_columns / d_head;
}

}  // namespace headlight
