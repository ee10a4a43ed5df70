#include "core/setup/entry.hpp"

#include <cmath>

#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"
#include "core/text/wording.hpp"

namespace headlight {

std::string refusal_of(std::string_view found, std::string_view allowed) {
  return fmt::format("found {}; allowed: {}", found, allowed);
}

std::vector<std::string> words_of_list(std::string_view text) {
  std::vector<std::string> words;
  if (trimmed(text, " ").empty()) return words;
  for (const std::string_view word : split_at(text, ',')) words.emplace_back(trimmed(word, " "));
  return words;
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

Read<double> real_in(const ControlInput& input, std::string_view allowed) {
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

std::optional<std::size_t> word_instead_of_number(const ControlInput& input, std::span<const Word> words) {
  if (const auto* chosen = std::get_if<std::size_t>(&input)) return *chosen;
  if (const auto* flag = std::get_if<bool>(&input)) return *flag ? 0 : words.size() - 1;
  if (const auto* typed = std::get_if<std::string>(&input)) return word_named(*typed, words);
  return std::nullopt;
}

/// The value, if it was read and is in the range.
template <class T>
Read<PlainValue> within(Read<T> read, const Range& range, const std::string& allowed) {
  if (!read.value) return {{}, std::move(read.why)};
  if (!range.has(static_cast<double>(*read.value))) return {{}, refusal_of(fmt::format("{}", *read.value), allowed)};
  return {*read.value, {}};
}
template <class T>
Read<PlainValue> any(Read<T> read) {
  if (!read.value) return {{}, std::move(read.why)};
  return {*std::move(read.value), {}};
}

Read<PlainValue> wholes_within(Read<std::vector<Index>> read, const Wanted& wanted) {
  if (read.value && wanted.range)
    for (const Index number : *read.value)
      if (!wanted.range->has(static_cast<double>(number))) return {{}, refusal_of(value_text(number), wanted.allowed)};
  return any(std::move(read));
}

}  // namespace

Read<PlainValue> value_in(const ControlInput& input, const Wanted& wanted) {
  switch (wanted.kind) {
    case ValueKind::flag: return any(flag_in(input));
    case ValueKind::choice: return any(word_in(input, wanted.words));
    case ValueKind::whole: return within(whole_in(input, wanted.allowed), wanted.now, wanted.allowed);
    case ValueKind::number_or_word:
      if (const auto word = word_instead_of_number(input, wanted.words)) return {*word, {}};
      [[fallthrough]];
    case ValueKind::real: return within(real_in(input, wanted.allowed), wanted.now, wanted.allowed);
    case ValueKind::wholes: return wholes_within(wholes_in(input), wanted);
    case ValueKind::texts: {
      const Read<std::string> read = text_in(input);
      return read.value ? Read<PlainValue>{words_of_list(*read.value), {}} : Read<PlainValue>{{}, read.why};
    }
    case ValueKind::text:
    case ValueKind::own: break;
  }
  return any(text_in(input));
}

std::string text_of(const PlainValue& value, std::span<const Word> words) {
  return std::visit(
      [&]<class T>(const T& plain) -> std::string {
        if constexpr (std::is_same_v<T, std::monostate>) return "none";
        else if constexpr (std::is_same_v<T, std::size_t>)
          return std::string(plain < words.size() ? words[plain].name : "mixed");
        else return value_text(plain);
      },
      value);
}

std::optional<double> number_in(const PlainValue& value) {
  if (const auto* const real = std::get_if<double>(&value)) return *real;
  if (const auto* const whole = std::get_if<Index>(&value)) return static_cast<double>(*whole);
  return std::nullopt;
}

void put_into(Control& control, const PlainValue& value, ValueKind kind, std::string_view unit) {
  control.kind = kind >= ValueKind::text ? ControlKind::text : static_cast<ControlKind>(kind);
  control.number = number_in(value).value_or(0);
  if (const auto* const flag = std::get_if<bool>(&value)) control.on = *flag;
  if (kind == ValueKind::flag) {
    control.text = control.on ? "on" : "off";
  } else if (const auto* const word = std::get_if<std::size_t>(&value)) {
    control.word = *word;
    control.on = kind == ValueKind::number_or_word && *word == 0;
    control.text = std::ranges::find(control.words, *word, &Control::Offered::word)->label;
    if (kind == ValueKind::number_or_word) control.exact = control.text;
  } else if (const auto* const wholes = std::get_if<std::vector<Index>>(&value)) {
    control.numbers = *wholes;
    if (!wholes->empty()) control.exact = control.text = value_text(*wholes);
  } else if (const auto* const texts = std::get_if<std::vector<std::string>>(&value)) {
    control.exact = control.text = fmt::format("{}", fmt::join(*texts, ", "));
  } else if (!std::holds_alternative<std::monostate>(value)) {
    control.exact = control.text = text_of(value, {});
    if (kind == ValueKind::real) control.text = words_of(control.number, control.travel, unit);
  }
}

std::string listed(std::span<const Word> words) {
  std::vector<std::string_view> names;
  for (const Word& word : words) names.push_back(word.name);
  return headlight::listed(names);
}

std::string words_or(std::span<const Word> words, std::string_view numbers) {
  std::vector<std::string> all;
  for (const Word& word : words) all.push_back(in_quotes(word.name));
  all.emplace_back(numbers);
  return headlight::listed(all);
}

}  // namespace entry_detail
}  // namespace headlight
