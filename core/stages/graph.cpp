#include "core/stages/graph.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

/// Adds what the gradient on a path is computed from: the result's gradient, what the backward pass names besides, and
/// the operands of a product or a norm that it reads.
void add_operands_of(const GradientPath& path, std::span<const Operand> others, std::vector<Operand>& operands) {
  const auto add = [&](TensorId id) {
    if (std::ranges::find(operands, id, &Operand::tensor) == operands.end()) operands.push_back({id});
  };
  add(gradient_of(path.through->result));
  for (const TensorId id : path.through->operation->backward.reads) add(id);
  if (path.operand.slot == Operand::Slot::added) return;
  // A norm reads the row itself, and for the row also the gain.
  const bool reads_left = path.through->kind == StageKind::norm || path.through->operation->backward.reads_operand;
  for (const Operand& other : others) {
    const bool own = reads_left && other.slot == Operand::Slot::left;
    if (other.slot != Operand::Slot::added && (own || other.slot != path.operand.slot)) add(other.tensor);
  }
}

const std::vector<GradientPath>& all_paths(TensorId tensor) {
  static const GradientPaths all = gradient_paths(stages());
  return all[index_of(tensor)];
}

}  // namespace

std::vector<Operand> operands_of(const Stage& stage, const Setup& setup) {
  std::vector<Operand> operands;
  if (stage.kind == StageKind::gradient)
    for (const GradientPath& path : gradient_paths(gradient_of(stage.result), setup))
      add_operands_of(path, operands_of(*path.through, setup), operands);
  else
    for (const Operand& operand : stage.operands)
      if (operand_at(stage, operand.slot, setup) == &operand) operands.push_back(operand);
  return operands;
}

const Operand* operand_at(const Stage& stage, Operand::Slot slot, const Setup& setup) {
  for (const Operand& operand : stage.operands)
    if (operand.slot == slot && exists(operand.tensor, setup)) return &operand;
  return nullptr;
}

const Operand* plainest_operand(const Stage& stage, Operand::Slot slot) {
  const Operand* last = nullptr;
  for (const Operand& operand : stage.operands)
    if (operand.slot == slot) last = &operand;
  return last;
}

const Tensor* tensor_at(const Stage& stage, Operand::Slot slot, const Trace& trace) {
  for (const Operand& operand : stage.operands)
    if (operand.slot == slot && trace.has(operand.tensor)) return &trace[operand.tensor];
  return nullptr;
}

std::vector<TensorId> consumers(TensorId id, const Setup& setup) {
  std::vector<TensorId> found;
  for (const Stage& stage : is_gradient(id) ? gradient_stages() : stages()) {
    const bool may_read_it = std::ranges::find(stage.operands, id, &Operand::tensor) != stage.operands.end();
    if (!may_read_it || !exists(stage.result, setup)) continue;
    const std::vector<Operand> operands = operands_of(stage, setup);
    if (std::ranges::find(operands, id, &Operand::tensor) != operands.end()) found.push_back(stage.result);
  }
  return found;
}

GradientPaths gradient_paths(std::span<const Stage> forward) {
  GradientPaths paths;
  for (const Stage& stage : forward)
    for (const Operand& operand : stage.operands) paths[index_of(operand.tensor)].push_back({&stage, operand});
  return paths;
}

std::vector<GradientPath> gradient_paths(TensorId tensor, const Setup& setup) {
  std::vector<GradientPath> paths;
  for (const GradientPath& path : all_paths(tensor)) {
    if (!exists(path.through->result, setup)) continue;
    const Operand* read = operand_at(*path.through, path.operand.slot, setup);
    if (read != nullptr && read->tensor == tensor) paths.push_back(path);
  }
  return paths;
}

std::vector<Operand> operands_on(std::span<const GradientPath> paths) {
  std::vector<Operand> operands;
  for (const GradientPath& path : paths) add_operands_of(path, path.through->operands, operands);
  return operands;
}

bool same_gradient_settings(TensorId gradient, const Setup& a, const Setup& b) {
  return std::ranges::all_of(all_paths(gradient_of(gradient)), [&](const GradientPath& path) {
    const Stage& through = *path.through;
    return through.same_settings(a, b) && exists(through.result, a) == exists(through.result, b);
  });
}

