#include "app/shell/user_folders.hpp"

#include <array>
#include <cctype>
#include <sstream>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/formats/files.hpp"

namespace headlight {
namespace {

std::filesystem::path path_in(const Environment& environment, const char* name) {
  const char* text = environment(name);
  return text == nullptr ? "" : text;
}

/// The folder that the desktop's user-dirs.dirs sets, as in XDG_PICTURES_DIR="$HOME/Bilder"; empty if it sets none.
std::filesystem::path from_user_dirs(const Environment& environment, const std::filesystem::path& home,
                                     std::string_view variable) {
  auto config = path_in(environment, "XDG_CONFIG_HOME");
  if (config.empty()) config = home / ".config";
  std::string text;
  try {
    text = read_text(config / "user-dirs.dirs");
  } catch (const InputError&) {
    return {};
  }
  std::istringstream lines(text);
  const std::string key = fmt::format("{}=\"", variable);
  constexpr std::string_view from_home = "$HOME/";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key) || !line.ends_with('"')) continue;
    const std::string value = line.substr(key.size(), line.size() - key.size() - 1);
    return value.starts_with(from_home) ? home / value.substr(from_home.size()) : std::filesystem::path(value);
  }
  return {};
}

/// The folder that the variable names, in the environment or on the desktop, or else one in the person's own folder.
std::filesystem::path user_folder(const Environment& environment, const char* variable, const char* below_home) {
  if (const auto named = path_in(environment, variable); named.is_absolute()) return named;
  const auto home = path_in(environment, "HOME");
  if (!home.is_absolute()) return ".";
  const auto desktop = from_user_dirs(environment, home, variable);
  return desktop.is_absolute() ? desktop : home / below_home;
}

}  // namespace

std::filesystem::path pictures_folder(const Environment& environment) {
  return user_folder(environment, "XDG_PICTURES_DIR", "Pictures");
}

std::filesystem::path documents_folder(const Environment& environment) {
  return user_folder(environment, "XDG_DOCUMENTS_DIR", "Documents");
}

std::filesystem::path downloads_folder(const Environment& environment) {
  return user_folder(environment, "XDG_DOWNLOAD_DIR", "Downloads");
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError({folder.string(), "", error.message(), "a folder that can be written to"});
}

std::string file_name_for(std::string_view title) {
  std::string name;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    // Bytes of 0x80 and above are part of letters outside ASCII, so they are kept.
    const bool letter = byte >= 0x80 || std::isalnum(byte) != 0;
    if (letter) name += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
    else if (!name.empty() && !name.ends_with('-')) name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "setup" : name;
}

std::filesystem::path free_name(const std::filesystem::path& folder, std::time_t now, std::string_view ending) {
  std::tm local{};
  localtime_r(&now, &local);
  const std::string name = fmt::format("headlight-{:%Y-%m-%d-%H%M%S}", local);
  std::filesystem::path path = folder / fmt::format("{}{}", name, ending);
  for (int n = 2; is_file(path); ++n) path = folder / fmt::format("{}-{}{}", name, n, ending);
  return path;
}

}  // namespace headlight
