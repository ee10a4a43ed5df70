#include "core/random/stream.hpp"

#include <algorithm>
#include <utility>

namespace headlight {
namespace {

bool same(const GeneratorState& a, const GeneratorState& b) { return a == b || (a && b && *a == *b); }

}  // namespace

Stream::Stream(GeneratorKind kind, const StreamMemory& last, Workspace& workspace)
    : kind_(kind), last_(last), workspace_(workspace) {}

void Stream::seed(std::int64_t seed) {
  const auto known = std::find_if(last_.seeds.begin(), last_.seeds.end(),
                                  [&](const Seeded& seeded) { return seeded.kind == kind_ && seeded.seed == seed; });
  state_ = known != last_.seeds.end() ? known->state : std::make_shared<const Generator>(seeded(kind_, seed));
  made_.seeds.push_back({kind_, seed, state_});
}

void Stream::require_state() {
  if (state_ == nullptr) seed(0);
}

Tensor Stream::draw(const Fill& fill) {
  require_state();
  const Filled* known = find(fill);
  made_.fills.push_back(known ? *known : make(fill));
  state_ = made_.fills.back().after;
  return made_.fills.back().values;
}

const Filled* Stream::find(const Fill& fill) const {
  const auto fits = [&](const Filled& known) { return known.fill == fill && same(known.before, state_); };
  const auto& known = last_.fills;
  // Most edits move nothing. Inserting or removing a draw moves those behind the next seed.
  const std::size_t place = made_.fills.size();
  if (place < known.size() && fits(known[place])) return &known[place];
  const auto found = std::find_if(known.begin(), known.end(), fits);
  return found == known.end() ? nullptr : &*found;
}

Filled Stream::make(const Fill& fill) const {
  auto after = std::make_shared<Generator>(*state_);
  Tensor values = filled(*after, fill, workspace_);
  return {state_, fill, std::move(values), std::move(after)};
}

std::shared_ptr<const Kept> Stream::draw_kept(std::size_t count, double dropout) {
  require_state();
  const DropoutDecisions& known = last_.decisions;
  if (known.kept && known.count == count && known.dropout == dropout && same(known.before, state_)) {
    made_.decisions = known;
  } else {
    Generator generator = *state_;
    auto kept = std::make_shared<const Kept>(kept_by_dropout(generator, count, dropout));
    made_.decisions = {state_, count, dropout, std::move(kept)};
  }
  return made_.decisions.kept;
}

}  // namespace headlight
