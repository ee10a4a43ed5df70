#include "app/session/export/export_job.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/session/display/display_entries.hpp"
#include "app/session/model/open_layer.hpp"
#include "app/session/session.hpp"
#include "core/formats/arrays/tensor_slice.hpp"
#include "core/formats/layers/layer_setup.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

std::string number(double value) { return fmt::format("{}", value); }

void add(std::vector<std::string>& to, std::initializer_list<std::string> more) { to.insert(to.end(), more); }

void add_each(std::vector<std::string>& to, std::string_view option, const std::vector<std::string>& values) {
  for (const std::string& value : values) add(to, {std::string(option), value});
}

void add_zoom(std::vector<std::string>& to, const ZoomRanges& zoom) {
  for (std::size_t axis = 0; axis < zoom_axes.size(); ++axis)
    if (zoom[axis]) add(to, {"--zoom", fmt::format("{}={}..{}", zoom_axes[axis], zoom[axis]->from, zoom[axis]->to)});
}

bool shows_view(ExportWhat figure, View view) {
  return shows_whole_view(figure) || (figure == ExportWhat::heads && view == View::heads) ||
         (figure == ExportWhat::equation && view == View::pipeline);
}

/// The part of a display that a picture can show: no open list, no brush, and nothing of the person's screen.
Display drawn_display(const Display& display) {
  Display drawn;
  for (const Entry<Display>& entry : display_entries())
    if (entry.group != ShownFor::none) entry.copy(display, drawn);
  drawn.heatmaps = display.heatmaps;
  return drawn;
}

/// Whether the picture is about one number, which is then pinned.
bool is_about_a_cell(ExportWhat figure) {
  return figure == ExportWhat::explanation || figure == ExportWhat::equation || figure == ExportWhat::sources ||
         figure == ExportWhat::head_sources;
}

/// What to change about a setup to get the reference; its title where they are equal, since without any --was the
/// reference is the file's own setup.
std::vector<std::string> was_of(const Setup& setup, const Setup& reference) {
  if (const std::vector<std::string> changes = overrides_between(setup, reference); !changes.empty()) return changes;
  Setup renamed = setup;
  renamed.title += "?";
  return overrides_between(renamed, reference);
}

/// Adds what the snapshot shows, as far as it matters to the figure.
void add_view_and_cell(std::vector<std::string>& to, const Snapshot& snapshot, ExportWhat figure) {
  if (shows_whole_view(figure)) add(to, {"--view", std::string(to_string(snapshot.display.view))});
  if (shows_whole_view(figure) && info(snapshot.display.view).of_text && snapshot.draft != Draft{})
    add(to, {"--draft", to_text(snapshot.draft)});
  if (snapshot.pinned || is_about_a_cell(figure)) return add(to, {"--cell", snapshot.cell});
  add(to, {"--tensor", snapshot.cell.substr(0, snapshot.cell.find('['))});
  if (snapshot.head > 0) add(to, {"--head", std::to_string(snapshot.head)});
  if (snapshot.batch > 0) add(to, {"--batch", std::to_string(snapshot.batch)});
}

/// Adds every display choice that differs from the default.
void add_display(std::vector<std::string>& to, const Snapshot& snapshot, ExportWhat figure) {
  const Display& display = snapshot.display;
  if (const auto said = snapshot.answers.find(snapshot.step); said != snapshot.answers.end() && said->second.shown)
    add(to, {"--answer"});
  const bool compares = shows_whole_view(figure) && info(display.view).of_two_states;
  if (compares && snapshot.work.shown && !snapshot.work.file.empty()) add(to, {"--check", snapshot.work.file});
  else if (compares && snapshot.reference) add_each(to, "--was", was_of(*snapshot.setup, *snapshot.reference));
  add_each(to, "--show", display_settings(display));
  if (figure == ExportWhat::window) add_each(to, "--show", window_settings(display));
  add_zoom(to, snapshot.zoom);
}

void add_size(std::vector<std::string>& to, const ExportJob& job) {
  const ExportChoices& choices = job.choices;
  if (choices.size == ExportSize::own) {
    if (!is_window(choices.figure())) return;
    const auto [pixels, scale] = enlarged(own_window(job), choices.scale);
    return add(to, {"--size", number(pixels[0]) + "x" + number(pixels[1])});
  }
  const auto& [width, height] = choices.size == ExportSize::pixels ? choices.pixels : choices.centimetres;
  const std::string_view unit = choices.size == ExportSize::pixels ? "" : "cm";
  add(to, {"--size", fmt::format("{}{}x{}{}", width, unit, height, unit)});
}

/// Adds the options for the choices; and the scale of the window where no option gives its size.
void add_choices(std::vector<std::string>& to, const ExportJob& job) {
  ExportChoices choices = job.choices;
  if (choices.size == ExportSize::own && is_window(choices.figure()))
    choices.scale = enlarged(own_window(job), choices.scale).scale;
  for (const Entry<ExportChoices>& entry : export_entries()) {
    if (!entry.is_applicable(choices)) continue;
    if (entry.name == "size") add_size(to, job);
    if (entry.group.name.empty() || (entry.group.only_if_chosen && entry.is_default(choices))) continue;
    add(to, {std::string(entry.group.name)});
    if (!entry.is_flag()) add(to, {entry.text(choices)});
  }
}

std::string quoted(const std::string& argument) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  return "'" + replaced(argument, "'", "'\\''") + "'";
}

/// A handout is of the lecture as it is, whatever the person has set.
std::vector<std::string> lecture_alone(std::span<const std::string> what) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i + 1 < what.size(); i += 2)
    if (what[i] != "--step" && what[i] != "--set") add(arguments, {what[i], what[i + 1]});
  return arguments;
}

}  // namespace

