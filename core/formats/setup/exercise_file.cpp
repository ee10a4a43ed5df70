#include "core/formats/setup/exercise_file.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/files.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/formats/toml/toml_reader.hpp"
#include "core/model/cell.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// The names of everything that people can compute, in the order of the forward pass.
std::vector<std::string> computed_names(const Setup& setup) {
  std::vector<std::string> names;
  for (Index layer = 0; layer < setup.sizes.layers; ++layer) {
    const Setup own = seen_at(setup, layer);
    for (const TensorId id : existing_tensors(own))
      if (!is_drawn(id, own)) names.push_back(name_in_model(id, own));
  }
  return names;
}

constexpr int most_points = 1'000'000;  ///< of one tensor, so that a table can add them up

/// Without anything to hand in, which is a problem of its own, no name can be judged.
void read_points(TomlReader reader, std::vector<ExerciseTensor>& hand_in) {
  if (hand_in.empty()) return;
  for (ExerciseTensor& each : hand_in) {
    reader.read(each.tensor, each.points);
    if (!(each.points >= 0 && each.points <= most_points))
      reader.add(each.tensor, fmt::format("{}", each.points), fmt::format("a number from 0 to {}", most_points));
  }
  reader.finish();
}

}  // namespace

std::vector<ExerciseTensor> hand_in_of(const std::vector<std::string>& names, const Setup& setup,
                                       const std::string& source) {
  std::vector<ExerciseTensor> hand_in;
  const std::vector<std::string> all = computed_names(setup);
  for (const std::string& name : names)
    if (std::ranges::find(all, name) == all.end())
      throw InputError({source, "", name.empty() ? "an empty name" : shortened(name),
                        fmt::format("some of {}", fmt::join(all, ", "))});
  for (const std::string& name : all)
    if (std::ranges::find(names, name) != names.end()) hand_in.push_back({name});
  if (hand_in.empty()) throw InputError({source, "", "nothing", fmt::format("some of {}", fmt::join(all, ", "))});
  return hand_in;
}

Exercise read_exercise(const std::filesystem::path& path) {
  const std::string text = read_text(path), source = path.string();
  Exercise exercise{.setup = parse_setup(text, source, folder_of(path)), .hand_in = {}};
  const TomlTable document = parse_toml(text, source);
  std::vector<Problem> problems;
  TomlReader reader(document, "", problems);
  if (!reader.has("exercise"))
    throw InputError({source, "exercise", "none", "a table with hand_in = [\"scores\", \"weights\", \"output\"]"});
  TomlReader table = reader.table("exercise");
  std::vector<std::string> names;
  table.read("hand_in", names);
  if (problems.empty()) exercise.hand_in = hand_in_of(names, exercise.setup, source + ": exercise.hand_in");
  exercise.has_points = table.has("points");
  if (exercise.has_points) read_points(table.table("points"), exercise.hand_in);
  table.finish();
  if (!problems.empty()) throw InputError(located(std::move(problems), document, source));
  return exercise;
}

std::string write_exercise(const Exercise& exercise, const std::filesystem::path& folder) {
  std::vector<std::string> names, points;
  for (const ExerciseTensor& each : exercise.hand_in) {
    names.push_back(toml_text(std::string_view(each.tensor)));
    points.push_back(fmt::format("{} = {}", toml_key(each.tensor), each.points));
  }
  return write_setup(exercise.setup, folder) + "\n[exercise]\n" +
         toml_line("hand_in", toml_list(names), "what people compute and hand in") +
         fmt::format("{}points = {{ {} }}\n", exercise.has_points ? "" : "# ", fmt::join(points, ", "));
}

}  // namespace headlight
