// Words with live numbers: "sat looks at sat, {weights[0,1,2,2]:.1%}." In code, in math and in the targets of links
// braces are braces; elsewhere \{ is one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/lecture/expression.hpp"

namespace headlight {

/// A pair of braces in Markdown: [begin, end) are the places of the braces and what is between them. One that has no
/// end in its paragraph is its opening brace alone.
struct LiveHole {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view inside;
  bool closed = true;  ///< false where the closing brace is missing
};

std::vector<LiveHole> live_holes(std::string_view markdown);

/// The Markdown with its live numbers filled in. One that has no value in this scope, as where a setting has taken its
/// tensor away, becomes a dash.
std::string filled(std::string_view markdown, const Scope& scope);
/// The same for a text that is no Markdown, as a label.
std::string filled_plain(std::string_view text, const Scope& scope);

}  // namespace headlight
