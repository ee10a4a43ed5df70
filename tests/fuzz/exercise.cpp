// Exercises: each that is accepted has something to hand in, and reads back equal after it is written.
#include "core/formats/setup/exercise_file.hpp"

#include <filesystem>
#include <string>

#include "core/setup/validity.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {

void judge(std::string_view bytes) {
  const MemoryFile file(bytes);
  const std::filesystem::path path = file.path();
  Exercise exercise;
  try {
    exercise = read_exercise(path);
  } catch (const InputError& error) {
    require_told(error, path.string());
    return;
  }
  require(problems(exercise.setup).empty(), "the setup of an exercise is valid");
  require(!exercise.hand_in.empty(), "an exercise has something to hand in");
  const MemoryFile written(write_exercise(exercise, {}));
  const Exercise again = read_exercise(written.path());
  require(again.setup == exercise.setup, "the setup of an exercise is read again as it was written");
  require(again.has_points == exercise.has_points, "whether an exercise has points is read again");
  require(again.hand_in == exercise.hand_in, "what is handed in is read again as it was written");
}

}  // namespace headlight::fuzz
