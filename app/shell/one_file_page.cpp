#include "app/shell/one_file_page.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "app/words.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t largest_page = std::int64_t{64} << 20;

/// In the order in which they are searched.
std::vector<fs::path> folders(const fs::path& program,
                              const std::function<const char*(const char* name)>& environment) {
  const auto variable = [&](const char* name) {
    const char* const text = environment(name);
    return std::string(text ? text : "");
  };
  std::vector<fs::path> folders;
  if (const std::string data = variable("XDG_DATA_HOME"); !data.empty())
    folders.push_back(fs::path(data) / "headlight");
  else if (const std::string home = variable("HOME"); !home.empty())
    folders.push_back(fs::path(home) / ".local/share/headlight");
  if (!program.empty()) {
    const fs::path beside = program.parent_path().parent_path();
    folders.push_back(beside / "share/headlight");
    folders.push_back(beside / "web");
  }
  std::string shared = variable("XDG_DATA_DIRS");
  if (shared.empty()) shared = "/usr/local/share:/usr/share";
  for (std::size_t begin = 0; begin < shared.size();) {
    const std::size_t end = std::min(shared.find(':', begin), shared.size());
    if (end > begin) folders.push_back(fs::path(shared.substr(begin, end - begin)) / "headlight");
    begin = end + 1;
  }
  return folders;
}

}  // namespace

OneFilePage one_file_page(const fs::path& program, const std::function<const char*(const char* name)>& environment) {
  std::vector<std::string> looked_into;
  for (const fs::path& folder : folders(program, environment)) {
    const fs::path file = folder / "headlight.html";
    std::error_code error;
    if (fs::is_regular_file(file, error)) return {file, read_text(file, largest_page)};
    looked_into.push_back(folder.string());
  }
  throw InputError({"headlight.html", "", "no such file in " + listed(looked_into),
                    "the app for browsers in one of them; ./web builds it as build/web/headlight.html"});
}

fs::path this_programs_file() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

}  // namespace headlight
