#include "app/commands/train.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "app/commands/exit_code.hpp"
#include "core/engine/learning_curve.hpp"
#include "core/formats/files.hpp"
#include "core/setup/checks.hpp"

namespace headlight {
int train(const What& what, std::int64_t steps, const std::optional<std::filesystem::path>& output) {
  if (steps < 1 || steps > most_steps)
    throw InputError({"--steps", "", fmt::format("{}", steps), fmt::format("a whole number from 1 to {}", most_steps)});
  Setup setup = setup_of(what);
  if (!setup.has_task())
    throw InputError({"", "task.name", "none", "a task, as in --set 'task.name=\"previous\"': it says what to learn"});
  setup.training.steps = steps;
  require_valid(setup);
  if (output) replaced_file(*output);  // refuses what cannot be written before the time is spent
  ProgressLine progress(false);
  const LearningCurve curve = learning_curve(
      setup, steps, what.threads, {.stop = {}, .report = progress.part("training", 0, 1)}, what.memory_limit);
  if (output) write_file(*output, as_csv(curve));
  else fmt::print("{}", as_csv(curve));
  if (curve.exploded_at)
    throw InputError({"", "training.learning_rate", fmt::format("{}", setup.training.learning_rate),
                      "a smaller one: " + words_of_explosion(*curve.exploded_at)});
  return done;
}

}  // namespace headlight
