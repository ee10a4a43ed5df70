// Something that lies over the rest: a sheet, a card, an open panel.
#pragma once

#include <string_view>

#include "app/ui/ui.hpp"

namespace headlight {

/// While a Layer lives, items and drawing go to it, and the items under it cannot be hovered or clicked. Make it after
/// the things it covers are drawn.
class Layer {
 public:
  Layer(Ui& ui, std::string_view id, const Rect& r);
  ~Layer();
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

 private:
  Ui& ui_;
};

}  // namespace headlight