bool is_gradient_window(TensorId gradient, const Setup& setup) {
  if (!setup.is_last() && gradient_of(gradient) == what_leaves(setup)) return true;  // it comes from the layer above
  const std::vector<GradientPath> paths = gradient_paths(gradient_of(gradient), setup);
  if (paths.size() != 1) return false;
  const Operation& operation = *paths.front().through->operation;
  return (operation.backward.is_window != nullptr && operation.backward.is_window(paths.front())) ||
         (operation.passes_on != nullptr && operation.passes_on(setup));
}

std::optional<TensorId> row_of(TensorId id, const Setup& setup) {
  if (stage_of(id).kind == StageKind::rowwise) return id;
  for (TensorId next : consumers(id, setup)) {
    const StageKind kind = stage_of(next).kind;
    if (!std::ranges::equal(info(next).axis_list(), info(id).axis_list())) continue;
    if (kind == StageKind::rowwise) return next;
    if (kind == StageKind::elementwise) return row_of(next, setup);
  }
  return std::nullopt;
}

bool follows_softmax(TensorId id) {
  const Stage& stage = stage_of(id);
  return stage.kind == StageKind::rowwise ||
         std::ranges::any_of(stage.operands, [](const Operand& operand) { return follows_softmax(operand.tensor); });
}

namespace {

/// Whether a stage reads the tensor in this slot, under some setup.
bool is_at(Operand::Slot slot, TensorId operand, const Stage& stage) {
  return std::ranges::any_of(stage.operands,
                             [&](const Operand& each) { return each.tensor == operand && each.slot == slot; });
}

/// Whether an axis counts the columns of all heads, of which each matrix of the result reads those of its head.
bool is_cut_into_heads(Axis axis, const TensorInfo& result) {
  return (axis == Axis::head_columns || axis == Axis::kv_columns) && result.has(Axis::head);
}

/// Where the columns begin that the head of a cell reads on such an axis.
Index first_column(Axis axis, const Cell& result, const Setup& setup) {
  const Index head = result.index[*info(result.tensor).index_of(Axis::head)];
  return (axis == Axis::kv_columns ? setup.kv_head_of(head) : head) * setup.d_head();
}

}  // namespace

std::optional<int> axis_in_result(Axis axis, const TensorInfo&, const TensorInfo& result) {
  if (const auto index = result.index_of(axis)) return index;
  if (axis == Axis::kv_head) return result.index_of(Axis::head);
  // Where the output joins the stream it is as wide as the input.
  if (axis == Axis::d_out) return result.index_of(Axis::d_model);
  // In self-attention keys and values are made from X too.
  if (axis == Axis::token) return result.index_of(result.has(Axis::query) ? Axis::query : Axis::key);
  if (axis == Axis::position) return result.index_of(result.has(Axis::token) ? Axis::token : Axis::key);
  return std::nullopt;
}

namespace {

/// The index on an axis of an operand that belongs to one on the axis of the result. Queries are made from the last
/// positions of X, and rows of P are added where their position is.
Index index_read(Axis axis, const Cell& result, int axis_of_result, const Setup& setup) {
  const Index index = result.index[axis_of_result];
  const Axis made = info(result.tensor).axes[static_cast<std::size_t>(axis_of_result)];
  if (axis == Axis::token && made == Axis::query) return setup.past() + index;
  return axis == Axis::position ? position_on(made, result.index[0], index, setup) : index;
}

}  // namespace

Axis summed_axis(const Stage& product, const Setup& setup) {
  const TensorInfo& left = info(left_operand(product, setup));
  const auto axes = left.axis_list();
  const TensorInfo& result = info(product.result);
  const Axis axis = *std::ranges::find_if(axes, [&](Axis each) { return !axis_in_result(each, left, result); });
  return is_cut_into_heads(axis, result) ? Axis::d_head : axis;
}

int summed_axis_in(TensorId operand, const Stage& product) {
  const TensorInfo& about = info(operand);
  const TensorInfo& result = info(product.result);
  const auto axes = about.axis_list();
  const auto summed = std::ranges::find_if(axes, [&](Axis each) { return !axis_in_result(each, about, result); });
  return static_cast<int>(summed - axes.begin());
}

Shape index_in_operand(TensorId operand, const Cell& result, Index n, const Setup& setup) {
  const TensorInfo& about = info(operand);
  Shape index;
  for (Axis axis : about.axis_list()) {
    const auto at = axis_in_result(axis, about, info(result.tensor));
    const Index first = is_cut_into_heads(axis, info(result.tensor)) ? first_column(axis, result, setup) : 0;
    const Index own = at ? index_read(axis, result, *at, setup) : first + n;
    const bool shared = at && axis == Axis::kv_head && !info(result.tensor).has_kv_heads();
    index.push_back(shared ? setup.kv_head_of(own) : own);
  }
  return index;
}

