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
// Another owner needs only a table; with groups it specialises EntryTypes. A value of a type that isn't plain is an
// `own` one, which only the files of its owner read and write.
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

// --- Access to a value -----------------------------------------------------------------------------------------------

/// A value as files, fields and buttons have it, whatever type its owner keeps. std::size_t: one of the entry's words,
/// by its position. Nothing: there is no value, or it is left out.
using PlainValue = std::variant<std::monostate, bool, Index, double, std::size_t, std::string, std::vector<Index>,
                                std::vector<std::string>>;

/// The first ones as in ControlKind. `texts`: a list. `own`: a value that only its owner can read and write.
enum class ValueKind : std::uint8_t { flag, choice, whole, real, number_or_word, wholes, text, texts, own };

/// A value in words, with an explanation.
struct Described {
  std::string label;
  std::string help;
};

/// How an entry gets and sets its value.
template <class O>
struct Access {
  ValueKind kind;
  PlainValue (*get)(const O&);  ///< of a choice that is none of the words their number; of `own` its words
  void (*set)(O&, const PlainValue&);
  bool (*same)(const O&, const O&) = nullptr;           ///< null: whether get() gives the same
  void (*copy)(const O& from, O& to) = nullptr;         ///< null: set() takes what get() gives
  bool (*left_out)(const O&) = nullptr;                 ///< whether get() gives what follows; null: never
  std::string_view follows = {};                        ///< the entry whose value is used then: "sizes.heads"
  double (*number)(const O&) = nullptr;                 ///< number_or_word: also the number that a word means
  bool (*offered)(const O&, std::size_t) = nullptr;     ///< whether a word can be chosen now; null: always
  Described (*otherwise)(const O&) = nullptr;           ///< a choice that is none of the words; null: there is none
  std::string (*type)(O&, std::string_view) = nullptr;  ///< `own`: takes what is typed, or says what is wrong
};

/// "found x; allowed: a number"
std::string refusal_of(std::string_view found, std::string_view allowed);
std::vector<std::string> words_of_list(std::string_view text);
/// A list whose entries are typed one by one: read_entry() reads one. Says what is wrong.
template <class T>
std::string read_entries(std::string_view text, std::vector<T>& list) {
  list.clear();
  for (const std::string& word : words_of_list(text))
    if (!read_entry(word, list.emplace_back())) return refusal_of(value_text(word), words_for(list.back()));
  return {};
}

/// What makes a plain value of a member, and back.
template <class T>
struct Plain {
  static constexpr ValueKind kind = ValueKind::own;
  static PlainValue of(const T& value) { return value_text(value); }
  static void put(T&, const PlainValue&) {}
};
template <class T>
  requires std::is_enum_v<T>
struct Plain<T> {
  static constexpr ValueKind kind = ValueKind::choice;
  static PlainValue of(T value) { return static_cast<std::size_t>(value); }
  static void put(T& value, const PlainValue& plain) { value = static_cast<T>(std::get<std::size_t>(plain)); }
};
template <class T, ValueKind its_kind>
struct PlainAsItIs {
  static constexpr ValueKind kind = its_kind;
  static PlainValue of(const T& value) { return value; }
  static void put(T& value, const PlainValue& plain) { value = std::get<T>(plain); }
};
template <>
struct Plain<bool> : PlainAsItIs<bool, ValueKind::flag> {};
template <>
struct Plain<Index> : PlainAsItIs<Index, ValueKind::whole> {};
template <>
struct Plain<double> : PlainAsItIs<double, ValueKind::real> {};
template <>
struct Plain<std::string> : PlainAsItIs<std::string, ValueKind::text> {};
template <>
struct Plain<std::vector<Index>> : PlainAsItIs<std::vector<Index>, ValueKind::wholes> {};
template <>
struct Plain<std::vector<std::string>> : PlainAsItIs<std::vector<std::string>, ValueKind::texts> {};

