#include "core/random/draws.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/shapes.hpp"
#include "core/random/fill.hpp"
#include "core/random/sequences.hpp"

namespace headlight {
namespace {

// --- A generator that remembers what it drew and reuses it when the same draw is asked for again ---------------------

/// A drawn tensor with the generator's state before and after. `before` and `fill` decide the other two.
struct Filled {
  StreamPosition before;
  Fill fill;
  Tensor values;
  StreamPosition after;
};

struct DropoutDecisions {
  StreamPosition before;
  std::size_t count = 0;
  double dropout = 0;
  std::shared_ptr<const Kept> kept;
};

/// Everything that one pass over a list of draws made, all with the same kind of generator.
struct StreamMemory {
  GeneratorKind kind = GeneratorKind::numpy;
  std::vector<Filled> fills;  ///< in the order of the list
  DropoutDecisions decisions;
};

/// One pass over a list of draws. `last` is what an earlier pass made; `last` and `workspace` must outlive the stream.
/// Until the first call of seed() the seed is 0.
class Stream {
 public:
  Stream(GeneratorKind kind, const StreamMemory& last, Workspace& workspace);

  void seed(std::int64_t seed);
  /// The tensor that the fill gives in the current state; reused from the last pass if it drew the same from the same
  /// state.
  Tensor draw(const Fill& fill);
  std::shared_ptr<const Kept> draw_kept(std::size_t count, double dropout);

  StreamMemory take() { return std::move(made_); }

 private:
  const Filled* find(const Fill& fill) const;
  Filled make(const Fill& fill);
  /// The generator, moved to the current state. As long as every draw is reused, it is not moved at all.
  Generator& generator();

  const StreamMemory& last_;
  Workspace& workspace_;
  StreamMemory made_;
  StreamPosition position_;
  std::optional<Generator> generator_;
};

Stream::Stream(GeneratorKind kind, const StreamMemory& last, Workspace& workspace)
    : last_(last), workspace_(workspace) {
  made_.kind = kind;
  made_.fills.reserve(last.fills.size());  // most edits do not change the number of draws
}

/// The Mersenne Twister of np.random and PyTorch uses only the low 32 bits of a seed.
void Stream::seed(std::int64_t seed) {
  position_ = {};
  position_.seed =
      made_.kind == GeneratorKind::numpy_rng ? static_cast<std::uint64_t>(seed) : static_cast<std::uint32_t>(seed);
}

Generator& Stream::generator() {
  if (!generator_) generator_ = seeded(made_.kind, static_cast<std::int64_t>(position_.seed));
  std::visit([&](auto& kind) { kind.go_to(position_); }, *generator_);
  return *generator_;
}

Tensor Stream::draw(const Fill& fill) {
  const Filled* known = find(fill);
  made_.fills.push_back(known ? *known : make(fill));
  position_ = made_.fills.back().after;
  return made_.fills.back().values;
}

const Filled* Stream::find(const Fill& fill) const {
  if (last_.kind != made_.kind) return nullptr;
  const auto fits = [&](const Filled& known) { return known.before == position_ && known.fill == fill; };
  const auto& known = last_.fills;
  // Most edits leave each draw at its position in the list. After inserting or removing a draw, those behind the next
  // seed have moved, so the whole list is searched.
  const std::size_t position = made_.fills.size();
  if (position < known.size() && fits(known[position])) return &known[position];
  const auto found = std::find_if(known.begin(), known.end(), fits);
  return found == known.end() ? nullptr : &*found;
}

Filled Stream::make(const Fill& fill) {
  Generator& source = generator();
  Tensor values = filled(source, fill, workspace_);
  const StreamPosition after = std::visit([](const auto& kind) { return kind.position(); }, source);
  return {position_, fill, std::move(values), after};
}

std::shared_ptr<const Kept> Stream::draw_kept(std::size_t count, double dropout) {
  const DropoutDecisions& known = last_.decisions;
  const bool same = known.kept && last_.kind == made_.kind && known.before == position_ && known.count == count &&
                    known.dropout == dropout;
  made_.decisions = same ? known
                         : DropoutDecisions{position_, count, dropout,
                                            std::make_shared<const Kept>(kept_by_dropout(generator(), count, dropout))};
  return made_.decisions.kept;
}

// --- A tensor assembled from its draws -------------------------------------------------------------------------------

Tensor ones(Precision precision, const Shape& shape) {
  Tensor tensor = Tensor::uninitialized(precision, shape);
  with_element_type(precision, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(tensor.writable<T>(), tensor.elements(), T{1});
  });
  return tensor;
}

// --- The draws of a setup --------------------------------------------------------------------------------------------

/// The draws of every tensor, indexed by TensorId.
using Assemblies = std::array<Assembly, forward_count>;

Tensor turned(const Tensor& tensor) {
  const int rank = tensor.shape().rank();
  return tensor.transposed(rank - 2, rank - 1);
}

Shape turned(Shape shape) {
  std::swap(shape[shape.rank() - 2], shape[shape.rank() - 1]);
  return shape;
}

/// Carries out a list of draws, one after the other.
class Drawer {
 public:
  /// Stores in `layers` what is drawn for each tensor of each of them; those that a model has once are in the first.
  Drawer(const Setup& setup, Stream& stream, std::vector<Assemblies>& layers)
      : setup_(setup), stream_(stream), layers_(layers) {}

