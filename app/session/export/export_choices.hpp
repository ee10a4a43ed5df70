// What to export, in which form and how it looks, and the command that makes it, as a person would type it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/export/export_forms.hpp"
#include "app/session/play/curve.hpp"
#include "app/session/selection.hpp"
#include "app/theme_name.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/model/setup.hpp"
#include "core/setup/entry.hpp"

namespace headlight {

class Session;

enum class ExportWhat : std::uint8_t {
  window,
  view,
  heatmap,
  heads,
  equation,
  tokens,
  explanation,
  curve,
  play,  ///< the pictures so far, named as by --figure
  numbers,
  script,
  setup,
  lecture,
  handout,
  animation,
};
inline constexpr std::array all_exports{
    ExportWhat::window, ExportWhat::view,        ExportWhat::heatmap, ExportWhat::heads,   ExportWhat::equation,
    ExportWhat::tokens, ExportWhat::explanation, ExportWhat::curve,   ExportWhat::play,    ExportWhat::numbers,
    ExportWhat::script, ExportWhat::setup,       ExportWhat::lecture, ExportWhat::handout, ExportWhat::animation};
/// The name in settings and for --figure: "heatmap".
std::string_view to_string(ExportWhat what);
/// The name in the dialog: "One heatmap".
std::string_view title_of(ExportWhat what);
bool is_picture(ExportWhat what);

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
  double scale = 1;  ///< 1 to 4
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
  bool can_be_transparent() const { return draws() && figure() != ExportWhat::window && !form().opaque; }
  friend bool operator==(const ExportChoices&, const ExportChoices&) = default;
};

/// How the command line says a choice.
struct ChoiceOption {
  std::string_view name = {};       ///< "--theme"; empty: no option says it
  std::string_view type_name = {};  ///< in the help: "THEME"
  bool always = true;               ///< the command that is shown says it even if it has its default
};

template <>
struct EntryTypes<ExportChoices> {
  using Value = EntryValue<ExportChoices>;
  using Group = ChoiceOption;
  using Kept = Saved;
};

/// The choices as entries, in the order of the dialog's rows. The settings file, the options of `render`, `export` and
/// `handout`, the dialog and the command that it shows are loops over them. What one entry cannot say are the forms,
/// one for each of what can be exported, and the lengths of a size.
std::span<const Entry<ExportChoices>> export_entries();

/// The table [export] of the settings file.
TomlTable toml_of(const ExportChoices& choices);
ExportChoices export_choices_of(const TomlTable& table);

/// The matrix of a place, as an argument of --tensor: "weights[0,1]"; and the one that the session shows.
std::string part_of(const Selection& place, const Setup& setup);
std::string shown_part(const Session& session);

/// The files by which a command can name what the session shows.
struct NamedSources {
  struct File {
    std::filesystem::path path;
    Setup setup;  ///< what the setup file holds
  };
  std::optional<File> setup_file;
  std::filesystem::path lectures;  ///< the folder of the open lecture; empty for a built-in lecture
};
/// The arguments that name the session's setup, as a person would type them: the open lecture at its step, or else the
/// setup's file, and a --set for each key that differs. Empty if there is neither a lecture nor a file.
std::vector<std::string> what_arguments(const Session& session, const NamedSources& sources);

/// What the screen shows and the session does not know.
struct ScreenPlace {
  std::array<double, 2> pixels{1440, 900};  ///< the size of the window
  double scale = 1;                         ///< screen pixels per design pixel
  std::vector<std::string> zoom;            ///< "rows=10..40"
};

/// The whole command: "render" or "export", what to show, the choices, and the file. `part` is used for numbers.
std::vector<std::string> export_command(const ExportChoices& choices, const Session& session, const ScreenPlace& screen,
                                        std::span<const std::string> what, std::string_view part,
                                        const std::filesystem::path& output);
/// The same for a quick picture of the first frame, which the dialog shows as a preview. Only for pictures and
/// animations.
std::vector<std::string> preview_command(const ExportChoices& choices, const Session& session,
                                         const ScreenPlace& screen, std::span<const std::string> what,
                                         const std::filesystem::path& output);

/// The arguments as shell text, quoted where necessary: "headlight render --lecture x -o 'two words.png'"
std::string as_typed(std::span<const std::string> arguments);

}  // namespace headlight