namespace {

/// The index of a cell's number on the other side of a window: in the tensor that splits or joins its heads, or the
/// same index where the window takes a part.
Shape index_behind_window(const Cell& cell, TensorId other, const Setup& setup) {
  const Shape& i = cell.index;
  const Index width = setup.d_head();
  if (info(cell.tensor).has_heads() == info(other).has_heads()) return i;
  if (info(cell.tensor).has_heads()) return {i[0], i[2], i[1] * width + i[3]};
  return {i[0], i[2] / width, i[1], i[2] % width};
}

GoesInto single_cell(TensorId tensor, const Shape& index) {
  GoesInto block{{tensor, index}, index, {}};
  for (int axis = 0; axis < index.rank(); ++axis) block.counts[axis] = 1;
  return block;
}

/// Whether a number of the result depends on all numbers of the operand along this axis of both: a share on its row of
/// scores, and what is normalised on its row, or on the rows of all heads.
bool spreads(const Stage& stage, TensorId operand, int axis, const Setup& setup) {
  const TensorInfo& result = info(stage.result);
  const bool last = axis + 1 == result.rank;
  if (stage.kind == StageKind::rowwise) return last;
  if (stage.kind != StageKind::norm || !is_at(Operand::Slot::left, operand, stage)) return false;
  return last || (axis == result.head_axis() && setup.norms_all_heads());
}

GoesInto whole(TensorId tensor, const Setup& setup) {
  const Shape extents = shape(tensor, setup);
  GoesInto block{{tensor, extents}, extents, {}};
  for (int axis = 0; axis < extents.rank(); ++axis) block.first.index[axis] = 0;
  return block;
}

}  // namespace

