#include "app/views/setup/task_section.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/edits/setup_edits.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

struct TaskWords {
  std::string_view name;
  std::string_view about;
};

/// In the order of TaskName.
constexpr std::array<TaskWords, setup_words<TaskName>.size()> tasks{{
    {"nothing", "Choose a task: X is made of sequences of symbols then, and the layer can learn to answer"},
    {"previous symbol", "Every position says which symbol stands before it"},
    {"first symbol", "Every position says which symbol stands first"},
    {"reversed", "Every position says which symbol stands there when the sequence is turned round"},
    {"look up", "Positions hold a key and a value; the last one holds a key, and says the value that belongs to it"},
    {"previous and first", "Every position says two symbols: the one before it, and the first"},
}};

const TaskWords& task_words(const Setup& setup) { return tasks[static_cast<std::size_t>(setup.task.name)]; }

void draw_task(SetupRows& rows) {
  constexpr std::string_view key = "task.name";
  const auto lecture = rows.changed(
      key, [](const Setup& setup) { return std::string(task_words(setup).name); },
      [&rows](const Setup& theirs) { return with_task(rows.setup(), theirs.task.name); });
  rows.row({.key = key, .label = "Learn", .control_width = choice_width, .tooltip = task_words(rows.setup()).about},
           lecture, [&](const Rect& r) {
             std::vector<std::string> items;
             for (const TaskWords& words : tasks) items.emplace_back(words.name);
             int index = static_cast<int>(rows.setup().task.name);
             if (select(rows.ui(), key, r, items, index))
               rows.edit(key, with_task(rows.setup(), static_cast<TaskName>(index)));
           });
}

Parsed parse_task_seed(const Setup& base, const std::string& text) {
  const auto seed = number_from<std::int64_t>(text);
  if (!seed) return {{}, fmt::format("found \"{}\"; allowed: a whole number", text)};
  Parsed parsed{base, {}};
  parsed.setup->task.seed = *seed;
  return parsed;
}

Parsed parse_rate(const Setup& base, const std::string& text) {
  const auto rate = number_from<double>(text);
  if (!rate) return {{}, fmt::format("found \"{}\"; allowed: a number above 0", text)};
  Parsed parsed{base, {}};
  parsed.setup->training.learning_rate = *rate;
  return parsed;
}

/// Twice as much, or half.
std::string stepped_rate(const std::string& text, int steps) {
  double rate = number_from<double>(text).value_or(TrainingSettings{}.learning_rate);
  for (; steps > 0; --steps) rate *= 2;
  for (; steps < 0; ++steps) rate /= 2;
  return fmt::format("{:.6g}", rate);
}

void draw_training(SetupRows& rows) {
  constexpr std::array<std::string_view, 2> optimizers{"Adam", "SGD"};
  rows.choice(
      {.key = "training.optimizer",
       .label = "Optimiser",
       .control_width = choice_width,
       .tooltip = "How a step changes the weights, as torch.optim has it"},
      optimizers, [](const Setup& setup) { return static_cast<int>(setup.training.optimizer); },
      [&](int index) {
        Setup edited = rows.setup();
        edited.training.optimizer = static_cast<OptimizerKind>(index);
        return edited;
      });
  rows.row({.key = "training.learning_rate",
            .label = "Rate",
            .control_width = 92,
            .tooltip = "How far a step goes: too small takes long, too large explodes"},
           [&](const Rect& r) {
             rows.number_text(r, "training.learning_rate", fmt::format("{}", rows.setup().training.learning_rate),
                              {.step = stepped_rate}, parse_rate);
           });
  rows.number({.key = "training.batch", .label = "Batch", .tooltip = "Sequences that a step learns from"},
              rows.setup().training.batch, 1, largest_size, [&](Index value) {
                Setup edited = rows.setup();
                edited.training.batch = value;
                return edited;
              });
  rows.number(
      {.key = "training.steps", .label = "Steps", .tooltip = "0: the layer as drawn; Learn makes them one by one"},
      rows.setup().training.steps, 0, most_steps, [&](Index value) { return with_steps(rows.setup(), value); });
}

}  // namespace

void draw_task_section(SetupRows& rows) {
  rows.section(SetupTopic::task, "Task");
  draw_task(rows);
  if (rows.setup().has_task()) {
    rows.number({.key = "task.symbols", .label = "Symbols", .tooltip = "How many there are: a, b, c, ..."},
                rows.setup().task.symbols, 2, largest_size,
                [&](Index value) { return with_symbols(rows.setup(), value); });
    rows.row({.key = "task.seed", .label = "Sequences", .control_width = 92, .tooltip = "The seed of the sequences"},
             [&](const Rect& r) {
               rows.number_text(r, "task.seed", std::to_string(rows.setup().task.seed), {.step = stepped_seed},
                                parse_task_seed);
             });
    draw_training(rows);
  }
  rows.end_section();
}

}  // namespace headlight