  void run(const PlainDraw& draw) {
    if (const auto* seed = std::get_if<SeedDraw>(&draw)) return stream_.seed(seed->seed);
    const auto& tensor = std::get<TensorDraw>(draw);
    if (is_replaced(tensor, setup_)) return;
    layer_ = static_cast<std::size_t>(tensor.layer);
    if (const auto* id = std::get_if<TensorId>(&tensor.target)) draw_region({*id, tensor.head}, tensor);
    else draw_packed();
  }

 private:
  void draw_region(const Region& region, const TensorDraw& draw) {
    const Shape shape = region_shape(region, setup_);
    switch (draw.distribution) {
      case Distribution::zeros:
        // What is empty is as it is without draws: a gain would be 1.
        return place(
            region, info(region.id).without_draws() == 0 ? Tensor{} : Tensor::zeros(setup_.attention.precision, shape));
      case Distribution::uniform:
        return draw_as_laid_out(region, {.kind = Fill::Kind::uniform, .factor = draw.factor, .shape = shape});
      case Distribution::normal:
        return draw_as_laid_out(region, {.kind = Fill::Kind::normal, .factor = draw.factor, .shape = shape});
      case Distribution::linear:
        draw_turned(region, within(linear_weight_bound(shape[0]), shape));
        return place({*bias_of(region.id), region.head}, values(within(linear_bias_bound(shape[0]), {shape[1]})));
      case Distribution::linear_no_bias: return draw_turned(region, within(linear_weight_bound(shape[0]), shape));
      case Distribution::xavier_uniform:
        return draw_turned(region, within(xavier_uniform_bound(shape[0], shape[1]), shape));
    }
  }

  /// Draws nn.MultiheadAttention's in_proj_weight: W_q, W_k and W_v, each (out, in), stacked into one (3 · d_model,
  /// d_model) matrix.
  void draw_packed() {
    const Index d_model = setup_.sizes.d_model;
    const Tensor packed = values(within(xavier_uniform_bound(d_model, 3 * d_model), {3 * d_model, d_model}));
    Index start = 0;
    for (const TensorId id : drawn_tensors()) {
      if (!is_in_projection(id)) continue;
      place({id, {}}, turned(packed.narrowed(0, start, d_model)));
      start += d_model;
    }
  }

  void draw_as_laid_out(const Region& region, const Fill& fill) {
    const bool is_input = info(region.id).kind == TensorKind::input;
    const bool columns = is_input && setup_.attention.token_axis == TokenAxis::columns;
    const bool out_in =
        info(region.id).kind == TensorKind::weight && setup_.attention.weight_layout == WeightLayout::out_in;
    if (columns || out_in) draw_turned(region, fill);
    else place(region, values(fill));
  }

  /// Draws with the last two axes swapped, and stores a window that swaps them back.
  void draw_turned(const Region& region, Fill fill) {
    fill.shape = turned(fill.shape);
    place(region, turned(values(fill)));
  }

  static Fill within(double bound, const Shape& shape) {
    return {.kind = Fill::Kind::uniform, .from = -bound, .to = bound, .shape = shape};
  }

  Tensor values(Fill fill) {
    fill.precision = setup_.attention.precision;
    return stream_.draw(fill);
  }

  void place(const Region& region, Tensor values) {
    layers_[layer_][static_cast<std::size_t>(region.id)].place(region.head, std::move(values));
  }

