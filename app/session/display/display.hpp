// How things are shown: everything that a person chooses and that changes no number.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "app/theme_name.hpp"
#include "app/view_table.hpp"
#include "core/model/names.hpp"
#include "core/model/shape.hpp"

namespace headlight {

enum class HeadOrder : std::uint8_t { index, entropy, distance, diagonal, peak };
/// By HeadOrder: the words of settings and of the command line.
inline constexpr std::array<std::string_view, 5> head_orders{"index", "entropy", "distance", "diagonal", "peak"};
std::string_view to_string(HeadOrder order);
std::optional<HeadOrder> head_order_named(std::string_view name);
/// The one after it, round and round.
HeadOrder next(HeadOrder order);

struct HeadsOptions {
  HeadOrder order = HeadOrder::index;
  std::vector<Index> hidden;  ///< ascending; at least one head stays visible

  bool hides(Index head) const;
  friend bool operator==(const HeadsOptions&, const HeadsOptions&) = default;
};

struct TokensOptions {
  double threshold = 0.05;         ///< weights below it get no curve
  bool selected_head_only = true;  ///< otherwise all heads that are not hidden

  friend bool operator==(const TokensOptions&, const TokensOptions&) = default;
};

enum class ColourMap : std::uint8_t { automatic, viridis, magma };  ///< automatic: by what the tensor is

enum class RangeKind : std::uint8_t {
  automatic,  ///< 0 to 1 for weights; otherwise ±max |v| of the tensor
  min_max,    ///< from the tensor's smallest to its largest value
  shared,     ///< ±max |v| over all tensors that share the choice, so that their colours compare
  fixed,      ///< low to high, as the person set them
};

struct HeatmapOptions {
  ColourMap colour_map = ColourMap::automatic;
  RangeKind range = RangeKind::automatic;
  bool per_head = false;  ///< a range of its own for each head; otherwise all heads compare
  double low = 0;         ///< fixed only; low < high
  double high = 1;
  bool logarithmic = false;
  bool mean = false;  ///< what a pixel of many cells shows: their mean, or the value furthest from zero

  friend bool operator==(const HeatmapOptions&, const HeatmapOptions&) = default;
};

struct Appearance {
  ThemeName theme = ThemeName::dark;
  double scale = 1;  ///< one of ui_scales
  bool setup_folded = false;
  bool inspector_folded = false;
  double setup_width = 280;  ///< of the panels while unfolded, in design pixels, narrowest_panel to widest_panel
  double inspector_width = 340;
  bool reduce_motion = false;

  friend bool operator==(const Appearance&, const Appearance&) = default;
};

inline constexpr double narrowest_panel = 240;
inline constexpr double widest_panel = 520;

inline constexpr std::array ui_scales{1.0, 1.25, 1.5, 2.0};
/// The neighbouring one of ui_scales; itself at either end.
double larger_scale(double scale);
double smaller_scale(double scale);

enum class Overlay : std::uint8_t { none, palette, shortcuts };

struct Display {
  View view = View::pipeline;
  HeadsOptions heads;
  TokensOptions tokens;
  std::array<HeatmapOptions, tensor_count> heatmaps;  ///< indexed by TensorId
  Appearance appearance;
  std::optional<Appearance> before_projector;  ///< present while the projector preset is on
  Overlay overlay = Overlay::none;
  bool painting = false;  ///< the pointer paints the mask into the pictures of masked scores and weights

  const HeatmapOptions& heatmap(TensorId id) const { return heatmaps[static_cast<std::size_t>(id)]; }
  HeatmapOptions& heatmap(TensorId id) { return heatmaps[static_cast<std::size_t>(id)]; }
  bool projector() const { return before_projector.has_value(); }
  friend bool operator==(const Display&, const Display&) = default;
};

/// The projector preset on (big type, light theme, side panels folded), or off and back to what it was before.
Display with_projector(Display display, bool on);

/// Hides a head or shows it again; the last visible one stays.
Display with_head_hidden(Display display, Index head, bool hidden, Index heads);

/// Every choice brought into its range: scales, thresholds, ranges, hidden heads of a setup with this many heads.
Display fitting(Display display, Index heads);

}  // namespace headlight
