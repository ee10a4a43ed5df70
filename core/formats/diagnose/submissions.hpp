// What a class has handed in: a folder with a file or a folder for each person.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/diagnose/arrays/report.hpp"

namespace headlight {

struct Submission {
  std::string name;  ///< that of its file or folder
  std::filesystem::path path;
};

/// The submissions in a folder, in the order of the bytes of their names. Names that begin with a point are left out,
/// and so are the files of `apart`, which are no submissions. Throws InputError if the folder is missing or holds none.
std::vector<Submission> submissions_in(const std::filesystem::path& folder,
                                       const std::vector<std::filesystem::path>& apart);

/// Its arrays: those of its file, or of all arrays, printouts (.txt) and notebooks in its folder, in the order of their
/// names. Throws InputError as read_given_arrays does, and if the folder has none of these. `limit` is for all
/// together.
std::vector<GivenArray> arrays_of(const Submission& submission, std::int64_t limit);

}  // namespace headlight
