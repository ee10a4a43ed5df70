// A field for several lines of text, with a gutter of line numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/ui/ui.hpp"

namespace headlight {

struct TextAreaOptions {
  int first_line = 1;            ///< the number of the first line
  std::span<const int> wrong{};  ///< the numbers of the lines with a mistake, which are marked
  bool focus_now = false;        ///< takes the keyboard in this frame
};

/// True when a person changed the text in this frame. Long lines go on in the next row, with one number for all of
/// them; a text that is higher than `r` scrolls with the caret.
bool text_area(Ui& ui, std::string_view id, const Rect& r, std::string& text, const TextAreaOptions& options = {});

}  // namespace headlight
