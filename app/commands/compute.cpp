// The commands that compute a setup: every tensor, one number explained, a program that does the same, a training.
#include <fmt/format.h>

#include "app/commands/commands.hpp"
#include "app/commands/streams.hpp"
#include "core/engine/engine.hpp"
#include "core/engine/learning_curve.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/explanation_json.hpp"
#include "core/formats/files.hpp"
#include "core/setup/validity.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/overflow.hpp"

namespace headlight {
namespace {

/// The same ones in every layer: the mask is that of all.
void report_blind_queries(const Trace& trace) {
  if (trace.blind_queries.empty()) return;
  const auto [batch, query] = trace.blind_queries.front();
  say(fmt::format(
      "headlight: note: {} of {} queries see no key (first: batch item {}, query {}); their weights are zeros\n",
      trace.blind_queries.size(), trace.setup.sizes.batch * trace.setup.sizes.query_length, batch, query));
}

/// In the first layer that has one: those above it are made from it.
void report_overflow(const ModelTrace& model) {
  for (const auto& layer : model.layers) {
    const auto overflow = overflow_in(*layer);
    if (overflow) return say(fmt::format("headlight: note: {}\n", words_of(*overflow, *layer)));
  }
}

void report_explosion(const Trace& trace) {
  if (trace.learning == nullptr || !trace.learning->exploded_at) return;
  say(fmt::format("headlight: note: {}\n", words_of_explosion(*trace.learning->exploded_at)));
}

}  // namespace

void say_what_went_wrong(const ModelTrace& model) {
  report_explosion(model.first());
  report_overflow(model);
}

int compute(const What& what, const std::filesystem::path& output) {
  ProgressLine progress(false);
  const ModelTrace model = model_trace_of(what, progress.part("computing", 0, 0.5));
  write_npz(output, model, progress.part("writing", 0.5, 1));
  report_blind_queries(model.first());
  say_what_went_wrong(model);
  return done;
}

namespace {

int explain_by_source(const What& what, const Cell& at, const Setup& setup, bool json) {
  const ModelTrace model = compute_model(setup, what.memory_limit, what.threads);
  const auto say_all = json ? parts_json : parts_text;
  print_words(say_all(parts_of(model, at), at, model.value(at), setup) + '\n');
  return done;
}

}  // namespace

int explain_cell(const What& what, const std::string& cell, bool json, bool by_source) {
  const Setup of_model = setup_of(what);
  const Cell at = parse_cell(cell, of_model);
  if (by_source) return explain_by_source(what, at, of_model, json);
  const Setup setup = seen_at(of_model, at.layer);
  const auto trace = compute_trace(setup, what.memory_limit, what.threads);
  const Explanation explanation = explain(*trace, at);
  print_words((json ? explanation_json(explanation) : explanation_text(explanation)) + '\n');
  return done;
}

int write_script(const What& what, Framework framework, bool check,
                 const std::optional<std::filesystem::path>& output) {
  const Setup setup = setup_of(what);
  const std::optional<Practice> practice = check ? practice_of(what) : std::nullopt;
  const std::string text = practice ? practice_script(*trace_of(what), *practice, framework)
                           : check  ? check_script(setup, framework, what.memory_limit)
                                    : script(setup, framework, what.memory_limit);
  if (output) write_file(*output, text);
  else print(text);
  return done;
}

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
  else print(as_csv(curve));
  if (curve.exploded_at)
    throw InputError({"", "training.learning_rate", fmt::format("{}", setup.training.learning_rate),
                      "a smaller one: " + words_of_explosion(*curve.exploded_at)});
  return done;
}

}  // namespace headlight
