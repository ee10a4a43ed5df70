#include "core/formats/layers/read_whole.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/layers/captured.hpp"
#include "core/formats/layers/families.hpp"
#include "core/formats/layers/whole_results.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using enum TensorId;

/// If the length of a text is unknown: enough to see who looks at whom.
constexpr Index usual_length = 8;

/// "transformer.h.3.attn" as "transformer.h", 3 and "attn".
struct PlaceInStack {
  std::string stack;
  Index number = 0;
  std::string name;
};

std::optional<PlaceInStack> place_of(std::string_view path) {
  const std::string_view block = parent_of(path);
  const auto number = number_from<Index>(last_name(block));
  if (!number || *number < 0) return std::nullopt;
  return PlaceInStack{std::string(parent_of(block)), *number, std::string(last_name(path))};
}

/// The family of the block around a layer; null if none is known.
const BlockFamily* block_around(const ModelLayer& whole, const ModelConfig& config) {
  const AttentionLayer& layer = whole.layer;
  if (layer.weights || layer.family == nullptr) return nullptr;
  const auto place = place_of(layer.path);
  const BlockFamily* const family = block_family_of(layer.family->names, config.part_of(layer.path));
  return place && family != nullptr && place->name == family->attention ? family : nullptr;
}

std::string words_of_shape(const ArrayInfo& array) {
  return fmt::format("shape ({}{})", fmt::join(array.extents, ", "), array.extents.size() == 1 ? "," : "");
}

/// Which of what two attention layers do differs; empty if nothing.
std::string difference_in_attention(const AttentionLayer& a, const AttentionLayer& b, Index length) {
  const auto window = [&](const AttentionLayer& layer) {
    return layer.sliding_window && *layer.sliding_window < length ? *layer.sliding_window : 0;
  };
  const std::array<std::pair<bool, std::string_view>, 12> differences{
      {{a.d_model != b.d_model, "features of the input"},
       {a.heads != b.heads, "heads"},
       {a.kv_heads != b.kv_heads, "heads of keys and values"},
       {a.head_columns != b.head_columns, "features of a head"},
       {a.is_causal != b.is_causal, "causal mask"},
       {window(a) != window(b), "window of keys"},
       {!(a.position == b.position), "positions"},
       {a.qk_norm != b.qk_norm, "norm of queries and keys"},
       {a.qk_norm && a.epsilon != b.epsilon, "epsilon"},
       {a.scale != b.scale, "scale"},
       {a.soft_cap != b.soft_cap, "soft cap"},
       {a.sink != b.sink, "sink"}}};
  const auto found = std::ranges::find(differences, true, &std::pair<bool, std::string_view>::first);
  return found == differences.end() ? std::string() : std::string(found->second);
}

/// Of all arrays, with dots.
using ArrayNames = std::set<std::string>;

/// Reads one stack of blocks.
class ChainReader {
 public:
  ChainReader(const OpenModel& model, const BlockFamily& family, std::string stack,
              const std::map<Index, const ModelLayer*>& layers, const ArrayNames& names,
              const std::vector<Index>& symbols)
      : names_(names),
        arrays_(*layers.begin()->second->arrays),
        layers_(layers),
        part_(model.config.part_of(layers.begin()->second->layer.path)),
        config_file_(model.config.source) {
    whole_.file = model.path;
    whole_.arrays = layers.begin()->second->arrays;
    whole_.family = &family;
    whole_.stack = std::move(stack);
    whole_.stored = std::ssize(layers);
    whole_.symbols = symbols;
    whole_.attention = layers.begin()->second->layer;
    whole_.tokens = layers.begin()->second->tokens;
  }

  WholeModel read() {
    if (layers_.begin()->first != 0) {
      fail(fmt::format("{} without {}.0", block_path(layers_.begin()->first), whole_.stack),
           "all layers from the first on; if a model is in several files, open its .index.json");
      return std::move(whole_);
    }
    whole_.problems = whole_.attention.problems;  // which say what is missing: the number of heads
    if (!is_uncut()) return std::move(whole_);
    know_input();
    know_choices();
    for (Index layer = 0; is_uncut() && layer < whole_.stored; ++layer) add(layer);
    if (is_uncut()) add_ends();
    return std::move(whole_);
  }

 private:
  bool is_uncut() const { return whole_.problems.empty() && whole_.cut.empty(); }

