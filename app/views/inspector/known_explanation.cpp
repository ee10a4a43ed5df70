#include "app/views/inspector/known_explanation.hpp"

#include "core/stages/explain.hpp"

namespace headlight {

std::shared_ptr<const Explanation> KnownExplanation::of(const Trace& trace, const Cell& cell) {
  if (last_ && last_->cell == cell && version_ == trace.version) return last_;
  last_ = std::make_shared<const Explanation>(explain(trace, cell));
  version_ = trace.version;
  ++times_made_;
  return last_;
}

}  // namespace headlight
