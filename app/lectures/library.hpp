// All available lectures: those in the program, and those in the user's own folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/lecture/lecture.hpp"

namespace headlight {

/// Knows the ids of all available lectures. A lecture is read only when it is requested.
class LectureLibrary {
 public:
  /// `folder` has the user's own files. A file with the name of a built-in lecture replaces it. Throws InputError if
  /// the folder cannot be read.
  explicit LectureLibrary(std::optional<std::filesystem::path> folder = std::nullopt);

  /// In the order of their list positions. A lecture of the folder without one is last.
  const std::vector<std::string>& ids() const { return ids_; }

  /// Reads a lecture. Throws InputError if none has this id (naming the available ones) or if its file is invalid.
  Lecture lecture(const std::string& id) const;
  /// The same for a list of lectures. One that needs the trained layer is an outline as long as that layer is not here,
  /// as in a page that would first have to fetch it.
  Lecture listed(const std::string& id) const;
  /// Reads all lectures except those that are outlines. Throws InputError with the problems of all invalid files.
  std::vector<Lecture> lectures() const;

  /// The file of a lecture, for watching it; nullopt for a built-in lecture.
  std::optional<std::filesystem::path> file(const std::string& id) const;

 private:
  std::vector<std::filesystem::path> files_;  ///< of the folder
  std::vector<std::string> ids_;
};

}  // namespace headlight
