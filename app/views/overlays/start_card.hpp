// The start card: the lectures, a field for a sentence, files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "app/views/base/view_context.hpp"

namespace headlight {

/// The card while it is open.
struct StartCard {
  std::string sentence;       ///< as typed
  bool placed = false;        ///< the row to begin with was chosen
  std::size_t row = 0;        ///< the chosen row
  std::size_t shown_row = 0;  ///< the chosen row of the last frame
  float own_height = 0;       ///< of what is beside the lectures, in the last frame
  std::uint64_t version = 0;  ///< of the trace behind the card, which closes when it changes; 0: not known yet
};

void draw_start_card(ViewContext& context);

}  // namespace headlight
