// Measures of the heads, computed once for each trace: for the bars, the orders and the matrix of similarities.
#pragma once

#include <cstdint>
#include <vector>

#include "app/session/session.hpp"
#include "app/session/studies/head_statistics.hpp"
#include "app/views/tensors/later.hpp"

namespace headlight {

/// How alike each pair of heads is.
struct HeadSimilarities {
  Index heads = 0;
  std::vector<double> distances;  ///< as head_distances() gives them

  /// 1 − the mean Jensen–Shannon distance of two heads: 1 where they look at the same keys.
  double between(Index a, Index b) const;
};

/// Keeps the latest results. `tensor` is `weights` or `dropped_weights`, in the trace that the session shows. If the
/// session works in the background, long computations run on another thread and their results come in a later frame.
class HeadStudies {
 public:
  /// Every number is NaN until it is worked out.
  const HeadStatistics& statistics(Session& session, Index batch, TensorId tensor);
  /// Null until they are worked out.
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

/// The tensor whose heads the views of heads and tokens show: the selected one where each head has its own, else
/// `weights`.
TensorId tensor_with_heads(const Session& session);
/// The tensor that says who looks at whom: `dropped_weights` if it is selected, otherwise `weights`.
TensorId attention_tensor(const Session& session);
/// Whether its cells say how much a query looks at a key.
bool is_attention(TensorId tensor);

/// The cell that the views explain now (hovered, pinned or selected), as a place in the attention tensor.
Selection attention_place(const Session& session);

}  // namespace headlight