/// The members that lead to a value: at<&Setup::sizes, &Sizes::heads>. An enum is a choice, in the order of its values.
template <class O, auto... path>
struct MemberAt {
  using T = std::remove_cvref_t<decltype((std::declval<O&>().*....*path))>;
  static constexpr Access<O> value() {
    Access<O> access{.kind = Plain<T>::kind,
                     .get = [](const O& owner) { return Plain<T>::of((owner.*....*path)); },
                     .set = [](O& owner, const PlainValue& plain) { Plain<T>::put((owner.*....*path), plain); },
                     .same = [](const O& a, const O& b) { return (a.*....*path) == (b.*....*path); },
                     .copy = [](const O& from, O& to) { (to.*....*path) = (from.*....*path); }};
    if constexpr (requires(std::string_view text, T& list) { read_entry(text, list.emplace_back()); })
      access.type = [](O& owner, std::string_view text) { return read_entries(text, (owner.*....*path)); };
    return access;
  }
};
template <class O, class T>
O owner_of(T O::*);
template <auto first, auto... rest>
inline constexpr auto at = MemberAt<decltype(owner_of(first)), first, rest...>::value();

/// A whole number that may be left out. `used`: the number that is used, and then follows from another entry.
template <auto used, auto first, auto... rest>
constexpr Access<decltype(owner_of(first))> optional_at(std::string_view follows) {
  using O = decltype(owner_of(first));
  return {.kind = ValueKind::whole,
          .get = [](const O& owner) -> PlainValue {
            // Only where it is left out: in a setup that isn't checked yet, what it follows from may be no size at all.
            const auto& given = ((owner.*first).*....*rest);
            return given ? *given : (owner.*used)();
          },
          .set =
              [](O& owner, const PlainValue& plain) {
                auto& number = ((owner.*first).*....*rest);
                if (const auto* given = std::get_if<Index>(&plain)) number = *given;
                else number.reset();
              },
          .same =
              [](const O& a, const O& b) {
                return ((a.*first).*....*rest) == ((b.*first).*....*rest) || (a.*used)() == (b.*used)();
              },
          .copy = [](const O& from, O& to) { ((to.*first).*....*rest) = ((from.*first).*....*rest); },
          .left_out = [](const O& owner) { return !((owner.*first).*....*rest); },
          .follows = follows};
}

/// A value that several others make up, such as the first seed of a list of draws. nullopt where there is none.
template <class O, class T, auto in, auto with>
constexpr Access<O> computed{.kind = Plain<T>::kind,
                             .get = [](const O& owner) -> PlainValue {
                               const std::optional<T> found = in(owner);
                               return found ? PlainValue(*found) : PlainValue();
                             },
                             .set =
                                 [](O& owner, const PlainValue& plain) {
                                   if (const auto* value = std::get_if<T>(&plain)) owner = with(owner, *value);
                                 }};

/// Whether an entry is written to a file. `where_it_applies`: and also where it is not the default.
enum class Saved : std::uint8_t { always, where_it_applies, where_set, never };

template <class O>
struct UsualEntryTypes {
  using Group = std::uint8_t;
  using Kept = Saved;
};
template <class O>
struct EntryTypes : UsualEntryTypes<O> {};

// --- An entry --------------------------------------------------------------------------------------------------------

/// The changed owner, or why the input was refused: "found \"x\"; allowed: a number".
template <class O>
struct Result {
  std::optional<O> owner = {};
  std::string why = {};
};

