#include "app/session/play/number.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "app/session/edits/draw_edits.hpp"
#include "app/session/edits/size_edits.hpp"
#include "app/session/edits/value_edits.hpp"
#include "core/model/cell.hpp"
#include "core/model/setup_keys.hpp"
#include "core/model/shapes.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr std::string_view seed_key = "seed";

/// A range that the kind of the number suggests better than its value does, and an edit that keeps the rest fitting.
struct Known {
  std::string_view key;
  double low;
  double high;  ///< 0: twice the value
  bool logarithmic;
  Setup (*with)(const Setup&, Index) = nullptr;
};
constexpr std::array known{Known{"attention.temperature", 0.1, 10, true},
                           Known{"attention.dropout", 0, 0.9, false},
                           Known{"sizes.batch", 1, 0, false, with_batch},
                           Known{"sizes.query_length", 1, 0, false, with_query_length},
                           Known{"sizes.key_length", 1, 0, false, with_key_length},
                           Known{"sizes.d_model", 1, 0, false, with_d_model},
                           Known{"sizes.heads", 1, 0, false, with_heads},
                           Known{"sizes.kv_heads", 1, 0, false, with_kv_heads}};

const Known* known_range(std::string_view key) {
  const auto found = std::ranges::find(known, key, &Known::key);
  return found == known.end() ? nullptr : &*found;
}

/// The number in a field, and whether it is a whole one; nothing where the field holds something else.
struct Held {
  double value;
  bool whole;
};
std::optional<Held> held_by(const KeyValue& value, const Setup& setup) {
  if (const auto* whole = std::get_if<Field<Index>>(&value)) return Held{static_cast<double>(whole->in(setup)), true};
  if (const auto* size = std::get_if<OptionalField>(&value))
    return Held{static_cast<double>(size->meaning(setup)), true};
  if (const auto* real = std::get_if<Field<double>>(&value)) return Held{real->in(setup), false};
  if (std::holds_alternative<Field<Scale>>(value))
    return Held{setup.score_factor() * setup.attention.temperature, false};
  return std::nullopt;
}

void put(const KeyValue& value, Setup& setup, double number) {
  if (const auto* whole = std::get_if<Field<Index>>(&value)) whole->of(setup) = static_cast<Index>(std::lround(number));
  if (const auto* size = std::get_if<OptionalField>(&value))
    size->field.of(setup) = static_cast<Index>(std::lround(number));
  if (const auto* real = std::get_if<Field<double>>(&value)) real->of(setup) = number;
  if (const auto* scale = std::get_if<Field<Scale>>(&value)) scale->of(setup) = number;
}

PlayNumber in_range(PlayNumber number) {
  const double twice = std::max(2 * std::abs(number.value), number.whole ? 8.0 : 1.0);
  if (const Known* range = known_range(number.key)) {
    number.low = range->low;
    number.high = range->high > 0 ? range->high : twice;
    number.logarithmic = range->logarithmic;
  } else {
    number.low = number.whole ? 0 : -twice;
    number.high = twice;
  }
  number.low = std::min(number.low, number.value);
  number.high = std::max(number.high, number.value);
  return number;
}

bool names_a_cell(std::string_view key) { return key.find('[') != std::string_view::npos; }

