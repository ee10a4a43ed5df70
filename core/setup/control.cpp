#include "core/setup/control.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "core/model/setup.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

/// The number that a text begins with.
template <class Number>
Number number_at_start(const std::string& text, Number otherwise) {
  read_number(text.data(), text.data() + text.size(), otherwise);
  return otherwise;
}

std::string stepped_seed(const std::string& text, int steps) {
  const std::int64_t seed = std::max<std::int64_t>(number_at_start<std::int64_t>(text, 0), 0);
  const std::int64_t most = std::max(seed, largest_numpy_seed);
  return std::to_string(steps > most - seed ? most : std::max<std::int64_t>(seed + steps, 0));
}

std::string multiplied(const Control& control, const std::string& text, int steps, double by) {
  return fmt::format("{:.6g}", number_at_start(text, control.number) * std::pow(by, steps));
}

}  // namespace

bool Range::has(double number) const {
  return std::isfinite(number) && (low_is_in ? number >= low : number > low) &&
         (high_is_in ? number <= high : number < high);
}

int Travel::decimals() const {
  int count = 0;
  for (double rest = step; count < 6 && std::abs(rest - std::round(rest)) > 1e-9; rest *= 10) ++count;
  return count;
}

double Travel::rounded(double number) const {
  const double unit = std::pow(10.0, decimals());
  return std::round(number * unit) / unit;
}

std::vector<std::string_view> names_of(std::span<const Word> words) {
  std::vector<std::string_view> names;
  for (const Word& word : words) names.push_back(word.name);
  return names;
}

std::string words_of(const Range& range, bool whole) {
  const bool has_low = std::isfinite(range.low);
  const bool has_high = std::isfinite(range.high);
  // Only JSON and TOML can hold a number that is not finite, and only where nothing else bounds it.
  const std::string kind = whole ? "a whole number" : has_low && has_high ? "a number" : "a finite number";
  if (has_low && has_high && range.low_is_in)
    return fmt::format("{} from {} {}{}", kind, range.low, range.high_is_in ? "to " : "up to, but not, ", range.high);
  std::string words = kind;
  if (has_low) words += fmt::format(" {} {}", range.low_is_in ? "of at least" : "above", range.low);
  if (has_high)
    words += fmt::format("{} {} {}", has_low ? " and" : "", range.high_is_in ? "at most" : "below", range.high);
  return words;
}

std::string words_of(double number, const std::optional<Travel>& travel, std::string_view unit) {
  if (unit == "%") return fmt::format("{:.3g} %", 100 * number);
  const std::string after = unit.empty() ? std::string() : fmt::format(" {}", unit);
  if (!travel || !travel->suits_slider()) return fmt::format("{}{}", number, after);
  const bool is_ordinary = std::abs(number) >= 0.1 && std::abs(number) < 100;
  return (is_ordinary ? fmt::format("{:.{}f}", number, travel->decimals()) : fmt::format("{:.3g}", number)) + after;
}

std::string another_seed(std::string_view seed) {
  constexpr unsigned seeds = 10'000;
  std::random_device device;
  const std::string rolled = std::to_string(device() % seeds);
  return rolled == seed ? stepped_seed(rolled, 1) : rolled;
}

std::string stepped(const Control& control, const std::string& text, int steps) {
  const Spacing spacing = control.travel ? control.travel->spacing : Spacing::even;
  if (spacing == Spacing::unordered) return stepped_seed(text, steps);
  if (spacing == Spacing::doubling) return multiplied(control, text, steps, 2);
  if (spacing == Spacing::tenfold) return multiplied(control, text, steps, 10);
  if (control.kind == ControlKind::whole)
    return std::to_string(number_at_start(text, static_cast<Index>(control.number)) + steps);
  const double step = control.travel ? control.travel->step : 0.01;
  return fmt::format("{:.6g}", (std::round(number_at_start(text, control.number) / step) + steps) * step);
}

}  // namespace headlight
