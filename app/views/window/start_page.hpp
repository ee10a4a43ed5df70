// The first page: what comes next with a living picture, a sentence of one's own, a layer to check, and the course as a
// path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

class StartPicture;

/// The page while it is open.
struct StartPage {
  bool first = false;                  ///< nothing was open before, so there is nothing to go back to
  std::string sentence = {};           ///< as typed
  bool entered = false;                ///< it has had a frame
  std::size_t chosen = 0;              ///< the lecture that the keyboard is on
  bool focus_chosen = false;           ///< the arrow keys have chosen it, and it gets the keyboard
  bool is_open = false;                ///< the path was clicked, so each of its lectures can be
  std::optional<Point> opens_at = {};  ///< where it was clicked
  std::shared_ptr<StartPicture> picture = nullptr;
  /// What was shown when it opened. The page closes when that changes.
  std::uint64_t version = 0;
  const void* work = nullptr;
};

/// Draws the page on the whole surface, in place of the window, while it is open; returns whether it did. It takes all
/// keys but those that open the app's own cards.
bool draw_start_page(ViewContext& context);

/// Whether a pasted text is printed numbers, which are somebody's work, and no sentence.
bool reads_as_numbers(std::string_view text);

}  // namespace headlight
