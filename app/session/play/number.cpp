#include "app/session/play/number.hpp"

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

std::optional<PlayNumber> number_of_cell(const Trace& trace, std::string_view key) {
  const std::optional<Cell> cell = cell_named(trace.setup, key);
  if (!cell || !is_drawn(cell->tensor, trace.setup)) return std::nullopt;
  const double value = trace.value(*cell);
  const double reach = std::max(2.0, std::abs(value));
  return PlayNumber{to_string(*cell), to_string(*cell), value, value - reach, value + reach, false, false};
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
                    .whole = whole};
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
  if (names_a_cell(key)) return number_of_cell(trace, key);
  const SetupKey* const entry = setup_entry(key);
  return entry == nullptr ? std::nullopt : number_of_entry(trace.setup, *entry);
}

PlayNumber parse_play(const Trace& trace, std::string_view text) {
  const auto equal = text.find('=');
  std::optional<PlayNumber> number = play_number(trace, text.substr(0, equal));
  if (number && (equal == std::string_view::npos || take_range(*number, text.substr(equal + 1)))) return *number;
  throw InputError({"--play", "", std::string(text),
                    "a number of the setup and its range, as in temperature=0.1..10, seed=0..9 or 'W_q[2,5]'"});
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
