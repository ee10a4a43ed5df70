#include "app/session/state/draft.hpp"

#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "core/model/problem.hpp"
#include "core/setup/checks.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

/// The symbols of a text; none where it has an unknown character.
std::vector<std::int64_t> spelled_in(std::string_view text, const Setup& setup) {
  TaskText::Spelled spelled = setup.task.corpus().spelled(text);
  return spelled.unknown ? std::vector<std::int64_t>() : std::move(spelled.symbols);
}

std::string characters_in(std::span<const std::int64_t> symbols, const Setup& setup) {
  std::string text;
  for (const std::int64_t symbol : symbols) text += setup.task.corpus().character(symbol);
  return text;
}

std::string visible(std::string_view text) { return replaced(replaced(text, "\n", "⏎"), " ", "␣"); }

}  // namespace

std::string why_silent(const Setup& setup) {
  try {
    require_writer(setup);
    return {};
  } catch (const InputError& error) {
    return error.problems().front().message();
  }
}

std::string prompt_of(const Draft& draft, const Setup& setup, Index batch) {
  if (draft.prompt) return *draft.prompt;
  const auto& shown = setup.task.shown;
  return shown.empty() ? std::string() : shown[static_cast<std::size_t>(batch) % shown.size()];
}

DraftSymbols symbols_of(const Draft& draft, const Setup& setup, Index batch) {
  DraftSymbols symbols{.read = {0}};
  const auto room = static_cast<std::size_t>(setup.token_count());
  const auto take = [&](const std::vector<std::int64_t>& more) {
    for (const std::int64_t symbol : more) {
      if (symbol == 0) symbols.ended = true;
      if (symbol == 0 || symbols.read.size() == room) return;
      symbols.read.push_back(symbol);
    }
  };
  take(spelled_in(prompt_of(draft, setup, batch), setup));
  symbols.prompt = std::ssize(symbols.read) - 1;
  symbols.ended = false;
  take(spelled_in(draft.written, setup));
  symbols.full = symbols.read.size() == room;
  return symbols;
}

std::string text_of(const DraftSymbols& symbols, const Setup& setup) {
  return characters_in(std::span(symbols.read).subspan(1), setup);
}

std::string words_between(const Draft& earlier, const Draft& later) {
  if (earlier.sampling.temperature != later.sampling.temperature)
    return fmt::format("Writing at temperature {:.3g} → {:.3g}", earlier.sampling.temperature,
                       later.sampling.temperature);
  if (earlier.sampling.top_k != later.sampling.top_k)
    return fmt::format("Likeliest symbols to choose from: {}",
                       later.sampling.top_k == 0 ? "all" : std::to_string(later.sampling.top_k));
  if (earlier.written.size() < later.written.size() && later.written.starts_with(earlier.written))
    return fmt::format("Write “{}”", visible(std::string_view(later.written).substr(earlier.written.size())));
  if (!later.written.empty() && earlier.written.starts_with(later.written))
    return fmt::format("Take “{}” back", visible(std::string_view(earlier.written).substr(later.written.size())));
  if (earlier.written != later.written) return "Begin another text";
  if (earlier.prompt != later.prompt) return "Another beginning of the text";
  return fmt::format("Seed of the die {} → {}", earlier.seed, later.seed);
}

std::string to_text(const Draft& draft) {
  const std::string given = draft.prompt ? std::to_string(character_count(*draft.prompt)) : "-";
  return fmt::format("{},{},{},{},{}{}", draft.seed, draft.sampling.top_k, draft.sampling.temperature, given,
                     draft.prompt.value_or(""), draft.written);
}

std::optional<Draft> draft_in(std::string_view text) {
  std::array<std::string_view, 4> fields;
  for (std::string_view& field : fields) {
    const auto comma = text.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    field = text.substr(0, comma);
    text.remove_prefix(comma + 1);
  }
  const auto seed = number_from<std::int64_t>(fields[0]);
  const auto top_k = number_from<Index>(fields[1]);
  const auto temperature = number_from<double>(fields[2]);
  const auto given = fields[3] == "-" ? std::optional<Index>(0) : number_from<Index>(fields[3]);
  const bool fits = seed && top_k && temperature && given && *top_k >= 0 && *given >= 0 &&
                    std::isfinite(*temperature) && *temperature >= 0;
  if (!fits) return std::nullopt;
  Draft draft{.sampling = {.temperature = *temperature, .top_k = *top_k}, .seed = *seed};
  std::string prompt;
  for (const char32_t character : characters_of(text))
    (character_count(prompt) < static_cast<std::size_t>(*given) ? prompt : draft.written) += utf8_of(character);
  if (fields[3] != "-") draft.prompt = prompt;
  return draft;
}

}  // namespace headlight
