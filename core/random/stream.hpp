// A generator that remembers what it drew and reuses it when the same draw is asked for again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/random/fill.hpp"

namespace headlight {

/// A drawn tensor with the generator's state before and after. `before` and `fill` decide the other two.
struct Filled {
  StreamPosition before;
  Fill fill;
  Tensor values;
  StreamPosition after;
};

struct DropoutDecisions {
  StreamPosition before;
  std::size_t count = 0;
  double dropout = 0;
  std::shared_ptr<const Kept> kept;
};

/// Everything that one pass over a list of draws made, all with the same kind of generator.
struct StreamMemory {
  GeneratorKind kind = GeneratorKind::numpy;
  std::vector<Filled> fills;  ///< in the order of the list
  DropoutDecisions decisions;
};

/// One pass over a list of draws. `last` is what an earlier pass made; `last` and `workspace` must outlive the stream.
/// Until the first call of seed() the seed is 0.
class Stream {
 public:
  Stream(GeneratorKind kind, const StreamMemory& last, Workspace& workspace);

  void seed(std::int64_t seed);
  /// The tensor that the fill gives in the current state; reused from the last pass if it drew the same from the same
  /// state.
  Tensor draw(const Fill& fill);
  std::shared_ptr<const Kept> draw_kept(std::size_t count, double dropout);

  StreamMemory take() { return std::move(made_); }

 private:
  const Filled* find(const Fill& fill) const;
  Filled make(const Fill& fill);
  /// The generator, moved to the current state. As long as every draw is reused, it is not moved at all.
  Generator& generator();

  const StreamMemory& last_;
  Workspace& workspace_;
  StreamMemory made_;
  StreamPosition position_;
  std::optional<Generator> generator_;
};

}  // namespace headlight
