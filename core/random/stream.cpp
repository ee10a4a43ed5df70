#include "core/random/stream.hpp"

#include <algorithm>
#include <utility>

namespace headlight {

Stream::Stream(GeneratorKind kind, const StreamMemory& last, Workspace& workspace)
    : last_(last), workspace_(workspace) {
  made_.kind = kind;
  made_.fills.reserve(last.fills.size());  // most edits do not change the number of draws
}

/// The Mersenne Twister of np.random and PyTorch uses only the low 32 bits of a seed.
void Stream::seed(std::int64_t seed) {
  position_ = {};
  position_.seed =
      made_.kind == GeneratorKind::numpy_rng ? static_cast<std::uint64_t>(seed) : static_cast<std::uint32_t>(seed);
}

Generator& Stream::generator() {
  if (!generator_) generator_ = seeded(made_.kind, static_cast<std::int64_t>(position_.seed));
  std::visit([&](auto& kind) { kind.go_to(position_); }, *generator_);
  return *generator_;
}

Tensor Stream::draw(const Fill& fill) {
  const Filled* known = find(fill);
  made_.fills.push_back(known ? *known : make(fill));
  position_ = made_.fills.back().after;
  return made_.fills.back().values;
}

const Filled* Stream::find(const Fill& fill) const {
  if (last_.kind != made_.kind) return nullptr;
  const auto fits = [&](const Filled& known) { return known.before == position_ && known.fill == fill; };
  const auto& known = last_.fills;
  // Most edits leave each draw at its position in the list. After inserting or removing a draw, those behind the next
  // seed have moved, so the whole list is searched.
  const std::size_t position = made_.fills.size();
  if (position < known.size() && fits(known[position])) return &known[position];
  const auto found = std::find_if(known.begin(), known.end(), fits);
  return found == known.end() ? nullptr : &*found;
}

Filled Stream::make(const Fill& fill) {
  Generator& source = generator();
  Tensor values = filled(source, fill, workspace_);
  const StreamPosition after = std::visit([](const auto& kind) { return kind.position(); }, source);
  return {position_, fill, std::move(values), after};
}

std::shared_ptr<const Kept> Stream::draw_kept(std::size_t count, double dropout) {
  const DropoutDecisions& known = last_.decisions;
  const bool same = known.kept && last_.kind == made_.kind && known.before == position_ && known.count == count &&
                    known.dropout == dropout;
  made_.decisions = same ? known
                         : DropoutDecisions{position_, count, dropout,
                                            std::make_shared<const Kept>(kept_by_dropout(generator(), count, dropout))};
  return made_.decisions.kept;
}

}  // namespace headlight
