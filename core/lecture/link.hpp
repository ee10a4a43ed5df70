// What a link in the words of a lecture does.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

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
