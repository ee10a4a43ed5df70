// What Headlight remembers between two starts: a person's settings, and where they were.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/display/display.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/session.hpp"

namespace headlight {

struct Settings {
  Appearance appearance;
  bool hint_seen = false;                 ///< the hint of the first start was closed
  std::vector<std::string> recent_files;  ///< the latest first; at most ten
  ExportChoices export_choices;           ///< of the last export
  std::string export_folder;              ///< where it went

  friend bool operator==(const Settings&, const Settings&) = default;
};

/// The file moves to the front of the recent ones.
Settings with_recent_file(Settings settings, const std::filesystem::path& file);

/// The appearance without the projector preset, which is for one hall and not for the next start.
Appearance lasting_appearance(const Display& display);

struct RememberedSession {
  std::string lecture;         ///< id; empty without one
  std::size_t step = 0;        ///< from 0
  std::optional<Setup> setup;  ///< where it is not the lecture's own
  View view = View::pipeline;
  std::string cell;  ///< "scores[0,1,2,0]"
  Index batch = 0;   ///< where the cell's tensor has none
  Index head = 0;
  bool pinned = false;
  HeadsOptions heads;
  TokensOptions tokens;
  std::vector<std::string> colours;  ///< of the tensors, as colour_settings() writes them
  std::optional<Setup> reference;    ///< state A of the compare view

  friend bool operator==(const RememberedSession&, const RememberedSession&) = default;
};

RememberedSession remembered(const Session& session);
/// Brings the session to a place as far as it still can: a lecture that is gone or a setup that no longer fits is left
/// out. Returns what is wrong with the setup, where it cannot be computed.
std::vector<Problem> go_to(Session& session, const RememberedSession& place);
/// The same at a start: this is then what undo goes back to.
void restore(Session& session, const RememberedSession& memory);

/// What a picture keeps as text of the session that it shows, by keyword: "Setup", the setup file; "Session", the place
/// in it. remembered_by() reads them back; a picture with the setup alone gives that. It throws InputError naming
/// `source` where there is no setup or a text is damaged.
using PictureNotes = std::map<std::string, std::string>;
PictureNotes picture_notes(const Session& session);
RememberedSession remembered_by(const PictureNotes& notes, const std::string& source);

/// Where they are kept: $XDG_CONFIG_HOME/headlight/settings.toml and $XDG_STATE_HOME/headlight/session.toml, with the
/// standard's defaults under $HOME. Empty paths where the environment names no folder; then nothing is remembered.
struct MemoryFiles {
  std::filesystem::path settings;
  std::filesystem::path session;
};
using Environment = std::function<const char*(const char* name)>;
MemoryFiles memory_files(const Environment& environment);

/// A damaged file gives the defaults, is set aside as NAME.damaged, and `message` says so. A missing one gives the
/// defaults and no message. Keys that this version does not know are ignored.
template <class Value>
struct Loaded {
  Value value;
  std::string message;
};
Loaded<Settings> load_settings(const std::filesystem::path& file);
Loaded<RememberedSession> load_session(const std::filesystem::path& file);

/// Writes the folder if it is missing, and the file beside itself before it takes its name. Throws InputError where the
/// disk refuses.
void save(const Settings& settings, const std::filesystem::path& file);
void save(const RememberedSession& session, const std::filesystem::path& file);

}  // namespace headlight
