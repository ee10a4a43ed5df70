#include "app/session/files/path_completion.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "core/text/wording.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// The most entries that are offered: nobody picks from a longer list by eye.
constexpr std::size_t most_entries = 1000;

/// A typed path, split into the part up to the last slash and the rest.
struct TypedPath {
  std::string_view folder;
  std::string_view leaf;
};

TypedPath split(std::string_view typed) {
  const auto slash = typed.rfind('/');
  if (slash == std::string_view::npos) return {{}, typed};
  return {typed.substr(0, slash + 1), typed.substr(slash + 1)};
}

bool begins(std::string_view name, std::string_view with) {
  return name.size() >= with.size() &&
         std::equal(with.begin(), with.end(), name.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

bool by_name(const PathEntry& a, const PathEntry& b) {
  if (a.folder != b.folder) return a.folder;
  return std::lexicographical_compare(a.name.begin(), a.name.end(), b.name.begin(), b.name.end(),
                                      [](char x, char y) { return lower(x) < lower(y); });
}

}  // namespace

fs::path expanded(std::string_view typed, const fs::path& home) {
  const auto again = typed.rfind("//");
  if (again != std::string_view::npos) typed.remove_prefix(again + 1);
  if (typed == "~") return home;
  return typed.starts_with("~/") ? home / typed.substr(2) : fs::path(typed);
}

std::vector<PathEntry> entries_for(std::string_view typed, const fs::path& home,
                                   std::span<const std::string_view> endings) {
  const TypedPath path = split(typed);
  const fs::path folder = path.folder.empty() ? fs::path(".") : expanded(path.folder, home);
  std::vector<PathEntry> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!begins(name, path.leaf) || (name.starts_with('.') && !path.leaf.starts_with('.'))) continue;
    std::error_code unreadable;
    const bool is_folder = at->is_directory(unreadable);
    const std::string ending = at->path().extension().string();
    if (!is_folder && std::find(endings.begin(), endings.end(), ending) == endings.end()) continue;
    entries.push_back({name, is_folder});
    if (entries.size() == most_entries) break;
  }
  std::sort(entries.begin(), entries.end(), by_name);
  return entries;
}

std::string with_entry(std::string_view typed, const PathEntry& entry) {
  return std::string(split(typed).folder) + entry.name + (entry.folder ? "/" : "");
}

std::string completed(std::string_view typed, std::span<const PathEntry> entries) {
  if (entries.empty()) return std::string(typed);
  if (entries.size() == 1) return with_entry(typed, entries.front());
  std::string_view common = entries.front().name;
  for (const PathEntry& entry : entries) {
    const auto differ = std::mismatch(common.begin(), common.end(), entry.name.begin(), entry.name.end(),
                                      [](char a, char b) { return lower(a) == lower(b); });
    common = common.substr(0, static_cast<std::size_t>(differ.first - common.begin()));
  }
  return std::string(split(typed).folder) + std::string(common);
}

fs::path unused_beside(const fs::path& path) {
  std::error_code error;
  for (int number = 2;; ++number) {
    const fs::path name = fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string());
    const fs::path other = path.parent_path() / name;
    if (!fs::exists(other, error)) return other;
  }
}

}  // namespace headlight
