#include "app/commands/figure_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/commands/what.hpp"
#include "app/figures/figure.hpp"
#include "app/session/checking.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/drafting.hpp"
#include "app/session/export/export_job.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"
#include "core/text/numbers.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

std::optional<PageSize> parse_size(const std::string& text) {
  PageSize size;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto read_length = [&](double& length, LengthUnit& unit) {
    const auto number = read_number(at, end, length);
    if (number.ec != std::errc{}) return false;
    at = number.ptr;
    unit = std::string_view(at, end).starts_with("cm") ? LengthUnit::centimetres : LengthUnit::pixels;
    if (unit == LengthUnit::centimetres) at += 2;
    return true;
  };
  LengthUnit other = LengthUnit::pixels;
  if (!read_length(size.width, size.unit) || at == end || (*at != 'x' && *at != 'X')) return std::nullopt;
  ++at;
  if (!read_length(size.height, other) || at != end || size.unit != other) return std::nullopt;
  const bool whole = size.width == std::floor(size.width) && size.height == std::floor(size.height);
  if (size.unit == LengthUnit::pixels && !whole) return std::nullopt;
  return size;
}

/// Puts the size into the choices. The window has a usual size; the other figures choose their own.
void take_size(const std::string& text, ExportChoices& choices) {
  if (text.empty()) {
    if (is_window(choices.figure())) choices.size = ExportSize::pixels;
    if (choices.figure() == ExportWhat::slide) choices.pixels = slide_pixels;
    return;
  }
  const auto size = parse_size(text);
  const bool in_centimetres = size && size->unit == LengthUnit::centimetres;
  choices.size = in_centimetres ? ExportSize::centimetres : ExportSize::pixels;
  const Range lengths = lengths_of(choices);
  if (!size || !lengths.has(size->width) || !lengths.has(size->height)) {
    const Range& pixels = pixels_of(choices.figure());
    throw InputError({"--size", "", text,
                      fmt::format("WIDTHxHEIGHT in pixels or centimetres, as in 1440x900 or 12cmx8cm, each from {} to "
                                  "{} pixels",
                                  pixels.low, pixels.high)});
  }
  (in_centimetres ? choices.centimetres : choices.pixels) = std::array{size->width, size->height};
}

/// Reads "rows=10..40", an axis and the range of its cells, into `zoom`.
void add_zoom(ZoomRanges& zoom, const std::string& text) {
  const auto equals = text.find('=');
  const auto dots = text.find("..");
  const auto axis = std::find(zoom_axes.begin(), zoom_axes.end(), std::string_view(text).substr(0, equals));
  CellRange range;
  const auto read = [&](std::size_t from, std::size_t to, double& value) {
    const auto [end, error] = read_number(text.data() + from, text.data() + to, value);
    return error == std::errc{} && end == text.data() + to && std::isfinite(value);
  };
  const bool whole =
      axis != zoom_axes.end() && equals != std::string::npos && dots != std::string::npos && dots > equals;
  if (whole && read(equals + 1, dots, range.from) && read(dots + 2, text.size(), range.to) && range.from >= 0 &&
      range.from < range.to) {
    zoom[static_cast<std::size_t>(axis - zoom_axes.begin())] = range;
    return;
  }
  throw InputError({"--zoom", "", text, "rows, columns or inner with cells from 0, as in rows=10..40"});
}

View parse_view(const std::string& name) {
  if (const auto view = view_named(name)) return *view;
  throw InputError({"--view", "", name, view_words()});
}

LayerTensor parse_tensor(const std::string& text, const Setup& of_any_layer) {
  std::string_view word = text;
  const bool has_layer = word.find('.') != std::string_view::npos;
  const Index named = has_layer ? take_layer_prefix(word) : of_any_layer.layer;
  const auto tensor = tensor_named(word);
  const Index layer = tensor ? layer_with(*tensor, named, of_any_layer) : named;
  if (layer >= of_any_layer.sizes.layers)
    throw InputError({"--tensor", "", text, fmt::format("a layer from L0 to L{}", of_any_layer.sizes.layers - 1)});
  const Setup setup = seen_at(of_any_layer, layer);
  if (tensor && exists(*tensor, setup)) return {layer, *tensor};
  std::vector<std::string_view> names;
  for (const TensorId id : existing_tensors(setup)) names.push_back(name(id));
  throw InputError({"--tensor", "", text, listed(names)});
}

