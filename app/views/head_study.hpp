// What the heads do, worked out once for each trace: the numbers behind bars, orders and the matrix of similarities.
#pragma once

#include <cstdint>
#include <future>
#include <stop_token>
#include <vector>

#include "app/session/head_statistics.hpp"
#include "app/session/session.hpp"

namespace headlight {

struct HeadStudy {
  bool ready = true;  ///< otherwise every number is NaN, and distances are missing: both are being worked out
  HeadStatistics statistics;
  std::vector<double> distances;  ///< as head_distances() gives them

  /// 1 − the mean Jensen–Shannon distance of two heads: 1 where they look at the same keys.
  double similarity(Index a, Index b) const;
};

/// Holds the study that was asked for last, with what made it.
class HeadStudies {
 public:
  HeadStudies() = default;
  ~HeadStudies() { stop_.request_stop(); }
  HeadStudies(const HeadStudies&) = delete;
  HeadStudies& operator=(const HeadStudies&) = delete;

  /// Of the trace that the session shows; `tensor` is `weights` or `dropped_weights`. Where the session works in the
  /// background a study that takes long comes later: it is not ready until then.
  const HeadStudy& of(const Session& session, Index batch, TensorId tensor);

 private:
  std::uint64_t version_ = 0;
  Index batch_ = 0;
  TensorId tensor_ = TensorId::X;
  HeadStudy study_;
  std::stop_source stop_;          ///< of what is being worked out
  std::future<HeadStudy> coming_;  ///< last, so that its thread has ended before anything else goes
};

/// The tensor whose heads the views of heads and tokens show: the selected one where each head has its own, else
/// `weights`.
TensorId tensor_with_heads(const Session& session);
/// The same for who looks at whom: `dropped_weights` where that is selected, else `weights`.
TensorId attention_tensor(const Session& session);
/// Whether its cells say how much a query looks at a key.
bool is_attention(TensorId tensor);

/// The cell that everything explains, as a place among the weights.
Selection attention_place(const Session& session);

}  // namespace headlight