  const Setup& setup_;
  Stream& stream_;
  std::vector<Assemblies>& layers_;
  std::size_t layer_ = 0;  ///< of the draw that is carried out
};

/// Whether both setups draw the same: they differ at most in words, mask, numbers that are given, and what follows the
/// inputs and weights.
bool same_draws(const Setup& a, const Setup& b) {
  const auto layout = [](const Attention& of) {
    return std::tie(of.source, of.token_axis, of.weight_layout, of.dropout, of.precision, of.qk_norm, of.qk_norm_over,
                    of.sink);
  };
  return a.sizes == b.sizes && layout(a.attention) == layout(b.attention) && a.position == b.position &&
         a.norm.kind == b.norm.kind && a.norm.final == b.norm.final && a.block == b.block &&
         a.embedding == b.embedding && a.random == b.random && a.values.same_wholes(b.values);
}

/// Decisions are drawn for the past positions too, so that those of the queries are the same as if all made queries.
std::shared_ptr<const Kept> draw_kept(const Setup& setup, Stream& stream) {
  const Shape weights = shape(TensorId::weights, setup);  // (batch, head, query, key)
  Shape all = weights;
  all[2] = setup.token_count();
  std::shared_ptr<const Kept> kept =
      stream.draw_kept(static_cast<std::size_t>(all.elements()), setup.attention.dropout);
  if (setup.past() == 0) return kept;
  Kept own;
  own.reserve(static_cast<std::size_t>(weights.elements()));
  const Index matrix = all[2] * all[3], past = setup.past() * all[3];
  for (Index first = 0; first < all.elements(); first += matrix)
    own.insert(own.end(), kept->begin() + first + past, kept->begin() + first + matrix);
  return std::make_shared<const Kept>(std::move(own));
}

/// What a setup's list of draws gave.
struct Drawn {
  Setup setup;
  StreamMemory memory;
  std::vector<Assemblies> layers{1};  ///< those of the setup, in order
  std::shared_ptr<const Kept> kept;

  const Assembly& of(TensorId id, Index layer) const {
    return layers[info(id).is_of_model() ? 0 : static_cast<std::size_t>(layer)][index_of(id)];
  }
};

std::shared_ptr<const Drawn> drawn(const Setup& setup, const std::shared_ptr<const Drawn>& last, Workspace& workspace) {
  if (same_draws(setup, last->setup)) return last;
  auto next = std::make_shared<Drawn>();
  next->setup = setup;
  Stream stream(setup.random.generator, last->memory, workspace);
  next->layers.resize(static_cast<std::size_t>(setup.sizes.layers));
  Drawer drawer(setup, stream, next->layers);
  const std::vector<PlainDraw> draws = draws_in_order(setup);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    workspace.reach(static_cast<double>(i) / static_cast<double>(draws.size()));
    drawer.run(draws[i]);
  }
  if (setup.attention.dropout > 0) {
    next->kept = draw_kept(setup, stream);
  }
  next->memory = stream.take();
  return next;
}

/// The tensor as the draws and the values of the setup make it together.
Tensor filled(TensorId id, const Assembly& drawn, const Setup& setup) {
  if (!setup.values.has(id)) return drawn.assemble(id, setup);
  const Tensor base = setup.values.whole(id) == nullptr ? drawn.assemble(id, setup) : Tensor{};
  return with_values(setup.values, id, base, setup.attention.precision, shape(id, setup));
}

/// A tensor with the setup's draws and values in it.
struct FilledTensor {
  TensorId id;
  Tensor tensor;
};

}  // namespace

Shape region_shape(const Region& region, const Setup& setup) {
  Shape result = shape(region.id, setup);
  if (region.head) result[info(region.id).block_axis().value()] = setup.d_head();
  return result;
}

void Assembly::place(std::optional<Index> head, Tensor values) {
  if (!head) {
    whole_ = std::move(values);
    blocks_.clear();
    return;
  }
  std::erase_if(blocks_, [&](const Block& block) { return block.head == *head; });
  blocks_.push_back({*head, std::move(values)});
}

Tensor Assembly::assemble(TensorId id, const Setup& setup) const {
  if (blocks_.empty() && !whole_.empty()) return whole_;
  const Shape whole = shape(id, setup);
  if (info(id).without_draws() == 1) return ones(setup.attention.precision, whole);  // no head has a block of a gain
  Tensor tensor = Tensor::zeros(setup.attention.precision, whole);
  if (!whole_.empty()) copy_numbers(whole_, tensor);
  const Index width = setup.d_head();
  for (const Block& block : blocks_) {
    const Tensor window = tensor.narrowed(info(id).block_axis().value(), block.head * width, width);
    copy_numbers(block.values.empty() ? Tensor::zeros(tensor.precision(), window.shape()) : block.values, window);
  }
  return tensor;
}

