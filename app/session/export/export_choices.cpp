#include "app/session/export/export_choices.hpp"

#include <algorithm>
#include <cmath>

#include "app/session/display/display_entries.hpp"
#include "app/session/files/kept_file.hpp"
#include "app/session/session.hpp"
#include "core/composition/parts.hpp"

namespace headlight {
namespace {

struct WhatInfo {
  FormKind kind;
  std::string_view name;
  std::string_view title;
  FormKind last = kind;  ///< of its forms, which begin with `kind` and follow each other in the table of forms
};

/// In the order of ExportWhat.
constexpr std::array whats{
    WhatInfo{FormKind::picture, "window", "The whole window"},
    WhatInfo{FormKind::picture, "view", "The view in the centre"},
    WhatInfo{FormKind::picture, "heatmap", "One heatmap"},
    WhatInfo{FormKind::picture, "heads", "All heads"},
    WhatInfo{FormKind::picture, "equation", "The equation"},
    WhatInfo{FormKind::picture, "tokens", "Who looks at whom"},
    WhatInfo{FormKind::picture, "explanation", "The explanation of the number"},
    WhatInfo{FormKind::picture, "sources", "Who wrote the number"},
    WhatInfo{FormKind::picture, "head-sources", "Who wrote the head's numbers"},
    WhatInfo{FormKind::picture, "curve", "How the layer learns", FormKind::curve},
    WhatInfo{FormKind::picture, "play", "One number against another"},
    WhatInfo{FormKind::picture, "slide", "The slide"},
    WhatInfo{FormKind::picture, "presenter", "The presenter's window"},
    WhatInfo{FormKind::numbers, "numbers", "Numbers"},
    WhatInfo{FormKind::script, "script", "A program that computes the same numbers"},
    WhatInfo{FormKind::setup, "setup", "The setup"},
    WhatInfo{FormKind::lecture, "lecture", "The beginning of a lecture"},
    WhatInfo{FormKind::handout, "handout", "The lecture as a handout"},
    WhatInfo{FormKind::animation, "animation", "An animation"},
};
static_assert(whats.size() == all_exports.size());

const WhatInfo& info_of(ExportWhat what) { return whats[static_cast<std::size_t>(what)]; }

// --- The entries -----------------------------------------------------------------------------------------------------

using C = ExportChoices;

constexpr std::array what_words = [] {
  std::array<Word, whats.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = {whats[i].name, whats[i].title};
  return words;
}();
constexpr std::size_t picture_count = static_cast<std::size_t>(
    std::ranges::find_if(whats, [](const WhatInfo& info) { return info.kind != FormKind::picture; }) - whats.begin());
constexpr std::array size_words{Word{"own", "Automatic"}, Word{"pixels", "Pixels"}, Word{"centimetres", "cm"}};
constexpr std::array paper_words{Word{"a4", "A4"}, Word{"letter", "Letter"}};

bool draws(const C& choices) { return choices.draws(); }
bool animates(const C& choices) { return choices.what == ExportWhat::animation; }
bool plays(const C& choices) { return choices.figure() == ExportWhat::play; }
bool rounds(const C& choices) { return choices.form().rounded; }
bool prints(const C& choices) { return choices.what == ExportWhat::handout; }

/// With lengths that the chosen size can have: in the same shape where possible, in whole pixels or hundredths of a
/// centimetre.
C with_possible_lengths(C choices) {
  const bool printed = choices.size == ExportSize::centimetres;
  auto& lengths = printed ? choices.centimetres : choices.pixels;
  const Range range = lengths_of(choices);
  if (std::ranges::all_of(lengths, [&](double length) { return range.has(length); })) return choices;
  const double grains = printed ? 100 : 1;
  const double high = std::floor(range.high * grains) / grains;
  const double low = std::ceil(range.low * grains) / grains;
  const double times = std::min(1.0, high / std::max(lengths[0], lengths[1]));
  for (double& length : lengths) length = std::max(std::round(length * times * grains) / grains, low);
  return choices;
}
C adapted(const C&, C choices) { return with_possible_lengths(std::move(choices)); }

constexpr Entry<C> export_table[]{
    {.name = "what", .label = "What", .words = what_words, .value = at<&C::what>, .adapted = adapted},
    {.name = "animated",
     .label = "Picture",
     .words = std::span(what_words).first(picture_count),
     .value = at<&C::animated>,
     .applies = animates,
     .adapted = adapted},
    {.name = "frames",
     .label = "Frames",
     .help = "An animation (.gif): steps, heads, motion, seed=0..9, temperature=0.5..4/8 or KEY=A,B,C",
     .hint = "steps, heads, motion, seed=0..9, KEY=A..B/N",
     .group = {.name = "--frames", .type_name = "FRAMES", .of = ChoiceOf::file},
     .value = at<&C::frames>,
     .applies = animates},
    {.name = "seconds",
     .label = "Frame time",
     .help = "How long each frame shows, in seconds",
     .unit = "seconds",
     .group = {.name = "--seconds", .type_name = "S", .tells_default = true, .of = ChoiceOf::animation},
     .value = at<&C::seconds>,
     .range = from_to(0.02, 60),
     .applies = animates},
    {.name = "played",
     .label = "Vary",
     .help =
         "The number of the setup that --figure play varies, and its range, as in temperature=0.1..10 or 'W_q[2,5]'",
     .hint = "temperature=0.1..10, seed=0..9, W_q[2,5]",
     .group = {.name = "--play", .type_name = "KEY=LOW..HIGH", .only = "only with --figure play"},
     .value = at<&C::played>,
     .applies = plays},
    {.name = "watched",
     .label = "Plot",
     .help = "What --figure play plots against it: cell, entropy or largest (weight)",
     .group = {.name = "--watch", .type_name = "WHAT", .only = "only with --figure play"},
     .words = measure_words,
     .value = at<&C::measure>,
     .applies = plays},
    {.name = "digits",
     .label = "Digits",
     .help = "Digits of the largest number in a table (md, tex)",
     .group = {.name = "--digits", .type_name = "N", .tells_default = true, .of = ChoiceOf::file},
     .value = at<&C::digits>,
     .range = from_to(1, 17),
     .applies = rounds},
    {.name = "paper",
     .label = "Paper",
     .help = "a4 or letter",
     .group = {.name = "--paper", .type_name = "PAPER", .tells_default = true, .of = ChoiceOf::handout},
     .words = paper_words,
     .value = at<&C::paper>,
     .applies = prints},
    {.name = "notes",
     .label = "Speaker notes",
     .help = "With the speaker's notes",
     .group = {.name = "--notes", .only_if_chosen = true, .of = ChoiceOf::handout},
     .value = at<&C::notes>,
     .applies = prints},
    {.name = "size", .label = "Size", .words = size_words, .value = at<&C::size>, .applies = draws, .adapted = adapted},
    {.name = "dpi",
     .label = "dpi",
     .help = "Pixels per inch of a size in centimetres (default 300)",
     .group = {.name = "--dpi", .type_name = "DPI", .only = "only with a --size in centimetres"},
     .value = at<&C::dpi>,
     .range = from_to(30, 2400),
     .applies = [](const C& choices) { return choices.draws() && choices.size == ExportSize::centimetres; },
     .adapted = adapted},
    {.name = "scale",
     .label = "Scale",
     .help = "How large everything is drawn, from 1 to 4",
     .group = {.name = "--scale", .type_name = "SCALE", .only_if_chosen = true},
     .value = at<&C::scale>,
     .range = export_scales,
     .travel = Travel{export_scales.low, export_scales.high, 1},
     .applies = draws},
    {.name = "theme",
     .label = "Theme",
     .help = "dark or light",
     .group = {.name = "--theme", .type_name = "THEME", .tells_default = true},
     .words = theme_words,
     .value = at<&C::theme>,
     .applies = draws},
    {.name = "transparent",
     .label = "Transparent",
     .help = "Without a background",
     .group = {.name = "--transparent", .only_if_chosen = true},
     .value = at<&C::transparent>,
     .applies = [](const C& choices) { return choices.can_be_transparent(); }},
};

void read_pair(const TomlTable& table, std::string_view key, std::array<double, 2>& pair) {
  const TomlList* const list = list_in(table, key);
  if (list == nullptr || list->size() != pair.size()) return;
  for (std::size_t i = 0; i < pair.size(); ++i) {
    TomlTable entry;
    entry["length"] = (*list)[i];
    double length = 0;
    read(entry, "length", length);
    if (above(0).has(length)) pair[i] = length;
  }
}

TomlValue toml_of(const std::array<double, 2>& pair) { return {TomlList{{pair[0]}, {pair[1]}}}; }

}  // namespace

std::string_view to_string(ExportWhat what) { return info_of(what).name; }
std::string_view title_of(ExportWhat what) { return info_of(what).title; }
bool is_picture(ExportWhat what) { return kind_of(what) == FormKind::picture; }

std::optional<ExportWhat> picture_named(std::string_view name) {
  const auto found = std::ranges::find(whats, name, &WhatInfo::name);
  if (found == whats.end() || found->kind != FormKind::picture) return std::nullopt;
  return all_exports[static_cast<std::size_t>(found - whats.begin())];
}

FormKind kind_of(ExportWhat what) { return info_of(what).kind; }
std::span<const ExportForm> forms_of(ExportWhat what) { return forms_of(info_of(what).kind, info_of(what).last); }

std::string why_not(ExportWhat what, const Session& session) {
  if (what == ExportWhat::handout && session.lesson().lecture() == nullptr)
    return "No lecture is open: only a lecture has a handout.";
  if (what == ExportWhat::presenter && session.lesson().lecture() == nullptr)
    return "No lecture is open: the presenter's window shows a lecture's steps.";
  if (what == ExportWhat::curve && !session.setup().has_task())
    return "This setup learns nothing, because it has no task. Choose one in its panel, under Task.";
  if ((what == ExportWhat::sources || what == ExportWhat::head_sources) &&
      !cell_with_parts(session.model_trace(), session.cell()))
    return "Only a score or a logit is taken apart by who wrote it. Select one.";
  return {};
}

std::string_view css_name(Paper paper) { return paper_words[static_cast<std::size_t>(paper)].label; }

const ExportForm& ExportChoices::form() const {
  const auto choices = forms_of(what);
  return choices[std::min(forms[static_cast<std::size_t>(what)], choices.size() - 1)];
}

Range lengths_of(const ExportChoices& choices) {
  Range range = pixels_of(choices.figure());
  if (choices.size != ExportSize::centimetres) return range;
  for (double* const length : {&range.low, &range.high}) *length *= centimetres_per_inch / choices.dpi;
  return range;
}

bool ExportChoices::draws() const { return what == ExportWhat::animation || (is_picture(what) && form().drawn()); }

std::span<const Entry<ExportChoices>> export_entries() { return export_table; }

TomlTable toml_of(const ExportChoices& choices) {
  TomlTable kept, forms;
  write_entries(kept, export_entries(), choices, [](const Entry<ExportChoices>&) { return true; });
  for (const ExportWhat what : all_exports) {
    const auto named = forms_of(what);
    forms[to_string(what)] = {
        std::string(named[std::min(choices.forms[static_cast<std::size_t>(what)], named.size() - 1)].name)};
  }
  kept["forms"] = {forms};
  kept["pixels"] = toml_of(choices.pixels);
  kept["centimetres"] = toml_of(choices.centimetres);
  return kept;
}

ExportChoices export_choices_of(const TomlTable& kept) {
  ExportChoices choices = with_entries<ExportChoices>({}, export_entries(), kept);
  if (const TomlTable* const forms = table_in(kept, "forms")) {
    for (const ExportWhat what : all_exports) {
      std::string name;
      read(*forms, to_string(what), name);
      const auto found = std::ranges::find(forms_of(what), std::string_view(name), &ExportForm::name);
      if (found != forms_of(what).end())
        choices.forms[static_cast<std::size_t>(what)] = static_cast<std::size_t>(found - forms_of(what).begin());
    }
  }
  read_pair(kept, "pixels", choices.pixels);
  read_pair(kept, "centimetres", choices.centimetres);
  return with_possible_lengths(std::move(choices));
}

}  // namespace headlight