  // --- Names ---------------------------------------------------------------------------------------------------------

  std::string block_path(Index layer) const { return fmt::format("{}.{}", whole_.stack, layer); }
  Index d_model() const { return whole_.attention.d_model; }
  const BlockModules& modules() const { return whole_.family->block; }
  bool is_in_out() const { return whole_.attention.family->axes == WeightAxes::in_out; }

  void fail(std::string found, std::string allowed) {
    whole_.problems.push_back({whole_.file.string(), "", std::move(found), std::move(allowed)});
  }

  // --- The ends at the bottom ----------------------------------------------------------------------------------------

  /// The array of a module at the ends of the model: beside the list of blocks, or further out.
  std::optional<std::size_t> at_the_ends(std::string_view module, std::string_view name) const {
    if (module.empty()) return std::nullopt;
    const std::string_view root = parent_of(whole_.stack);
    for (const std::string_view path : {root, parent_of(root), std::string_view{}})
      if (const auto at = arrays_.index_of(joined(path, module), name)) return at;
    return std::nullopt;
  }

  /// A table with d_model columns.
  std::optional<std::size_t> table(std::string_view module) const {
    const auto at = at_the_ends(module, "weight");
    if (!at) return at;
    const std::vector<Index>& extents = arrays_[*at].info.extents;
    return extents.size() == 2 && extents[0] >= 1 && extents[1] == d_model() ? at : std::nullopt;
  }

  void know_input() {
    whole_.length = usual_length;
    if (const auto at = arrays_.index_of("", captured::x)) {
      const std::vector<Index>& extents = arrays_[*at].info.extents;
      if (extents.size() == 3 && extents[2] == d_model()) {
        whole_.input = at;
        whole_.length = extents[1];
      }
    }
    const EndModules& ends = whole_.family->ends;
    if (!whole_.input) {
      whole_.embedding = table(ends.embedding);
      if (whole_.embedding) whole_.positions = table(ends.positions);
      if (!ends.positions.empty() && !whole_.positions)
        whole_.assumed.push_back(
            fmt::format("There is no {}.weight: no positions are added to the input", ends.positions));
    }
    know_symbols();
    if (whole_.input) return;
    if (!whole_.symbols.empty()) whole_.length = std::ssize(whole_.symbols);
    else if (whole_.embedding) whole_.length = std::min(whole_.length, rows_of(*whole_.embedding));
    if (whole_.positions && whole_.symbols.empty()) whole_.length = std::min(whole_.length, rows_of(*whole_.positions));
  }

  Index rows_of(std::size_t array) const { return arrays_[array].info.extents[0]; }

  void know_symbols() const {
    if (whole_.symbols.empty()) return;
    const auto refuse = [](std::string found, std::string allowed) {
      throw InputError({"--symbols", "", std::move(found), std::move(allowed)});
    };
    if (whole_.input) refuse("symbols of a text", "none: the file holds what enters the first layer");
    if (!whole_.embedding) refuse("symbols of a text", "none: there is no embedding whose rows they could be");
    const Index rows = rows_of(*whole_.embedding);
    for (const Index symbol : whole_.symbols)
      if (symbol < 0 || symbol >= rows)
        refuse(fmt::format("{}", symbol),
               fmt::format("numbers from 0 to {}, rows of {}", rows - 1, arrays_[*whole_.embedding].info.name));
    if (whole_.positions && std::ssize(whole_.symbols) > rows_of(*whole_.positions))
      refuse(
          fmt::format("{} symbols", whole_.symbols.size()),
          fmt::format("at most {}, the rows of {}", rows_of(*whole_.positions), arrays_[*whole_.positions].info.name));
  }

  // --- What config.json decides --------------------------------------------------------------------------------------

  /// The family's own code is known by the model_type; without it, what its files don't say is assumed.
  bool is_known() const { return !part_.type().empty(); }