bool operator==(const Assembly& a, const Assembly& b) {
  const auto same = [](const auto& x, const auto& y) { return x.head == y.head && x.values.same_window(y.values); };
  return a.whole_.same_window(b.whole_) &&
         std::equal(a.blocks_.begin(), a.blocks_.end(), b.blocks_.begin(), b.blocks_.end(), same);
}

/// The drawn and given tensors of one layer: those that the setup has.
using FilledLayer = std::vector<FilledTensor>;

struct DrawCache::State {
  std::shared_ptr<const Drawn> drawn;
  Values values = {};
  TaskSettings task = {};
  std::vector<FilledLayer> layers = {};
  std::shared_ptr<const Sequences> sequences = {};  ///< of the task

  void put_into(Trace& trace) const {
    for (const TensorId id : drawn_tensors())
      if (trace.has(id)) trace[id] = {};
    for (const FilledTensor& each : layers[static_cast<std::size_t>(trace.setup.layer)]) trace[each.id] = each.tensor;
    trace.sequences = sequences;
    trace.kept = drawn->kept;
  }
  /// The tensor of the layer that the setup is asked about, if the next state has the same; else empty.
  Tensor held(TensorId id, const State& next, const Setup& setup) const {
    const auto layer = static_cast<std::size_t>(setup.layer);
    if (layer >= layers.size() || layer >= drawn->layers.size()) return {};
    const auto found = std::ranges::find(layers[layer], id, &FilledTensor::id);
    if (found == layers[layer].end() || !setup.values.same(id, values)) return {};
    const bool same = drawn == next.drawn || (drawn->of(id, setup.layer) == next.drawn->of(id, setup.layer) &&
                                              found->tensor.shape() == shape(id, setup) &&
                                              found->tensor.precision() == setup.attention.precision);
    return same ? found->tensor : Tensor{};
  }
  /// What the layer that the setup is asked about draws and is given, with what `last` holds of it.
  FilledLayer filled_layer(const State& last, const Setup& setup) const {
    FilledLayer all;
    all.reserve(drawn_tensors().size());
    for (const TensorId id : drawn_tensors()) {
      if (!exists(id, setup) || !is_drawn(id, setup)) continue;
      Tensor held = last.held(id, *this, setup);
      all.push_back({id, held.empty() ? filled(id, drawn->of(id, setup.layer), setup) : held});
    }
    return all;
  }
  /// The sequences that are shown: the first ones drawn. Those of this state, if they are the same.
  std::shared_ptr<const Sequences> shown_sequences(const State& next, const Setup& setup) const {
    if (!setup.has_task()) return nullptr;
    if (drawn == next.drawn && task == next.task) return sequences;
    SequenceSource source(setup);
    auto shown = std::make_shared<const Sequences>(headlight::shown_sequences(setup, source));
    return sequences != nullptr && *sequences == *shown ? sequences : shown;
  }
};

DrawCache fill_drawn(std::span<Trace* const> traces, const DrawCache& cache, Workspace& workspace) {
  const Setup& setup = traces.front()->setup;
  static const DrawCache::State nothing{.drawn = std::make_shared<const Drawn>()};
  const DrawCache::State& last = cache.state_ ? *cache.state_ : nothing;
  auto all = drawn(setup, last.drawn, workspace);
  if (cache.state_ && all == last.drawn && setup.values == last.values && setup.task == last.task) {
    for (Trace* const trace : traces) last.put_into(*trace);
    return cache;
  }
  auto next = std::make_shared<DrawCache::State>(DrawCache::State{std::move(all), setup.values, setup.task});
  next->layers.reserve(static_cast<std::size_t>(setup.sizes.layers));
  for (Index layer = 0; layer < setup.sizes.layers; ++layer)
    next->layers.push_back(next->filled_layer(last, layer == setup.layer ? setup : seen_at(setup, layer)));
  next->sequences = last.shown_sequences(*next, setup);
  for (Trace* const trace : traces) next->put_into(*trace);
  DrawCache result;
  result.state_ = std::move(next);
  return result;
}

DrawCache fill_drawn(Trace& trace, const DrawCache& cache, Workspace& workspace) {
  return fill_drawn(std::array{&trace}, cache, workspace);
}

}  // namespace headlight
