// The files behind a session: lectures at hand, setups and lectures that were opened, and whether they changed on disk.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/file_watch.hpp"
#include "app/session/session.hpp"

namespace headlight {

class Documents {
 public:
  /// `folder` holds a lecturer's own lectures; it is watched. Throws InputError where it cannot be read.
  explicit Documents(std::optional<std::filesystem::path> folder = std::nullopt);

  /// Hands all lectures to the session. Returns what is wrong with those that cannot be read; the others are there.
  std::vector<Problem> load_lectures(Session& session);

  /// Opens a setup (.toml) or a lecture (.md), and watches it from now on; or what a picture (.png) shows. Throws
  /// InputError where it is none of them, cannot be read, or cannot be computed; then the session is as it was.
  void open(Session& session, const std::filesystem::path& file);

  /// Takes over what changed on disk since the last look; true where something did. A setup that changed is an edit.
  /// Throws InputError with what is wrong with the new versions; the session keeps the old ones.
  bool reload(Session& session);

  /// Whether there is anything to look at.
  bool watches() const { return folder_ || setup_file_ || !lecture_files_.empty(); }

 private:
  void open_setup(Session& session, const std::filesystem::path& file);
  void open_lecture(Session& session, const std::filesystem::path& file);
  void open_picture(Session& session, const std::filesystem::path& file);
  void watch_again();

  std::optional<std::filesystem::path> folder_;
  std::vector<std::filesystem::path> lecture_files_;  ///< opened one by one
  std::optional<std::filesystem::path> setup_file_;
  FileWatch watch_;
};

}  // namespace headlight
