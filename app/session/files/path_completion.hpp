// Completes a path while it is typed, from the entries of its folder.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

struct PathEntry {
  std::string name;
  bool folder = false;

  friend bool operator==(const PathEntry&, const PathEntry&) = default;
};

/// The typed path with "~/" replaced by the home folder. Where a path from the root is typed behind a folder, it
/// counts alone: "/home/me//tmp/a.toml" is "/tmp/a.toml", and nobody need empty the field first.
std::filesystem::path expanded(std::string_view typed, const std::filesystem::path& home);

/// The entries of the typed path's folder whose names begin like its last part, ignoring case: folders first, then
/// files with one of the endings, each sorted by name. Hidden entries only if a dot was typed. Empty if there is no
/// such folder.
std::vector<PathEntry> entries_for(std::string_view typed, const std::filesystem::path& home,
                                   std::span<const std::string_view> endings);

/// The typed path with its last part replaced by an entry; a folder gets a slash at the end.
std::string with_entry(std::string_view typed, const PathEntry& entry);

/// The path with a number in its name that no file has yet: "lecture-2.toml".
std::filesystem::path unused_beside(const std::filesystem::path& path);

/// The typed path continued as far as all entries agree.
std::string completed(std::string_view typed, std::span<const PathEntry> entries);

}  // namespace headlight
