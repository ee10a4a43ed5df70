#include "core/model/trace.hpp"

#include "core/model/shapes.hpp"

namespace headlight {

std::vector<LayerTensor> learned_in_model(const Setup& setup) {
  std::vector<LayerTensor> all;
  for (Index layer = 0; layer < setup.sizes.layers; ++layer)
    for (const TensorId id : learned_tensors(seen_at(setup, layer))) all.push_back({layer, id});
  return all;
}

}  // namespace headlight
