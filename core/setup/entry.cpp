#include "core/setup/entry.hpp"

#include <cmath>

#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"
#include "core/text/wording.hpp"

namespace headlight {

std::string refusal_of(std::string_view found, std::string_view allowed) {
  return fmt::format("found {}; allowed: {}", found, allowed);
}

namespace entry_detail {
namespace {

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }

std::string words_of(const ControlInput& input) {
  if (const auto* text = std::get_if<std::string>(&input)) return in_quotes(*text);
  if (const auto* flag = std::get_if<bool>(&input)) return value_text(*flag);
  if (const auto* number = std::get_if<double>(&input)) return value_text(*number);
  return fmt::format("word {}", std::get<std::size_t>(input));
}

/// The word with this name or label.
std::optional<std::size_t> word_named(std::string_view text, std::span<const Word> words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].name == text || words[i].label == text) return i;
  return std::nullopt;
}

}  // namespace

Read<bool> flag_in(const ControlInput& input) {
  if (const auto* flag = std::get_if<bool>(&input)) return {*flag, {}};
  if (const auto* text = std::get_if<std::string>(&input); text != nullptr && (*text == "true" || *text == "false"))
    return {*text == "true", {}};
  return {{}, refusal_of(words_of(input), "true or false")};
}

Read<std::size_t> word_in(const ControlInput& input, std::span<const Word> words) {
  if (const auto* word = std::get_if<std::size_t>(&input); word != nullptr && *word < words.size()) return {*word, {}};
  if (const auto* text = std::get_if<std::string>(&input))
    if (const auto word = word_named(*text, words)) return {word, {}};
  std::string all;
  for (const Word& word : words) all += (all.empty() ? "" : ", ") + std::string(word.name);
  return {{}, refusal_of(words_of(input), "one of " + all)};
}

Read<Index> whole_in(const ControlInput& input, std::string_view allowed) {
  constexpr double most = 9e18;
  if (const auto* number = std::get_if<double>(&input); number != nullptr && std::abs(*number) < most)
    return {std::llround(*number), {}};
  const auto* const text = std::get_if<std::string>(&input);
  if (text == nullptr) return {{}, refusal_of(words_of(input), allowed)};
  if (const auto number = number_from<Index>(trimmed(*text, " "))) return {number, {}};
  return {{}, refusal_of(words_of(input), std::string(allowed) + number_meant_by(*text))};
}

Read<double> number_in(const ControlInput& input, std::string_view allowed) {
  if (const auto* number = std::get_if<double>(&input)) return {*number, {}};
  const auto* const text = std::get_if<std::string>(&input);
  if (text == nullptr) return {{}, refusal_of(words_of(input), allowed)};
  if (const auto number = typed_number(*text)) return {number, {}};
  return {{}, refusal_of(words_of(input), std::string(allowed) + number_meant_by(*text))};
}

Read<std::string> text_in(const ControlInput& input) {
  if (const auto* text = std::get_if<std::string>(&input)) return {*text, {}};
  return {{}, refusal_of(words_of(input), "text")};
}

Read<std::vector<Index>> wholes_in(const ControlInput& input) {
  const auto* text = std::get_if<std::string>(&input);
  if (text == nullptr) return {{}, refusal_of(words_of(input), "whole numbers")};
  std::vector<Index> numbers;
  std::string_view rest = *text;
  while (true) {
    const auto first = rest.find_first_not_of(" ,");
    if (first == std::string_view::npos) return {std::move(numbers), {}};
    rest.remove_prefix(first);
    const std::string_view word = rest.substr(0, rest.find_first_of(" ,"));
    const auto number = number_from<Index>(word);
    if (!number) return {{}, refusal_of(in_quotes(word), "whole numbers, as in 0, 2")};
    numbers.push_back(*number);
    rest.remove_prefix(word.size());
  }
}

std::string list_text(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::string listed(std::span<const Word> words) {
  std::vector<std::string_view> names;
  for (const Word& word : words) names.push_back(word.name);
  return headlight::listed(names);
}

std::vector<std::string> words_of_list(std::string_view text) {
  std::vector<std::string> words;
  if (trimmed(text, " ").empty()) return words;
  for (const std::string_view word : split_at(text, ',')) words.emplace_back(trimmed(word, " "));
  return words;
}

std::string words_or(std::span<const Word> words, std::string_view numbers) {
  std::vector<std::string> all;
  for (const Word& word : words) all.push_back(in_quotes(word.name));
  all.emplace_back(numbers);
  return headlight::listed(all);
}

std::optional<std::size_t> word_instead_of_number(const ControlInput& input, std::span<const Word> words) {
  if (const auto* chosen = std::get_if<std::size_t>(&input)) return *chosen;
  if (const auto* flag = std::get_if<bool>(&input)) return *flag ? 0 : words.size() - 1;
  if (const auto* typed = std::get_if<std::string>(&input)) return word_named(*typed, words);
  return std::nullopt;
}

}  // namespace entry_detail
}  // namespace headlight
