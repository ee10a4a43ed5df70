#include "app/session/studies/even_attention.hpp"

#include <algorithm>
#include <vector>

#include "core/model/mask.hpp"

namespace headlight {
namespace {

/// How many keys each query may see, (batch, query).
std::vector<Index> visible_keys(const Setup& setup) {
  const Mask mask(setup);
  std::vector<Index> counts;
  for (Index item = 0; item < setup.sizes.batch; ++item)
    for (Index query = 0; query < setup.sizes.query_length; ++query) counts.push_back(mask.visible_keys(item, query));
  return counts;
}

}  // namespace

Tensor multiples_of_even(Threads& threads, const Trace& trace, TensorId weights) {
  const Tensor from = trace[weights].contiguous();  // (batch, head, query, key)
  Tensor multiples = Tensor::uninitialized(from.precision(), from.shape());
  const Index heads = from.shape()[1];
  const Index queries = from.shape()[2];
  const Index keys = from.shape()[3];
  const std::vector<Index> visible = visible_keys(trace.setup);
  with_element_type(from.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* const in = from.data<T>();
    T* const out = multiples.writable<T>();
    threads.run_over(from.elements(), from.shape()[0] * heads * queries, [&](Index row) {
      const Index place = row / (heads * queries) * queries + row % queries;
      const auto count = static_cast<T>(visible[static_cast<std::size_t>(place)]);
      std::transform(in + row * keys, in + (row + 1) * keys, out + row * keys, [count](T w) { return w * count; });
    });
  });
  return multiples;
}

}  // namespace headlight