  void know_choices() {
    const BlockFamily& family = *whole_.family;
    std::vector<std::string> assumed;
    whole_.mlp = family.bend.usual;
    whole_.bend_is_assumed = !is_known() && !part_.has(family.bend.key);
    whole_.placement_is_assumed = family.norm_first != nullptr && !part_.flag(family.norm_first);
    if (const std::string word = part_.word(family.bend.key); !word.empty()) {
      const auto bend = bend_called(word);
      whole_.mlp = bend.value_or(Mlp::none);
      if (!bend)
        unknown_bend_ = fmt::format("its MLP bends by \"{}\", which nobody has checked ({} in {})",
                                    printable(shortened(word)), family.bend.key, config_file_);
    } else if (part_.has(family.bend.key)) {
      whole_.mlp = Mlp::none;
      unknown_bend_ = fmt::format("{} in {} is no word", family.bend.key, config_file_);
    } else {
      assumed.push_back(fmt::format("{} = \"{}\"", family.bend.key, to_string(whole_.mlp)));
    }
    whole_.epsilon = family.epsilon.usual;
    const auto epsilon = family.epsilon.key == nullptr ? std::nullopt : part_.number(family.epsilon.key);
    if (epsilon) whole_.epsilon = *epsilon;
    else if (family.epsilon.key != nullptr)
      assumed.push_back(fmt::format("{} = {}", family.epsilon.key, whole_.epsilon));
    else assumed.push_back(fmt::format("an epsilon of {}", whole_.epsilon));
    if (family.norm_first != nullptr) {
      const auto first = part_.flag(family.norm_first);
      whole_.placement = first.value_or(false) ? NormPlacement::before : NormPlacement::after;
      if (!first) assumed.push_back(fmt::format("{} = false", family.norm_first));
    }
    if (!is_known() && !assumed.empty())
      whole_.assumed.push_back(fmt::format("No config.json says it, so what {} usually has is assumed: {}", family.name,
                                           fmt::join(assumed, ", ")));
    for (const std::string_view what : whole_.attention.assumed) whole_.assumed.emplace_back(what);
    const CausalMask mask = whole_.attention.arithmetic.causal;
    if (mask == CausalMask::decoders && !whole_.attention.is_causal && !arrays_.has("", captured::mask))
      whole_.assumed.emplace_back("Masks are not in the file: every position is assumed to see all others");
  }

  // --- Blocks --------------------------------------------------------------------------------------------------------

  /// Takes the block into the chain, or cuts the chain before it.
  void add(Index layer) {
    if (layer == largest_model) return cut_before(layer, fmt::format("a setup has up to {} layers", largest_model));
    const auto found = layers_.find(layer);
    if (found == layers_.end()) return cut_before(layer, fmt::format("there is no {}", block_path(layer)));
    const AttentionLayer& attention = found->second->layer;
    if (const std::string why = misfit_of_attention(attention, layer); !why.empty()) return cut_before(layer, why);
    std::vector<ChainArray> numbers;
    const auto take = [&](LayerArray array) { numbers.push_back({std::move(array), layer}); };
    for (const LayerArray& each : attention.arrays) take(each);
    if (const std::string why = take_norm(block_path(layer), modules().norm, norm_gain, norm_bias, take); !why.empty())
      return cut_before(layer, why);
    if (const std::string why = unknown_array(attention, layer, false); !why.empty()) return cut_before(layer, why);
    const std::vector<ChainArray> of_attention = numbers;
    std::string why = unknown_bend_;
    if (why.empty()) why = take_mlp(layer, take);
    if (why.empty()) why = unknown_array(attention, layer, true);
    if (!why.empty()) return layer == 0 ? cut_before_mlp(of_attention, why) : cut_before(layer, why);
    whole_.numbers.insert(whole_.numbers.end(), numbers.begin(), numbers.end());
    ++whole_.layers;
  }

  void cut_before(Index layer, std::string why) {
    if (layer == 0) {
      fail(fmt::format("{}: {}", block_path(0), why),
           fmt::format("a block as in {}; its attention alone opens with --layer 0", whole_.family->name));
      return;
    }
    whole_.cut = fmt::format("The chain is cut before layer {} of {}: {}", layer, whole_.stored, why);
  }

  /// All layers have an MLP, or none has. So only the first may be without.
  void cut_before_mlp(const std::vector<ChainArray>& of_attention, const std::string& why) {
    whole_.numbers = of_attention;
    whole_.mlp = Mlp::none;
    whole_.layers = 1;
    whole_.cut = fmt::format("The chain is cut before the MLP of layer 0 of {}: {}", whole_.stored, why);
    whole_.d_mlp = 0;
  }

