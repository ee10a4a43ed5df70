#include "core/model/task.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/text/characters.hpp"

namespace headlight {

std::string symbol_word(std::int64_t symbol) {
  return symbol < 26 ? std::string(1, static_cast<char>('a' + symbol)) : fmt::format("s{}", symbol);
}

std::string symbol_word(std::int64_t symbol, const TaskSettings& task) {
  if (!task.is_text()) return symbol_word(symbol);
  const std::string& character = task.corpus().character(symbol);
  if (character == "\n") return "⏎";
  if (character == " ") return "␣";
  return printable(character);
}

Index answers_of(TaskName task) {
  if (task == TaskName::none) return 0;
  return task == TaskName::previous_and_first ? 2 : 1;
}

Index features_of(const TaskSettings& task) {
  return task.name == TaskName::lookup ? 2 * task.symbols : task.symbol_count();
}

Index shortest_length(TaskName task) {
  if (task == TaskName::induction) return 3;
  return task == TaskName::first || task == TaskName::reverse || task == TaskName::text ? 1 : 2;
}

Sequences Sequences::part(Index first, Index size) const {
  const auto cut = [&](const std::vector<std::int64_t>& all, Index each) {
    return std::vector(all.begin() + first * each, all.begin() + (first + size) * each);
  };
  return {.count = size,
          .length = length,
          .past = past,
          .held = held,
          .answers = answers,
          .ones = cut(ones, length * held),
          .labels = cut(labels, queries() * answers),
          .asked = asked};
}

namespace {

Index count_asked(const Sequences& sequences) {
  Index asked = 0;
  for (Index item = 0; item < sequences.count; ++item)
    for (Index query = 0; query < sequences.queries(); ++query) asked += sequences.asks(item, query) ? 1 : 0;
  return asked;
}

}  // namespace

Sequences asked_about(TaskName task, Index count, Index length, Index past, std::vector<std::int64_t> symbols) {
  Sequences made{.count = count,
                 .length = length,
                 .past = past,
                 .held = 1,
                 .answers = answers_of(task),
                 .ones = {},
                 .labels = {},
                 .asked = 0};
  const auto at = [&](Index sequence, Index position) {
    return symbols[static_cast<std::size_t>(sequence * length + position)];
  };
  made.labels.reserve(static_cast<std::size_t>(count * made.queries() * made.answers));
  for (Index n = 0; n < count; ++n) {
    for (Index i = past; i < length; ++i) {
      const std::int64_t previous = i > 0 ? at(n, i - 1) : -1;
      switch (task) {
        case TaskName::previous: made.labels.push_back(previous); break;
        case TaskName::first: made.labels.push_back(at(n, 0)); break;
        case TaskName::reverse: made.labels.push_back(at(n, length - 1 - i)); break;
        case TaskName::previous_and_first:
          made.labels.push_back(previous);
          made.labels.push_back(i > 0 ? at(n, 0) : -1);
          break;
        case TaskName::lookup:
        case TaskName::induction:
        case TaskName::text:
        case TaskName::none: break;
      }
    }
  }
  made.ones = std::move(symbols);
  made.asked = count_asked(made);
  return made;
}

Sequences lookups(Index symbols, Index count, Index length, Index past, const std::vector<std::int64_t>& keys,
                  const std::vector<std::int64_t>& values, const std::vector<std::int64_t>& asked) {
  Sequences made{.count = count,
                 .length = length,
                 .past = past,
                 .held = 2,
                 .answers = 1,
                 .ones = {},
                 .labels = {},
                 .asked = count};
  made.ones.reserve(static_cast<std::size_t>(2 * count * length));
  made.labels.assign(static_cast<std::size_t>(count * made.queries()), -1);
  for (Index n = 0; n < count; ++n) {
    const auto first = static_cast<std::size_t>(n * (length - 1));
    for (std::size_t i = first; i < first + static_cast<std::size_t>(length - 1); ++i) {
      made.ones.push_back(keys[i]);
      made.ones.push_back(symbols + values[i]);
    }
    const std::size_t wanted = first + static_cast<std::size_t>(asked[static_cast<std::size_t>(n)]);
    made.ones.push_back(keys[wanted]);
    made.ones.push_back(-1);
    made.labels[static_cast<std::size_t>((n + 1) * made.queries() - 1)] = values[wanted];
  }
  return made;
}

Sequences repeats(Index count, Index length, Index past, const std::vector<std::int64_t>& symbols,
                  const std::vector<std::int64_t>& from) {
  const Index repeated = repeated_length(length), first = length - repeated;
  Sequences made{
      .count = count, .length = length, .past = past, .held = 1, .answers = 1, .ones = {}, .labels = {}, .asked = 0};
  for (Index n = 0; n < count; ++n) {
    const std::int64_t* const own = symbols.data() + n * first;
    const std::int64_t* const again = own + from[static_cast<std::size_t>(n)];
    made.ones.insert(made.ones.end(), own, own + first);
    made.ones.insert(made.ones.end(), again, again + repeated);
    for (Index i = past; i < length; ++i) made.labels.push_back(i < first ? -1 : again[i - first + 1]);
  }
  made.asked = count_asked(made);
  return made;
}

Sequences continued(Index length, Index past, const std::vector<std::vector<std::int64_t>>& parts) {
  Sequences made{.count = std::ssize(parts),
                 .length = length,
                 .past = past,
                 .held = 1,
                 .answers = 1,
                 .ones = {},
                 .labels = {},
                 .asked = 0};
  for (const std::vector<std::int64_t>& part : parts) {
    for (Index i = 0; i < length; ++i) {
      const auto at = static_cast<std::size_t>(i);
      made.ones.push_back(at < part.size() ? part[at] : 0);
      if (i >= past) made.labels.push_back(at + 1 < part.size() ? part[at + 1] : -1);
    }
  }
  made.asked = count_asked(made);
  return made;
}

std::vector<std::int64_t> framed(std::span<const std::int64_t> line) {
  std::vector<std::int64_t> framed(line.size() + 2);
  std::ranges::copy(line, framed.begin() + 1);
  return framed;
}

Sequences shown_texts(const TaskSettings& task, Index length, Index past) {
  std::vector<std::vector<std::int64_t>> parts;
  for (const std::string& shown : task.shown) {
    TaskText::Spelled spelled = task.corpus().spelled(shown);
    if (spelled.unknown) throw std::logic_error("a shown text with an unknown character");
    parts.push_back(task.split == TextSplit::lines ? framed(spelled.symbols) : std::move(spelled.symbols));
  }
  return continued(length, past, parts);
}

}  // namespace headlight
