#include "app/session/export/export_choices.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/session/display/display_entries.hpp"
#include "app/session/session.hpp"
#include "app/session/settings/kept_file.hpp"
#include "core/formats/arrays/tensor_slice.hpp"
#include "core/formats/setup/setup_overrides.hpp"

namespace headlight {
namespace {

struct WhatInfo {
  ExportWhat what;
  FormKind kind;
  std::string_view name;
  std::string_view title;
  FormKind last = kind;  ///< of its forms; they begin with `kind`, and stand together in the table of forms
};

constexpr std::array whats{
    WhatInfo{ExportWhat::window, FormKind::picture, "window", "The whole window"},
    WhatInfo{ExportWhat::view, FormKind::picture, "view", "The view in the centre"},
    WhatInfo{ExportWhat::heatmap, FormKind::picture, "heatmap", "One heatmap"},
    WhatInfo{ExportWhat::heads, FormKind::picture, "heads", "All heads"},
    WhatInfo{ExportWhat::equation, FormKind::picture, "equation", "The equation"},
    WhatInfo{ExportWhat::tokens, FormKind::picture, "tokens", "Who looks at whom"},
    WhatInfo{ExportWhat::explanation, FormKind::picture, "explanation", "The explanation of the number"},
    WhatInfo{ExportWhat::curve, FormKind::picture, "curve", "How the layer learns", FormKind::curve},
    WhatInfo{ExportWhat::play, FormKind::picture, "play", "A number over a number"},
    WhatInfo{ExportWhat::numbers, FormKind::numbers, "numbers", "Numbers"},
    WhatInfo{ExportWhat::script, FormKind::script, "script", "A program that computes the same"},
    WhatInfo{ExportWhat::setup, FormKind::setup, "setup", "The setup"},
    WhatInfo{ExportWhat::lecture, FormKind::lecture, "lecture", "The beginning of a lecture"},
    WhatInfo{ExportWhat::handout, FormKind::handout, "handout", "The lecture on paper"},
    WhatInfo{ExportWhat::animation, FormKind::animation, "animation", "An animation"},
};

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
constexpr std::array size_words{Word{"own", "Its own"}, Word{"pixels", "Pixels"}, Word{"centimetres", "cm"}};
constexpr std::array theme_words{Word{"light", "Light"}, Word{"dark", "Dark"}};
constexpr std::array measure_words{Word{"cell", "cell"}, Word{"entropy", "entropy"}, Word{"largest", "largest"}};
constexpr std::array paper_words{Word{"a4", "A4"}, Word{"letter", "Letter"}};

/// Light first, as most pictures are printed.
constexpr Choice<C> theme{
    [](const C& choices) -> std::size_t { return choices.theme == ThemeName::light ? 0 : 1; },
    [](C& choices, std::size_t word) { choices.theme = word == 0 ? ThemeName::light : ThemeName::dark; }};

bool draws(const C& choices) { return choices.draws(); }
bool animates(const C& choices) { return choices.what == ExportWhat::animation; }
bool plays(const C& choices) { return choices.figure() == ExportWhat::play; }
bool rounds(const C& choices) { return choices.form().rounded; }
bool prints(const C& choices) { return choices.what == ExportWhat::handout; }

constexpr Entry<C> export_table[]{
    {.name = "what", .label = "What", .words = what_words, .value = at<&C::what>},
    {.name = "animated",
     .label = "Picture",
     .words = std::span(what_words).first(picture_count),
     .value = at<&C::animated>,
     .applies = animates},
    {.name = "frames",
     .label = "Frames",
     .help = "An animation (.gif): steps, heads, motion, seed=0..9, temperature=0.5..4/8 or KEY=A,B,C",
     .hint = "steps, heads, motion, seed=0..9, KEY=A..B/N",
     .group = {"--frames", "FRAMES"},
     .value = at<&C::frames>,
     .applies = animates},
    {.name = "seconds",
     .label = "Each frame",
     .help = "How long each frame is shown",
     .unit = "seconds",
     .group = {"--seconds", "S"},
     .value = at<&C::seconds>,
     .range = from_to(0.02, 60),
     .allowed = "a number from 0.02 to 60",
     .applies = animates},
    {.name = "played",
     .label = "Over",
     .help = "The number of the setup that --figure play goes over, as in temperature=0.1..10 or 'W_q[2,5]'",
     .hint = "temperature=0.1..10, seed=0..9, W_q[2,5]",
     .group = {"--play", "KEY=LOW..HIGH"},
     .value = at<&C::played>,
     .applies = plays},
    {.name = "watched",
     .label = "Curve of",
     .help = "What --figure play shows over it: cell, entropy or largest (weight)",
     .group = {"--watch", "WHAT"},
     .words = measure_words,
     .value = at<&C::measure>,
     .allowed = "cell, entropy or largest",
     .applies = plays},
    {.name = "digits",
     .label = "Digits",
     .help = "Digits of the largest number in a table (md, tex)",
     .group = {"--digits", "N"},
     .value = at<&C::digits>,
     .range = from_to(1, 17),
     .allowed = "1 to 17",
     .applies = rounds},
    {.name = "paper",
     .label = "Paper",
     .help = "a4 or letter",
     .group = {"--paper", "PAPER"},
     .words = paper_words,
     .value = at<&C::paper>,
     .allowed = "a4 or letter",
     .applies = prints},
    {.name = "notes",
     .label = "Speaker notes",
     .help = "With the speaker's notes",
     .group = {"--notes", "", false},
     .value = at<&C::notes>,
     .applies = prints},
    {.name = "size", .label = "Size", .words = size_words, .value = at<&C::size>, .applies = draws},
    {.name = "dpi",
     .label = "dpi",
     .help = "Pixels per inch of a size in centimetres (default 300)",
     .group = {"--dpi", "DPI"},
     .value = at<&C::dpi>,
     .range = from_to(30, 2400),
     .allowed = "a number from 30 to 2400",
     .applies = [](const C& choices) { return choices.draws() && choices.size == ExportSize::centimetres; }},
    {.name = "scale",
     .label = "Scale",
     .help = "How large everything is drawn, from 1 to 4",
     .group = {"--scale", "SCALE", false},
     .value = at<&C::scale>,
     .range = from_to(1, 4),
     .travel = Travel{1, 4, 1},
     .allowed = "a number from 1 to 4",
     .applies = draws},
    {.name = "theme",
     .label = "Theme",
     .help = "dark or light",
     .group = {"--theme", "THEME"},
     .words = theme_words,
     .value = theme,
     .allowed = "dark or light",
     .applies = draws},
    {.name = "transparent",
     .label = "Transparent",
     .help = "Nothing behind the figure",
     .group = {"--transparent", "", false},
     .value = at<&C::transparent>,
     .applies = draws},
};

void read_pair(const TomlTable& table, std::string_view key, std::array<double, 2>& pair) {
  const TomlList* const list = list_in(table, key);
  if (list == nullptr || list->size() != pair.size()) return;
  for (std::size_t i = 0; i < pair.size(); ++i) {
    TomlTable entry;
    entry["length"] = (*list)[i];
    double length = 0;
    read(entry, "length", length);
    if (length > 0) pair[i] = length;
  }
}

TomlValue toml_of(const std::array<double, 2>& pair) { return {TomlList{{pair[0]}, {pair[1]}}}; }

std::string number(double value) { return fmt::format("{}", value); }

void add(std::vector<std::string>& to, std::initializer_list<std::string> more) { to.insert(to.end(), more); }

/// Adds the size of a window picture without a chosen size: the screen's, with everything `scale` times as large.
void add_window_size(std::vector<std::string>& to, const ExportChoices& choices, const ScreenPlace& screen) {
  constexpr double most_scale = 4;
  constexpr double least_pixels = 320;
  constexpr double most_pixels = 8192;
  const double longest = std::max(screen.pixels[0], screen.pixels[1]);
  const double times = std::min({choices.scale, most_scale / screen.scale, most_pixels / longest});
  const auto pixels = [&](double length) { return number(std::max(std::round(length * times), least_pixels)); };
  add(to, {"--size", pixels(screen.pixels[0]) + "x" + pixels(screen.pixels[1])});
  const double scale = std::max(screen.scale * times, 1.0);
  if (scale != 1) add(to, {"--scale", number(scale)});
}

void add_size(std::vector<std::string>& to, const ExportChoices& choices, double dpi) {
  const auto& [width, height] = choices.size == ExportSize::pixels ? choices.pixels : choices.centimetres;
  if (choices.size == ExportSize::pixels) add(to, {"--size", number(width) + "x" + number(height)});
  if (choices.size == ExportSize::centimetres)
    add(to, {"--size", fmt::format("{}cmx{}cm", width, height), "--dpi", number(dpi)});
  if (choices.scale != 1) add(to, {"--scale", number(choices.scale)});
}

void add_each(std::vector<std::string>& to, std::string_view option, const std::vector<std::string>& values) {
  for (const std::string& value : values) add(to, {std::string(option), value});
}

/// Adds the view and the cell that the first step of a lecture shows.
void add_first_step(std::vector<std::string>& to, const Session& session) {
  add(to, {"--view", std::string(to_string(session.display().view)), "--cell", to_string(session.cell())});
}

/// Adds every display choice that differs from the default.
void add_display(std::vector<std::string>& to, const Session& session, const ScreenPlace& screen, ExportWhat figure) {
  const Display& display = session.display();
  const bool whole = figure == ExportWhat::window || figure == ExportWhat::view;
  if (session.lesson().question() != nullptr && !session.lesson().asks()) add(to, {"--answer"});
  const KeptWork work = kept_of(session.state().checking.own);
  if (figure == ExportWhat::window && info(display.view).of_two_states && work.shown && !work.file.empty())
    add(to, {"--check", work.file});
  else if (whole && info(display.view).of_two_states && session.state().checking.reference)
    add_each(to, "--was", overrides_between(session.setup(), session.state().checking.reference->setup));
  add_each(to, "--show", display_settings(display));
  if (figure == ExportWhat::window) add_each(to, "--show", window_settings(display));
  const bool zoomed = whole || (figure == ExportWhat::heads && display.view == View::heads) ||
                      (figure == ExportWhat::equation && display.view == View::pipeline);
  if (zoomed) add_each(to, "--zoom", screen.zoom);
}

/// Adds the session's view, tensor and cell, as far as they matter to the figure.
void add_place(std::vector<std::string>& to, const Session& session, ExportWhat figure) {
  const bool whole = figure == ExportWhat::window || figure == ExportWhat::view;
  if (whole) add(to, {"--view", std::string(to_string(session.display().view))});
  const Selection& selection = session.selection();
  // The equation is about one number, as the explanation is.
  if (session.state().pinned || figure == ExportWhat::explanation || figure == ExportWhat::equation) {
    add(to, {"--cell", to_string(cell_of(selection, session.setup()))});
    return;
  }
  add(to, {"--tensor", std::string(name(selection.tensor))});
  if (selection.head > 0) add(to, {"--head", std::to_string(selection.head)});
  if (selection.batch > 0) add(to, {"--batch", std::to_string(selection.batch)});
}

void add_look(std::vector<std::string>& to, const ExportChoices& choices, const ScreenPlace& screen, ExportWhat figure,
              double dpi) {
  add(to, {"--figure", std::string(to_string(figure))});
  if (figure == ExportWhat::play)
    add(to, {"--play", choices.played, "--watch", std::string(to_string(choices.measure))});
  if (figure == ExportWhat::window && choices.size == ExportSize::own) add_window_size(to, choices, screen);
  else add_size(to, choices, dpi);
  add(to, {"--theme", choices.theme == ThemeName::light ? "light" : "dark"});
  if (choices.transparent && figure != ExportWhat::window) add(to, {"--transparent"});
}

std::vector<std::string> begun(std::string_view command, std::span<const std::string> what) {
  std::vector<std::string> arguments;
  arguments.emplace_back(command);
  for (const std::string& argument : what) arguments.push_back(argument);
  return arguments;
}

std::string quoted(const std::string& argument) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  std::string text(1, '\'');
  for (const char c : argument) {
    if (c == '\'') text += "'\\''";
    else text += c;
  }
  text += '\'';
  return text;
}

/// The lecture as it is, whatever the person has set.
std::vector<std::string> handout_command(const ExportChoices& choices, std::span<const std::string> what) {
  std::vector<std::string> arguments{"handout"};
  for (std::size_t i = 0; i + 1 < what.size(); i += 2)
    if (what[i] != "--step" && what[i] != "--set") add(arguments, {what[i], what[i + 1]});
  add(arguments, {"--paper", std::string(paper_words[static_cast<std::size_t>(choices.paper)].name)});
  if (choices.notes) add(arguments, {"--notes"});
  return arguments;
}

}  // namespace

