// Everything that a window shows, as plain values. The session file keeps it, a picture carries it, an export draws it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/display/display.hpp"
#include "app/session/files/kept_file.hpp"
#include "app/session/session.hpp"
#include "app/session/state/checked_work.hpp"

namespace headlight {

struct Snapshot {
  std::string lecture;                         ///< id; empty if no lecture is open
  std::size_t step = 0;                        ///< from 0
  std::optional<Setup> setup;                  ///< if it is not the lecture's own
  std::map<std::size_t, AnswerState> answers;  ///< to the lecture's questions, by step
  std::string cell;                            ///< "scores[0,1,2,0]"
  Index batch = 0;                             ///< for a cell whose tensor has no batch axis
  Index head = 0;
  Index layer = 0;  ///< of the model; written where it isn't the first
  bool pinned = false;
  Draft draft;  ///< what a model has written
  Display display;
  ZoomRanges zoom;                 ///< of the view
  std::string setup_file;          ///< the setup's file, to which saving writes; empty if it has none
  std::string model;               ///< the file or folder of the open model; empty: none
  std::string lecture_file;        ///< the file of a lecture that is not one of the program's own
  std::optional<Setup> reference;  ///< state A of the compare view
  KeptWork work;                   ///< what the compare view checks instead

  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

/// What the session shows, with its setup.
Snapshot snapshot_of(const Session& session);
/// The latest request, which may still be computed, as the session file keeps it for the next start.
Snapshot kept_snapshot(const Session& session);

/// Restores a snapshot in the session as far as possible; a missing lecture or a setup that no longer fits is left out.
/// Panels, theme and presenting stay. Returns the problems of the setup if it cannot be computed.
std::vector<Problem> go_to(Session& session, const Snapshot& snapshot);
/// The same at a start, and presents again if that was so; undo then goes back to this place at most.
void restore(Session& session, const Snapshot& snapshot);

/// The session file. Keys that this version does not know are ignored; a file with a setup that cannot be read is set
/// aside.
Loaded<Snapshot> load_session(const std::filesystem::path& file);
/// Throws InputError if the disk refuses.
void save(const Snapshot& snapshot, const std::filesystem::path& file);

/// All of a snapshot, also what the session file leaves to the settings; and back. Throws InputError, which names
/// `source`, if a setup in it cannot be read.
TomlTable toml_of(const Snapshot& snapshot);
Snapshot snapshot_in(const TomlTable& table, const std::string& source);

/// The texts that a picture stores about the session that it shows: "Setup" is the setup file, "Session" the session
/// file. remembered_by() reads them back; "Setup" alone is enough. It throws InputError, which names `source`, if there
/// is no setup or a text is damaged. Arrays of files are named from the root; `folder` is the picture's, where they may
/// also be.
using PictureNotes = std::map<std::string, std::string>;
PictureNotes picture_notes(const Session& session);
Snapshot remembered_by(const PictureNotes& notes, const std::string& source, const std::filesystem::path& folder = {});

}  // namespace headlight
