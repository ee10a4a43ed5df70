// The results about a trace that are computed in the background, so that no frame has to read all its numbers.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "app/session/studies/tensor_statistics.hpp"
#include "app/slices/pyramid.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// A tensor with its statistics.
struct KnownStatistics {
  Tensor tensor;
  TensorStatistics statistics;
};

/// Weights of many keys, and the same as multiples of even attention.
struct KnownMultiples {
  Tensor weights;
  Tensor multiples;
};

struct TraceSummary {
  std::vector<KnownStatistics> statistics;  ///< of whole tensors
  std::vector<KnownMultiples> multiples;    ///< of weights of more than few_keys keys
  std::shared_ptr<const std::vector<Pyramid>> pyramids = std::make_shared<const std::vector<Pyramid>>();
};

/// Computes the statistics of every tensor, and the pyramids of all large slices of one batch item as pictures show
/// them at first. Results in `known` are not recomputed. The result must not be used after a stop.
TraceSummary summary_of(Threads& threads, const Trace& trace, Index batch, const TraceSummary& known,
                        const std::stop_token& stop = {});

/// The part of a summary that is still valid for this trace.
TraceSummary still_known(const TraceSummary& known, const Trace& trace);

}  // namespace headlight