  std::string misfit_of_attention(const AttentionLayer& layer, Index number) const {
    if (!layer.problems.empty()) return layer.problems.front().found;
    if (!layer.unchecked.empty()) return layer.doubt();
    if (!layer.not_computed.empty())
      return fmt::format("its attention has {}, which is not computed", listed(layer.not_computed, " and "));
    if (layer.is_cross || layer.d_out != layer.d_model) return "its attention does not read and write the stream alone";
    if (layer.qk_norm && layer.epsilon != whole_.epsilon)
      return "the norm of its queries and keys has another epsilon than its other norms";
    const std::string difference = difference_in_attention(layer, whole_.attention, whole_.length);
    if (number > 0 && !difference.empty())
      return fmt::format("its attention differs from that of layer 0: {}", difference);
    return {};
  }

  /// The array of a module, which must have this shape; or why not.
  std::pair<std::size_t, std::string> array_of(const std::string& path, std::string_view name,
                                               const Shape& wanted) const {
    const auto at = arrays_.index_of(path, name);
    if (!at) return {0, fmt::format("there is no {}", joined(path, name))};
    const ArrayInfo& info = arrays_[*at].info;
    if (!info.has_numbers || is_of_few_bits(info))
      return {0, fmt::format("{} is {}, no numbers of 16 bits or more", joined(path, name), info.type)};
    if (!std::ranges::equal(info.extents, wanted))
      return {0, fmt::format("{} has {}, not {}", joined(path, name), words_of_shape(info), wanted.to_string())};
    return {*at, {}};
  }

  static bool is_of_few_bits(const ArrayInfo& info) {
    return info.type == "U8" || info.type == "I8" || info.type == "|u1" || info.type == "|i1" ||
           info.type.starts_with("F8");
  }

  /// A gain, and a shift where there is one: then all norms have one.
  std::string take_norm(const std::string& parent, std::string_view module, TensorId gain, TensorId shift,
                        auto&& take) {
    const std::string path = joined(parent, module);
    const auto [at, why] = array_of(path, "weight", {d_model()});
    if (!why.empty()) return why;
    take(LayerArray{gain, {}, at, "", 0});
    const bool has_bias = arrays_.has(path, "bias");
    if (has_bias && whole_.family->norm == NormKind::rms) return fmt::format("{} has a bias, as no RMSNorm", path);
    if (has_shifts_.value_or(has_bias) != has_bias)
      return has_bias ? fmt::format("{} has a bias, unlike the norms before it", path)
                      : fmt::format("{} has no bias, unlike the norms before it", path);
    has_shifts_ = has_bias;
    if (!has_bias) return {};
    const auto [bias, wrong] = array_of(path, "bias", {d_model()});
    if (wrong.empty()) take(LayerArray{shift, {}, bias, "", 0});
    return wrong;
  }

  std::string take_linear(const std::string& path, TensorId weight, TensorId bias, Index in, Index out, auto&& take) {
    const auto [at, why] = array_of(path, "weight", is_in_out() ? Shape{in, out} : Shape{out, in});
    if (!why.empty()) return why;
    take(LayerArray{weight, {}, at, is_in_out() ? "" : ".T", 0});
    if (!arrays_.has(path, "bias")) return {};
    const auto [of_bias, wrong] = array_of(path, "bias", {out});
    if (wrong.empty()) take(LayerArray{bias, {}, of_bias, "", 0});
    return wrong;
  }

  std::string take_mlp(Index layer, auto&& take) {
    const std::string block = block_path(layer), in = joined(block, modules().in);
    if (layer == 0) {
      const StoredArray* const weight = arrays_.find(in, "weight");
      if (weight == nullptr) return fmt::format("there is no {}.weight", in);
      if (weight->info.extents.size() != 2 || !std::ranges::all_of(weight->info.extents, is_size))
        return fmt::format("{}.weight has {}", in, words_of_shape(weight->info));
      whole_.d_mlp = weight->info.extents[is_in_out() ? 1 : 0];
    }
    const Index d = d_model(), m = whole_.d_mlp;
    std::string why = take_norm(block, modules().mlp_norm, mlp_norm_gain, mlp_norm_bias, take);
    if (why.empty()) why = take_linear(in, W_in, b_in, d, m, take);
    if (why.empty() && !modules().gate.empty())
      why = take_linear(joined(block, modules().gate), W_gate, b_gate, d, m, take);
    if (why.empty()) why = take_linear(joined(block, modules().out), W_out, b_out, m, d, take);
    return why;
  }

