// What to export, in which form and how it looks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/appearance.hpp"
#include "app/session/export/export_forms.hpp"
#include "app/session/play/curve.hpp"
#include "app/session/state/request.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/setup/entry.hpp"

namespace headlight {

class Session;

inline constexpr auto all_exports = [] {
  std::array<ExportWhat, static_cast<std::size_t>(ExportWhat::animation) + 1> exports{};
  for (std::size_t i = 0; i < exports.size(); ++i) exports[i] = static_cast<ExportWhat>(i);
  return exports;
}();
/// The name in settings and for --figure: "heatmap".
std::string_view to_string(ExportWhat what);
/// The picture with this name; nullopt if there is none.
std::optional<ExportWhat> picture_named(std::string_view name);
/// The name in the dialog: "One heatmap".
std::string_view title_of(ExportWhat what);
bool is_picture(ExportWhat what);
/// Whether it is a whole window, whose size does not follow from what it shows. A slide is a window that presents.
constexpr bool is_window(ExportWhat what) {
  return what == ExportWhat::window || what == ExportWhat::slide || what == ExportWhat::presenter;
}

FormKind kind_of(ExportWhat what);
/// Where the session has no such thing, a sentence that says why; else empty.
std::string why_not(ExportWhat what, const Session& session);
std::span<const ExportForm> forms_of(ExportWhat what);

enum class ExportSize : std::uint8_t { own, pixels, centimetres };

/// The sizes of paper that a handout can be printed on.
enum class Paper : std::uint8_t { a4, letter };
/// The name in CSS: "A4".
std::string_view css_name(Paper paper);

/// What is exported, in which form and how it looks.
struct ExportChoices {
  ExportWhat what = ExportWhat::heatmap;
  std::array<std::size_t, all_exports.size()> forms{};  ///< by ExportWhat: index in forms_of
  ExportSize size = ExportSize::own;
  std::array<double, 2> pixels{1440, 900};
  std::array<double, 2> centimetres{12, 9};
  double dpi = 300;
  double scale = 1;
  ThemeName theme = ThemeName::light;
  bool transparent = false;
  Index digits = 4;
  ExportWhat animated = ExportWhat::heatmap;  ///< the picture that an animation shows
  std::string frames = "temperature=0.25..4/16";
  double seconds = 0.5;                ///< how long each frame is shown
  std::string played = "temperature";  ///< the number that a play goes over, as parse_play reads it
  Measure measure = Measure::cell;     ///< and what is watched over it
  Paper paper = Paper::a4;
  bool notes = false;  ///< a handout has the speaker's notes

  const ExportForm& form() const;
  /// The picture that is drawn: `animated` for the frames of an animation.
  ExportWhat figure() const { return what == ExportWhat::animation ? animated : what; }
  /// Whether a picture is drawn, once or for each frame.
  bool draws() const;
  bool can_be_transparent() const { return draws() && !is_window(figure()) && !form().opaque; }
  friend bool operator==(const ExportChoices&, const ExportChoices&) = default;
};

inline constexpr Range export_scales = from_to(1, 4);
inline constexpr double centimetres_per_inch = 2.54;
/// The widths and heights that a picture can have, in pixels.
inline constexpr Range window_pixels = from_to(320, 8192);
inline constexpr Range figure_pixels = from_to(64, 16384);
constexpr const Range& pixels_of(ExportWhat figure) { return is_window(figure) ? window_pixels : figure_pixels; }
/// The same in the unit of the chosen size.
Range lengths_of(const ExportChoices& choices);

/// The commands that take a choice: `render`, and `export` with --frames; only the latter; `export`; `handout`.
enum class ChoiceOf : std::uint8_t { picture, animation, file, handout };

/// How the command line says a choice.
struct ChoiceOption {
  std::string_view name = {};       ///< "--theme"; empty: no option says it
  std::string_view type_name = {};  ///< in the help: "THEME"
  bool only_if_chosen = false;      ///< the command that the window shows leaves the default out
  bool tells_default = false;       ///< in the help
  ChoiceOf of = ChoiceOf::picture;
  std::string_view only = {};  ///< where it is allowed, for messages: "only with --figure play"; empty: everywhere
};

template <>
struct EntryTypes<ExportChoices> : UsualEntryTypes<ExportChoices> {
  using Group = ChoiceOption;
};

/// The choices as entries, in the order of the dialog's rows. The settings file, the options of `render`, `export` and
/// `handout`, the dialog and the command that it shows are loops over them. An entry can't express the forms, one
/// for each thing that can be exported, nor the lengths of a size.
std::span<const Entry<ExportChoices>> export_entries();

/// The table [export] of the settings file.
TomlTable toml_of(const ExportChoices& choices);
ExportChoices export_choices_of(const TomlTable& table);

}  // namespace headlight
