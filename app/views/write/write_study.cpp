#include "app/views/write/write_study.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/compute/workspace.hpp"

namespace headlight {
namespace {

/// The numbers of a position in (kv_head, length, d_head).
Tensor brick_at(const Tensor& kept, Index position) {
  const Tensor cells = kept.selected(1, position);  // (kv_head, d_head)
  std::vector<double> numbers;
  for (Index head = 0; head < cells.shape()[0]; ++head)
    for (Index feature = 0; feature < cells.shape()[1]; ++feature) numbers.push_back(cells.at({head, feature}));
  return tensor_of(brick_shape(cells.shape()[0], cells.shape()[1]), numbers);
}

std::vector<Tensor> bricks_of(const Tensor& kept, double& largest) {
  std::vector<Tensor> bricks;
  for (Index position = 0; position < kept.shape()[1]; ++position) {
    bricks.push_back(brick_at(kept, position));
    const double* const numbers = bricks.back().data<double>();
    for (Index i = 0; i < bricks.back().elements(); ++i)
      if (std::isfinite(numbers[i])) largest = std::max(largest, std::abs(numbers[i]));
  }
  return bricks;
}

bool same_cache(const Writer& a, const Writer& b, Index layers) {
  for (Index layer = 0; layer < layers; ++layer)
    if (!identical(a.keys(layer).contiguous(), b.keys(layer).contiguous()) ||
        !identical(a.values(layer).contiguous(), b.values(layer).contiguous()))
      return false;
  return true;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

std::shared_ptr<const Reading> read(const ModelTrace& model, const std::vector<std::int64_t>& symbols,
                                    const std::shared_ptr<const Reading>& before, const std::stop_token& stop) {
  const auto stopped = [&] {
    if (stop.stop_requested()) throw Stopped();
  };
  const bool goes_on = before && before->model == model && before->writer->symbols().size() <= symbols.size() &&
                       std::equal(before->writer->symbols().begin(), before->writer->symbols().end(), symbols.begin());
  auto kept = goes_on ? std::make_shared<Writer>(*before->writer) : std::make_shared<Writer>(model);
  for (auto at = static_cast<std::size_t>(kept->length()); at < symbols.size(); ++at) {
    stopped();
    kept->read(symbols[at]);
  }
  stopped();
  Writer anew(model, Cache::none);
  anew.read(symbols);
  Reading reading;
  reading.model = model;
  reading.writer = kept;
  reading.anew = anew.logits();
  const Index layers = std::ssize(model.layers);
  for (Index layer = 0; layer < layers; ++layer) {
    stopped();
    reading.layers.push_back({bricks_of(kept->keys(layer), reading.largest_key),
                              bricks_of(kept->values(layer), reading.largest_value), kept->weights(layer)});
  }
  reading.same = same_bits(kept->logits(), reading.anew) && same_cache(*kept, anew, layers);
  return std::make_shared<const Reading>(std::move(reading));
}

/// How many numbers are multiplied, about: each symbol meets the weights of its embedding and of all layers twice.
Index work_of(const ModelTrace& model, std::size_t symbols) {
  Index weights = 0;
  for (const auto& layer : model.layers)
    for (const TensorInfo& tensor : all_tensors())
      if (tensor.kind == TensorKind::weight && layer->has(tensor.id)) weights += (*layer)[tensor.id].elements();
  return weights * 2 * static_cast<Index>(symbols);
}

}  // namespace

Shape brick_shape(Index kv_heads, Index d_head) {
  Index best = 1;
  const auto uneven = [&](Index parts) {
    return std::abs(std::log(static_cast<double>(kv_heads * parts * parts) / static_cast<double>(d_head)));
  };
  for (Index parts = 1; parts <= d_head; ++parts)
    if (d_head % parts == 0 && uneven(parts) < uneven(best)) best = parts;
  return {kv_heads * best, d_head / best};
}

bool WriteStudy::is_of(const Session& session, const std::vector<std::int64_t>& symbols) const {
  return last_ && last_->model == session.model_trace() && last_->writer->symbols() == symbols;
}

const Reading* WriteStudy::advance(Session& session, const std::vector<std::int64_t>& symbols) {
  if (is_of(session, symbols)) return last_.get();
  const ModelTrace model = session.model_trace();
  const auto* const found = coming_.of(session, {model, symbols}, work_of(model, symbols.size()),
                                       [model, symbols, before = last_](Threads&, const std::stop_token& stop) {
                                         return read(model, symbols, before, stop);
                                       });
  if (found != nullptr) last_ = *found;
  return last_.get();
}

}  // namespace headlight