  /// An array of the block that nothing above reads: it does something that isn't known. In the MLP, or elsewhere.
  std::string unknown_array(const AttentionLayer& attention, Index layer, bool in_mlp) const {
    const std::string_view mlp = parent_of(modules().in);
    const std::string of_mlp = mlp.empty() ? "" : joined(joined(block_path(layer), mlp), "");
    std::set<std::string> known;
    for (const std::string_view module :
         {modules().norm, modules().mlp_norm, modules().in, modules().gate, modules().out})
      for (const std::string_view name : {"weight", "bias"})
        if (!module.empty()) known.insert(joined(joined(block_path(layer), module), name));
    for (const LayerArray& each : attention.arrays) known.insert(dotted(arrays_[each.array].info.name));
    const std::string start = joined(block_path(layer), "");
    const std::string of_attention = joined(attention.path, "");
    for (auto at = names_.lower_bound(start); at != names_.end() && at->starts_with(start); ++at) {
      const std::string& name = *at;
      if (known.contains(name) || in_mlp != (!of_mlp.empty() && name.starts_with(of_mlp))) continue;
      if (name.starts_with(of_attention) && is_buffer(std::string_view(name).substr(of_attention.size()))) continue;
      return fmt::format("nobody knows what {} does", printable(shortened(name)));
    }
    return {};
  }

  // --- The ends at the top -------------------------------------------------------------------------------------------

  void cut_after(std::string_view where, const std::string& why) {
    whole_.cut = fmt::format("The chain is cut {}: {}", where, why);
  }

  void add_ends() {
    const EndModules& ends = whole_.family->ends;
    const auto take = [&](LayerArray array) { whole_.ends.push_back(std::move(array)); };
    const std::string root(parent_of(whole_.stack));
    const bool has_norm = arrays_.has(joined(root, ends.norm), "weight");
    if (has_norm || !ends.may_lack_norm) {
      const std::string why = take_norm(root, ends.norm, final_norm_gain, final_norm_bias, take);
      if (!why.empty()) {
        whole_.ends.clear();
        return cut_after("before the last norm", why);
      }
    }
    if (ends.unembedding.empty()) return;
    const std::string why = take_unembedding(take);
    if (why.empty()) return;
    std::erase_if(whole_.ends, [](const LayerArray& each) { return each.tensor == W_U || each.tensor == b_U; });
    whole_.columns = 0;
    cut_after("before the logits", why);
  }

  std::string take_unembedding(auto&& take) {
    const EndModules& ends = whole_.family->ends;
    const auto own = at_the_ends(ends.unembedding, "weight");
    if (!own && !is_tied()) return fmt::format("there is no {}.weight", ends.unembedding);
    const auto at = own ? own : table(ends.embedding);
    if (!at) return fmt::format("there is neither {}.weight nor {}.weight", ends.unembedding, ends.embedding);
    const ArrayInfo& info = arrays_[*at].info;
    if (info.extents.size() != 2 || info.extents[1] != d_model() || !info.has_numbers || is_of_few_bits(info))
      return fmt::format("{} has {}, and {} for each symbol were expected", info.name, words_of_shape(info), d_model());
    whole_.columns = info.extents[0];
    take(LayerArray{W_U, {}, *at, ".T", 0});
    const auto bias = own ? at_the_ends(ends.unembedding, "bias") : std::nullopt;
    if (!bias) return {};
    if (!std::ranges::equal(arrays_[*bias].info.extents, Shape{whole_.columns}))
      return fmt::format("{} has {}", arrays_[*bias].info.name, words_of_shape(arrays_[*bias].info));
    take(LayerArray{b_U, {}, *bias, "", 0});
    return {};
  }

  /// Whether the model scores symbols with its embedding. A class for another purpose scores none.
  bool is_tied() {
    const bool tied = part_.flag("tie_word_embeddings").value_or(whole_.family->ends.is_tied);
    const std::string name = part_.word_in("architectures", 0);
    const bool writes = name.empty() || name.find("LMHead") != std::string::npos ||
                        name.find("CausalLM") != std::string::npos || name.find("DoubleHeads") != std::string::npos;
    if (tied && writes && !is_known())
      whole_.assumed.push_back(fmt::format("There is no {}.weight: the unembedding is assumed to be {}.weight",
                                           whole_.family->ends.unembedding, whole_.family->ends.embedding));
    return tied && writes;
  }

