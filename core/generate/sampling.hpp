// Chooses the next symbol by the model's scores, and writes texts so.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/generate/writer.hpp"
#include "core/random/fill.hpp"

namespace headlight {

struct Sampling {
  double temperature = 1;  ///< the scores are divided by it; 0 takes the largest and draws nothing
  Index top_k = 0;         ///< only so many symbols, those with the largest scores, can be chosen; 0: all
};

/// The chance of each symbol: softmax(logits / temperature) in float64, 0 for those that top_k leaves out, and the rest
/// in proportion. Of equal scores the lower symbol counts as larger. With temperature 0 the largest has them all. Where
/// a score is NaN or +∞ the chances may be NaN.
std::vector<double> chances(const std::vector<double>& logits, const Sampling& sampling);

/// The symbol where `drawn`, a number from 0 to 1, falls among the chances laid end to end, as np.searchsorted finds it
/// in np.cumsum (side="right").
std::int64_t symbol_at(const std::vector<double>& chances, double drawn);

/// The symbol where it falls, or with temperature 0, where nothing is drawn, the one that has all chances.
std::int64_t chosen(const std::vector<double>& chances, const Sampling& sampling, double drawn);

/// The number, from 0 to 1, with which an Author of this seed chooses the symbol `place` places after its first prompt.
double number_drawn(GeneratorKind kind, std::int64_t seed, Index place);

/// One text that a model has written.
struct Written {
  std::vector<std::int64_t> symbols = {};  ///< without the prompt and the line break that ends it
  std::vector<double> chances = {};        ///< of each; of the line break too, where that ended it
  enum class End : std::uint8_t { line_break, window, length } end = End::window;
};

struct Writing {
  std::vector<std::int64_t> prompt = {};
  Sampling sampling = {};
  std::optional<Index> length = {};  ///< the most symbols after the prompt; none: as many as the window holds
  Cache cache = Cache::keys_and_values;
};

/// Writes texts one after the other, each from the prompt on, with numbers of one generator: a number for each symbol.
class Author {
 public:
  /// `seed` is that of the generator of the model's kind. Throws InputError as require_writer() does, and for a prompt
  /// that leaves no room in the window.
  Author(const ModelTrace& model, Writing writing, std::int64_t seed);
  /// Throws InputError where the scores of the next symbol aren't finite.
  Written next();

 private:
  ModelTrace model_;
  Writing writing_;
  Generator generator_;
};

}  // namespace headlight
