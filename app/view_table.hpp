// The table of the views, for session, command line and views. Its rows are in view_table.inc, which
// app/views/window/shown_view.cpp also includes for the functions that draw each view.
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

/// A hint in the status bar: keys, and what they do. A click on a key does the same.
struct KeyHint {
  std::string_view keys;     ///< separated by blanks: "← →"
  std::string_view actions;  ///< the ids of the keys' actions: "move.left move.right"; empty if no key has one
  std::string_view words;
  std::string_view without_lecture = {};  ///< what the keys do if no lecture is open; empty: the same as with one
};

struct ViewInfo {
  View id;
  std::string_view word;   ///< "pipeline", in lecture files, settings and on the command line
  std::string_view title;  ///< "Pipeline"
  /// The most useful hint is last: hints are placed from the right, and the first ones are dropped if there is no room.
  /// Unused entries are empty.
  std::array<KeyHint, 6> hints = {};
  std::array<KeyHint, 6> hints_of_check = {};  ///< the same while the view checks arrays
  bool explains = true;                        ///< the panel beside the view is the inspector
  bool painted = false;                        ///< the mask can be painted in the view's pictures
  bool of_heads = false;                       ///< the view shows only tensors with heads
  bool of_weights = false;                     ///< the view shows only weights, and opening it selects them
  bool of_task = false;                        ///< the view exists only with a task
  bool of_text = false;                        ///< the view exists only with a task whose text a model continues
  bool of_model = false;                       ///< the view exists only for a model of several layers, and comes first
  bool of_step = false;                        ///< the view exists only in a step of a lecture that has a picture
  /// The view compares states A and B. A lecture has no state A, so its steps cannot open this view.
  bool of_two_states = false;
};

inline constexpr std::array view_table{
#define HEADLIGHT_VIEW(name, centre, beside, ...) ViewInfo{.id = View::name, .word = #name, __VA_ARGS__},
#include "app/view_table.inc"
#undef HEADLIGHT_VIEW
};
inline constexpr std::size_t view_count = view_table.size();
/// Whether the map is above the view: what the view shows is of one layer, and in the trace.
constexpr bool has_map(const ViewInfo& view) { return !view.of_model && !view.of_text; }
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
    if (!view.of_two_states && !view.of_model && !view.of_step) words.push_back(view.word);
  return words;
}

}  // namespace headlight
