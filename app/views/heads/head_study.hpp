// Measures of the heads, computed once for each trace, for the bars of the cards, their order and the matrix of
// similarities.
#pragma once

#include <cstdint>
#include <vector>

#include "app/session/session.hpp"
#include "app/session/studies/head_statistics.hpp"
#include "app/views/base/later.hpp"

namespace headlight {

/// How similar each pair of heads is.
struct HeadSimilarities {
  Index heads = 0;
  std::vector<double> distances;  ///< the result of head_distances()

  /// 1 − the mean Jensen–Shannon distance of two heads: 1 if both attend to the same keys.
  double between(Index a, Index b) const;
};

/// Keeps the latest results. `tensor` is `weights` or `dropped_weights`, in the trace that the session shows. If the
/// session works in the background, long computations run on another thread, and a later frame gets their results.
class HeadStudies {
 public:
  /// All numbers are NaN while they are being computed.
  const HeadStatistics& statistics(Session& session, Index batch, TensorId tensor);
  /// Null while they are being computed.
  const HeadSimilarities* similarities(Session& session, Index batch, TensorId tensor);

 private:
  struct Key {
    std::uint64_t version = 0;
    Index batch = 0;
    TensorId tensor = TensorId::weights;
    friend bool operator==(const Key&, const Key&) = default;
  };

  HeadStatistics to_come_;
  Later<Key, HeadStatistics> statistics_;
  Later<Key, HeadSimilarities> similarities_;
};

/// The tensor whose heads the views of heads and tokens show: the selected tensor if it has heads, otherwise `weights`.
TensorId tensor_with_heads(const Session& session);
/// The tensor of attention weights to show: `dropped_weights` if it is selected, otherwise `weights`.
TensorId attention_tensor(const Session& session);

/// The cell that the views explain now (hovered, pinned or selected), as a selection on the attention tensor.
Selection attention_selection(const Session& session);

}  // namespace headlight
