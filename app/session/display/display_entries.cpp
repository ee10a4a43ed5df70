#include "app/session/display/display_entries.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/model/problem.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr std::array notes_size_words{Word{"small", "Small"}, Word{"medium", "Medium"}, Word{"large", "Large"}};
constexpr std::array head_order_words{
    Word{"index", "index"},
    Word{"entropy", "entropy", "How spread out the attention is: −Σ p log₂ p in bits, averaged over the queries"},
    Word{"distance", "distance", "How far it reaches: Σ p |query − key| in positions, averaged over the queries"},
    Word{"diagonal", "diagonal", "How much a query looks at its own position, on average"},
    Word{"peak", "peak", "The largest weight of a query, on average"}};
constexpr std::array mode_words{Word{"automatic", "as the lecture was left"}, Word{"lesson", "lesson"},
                                Word{"workbench", "workbench"}, Word{"sentence", "sentence"}};
constexpr std::array fold_words{Word{"automatic", "automatic"}, Word{"unfolded", "unfolded"}, Word{"folded", "folded"}};
constexpr std::array view_words = [] {
  std::array<Word, view_count> words{};
  for (std::size_t i = 0; i < view_count; ++i) words[i] = {view_table[i].word, view_table[i].title};
  return words;
}();

using E = Entry<Display>;
using A = Appearance;
using P = Presentation;

constexpr auto projector =
    computed<Display, bool, [](const Display& display) { return display.projector(); }, with_projector>;
constexpr auto presenting =
    computed<Display, bool, [](const Display& display) { return display.presentation.presenting; }, with_presenting>;

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
     .label = "Dark or light, like the system",
     .value = at<&Display::appearance, &A::theme_follows>},
    {.name = "scale",
     .label = "Scale",
     .unit = "%",
     .value = at<&Display::appearance, &A::scale>,
     .travel = Travel{smallest_scale, largest_scale, 0.1, Spacing::even, next_scale}},
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
    {.name = "view",
     .label = "View",
     .group = ShownFor::option,
     .words = view_words,
     .value = at<&Display::view>,
     .saved = KeptIn::session},
    {.name = "head_order",
     .label = "Order of heads",
     .help = "From the smallest to the largest",
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
     .help = "The smallest weight that gets a line in the tokens view",
     .group = ShownFor::figure,
     .value = at<&Display::tokens, &TokensOptions::threshold>,
     .travel = Travel{0, 1, 0.01},
     .allowed = "a number",
     .saved = KeptIn::session},
    {.name = "selected_head_only",
     .label = "Selected head only",
     .help = "The tokens view draws the lines of the selected head, or else of all heads that aren't hidden",
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
     .travel = Travel{narrowest_panel, widest_panel},
     .allowed = "a number"},
    {.name = "inspector_width",
     .label = "Width of the inspector",
     .group = ShownFor::window,
     .value = at<&Display::appearance, &A::inspector_width>,
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
    {.name = "mode",
     .label = "Lesson or workbench",
     .group = ShownFor::window,
     .words = mode_words,
     .value = at<&Display::mode>,
     .saved = KeptIn::session},
    {.name = "words",
     .label = "Words beside the picture",
     .group = ShownFor::window,
     .words = fold_words,
     .value = at<&Display::words>,
     .saved = KeptIn::session},
};

using H = HeatmapOptions;
constexpr Entry<H> colour_table[]{
    {.name = "colour_map", .label = "Colours", .words = colour_map_words, .value = at<&H::colour_map>},
    {.name = "range", .label = "Range", .words = range_words, .value = at<&H::range>},
    {.name = "low", .label = "Low", .value = at<&H::low>, .allowed = "a number"},
    {.name = "high", .label = "High", .value = at<&H::high>, .allowed = "a number"},
    {.name = "per_head", .label = "per head", .value = at<&H::per_head>},
    {.name = "logarithmic", .label = "logarithmic colours", .value = at<&H::logarithmic>},
    {.name = "mean", .label = "mean where cells share a pixel", .value = at<&H::mean>},
};

constexpr std::array for_weights{RangeKind::unit, RangeKind::even, RangeKind::top, RangeKind::min_max,
                                 RangeKind::fixed};
