#include "app/session/settings/display_settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/problem.hpp"

namespace headlight {
namespace {

// --- Values ----------------------------------------------------------------------------------------------------------

std::string text(bool value) { return value ? "true" : "false"; }
std::string text(double value) { return fmt::format("{}", value); }
std::string text(const std::vector<Index>& values) { return fmt::format("{}", fmt::join(values, ",")); }

bool read(std::string_view words, bool& value) {
  value = words == "true";
  return value || words == "false";
}

template <class Number>
bool read_number(std::string_view words, Number& value) {
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
  return error == std::errc{} && end == words.data() + words.size();
}

bool read(std::string_view words, double& value) { return read_number(words, value) && std::isfinite(value); }

bool read(std::string_view words, std::vector<Index>& values) {
  values.clear();
  for (bool more = !words.empty(); more;) {
    const auto comma = words.find(',');
    more = comma != std::string_view::npos;
    Index value = 0;
    if (!read_number(words.substr(0, comma), value) || value < 0) return false;
    values.push_back(value);
    if (more) words.remove_prefix(comma + 1);
  }
  return true;
}

constexpr std::string_view a_truth = "true or false";
constexpr std::string_view a_number = "a number";

std::string_view allowed(bool) { return a_truth; }
std::string_view allowed(double) { return a_number; }
std::string_view allowed(const std::vector<Index>&) { return "heads, as in 1,3"; }

/// The word of each value of an enum, in its order.
template <class Enum>
constexpr std::array<std::string_view, 0> words_of{};
template <>
constexpr std::array<std::string_view, 5> words_of<HeadOrder> = head_orders;
template <>
constexpr std::array<std::string_view, 3> words_of<ColourMap>{"automatic", "viridis", "magma"};
template <>
constexpr std::array<std::string_view, 7> words_of<RangeKind>{"automatic", "min_max", "shared", "fixed",
                                                              "unit",      "even",    "top"};

template <>
constexpr std::array<std::string_view, 3> words_of<WordsFold>{"automatic", "unfolded", "folded"};

template <class Enum>
  requires std::is_enum_v<Enum>
std::string text(Enum value) {
  return std::string(words_of<Enum>[static_cast<std::size_t>(value)]);
}
template <class Enum>
  requires std::is_enum_v<Enum>
bool read(std::string_view words, Enum& value) {
  const auto found = std::find(words_of<Enum>.begin(), words_of<Enum>.end(), words);
  if (found == words_of<Enum>.end()) return false;
  value = static_cast<Enum>(found - words_of<Enum>.begin());
  return true;
}
template <class Enum>
  requires std::is_enum_v<Enum>
std::string allowed(Enum) {
  return fmt::format("one of {}", fmt::join(words_of<Enum>, ", "));
}

// --- Keys ------------------------------------------------------------------------------------------------------------

/// A key of the settings of an `Owner`; it stands for one field.
template <class Owner>
struct Key {
  std::string_view name;
  std::function<std::optional<std::string>(const Owner&)> differing;  ///< its value; none if it is the default
  std::function<bool(std::string_view, Owner&)> take;                 ///< false if the text is no valid value
  std::string allowed;
};

template <class Owner, class Value>
Key<Owner> key(std::string_view name, Value Owner::* field) {
  return {name,
          [field](const Owner& owner) {
            return owner.*field == Owner{}.*field ? std::nullopt : std::optional(text(owner.*field));
          },
          [field](std::string_view words, Owner& owner) { return read(words, owner.*field); },
          std::string(allowed(Value{}))};
}

template <class Owner>
using Keys = std::vector<Key<Owner>>;

const Keys<HeadsOptions>& heads_keys() {
  static const Keys<HeadsOptions> keys{key("head_order", &HeadsOptions::order),
                                       key("hidden_heads", &HeadsOptions::hidden)};
  return keys;
}
const Keys<TokensOptions>& tokens_keys() {
  static const Keys<TokensOptions> keys{key("threshold", &TokensOptions::threshold),
                                        key("selected_head_only", &TokensOptions::selected_head_only)};
  return keys;
}
const Keys<Appearance>& panel_keys() {
  static const Keys<Appearance> keys{
      key("setup_folded", &Appearance::setup_folded), key("inspector_folded", &Appearance::inspector_folded),
      key("setup_width", &Appearance::setup_width), key("inspector_width", &Appearance::inspector_width)};
  return keys;
}
const Keys<Presentation>& presentation_keys() {
  static const Keys<Presentation> keys{key("presenting", &Presentation::presenting),
                                       key("pointer_circle", &Presentation::pointer_circle)};
  return keys;
}
const Keys<Display>& story_keys() {
  static const Keys<Display> keys{key("words", &Display::words)};
  return keys;
}
const Keys<HeatmapOptions>& colour_keys() {
  static const Keys<HeatmapOptions> keys{key("colour_map", &HeatmapOptions::colour_map),
                                         key("range", &HeatmapOptions::range),
                                         key("low", &HeatmapOptions::low),
                                         key("high", &HeatmapOptions::high),
                                         key("per_head", &HeatmapOptions::per_head),
                                         key("logarithmic", &HeatmapOptions::logarithmic),
                                         key("mean", &HeatmapOptions::mean)};
  return keys;
}

template <class Owner>
void add_settings(std::vector<std::string>& to, const Owner& owner, const Keys<Owner>& keys,
                  std::string_view before = "") {
  for (const Key<Owner>& key : keys)
    if (const auto value = key.differing(owner)) to.push_back(fmt::format("{}{}={}", before, key.name, *value));
}

// --- One setting -----------------------------------------------------------------------------------------------------

/// A setting in parts: "weights.range=min_max".
struct Setting {
  std::string_view key;
  std::string_view value;
};

/// Applies the setting if its key is one of `keys`; returns false if it is not.
template <class Owner>
bool take(const Setting& setting, std::string_view name, Owner& owner, const Keys<Owner>& keys,
          std::vector<Problem>& problems) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key<Owner>& key) { return key.name == name; });
  if (found == keys.end()) return false;
  Owner next = owner;
  if (found->take(setting.value, next)) owner = next;
  else problems.push_back({"--show", std::string(setting.key), std::string(setting.value), found->allowed});
  return true;
}

