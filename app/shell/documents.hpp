// The files behind a session: the lectures, the setups and lectures that were opened, and whether they changed on disk;
// and pictures, which hold the session that they show.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/platform/pictures/image.hpp"
#include "app/session/files/file_watch.hpp"
#include "app/session/session.hpp"
#include "app/session/settings/settings.hpp"
#include "app/session/snapshot/snapshot.hpp"

namespace headlight {

/// Throws the problems as an InputError if there are any. Problems without a source get `source`.
void require_done(std::vector<Problem> problems, const std::string& source = {});

class Documents {
 public:
  /// `folder` has a lecturer's own lectures and is watched for changes. Throws InputError if it cannot be read.
  explicit Documents(std::optional<std::filesystem::path> folder = std::nullopt);

  /// Gives all lectures to the session. Lectures that cannot be read are left out; their problems are returned. Those
  /// that need the trained layer are outlines until it is here and reload() is called.
  std::vector<Problem> load_lectures(Session& session);

  /// Waits until the lecture is no outline. Throws InputError if what it needs can't be had.
  void require_whole(Session& session, const std::string& lecture);

  /// Opens a setup (.toml) or a lecture (.md) and watches it from now on, or opens the session that a picture (.png)
  /// holds. Throws InputError if the file is none of these, cannot be read or cannot be computed; the session is then
  /// unchanged.
  void open(Session& session, const std::filesystem::path& file);

  /// Restores a place that was kept, with its files: saving writes to the same file again. A file that is gone or can
  /// no longer be read is left out, and the session says so.
  void resume(Session& session, const Snapshot& snapshot);

  /// The file that the setup was opened from or saved to. nullopt if there is none, or if something else was opened
  /// since, as long as that is shown.
  struct SetupFile {
    std::filesystem::path path;
    bool differs = false;  ///< the session's setup differs from the file's
    Setup setup;           ///< the setup in the file
  };
  std::optional<SetupFile> setup_file(const Session& session) const;
  /// The file of the open lecture; nullopt if no lecture is open or it is a built-in one. Throws InputError if the
  /// folder of lectures is gone.
  std::optional<std::filesystem::path> lecture_file(const Session& session) const;

  /// Hands the arrays of a file over to be checked, and watches it from now on. Where it cannot be read, the session's
  /// work says why, and keeps the arrays that it has.
  void check(Session& session, const std::filesystem::path& file);

  /// Writes the setup to a file and watches the file from now on. It is replaced in one step or not at all. Throws
  /// InputError if it cannot be written.
  void save_setup(const Session& session, const std::filesystem::path& file);

  /// Writes the beginning of a lecture file, with the setup and the selected cell, and opens it. Throws InputError.
  void start_lecture(Session& session, const std::filesystem::path& file);

  /// Appends a step that shows what the session shows to the file of the open lecture, as it is now, and goes to it.
  /// Throws InputError if the file is no longer a lecture, or cannot be written.
  void add_step(Session& session, const std::filesystem::path& file);

  /// Loads the files that changed on disk since the last call; returns whether any did. A changed setup becomes an
  /// edit, which can be undone. Throws InputError if a new version is broken; the session then keeps the old one.
  bool reload(Session& session);

  /// Whether any file or folder is watched.
  bool watches() const { return folder_ || opened_ || work_ || !lecture_files_.empty(); }

 private:
  /// A setup file, the setup in it, and Session::start() of what it was opened as or saved from.
  struct OpenedSetup {
    std::filesystem::path path;
    Setup setup;
    std::uint64_t start = 0;
  };

  bool is_about(const Session& session) const;
  void open_setup(Session& session, const std::filesystem::path& file);
  void open_lecture(Session& session, const std::filesystem::path& file);
  void open_picture(Session& session, const std::filesystem::path& file);
  void open_link(Session& session, const std::filesystem::path& file);
  /// Reads the outlines again. The other lectures stay as they are, so nothing changes that is on the screen. Returns
  /// whether an outline became a lecture.
  bool complete_outlines(Session& session);
  void watch_again();

  std::optional<std::filesystem::path> folder_;
  std::vector<std::filesystem::path> lecture_files_;  ///< lectures that were opened as single files
  std::optional<OpenedSetup> opened_;
  std::optional<std::filesystem::path> work_;  ///< the arrays that were opened last
  FileWatch watch_;
};

/// Writes the picture as PNG under a free name, with the setup and the place as text in it. Returns its path. Throws
/// InputError or MachineError.
std::filesystem::path keep_picture(const Session& session, const Image& picture, const std::filesystem::path& folder,
                                   std::time_t now);

/// Whether a path is meant to be a picture: it ends in ".png".
bool names_picture(const std::filesystem::path& path);
/// The session that a picture shows, which keep_picture and the command line store in it. Throws InputError if the file
/// cannot be read, is not a PNG, or holds no setup.
Snapshot snapshot_in_picture(const std::filesystem::path& path);

}  // namespace headlight
