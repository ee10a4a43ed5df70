// What is known of the layers that the view Layers shows: those of a file are computed one after the other beside the
// frames, those of the model that is computed are looked at.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/session/session.hpp"
#include "app/session/studies/layer_glance.hpp"
#include "app/ui/drawing/color_scale.hpp"
#include "app/views/base/later.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

class LayersStudy {
 public:
  /// Forgets another model's layers, takes in what is done, and begins the next layer: the first of `wanted` that isn't
  /// there yet, else the first of all. Without a background it computes all of them before it returns.
  void advance(Session& session, std::span<const std::size_t> wanted);
  /// Computes no more layers of this model until go_on(); what is there stays.
  void stop() { stopped_ = true; }
  void go_on() { stopped_ = false; }
  bool stopped() const { return stopped_ && !complete(); }

  std::size_t count() const { return known_.size(); }
  /// Null while it isn't computed.
  const LayerGlance* glance(std::size_t layer) const {
    return layer < known_.size() && known_[layer].glance ? &*known_[layer].glance : nullptr;
  }
  /// The layer that is being computed.
  std::optional<std::size_t> at_work() const { return stopped_ ? std::nullopt : next_; }
  std::size_t done() const;
  bool complete() const { return done() == known_.size(); }
  /// The largest weight of all layers that are there.
  double largest() const;

 private:
  struct Key {
    const OpenModel* model = nullptr;
    Tensor weights;  ///< of a layer that is computed
    Index batch = 0;
    std::size_t layer = 0;
    friend bool operator==(const Key& a, const Key& b) {
      return a.model == b.model && a.weights.same_window(b.weights) && a.batch == b.batch && a.layer == b.layer;
    }
  };
  /// What was seen of a layer. While a model learns, it stays until the next glance is there.
  struct Known {
    std::optional<LayerGlance> glance;
    Tensor weights;  ///< that were looked at; empty for a layer of a file
  };

  void forget_others(const Session& session);
  bool is_missing(const Session& session, std::size_t layer) const;
  void choose_next(const Session& session, std::span<const std::size_t> wanted);
  const LayerGlance* look(Session& session, std::size_t layer);

  std::shared_ptr<const OpenModel> model_;
  bool computed_ = false;  ///< the layers are those of the model that is computed
  Index batch_ = 0;
  bool stopped_ = false;
  std::vector<Known> known_;
  std::optional<std::size_t> next_;
  Later<Key, LayerGlance> coming_;
};

/// The colours of all layers: the range that was chosen for weights. One that follows the numbers follows those of all
/// layers, so that pictures can be compared.
ColorScale scale_of_layers(const ViewContext& context, const LayersStudy& study);

}  // namespace headlight
