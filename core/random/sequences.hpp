// The sequences of a task, drawn by the library that the setup names.
#pragma once

#include "core/model/setup.hpp"
#include "core/random/fill.hpp"

namespace headlight {

/// Draws batches of sequences, one after the other, from a generator of its own that is seeded with task.seed. A value:
/// a copy continues independently.
///
/// All tasks but lookup and induction draw the symbols alone: `randint(0, symbols, (count, length))`. A batch of lookup
/// draws its keys, `rand(count, symbols).argsort(-1)[:, :length - 1]`, so that no key occurs twice in a sequence (in
/// float64 with every library); then the values, `randint(0, symbols, (count, length - 1))`; then the places whose keys
/// are asked about, `randint(0, length - 1, (count,))`. A batch of induction draws its first n = length - length // 3
/// symbols as lookup draws its keys, then the places from which they are repeated, `randint(0, n - length // 3,
/// (count,))`.
///
/// A batch of text draws which lines it has, `randint(0, lines, (count,))`, or, with the split "stream", where each
/// sequence begins, `randint(0, characters - length, (count,))`.
class SequenceSource {
 public:
  /// For a (valid) setup with a task.
  explicit SequenceSource(const Setup& setup);

  /// The next `count` sequences.
  Sequences next(Index count);

 private:
  std::vector<std::int64_t> integers(Index count, Index end);
  /// So many parts of the text.
  std::vector<std::vector<std::int64_t>> parts_of_text(Index count);
  /// (count, used): symbols, none twice in a row
  std::vector<std::int64_t> distinct_symbols(Index count, Index used);

  TaskSettings task_;
  Index length_;
  Index past_;
  Generator generator_;
};

/// The sequences that the setup shows: its own texts, or else the first ones of the source, which are drawn from it.
Sequences shown_sequences(const Setup& setup, SequenceSource& source);

}  // namespace headlight