void require_batch(Index item, const Setup& setup) {
  if (item >= 0 && item < setup.sizes.batch) return;
  throw InputError(
      {"--batch", "", fmt::format("{}", item), fmt::format("a batch item from 0 to {}", setup.sizes.batch - 1)});
}

void require_head(Index head, const Setup& setup) {
  if (head >= 0 && head < setup.sizes.heads) return;
  throw InputError({"--head", "", fmt::format("{}", head), fmt::format("a head from 0 to {}", setup.sizes.heads - 1)});
}

std::string text_of(const ControlInput& input) {
  if (const auto* const text = std::get_if<std::string>(&input)) return *text;
  if (const auto* const number = std::get_if<double>(&input)) return fmt::format("{}", *number);
  return "it";
}

/// Refuses what was typed for a choice that has no effect.
void require_effect(const TypedChoices& typed, const ExportChoices& choices) {
  for (const Entry<ExportChoices>& entry : export_entries()) {
    const auto found = typed.find(entry.name);
    if (found == typed.end() || entry.group.only.empty() || entry.is_applicable(choices)) continue;
    throw InputError({std::string(entry.group.name), "", text_of(found->second), std::string(entry.group.only)});
  }
}

/// What the command line makes without such an option.
ExportChoices usual_choices() {
  ExportChoices choices;
  choices.theme = ThemeName::dark;
  choices.seconds = 1;
  return choices;
}

CLI::Option* add_choice(CLI::App& app, const Entry<ExportChoices>& entry, TypedChoices& typed) {
  const std::string option(entry.group.name), help(entry.help), key(entry.name);
  const auto number = [&typed, key](double value) { typed[key] = value; };
  if (entry.is_flag()) return app.add_flag_callback(option, [&typed, key] { typed[key] = true; }, help);
  CLI::Option* made = nullptr;
  if (entry.value.kind == ValueKind::real) made = app.add_option_function<double>(option, number, help);
  else if (entry.is_whole()) made = app.add_option_function<int>(option, number, help);
  else
    made = app.add_option_function<std::string>(
        option, [&typed, key](const std::string& text) { typed[key] = text; }, help);
  made->type_name(std::string(entry.group.type_name));
  if (entry.group.tells_default) made->default_str(entry.text(usual_choices()));
  return made;
}

}  // namespace

std::vector<CLI::Option*> add_choices(CLI::App& app, ChoiceOf of, TypedChoices& typed) {
  std::vector<CLI::Option*> added;
  for (const Entry<ExportChoices>& entry : export_entries())
    if (!entry.group.name.empty() && entry.group.of == of) added.push_back(add_choice(app, entry, typed));
  return added;
}

ExportChoices with_typed(ExportChoices choices, const TypedChoices& typed) {
  for (const Entry<ExportChoices>& entry : export_entries()) {
    const auto found = typed.find(entry.name);
    if (found == typed.end()) continue;
    auto result = entry.with(choices, found->second);
    if (!result.owner)
      throw InputError({std::string(entry.group.name), "", text_of(found->second), entry.allowed_words()});
    choices = *std::move(result.owner);
  }
  return choices;
}

std::string figure_words() {
  std::vector<std::string_view> words;
  for (const ExportWhat what : all_exports)
    if (is_picture(what)) words.push_back(to_string(what));
  return listed(words);
}

std::string view_words() {
  std::vector<std::string_view> words;
  for (const ViewInfo& view : view_table) words.push_back(view.word);
  return listed(words);
}

ExportChoices choices_of(const RenderOptions& options, bool animated) {
  ExportChoices choices = usual_choices();
  const auto figure = picture_named(options.figure);
  if (!figure) throw InputError({"--figure", "", options.figure, figure_words()});
  choices.what = animated ? ExportWhat::animation : *figure;
  choices.animated = *figure;
  choices = with_typed(choices, options.choices);
  take_size(options.size, choices);
  require_effect(options.choices, choices);
  if (choices.transparent && is_window(*figure))
    throw InputError({"--transparent", "", fmt::format("--transparent with the {}", to_string(*figure)),
                      "another --figure, as in --figure heatmap"});
  ZoomRanges zoom;
  for (const std::string& part : options.zoom) add_zoom(zoom, part);  // throws before anything is computed
  return choices;
}

