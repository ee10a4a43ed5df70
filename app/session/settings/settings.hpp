// A person's settings, which all windows share.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/session/display/display.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/files/kept_file.hpp"
#include "app/session/state/marks.hpp"
#include "app/session/state/review.hpp"

namespace headlight {

struct Settings {
  Appearance appearance;
  bool hint_seen = false;                 ///< the hint of the first start was closed
  bool maximised = false;                 ///< the window was, when it was last seen
  std::vector<std::string> recent_files;  ///< the latest first; at most ten
  ExportChoices export_choices;           ///< those of the last export
  std::string export_folder;              ///< the folder of the last picture that was exported
  std::string export_data_folder;         ///< the folder of the last numbers or program
  LectureMarks marks;                     ///< what was seen of the lectures
  Reviews reviews;                        ///< how its questions were answered when they came up again
  LectureModes modes;                     ///< and how they were left: as a lesson, or in the workbench

  friend bool operator==(const Settings&, const Settings&) = default;
};

/// The settings with the file as the most recent one.
Settings with_recent_file(Settings settings, const std::filesystem::path& file);

/// The appearance without the projector preset, which is meant for one hall and not for every window.
Appearance lasting_appearance(const Display& display);

/// The paths of the files that are kept: $XDG_CONFIG_HOME/headlight/settings.toml and
/// $XDG_STATE_HOME/headlight/session.toml, with the XDG standard's defaults under $HOME. Empty if the environment names
/// no folder; then nothing is remembered.
struct MemoryFiles {
  std::filesystem::path settings;
  std::filesystem::path session;
};
using Environment = std::function<const char*(const char* name)>;
MemoryFiles memory_files(const Environment& environment);
/// The folder of the desktop's own lists: $XDG_DATA_HOME, or ~/.local/share; empty if the environment names no folder.
std::filesystem::path data_folder(const Environment& environment);

/// Keys that this version does not know, and values that it cannot use, are ignored.
Loaded<Settings> load_settings(const std::filesystem::path& file);

/// Saves the settings that differ from `known`, and leaves the others as they are in the file, where other windows and
/// other versions write too. Marks of steps that other windows have seen stay. Of the recent files of all windows the
/// latest ten are kept. Throws InputError if the disk refuses.
void save_changes(const Settings& known, const Settings& settings, const std::filesystem::path& file);

}  // namespace headlight
