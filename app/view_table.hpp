// The views and what is to be known of each, in one table: session, command line and views read it. Its rows stand in
// view_table.inc; app/views/frame/app_view.cpp reads from the same rows which functions draw a view.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace headlight {

enum class View : std::uint8_t {
#define HEADLIGHT_VIEW(word, ...) word,
#include "app/view_table.inc"
#undef HEADLIGHT_VIEW
};

/// What one may press, as the line at the bottom says it.
struct KeyHint {
  std::string_view key;
  std::string_view words;
  std::string_view without_lecture = {};  ///< its words where no lecture is open; empty: the same
};

struct ViewInfo {
  View id;
  std::string_view word;   ///< "pipeline": of lecture files, settings and the command line
  std::string_view title;  ///< "Pipeline"
  /// The most useful last: they are laid out from the right, and the first ones drop out. Unused ones are empty.
  std::array<KeyHint, 6> hints = {};
  bool below_map = false;      ///< the pipeline map stands above it
  bool painted = false;        ///< has pictures that the mask can be painted into
  bool of_weights = false;     ///< is about the weights alone, and selects them
  bool of_two_states = false;  ///< sets state A against B; a lecture has no state A, so that no step opens it
};

inline constexpr std::array view_table{
#define HEADLIGHT_VIEW(name, centre, beside, ...) ViewInfo{.id = View::name, .word = #name, __VA_ARGS__},
#include "app/view_table.inc"
#undef HEADLIGHT_VIEW
};
inline constexpr std::size_t view_count = view_table.size();
static_assert(view_count <= 9, "each has a digit");

inline constexpr auto all_views = [] {
  std::array<View, view_count> views{};
  std::transform(view_table.begin(), view_table.end(), views.begin(), [](const ViewInfo& view) { return view.id; });
  return views;
}();

constexpr const ViewInfo& info(View view) { return view_table[static_cast<std::size_t>(view)]; }
constexpr std::string_view to_string(View view) { return info(view).word; }

constexpr std::optional<View> view_named(std::string_view word) {
  for (const ViewInfo& view : view_table)
    if (view.word == word) return view.id;
  return std::nullopt;
}

/// The words of the views that a step of a lecture can open.
inline std::vector<std::string_view> lecture_views() {
  std::vector<std::string_view> words;
  for (const ViewInfo& view : view_table)
    if (!view.of_two_states) words.push_back(view.word);
  return words;
}

}  // namespace headlight
