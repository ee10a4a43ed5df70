// Sets a small part of LaTeX's mathematics: indices, exponents, fractions, roots and signs.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/drawing/canvas.hpp"

namespace headlight {

/// Draws `\sqrt{d_{head}}` on a baseline and returns the width. Only measures if `draw` is false. An unknown command is
/// drawn as its name.
float set_math(const Canvas& canvas, Point baseline, std::string_view tex, TextStyle style, Color color,
               bool draw = true);

/// The same as MathML, without the enclosing element `math`.
std::string math_markup(std::string_view tex);

/// Whether the text has a fraction, which is higher than a line of words.
bool is_high_math(std::string_view tex);

}  // namespace headlight
