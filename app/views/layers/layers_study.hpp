// What is known of the layers of the open model, computed one layer after the other beside the frames.
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

  std::size_t count() const { return glances_.size(); }
  /// Null while it isn't computed.
  const LayerGlance* glance(std::size_t layer) const {
    return layer < glances_.size() && glances_[layer] ? &*glances_[layer] : nullptr;
  }
  /// The layer that is being computed.
  std::optional<std::size_t> at_work() const { return stopped_ ? std::nullopt : next_; }
  std::size_t done() const;
  bool complete() const { return done() == glances_.size(); }
  /// The largest weight of all layers that are there.
  double largest() const;

 private:
  struct Key {
    const OpenModel* model = nullptr;
    Index batch = 0;
    std::size_t layer = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };

  void choose_next(std::span<const std::size_t> wanted);

  std::shared_ptr<const OpenModel> model_;
  Index batch_ = 0;
  bool stopped_ = false;
  std::vector<std::optional<LayerGlance>> glances_;
  std::optional<std::size_t> next_;
  Later<Key, LayerGlance> coming_;
};

/// The colours of all layers: the range that was chosen for weights. One that follows the numbers follows those of all
/// layers, so that pictures can be compared.
ColorScale scale_of_layers(const ViewContext& context, const LayersStudy& study);

}  // namespace headlight
