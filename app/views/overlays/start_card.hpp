// The card of a first start: the lectures, a sentence of one's own, files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "app/views/base/view_context.hpp"

namespace headlight {

/// The card while it is open.
struct StartCard {
  std::string sentence;       ///< as typed
  std::size_t row = 0;        ///< the chosen row
  std::size_t shown_row = 0;  ///< the chosen row of the last frame
  std::uint64_t version = 0;  ///< of the trace behind the card: another one closes it; 0: none was seen yet
};

void draw_start_card(ViewContext& context);

}  // namespace headlight
