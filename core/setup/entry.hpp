// An entry is one thing that a person can change: a key of the setup, a choice about the display or about an export. It
// has a name, words, access to its value, what the value may be, and what must follow a change. Files, the command
// line, messages, panels, the palette, sliders and sweeps are loops over a table of entries. An entry knows its owner's
// type and its own; everything that draws it or reads an input for it works on the plain Control.
//
//   constexpr Entry<Setup> temperature{.name = "attention.temperature",
//                                      .label = "Temperature",
//                                      .value = at<&Setup::attention, &Attention::temperature>,
//                                      .range = above(0),
//                                      .travel = Travel{0.1, 10, 0.05, Spacing::logarithmic}};
//
// Another owner needs only a table. If it has groups, or values of types that the variant EntryValue does not list, it
// specialises EntryTypes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/model/problem.hpp"
#include "core/setup/control.hpp"

namespace headlight {

// --- Access to a value -----------------------------------------------------------------------------------------------

/// A value that its owner stores.
template <class O, class T>
struct Field {
  T& (*of)(O&);
  const T& (*in)(const O&);
};

/// A whole number that may be left out.
template <class O>
struct Optional {
  Field<O, std::optional<Index>> field;
  Index (*meaning)(const O&);  ///< the number that is used if it is left out
  std::string_view follows;    ///< the entry whose value is used then: "sizes.heads"
};

/// A value in words, with an explanation.
struct Described {
  std::string label;
  std::string help;
};

/// One of the entry's words, by its position among them. If the value is none of them, `in` gives their number.
template <class O>
struct Choice {
  std::size_t (*in)(const O&);
  void (*put)(O&, std::size_t);
  bool (*offered)(const O&, std::size_t) = nullptr;  ///< whether a word can be chosen now; null: always
  Described (*otherwise)(const O&) = nullptr;        ///< a value that is none of the words; null: there is none
  bool (*left_out)(const O&) = nullptr;  ///< whether the owner doesn't say it, and `in` gives what follows; null: never
};

/// A number, or one of the entry's words in its place.
template <class O>
struct NumberOrWord {
  std::optional<std::size_t> (*word)(const O&);  ///< nullopt: a number
  double (*number)(const O&);                    ///< also the number that a word means
  void (*put_word)(O&, std::size_t);
  void (*put_number)(O&, double);
};

/// A value that several others make up, such as the first seed of a list of draws. nullopt where there is none.
template <class O, class T>
struct Computed {
  std::optional<T> (*in)(const O&);
  O (*with)(const O&, T);
};

/// What the value of an entry can be.
template <class O, class... More>
using EntryValue = std::variant<Field<O, bool>, Field<O, Index>, Field<O, double>, Field<O, std::string>, Choice<O>,
                                Optional<O>, NumberOrWord<O>, Computed<O, bool>, Computed<O, Index>,
                                Field<O, std::vector<Index>>, Field<O, std::vector<std::string>>, More...>;

/// Whether an entry is written to a file. `where_it_applies`: and also where it is not the default.
enum class Saved : std::uint8_t { always, where_it_applies, where_set, never };

template <class O>
struct UsualEntryTypes {
  using Value = EntryValue<O>;
  using Group = std::uint8_t;
  using Kept = Saved;
};
template <class O>
struct EntryTypes : UsualEntryTypes<O> {};

/// The members that lead to a value: at<&Setup::sizes, &Sizes::heads>. An enum becomes a Choice, in the order of its
/// values.
template <class O, auto... path>
struct MemberAt {
  using T = std::remove_cvref_t<decltype((std::declval<O&>().*....*path))>;
  static constexpr auto value() {
    if constexpr (std::is_enum_v<T>) {
      return Choice<O>{[](const O& owner) { return static_cast<std::size_t>((owner.*....*path)); },
                       [](O& owner, std::size_t word) { (owner.*....*path) = static_cast<T>(word); }};
    } else {
      return Field<O, T>{[](O& owner) -> T& { return (owner.*....*path); },
                         [](const O& owner) -> const T& { return (owner.*....*path); }};
    }
  }
};
template <class O, class T>
O owner_of(T O::*);
template <auto first, auto... rest>
inline constexpr auto at = MemberAt<decltype(owner_of(first)), first, rest...>::value();

// --- An entry --------------------------------------------------------------------------------------------------------

/// The changed owner, or why the input was refused: "found \"x\"; allowed: a number".
template <class O>
struct Result {
  std::optional<O> owner = {};
  std::string why = {};
};

template <class O>
struct Entry {
  using Value = typename EntryTypes<O>::Value;

