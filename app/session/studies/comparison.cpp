#include "app/session/studies/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "app/session/studies/in_chunks.hpp"
#include "core/engine/engine.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// Calls `work(from, to, begin, end)` with the numbers of both tensors, for ranges of elements in row-major order.
/// Returns the results in that order.
template <class Result, class Work>
std::vector<Result> over_pairs(Threads& threads, const Tensor& a, const Tensor& b, const Work& work) {
  const Tensor flat_a = a.contiguous();
  const Tensor flat_b = b.contiguous();
  return with_element_type(flat_a.precision(), [&](auto zero_a) {
    return with_element_type(flat_b.precision(), [&](auto zero_b) {
      const auto* const from = flat_a.data<decltype(zero_a)>();
      const auto* const to = flat_b.data<decltype(zero_b)>();
      return in_chunks<Result>(threads, flat_a.elements(),
                               [&](Index begin, Index end) { return work(from, to, begin, end); });
    });
  });
}

/// How a range of elements differs.
struct Apart {
  double largest = 0;
  Index where = -1;
  Index not_finite = 0;
  bool equal = true;
};

double widened(auto value) { return static_cast<double>(value); }

template <class From, class To>
Apart apart_in(const From* from, const To* to, Index begin, Index end) {
  Apart all;
  for (Index i = begin; i < end; ++i) {
    const double a = widened(from[i]), b = widened(to[i]);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    all.equal = false;
    const double difference = std::abs(b - a);
    if (!std::isfinite(a) || !std::isfinite(b)) {
      ++all.not_finite;
    } else if (difference > all.largest && std::isfinite(difference)) {
      all.largest = difference;
      all.where = i;
    }
  }
  return all;
}

void measure(Threads& threads, const Tensor& a, const Tensor& b, TensorComparison& found, const std::stop_token& stop) {
  found.equal = true;
  if (a.same_window(b)) return;
  const auto parts = over_pairs<Apart>(threads, a, b, [&](const auto* from, const auto* to, Index begin, Index end) {
    return stop.stop_requested() ? Apart{} : apart_in(from, to, begin, end);
  });
  Apart all;
  for (const Apart& part : parts) {
    all.not_finite += part.not_finite;
    all.equal = all.equal && part.equal;
    if (part.largest <= all.largest) continue;
    all.largest = part.largest;
    all.where = part.where;
  }
  found.equal = all.equal;
  found.largest = all.largest;
  found.not_finite = all.not_finite;
  if (all.where >= 0) found.where = Cell{found.tensor, b.shape().index_at(all.where)};
}

/// A tensor made by calling `join` on each pair of numbers.
template <class Join>
Tensor joined(Threads& threads, const Tensor& a, const Tensor& b, const Join& join) {
  Tensor result = Tensor::uninitialized(Precision::float64, b.shape());
  double* const out = result.writable<double>();
  over_pairs<char>(threads, a, b, [&](const auto* from, const auto* to, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = join(widened(from[i]), widened(to[i]));
    return '\0';
  });
  return result;
}

}  // namespace

std::vector<TensorComparison> compare_shapes(const Trace& a, const Trace& b) {
  std::vector<TensorComparison> all;
  for (const TensorInfo& tensor : all_tensors()) {
    if (!a.has(tensor.id) && !b.has(tensor.id)) continue;
    TensorComparison found{.tensor = tensor.id, .a = {}, .b = {}, .where = {}, .measured = false};
    if (a.has(tensor.id)) found.a = a[tensor.id].shape();
    if (b.has(tensor.id)) found.b = b[tensor.id].shape();
    all.push_back(found);
  }
  return all;
}

std::vector<TensorComparison> compare(Threads& threads, const Trace& a, const Trace& b, const std::stop_token& stop) {
  std::vector<TensorComparison> all = compare_shapes(a, b);
  for (TensorComparison& found : all) {
    if (stop.stop_requested()) break;
    if (found.comparable()) measure(threads, a[found.tensor], b[found.tensor], found, stop);
    if (found.where) found.where->layer = b.setup.layer;
    found.measured = true;
  }
  return all;
}

Tensor difference_of(Threads& threads, const Tensor& a, const Tensor& b) {
  return joined(threads, a, b, [](double from, double to) { return from == to ? 0 : to - from; });
}

Tensor larger_of(Threads& threads, const Tensor& a, const Tensor& b) {
  return joined(threads, a, b, [](double x, double y) { return std::max(x, y); });
}

NumberEffects number_effects(const std::shared_ptr<Threads>& threads, const Setup& without, const Trace& with,
                             std::int64_t memory_limit, const std::stop_token& stop) {
  NumberEffects effects{Engine(memory_limit, threads).compute(without, {stop, {}}), {}};
  for (const TensorComparison& one : compare(*threads, *effects.before, with, stop)) {
    if (one.where && !is_drawn(one.tensor, with.setup))
      effects.most.push_back({*one.where, effects.before->number(*one.where), with.number(*one.where)});
  }
  return effects;
}

}  // namespace headlight
