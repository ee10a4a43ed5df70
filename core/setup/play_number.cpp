#include "core/setup/play_number.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/model/cell.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

bool names_a_cell(std::string_view key) { return key.find('[') != std::string_view::npos; }

std::optional<Cell> cell_named(const Setup& setup, std::string_view key) {
  try {
    return parse_cell(key, setup);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<PlayNumber> number_of_cell(const Setup& setup, std::string_view key, auto&& value_of) {
  const std::optional<Cell> cell = cell_named(setup, key);
  if (!cell || !is_drawn(cell->tensor, setup)) return std::nullopt;
  const double value = value_of(*cell);
  const double reach = std::max(2.0, std::abs(value));
  return PlayNumber{to_string(*cell), to_string(*cell), value, value - reach, value + reach};
}

/// Without a travel of its own a number has a range up to twice its value.
std::optional<PlayNumber> number_of_entry(const Setup& setup, const SetupKey& entry) {
  const std::optional<double> value = entry.number(setup);
  if (!value || !can_change(entry, setup)) return std::nullopt;
  const bool whole = entry.is_whole();
  const double twice = std::max(2 * std::abs(*value), whole ? 8.0 : 1.0);
  const Range range = entry.range_for(setup);
  const Travel travel = entry.travel.value_or(
      Travel{.low = std::max(range.low, whole ? 0 : -twice), .high = std::min(range.high, twice)});
  return PlayNumber{.key = std::string(entry.name),
                    .title = std::string(entry.label),
                    .value = *value,
                    .low = std::min(travel.low, *value),
                    .high = std::max(travel.high, *value),
                    .logarithmic = travel.is_logarithmic(),
                    .whole = whole,
                    .unit = entry.unit};
}

std::optional<PlayNumber> number_named(const Setup& setup, std::string_view key, auto&& value_of) {
  if (names_a_cell(key)) return number_of_cell(setup, key, value_of);
  const SetupKey* const entry = setup_entry(key);
  return entry == nullptr ? std::nullopt : number_of_entry(setup, *entry);
}

/// Sets the number's range from "0.1..10"; returns whether the text is a range.
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

/// What parse_play reads; nullopt if it can't.
std::optional<PlayNumber> read_play(const Setup& setup, std::string_view text, auto&& value_of) {
  const auto equal = text.find('=');
  std::optional<PlayNumber> number = number_named(setup, text.substr(0, equal), value_of);
  if (number && equal != std::string_view::npos && !take_range(*number, text.substr(equal + 1))) return std::nullopt;
  return number;
}

auto values_in(const Trace& trace) {
  return [&trace](const Cell& cell) { return trace.value(cell); };
}

}  // namespace

double PlayNumber::at(double share) const {
  const double exact = logarithmic ? low * std::pow(high / low, share) : low + (high - low) * share;
  if (whole) return std::round(exact);
  const double grain = std::pow(10.0, std::floor(std::log10(std::max(1e-12, logarithmic ? exact : high - low))) - 2);
  return std::clamp(std::round(exact / grain) * grain, low, high);
}

double PlayNumber::share_of(double number) const {
  if (high <= low) return 0;
  const double share = logarithmic ? std::log(number / low) / std::log(high / low) : (number - low) / (high - low);
  return std::clamp(share, 0.0, 1.0);
}

std::string PlayNumber::text(double number) const {
  if (!unit.empty()) return words_of(number, {}, unit);
  return whole ? fmt::format("{:.0f}", number) : fmt::format("{:.4g}", number);
}

std::optional<PlayNumber> play_number(const Trace& trace, std::string_view key) {
  return number_named(trace.setup, key, values_in(trace));
}

PlayNumber parse_play(const Trace& trace, std::string_view text) {
  if (const auto number = read_play(trace.setup, text, values_in(trace))) return *number;
  throw InputError({"--play", "", std::string(text),
                    "a number of the setup and its range, as in temperature=0.1..10, seed=0..9 or 'W_q[2,5]'"});
}

bool can_play(const Setup& setup, std::string_view text) {
  return read_play(setup, text, [](const Cell&) { return 0.0; }).has_value();
}

std::string to_string(const PlayNumber& number) {
  return fmt::format("{}={}..{}", number.key, number.low, number.high);
}

std::vector<PlayNumber> play_numbers(const Trace& trace) {
  std::vector<PlayNumber> numbers;
  for (const SetupKey& entry : setup_entries())
    if (auto number = number_of_entry(trace.setup, entry)) numbers.push_back(std::move(*number));
  return numbers;
}

std::optional<Setup> with_play_number(const Setup& setup, const PlayNumber& number, double value) {
  if (!names_a_cell(number.key)) return setup_entry(number.key)->with(setup, value).owner;
  const std::optional<Cell> cell = cell_named(setup, number.key);
  return cell ? std::optional(with_number(setup, *cell, value)) : std::nullopt;
}

}  // namespace headlight
