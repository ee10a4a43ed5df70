#include "app/commands/figure_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/commands/session_of.hpp"
#include "app/session/check/checked_work.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/words.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr int narrowest_window = 320;
constexpr int widest_window = 8192;
constexpr PageSize usual_window{1440, 900, LengthUnit::pixels};
constexpr double usual_dpi = 300;
constexpr double centimetres_per_inch = 2.54;

std::optional<PageSize> parse_size(const std::string& text) {
  PageSize size;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto read_length = [&](double& length, LengthUnit& unit) {
    const auto number = std::from_chars(at, end, length);
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

/// The size of the picture; nullopt if the figure chooses its own.
std::optional<PageSize> size_of(const RenderOptions& options, FigureKind figure, double dpi) {
  const bool window = figure == FigureKind::window;
  if (options.size.empty()) return window ? std::optional(usual_window) : std::nullopt;
  const int least = window ? narrowest_window : least_figure_pixels;
  const int most = window ? widest_window : most_figure_pixels;
  const auto size = parse_size(options.size);
  const double unit = size && size->unit == LengthUnit::centimetres ? dpi / centimetres_per_inch : 1;
  const auto fits = [&](double length) { return length * unit >= least && length * unit <= most; };
  if (size && fits(size->width) && fits(size->height)) return size;
  throw InputError({"--size", "", options.size,
                    fmt::format("WIDTHxHEIGHT in pixels or centimetres, as in 1440x900 or 12cmx8cm, each from {} to {} "
                                "pixels",
                                least, most)});
}

double dpi_of(const RenderOptions& options) {
  if (!options.dpi) return usual_dpi;
  if (options.size.find("cm") == std::string::npos)
    throw InputError({"--dpi", "", fmt::format("{}", *options.dpi), "only with a --size in centimetres"});
  if (*options.dpi >= 30 && *options.dpi <= 2400) return *options.dpi;
  throw InputError({"--dpi", "", fmt::format("{}", *options.dpi), "a number from 30 to 2400"});
}

void require_scale(double scale) {
  if (scale >= 1 && scale <= 4) return;
  throw InputError({"--scale", "", fmt::format("{}", scale), "a number from 1 to 4"});
}

FigureKind parse_figure(const std::string& name) {
  if (const auto figure = figure_named(name)) return *figure;
  throw InputError({"--figure", "", name, figure_words()});
}

/// Reads "rows=10..40", an axis and the range of its cells, into figure.zoom.
void add_zoom(Figure& figure, const std::string& text) {
  constexpr std::array<std::string_view, 3> axes{"columns", "rows", "inner"};  // in the order of ZoomAxis
  const auto equals = text.find('=');
  const auto dots = text.find("..");
  const auto axis = std::find(axes.begin(), axes.end(), std::string_view(text).substr(0, equals));
  CellRange range;
  const auto read = [&](std::size_t from, std::size_t to, double& value) {
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, value);
    return error == std::errc{} && end == text.data() + to && std::isfinite(value);
  };
  const bool whole = axis != axes.end() && equals != std::string::npos && dots != std::string::npos && dots > equals;
  if (whole && read(equals + 1, dots, range.from) && read(dots + 2, text.size(), range.to) && range.from >= 0 &&
      range.from < range.to) {
    figure.zoom[static_cast<std::size_t>(axis - axes.begin())] = range;
    return;
  }
  throw InputError({"--zoom", "", text, "rows, columns or inner with cells from 0, as in rows=10..40"});
}

ThemeName parse_theme(const std::string& name) {
  if (name == "dark") return ThemeName::dark;
  if (name == "light") return ThemeName::light;
  throw InputError({"--theme", "", name, "dark or light"});
}

View parse_view(const std::string& name) {
  if (const auto view = view_named(name)) return *view;
  throw InputError({"--view", "", name, view_words()});
}

Measure parse_measure(const std::string& name) {
  if (const auto measure = measure_named(name)) return *measure;
  throw InputError({"--watch", "", name, listed(measure_names)});
}

TensorId parse_tensor(const std::string& text, const Setup& setup) {
  const auto tensor = tensor_named(text);
  if (tensor && exists(*tensor, setup)) return *tensor;
  std::vector<std::string_view> names;
  for (const TensorInfo& info : all_tensors())
    if (exists(info.id, setup)) names.push_back(info.name);
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

}  // namespace

std::string figure_words() {
  std::vector<std::string_view> words;
  for (const FigureKind figure : all_figures) words.push_back(to_string(figure));
  return listed(words);
}

std::string view_words() {
  std::vector<std::string_view> words;
  for (const ViewInfo& view : view_table) words.push_back(view.word);
  return listed(words);
}

Figure figure_of(const RenderOptions& options) {
  Figure figure;
  figure.kind = parse_figure(options.figure);
  figure.theme = parse_theme(options.theme);
  figure.scale = options.scale;
  require_scale(figure.scale);
  figure.dpi = dpi_of(options);
  figure.size = size_of(options, figure.kind, figure.dpi);
  figure.transparent = options.transparent;
  for (const std::string& part : options.zoom) add_zoom(figure, part);
  if (figure.kind != FigureKind::play)
    for (const auto& [option, value] : {std::pair("--play", options.play), std::pair("--watch", options.watch)})
      if (!value.empty()) throw InputError({option, "", value, "it with --figure play"});
  if (!options.play.empty()) figure.played = options.play;
  if (!options.watch.empty()) figure.measure = parse_measure(options.watch);
  if (figure.transparent && figure.kind == FigureKind::window)
    throw InputError({"--transparent", "", "it with the window", "another --figure, as in --figure heatmap"});
  return figure;
}

namespace {

/// Throws where something needs a task that the setup does not have.
void require_task(const Setup& setup, std::string_view option, std::string_view wanted) {
  if (setup.has_task()) return;
  throw InputError({std::string(option), "", fmt::format("{} without a task", wanted),
                    "a setup with a task, as with --set 'task.name=\"previous\"'"});
}

}  // namespace

void show_place(Session& session, const RenderOptions& options) {
  if (!options.view.empty()) {
    const View view = parse_view(options.view);
    if (info(view).of_task) require_task(session.setup(), "--view", options.view);
    session.show(view);
  }
  if (options.head) {
    require_head(*options.head, session.setup());
    Selecting(session).select_head(*options.head);
  }
  if (options.batch) {
    require_batch(*options.batch, session.setup());
    Selecting(session).select_batch(*options.batch);
  }
  if (!options.tensor.empty()) Selecting(session).select_tensor(parse_tensor(options.tensor, session.setup()));
  if (options.answer) Lesson(session).show_answer();
  if (!options.cell.empty()) Selecting(session).pin(parse_cell(options.cell, session.setup()));
}

Session session_of(const What& what, const RenderOptions& options, const Figure& figure, const Report& report) {
  const bool compares = !options.view.empty() && info(parse_view(options.view)).of_two_states;
  if (!options.was.empty() && !compares)
    throw InputError({"--was", "", "it without --view compare", "it with --view compare"});
  if (!options.check.empty() && (!compares || !options.was.empty()))
    throw InputError(
        {"--check", "", compares ? "it with --was" : "it without --view compare", "it with --view compare alone"});
  const bool of_two_states = compares && options.check.empty();
  Session session = of_two_states ? compared_session_of(what, options.was, report) : session_of(what, report);
  if (!options.check.empty()) {
    Checking(session).set_work(with_arrays(session.state().checking.work(), handed_in(options.check)));
    Checking(session).clear_reference();
  }
  session.set_timed(false);
  if (figure.kind == FigureKind::curve) require_task(session.setup(), "--figure", options.figure);
  if (figure.kind == FigureKind::play) parse_play(session.trace(), figure.played);  // throws if it is no number
  Display display = with_display_settings(session.display(), options.show);
  display.appearance.theme = figure.theme;
  display.appearance.scale = figure.scale;
  session.set_display(display);
  if (options.answer && session.lesson().question() == nullptr)
    throw InputError({"--answer", "", "it at a step without a question", "a --lecture and --step with a question"});
  show_place(session, options);
  return session;
}

}  // namespace headlight
