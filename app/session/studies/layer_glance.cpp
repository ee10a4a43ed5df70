#include "app/session/studies/layer_glance.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/session/studies/key_shares.hpp"
#include "core/compute/workspace.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/layers/layer_setup.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

/// The numbers in single precision, in memory of their own.
Tensor in_single(const Tensor& numbers) {
  Tensor single = Tensor::uninitialized(Precision::float32, numbers.shape());
  copy_numbers(numbers, single);
  return single;
}

double largest_of(const Tensor& single) {
  const float* const from = single.data<float>();
  return single.elements() == 0 ? 0 : *std::max_element(from, from + single.elements());
}

HeadCaption caption_of(const HeadStatistics& statistics, std::size_t head, const Setup& setup) {
  if (const auto& found = statistics.patterns[head])
    return {short_words(*found, setup), found->share, sentence_of(*found, setup)};
  return {fmt::format("over {:.0f} keys", std::exp2(statistics.heads[head].entropy)), 0, {}};
}

}  // namespace

double LayerGlance::mean_entropy() const {
  double sum = 0;
  for (const HeadMeasures& head : statistics.heads) sum += head.entropy;
  return statistics.heads.empty() ? 0 : sum / static_cast<double>(statistics.heads.size());
}

LayerGlance layer_glance(Threads& threads, const Trace& trace, Index batch, const std::stop_token& stop) {
  LayerGlance glance;
  const Index item = std::min(batch, trace.setup.sizes.batch - 1);
  glance.weights = in_single(trace[TensorId::weights].selected(0, item));
  glance.multiples = in_single(multiples_of_even(threads, trace, TensorId::weights).selected(0, item));
  if (const Tensor hidden = trace.hidden_cells(); !hidden.empty())
    glance.hidden = in_single(hidden.selected(0, item).selected(0, 0));
  glance.largest = largest_of(glance.weights);
  glance.statistics = head_statistics(threads, trace, item, TensorId::weights, stop);
  if (stop.stop_requested()) throw Stopped();
  for (std::size_t head = 0; head < glance.statistics.heads.size(); ++head)
    glance.captions.push_back(caption_of(glance.statistics, head, trace.setup));
  return glance;
}

LayerGlance layer_glance(const std::shared_ptr<Threads>& threads, const ModelLayer& layer, Index batch,
                         std::int64_t memory_limit, const std::stop_token& stop) {
  try {
    const auto trace = Engine(memory_limit, threads).compute(layer_setup(layer, memory_limit), {stop, {}});
    return layer_glance(*threads, *trace, batch, stop);
  } catch (const InputError& error) {
    LayerGlance glance;
    glance.problem = error.problems().front().message();
    return glance;
  }
}

}  // namespace headlight
