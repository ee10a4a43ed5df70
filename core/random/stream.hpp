// A generator that remembers what it filled, and looks there before it draws a single number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/random/fill.hpp"

namespace headlight {

/// A fill with the places around it. Everything but `before` and `fill` follows from those two.
struct Filled {
  Place before;
  Fill fill;
  Tensor values;
  Place after;
};

struct DropoutDecisions {
  Place before;
  std::size_t count = 0;
  double dropout = 0;
  std::shared_ptr<const Kept> kept;
};

/// What one pass over a list of draws made, all by one kind of generator.
struct StreamMemory {
  GeneratorKind kind = GeneratorKind::numpy;
  std::vector<Filled> fills;  ///< in the order of the list
  DropoutDecisions decisions;
};

/// One pass over a list of draws. `last` is what an earlier pass made; both must outlive this one. Before the first
/// seed it stands at seed 0.
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
  Filled make(const Fill& fill);
  /// The generator, brought here. It stays behind while there is nothing to draw.
  Generator& generator();

  const StreamMemory& last_;
  Workspace& workspace_;
  StreamMemory made_;
  Place place_;
  std::optional<Generator> generator_;
};

}  // namespace headlight