ExportJob job_of(const Session& session, const RenderOptions& options, const ExportChoices& choices) {
  ExportJob job{snapshot_of(session), choices, {}, {}};
  for (const std::string& part : options.zoom) add_zoom(job.snapshot.zoom, part);
  return job;
}

namespace {

/// Throws where something needs a task that the setup does not have.
void require_task(const Setup& setup, std::string_view option, std::string_view wanted) {
  if (setup.has_task()) return;
  throw InputError({std::string(option), "", fmt::format("{} without a task", wanted),
                    "a setup with a task, as with --set 'task.name=\"previous\"'"});
}

}  // namespace

void select_named(Session& session, const RenderOptions& options) {
  if (!options.view.empty()) {
    const View view = parse_view(options.view);
    if (info(view).of_text && !session.setup().task.is_text())
      throw InputError({"--view", "", fmt::format("{} without a text", options.view),
                        "only with task.name = \"text\", a task whose text a model continues"});
    if (info(view).of_task) require_task(session.setup(), "--view", options.view);
    if (info(view).of_model && !has_layers(session.setup(), session.state()))
      throw InputError({"--view", "", fmt::format("{} of a single layer", options.view),
                        "only with --model FILE|FOLDER, or with sizes.layers"});
    if (info(view).of_step && !session.lesson().has_picture())
      throw InputError({"--view", "", fmt::format("{} in a step without one", options.view),
                        "only with a step of a lecture that has a picture"});
    session.show(view);
  }
  if (!options.draft.empty()) {
    const auto draft = draft_in(options.draft);
    if (session.display().view != View::write)
      throw InputError({"--draft", "", "--draft without --view write", "only with --view write"});
    if (!draft)
      throw InputError({"--draft", "", options.draft,
                        "seed,top-k,temperature,characters of the prompt,text, as in 3,0,0.8,2,trivial"});
    Drafting(session).restore(*draft);
  }
  if (options.head) {
    require_head(*options.head, session.setup());
    Selecting(session).select_head(*options.head);
  }
  if (options.batch) {
    require_batch(*options.batch, session.setup());
    Selecting(session).select_batch(*options.batch);
  }
  if (!options.tensor.empty()) {
    const LayerTensor shown = parse_tensor(options.tensor, session.setup());
    session.look_at_layer(shown.layer);
    Selecting(session).select_tensor(shown.tensor);
  }
  if (options.answer) Lesson(session).show_answer();
  if (!options.cell.empty()) Selecting(session).pin(parse_cell(options.cell, session.setup()));
}

Session session_of(const What& what, const RenderOptions& options, const ExportChoices& choices, const Report& report) {
  const bool compares = !options.view.empty() && info(parse_view(options.view)).of_two_states;
  if (!options.was.empty() && !compares)
    throw InputError({"--was", "", "--was without --view compare", "only with --view compare"});
  if (!options.check.empty() && (!compares || !options.was.empty()))
    throw InputError({"--check", "", compares ? "--check with --was" : "--check without --view compare",
                      "only with --view compare, and without --was"});
  const bool of_two_states = compares && options.check.empty();
  Session session = of_two_states ? compared_session_of(what, options.was, report) : session_of(what, report);
  if (!options.check.empty()) {
    Checking(session).set_work(with_arrays(session.state().checking.work(), handed_in(options.check)));
    Checking(session).clear_reference();
  }
  session.set_timed(false);
  if (choices.figure() == ExportWhat::presenter && session.lesson().lecture() == nullptr)
    throw InputError({"--figure", "", "presenter without a lecture", "only with --lecture"});
  if (choices.figure() == ExportWhat::curve) require_task(session.setup(), "--figure", options.figure);
  if (choices.figure() == ExportWhat::play)
    parse_play(session.trace(), choices.played);  // throws if it can't be played
  session.set_display(with_display_settings(session.display(), options.show));
  if (options.answer && session.lesson().question() == nullptr)
    throw InputError({"--answer", "", "a step without a question", "a --lecture and --step with a question"});
  select_named(session, options);
  return session;
}

}  // namespace headlight
