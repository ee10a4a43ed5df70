// What the view Layers shows of one layer of a model: every head's weights, and what each head does.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "app/session/studies/head_statistics.hpp"
#include "core/compute/threads.hpp"
#include "core/formats/layers/open_model.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// What a head does in a few words.
struct HeadCaption {
  std::string words;     ///< "previous 97 %"; "over 8 keys", 2^entropy, if it does nothing simple
  double share = 0;      ///< of the simple pattern; 0 without one
  std::string sentence;  ///< the same as a sentence; empty without a pattern
};

/// Weights of one batch item in single precision, which is enough for a picture.
struct LayerGlance {
  std::string problem;  ///< why the layer can't be computed; then the rest is empty
  Tensor weights;       ///< (head, query, key)
  Tensor multiples;     ///< the same as multiples of even attention
  Tensor hidden;        ///< (query, key), −inf where a key is masked; empty if none is
  double largest = 0;   ///< of the weights
  HeadStatistics statistics;
  std::vector<HeadCaption> captions;  ///< one per head

  Index heads() const { return weights.empty() ? 0 : weights.shape()[0]; }
  double mean_entropy() const;
};

/// Looks at a layer that is computed. A batch item that it doesn't have counts as its last. Throws Stopped after a
/// stop.
LayerGlance layer_glance(Threads& threads, const Trace& trace, Index batch, const std::stop_token& stop = {});

/// Computes a layer of a file and looks at it; says why if it can't. Throws Stopped after a stop.
LayerGlance layer_glance(const std::shared_ptr<Threads>& threads, const ModelLayer& layer, Index batch,
                         std::int64_t memory_limit, const std::stop_token& stop = {});

}  // namespace headlight
