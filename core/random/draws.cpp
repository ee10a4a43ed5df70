#include "core/random/draws.hpp"

#include <array>
#include <tuple>
#include <utility>

#include "core/model/shapes.hpp"
#include "core/random/assembly.hpp"
#include "core/random/fill.hpp"
#include "core/random/sequences.hpp"
#include "core/random/stream.hpp"

namespace headlight {
namespace {

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
class Drawing {
 public:
  /// Stores in `assemblies` what is drawn for each tensor.
  Drawing(const Setup& setup, Stream& stream, Assemblies& assemblies)
      : setup_(setup), stream_(stream), assemblies_(assemblies) {}

  void run(const Draw& draw) {
    if (const auto* seed = std::get_if<SeedDraw>(&draw)) return stream_.seed(seed->seed);
    const auto& tensor = std::get<TensorDraw>(draw);
    if (is_replaced(tensor, setup_)) return;
    if (const auto* id = std::get_if<TensorId>(&tensor.target)) draw_region({*id, tensor.head}, tensor.distribution);
    else draw_packed();
  }

 private:
  void draw_region(const Region& region, Distribution distribution) {
    const Shape shape = region_shape(region, setup_);
    switch (distribution) {
      case Distribution::zeros:
        // What is empty is as it is without draws: a gain would be 1.
        return place(
            region, info(region.id).without_draws() == 0 ? Tensor{} : Tensor::zeros(setup_.attention.precision, shape));
      case Distribution::uniform: return draw_as_laid_out(region, {.kind = Fill::Kind::uniform, .shape = shape});
      case Distribution::normal: return draw_as_laid_out(region, {.kind = Fill::Kind::normal, .shape = shape});
      case Distribution::linear:
        draw_turned(region, within(linear_weight_bound(shape[0]), shape));
        return place({*bias_of(region.id), region.head}, values(within(linear_bias_bound(shape[0]), {shape[1]})));
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
    assemblies_[static_cast<std::size_t>(region.id)].place(region.head, std::move(values));
  }

  const Setup& setup_;
  Stream& stream_;
  Assemblies& assemblies_;
};

/// Whether both setups draw the same: they differ at most in words, mask, numbers that are given, and what follows the
/// inputs and weights.
bool same_draws(const Setup& a, const Setup& b) {
  const auto layout = [](const Attention& of) {
    return std::tie(of.source, of.token_axis, of.weight_layout, of.dropout, of.precision, of.qk_norm, of.qk_norm_over);
  };
  return a.sizes == b.sizes && layout(a.attention) == layout(b.attention) && a.position == b.position &&
         a.norm.kind == b.norm.kind && a.random == b.random && a.values.same_wholes(b.values);
}

/// What a setup's list of draws gave.
struct Drawn {
  Setup setup;
  StreamMemory memory;
  Assemblies assemblies;
  std::shared_ptr<const Kept> kept;
};

std::shared_ptr<const Drawn> drawn(const Setup& setup, const std::shared_ptr<const Drawn>& last, Workspace& workspace) {
  if (same_draws(setup, last->setup)) return last;
  auto next = std::make_shared<Drawn>();
  next->setup = setup;
  Stream stream(setup.random.generator, last->memory, workspace);
  Drawing drawing(setup, stream, next->assemblies);
  const auto& draws = setup.random.draws;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    workspace.reach(static_cast<double>(i) / static_cast<double>(draws.size()));
    drawing.run(draws[i]);
  }
  if (setup.attention.dropout > 0) {
    const auto count = static_cast<std::size_t>(shape(TensorId::weights, setup).elements());
    next->kept = stream.draw_kept(count, setup.attention.dropout);
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

struct DrawCache::State {
  std::shared_ptr<const Drawn> drawn;
  Values values = {};
  TaskSettings task = {};
  std::vector<FilledTensor> tensors = {};           ///< those that the setup has
  std::shared_ptr<const Sequences> sequences = {};  ///< of the task

  void put_into(Trace& trace) const {
    for (const TensorId id : drawn_tensors())
      if (trace.has(id)) trace[id] = {};
    for (const FilledTensor& each : tensors) trace[each.id] = each.tensor;
    trace.sequences = sequences;
    trace.kept = drawn->kept;
  }
  /// The tensor, if the next state has the same; else empty.
  Tensor held(TensorId id, const State& next, const Setup& setup) const {
    const auto found = std::ranges::find(tensors, id, &FilledTensor::id);
    if (found == tensors.end() || !values.same(id, next.values)) return {};
    const bool same = drawn == next.drawn || (drawn->assemblies[index_of(id)] == next.drawn->assemblies[index_of(id)] &&
                                              found->tensor.shape() == shape(id, setup) &&
                                              found->tensor.precision() == setup.attention.precision);
    return same ? found->tensor : Tensor{};
  }
  /// The sequences that are shown: the first ones drawn. Those of this state, if they are the same.
  std::shared_ptr<const Sequences> shown_sequences(const State& next, const Setup& setup) const {
    if (!setup.has_task()) return nullptr;
    if (drawn == next.drawn && task == next.task) return sequences;
    auto shown = std::make_shared<const Sequences>(SequenceSource(setup).next(setup.sizes.batch));
    return sequences != nullptr && *sequences == *shown ? sequences : shown;
  }
};

DrawCache fill_drawn(Trace& trace, const DrawCache& cache, Workspace& workspace) {
  const Setup& setup = trace.setup;
  static const DrawCache::State nothing{.drawn = std::make_shared<const Drawn>()};
  const DrawCache::State& last = cache.state_ ? *cache.state_ : nothing;
  auto all = drawn(setup, last.drawn, workspace);
  if (cache.state_ && all == last.drawn && setup.values == last.values && setup.task == last.task) {
    last.put_into(trace);
    return cache;
  }
  auto next = std::make_shared<DrawCache::State>(DrawCache::State{std::move(all), setup.values, setup.task});
  next->tensors.reserve(drawn_tensors().size());
  for (const TensorId id : drawn_tensors()) {
    if (!exists(id, setup) || !is_drawn(id, setup)) continue;
    Tensor held = last.held(id, *next, setup);
    next->tensors.push_back({id, held.empty() ? filled(id, next->drawn->assemblies[index_of(id)], setup) : held});
  }
  next->sequences = last.shown_sequences(*next, setup);
  next->put_into(trace);
  DrawCache result;
  result.state_ = std::move(next);
  return result;
}

}  // namespace headlight
