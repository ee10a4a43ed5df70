// Words with live numbers and links: "sat looks at sat, {weights[0,1,2,2]:.1%}." They are read once, with their
// lecture, and filled in for each trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lecture/live_number.hpp"
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

struct Link {
  enum class Kind : std::uint8_t {
    set,      ///< "set:attention.scale=none; sizes.heads=4": changes settings, as --set does
    compare,  ///< the same, and shows before and after side by side
    reset,    ///< "reset:": the setup is the step's own again
    select,   ///< "select:weights[0,1,2,0]", "select:weights": a cell, or a tensor's first
    open,     ///< "open:heads": a view
    step,     ///< "step:5": a step of this lecture, counted from 1
    lecture,  ///< "lecture:masks", "lecture:masks#3": another lecture
    page,     ///< "https://...": only words
  };
  Kind kind = Kind::page;
  std::string target;  ///< behind the colon

  bool changes_settings() const { return kind == Kind::set || kind == Kind::compare; }
  /// The assignments of a link that changes settings, as with_overrides takes them.
  std::vector<std::string> assignments() const;

  friend bool operator==(const Link&, const Link&) = default;
};

inline constexpr std::array<std::string_view, 7> link_schemes{"set",  "compare", "reset",  "select",
                                                              "open", "step",    "lecture"};

/// The link with this destination; nullopt if it has none of the schemes and is not a web page.
std::optional<Link> parse_link(std::string_view destination);

}  // namespace headlight