std::optional<Cell> cell_named(const Setup& setup, std::string_view key) {
  try {
    return parse_cell(key, setup);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<PlayNumber> number_of_cell(const Trace& trace, std::string_view key) {
  const std::optional<Cell> cell = cell_named(trace.setup, key);
  if (!cell || !is_drawn(cell->tensor, trace.setup)) return std::nullopt;
  const double value = trace.value(*cell);
  const double reach = std::max(2.0, std::abs(value));
  return PlayNumber{to_string(*cell), to_string(*cell), value, value - reach, value + reach, false, false};
}

std::optional<PlayNumber> number_of_key(const Setup& setup, const SetupKey& key) {
  const std::optional<Held> held = held_by(key.value, setup);
  if (!held) return std::nullopt;
  std::string title(key.last_name());
  if (!title.starts_with("d_")) std::ranges::replace(title, '_', ' ');
  return in_range({std::string(key.name), title, held->value, 0, 1, false, held->whole});
}

/// Gives the number the range of "0.1..10"; returns whether it is one.
bool take_range(PlayNumber& number, std::string_view range) {
  const auto dots = range.find("..");
  if (dots == std::string_view::npos) return false;
  const auto low = number_from<double>(range.substr(0, dots));
  const auto high = number_from<double>(range.substr(dots + 2));
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) || *low >= *high) return false;
  if (number.logarithmic && *low <= 0) return false;
  number.low = *low;
  number.high = *high;
  return true;
}

}  // namespace

double PlayNumber::at(double share) const {
  const double exact = logarithmic ? low * std::pow(high / low, share) : low + (high - low) * share;
  if (whole) return std::round(exact);
  const double unit = std::pow(10.0, std::floor(std::log10(std::max(1e-12, logarithmic ? exact : high - low))) - 2);
  return std::clamp(std::round(exact / unit) * unit, low, high);
}

double PlayNumber::share_of(double number) const {
  if (high <= low) return 0;
  const double share = logarithmic ? std::log(number / low) / std::log(high / low) : (number - low) / (high - low);
  return std::clamp(share, 0.0, 1.0);
}

std::string PlayNumber::text(double number) const {
  return whole ? fmt::format("{:.0f}", number) : fmt::format("{:.4g}", number);
}

std::optional<PlayNumber> play_number(const Trace& trace, std::string_view key) {
  const Setup& setup = trace.setup;
  if (names_a_cell(key)) return number_of_cell(trace, key);
  if (key == seed_key) {
    const auto seed = first_seed(setup);
    if (!seed) return std::nullopt;
    constexpr double seeds = 99;
    const auto value = static_cast<double>(*seed);
    return PlayNumber{std::string(seed_key), "seed", value, 0, std::max(seeds, value), false, true};
  }
  const SetupKey* found = setup_key(key);
  return found == nullptr ? std::nullopt : number_of_key(setup, *found);
}

PlayNumber parse_play(const Trace& trace, std::string_view text) {
  const auto equal = text.find('=');
  std::string_view key = text.substr(0, equal);
  for (const SetupKey& entry : setup_keys())
    if (key == entry.short_name) key = entry.name;
  std::optional<PlayNumber> number = play_number(trace, key);
  if (number && (equal == std::string_view::npos || take_range(*number, text.substr(equal + 1)))) return *number;
  throw InputError({"--play", "", std::string(text),
                    "a number of the setup and its range, as in temperature=0.1..10, seed=0..9 or 'W_q[2,5]'"});
}

std::string to_string(const PlayNumber& number) {
  return fmt::format("{}={}..{}", number.key, number.low, number.high);
}

std::vector<PlayNumber> play_numbers(const Trace& trace) {
  std::vector<PlayNumber> numbers;
  for (const SetupKey& key : setup_keys())
    if (auto number = number_of_key(trace.setup, key)) numbers.push_back(std::move(*number));
  if (auto seed = play_number(trace, seed_key)) numbers.push_back(std::move(*seed));
  return numbers;
}

Setup with_play_number(const Setup& setup, const PlayNumber& number, double value) {
  if (names_a_cell(number.key)) {
    const std::optional<Cell> cell = cell_named(setup, number.key);
    return cell ? with_number(setup, *cell, value) : setup;
  }
  const double fitting = number.whole ? std::round(value) : value;
  if (number.key == seed_key) return with_seed(setup, static_cast<std::int64_t>(fitting));
  if (const Known* range = known_range(number.key); range != nullptr && range->with != nullptr)
    return range->with(setup, static_cast<Index>(fitting));
  Setup next = setup;
  put(setup_key(number.key)->value, next, fitting);
  return next;
}

}  // namespace headlight