template <class O>
struct Entry {
  std::string_view name;                     ///< in files and on the command line: "sizes.heads"
  std::string_view label = {};               ///< on the screen: "Heads"
  std::string_view help = {};                ///< what it does, in one sentence
  std::string_view unit = {};                ///< "%" shows a share in percent
  std::string_view hint = {};                ///< what a field shows in place of an empty text
  std::string_view comment = {};             ///< written after the value in a file; choices list their words instead
  typename EntryTypes<O>::Group group = {};  ///< what the owner sorts entries by: a topic, where it shows, an option
  std::uint8_t decided = 0;  ///< flags of the owner's table: what may decide the value in place of a person
  std::span<const Word> words = {};
  Access<O> value;
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

// --- Reading ------

namespace entry_detail {

template <class T>
struct Read {
  std::optional<T> value = {};
  std::string why = {};
};

/// What a value of this kind must be.
struct Wanted {
  ValueKind kind;
  std::span<const Word> words;
  std::optional<Range> range;  ///< of each number of a list
  Range now;                   ///< of a number, beside the other entries
  std::string allowed;         ///< the same in words
};
Read<PlainValue> value_in(const ControlInput& input, const Wanted& wanted);

/// The value in the words of a file: "2", "causal, window", "none".
std::string text_of(const PlainValue& value, std::span<const Word> words);
/// The value as a number; nullopt if it has none.
std::optional<double> number_in(const PlainValue& value);
/// Puts the value into a control, whose other facts are there.
void put_into(Control& control, const PlainValue& value, ValueKind kind, std::string_view unit);

/// "light, dark or by_hand"
std::string listed(std::span<const Word> words);
/// ""none" or a finite number"
std::string words_or(std::span<const Word> words, std::string_view numbers);

}  // namespace entry_detail

template <class O>
bool Entry<O>::is_whole() const {
  return value.kind == ValueKind::whole || value.kind == ValueKind::wholes;
}

template <class O>
bool Entry<O>::is_flag() const {
  return value.kind == ValueKind::flag;
}

template <class O>
std::string Entry<O>::text(const O& owner) const {
  return entry_detail::text_of(value.get(owner), words);
}

template <class O>
std::string Entry<O>::shown(const O& owner) const {
  const std::string words_on_screen = control(owner).text;
  return words_on_screen.empty() ? "none" : words_on_screen;
}

template <class O>
bool Entry<O>::same(const O& a, const O& b) const {
  return value.same != nullptr ? value.same(a, b) : value.get(a) == value.get(b);
}

template <class O>
bool Entry<O>::is_default(const O& owner) const {
  static const O defaults{};
  return value.left_out != nullptr ? value.left_out(owner) : same(owner, defaults);
}

template <class O>
std::optional<double> Entry<O>::number(const O& owner) const {
  if (value.number != nullptr) return value.number(owner);
  const bool has_one = value.kind == ValueKind::whole || value.kind == ValueKind::real;
  return has_one ? entry_detail::number_in(value.get(owner)) : std::nullopt;
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
  if (value.kind == ValueKind::choice) return entry_detail::listed(words);
  if (!range) return {};
  const std::string numbers = words_of(*range, is_whole());
  return value.kind == ValueKind::number_or_word ? entry_detail::words_or(words, numbers) : numbers;
}

template <class O>
void Entry<O>::check(Findings& findings, const O& owner) const {
  bool is_good = holds == nullptr || holds(owner);
  if (range && (value.left_out == nullptr || !value.left_out(owner))) {
    const auto now = entry_detail::number_in(value.get(owner));
    if (now && !range->has(*now)) is_good = false;
  }
  findings.require(is_good, name, [&] { return text(owner); }, [&] { return allowed_words(); });
  if (fits != nullptr) fits(findings, owner);
}

template <class O>
Control Entry<O>::control(const O& owner) const {
  Control made{.name = name, .label = label, .help = help, .hint = hint, .range = range_for(owner), .travel = travel};
  const PlainValue now = value.get(owner);
  const auto* const chosen = std::get_if<std::size_t>(&now);
  const bool has_words = value.kind == ValueKind::choice || value.kind == ValueKind::number_or_word;
  for (std::size_t word = 0; has_words && word < words.size(); ++word)
    if ((chosen != nullptr && word == *chosen) || value.offered == nullptr || value.offered(owner, word))
      made.words.push_back({word, std::string(words[word].label), std::string(words[word].help)});
  if (chosen != nullptr && *chosen >= words.size()) {
    Described other = value.otherwise(owner);
    made.words.push_back({words.size(), std::move(other.label), std::move(other.help)});
  }
  entry_detail::put_into(made, now, value.kind, unit);
  if (value.type != nullptr && made.text == "none") made.exact = made.text = {};  // an empty list, in its field
  if (value.number != nullptr) made.number = value.number(owner);
  if (value.kind == ValueKind::whole && only != nullptr) made.only = only(owner);
  if (value.kind == ValueKind::whole && spaced != nullptr) made.spaced = spaced(owner);
  return made;
}

// --- Changing --------------------------------------------------------------------------------------------------------

template <class O>
void Entry<O>::copy(const O& from, O& to) const {
  if (copied != nullptr) to = copied(from, to);
  else if (value.copy != nullptr) value.copy(from, to);
  else if (const PlainValue now = value.get(from); now != PlainValue(words.size())) value.set(to, now);
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
  if (value.kind == ValueKind::own && value.type == nullptr)
    return {.why = fmt::format("{} has a control of its own", name)};
  auto read = entry_detail::value_in(input, {value.kind, words, range, range_for(owner), allowed_for(owner)});
  if (!read.value) return {.why = std::move(read.why)};
  if (value.type == nullptr) value.set(after, *read.value);
  else if (std::string why = value.type(after, std::get<std::string>(*read.value)); !why.empty()) return {.why = why};
  if (adapted != nullptr) after = adapted(owner, std::move(after));
  return {.owner = std::move(after)};
}

}  // namespace headlight
