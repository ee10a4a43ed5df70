// One export: what a window shows, what to make of it, and the command for the same, as a person would type it.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/display/selection.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "core/model/setup.hpp"

namespace headlight {

class Session;

/// The matrix of a selection, as an argument of --tensor: "weights[0,1]"; and the one that the session shows.
std::string part_of(const Selection& selection, const Setup& setup);
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

/// The window on the screen.
struct WindowSize {
  std::array<double, 2> pixels{1440, 900};
  double scale = 1;  ///< screen pixels per design pixel

  friend bool operator==(const WindowSize&, const WindowSize&) = default;
};

/// Everything that an export needs: what the window shows, what to make of it, and the window itself.
struct ExportJob {
  Snapshot snapshot;  ///< with its setup
  ExportChoices choices;
  std::string part;   ///< for numbers: "weights[0,1]"
  WindowSize window;  ///< for a picture of the window in its own size

  friend bool operator==(const ExportJob&, const ExportJob&) = default;
};

/// The job to export what a session shows. `zoom` is that of the view; a picture of anything else has none.
ExportJob export_job(const Session& session, const ExportChoices& choices, std::string part, const WindowSize& window,
                     const ZoomRanges& zoom);

/// Whether the picture shows the session's view.
bool shows_whole_view(ExportWhat figure);

/// A picture of the first frame, with no more pixels than a preview can show.
ExportJob preview_of(ExportJob job);

/// The window in its own size, with everything `scale` times as large, as far as pictures go.
WindowSize enlarged(const WindowSize& window, double scale);

/// The size of a slide that has none of its own.
inline constexpr std::array<double, 2> slide_pixels{1920, 1080};
/// The window of the job's picture: the one on the screen, or that of a slide.
WindowSize own_window(const ExportJob& job);

/// The whole command: "render", "export" or "handout", what to show, the choices, and the file.
std::vector<std::string> command_of(const ExportJob& job, std::span<const std::string> what,
                                    const std::filesystem::path& output);

/// The job as a document, and back. Throws InputError if it cannot be read.
std::string to_text(const ExportJob& job);
ExportJob parse_export_job(const std::string& text, const std::string& source);

/// The arguments as shell text, quoted where necessary: "headlight render --lecture x -o 'two words.png'"
std::string as_typed(std::span<const std::string> arguments);

}  // namespace headlight
