// What is taken away, in which form and how it looks; and the command that makes it, as a person would type it.
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
#include "app/theme_name.hpp"
#include "core/model/setup.hpp"

namespace headlight {

class Session;

enum class ExportWhat : std::uint8_t {
  window,
  view,
  heatmap,
  heads,
  equation,
  tokens,
  explanation,  ///< pictures, by the names of --figure
  numbers,
  script,
  setup,
  lecture,
  animation,
};
inline constexpr std::array all_exports{ExportWhat::window,      ExportWhat::view,     ExportWhat::heatmap,
                                        ExportWhat::heads,       ExportWhat::equation, ExportWhat::tokens,
                                        ExportWhat::explanation, ExportWhat::numbers,  ExportWhat::script,
                                        ExportWhat::setup,       ExportWhat::lecture,  ExportWhat::animation};
/// "heatmap": the word of settings and of --figure.
std::string_view to_string(ExportWhat what);
/// "One heatmap": as the dialog says it.
std::string_view title_of(ExportWhat what);
bool is_picture(ExportWhat what);

FormKind kind_of(ExportWhat what);
std::span<const ExportForm> forms_of(ExportWhat what);

enum class ExportSize : std::uint8_t { own, pixels, centimetres };
std::string_view to_string(ExportSize size);

/// What the dialog remembers.
struct ExportChoices {
  ExportWhat what = ExportWhat::heatmap;
  std::array<std::size_t, all_exports.size()> forms{};  ///< by what: place in forms_of
  ExportSize size = ExportSize::own;
  std::array<double, 2> pixels{1440, 900};
  std::array<double, 2> centimetres{12, 9};
  double dpi = 300;
  int scale = 1;  ///< 1 to 4
  ThemeName theme = ThemeName::light;
  bool transparent = false;
  int digits = 4;
  ExportWhat animated = ExportWhat::heatmap;  ///< the picture that moves
  std::string frames = "temperature=0.25..4/16";
  double seconds = 0.5;

  const ExportForm& form() const;
  friend bool operator==(const ExportChoices&, const ExportChoices&) = default;
};

/// The tensor's matrix that the session shows, as a part for --tensor: "weights[0,1]".
std::string shown_part(const Session& session);

/// What a command can name a session by.
struct NamedSources {
  struct File {
    std::filesystem::path path;
    Setup setup;  ///< that it holds
  };
  std::optional<File> setup_file;
  std::filesystem::path lectures;  ///< the folder of the open lecture; empty where it is one of the program's own
};
/// WHAT as a person would type it: the open lecture at its step, or else the setup's file, and a --set for each key
/// that differs. Empty where there is neither.
std::vector<std::string> what_arguments(const Session& session, const NamedSources& sources);

/// What the screen shows, as far as the session does not say it.
struct ScreenPlace {
  std::array<double, 2> pixels{1440, 900};  ///< of the window
  double scale = 1;                         ///< pixels for one of the design
  std::vector<std::string> zoom;            ///< "rows=10..40"
};

/// "render" or "export", WHAT, the choices, and the file. `part` is for numbers.
std::vector<std::string> export_command(const ExportChoices& choices, const Session& session, const ScreenPlace& screen,
                                        std::span<const std::string> what, std::string_view part,
                                        const std::filesystem::path& output);
/// The same as a picture of the first moment, quickly: what the dialog shows before. Only for pictures and animations.
std::vector<std::string> preview_command(const ExportChoices& choices, const Session& session,
                                         const ScreenPlace& screen, std::span<const std::string> what,
                                         const std::filesystem::path& output);

/// "headlight render --lecture x -o 'two words.png'": quoted where a shell needs it.
std::string as_typed(std::span<const std::string> arguments);

}  // namespace headlight