std::string_view to_string(ExportWhat what) { return info_of(what).name; }
std::string_view title_of(ExportWhat what) { return info_of(what).title; }
bool is_picture(ExportWhat what) { return kind_of(what) == FormKind::picture; }

FormKind kind_of(ExportWhat what) { return info_of(what).kind; }
std::span<const ExportForm> forms_of(ExportWhat what) { return forms_of(info_of(what).kind, info_of(what).last); }

std::string why_not(ExportWhat what, const Session& session) {
  if (what == ExportWhat::handout && session.lesson().lecture() == nullptr)
    return "No lecture is open: the handout is a lecture's.";
  if (what == ExportWhat::curve && !session.setup().has_task())
    return "Nothing is learnt here: the setup has no task. One is chosen in its panel, under Task.";
  return {};
}

std::string_view css_name(Paper paper) { return paper_words[static_cast<std::size_t>(paper)].label; }

const ExportForm& ExportChoices::form() const {
  const auto choices = forms_of(what);
  return choices[std::min(forms[static_cast<std::size_t>(what)], choices.size() - 1)];
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
  return choices;
}

std::string part_of(const Selection& place, const Setup& setup) {
  const Cell cell = cell_of(place, setup);
  TensorSlice slice{.tensor = cell.tensor};
  const std::size_t whole = std::min<std::size_t>(2, static_cast<std::size_t>(cell.index.rank()));
  const std::span leading(cell.index.begin(), static_cast<std::size_t>(cell.index.rank()) - whole);
  std::copy(leading.begin(), leading.end(), slice.at.begin());
  return to_string(slice);
}

