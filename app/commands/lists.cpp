// The commands that print a table: the lectures, the keys of a setup, the tensors.
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/commands/commands.hpp"
#include "app/commands/streams.hpp"
#include "app/commands/table.hpp"
#include "app/lectures/library.hpp"
#include "core/diagnose/arrays/matching.hpp"
#include "core/formats/setup/setup_toml.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/model/names.hpp"

namespace headlight {
namespace {

std::string default_of(const SetupKey& key) {
  return !key.value.follows.empty() ? std::string(key.value.follows) : toml_text(toml_of(key, Setup{}));
}

}  // namespace

int list_lectures(const std::optional<std::filesystem::path>& folder) {
  std::vector<std::vector<std::string>> rows;
  std::optional<LectureGroup> group;
  for (const Lecture& lecture : LectureLibrary(folder).lectures()) {
    if (std::exchange(group, lecture.list_position.group) != lecture.list_position.group) {
      rows.emplace_back();
      rows.push_back({std::string(title_of(lecture.list_position.group))});
    }
    rows.push_back({lecture.id, fmt::format("{}", lecture.steps.size()), lecture.title, lecture.source});
  }
  print_words(table({"id", "steps", "title", "follows"}, rows));
  return done;
}

int list_tensors(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> rows;
  if (names.empty())
    for (const TensorInfo& tensor : all_tensors())
      rows.push_back({std::string(tensor.name), std::string(tensor.about)});
  for (const std::string& theirs : names)
    if (const auto tensors = tensors_called(theirs); !tensors.empty())
      rows.push_back({theirs, std::string(name(tensors.front()))});
  print_words(table({names.empty() ? "tensor" : "yours", names.empty() ? "what it is" : "tensor"}, rows));
  return done;
}

int list_keys() {
  std::vector<std::vector<std::string>> rows;
  for (const SetupKey& key : setup_keys()) {
    const std::string allowed = key.range || !key.allowed.empty() ? key.allowed_words() : wanted(key);
    rows.push_back({std::string(key.name), default_of(key), allowed, std::string(key.help)});
  }
  print_words(table({"key", "default", "allowed", "what it does"}, rows));
  return done;
}

}  // namespace headlight
