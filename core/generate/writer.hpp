// A model that writes: it reads a text symbol by symbol and scores each symbol as the next one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/model/trace.hpp"

namespace headlight {

/// Whether a model with this setup can write: its task asks for the next character of a text, and no position sees a
/// later one. Throws InputError that says what is in the way.
void require_writer(const Setup& setup);

/// How much of what was computed for earlier symbols is kept.
enum class Cache : std::uint8_t {
  keys_and_values,  ///< what later symbols need of earlier ones: the cache
  none              ///< the whole text is computed anew for each symbol
};

/// Reads one text. Both ways of keeping give equal bits, since all products are added in order (Products::in_order):
/// they are those of the window's trace where its products are small and its weights lie row by row, as learned ones
/// do.
class Writer {
 public:
  /// A model of which all layers were computed, learned weights and all. Throws as require_writer() does.
  explicit Writer(const ModelTrace& model, Cache cache = Cache::keys_and_values);

  /// Reads the next symbol. Throws std::logic_error where most() have been read.
  void read(std::int64_t symbol) { read(std::span(&symbol, 1)); }
  /// Reads several, one after the other; without a cache all at once.
  void read(std::span<const std::int64_t> symbols);
  /// How many symbols were read, and the most that the model has positions for.
  Index length() const { return static_cast<Index>(read_.size()); }
  Index most() const;
  const std::vector<std::int64_t>& symbols() const { return read_; }
  /// Of each symbol as the next one. Nothing before the first symbol is read.
  const std::vector<double>& logits() const { return logits_; }
  /// What is kept of a layer: (kv_head, length, d_head).
  Tensor keys(Index layer) const { return kept_of(TensorId::K_heads, layer); }
  Tensor values(Index layer) const { return kept_of(TensorId::V_heads, layer); }
  /// Which positions the last one looks at: (head, length).
  Tensor weights(Index layer) const;

 private:
  Tensor kept_of(TensorId id, Index layer) const;
  void go_on();
  void begin_anew();

  ModelTrace model_;
  Cache cache_;
  std::vector<std::int64_t> read_;
  std::vector<double> logits_;
  std::vector<Trace> last_;  ///< of each layer: with everything that belongs to one position, for all that were read
};

}  // namespace headlight