ExportJob export_job(const Session& session, const ExportChoices& choices, std::string part, const WindowSize& window,
                     const ZoomRanges& zoom) {
  ExportJob job{snapshot_of(session), choices, std::move(part), window};
  const ExportWhat figure = choices.figure();
  job.snapshot.pinned = job.snapshot.pinned || (choices.draws() && is_about_a_cell(figure));
  job.snapshot.display = drawn_display(session.display());
  if (shows_view(figure, session.display().view)) job.snapshot.zoom = zoom;
  return job;
}

bool shows_whole_view(ExportWhat figure) { return is_window(figure) || figure == ExportWhat::view; }

std::string part_of(const Selection& selection, const Setup& setup) {
  const Cell cell = cell_of(selection, setup);
  TensorSlice slice{.tensor = cell.tensor, .layer = cell.layer};
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
  } else if (const auto layer = shown_layer(session); layer && info(session.display().view).of_model) {
    const OpenModel& model = *session.state().model;
    what = {"--model", model.path.string(), "--layer", std::to_string(*layer)};
    add_each(what, "--set",
             overrides_between(layer_setup(model.layers[*layer], session.memory_limit()), session.setup()));
  } else if (sources.setup_file) {
    what = {"--setup", sources.setup_file->path.string()};
    add_each(what, "--set", overrides_between(sources.setup_file->setup, session.setup()));
  }
  return what;
}

ExportJob preview_of(ExportJob job) {
  constexpr double most_pixels = 1600;
  constexpr double screen_dpi = 96;
  ExportChoices& choices = job.choices;
  choices.what = choices.figure();
  choices.forms[static_cast<std::size_t>(choices.what)] = 0;  // PNG
  choices.dpi = screen_dpi;
  // A figure looks the same at every size of one shape; a window shows more in a larger one, so it keeps its size.
  const double times = most_pixels / std::max(choices.pixels[0], choices.pixels[1]);
  if (!is_window(choices.what) && times < 1)
    for (double& length : choices.pixels) length = std::max(figure_pixels.low, std::round(length * times));
  return job;
}

WindowSize own_window(const ExportJob& job) {
  const bool slide = job.choices.figure() == ExportWhat::slide;
  return slide ? WindowSize{{slide_pixels[0], slide_pixels[1]}, 1} : job.window;
}

WindowSize enlarged(const WindowSize& window, double scale) {
  const double longest = std::max(window.pixels[0], window.pixels[1]);
  const double times = std::min({scale, export_scales.high / window.scale, window_pixels.high / longest});
  WindowSize picture{window.pixels, std::max(window.scale * times, 1.0)};
  for (double& length : picture.pixels) length = std::max(std::round(length * times), window_pixels.low);
  return picture;
}

std::vector<std::string> command_of(const ExportJob& job, std::span<const std::string> what,
                                    const std::filesystem::path& output) {
  const ExportChoices& choices = job.choices;
  const bool handout = choices.what == ExportWhat::handout;
  const bool picture = choices.draws() && choices.what != ExportWhat::animation;
  std::vector<std::string> arguments{handout ? "handout" : picture ? "render" : "export"};
  for (const std::string& argument : handout ? lecture_alone(what) : std::vector(what.begin(), what.end()))
    arguments.push_back(argument);
  if (choices.draws()) {
    add_view_and_cell(arguments, job.snapshot, choices.figure());
    add_display(arguments, job.snapshot, choices.figure());
    if (picture || choices.what == ExportWhat::animation)
      add(arguments, {"--figure", std::string(to_string(choices.figure()))});
  } else if (!handout) {
    if (choices.form().of_tensor) add(arguments, {"--tensor", job.part});
    add(arguments, {"--as", std::string(choices.form().name)});
    const bool opens_at_cell = choices.form().opens_at_cell;
    if (opens_at_cell) add(arguments, {"--view", std::string(to_string(job.snapshot.display.view))});
    // A link or a page of a step names a cell only where the user has pinned one.
    if (opens_at_cell && (choices.what == ExportWhat::lecture || job.snapshot.pinned || job.snapshot.lecture.empty()))
      add(arguments, {"--cell", job.snapshot.cell});
  }
  add_choices(arguments, job);
  add(arguments, {"-o", output.string()});
  return arguments;
}

std::string to_text(const ExportJob& job) {
  TomlTable window;
  window["width"] = {job.window.pixels[0]};
  window["height"] = {job.window.pixels[1]};
  window["scale"] = {job.window.scale};
  TomlTable document;
  document["part"] = {job.part};
  document["snapshot"] = {toml_of(job.snapshot)};
  document["choices"] = {toml_of(job.choices)};
  document["window"] = {window};
  return document_text(document);
}

ExportJob parse_export_job(const std::string& text, const std::string& source) {
  const TomlTable document = parse_toml(text, source);
  const TomlTable* const snapshot = table_in(document, "snapshot");
  const TomlTable* const choices = table_in(document, "choices");
  const TomlTable* const window = table_in(document, "window");
  if (snapshot == nullptr || choices == nullptr || window == nullptr)
    throw InputError({source, "", "another document", "an export that a window asks for"});
  ExportJob job{snapshot_in(*snapshot, source), export_choices_of(*choices), {}, {}};
  read(document, "part", job.part);
  read(*window, "width", job.window.pixels[0]);
  read(*window, "height", job.window.pixels[1]);
  read(*window, "scale", job.window.scale);
  return job;
}

std::string as_typed(std::span<const std::string> arguments) {
  std::string text = "headlight";
  for (const std::string& argument : arguments) text += ' ' + quoted(argument);
  return text;
}

}  // namespace headlight
