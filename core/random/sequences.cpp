#include "core/random/sequences.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace headlight {

SequenceSource::SequenceSource(const Setup& setup)
    : task_(setup.task),
      length_(setup.token_count()),
      past_(setup.past()),
      generator_(seeded(setup.random.generator, setup.task.seed)) {}

Sequences SequenceSource::next(Index count) {
  if (task_.name == TaskName::induction) {
    const Index repeated = repeated_length(length_), first = length_ - repeated;
    const std::vector<std::int64_t> symbols = distinct_symbols(count, first);
    return repeats(count, length_, past_, symbols, integers(count, first - repeated));
  }
  if (task_.is_text()) return continued(length_, past_, parts_of_text(count));
  if (task_.name != TaskName::lookup)
    return asked_about(task_.name, count, length_, past_, integers(count * length_, task_.symbols));
  const std::vector<std::int64_t> keys = distinct_symbols(count, length_ - 1);
  const std::vector<std::int64_t> values = integers(count * (length_ - 1), task_.symbols);
  return lookups(task_.symbols, count, length_, past_, keys, values, integers(count, length_ - 1));
}

std::vector<std::int64_t> SequenceSource::integers(Index count, Index end) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::visit([&](auto& kind) { kind.integers(values, static_cast<std::uint32_t>(end)); }, generator_);
  return values;
}

std::vector<std::vector<std::int64_t>> SequenceSource::parts_of_text(Index count) {
  const TaskText& text = task_.corpus();
  const bool by_lines = task_.split == TextSplit::lines;
  std::vector<std::vector<std::int64_t>> parts;
  for (const std::int64_t at : integers(count, by_lines ? text.lines() : std::ssize(text.all()) - length_)) {
    if (by_lines) {
      parts.push_back(framed(text.line(at)));
      continue;
    }
    const auto part = text.all().subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(length_) + 1);
    parts.emplace_back(part.begin(), part.end());
  }
  return parts;
}

std::vector<std::int64_t> SequenceSource::distinct_symbols(Index count, Index used) {
  const auto symbols = static_cast<std::size_t>(task_.symbols);
  std::vector<double> numbers(symbols * static_cast<std::size_t>(count));
  std::visit([&](auto& kind) { kind.uniform(std::span<double>(numbers)); }, generator_);
  std::vector<std::int64_t> order(symbols), keys;
  keys.reserve(static_cast<std::size_t>(used * count));
  for (const double* row = numbers.data(); row != numbers.data() + numbers.size(); row += symbols) {
    std::iota(order.begin(), order.end(), 0);
    // Equal numbers stay in their order, as in a stable sort, which would take memory for each of these few symbols.
    std::ranges::sort(order, {}, [&](std::int64_t symbol) { return std::pair(row[symbol], symbol); });
    keys.insert(keys.end(), order.begin(), order.begin() + used);
  }
  return keys;
}

Sequences shown_sequences(const Setup& setup, SequenceSource& source) {
  return setup.task.is_text() && !setup.task.shown.empty() ? shown_texts(setup.task, setup.token_count(), setup.past())
                                                           : source.next(setup.sizes.batch);
}

}  // namespace headlight
