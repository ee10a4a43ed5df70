// Fills tensors from a generator, and draws the dropout decisions.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/model/setup.hpp"
#include "core/model/shape.hpp"
#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"
#include "core/random/numpy_random.hpp"
#include "core/random/torch_random.hpp"

namespace headlight {

using Generator = std::variant<NumpyRandom, TorchRandom, NumpyRng>;

Generator seeded(GeneratorKind kind, std::int64_t seed);

/// What to fill a tensor with. The same fill from the same state of a generator gives the same bits.
struct Fill {
  enum class Kind : std::uint8_t { uniform, normal } kind = Kind::uniform;
  double from = 0;  ///< for uniform only; NumPy's generators always draw from 0 to 1
  double to = 1;
  double factor = 1;  ///< multiplies every number as it is drawn: np.random.randn(…) * factor, torch.randn(…) * factor
  Precision precision = Precision::float64;
  Shape shape;

  friend bool operator==(const Fill&, const Fill&) = default;
};

/// A new tensor in row-major order. NumPy draws float64 numbers, which are rounded for float32; PyTorch draws in the
/// precision of the fill. Throws Stopped if the caller has cancelled.
Tensor filled(Generator& generator, const Fill& fill, Workspace& workspace);

/// Which of `count` numbers dropout keeps (1, else 0), each with probability 1 - dropout: by `np.random.rand(count) >=
/// dropout` or `rng.random(count) >= dropout`, or as PyTorch's F.dropout decides.
Kept kept_by_dropout(Generator& generator, std::size_t count, double dropout);

// The bounds of PyTorch's initialisations, which fill a weight with Tensor.uniform_(-bound, bound).

/// For nn.Linear's weight: nn.init.kaiming_uniform_ with a = √5 (He et al. 2015), which is 1/√inputs up to rounding.
double linear_weight_bound(Index inputs);
/// For nn.Linear's bias.
double linear_bias_bound(Index inputs);
/// For nn.init.xavier_uniform_ (Glorot and Bengio 2010).
double xavier_uniform_bound(Index inputs, Index outputs);

}  // namespace headlight
