// What a path that is being typed may become: the entries of its folder that go on as it does.
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

/// A typed path, "~/" with the home folder in its place.
std::filesystem::path expanded(std::string_view typed, const std::filesystem::path& home);

/// What stands in the folder of a typed path and begins as its last part does, in any case: folders, and files with one
/// of the endings; folders first, each by name. Hidden ones only after a typed dot. Empty where there is no such
/// folder.
std::vector<PathEntry> entries_for(std::string_view typed, const std::filesystem::path& home,
                                   std::span<const std::string_view> endings);

/// The typed path with an entry in place of its last part; a folder with a slash behind it.
std::string with_entry(std::string_view typed, const PathEntry& entry);

/// The typed path with as much as all entries agree on.
std::string completed(std::string_view typed, std::span<const PathEntry> entries);

}  // namespace headlight
