// All available lectures: those inside the binary, and those of a lecturer's own folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/lecture/lecture.hpp"

namespace headlight {

/// Which lectures there are. A value; a lecture is read only when it is asked for.
class LectureLibrary {
 public:
  /// `folder` holds a lecturer's own files; a file with the name of a built-in lecture replaces it. Throws InputError
  /// if the folder cannot be read.
  explicit LectureLibrary(std::optional<std::filesystem::path> folder = std::nullopt);

  /// In teaching order: the built-in ones, then the folder's.
  const std::vector<std::string>& ids() const { return ids_; }

  /// Throws InputError if there is no such lecture (naming the available ones) or if its file is broken.
  Lecture lecture(const std::string& id) const;
  /// All of them; throws InputError with the problems of every broken file.
  std::vector<Lecture> lectures() const;

  /// The file behind a lecture, for watching; nothing for a built-in one.
  std::optional<std::filesystem::path> file(const std::string& id) const;

 private:
  std::vector<std::filesystem::path> files_;
  std::vector<std::string> ids_;
};

}  // namespace headlight
