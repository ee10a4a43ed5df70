#include "core/model/shapes.hpp"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headlight {
Index extent(Axis axis, const Setup& setup) {
  switch (axis) {
    case Axis::batch: return setup.sizes.batch;
    case Axis::head: return setup.sizes.heads;
    case Axis::kv_head: return setup.kv_heads();
    case Axis::query: return setup.sizes.query_length;
    case Axis::key: return setup.key_length();
    case Axis::position: return setup.positions();
    case Axis::token: return setup.token_count();
    case Axis::d_model: return setup.sizes.d_model;
    case Axis::d_source: return setup.d_source();
    case Axis::d_out: return setup.d_out();
    case Axis::d_head: return setup.d_head();
    case Axis::head_columns: return setup.sizes.heads * setup.d_head();
    case Axis::kv_columns: return setup.kv_heads() * setup.d_head();
    case Axis::answers: return setup.answers() * setup.symbols();
    case Axis::symbols: return features_of(setup.task);
    case Axis::d_mlp: return setup.d_mlp();
  }
  return 0;
}

Axis named_axis(Axis axis, const Setup& setup) {
  if (axis == Axis::token && setup.past() == 0) return Axis::query;
  const bool may_differ = axis == Axis::d_source || axis == Axis::d_out;
  return may_differ && extent(axis, setup) == setup.sizes.d_model ? Axis::d_model : axis;
}

std::string_view words_about(TensorId id, const Setup& setup) {
  const bool has_sink = id == TensorId::weights && setup.attention.sink != Sink::none;
  return has_sink ? "softmax over the keys and a sink: with what the sink takes, each row sums to 1" : info(id).about;
}

bool exists(TensorId id, const Setup& setup) {
  const TensorInfo& tensor = info(id);
  // The loss depends on everything that is there.
  if (tensor.is_gradient() && !setup.has_task()) return false;
  if (tensor.layers == OfLayers::first && !setup.is_first()) return false;
  if (tensor.layers == OfLayers::last && !setup.is_last()) return false;
  if (setup.has_attention_alone()) return tensor.known_alone;
  return tensor.exists == nullptr || tensor.exists(setup);
}

std::vector<TensorId> existing_tensors(const Setup& setup) {
  std::vector<TensorId> existing;
  for (const TensorInfo& tensor : all_tensors())
    if (exists(tensor.id, setup)) existing.push_back(tensor.id);
  return existing;
}

std::string existing_names(const Setup& setup) {
  std::vector<std::string_view> names;
  for (const TensorId id : existing_tensors(setup)) names.push_back(name(id));
  return fmt::format("{}", fmt::join(names, ", "));
}

TensorId named_after(TensorId id, const Setup& setup) {
  if (without_gradient(id) != TensorId::masked_scores || !setup.mask.kinds.empty()) return id;
  const TensorId scores = exists(TensorId::capped_scores, setup) ? TensorId::capped_scores : TensorId::scores;
  return is_gradient(id) ? gradient_of(scores) : scores;
}

bool is_drawn(TensorId id, const Setup& setup) {
  const TensorInfo& tensor = info(id);
  if (tensor.known_alone) return setup.has_attention_alone();
  return tensor.can_be_drawn() && (tensor.made == nullptr || !tensor.made(setup));
}

std::vector<TensorId> learned_tensors(const Setup& setup) {
  std::vector<TensorId> learned;
  for (const TensorId id : drawn_tensors())
    if (info(id).kind != TensorKind::input && exists(id, setup) && is_drawn(id, setup)) learned.push_back(id);
  return learned;
}

Shape shape(TensorId id, const Setup& setup) {
  Shape result;
  for (Axis axis : info(id).axis_list()) result.push_back(extent(axis, setup));
  return result;
}

bool same_form(TensorId id, const Setup& a, const Setup& b) {
  if (!exists(id, a) || !exists(id, b)) return exists(id, a) == exists(id, b);
  return shape(id, a) == shape(id, b) && a.attention.precision == b.attention.precision;
}

Index index_on(Axis axis, Index batch, Index head, const Setup& setup) {
  switch (axis) {
    case Axis::batch: return batch;
    case Axis::head: return head;
    case Axis::kv_head: return setup.kv_head_of(head);
    default: return 0;
  }
}

}  // namespace headlight