  std::string_view name;                     ///< in files and on the command line: "sizes.heads"
  std::string_view label = {};               ///< on the screen: "Heads"
  std::string_view help = {};                ///< what it does, in one sentence
  std::string_view unit = {};                ///< "%" shows a share in percent
  std::string_view hint = {};                ///< what a field shows in place of an empty text
  std::string_view comment = {};             ///< written after the value in a file; choices list their words instead
  typename EntryTypes<O>::Group group = {};  ///< what the owner sorts entries by: a topic, where it shows, an option
  std::uint8_t decided = 0;  ///< flags of the owner's table: what may decide the value in place of a person
  std::span<const Word> words = {};
  Value value;
  std::optional<Range> range = {};                    ///< what is refused; `with` also looks at each number of a list
  std::optional<Travel> travel = {};                  ///< the range of sliders and sweeps
  double (*most)(const O&) = nullptr;                 ///< the largest number that the other entries allow
  std::vector<Index> (*only)(const O&) = nullptr;     ///< the only numbers that they allow
  Index (*spaced)(const O&) = nullptr;                ///< + and − go from multiple to multiple of it; null: of 1
  std::string_view allowed = {};                      ///< for messages, if `range` is not enough
  bool (*holds)(const O&) = nullptr;                  ///< whether the value is allowed, in the words of `allowed`
  bool (*applies)(const O&) = nullptr;                ///< whether it has an effect, and its row shows; null: always
  O (*adapted)(const O& before, O after) = nullptr;   ///< makes the rest fit a new value
  O (*copied)(const O& from, const O& to) = nullptr;  ///< for Computed: `to` with the value of `from`
  void (*fits)(Findings&, const O&) = nullptr;        ///< finds problems beside other entries, or inside the value
  std::array<std::string_view, 32> reads = {};        ///< those entries; if one cannot be read, `fits` is not called
  typename EntryTypes<O>::Kept saved = {};
  bool affects_numbers = true;

  /// The parts of the name: "sizes" and "heads". A name without a dot has no section.
  std::string_view section() const {
    return name.substr(0, name.find('.') == std::string_view::npos ? 0 : name.find('.'));
  }
  std::string_view last_name() const { return name.substr(name.find('.') + 1); }
  /// Whether `decided` has any of the flags.
  bool marked(std::uint8_t flags) const { return (decided & flags) != 0; }
  bool is_applicable(const O& owner) const { return applies == nullptr || applies(owner); }
  /// Whether it has the value of a new owner; one that may be left out is left out then.
  bool is_default(const O& owner) const;

  /// The value in the words of a file: "2", "causal, window", "none".
  std::string text(const O& owner) const;
  /// The value in the words of the screen: "30 %", "one-hot".
  std::string shown(const O& owner) const;
  /// Whether both have the same value. One that both leave out counts as the same, whatever is used instead: a
  /// difference there belongs to the entry that it follows.
  bool same(const O& a, const O& b) const;
  /// Copies the value alone. A choice that is none of its words stays as it is, unless `copied` knows better.
  void copy(const O& from, O& to) const;
  /// `to` with the value of `from`, and the rest adapted to it: resets a value.
  O taken(const O& from, const O& to) const;
  void check(Findings& findings, const O& owner) const;

