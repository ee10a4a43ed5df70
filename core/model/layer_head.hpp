// A head of one of a model's layers, and how layers are written.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/shape.hpp"

namespace headlight {

/// A head of a layer of the model.
struct LayerHead {
  Index layer = 0;
  Index head = 0;

  LayerHead() = default;
  LayerHead(Index of_first_layer) : head(of_first_layer) {}  // NOLINT(*-explicit-*): a number is a head of layer 0
  LayerHead(Index of_layer, Index index) : layer(of_layer), head(index) {}
  friend auto operator<=>(const LayerHead&, const LayerHead&) = default;
};

/// "L1." before the name of what belongs to layer 1; nothing for layer 0, which is meant without it.
std::string layer_prefix(Index layer);

/// Takes such a prefix off the front of a text, "L0." too. Layer 0 where there is none.
Index take_layer_prefix(std::string_view& text);

/// "2" for a head of layer 0, "L1.2" for one of layer 1; and back. nullopt if the text is neither.
std::string to_string(const LayerHead& head);
std::optional<LayerHead> parse_layer_head(std::string_view text);

}  // namespace headlight