std::string shown_part(const Session& session) { return part_of(session.selection(), session.setup()); }

std::vector<std::string> what_arguments(const Session& session, const NamedSources& sources) {
  std::vector<std::string> what;
  if (session.lesson().lecture() != nullptr) {
    what = {"--lecture", session.lesson().lecture()->id, "--step", std::to_string(session.lesson().at.index + 1)};
    if (!sources.lectures.empty()) add(what, {"--lectures", sources.lectures.string()});
    add_each(what, "--set", overrides_between(*session.lesson().setup(), session.setup()));
  } else if (sources.setup_file) {
    what = {"--setup", sources.setup_file->path.string()};
    add_each(what, "--set", overrides_between(sources.setup_file->setup, session.setup()));
  }
  return what;
}

std::vector<std::string> export_command(const ExportChoices& choices, const Session& session, const ScreenPlace& screen,
                                        std::span<const std::string> what, std::string_view part,
                                        const std::filesystem::path& output) {
  const ExportForm& form = choices.form();
  const bool drawn = is_picture(choices.what) && form.drawn();
  std::vector<std::string> arguments = begun(drawn ? "render" : "export", what);
  if (choices.what == ExportWhat::handout) {
    arguments = handout_command(choices, what);
  } else if (drawn) {
    add_place(arguments, session, choices.what);
    add_display(arguments, session, screen, choices.what);
    add_look(arguments, choices, screen, choices.what, choices.dpi);
  } else if (choices.what == ExportWhat::animation) {
    add_place(arguments, session, choices.animated);
    add_display(arguments, session, screen, choices.animated);
    add_look(arguments, choices, screen, choices.animated, choices.dpi);
    add(arguments, {"--frames", choices.frames, "--seconds", number(choices.seconds)});
  } else {
    if (form.of_tensor) add(arguments, {"--tensor", std::string(part)});
    add(arguments, {"--as", std::string(form.name)});
    if (choices.what == ExportWhat::lecture) add_first_step(arguments, session);
    if (form.rounded) add(arguments, {"--digits", std::to_string(choices.digits)});
  }
  add(arguments, {"-o", output.string()});
  return arguments;
}

