// Something that lies over the rest: a sheet, a card, an open panel.
#pragma once

#include <string_view>

#include "app/ui/ui.hpp"

namespace headlight {

/// While it lives, items and drawing go to it, and what it covers cannot be pointed at. Draw it after what it covers.
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
