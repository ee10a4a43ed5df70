#include "app/session/display/display_entries.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "app/words.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

constexpr std::array theme_words{Word{"dark", "Dark"}, Word{"light", "Light"}};
constexpr std::array notes_size_words{Word{"small", "Small"}, Word{"medium", "Medium"}, Word{"large", "Large"}};
constexpr std::array head_order_words{Word{"index", "index"}, Word{"entropy", "entropy"}, Word{"distance", "distance"},
                                      Word{"diagonal", "diagonal"}, Word{"peak", "peak"}};
constexpr std::array fold_words{Word{"automatic", "automatic"}, Word{"unfolded", "unfolded"}, Word{"folded", "folded"}};
constexpr std::array view_words = [] {
  std::array<Word, view_count> words{};
  for (std::size_t i = 0; i < view_count; ++i) words[i] = {view_table[i].word, view_table[i].word};
  return words;
}();

using E = Entry<Display>;
using A = Appearance;
using P = Presentation;

constexpr Computed<Display, bool> projector{
    [](const Display& display) { return std::optional(display.projector()); },
    [](const Display& display, bool on) { return with_projector(display, on); }};
constexpr Computed<Display, bool> presenting{
    [](const Display& display) { return std::optional(display.presentation.presenting); },
    [](const Display& display, bool on) { return with_presenting(display, on); }};

/// An entry that follows from others comes after them.
constexpr E display_table[]{
    {.name = "theme",
     .label = "Theme",
     .words = theme_words,
     .value = at<&Display::appearance, &A::theme>,
     .adapted =
         [](const Display& before, Display after) {
           if (after.appearance.theme != before.appearance.theme) after.appearance.theme_follows = false;
           return after;
         }},
    {.name = "theme_follows",
     .label = "Dark or light, like the desktop",
     .value = at<&Display::appearance, &A::theme_follows>},
    {.name = "scale",
     .label = "Scale",
     .unit = "%",
     .value = at<&Display::appearance, &A::scale>,
     .range = Range{},
     .travel = Travel{smallest_scale, largest_scale, 0.1}},
    {.name = "colour_map",
     .label = "Colours of numbers",
     .help = "For every tensor; the inspector chooses others for one.",
     .group = ShownFor::figure,
     .words = colour_map_words,
     .value = at<&Display::appearance, &A::colour_map>},
    {.name = "reduce_motion", .label = "Reduce motion", .value = at<&Display::appearance, &A::reduce_motion>},
    {.name = "class_monitor", .label = "Monitor for the class", .value = at<&Display::appearance, &A::class_monitor>},
    {.name = "notes_size",
     .label = "Size of the notes",
     .words = notes_size_words,
     .value = at<&Display::appearance, &A::notes_size>},
    {.name = "view", .label = "View", .words = view_words, .value = at<&Display::view>, .saved = KeptIn::session},
    {.name = "head_order",
     .label = "Order of heads",
     .group = ShownFor::figure,
     .words = head_order_words,
     .value = at<&Display::heads, &HeadsOptions::order>,
     .saved = KeptIn::session},
    {.name = "hidden_heads",
     .label = "Hidden heads",
     .group = ShownFor::figure,
     .value = at<&Display::heads, &HeadsOptions::hidden>,
     .range = at_least(0),
     .allowed = "heads, as in 1,3",
     .saved = KeptIn::session},
    {.name = "threshold",
     .label = "Threshold",
     .help = "Weights below this get no curve in the tokens view.",
     .group = ShownFor::figure,
     .value = at<&Display::tokens, &TokensOptions::threshold>,
     .range = Range{},
     .travel = Travel{0, 1, 0.01},
     .allowed = "a number",
     .saved = KeptIn::session},
    {.name = "selected_head_only",
     .label = "Selected head only",
     .help = "The tokens view shows the selected head, or else all that are not hidden.",
     .group = ShownFor::figure,
     .value = at<&Display::tokens, &TokensOptions::selected_head_only>,
     .saved = KeptIn::session},
    {.name = "projector", .label = "Projector", .value = projector, .saved = KeptIn::session},
    {.name = "setup_folded",
     .label = "Fold the setup panel",
     .group = ShownFor::window,
     .value = at<&Display::appearance, &A::setup_folded>},
    {.name = "inspector_folded",
     .label = "Fold the inspector",
     .group = ShownFor::window,
     .value = at<&Display::appearance, &A::inspector_folded>},
    {.name = "setup_width",
     .label = "Width of the setup panel",
     .group = ShownFor::window,
     .value = at<&Display::appearance, &A::setup_width>,
     .range = Range{},
     .travel = Travel{narrowest_panel, widest_panel},
     .allowed = "a number"},
    {.name = "inspector_width",
     .label = "Width of the inspector",
     .group = ShownFor::window,
     .value = at<&Display::appearance, &A::inspector_width>,
     .range = Range{},
     .travel = Travel{narrowest_panel, widest_panel},
     .allowed = "a number"},
    {.name = "presenting",
     .label = "Present",
     .group = ShownFor::window,
     .value = presenting,
     .saved = KeptIn::session},
    {.name = "pointer_circle",
     .label = "Circle around the pointer",
     .group = ShownFor::window,
     .value = at<&Display::presentation, &P::pointer_circle>,
     .saved = KeptIn::session},
    {.name = "full_screen",
     .label = "Full screen",
     .value = at<&Display::presentation, &P::full_screen>,
     .saved = KeptIn::session},
    {.name = "presenter",
     .label = "Presenter's window",
     .value = at<&Display::presentation, &P::presenter>,
     .saved = KeptIn::session},
    {.name = "pen_colour",
     .label = "Pen",
     .words = pen_words,
     .value = at<&Display::presentation, &P::pen_colour>,
     .saved = KeptIn::session},
    {.name = "painting", .label = "Paint the mask", .value = at<&Display::painting>, .saved = KeptIn::session},
    {.name = "words",
     .label = "Words beside the picture",
     .group = ShownFor::window,
     .words = fold_words,
     .value = at<&Display::words>,
     .saved = KeptIn::other},
};

