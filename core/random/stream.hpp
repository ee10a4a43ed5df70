// A generator that remembers what it filled, and looks there before it draws a single number.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/random/fill.hpp"

namespace headlight {

/// States are shared: the one after a fill is the one before the next.
using GeneratorState = std::shared_ptr<const Generator>;

/// A fill with the states around it. Everything but `before` and `fill` follows from those two.
struct Filled {
  GeneratorState before;
  Fill fill;
  Tensor values;
  GeneratorState after;
};

struct DropoutDecisions {
  GeneratorState before;
  std::size_t count = 0;
  double dropout = 0;
  std::shared_ptr<const Kept> kept;
};

struct Seeded {
  GeneratorKind kind;
  std::int64_t seed;
  GeneratorState state;
};

/// What one pass over a list of draws made.
struct StreamMemory {
  std::vector<Seeded> seeds;
  std::vector<Filled> fills;  ///< in the order of the list
  DropoutDecisions decisions;
};

/// One pass over a list of draws. `last` is what an earlier pass made; both must outlive this one.
class Stream {
 public:
  Stream(GeneratorKind kind, const StreamMemory& last, Workspace& workspace);

  void seed(std::int64_t seed);
  /// The tensor that the fill gives from here on; the last pass's where it made the same.
  Tensor draw(const Fill& fill);
  std::shared_ptr<const Kept> draw_kept(std::size_t count, double dropout);

  StreamMemory take() { return std::move(made_); }

 private:
  const Filled* find(const Fill& fill) const;
  Filled make(const Fill& fill) const;
  void require_state();

  GeneratorKind kind_;
  const StreamMemory& last_;
  Workspace& workspace_;
  StreamMemory made_;
  GeneratorState state_;  ///< null before the first seed: then it is seed 0
};

}  // namespace headlight
