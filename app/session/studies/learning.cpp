#include "app/session/studies/learning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "app/session/studies/head_statistics.hpp"
#include "core/engine/course.hpp"

namespace headlight {
namespace {

/// The key with a position's answer; none if the task has no such key.
std::optional<Index> key_of_answer(const Sequences& sequences, TaskName task, Index item, Index position,
                                   Index answer) {
  switch (task) {
    case TaskName::previous: return position - 1;
    case TaskName::first: return 0;
    case TaskName::reverse: return sequences.length - 1 - position;
    case TaskName::previous_and_first: return answer == 0 ? position - 1 : 0;
    case TaskName::lookup:
    case TaskName::induction: break;
    case TaskName::text:
    case TaskName::none: return std::nullopt;
  }
  const Index behind = task == TaskName::induction ? 1 : 0;  // what followed the same symbol
  const auto held = [&](Index at) {
    return sequences.ones[static_cast<std::size_t>((item * sequences.length + at) * sequences.held)];
  };
  for (Index key = 0; key < position; ++key)
    if (held(key) == held(position)) return key + behind;
  return std::nullopt;
}

std::string_view words_of_key(TaskName task, Index answer) {
  switch (task) {
    case TaskName::previous: return "looks one back";
    case TaskName::first: return "looks at the first";
    case TaskName::reverse: return "looks at the mirror";
    case TaskName::lookup: return "looks at the same key";
    case TaskName::induction: return "looks at what followed";
    case TaskName::previous_and_first: return answer == 0 ? "one back" : "first";
    case TaskName::text:
    case TaskName::none: break;
  }
  return {};
}

}  // namespace

Film film_of(const ModelTrace& model, const FilmKey& key) {
  Film film;
  for (const auto& step : key.steps)
    film.push_back(weights_at(model, key.layer, *step).selected(0, key.item).contiguous());
  return film;
}

namespace {

/// Of a model's layers, which may hold nothing but weights.
BestPrefix best_prefix_of(const Sequences& sequences, const ModelTrace& layers, Index heads) {
  BestPrefix best;
  for (Index layer = 0; layer < std::ssize(layers.layers); ++layer)
    for (Index head = 0; head < heads; ++head) {
      const double match = prefix_match(sequences, layers.at(layer)[TensorId::weights], head).value_or(0);
      if (match > best.match) best = {match, layer, head};
    }
  return best;
}

}  // namespace

std::vector<BestPrefix> best_prefixes(const ModelTrace& model,
                                      const std::vector<std::shared_ptr<const KeptStep>>& steps,
                                      const std::stop_token& stop) {
  const Setup& setup = model.first().setup;
  constexpr std::array wanted{TensorId::weights};
  std::vector<BestPrefix> found;
  for (const auto& step : steps) {
    if (stop.stop_requested()) break;
    const ModelTrace then = passed_again(model, setup, wanted, step->learned);
    found.push_back(best_prefix_of(*model.first().sequences, then, setup.sizes.heads));
  }
  return found;
}

std::optional<BestPrefix> best_prefix(const ModelTrace& model) {
  const Trace& first = model.first();
  if (first.setup.task.name != TaskName::induction) return std::nullopt;
  return best_prefix_of(*first.sequences, model, first.setup.sizes.heads);
}

std::vector<std::vector<HeadPrice>> all_head_prices(const ModelTrace& model, const std::stop_token& stop) {
  std::vector<std::vector<HeadPrice>> prices;
  for (Index layer = 0; layer < std::ssize(model.layers) && !stop.stop_requested(); ++layer)
    prices.push_back(head_prices(model, layer));
  return prices;
}

std::string held_words(const Sequences& sequences, Index item, Index position, const TaskSettings& task) {
  const auto at = static_cast<std::size_t>((item * sequences.length + position) * sequences.held);
  std::string first = symbol_word(sequences.ones[at], task);
  if (sequences.held == 1) return first;
  const std::int64_t value = sequences.ones[at + 1];
  return fmt::format("{}:{}", first, value < 0 ? "?" : symbol_word(value - task.symbols));
}

Guess guess_of(const Setup& setup) {
  if (setup.task.is_text()) {
    const double loss = setup.task.corpus().surprise_of_frequencies(setup.task.split);
    return {loss, fmt::format("letter frequencies: {:.2f}", loss)};
  }
  const double loss = std::log(static_cast<double>(setup.symbols()));
  return {loss, fmt::format("guessing: ln {} = {:.2f}", setup.symbols(), loss)};
}

std::vector<Answer> answers_of(const Trace& trace, Index item) {
  const Sequences& sequences = *trace.sequences;
  const Tensor& probabilities = trace[TensorId::probabilities];  // (batch, query, answers·symbols)
  const TaskSettings& task = trace.setup.task;
  const Index symbols = task.symbol_count();
  std::vector<Answer> answers(static_cast<std::size_t>(sequences.queries()));
  for (Index query = 0; query < sequences.queries(); ++query) {
    if (!sequences.asks(item, query)) continue;
    Answer& answer = answers[static_cast<std::size_t>(query)];
    answer.sure = 1;
    answer.right = true;
    for (Index which = 0; which < sequences.answers; ++which) {
      const auto probability = [&](Index symbol) { return probabilities.at({item, query, which * symbols + symbol}); };
      Index best = 0;
      for (Index symbol = 1; symbol < symbols; ++symbol)
        if (probability(symbol) > probability(best)) best = symbol;
      const std::int64_t label = sequences.labels_at(item, query)[which];
      answer.wanted += symbol_word(label, task);
      answer.given += symbol_word(best, task);
      answer.sure *= probability(best);
      answer.right &= best == label;
    }
  }
  return answers;
}

std::vector<AnswerShare> answer_shares(const Trace& trace, Index item, const Tensor& weights) {
  const Sequences& sequences = *trace.sequences;
  const TaskName task = trace.setup.task.name;
  std::vector<AnswerShare> shares;
  if (task == TaskName::text) return shares;  // no key alone has the answer
  for (Index which = 0; which < sequences.answers; ++which) {
    double sum = 0;
    Index asked = 0;
    for (Index query = 0; query < sequences.queries(); ++query) {
      if (!sequences.asks(item, query)) continue;
      ++asked;
      if (const auto key = key_of_answer(sequences, task, item, sequences.past + query, which))
        sum += weights.at({query, *key});
    }
    shares.push_back({words_of_key(task, which), asked > 0 ? sum / static_cast<double>(asked) : 0});
  }
  return shares;
}

std::optional<Trial> trial_of(const ModelTrace& model, const Cell& gradient) {
  constexpr Index most_cells = 200'000;
  const Cell cell{without_gradient(gradient.tensor), gradient.index, gradient.layer};
  const Trace& trace = model.at(cell.layer);
  const double number = trace.value(cell);
  if (trace.elements() * std::ssize(model.layers) > most_cells || !std::isfinite(number)) return std::nullopt;
  Trial trial{.nudge = 0.01};
  trial.before = loss_with(model, cell, number);
  trial.after = loss_with(model, cell, number + trial.nudge);
  trial.predicted = trace.value(gradient) * trial.nudge;
  return trial;
}

}  // namespace headlight
