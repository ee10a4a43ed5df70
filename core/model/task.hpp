// Tasks: sequences of symbols, and what the output should say about them. And how a layer learns one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/layer_head.hpp"
#include "core/model/shape.hpp"
#include "core/model/task_text.hpp"

namespace headlight {

enum class TaskName : std::uint8_t { none, previous, first, reverse, lookup, previous_and_first, induction, text };
constexpr std::array<std::string_view, 8> file_words(TaskName) {
  return {"none", "previous", "first", "reverse", "lookup", "previous_and_first", "induction", "text"};
}

struct TaskSettings {
  TaskName name = TaskName::none;
  Index symbols = 6;      ///< of all tasks but text, whose text has them
  std::int64_t seed = 0;  ///< of the sequences
  /// The text of the task text: of a file, or typed. Of these at most one is there.
  TaskText file = {};
  TaskText text = {};
  TextSplit split = TextSplit::lines;
  std::vector<std::string> shown = {};  ///< texts that are shown instead of drawn ones: one for each batch item

  bool is_text() const { return name == TaskName::text; }
  const TaskText& corpus() const { return file.empty() ? text : file; }
  /// How many symbols there are.
  Index symbol_count() const { return is_text() ? corpus().symbols() : symbols; }

  friend bool operator==(const TaskSettings&, const TaskSettings&) = default;
};

enum class OptimizerKind : std::uint8_t { adam, sgd };
constexpr std::array<std::string_view, 2> file_words(OptimizerKind) { return {"adam", "sgd"}; }

struct TrainingSettings {
  OptimizerKind optimizer = OptimizerKind::adam;
  double learning_rate = 0.01;
  Index batch = 64;  ///< sequences of a step
  Index steps = 0;   ///< updates that have been made; 0: the layer as drawn
  /// Heads that differ after the last step: ablated ones that the layer learns with, and others that it learns without.
  std::vector<LayerHead> with_heads = {};
  std::vector<LayerHead> without_heads = {};

  friend bool operator==(const TrainingSettings&, const TrainingSettings&) = default;
};

/// A symbol as people read it: a, b, c, ..., z, s26, s27, ...
std::string symbol_word(std::int64_t symbol);
/// The same in the words of the task: a character of its text, with a mark for a line break ("⏎") and for a blank
/// ("␣").
std::string symbol_word(std::int64_t symbol, const TaskSettings& task);

/// The number of symbols that a position is asked for: 2 for previous_and_first, else 1; 0 without a task.
Index answers_of(TaskName task);
/// How many of the first features of X the task uses: one for each symbol; twice as many for lookup, where a position
/// holds a key and a value.
Index features_of(const TaskSettings& task);
/// How many positions at the end of a sequence of *induction* repeat a part of the others: a third of them.
constexpr Index repeated_length(Index length) { return length / 3; }
/// The shortest sequence about which something can be asked.
Index shortest_length(TaskName task);

/// Some sequences of a task, and what is asked about them.
struct Sequences {
  Index count = 0;
  Index length = 0;   ///< positions of X
  Index past = 0;     ///< of which so many, before the others, are asked nothing: they make no queries
  Index held = 1;     ///< symbols that a position holds: 2 for lookup, else 1
  Index answers = 1;  ///< answers that a position is asked for
  /// The features of X that are 1: (count, length, held). -1: none, as for the last value of lookup.
  std::vector<std::int64_t> ones;
  /// The right answers: (count, queries, answers). -1 where nothing is asked.
  std::vector<std::int64_t> labels;
  /// How many positions are asked: L is the mean over so many. In a part of a batch, those of the whole batch.
  Index asked = 0;

  Index queries() const { return length - past; }
  /// The right answers of a query; labels_at(...)[0] is -1 where nothing is asked.
  const std::int64_t* labels_at(Index sequence, Index query) const {
    return labels.data() + (sequence * queries() + query) * answers;
  }
  bool asks(Index sequence, Index query) const { return *labels_at(sequence, query) >= 0; }
  /// A range of them. L stays the mean over all, so that the losses of all parts add up to it.
  Sequences part(Index first, Index size) const;

  friend bool operator==(const Sequences&, const Sequences&) = default;
};

/// The sequences with these symbols, (count, length), and what the task asks about them, from position `past` on. Not
/// for lookup.
Sequences asked_about(TaskName task, Index count, Index length, Index past, std::vector<std::int64_t> symbols);
/// The sequences of lookup. Position i < length - 1 holds the key keys[., i] and the value values[., i]; the last one
/// holds the key of position asked[.], and is asked for its value. `keys` is (count, length - 1), with no key twice in
/// a sequence, and so is `values`; `asked` is (count,).
Sequences lookups(Index symbols, Index count, Index length, Index past, const std::vector<std::int64_t>& keys,
                  const std::vector<std::int64_t>& values, const std::vector<std::int64_t>& asked);

/// The sequences of induction: (count, length - r) different symbols, of which r = repeated_length(length) come once
/// more at the end, from place `from[.]` on. The positions of these are asked which symbol followed the first time.
Sequences repeats(Index count, Index length, Index past, const std::vector<std::int64_t>& symbols,
                  const std::vector<std::int64_t>& from);

/// The sequences of text: every position is asked for the symbol after it. A part of a text that is too short is filled
/// up with symbol 0, about which nothing is asked; what is too long is cut.
Sequences continued(Index length, Index past, const std::vector<std::vector<std::int64_t>>& parts);
/// A line as such a part: between two line breaks, the first of which stands for its beginning.
std::vector<std::int64_t> framed(std::span<const std::int64_t> line);
/// The sequences of TaskSettings::shown. Throws std::logic_error for a character that the text doesn't have.
Sequences shown_texts(const TaskSettings& task, Index length, Index past);

}  // namespace headlight
