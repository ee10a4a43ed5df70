#include "app/commands/sweep.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/formats/setup/setup_overrides.hpp"
#include "core/setup/checks.hpp"
#include "core/setup/keys.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw InputError({"--frames", "", std::string(text),
                    "steps, heads, motion, motion/48 (so many frames), seed=0..9, temperature=0.5..4/8 (eight values) "
                    "or KEY=A,B,C with a key of the setup"});
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (;;) {
    const auto found = text.find(at);
    parts.emplace_back(text.substr(0, found));
    if (found == std::string_view::npos) return parts;
    text.remove_prefix(found + 1);
  }
}

/// The values of FROM..TO: whole numbers one by one, up or down. nullopt if the text is something else or has too many.
std::optional<std::vector<std::string>> counted(std::string_view from, std::string_view to) {
  const auto first = number_from<std::int64_t>(from);
  const auto last = number_from<std::int64_t>(to);
  if (!first || !last) return std::nullopt;
  const double distance = std::abs(static_cast<double>(*last) - static_cast<double>(*first));
  if (distance >= static_cast<double>(most_frames)) return std::nullopt;
  std::vector<std::string> values;
  for (std::int64_t value = *first;; value += *first < *last ? 1 : -1) {
    values.push_back(std::to_string(value));
    if (value == *last) return values;
  }
}

/// The values of FROM..TO/COUNT: COUNT numbers at equal distances, or the whole numbers next to them. A whole number is
/// written without decimals.
std::optional<std::vector<std::string>> divided(std::string_view from, std::string_view to, std::string_view count,
                                                bool whole) {
  const auto first = number_from<double>(from);
  const auto last = number_from<double>(to);
  const auto frames = number_from<std::size_t>(count);
  if (!first || !last || !frames || *frames < 2 || *frames > most_frames) return std::nullopt;
  if (!std::isfinite(*first) || !std::isfinite(*last)) return std::nullopt;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < *frames; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(*frames - 1);
    const double value = *first + (*last - *first) * share;
    values.push_back(fmt::format("{}", whole ? std::round(value) : value));
  }
  return values;
}

std::optional<std::vector<std::string>> values_of(std::string_view text, bool whole) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) return split(text, ',');
  const std::string_view from = text.substr(0, dots);
  const std::string_view rest = text.substr(dots + 2);
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return counted(from, rest);
  return divided(from, rest.substr(0, slash), rest.substr(slash + 1), whole);
}

Sweep motion_of(std::string_view text) {
  constexpr std::size_t usual_frames = 24;
  const auto slash = text.find('/');
  const auto frames =
      slash == std::string_view::npos ? std::optional(usual_frames) : number_from<std::size_t>(text.substr(slash + 1));
  if (!frames || *frames < 2 || *frames > most_frames) refuse(text);
  return {Sweep::Kind::motion, {}, {}, *frames};
}

}  // namespace

Sweep parse_sweep(std::string_view text) {
  if (text == "steps") return {Sweep::Kind::steps, {}, {}};
  if (text == "heads" || text == "head") return {Sweep::Kind::heads, {}, {}};
  if (text == "motion" || text.starts_with("motion/")) return motion_of(text);
  const auto equal = text.find('=');
  if (equal == 0 || equal == std::string_view::npos || equal + 1 == text.size()) refuse(text);
  const std::string_view key = text.substr(0, equal);
  const SetupKey* const entry = setup_entry(key);
  const auto values = values_of(text.substr(equal + 1), entry != nullptr && entry->is_whole());
  if (!values || values->size() > most_frames) refuse(text);
  return {Sweep::Kind::values, std::string(entry == nullptr ? key : entry->name), *values};
}

Setup with_value(const Setup& setup, const Sweep& sweep, const std::string& value) {
  const SetupKey* const entry = setup_entry(sweep.key);
  if (entry == nullptr || entry->saved != Saved::never)
    return with_overrides(setup, {fmt::format("{}={}", sweep.key, value)}, "--frames");
  // It is no key of a file, so --set does not know it.
  const Result<Setup> result = entry->with(setup, value);
  if (!result.owner) throw InputError({"--frames", sweep.key, value, entry->allowed_for(setup)});
  require_valid(*result.owner, "--frames");
  return *result.owner;
}

}  // namespace headlight
