// How things are shown: every choice of the person that doesn't change a number.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/appearance.hpp"
#include "app/session/display/ink.hpp"
#include "app/view_table.hpp"
#include "core/model/names.hpp"
#include "core/model/shape.hpp"

namespace headlight {

enum class HeadOrder : std::uint8_t { index, entropy, distance, diagonal, peak };
/// The order that follows; the last is followed by the first.
HeadOrder next(HeadOrder order);

struct HeadsOptions {
  HeadOrder order = HeadOrder::index;
  std::vector<Index> hidden;  ///< ascending; at least one head stays visible

  bool hides(Index head) const;
  friend bool operator==(const HeadsOptions&, const HeadsOptions&) = default;
};

struct TokensOptions {
  double threshold = 0.05;         ///< weights below this get no curve
  bool selected_head_only = true;  ///< otherwise shows all heads that are not hidden

  friend bool operator==(const TokensOptions&, const TokensOptions&) = default;
};

enum class RangeKind : std::uint8_t {
  automatic,  ///< weights: `unit` up to few_keys keys, else `even`; other shares: `unit`; all else: around zero
  min_max,    ///< from the tensor's smallest to its largest value
  shared,     ///< ±max |v| over all tensors that share the choice, so that their colours compare
  fixed,      ///< low to high, as the person set them
  unit,       ///< for weights: 0 to 1
  even,       ///< for weights: multiples of even attention over the visible keys, in equal ratios
  top,        ///< for weights: 0 to the largest, except for the few that are much larger than the others
};

struct HeatmapOptions {
  ColourMap colour_map = ColourMap::automatic;  ///< automatic: that of the appearance
  RangeKind range = RangeKind::automatic;
  bool per_head = false;  ///< each head has its own range; otherwise all heads share one
  double low = 0;         ///< used by `fixed` only; low < high
  double high = 1;
  bool logarithmic = false;
  bool mean = false;  ///< a pixel of many cells shows their mean, otherwise the value furthest from zero

  friend bool operator==(const HeatmapOptions&, const HeatmapOptions&) = default;
};

/// The type of the speaker's notes in a window of their own.
enum class NotesSize : std::uint8_t { small, medium, large };

struct Appearance {
  ThemeName theme = ThemeName::dark;
  bool theme_follows = true;  ///< the theme is the desktop's, where it says which it prefers
  double scale = 1;           ///< of the interface, beside the desktop's own; smallest_scale to largest_scale
  ColourMap colour_map = ColourMap::automatic;  ///< of every tensor for which none was chosen
  bool setup_folded = false;
  bool inspector_folded = false;
  double setup_width = 280;  ///< of the panels while unfolded, in design pixels, narrowest_panel to widest_panel
  double inspector_width = 340;
  bool reduce_motion = false;
  std::string class_monitor = {};  ///< where the class sees the slides while the presenter's window is open; empty: the
                                   ///< first one that is not the desktop's main monitor
  NotesSize notes_size = NotesSize::medium;  ///< in the presenter's window

  friend bool operator==(const Appearance&, const Appearance&) = default;
};

inline constexpr double narrowest_panel = 240;
inline constexpr double widest_panel = 520;

inline constexpr std::array ui_scales{0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0};
inline constexpr double smallest_scale = ui_scales.front();
inline constexpr double largest_scale = ui_scales.back();
/// The next of ui_scales, a larger one if `direction` is above 0, else a smaller one; the same scale at either end.
double next_scale(double scale, int direction);

/// What the window is for: a lecture's words, picture and question alone, everything there is to see and change, or a
/// sentence and whom its words look at, see on_sentence_page(). Automatic: as the open lecture was left, see
/// in_lesson_mode().
enum class WindowMode : std::uint8_t { automatic, lesson, workbench, sentence };

/// Whether the words beside the picture are folded away; automatic: they are not.
enum class WordsFold : std::uint8_t { automatic, unfolded, folded };

enum class Overlay : std::uint8_t { none, palette, shortcuts, appearance };

/// Presenting to a class: the step and its picture fill the screen in large type, without panels and bars.
struct Presentation {
  bool presenting = false;
  bool pointer_circle = false;  ///< a circle round the pointer, which is easily lost on a projector's picture
  bool notes = false;           ///< the speaker's notes of the step are below
  bool presenter = false;       ///< they are in a second window instead, which only the speaker sees
  bool pen = false;             ///< the pointer draws
  PenColour pen_colour = PenColour::red;
  bool black = false;               ///< the screen is black, so that a class looks at the speaker
  bool full_screen = false;         ///< the window covers its monitor
  bool full_screen_before = false;  ///< what full_screen returns to when presenting ends

  friend bool operator==(const Presentation&, const Presentation&) = default;
};

/// The one figure of which a window in someone else's page consists, without panels and words.
enum class Embedded : std::uint8_t { none, pipeline, heads, tokens, heatmap, learn };
/// The names in links; empty for none.
inline constexpr std::array<std::string_view, 6> embedded_names{"", "pipeline", "heads", "tokens", "heatmap", "learn"};

/// A part of an axis, in cells; the ends may have a fraction, as when zoomed on the screen.
struct CellRange {
  double from = 0;
  double to = 0;

  friend bool operator==(const CellRange&, const CellRange&) = default;
};
/// The parts of its axes that a view shows: columns, rows, and the inner axis of a product; nullopt: all of it.
using ZoomRanges = std::array<std::optional<CellRange>, 3>;
inline constexpr std::array<std::string_view, 3> zoom_axes{"columns", "rows", "inner"};

struct Display {
  View view = View::pipeline;
  HeadsOptions heads;
  TokensOptions tokens;
  std::array<HeatmapOptions, tensor_count> heatmaps;  ///< indexed by TensorId
  Appearance appearance;
  std::optional<Appearance> before_projector;  ///< the appearance to return to; only while the projector preset is on
  Presentation presentation;
  WindowMode mode = WindowMode::automatic;
  WordsFold words = WordsFold::automatic;
  Overlay overlay = Overlay::none;
  Embedded embedded = Embedded::none;
  bool painting = false;  ///< the pointer paints the mask into the pictures of masked scores and weights

  const HeatmapOptions& heatmap(TensorId id) const { return heatmaps[index_of(id)]; }
  HeatmapOptions& heatmap(TensorId id) { return heatmaps[index_of(id)]; }
  bool projector() const { return before_projector.has_value(); }
  friend bool operator==(const Display&, const Display&) = default;
};

/// The display with the projector preset on (large type, light theme, side panels folded), or off, with the earlier
/// appearance.
Display with_projector(Display display, bool on);

/// The display while presenting, in full screen, or back as it was before.
Display with_presenting(Display display, bool on);

/// The display with a pen of this colour in hand, in place of the circle: both are what the pointer is.
Display with_pen(Display display, PenColour colour);

/// The tensor that a view shows while this one is selected: itself, or the weights where the view shows only those, or
/// only tensors with heads.
TensorId shown_in(View view, TensorId selected);

}  // namespace headlight
