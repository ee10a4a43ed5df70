// What a model has read of a draft: what it keeps of each symbol, and whether the same text computed anew gives the
// same digits.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/session/session.hpp"
#include "app/views/base/later.hpp"
#include "core/generate/writer.hpp"

namespace headlight {

/// What a layer keeps: for each symbol the keys and the values of all heads, as one block of cells each.
struct KeptBricks {
  std::vector<Tensor> keys, values;  ///< rank 2, see brick_shape()
  Tensor weights;                    ///< which symbols the last one looks at: (head, length)
};

/// The rows and columns of a brick: heads one below the other, their features in as many rows as make it square.
Shape brick_shape(Index kv_heads, Index d_head);

struct Reading {
  ModelTrace model;
  std::shared_ptr<const Writer> writer;
  std::vector<KeptBricks> layers;
  double largest_key = 0, largest_value = 0;  ///< magnitudes, of all layers
  std::vector<double> anew;                   ///< the logits of the whole text, read once more without what was kept
  bool same = false;  ///< these, and all keys and values, have the same bits with what was kept and without
};

class WriteStudy {
 public:
  /// Reads the symbols with the session's model. Returns the last reading, which may be of other symbols or of an
  /// earlier model while the next one is computed; null before the first.
  const Reading* advance(Session& session, const std::vector<std::int64_t>& symbols);
  /// The last one.
  const Reading* reading() const { return last_.get(); }
  /// Whether it is of these symbols and of the session's model.
  bool is_of(const Session& session, const std::vector<std::int64_t>& symbols) const;

 private:
  struct Key {
    ModelTrace model;
    std::vector<std::int64_t> symbols;
    friend bool operator==(const Key&, const Key&) = default;
  };
  std::shared_ptr<const Reading> last_;
  Later<Key, std::shared_ptr<const Reading>> coming_;
};

}  // namespace headlight
