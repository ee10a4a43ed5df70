// A small captured model in a folder, as `headlight capture` writes one.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/formats/arrays/npz.hpp"
#include "core/formats/files.hpp"
#include "scripted.hpp"

namespace headlight::testing {

constexpr Index captured_tokens = 5;

/// Numbers that differ from each other and between layers.
inline Tensor captured_numbers(Shape shape, int layer, float size) {
  Tensor tensor = Tensor::zeros(Precision::float32, shape);
  float* const out = tensor.writable<float>();
  for (Index i = 0; i < tensor.elements(); ++i) out[i] = size * static_cast<float>((i * 37 + layer * 101) % 19 - 9) / 9;
  return tensor;
}

inline void write_captured_layer(const TemporaryFolder& folder, int layer) {
  constexpr Index d_model = 8;
  constexpr Index heads = 2;
  const std::string name = fmt::format("layers.{}", layer);
  Tensor count = Tensor::zeros(Precision::float32, {});
  *count.writable<float>() = static_cast<float>(heads);
  write_npz(folder.path() / (name + ".npz"),
            std::vector<NamedTensor>{{name + ".in_proj_weight", captured_numbers({3 * d_model, d_model}, layer, 1)},
                                     {name + ".out_proj.weight", captured_numbers({d_model, d_model}, layer, 1)},
                                     {"X", captured_numbers({1, captured_tokens, d_model}, 7, 1)},
                                     {"num_heads", count}});
}

/// A captured model of this many layers.
struct Captured : TemporaryFolder {
  explicit Captured(int layers) : TemporaryFolder("captured") {
    std::string entries;
    for (int layer = 0; layer < layers; ++layer) {
      write_captured_layer(*this, layer);
      entries +=
          fmt::format(R"({}{{"name": "layers.{}", "file": "layers.{}.npz"}})", layer == 0 ? "" : ", ", layer, layer);
    }
    write_file(path() / "index.json",
               fmt::format(R"({{"version": 1, "tokens": ["a", "b", "c", "d", "e"], "layers": [{}]}})", entries));
  }
};

}  // namespace headlight::testing