using H = HeatmapOptions;
constexpr Entry<H> colour_table[]{
    {.name = "colour_map", .label = "Colours", .words = colour_map_words, .value = at<&H::colour_map>},
    {.name = "range", .label = "Range", .words = range_words, .value = at<&H::range>},
    {.name = "low", .label = "Low", .value = at<&H::low>, .range = Range{}, .allowed = "a number"},
    {.name = "high", .label = "High", .value = at<&H::high>, .range = Range{}, .allowed = "a number"},
    {.name = "per_head", .label = "Each head has its own range", .value = at<&H::per_head>},
    {.name = "logarithmic", .label = "Logarithmic", .value = at<&H::logarithmic>},
    {.name = "mean", .label = "Mean of cells that share a pixel", .value = at<&H::mean>},
};

template <class O>
void add_setting(std::vector<std::string>& to, const Entry<O>& entry, const O& owner, std::string_view before = {}) {
  if (entry.is_default(owner)) return;
  std::string value = entry.text(owner);
  std::erase(value, ' ');  // of a list
  to.push_back(fmt::format("{}{}={}", before, entry.name, value));
}

std::vector<std::string> settings_for(const Display& display, ShownFor what) {
  std::vector<std::string> settings;
  for (const E& entry : display_table)
    if (entry.group == what) add_setting(settings, entry, display);
  return settings;
}

/// One setting in parts: "weights.range=min_max".
struct Assignment {
  std::string_view key;
  std::string_view value;
};

/// Assigns the value to the entry with this name, if it is one of `entries`; returns false if it is not.
template <class O>
bool assign(const Assignment& assignment, std::string_view name, O& owner, std::span<const Entry<O>> entries,
            std::vector<Problem>& problems) {
  const auto entry = std::ranges::find(entries, name, &Entry<O>::name);
  if (entry == entries.end()) return false;
  auto result = entry->with(owner, std::string(assignment.value));
  const auto* list = std::get_if<Field<O, std::vector<Index>>>(&entry->value);
  const auto in_range = [&](Index number) { return !entry->range || entry->range->has(static_cast<double>(number)); };
  if (result.owner && list != nullptr && !std::ranges::all_of(list->in(*result.owner), in_range)) result.owner.reset();
  if (result.owner) owner = *std::move(result.owner);
  else problems.push_back({"--show", std::string(assignment.key), std::string(assignment.value), allowed_text(*entry)});
  return true;
}

bool assign_colour(const Assignment& assignment, Display& display, std::vector<Problem>& problems) {
  const auto dot = assignment.key.find('.');
  const auto tensor = tensor_named(assignment.key.substr(0, dot));
  if (dot == std::string_view::npos || !tensor) return false;
  return assign(assignment, assignment.key.substr(dot + 1), display.heatmap(*tensor), colour_entries(), problems);
}

void require_range(TensorId tensor, const HeatmapOptions& options, std::vector<Problem>& problems) {
  if (options.range != RangeKind::fixed || options.low < options.high) return;
  problems.push_back({"--show", fmt::format("{}.low", name(tensor)), fmt::format("{}", options.low),
                      fmt::format("a number below {}.high, {}", name(tensor), options.high)});
}

}  // namespace

std::string_view to_string(HeadOrder order) { return head_order_words[static_cast<std::size_t>(order)].name; }

std::span<const Entry<Display>> display_entries() { return display_table; }
std::span<const Entry<HeatmapOptions>> colour_entries() { return colour_table; }

std::vector<std::string> display_settings(const Display& display) {
  std::vector<std::string> settings = settings_for(display, ShownFor::figure);
  for (std::string& colours : colour_settings(display)) settings.push_back(std::move(colours));
  return settings;
}

std::vector<std::string> colour_settings(const Display& display) {
  std::vector<std::string> settings;
  for (const TensorInfo& tensor : all_tensors())
    for (const Entry<HeatmapOptions>& entry : colour_table)
      add_setting(settings, entry, display.heatmap(tensor.id), fmt::format("{}.", tensor.name));
  return settings;
}

std::vector<std::string> window_settings(const Display& display) { return settings_for(display, ShownFor::window); }

std::string display_keys() {
  std::vector<std::string_view> keys, colours;
  for (const E& entry : display_table)
    if (entry.group != ShownFor::none) keys.push_back(entry.name);
  for (const Entry<HeatmapOptions>& entry : colour_table) colours.push_back(entry.name);
  return fmt::format("{}, or TENSOR. and {}", fmt::join(keys, ", "), listed(colours));
}

Display with_display_settings(Display display, std::span<const std::string> settings) {
  std::vector<Problem> problems;
  std::vector<Entry<Display>> shown;
  for (const E& entry : display_table)
    if (entry.group != ShownFor::none) shown.push_back(entry);
  for (const std::string& words : settings) {
    const auto equals = words.find('=');
    if (equals == std::string::npos) {
      problems.push_back({"--show", "", words, "KEY=VALUE, as in weights.range=min_max"});
      continue;
    }
    const std::string_view all(words);
    const Assignment assignment{all.substr(0, equals), all.substr(equals + 1)};
    if (!assign<Display>(assignment, assignment.key, display, shown, problems) &&
        !assign_colour(assignment, display, problems))
      problems.push_back({"--show", "", std::string(assignment.key), display_keys()});
  }
  for (const TensorInfo& tensor : all_tensors()) require_range(tensor.id, display.heatmap(tensor.id), problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return display;
}

}  // namespace headlight
