// What Headlight remembers from one start to the next: a person's settings, and what they looked at.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/check/checked_work.hpp"
#include "app/session/display/display.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/session.hpp"

namespace headlight {

struct Settings {
  Appearance appearance;
  bool hint_seen = false;                 ///< the hint of the first start was closed
  std::vector<std::string> recent_files;  ///< the latest first; at most ten
  ExportChoices export_choices;           ///< those of the last export
  std::string export_folder;              ///< the folder of the last export

  friend bool operator==(const Settings&, const Settings&) = default;
};

/// The settings with the file as the most recent one.
Settings with_recent_file(Settings settings, const std::filesystem::path& file);

/// The appearance without the projector preset, which is meant for one hall and not for every window.
Appearance lasting_appearance(const Display& display);

struct RememberedSession {
  std::string lecture;                         ///< id; empty if no lecture is open
  std::size_t step = 0;                        ///< from 0
  std::optional<Setup> setup;                  ///< if it is not the lecture's own
  std::map<std::size_t, AnswerState> answers;  ///< to the lecture's questions, by step
  View view = View::pipeline;
  std::string cell;  ///< "scores[0,1,2,0]"
  Index batch = 0;   ///< for a cell whose tensor has no batch axis
  Index head = 0;
  bool pinned = false;
  HeadsOptions heads;
  TokensOptions tokens;
  bool presenting = false;
  bool pointer_circle = false;
  bool full_screen = false;
  bool projector = false;
  bool painting = false;
  WordsFold words = WordsFold::automatic;
  std::string setup_file;            ///< the setup's file, to which saving writes; empty if it has none
  std::string lecture_file;          ///< the file of a lecture that is not one of the program's own
  std::vector<std::string> colours;  ///< of the tensors, as written by colour_settings()
  std::optional<Setup> reference;    ///< state A of the compare view
  KeptWork work;                     ///< what the compare view checks instead

  friend bool operator==(const RememberedSession&, const RememberedSession&) = default;
};

RememberedSession remembered(const Session& session);
/// The same of what was asked for last, which may still be computed: what the next start is to find.
RememberedSession wanted_place(const Session& session);
/// Restores a place in the session as far as possible; a missing lecture or a setup that no longer fits is left out.
/// Returns the problems of the setup if it cannot be computed.
std::vector<Problem> go_to(Session& session, const RememberedSession& place);
/// The same at a start, and presents again if that was so; undo then goes back to this place at most.
void restore(Session& session, const RememberedSession& memory);

/// The texts that a picture stores about the session that it shows: "Setup" is the setup file, "Session" the place in
/// the session. remembered_by() reads them back; "Setup" alone is enough. It throws InputError, which names `source`,
/// if there is no setup or a text is damaged. Arrays of files are named from the root; `folder` is the picture's, where
/// they may also be.
using PictureNotes = std::map<std::string, std::string>;
PictureNotes picture_notes(const Session& session);
RememberedSession remembered_by(const PictureNotes& notes, const std::string& source,
                                const std::filesystem::path& folder = {});

/// The paths of the two files: $XDG_CONFIG_HOME/headlight/settings.toml and $XDG_STATE_HOME/headlight/session.toml,
/// with the XDG standard's defaults under $HOME. Empty if the environment names no folder; then nothing is remembered.
struct MemoryFiles {
  std::filesystem::path settings;
  std::filesystem::path session;
};
using Environment = std::function<const char*(const char* name)>;
MemoryFiles memory_files(const Environment& environment);

/// Loads a file. A damaged file is renamed to NAME.damaged, the defaults are returned and `message` says so. A missing
/// file gives the defaults without a message. Keys that this version does not know are ignored.
template <class Value>
struct Loaded {
  Value value;
  std::string message;
};
Loaded<Settings> load_settings(const std::filesystem::path& file);
Loaded<RememberedSession> load_session(const std::filesystem::path& file);

/// Saves to a file: makes its folder if necessary, writes a new file beside it and then replaces it. Throws InputError
/// if the disk refuses.
void save(const Settings& settings, const std::filesystem::path& file);
void save(const RememberedSession& session, const std::filesystem::path& file);

/// Saves the settings that differ from `known`, and leaves the others as they are in the file, where other windows and
/// other versions write too. Of the recent files none is lost but the oldest beyond ten. Throws InputError if the disk
/// refuses.
void save_changes(const Settings& known, const Settings& settings, const std::filesystem::path& file);

}  // namespace headlight