/// Only attention has an even share, which the colours can be multiples of.
constexpr std::array for_probabilities{RangeKind::unit, RangeKind::top, RangeKind::min_max, RangeKind::fixed};
constexpr std::array for_others{RangeKind::automatic, RangeKind::min_max, RangeKind::shared, RangeKind::fixed};

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
  if (result.owner) owner = *std::move(result.owner);
  else
    problems.push_back({"--show", std::string(assignment.key), std::string(assignment.value), entry->allowed_words()});
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

const Word& word_of(HeadOrder order) { return head_order_words[static_cast<std::size_t>(order)]; }

std::span<const Entry<Display>> display_entries() { return display_table; }

const Entry<Display>& display_entry(std::string_view name) { return *std::ranges::find(display_table, name, &E::name); }

Display with_choice(const Display& display, std::string_view name, const ControlInput& input) {
  return display_entry(name).with(display, input).owner.value_or(display);
}

std::span<const Entry<HeatmapOptions>> colour_entries() { return colour_table; }

std::vector<std::string> display_settings(const Display& display) {
  std::vector<std::string> settings = settings_for(display, ShownFor::figure);
  for (const TensorInfo& tensor : all_tensors())
    for (const Entry<HeatmapOptions>& entry : colour_table)
      add_setting(settings, entry, display.heatmap(tensor.id), fmt::format("{}.", tensor.name));
  return settings;
}

std::vector<std::string> window_settings(const Display& display) { return settings_for(display, ShownFor::window); }

Display fitting(Display display, Index heads) {
  auto& hidden = display.heads.hidden;
  std::sort(hidden.begin(), hidden.end());
  hidden.erase(std::unique(hidden.begin(), hidden.end()), hidden.end());
  std::erase_if(hidden, [&](Index head) { return head < 0 || head >= heads; });
  if (static_cast<Index>(hidden.size()) >= heads) hidden.pop_back();
  for (const E& entry : display_table) {
    if (entry.value.kind != ValueKind::real || !entry.travel) continue;
    const double now = *entry.number(display);
    entry.value.set(display, std::isfinite(now) ? std::clamp(now, entry.travel->low, entry.travel->high)
                                                : *entry.number(Display{}));
  }
  for (HeatmapOptions& options : display.heatmaps) {
    if (std::isfinite(options.low) && std::isfinite(options.high) && options.low < options.high) continue;
    options.low = 0;
    options.high = 1;
  }
  return display;
}

Display with_head_hidden(Display display, Index head, bool hidden, Index heads) {
  auto& list = display.heads.hidden;
  std::erase(list, head);
  if (hidden) list.insert(std::upper_bound(list.begin(), list.end(), head), head);
  return fitting(std::move(display), heads);
}

std::string display_keys() {
  std::vector<std::string_view> keys, colours;
  for (const E& entry : display_table)
    if (is_setting(entry)) keys.push_back(entry.name);
  for (const Entry<HeatmapOptions>& entry : colour_table) colours.push_back(entry.name);
  return fmt::format("{}, or TENSOR. and {}", fmt::join(keys, ", "), listed(colours));
}

Display with_display_settings(Display display, std::span<const std::string> settings) {
  std::vector<Problem> problems;
  std::vector<Entry<Display>> shown;
  for (const E& entry : display_table)
    if (is_setting(entry)) shown.push_back(entry);
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

std::span<const RangeKind> offered_ranges(TensorId tensor) {
  if (info(tensor).is_attention()) return for_weights;
  if (info(tensor).probability) return for_probabilities;
  return for_others;
}

RangeKind range_kind_of(RangeKind chosen, TensorId tensor, const Setup& setup) {
  const bool weights = info(tensor).is_attention();
  if (!info(tensor).probability) {
    const bool from_zero = chosen == RangeKind::unit || chosen == RangeKind::even || chosen == RangeKind::top;
    return from_zero ? RangeKind::automatic : chosen;
  }
  if (chosen == RangeKind::automatic)
    return weights && setup.key_length() > few_keys ? RangeKind::even : RangeKind::unit;
  return chosen == RangeKind::even && !weights ? RangeKind::unit : chosen;
}

RangeKind next_range(RangeKind chosen, TensorId tensor, const Setup& setup) {
  const auto offered = offered_ranges(tensor);
  const RangeKind now = range_kind_of(chosen, tensor, setup);
  const auto here = std::ranges::find(offered, now);
  const auto next = here == offered.end() ? offered.begin() : std::next(here);
  return next == offered.end() || *next == RangeKind::fixed ? offered.front() : *next;
}

}  // namespace headlight