namespace {

/// Limits the size to the pixels that a preview can show. A figure looks the same at every size of one shape, so a
/// smaller size changes nothing else; the window does not, so it keeps its size.
ExportChoices for_preview(ExportChoices choices, ExportWhat figure) {
  constexpr double most_pixels = 1600;
  const double times = most_pixels / std::max(choices.pixels[0], choices.pixels[1]);
  if (figure != ExportWhat::window && times < 1)
    for (double& length : choices.pixels) length = std::max(64.0, std::round(length * times));
  return choices;
}

}  // namespace

std::vector<std::string> preview_command(const ExportChoices& choices, const Session& session,
                                         const ScreenPlace& screen, std::span<const std::string> what,
                                         const std::filesystem::path& output) {
  constexpr double screen_dpi = 96;
  const ExportWhat figure = choices.what == ExportWhat::animation ? choices.animated : choices.what;
  std::vector<std::string> arguments = begun("render", what);
  add_place(arguments, session, figure);
  add_display(arguments, session, screen, figure);
  add_look(arguments, for_preview(choices, figure), screen, figure, screen_dpi);
  add(arguments, {"-o", output.string()});
  return arguments;
}

std::string as_typed(std::span<const std::string> arguments) {
  std::string text = "headlight";
  for (const std::string& argument : arguments) text += ' ' + quoted(argument);
  return text;
}

}  // namespace headlight
