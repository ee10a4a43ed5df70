#include "app/shell/one_file_page.hpp"

#include <cstdint>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t largest_page = std::int64_t{64} << 20;

/// In the order in which they are searched.
std::vector<fs::path> folders(const fs::path& program, const Environment& environment) {
  std::vector<fs::path> folders;
  if (const fs::path data = data_folder(environment); !data.empty()) folders.push_back(data / "headlight");
  if (!program.empty()) {
    const fs::path beside = program.parent_path().parent_path();
    folders.push_back(beside / "share/headlight");
    folders.push_back(beside / "web");
  }
  const char* const set = environment("XDG_DATA_DIRS");
  std::istringstream shared(set == nullptr || *set == '\0' ? "/usr/local/share:/usr/share" : set);
  for (std::string folder; std::getline(shared, folder, ':');)
    if (!folder.empty()) folders.push_back(fs::path(folder) / "headlight");
  return folders;
}

}  // namespace

OneFilePage one_file_page(const fs::path& program, const Environment& environment) {
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