bool take_colours(const Setting& setting, Display& display, std::vector<Problem>& problems) {
  const auto dot = setting.key.find('.');
  const auto tensor = tensor_named(setting.key.substr(0, dot));
  if (dot == std::string_view::npos || !tensor) return false;
  return take(setting, setting.key.substr(dot + 1), display.heatmap(*tensor), colour_keys(), problems);
}

void take(const Setting& setting, Display& display, std::vector<Problem>& problems) {
  if (take(setting, setting.key, display.heads, heads_keys(), problems)) return;
  if (take(setting, setting.key, display.tokens, tokens_keys(), problems)) return;
  if (take(setting, setting.key, display.appearance, panel_keys(), problems)) return;
  if (take(setting, setting.key, display.presentation, presentation_keys(), problems)) return;
  if (take(setting, setting.key, display, story_keys(), problems)) return;
  if (take_colours(setting, display, problems)) return;
  problems.push_back(
      {"--show", "", std::string(setting.key),
       "head_order, hidden_heads, threshold, selected_head_only, setup_folded, inspector_folded, "
       "setup_width, inspector_width, presenting, pointer_circle, words, or TENSOR. and colour_map, range, "
       "low, high, per_head, logarithmic "
       "or mean"});
}

void require_range(TensorId tensor, const HeatmapOptions& options, std::vector<Problem>& problems) {
  if (options.range != RangeKind::fixed || options.low < options.high) return;
  problems.push_back({"--show", fmt::format("{}.low", name(tensor)), fmt::format("{}", options.low),
                      fmt::format("a number below {}.high, {}", name(tensor), options.high)});
}

}  // namespace

std::vector<std::string> display_settings(const Display& display) {
  std::vector<std::string> settings;
  add_settings(settings, display.heads, heads_keys());
  add_settings(settings, display.tokens, tokens_keys());
  for (std::string& colours : colour_settings(display)) settings.push_back(std::move(colours));
  return settings;
}

std::vector<std::string> colour_settings(const Display& display) {
  std::vector<std::string> settings;
  for (const TensorInfo& tensor : all_tensors())
    add_settings(settings, display.heatmap(tensor.id), colour_keys(), fmt::format("{}.", tensor.name));
  return settings;
}

std::vector<std::string> window_settings(const Display& display) {
  std::vector<std::string> settings;
  add_settings(settings, display.appearance, panel_keys());
  add_settings(settings, display.presentation, presentation_keys());
  add_settings(settings, display, story_keys());
  return settings;
}

Display with_display_settings(Display display, std::span<const std::string> settings) {
  std::vector<Problem> problems;
  for (const std::string& words : settings) {
    const auto equals = words.find('=');
    if (equals == std::string::npos) {
      problems.push_back({"--show", "", words, "KEY=VALUE, as in weights.range=min_max"});
      continue;
    }
    const std::string_view all(words);
    take({all.substr(0, equals), all.substr(equals + 1)}, display, problems);
  }
  for (const TensorInfo& tensor : all_tensors()) require_range(tensor.id, display.heatmap(tensor.id), problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return display;
}

}  // namespace headlight