namespace {

/// The rows to which a row of P is added, in each batch item: where positions skip its padding, each item has its own,
/// and row 0 is that of all padding too.
std::vector<GoesInto> rows_at_position(const GoesInto& all, Index position, const Setup& setup) {
  const Axis axis = info(all.first.tensor).axes[1];
  std::vector<GoesInto> blocks;
  for (Index item = 0; item < setup.sizes.batch; ++item) {
    GoesInto block = all;
    block.first.index[0] = item;
    block.counts[0] = 1;
    block.counts[1] = 0;
    for (Index row = 0; row < extent(axis, setup); ++row) {
      if (position_on(axis, item, row, setup) != position) continue;
      if (block.counts[1]++ == 0) block.first.index[1] = row;
    }
    if (block.counts[1] > 0) blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

std::vector<GoesInto> cells_made_with(const Cell& cell, const Stage& stage, const Setup& setup) {
  if (stage.kind == StageKind::window) {
    const Cell made{stage.result, index_behind_window(cell, stage.result, setup)};
    if (!has_index(setup, made.tensor, made.index)) return {};  // the result is a part without it
    return {single_cell(made.tensor, made.index)};
  }
  GoesInto block = whole(stage.result, setup);
  const TensorInfo& operand = info(cell.tensor);
  const TensorInfo& result = info(stage.result);
  for (int axis = 0; axis < operand.rank; ++axis) {
    const Axis own = operand.axes[static_cast<std::size_t>(axis)];
    const auto index = axis_in_result(own, operand, result);
    if (!index || spreads(stage, cell.tensor, *index, setup)) continue;
    const Index sharing = own == Axis::kv_head && !result.has_kv_heads() ? setup.sizes.heads / setup.kv_heads() : 1;
    const bool is_past = own == Axis::token && result.axes[static_cast<std::size_t>(*index)] == Axis::query;
    block.first.index[*index] = (cell.index[axis] - (is_past ? setup.past() : 0)) * sharing;
    block.counts[*index] = sharing;
  }
  if (operand.has(Axis::position) && positions_skip_padding(setup))
    return rows_at_position(block, cell.index[0], setup);
  // A position that only the longer of queries and keys has is read by that one alone, and a past one makes no query.
  if (!has_index(setup, block.first.tensor, block.first.index)) return {};
  return {block};
}

GoesInto cells_made_of(const Cell& cell, TensorId operand_id, const Setup& setup) {
  const Stage& stage = stage_of(cell.tensor);
  if (stage.kind == StageKind::window) return single_cell(operand_id, index_behind_window(cell, operand_id, setup));
  GoesInto block = whole(operand_id, setup);
  const TensorInfo& operand = info(operand_id);
  const TensorInfo& result = info(cell.tensor);
  for (int axis = 0; axis < operand.rank; ++axis) {
    const Axis own = operand.axes[static_cast<std::size_t>(axis)];
    const auto index = axis_in_result(own, operand, result);
    if (is_cut_into_heads(own, result)) {
      block.first.index[axis] = first_column(own, cell, setup);
      block.counts[axis] = setup.d_head();
    }
    if (!index || spreads(stage, operand_id, *index, setup)) continue;
    const bool shared = operand.has_kv_heads() && !result.has_kv_heads() && axis == operand.head_axis();
    const Index read = index_read(own, cell, *index, setup);
    block.first.index[axis] = shared ? setup.kv_head_of(read) : read;
    block.counts[axis] = 1;
  }
  return block;
}

namespace {

constexpr std::int64_t saturated = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? saturated : sum;
}

std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? saturated : product;
}

/// More bytes than a trace of these sizes and its values can hold, whatever else the setup says. Quick, because every
/// edit asks.
double most_bytes(const Setup& setup) {
  const auto longest =
      static_cast<double>(std::max({setup.token_count(), setup.key_length(), setup.sizes.d_model, setup.d_head(),
                                    setup.d_source(), setup.d_out(), setup.has_mlp() ? setup.d_mlp() : 0}));
  const double wide = longest * static_cast<double>(setup.sizes.heads);  // a row of all heads
  const auto answers = static_cast<double>(std::max(setup.answers() * setup.symbols(), features_of(setup.task)));
  const double largest = static_cast<double>(setup.sizes.batch) * longest * std::max(wide, answers);
  double most = static_cast<double>(tensor_count) * largest * static_cast<double>(setup.sizes.layers);
  for (const GivenValue& value : setup.values.entries()) most += static_cast<double>(value.numbers.tensor().elements());
  return most * static_cast<double>(sizeof(double));
}

}  // namespace

namespace {

/// Adds what the layer that the setup is asked about holds.
void add_layer(const Setup& setup, MemoryEstimate& estimate) {
  const auto element = static_cast<std::int64_t>(bytes_per_element(setup.attention.precision));
  for (const Stage& stage : stages_for(setup)) {
    if (!exists(stage.result, setup) || is_window(stage.result, setup)) continue;
    const std::int64_t bytes = saturating_multiply(shape(stage.result, setup).elements(), element);
    estimate.total_bytes = saturating_add(estimate.total_bytes, bytes);
    if (bytes > estimate.largest_bytes) {
      estimate.largest = stage.result;
      estimate.largest_bytes = bytes;
    }
  }
}

}  // namespace

MemoryEstimate estimate_memory(const Setup& setup) {
  MemoryEstimate estimate;
  for (Index layer = 0; layer < setup.sizes.layers; ++layer)
    add_layer(layer == setup.layer ? setup : seen_at(setup, layer), estimate);
  for (const GivenValue& value : setup.values.entries()) {
    const Tensor& numbers = value.numbers.tensor();
    if (is_used_as_given(setup.values, value.tensor, setup.attention.precision, shape(value.tensor, setup))) continue;
    estimate.total_bytes = saturating_add(
        estimate.total_bytes, numbers.elements() * static_cast<std::int64_t>(bytes_per_element(numbers.precision())));
  }
  return estimate;
}

void require_fits(const Setup& setup, std::int64_t limit, const std::string& source) {
  // Where addresses have 32 bits, as in a browser, no limit makes more memory of them.
  limit = std::min<std::int64_t>(limit, std::numeric_limits<std::ptrdiff_t>::max());
  if (most_bytes(setup) <= static_cast<double>(limit)) return;
  const MemoryEstimate estimate = estimate_memory(setup);
  if (estimate.total_bytes <= limit) return;
  const Shape largest = shape(estimate.largest, setup);
  throw InputError(
      {source, "sizes",
       fmt::format("a trace of {}; its largest tensor is {} {} with {}", format_bytes(estimate.total_bytes),
                   name(estimate.largest), largest.to_string(), format_bytes(estimate.largest_bytes)),
       fmt::format("up to {}", format_bytes(limit))});
}

}  // namespace headlight
