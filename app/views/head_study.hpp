// What the heads do, worked out once for each trace: the numbers behind bars, orders and the matrix of similarities.
#pragma once

#include <cstdint>
#include <vector>

#include "app/session/head_statistics.hpp"
#include "app/session/session.hpp"

namespace headlight {

struct HeadStudy {
  HeadStatistics statistics;
  std::vector<double> distances;  ///< as head_distances() gives them

  /// 1 − the mean Jensen–Shannon distance of two heads: 1 where they look at the same keys.
  double similarity(Index a, Index b) const;
};

/// Holds the study that was asked for last, with what made it.
class HeadStudies {
 public:
  /// `tensor` is `weights` or `dropped_weights`.
  const HeadStudy& of(const Trace& trace, Index batch, TensorId tensor);

 private:
  std::uint64_t version_ = 0;
  Index batch_ = 0;
  TensorId tensor_ = TensorId::X;
  HeadStudy study_;
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
