// Studies of a layer that learns: its weights at earlier steps, its answers, the contribution of each head, and a trial
// of a gradient. Also the words for a task's symbols.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/course.hpp"
#include "core/engine/learning_curve.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// Some kept steps, and the batch item whose weights are shown. Equal pointers mean the same step of the same training.
struct FilmKey {
  std::vector<std::shared_ptr<const KeptStep>> steps;
  Index item = 0;
  Index layer = 0;
  std::vector<LayerHead> ablated = {};  ///< heads below the layer change its weights

  friend bool operator==(const FilmKey&, const FilmKey&) = default;
};
/// The weights of the item at each step: (head, query, key).
using Film = std::vector<Tensor>;
Film film_of(const ModelTrace& model, const FilmKey& key);

/// The head that does most induction, and its prefix match.
struct BestPrefix {
  double match = 0;
  Index layer = 0;
  Index head = 0;
};
/// At each of these kept steps; fewer after a stop. For a task that is scored so.
std::vector<BestPrefix> best_prefixes(const ModelTrace& model,
                                      const std::vector<std::shared_ptr<const KeptStep>>& steps,
                                      const std::stop_token& stop = {});
/// Of the weights that the model has; none for a task that isn't scored so.
std::optional<BestPrefix> best_prefix(const ModelTrace& model);

/// For each head of each layer; fewer after a stop.
std::vector<std::vector<HeadPrice>> all_head_prices(const ModelTrace& model, const std::stop_token& stop = {});

/// The content of a position: "c"; for lookup its key and its value, "c:f", or "c:?" if the value is asked for.
std::string held_words(const Sequences& sequences, Index item, Index position, const TaskSettings& task);

/// The loss of somebody who has learnt nothing of the task but how often each symbol is asked for.
struct Guess {
  double loss = 0;
  std::string words;  ///< "guessing: ln 6 = 1.79", "letter frequencies: 2.83"
};
Guess guess_of(const Setup& setup);

/// The right answer at a position, and the layer's answer.
struct Answer {
  std::string wanted;  ///< a symbol for each answer; empty if nothing is asked
  std::string given;
  double sure = 0;  ///< the probability of the given answer, of all its symbols together
  bool right = false;

  bool asked() const { return !wanted.empty(); }
};
/// For each position of an item of a trace with a task.
std::vector<Answer> answers_of(const Trace& trace, Index item);

/// The share of a head's attention to the keys with the answers, averaged over the positions that are asked.
struct AnswerShare {
  std::string_view where;  ///< "looks one back"
  double share = 0;
};
/// One for each answer. `weights` is (query, key) of the item.
std::vector<AnswerShare> answer_shares(const Trace& trace, Index item, const Tensor& weights);

struct Trial {
  double nudge = 0;  ///< added to the number
  double before = 0;
  double after = 0;      ///< the loss then
  double predicted = 0;  ///< gradient · nudge

  double measured() const { return after - before; }
};

/// For a cell of a gradient. None if a forward pass takes longer than a part of a frame, or if the number is not
/// finite.
std::optional<Trial> trial_of(const ModelTrace& model, const Cell& gradient);

}  // namespace headlight
