// The files behind a session: lectures at hand, setups and lectures that were opened, and whether they changed on disk.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/files/file_watch.hpp"
#include "app/session/session.hpp"

namespace headlight {

/// Throws the problems, where there are any, as an InputError; those that name no source get this one.
void require_done(std::vector<Problem> problems, const std::string& source = {});

class Documents {
 public:
  /// `folder` holds a lecturer's own lectures; it is watched. Throws InputError where it cannot be read.
  explicit Documents(std::optional<std::filesystem::path> folder = std::nullopt);

  /// Hands all lectures to the session. Returns what is wrong with those that cannot be read; the others are there.
  std::vector<Problem> load_lectures(Session& session);

  /// Opens a setup (.toml) or a lecture (.md), and watches it from now on; or what a picture (.png) shows. Throws
  /// InputError where it is none of them, cannot be read, or cannot be computed; then the session is as it was.
  void open(Session& session, const std::filesystem::path& file);

  /// The file that the setup was opened from or saved to, as long as the same lecture is open, or none.
  struct SetupFile {
    std::filesystem::path path;
    bool differs = false;  ///< the setup is not what the file holds
    Setup setup;           ///< that it holds
  };
  std::optional<SetupFile> setup_file(const Session& session) const;
  /// The file of the open lecture; nothing for one of the program's own. Throws InputError where the folder is gone.
  std::optional<std::filesystem::path> lecture_file(const Session& session) const;

  /// Writes the setup, and watches its file from now on. The file is replaced in one step or not at all. Throws
  /// InputError where it cannot be written.
  void save_setup(const Session& session, const std::filesystem::path& file);

  /// Writes a lecture file that begins with the setup and the cell that is shown, and opens it.
  void start_lecture(Session& session, const std::filesystem::path& file);

  /// Takes over what changed on disk since the last look; true where something did. A setup that changed is an edit.
  /// Throws InputError with what is wrong with the new versions; the session keeps the old ones.
  bool reload(Session& session);

  /// Whether there is anything to look at.
  bool watches() const { return folder_ || opened_ || !lecture_files_.empty(); }

 private:
  /// A setup file, what it holds, and the lecture that was open beside it.
  struct OpenedSetup {
    std::filesystem::path path;
    Setup setup;
    std::string lecture;
  };

  bool is_about(const Session& session) const;
  void open_setup(Session& session, const std::filesystem::path& file);
  void open_lecture(Session& session, const std::filesystem::path& file);
  void open_picture(Session& session, const std::filesystem::path& file);
  void watch_again();

  std::optional<std::filesystem::path> folder_;
  std::vector<std::filesystem::path> lecture_files_;  ///< opened one by one
  std::optional<OpenedSetup> opened_;
  FileWatch watch_;
};

}  // namespace headlight
