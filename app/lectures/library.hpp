// All available lectures: those inside the binary, and those of a lecturer's own folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/lecture/lecture.hpp"

namespace headlight {

/// The ids of all available lectures. A lecture is read only when it is asked for.
class LectureLibrary {
 public:
  /// `folder` holds a lecturer's own files; a file with the name of a built-in lecture replaces it. Throws InputError
  /// if the folder cannot be read.
  explicit LectureLibrary(std::optional<std::filesystem::path> folder = std::nullopt);

  /// The built-in lectures in teaching order, then those of the folder.
  const std::vector<std::string>& ids() const { return ids_; }

  /// Reads a lecture. Throws InputError if there is none with this id (naming the available ones) or if its file is
  /// broken.
  Lecture lecture(const std::string& id) const;
  /// Reads all lectures. Throws InputError with the problems of every broken file.
  std::vector<Lecture> lectures() const;

  /// The file of a lecture, to watch it for changes; nullopt for a built-in lecture.
  std::optional<std::filesystem::path> file(const std::string& id) const;

 private:
  std::vector<std::filesystem::path> files_;
  std::vector<std::string> ids_;
};

}  // namespace headlight
