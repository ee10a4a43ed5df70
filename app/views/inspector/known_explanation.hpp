// An explanation that frames show again and again.
#pragma once

#include <cstdint>
#include <memory>

#include "core/model/explanation.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The explanation of a cell, made once for each cell and trace: a long sum has thousands of terms, each with words of
/// its own, and hardly any of them are in sight.
class KnownExplanation {
 public:
  std::shared_ptr<const Explanation> of(const Trace& trace, const Cell& cell);

  /// How often one was made.
  int times_made() const { return times_made_; }

 private:
  std::shared_ptr<const Explanation> last_;
  std::uint64_t version_ = 0;  ///< of its trace
  int times_made_ = 0;
};

/// Those of the inspector.
struct InspectorExplanations {
  KnownExplanation number;  ///< the selected one
  KnownExplanation sum;     ///< the dot product of a score
  KnownExplanation weight;  ///< of a number in a softmax row
};

}  // namespace headlight