  const ArrayNames& names_;
  const NamedArrays& arrays_;
  const std::map<Index, const ModelLayer*>& layers_;
  ConfigPart part_;
  std::string config_file_;
  std::string unknown_bend_;
  std::optional<bool> has_shifts_;
  WholeModel whole_;
};

/// The stacks of blocks that a family is known for.
struct BlockStack {
  const BlockFamily* family = nullptr;
  std::map<Index, const ModelLayer*> layers;
};

std::map<std::string, BlockStack> stacks_in(const OpenModel& model) {
  std::map<std::string, BlockStack> found;
  for (const ModelLayer& layer : model.layers) {
    const BlockFamily* const family = block_around(layer, model.config);
    if (family == nullptr) continue;
    const auto place = place_of(layer.layer.path);
    BlockStack& stack = found[place->stack];
    if (stack.family == nullptr) stack.family = family;
    stack.layers.emplace(place->number, &layer);
  }
  return found;
}

std::string known_families() {
  std::vector<std::string_view> names;
  for (const BlockFamily& each : block_families()) names.push_back(each.name);
  return fmt::format("blocks whose norms and MLP are known: those of {}", fmt::join(names, ", "));
}

WholeModel without_chain(const OpenModel& model, std::string found, std::string allowed) {
  WholeModel none;
  none.file = model.path;
  none.problems.push_back({model.path.string(), "", std::move(found), std::move(allowed)});
  return none;
}

/// Why none of the model's layers is in a block that is known.
std::string what_is_around(const OpenModel& model) {
  if (model.layers.empty()) return "no attention layer";
  const ModelLayer& first = model.layers.front();
  if (first.layer.weights) return "attention alone";
  const std::string type = printable(shortened(model.config.part_of(first.layer.path).type_in_words()));
  if (!type.empty()) return fmt::format("layers of {}, whose norms and MLP nobody has checked", type);
  return fmt::format("{}, a layer of {}, in no block with norms and an MLP", first.name, first.layer.name());
}

WholeModel whole_of_file(const OpenModel& model, const std::vector<Index>& symbols) {
  const auto stacks_found = stacks_in(model);
  ArrayNames names;
  if (!stacks_found.empty())
    for (const StoredArray& each : stacks_found.begin()->second.layers.begin()->second->arrays->all())
      names.insert(dotted(each.info.name));
  std::vector<WholeModel> chains, others;
  for (const auto& [path, stack] : stacks_found) {
    WholeModel whole = ChainReader(model, *stack.family, path, stack.layers, names, symbols).read();
    (whole.problems.empty() ? chains : others).push_back(std::move(whole));
  }
  if (chains.size() > 1) {
    std::vector<std::string> paths;
    for (const WholeModel& each : chains) paths.push_back(each.stack);
    return without_chain(model, fmt::format("several stacks of blocks: {}", fmt::join(paths, ", ")),
                         "one: what runs between them is not in the file");
  }
  if (!chains.empty()) return std::move(chains.front());
  if (!others.empty()) return std::move(others.front());
  return without_chain(model, what_is_around(model), known_families());
}

}  // namespace

bool has_blocks(const OpenModel& model) {
  constexpr std::size_t most = 64;  // asked in every frame of a menu; all layers of a model are alike
  if (!model.whole.empty()) return true;
  const auto first = std::span(model.layers).first(std::min(model.layers.size(), most));
  return std::ranges::any_of(first, [&](const ModelLayer& each) {
    const BlockFamily* const family = block_around(each, model.config);
    return family != nullptr && each.arrays->has(joined(parent_of(each.layer.path), family->block.norm), "weight");
  });
}

WholeModel whole_model(const OpenModel& model, const WholeOptions& options) {
  if (model.is_captured && model.whole.empty())
    return without_chain(model, "a captured folder without a file of the whole model",
                         fmt::format("one that capture writes for {}", known_families()));
  WholeModel whole;
  if (model.whole.empty()) {
    whole = whole_of_file(model, options.symbols);
  } else {
    OpenModel file = open_model_file(model.whole, model.heads, model.config);
    for (ModelLayer& layer : file.layers)
      if (!model.layers.empty()) layer.tokens = model.layers.front().tokens;
    whole = whole_of_file(file, options.symbols);
  }
  if (whole.problems.empty()) decide_by_results(whole, options.seconds);
  return whole;
}

}  // namespace headlight
