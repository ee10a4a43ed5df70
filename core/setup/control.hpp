// A value that a person can change, as plain data: what it is called, what it is and what it may become. The interface
// knows neither its owner nor its type: it draws a Control and passes a ControlInput back to the Entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/shape.hpp"

namespace headlight {

/// The numbers that are allowed; every other one is refused.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_is_in = true;
  bool high_is_in = true;

  /// Never true for a number that is not finite.
  bool has(double number) const;
  friend bool operator==(const Range&, const Range&) = default;
};
constexpr Range from_to(double low, double high) { return {.low = low, .high = high}; }
constexpr Range at_least(double low) { return {.low = low}; }
constexpr Range above(double low) { return {.low = low, .low_is_in = false}; }

/// How the values between the ends of a Travel follow each other. The first two suit a slider; numbers that double or
/// grow tenfold are stepped in a field; unordered ones (seeds) have no neighbours and suit a die.
enum class Spacing : std::uint8_t { even, logarithmic, doubling, tenfold, unordered };

/// Where a slider, a sweep or the keys ↑ ↓ take a number. A typed number may be outside, within its Range.
struct Travel {
  double low = 0;
  double high = 1;
  double step = 1;  ///< of the keys ↑ ↓ on a slider
  Spacing spacing = Spacing::even;
  double (*next)(double number, int direction) = nullptr;  ///< where + and − lead, in percent; null: it has a slider

  bool suits_slider() const { return spacing <= Spacing::logarithmic; }
  bool is_logarithmic() const { return spacing != Spacing::even && spacing != Spacing::unordered; }
  /// How many decimals a dragged number has, and shows: those of the step.
  int decimals() const;
  double rounded(double number) const;
  friend bool operator==(const Travel&, const Travel&) = default;
};

/// One of the words that a value can be.
struct Word {
  std::string_view name;       ///< in files and on the command line: "one_hot"
  std::string_view label;      ///< on the screen: "one-hot"
  std::string_view help = {};  ///< a sentence for a tooltip
};
std::vector<std::string_view> names_of(std::span<const Word> words);

enum class ControlKind : std::uint8_t {
  flag,            ///< on or off
  choice,          ///< one of some words
  whole,           ///< a whole number
  real,            ///< a number
  number_or_word,  ///< a number, or one of some words in its place; the first word is also a flag
  wholes,          ///< a list of whole numbers
  text
};

struct Control {
  std::string_view name = {};  ///< of its entry
  std::string_view label = {};
  std::string_view help = {};
  std::string_view hint = {};  ///< what a field shows in place of an empty text
  ControlKind kind = ControlKind::text;
  std::string text = {};   ///< the value in words, as people read it
  std::string exact = {};  ///< the same as a field takes it, with all digits
  bool on = false;         ///< flag; number_or_word: whether it is the first word
  double number = 0;       ///< whole, real, and the number that the word of number_or_word means
  std::size_t word = 0;    ///< choice: the chosen one, as its position among the entry's words; or one behind the last
  struct Offered {
    std::size_t word = 0;
    std::string label;
    std::string help;
  };
  std::vector<Offered> words = {};    ///< choice, number_or_word: those that can be chosen now, and the present one
  std::vector<Index> numbers = {};    ///< wholes
  std::vector<Index> only = {};       ///< whole: the only numbers that fit; empty: all of the range
  Index spaced = 1;                   ///< whole: + and − go from multiple to multiple of it
  Range range = {};                   ///< whole, real, and each of wholes
  std::optional<Travel> travel = {};  ///< whole, real
  std::optional<double> mark = {};    ///< a number to mark, such as the lecture's; not set by the entry
};

/// What a person made of a control: a flag, the position of a word among the entry's words, a number, or a text that
/// is still to be read. A text is possible for every kind.
using ControlInput = std::variant<bool, std::size_t, double, std::string>;

/// What a number may be: "a whole number from 1 to 8", "a finite number above 0".
std::string words_of(const Range& range, bool whole);
/// A number as people read it: as many decimals as its step has, or percent if that is its unit.
std::string words_of(double number, const std::optional<Travel>& travel, std::string_view unit);

/// Another seed, short enough to read out to a class.
std::string another_seed(std::string_view seed);

/// The text of a field some steps up (or down, negative), with the spacing of its travel; without a travel a step is 1,
/// or a hundredth of a number that need not be whole.
std::string stepped(const Control& control, const std::string& text, int steps);

}  // namespace headlight
