// Words with live numbers: "sat looks at sat, {weights[0,1,2,2]:.1%}." They are read once, with their lecture, and
// filled in for each trace.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/lecture/expression.hpp"
#include "core/text/markdown.hpp"

namespace headlight {

/// A link as Markdown writes it: [words](target).
struct MarkdownLink {
  std::string words;
  std::string target;
};

struct LiveText {
  /// A live number, and the place of its words in the blocks.
  struct Hole {
    std::size_t block = 0;
    std::size_t span = 0;
    std::size_t at = 0;    ///< in the text of the span
    std::size_t line = 0;  ///< how many lines of `source` are before it
    std::string inside;    ///< "weights[0,1,2,2]:.1%"
    LiveNumber number;
  };
  std::string source;         ///< as the file has it
  Markdown blocks;            ///< without the words of the live numbers
  std::vector<Hole> numbers;  ///< in the order of the blocks
  std::vector<MarkdownLink> links;

  bool empty() const { return source.empty(); }
};

/// The words with their live numbers. One that has no value in this scope, for example because a setting has removed
/// its tensor, becomes a dash.
Markdown filled(const LiveText& text, const Scope& scope);
/// The same as a label, without markup.
std::string filled_label(const LiveText& text, const Scope& scope);

}  // namespace headlight