  Control control(const O& owner) const;
  /// The value as a number, also of a word that means one; nullopt if it has none.
  std::optional<double> number(const O& owner) const;
  bool is_whole() const;
  bool is_flag() const;
  /// The numbers that are allowed beside the other entries, and the words for them.
  Range range_for(const O& owner) const;
  std::string allowed_for(const O& owner) const;
  /// The same, whatever the other entries are; empty where a value of the right type is always allowed.
  std::string allowed_words() const;
  /// The owner with the input as its value, and the rest adapted to it.
  Result<O> with(const O& owner, const ControlInput& input) const;
};

// --- Values in words -------------------------------------------------------------------------------------------------

inline std::string value_text(bool value) { return value ? "true" : "false"; }
inline std::string value_text(const std::string& value) { return value; }
inline std::string value_text(Index value) { return fmt::format("{}", value); }
inline std::string value_text(double value) { return fmt::format("{}", value); }
inline std::string value_text(const std::pair<Index, Index>& value) {
  return fmt::format("[{}, {}]", value.first, value.second);
}
template <class T>
std::string value_text(const std::vector<T>& values) {
  if (values.empty()) return "none";
  std::string list;
  for (const T& value : values) list += (list.empty() ? "" : ", ") + value_text(value);
  return list;
}

/// "found x; allowed: a number"
std::string refusal_of(std::string_view found, std::string_view allowed);

namespace entry_detail {

template <class T>
struct Read {
  std::optional<T> value = {};
  std::string why = {};
};

Read<bool> flag_in(const ControlInput& input);
Read<std::size_t> word_in(const ControlInput& input, std::span<const Word> words);
Read<Index> whole_in(const ControlInput& input, std::string_view allowed);
Read<double> number_in(const ControlInput& input, std::string_view allowed);
Read<std::string> text_in(const ControlInput& input);
Read<std::vector<Index>> wholes_in(const ControlInput& input);

std::string list_text(const std::vector<std::string>& words);
/// "light, dark or by_hand"
std::string listed(std::span<const Word> words);
std::vector<std::string> words_of_list(std::string_view text);
/// ""none" or a finite number"
std::string words_or(std::span<const Word> words, std::string_view numbers);
/// The word that the input gives instead of a number: chosen, named, or the first and last one for on and off.
std::optional<std::size_t> word_instead_of_number(const ControlInput& input, std::span<const Word> words);

template <class O, class V, class T>
inline constexpr bool is_field = std::is_same_v<V, Field<O, T>>;

/// Whether the field is a list whose entries are typed one by one: read_entry() reads one.
template <class V>
inline constexpr bool is_typed_list = false;
template <class O, class T>
  requires requires(std::string_view text, T& entry) { read_entry(text, entry); }
inline constexpr bool is_typed_list<Field<O, std::vector<T>>> = true;

}  // namespace entry_detail

// --- Reading ---------------------------------------------------------------------------------------------------------

template <class O>
bool Entry<O>::is_whole() const {
  return std::holds_alternative<Field<O, Index>>(value) || std::holds_alternative<Optional<O>>(value) ||
         std::holds_alternative<Computed<O, Index>>(value) ||
         std::holds_alternative<Field<O, std::vector<Index>>>(value);
}

template <class O>
bool Entry<O>::is_flag() const {
  return std::holds_alternative<Field<O, bool>>(value) || std::holds_alternative<Computed<O, bool>>(value);
}

template <class O>
std::string Entry<O>::text(const O& owner) const {
  return std::visit(
      [&]<class V>(const V& at) -> std::string {
        if constexpr (std::is_same_v<V, Choice<O>>) {
          const std::size_t word = at.in(owner);
          return std::string(word < words.size() ? words[word].name : "mixed");
        } else if constexpr (std::is_same_v<V, Optional<O>>) {
          return value_text(at.field.in(owner).value_or(at.meaning(owner)));
        } else if constexpr (std::is_same_v<V, NumberOrWord<O>>) {
          const auto word = at.word(owner);
          return word ? std::string(words[*word].name) : value_text(at.number(owner));
        } else if constexpr (std::is_same_v<V, Computed<O, bool>> || std::is_same_v<V, Computed<O, Index>>) {
          const auto found = at.in(owner);
          return found ? value_text(*found) : "none";
        } else {
          return value_text(at.in(owner));
        }
      },
      value);
}

template <class O>
std::string Entry<O>::shown(const O& owner) const {
  const std::string words_on_screen = control(owner).text;
  return words_on_screen.empty() ? "none" : words_on_screen;
}

template <class O>
bool Entry<O>::same(const O& a, const O& b) const {
  return std::visit(
      [&]<class V>(const V& at) {
        if constexpr (std::is_same_v<V, Optional<O>>)
          return at.field.in(a) == at.field.in(b) || at.meaning(a) == at.meaning(b);
        else if constexpr (std::is_same_v<V, NumberOrWord<O>>)
          return at.word(a) == at.word(b) && (at.word(a) || at.number(a) == at.number(b));
        else return at.in(a) == at.in(b);
      },
      value);
}

template <class O>
bool Entry<O>::is_default(const O& owner) const {
  static const O defaults{};
  if (const auto* at = std::get_if<Optional<O>>(&value)) return !at->field.in(owner);
  if (const auto* at = std::get_if<Choice<O>>(&value); at != nullptr && at->left_out != nullptr)
    return at->left_out(owner);
  return same(owner, defaults);
}

template <class O>
std::optional<double> Entry<O>::number(const O& owner) const {
  return std::visit(
      [&]<class V>(const V& at) -> std::optional<double> {
        if constexpr (std::is_same_v<V, Field<O, Index>>) return static_cast<double>(at.in(owner));
        else if constexpr (std::is_same_v<V, Field<O, double>>) return at.in(owner);
        else if constexpr (std::is_same_v<V, Optional<O>>)
          return static_cast<double>(at.field.in(owner).value_or(at.meaning(owner)));
        else if constexpr (std::is_same_v<V, NumberOrWord<O>>) return at.number(owner);
        else if constexpr (std::is_same_v<V, Computed<O, Index>>) {
          const auto found = at.in(owner);
          return found ? std::optional(static_cast<double>(*found)) : std::nullopt;
        } else return std::nullopt;
      },
      value);
}

template <class O>
Range Entry<O>::range_for(const O& owner) const {
  Range now = range.value_or(Range{});
  if (most != nullptr) now.high = std::min(now.high, most(owner));
  return now;
}

template <class O>
std::string Entry<O>::allowed_for(const O& owner) const {
  return most == nullptr && range ? allowed_words() : words_of(range_for(owner), is_whole());
}

template <class O>
std::string Entry<O>::allowed_words() const {
  if (!allowed.empty()) return std::string(allowed);
  if (is_flag()) return "true or false";
  if (std::holds_alternative<Choice<O>>(value)) return entry_detail::listed(words);
  if (!range) return {};
  const std::string numbers = words_of(*range, is_whole());
  return std::holds_alternative<NumberOrWord<O>>(value) ? entry_detail::words_or(words, numbers) : numbers;
}

template <class O>
void Entry<O>::check(Findings& findings, const O& owner) const {
  bool is_good = holds == nullptr || holds(owner);
  const auto* optional = std::get_if<Optional<O>>(&value);
  const bool is_left_out = optional != nullptr && !optional->field.in(owner);
  const auto* or_word = std::get_if<NumberOrWord<O>>(&value);
  const bool is_word = or_word != nullptr && or_word->word(owner);
  if (const auto now = range && !is_left_out && !is_word ? number(owner) : std::nullopt; now && !range->has(*now))
    is_good = false;
  findings.require(is_good, name, [&] { return text(owner); }, [&] { return allowed_words(); });
  if (fits != nullptr) fits(findings, owner);
}

template <class O>
Control Entry<O>::control(const O& owner) const {
  Control made{.name = name, .label = label, .help = help, .hint = hint, .range = range_for(owner), .travel = travel};
  const auto offer = [&](std::size_t word) {
    made.words.push_back({word, std::string(words[word].label), std::string(words[word].help)});
  };
  const auto whole = [&](std::optional<Index> now) {
    made.kind = ControlKind::whole;
    made.number = static_cast<double>(now.value_or(0));
    made.exact = made.text = now ? value_text(*now) : std::string();
    if (only != nullptr) made.only = only(owner);
    if (spaced != nullptr) made.spaced = spaced(owner);
  };
  std::visit(
      [&]<class V>(const V& at) {
        if constexpr (std::is_same_v<V, Field<O, bool>> || std::is_same_v<V, Computed<O, bool>>) {
          made.kind = ControlKind::flag;
          if constexpr (std::is_same_v<V, Field<O, bool>>) made.on = at.in(owner);
          else made.on = at.in(owner).value_or(false);
          made.text = made.on ? "on" : "off";
        } else if constexpr (std::is_same_v<V, Choice<O>>) {
          made.kind = ControlKind::choice;
          made.word = at.in(owner);
          for (std::size_t word = 0; word < words.size(); ++word)
            if (word == made.word || at.offered == nullptr || at.offered(owner, word)) offer(word);
          if (made.word < words.size()) {
            made.text = words[made.word].label;
          } else {
            Described other = at.otherwise(owner);
            made.word = words.size();
            made.text = other.label;
            made.words.push_back({made.word, std::move(other.label), std::move(other.help)});
          }
        } else if constexpr (std::is_same_v<V, Field<O, Index>> || std::is_same_v<V, Computed<O, Index>>) {
          whole(at.in(owner));
        } else if constexpr (std::is_same_v<V, Optional<O>>) {
          whole(at.field.in(owner).value_or(at.meaning(owner)));
        } else if constexpr (std::is_same_v<V, Field<O, double>>) {
          made.kind = ControlKind::real;
          made.number = at.in(owner);
          made.text = words_of(made.number, travel, unit);
          made.exact = value_text(made.number);
        } else if constexpr (std::is_same_v<V, NumberOrWord<O>>) {
          made.kind = ControlKind::number_or_word;
          const auto word = at.word(owner);
          made.on = word == std::size_t{0};
          made.number = at.number(owner);
          made.exact = made.text = word ? std::string(words[*word].label) : value_text(made.number);
          for (std::size_t other = 0; other < words.size(); ++other) offer(other);
        } else if constexpr (std::is_same_v<V, Field<O, std::vector<Index>>>) {
          made.kind = ControlKind::wholes;
          made.numbers = at.in(owner);
          made.exact = made.text = made.numbers.empty() ? std::string() : value_text(made.numbers);
        } else if constexpr (entry_detail::is_typed_list<V>) {
          made.exact = made.text = at.in(owner).empty() ? std::string() : value_text(at.in(owner));
        } else if constexpr (std::is_same_v<V, Field<O, std::vector<std::string>>>) {
          made.exact = made.text = entry_detail::list_text(at.in(owner));
        } else if constexpr (std::is_same_v<V, Field<O, std::string>>) {
          made.exact = made.text = at.in(owner);
        } else {
          made.exact = made.text = value_text(at.in(owner));  // drawn by hand
        }
      },
      value);
  return made;
}

// --- Changing --------------------------------------------------------------------------------------------------------

template <class O>
void Entry<O>::copy(const O& from, O& to) const {
  if (copied != nullptr) {
    to = copied(from, to);
    return;
  }
  std::visit(
      [&]<class V>(const V& at) {
        if constexpr (std::is_same_v<V, Choice<O>>) {
          if (at.in(from) < words.size()) at.put(to, at.in(from));
        } else if constexpr (std::is_same_v<V, Optional<O>>) {
          at.field.of(to) = at.field.in(from);
        } else if constexpr (std::is_same_v<V, NumberOrWord<O>>) {
          if (const auto word = at.word(from)) at.put_word(to, *word);
          else at.put_number(to, at.number(from));
        } else if constexpr (std::is_same_v<V, Computed<O, bool>> || std::is_same_v<V, Computed<O, Index>>) {
          if (const auto found = at.in(from)) to = at.with(to, *found);
        } else {
          at.of(to) = at.in(from);
        }
      },
      value);
}

template <class O>
O Entry<O>::taken(const O& from, const O& to) const {
  O after = to;
  copy(from, after);
  return adapted == nullptr ? after : adapted(to, std::move(after));
}

template <class O>
Result<O> Entry<O>::with(const O& owner, const ControlInput& input) const {
  O after = owner;
  const Range limits = range_for(owner);
  const auto refused = [](auto&& why) { return std::optional<std::string>(std::forward<decltype(why)>(why)); };
  // Reads the input, lets `put` store it, and gives the reason if it cannot be read or is out of range.
  const auto take = [&](auto&& read, auto&& put) {
    if (!read.value) return refused(std::move(read.why));
    using V = std::remove_cvref_t<decltype(*read.value)>;
    if constexpr (std::is_arithmetic_v<V>) {
      if (const auto number = static_cast<double>(*read.value); !limits.has(number))
        return refused(refusal_of(fmt::format("{}", *read.value), allowed_for(owner)));
    } else if constexpr (std::is_same_v<V, std::vector<Index>>) {
      for (const Index number : *read.value)
        if (range && !range->has(static_cast<double>(number)))
          return refused(refusal_of(value_text(number), allowed_for(owner)));
    }
    put(std::move(*read.value));
    return std::optional<std::string>();
  };
  const std::optional<std::string> why = std::visit(
      [&]<class V>(const V& at) -> std::optional<std::string> {
        using namespace entry_detail;
        if constexpr (is_field<O, V, bool> || std::is_same_v<V, Computed<O, bool>>) {
          auto read = flag_in(input);
          if (!read.value) return std::move(read.why);
          if constexpr (is_field<O, V, bool>) at.of(after) = *read.value;
          else after = at.with(owner, *read.value);
          return std::nullopt;
        } else if constexpr (std::is_same_v<V, Choice<O>>) {
          auto read = word_in(input, words);
          if (!read.value) return std::move(read.why);
          at.put(after, *read.value);
          return std::nullopt;
        } else if constexpr (is_field<O, V, Index>) {
          return take(whole_in(input, allowed_for(owner)), [&](Index number) { at.of(after) = number; });
        } else if constexpr (std::is_same_v<V, Optional<O>>) {
          return take(whole_in(input, allowed_for(owner)), [&](Index number) { at.field.of(after) = number; });
        } else if constexpr (std::is_same_v<V, Computed<O, Index>>) {
          return take(whole_in(input, allowed_for(owner)), [&](Index number) { after = at.with(owner, number); });
        } else if constexpr (is_field<O, V, double>) {
          return take(number_in(input, allowed_for(owner)), [&](double number) { at.of(after) = number; });
        } else if constexpr (std::is_same_v<V, NumberOrWord<O>>) {
          if (const auto word = word_instead_of_number(input, words)) {
            at.put_word(after, *word);
            return std::nullopt;
          }
          return take(number_in(input, allowed_for(owner)), [&](double number) { at.put_number(after, number); });
        } else if constexpr (is_field<O, V, std::vector<Index>>) {
          return take(wholes_in(input), [&](std::vector<Index> numbers) { at.of(after) = std::move(numbers); });
        } else if constexpr (is_typed_list<V>) {
          auto read = text_in(input);
          if (!read.value) return std::move(read.why);
          auto& list = at.of(after);
          list.clear();
          for (const std::string& word : words_of_list(*read.value)) {
            if (!read_entry(word, list.emplace_back())) return refusal_of(value_text(word), words_for(list.back()));
          }
          return std::nullopt;
        } else if constexpr (is_field<O, V, std::vector<std::string>>) {
          return take(text_in(input), [&](const std::string& list) { at.of(after) = words_of_list(list); });
        } else if constexpr (is_field<O, V, std::string>) {
          return take(text_in(input), [&](std::string text) { at.of(after) = std::move(text); });
        } else {
          return fmt::format("{} has a control of its own", name);
        }
      },
      value);
  if (why) return {.why = *why};
  if (adapted != nullptr) after = adapted(owner, std::move(after));
  return {.owner = std::move(after)};
}

}  // namespace headlight
