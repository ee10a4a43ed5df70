// The one thing that consumes random numbers: a tensor filled from a generator.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"
#include "core/random/numpy_random.hpp"
#include "core/random/torch_random.hpp"

namespace headlight {

using Generator = std::variant<NumpyRandom, TorchRandom>;

Generator seeded(GeneratorKind kind, std::int64_t seed);

/// What to fill a tensor with. The same fill from an equal generator gives the same bits.
struct Fill {
  enum class Kind : std::uint8_t { uniform, normal } kind = Kind::uniform;
  double from = 0;  ///< uniform only; NumPy's generator always draws from 0 to 1
  double to = 1;
  Precision precision = Precision::float64;
  Shape shape;

  friend bool operator==(const Fill&, const Fill&) = default;
};

/// A new tensor in row-major order. NumPy draws float64 and rounds; PyTorch draws in the precision asked for.
Tensor filled(Generator& generator, const Fill& fill, Workspace& workspace);

/// Which of `count` numbers dropout keeps, each with probability 1 - dropout: `np.random.rand(count) >= dropout`, or
/// what F.dropout decides.
Kept kept_by_dropout(Generator& generator, std::size_t count, double dropout);

}  // namespace headlight
