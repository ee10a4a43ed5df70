#include "app/views/window/lesson_why.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/drawing/color_scale.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/view_memory.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr double film_seconds = 0.7;
constexpr float wide_by_then = 0.43f;  ///< of the film: the bars are as wide as their shares
constexpr float film_height = 104;
constexpr float high_enough_for_film = 410;
constexpr float label_width = 74;
constexpr float level_width = 96;
constexpr float strip_height = 40;
constexpr float handle_reach = 16;

const SentencePicture* sentence_of(const Session& session) {
  const Step* const step = session.lesson().step();
  const bool shown = step != nullptr && step->picture && session.display().view == View::picture;
  return shown ? std::get_if<SentencePicture>(&*step->picture) : nullptr;
}

std::string whole_or(double value, int decimals) {
  return value == std::round(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.{}f}", value, decimals);
}

/// Which of the blend's features the number is of.
std::size_t feature_of(const ViewContext& context) {
  const Cell cell = context.session.cell();
  const SentencePicture* const picture = sentence_of(context.session);
  const auto at = std::ranges::find(picture->features, cell.index[cell.index.rank() - 1]);
  return static_cast<std::size_t>(at - picture->features.begin());
}

/// The blend with the shares that are tried.
Blend tried(const Blend& blend, const std::vector<double>& shares) {
  if (shares.size() != blend.shares.size()) return blend;
  Blend other = blend;
  other.shares = shares;
  for (std::size_t f = 0; f < other.sums.size(); ++f)
    other.sums[f] = std::inner_product(shares.begin(), shares.end(), other.numbers[f].begin(), 0.0);
  return other;
}

/// One word gets this share, and the others shrink or grow in proportion.
std::vector<double> with_share(const Blend& blend, std::size_t word, double share) {
  share = std::clamp(share, 0.0, 1.0);
  std::vector<double> shares = blend.shares;
  const double rest = 1 - blend.shares[word];
  for (double& each : shares)
    each = rest > 1e-9 ? each * (1 - share) / rest : (1 - share) / static_cast<double>(shares.size() - 1);
  shares[word] = share;
  return shares;
}

/// "river’s surplus fills up the others", where one word alone has more than the blend.
std::string surplus_words(const Blend& blend, std::size_t feature) {
  std::vector<std::size_t> above;
  bool any_below = false;
  for (std::size_t i = 0; i < blend.words.size(); ++i) {
    if (blend.numbers[feature][i] > blend.sums[feature] + 1e-9) above.push_back(i);
    any_below |= blend.numbers[feature][i] < blend.sums[feature] - 1e-9;
  }
  if (above.empty() || !any_below) return "All have the same, and so has the blend.";
  if (above.size() == 1)
    return fmt::format("The shares add up to 1, so the blend is a **level**: {} surplus fills up the others.",
                       possessive(blend.words[above.front()]));
  return "The shares add up to 1, so the blend is a **level**: those that have more fill up those that have less.";
}

WhyMemory& memory_of(ViewContext& context) {
  WhyMemory& memory = context.memory.get<WhyMemory>();
  const Cell cell = context.session.cell();
  if (memory.cell != cell) memory = WhyMemory{.cell = cell, .began = context.ui.time()};
  return memory;
}

/// How far the film is now.
float film_at(ViewContext& context, const WhyMemory& memory) {
  if (memory.held) return *memory.held;
  if (context.ui.memory().reduce_motion) return 1;
  const double at = std::min(1.0, (context.ui.time() - memory.began) / film_seconds);
  if (at < 1) context.ui.request_frame();
  return static_cast<float>(at);
}

struct Bars {
  Rect area;           ///< from the first bar's left to the last one's right
  double highest = 1;  ///< the number that is as high as the area
  float film = 1;
};

/// The words' numbers of one feature as bars, and the level of the blend.
void draw_bars(const Canvas& canvas, const ColorScale& scale, const Blend& blend, std::size_t feature, const Bars& bars,
               bool numbers) {
  const Theme& theme = canvas.theme();
  const auto count = static_cast<double>(blend.words.size());
  const double widened = std::min(1.0f, bars.film / wide_by_then);
  const double levelled = std::clamp((bars.film - wide_by_then) / (1 - wide_by_then), 0.0f, 1.0f);
  const auto height_of = [&](double number) { return static_cast<float>(number / bars.highest) * bars.area.h; };
  const double level = blend.sums[feature];
  const float level_y = bars.area.bottom() - height_of(level);
  float x = bars.area.x;
  for (std::size_t i = 0; i < blend.words.size(); ++i) {
    const double share = (1 - widened) / count + widened * blend.shares[i];
    const float wide = static_cast<float>(share) * bars.area.w;
    const double number = blend.numbers[feature][i];
    const Color color = scale.color(theme, number);
    const Rect bar{x, bars.area.bottom() - height_of(number), std::max(1.0f, wide - 1), height_of(number)};
    x += wide;
    const double surplus = levelled * std::max(0.0, number - level), gap = levelled * std::max(0.0, level - number);
    Rect solid = bar;
    const Rect above = solid.cut_top(height_of(surplus));
    canvas.fill(solid, color, 2);
    if (above.h > 1 && above.w > 3) {
      canvas.fill(above, mix(theme.canvas, color, 0.35), 2);
      canvas.dashed(above, color, 1);
    }
    const Rect missing{bar.x, bar.y - height_of(gap), bar.w, height_of(gap)};
    if (missing.h > 1 && missing.w > 3) {
      canvas.fill(missing, mix(theme.canvas, scale.color(theme, bars.highest), 0.22), 2);
      canvas.dashed(missing, theme.text3, 1);
    }
    const std::string text = whole_or(number, 2);
    if (numbers && solid.h >= 18 && solid.w >= canvas.width(text, TextStyle::large_number) + 6)
      canvas.text_in(solid, text, TextStyle::large_number, number_on(color), Align::center);
    else if (numbers && above.h >= 18 && above.w >= canvas.width(text, TextStyle::large_number) + 6)
      canvas.text_in(above, text, TextStyle::large_number, theme.text, Align::center);
  }
  canvas.fill({bars.area.x - 8, bars.area.bottom(), bars.area.w + 16, 1}, theme.text3);
  if (levelled > 0) canvas.fill({bars.area.x - 8, level_y - 1, bars.area.w + 24, 2}, theme.lamp);
}

/// The shares as a strip that adds up to 1. A border is dragged to try another share of the word at its left.
void draw_strip(ViewContext& context, const Blend& blend, const Blend& own, WhyMemory& memory, const Rect& strip) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const TextStyle style = TextStyle::body;
  float x = strip.x, label_end = strip.x - 4;
  for (std::size_t i = 0; i < blend.words.size(); ++i) {
    const float wide = static_cast<float>(blend.shares[i]) * strip.w;
    const Color color = theme.weights.at(blend.shares[i]);
    const Rect part{x, strip.y, std::max(1.0f, wide - 1), strip.h};
    canvas.fill(part, color, 2);
    const std::string share = fmt::format("{:.2f}", blend.shares[i]);
    const bool inside = canvas.width(share, TextStyle::number) + 8 <= part.w;
    if (inside) canvas.text_in(part, share, TextStyle::number, number_on(color), Align::center);
    const std::string label = inside ? blend.words[i] : blend.words[i] + " " + share.substr(share.starts_with('0'));
    const float label_width_now = canvas.width(label, style);
    const float left = std::max(label_end + 8, inside ? part.center().x - label_width_now / 2 : part.x);
    canvas.text({left, strip.bottom() + 18}, label, style, i == blend.query ? theme.query : theme.text2);
    label_end = left + label_width_now;
    x += wide;
    if (i + 1 == blend.words.size()) break;
    ui.push_id(static_cast<int>(i));
    const Item border =
        ui.item("border", {x - handle_reach / 2, strip.y - 4, handle_reach, strip.h + 8}, {.focusable = false});
    ui.pop_id();
    ui.claim_drag(border, DragUse::sideways);
    const bool lit = border.hovered || border.held;
    canvas.fill({x - 2.5f, strip.y - 4, lit ? 5.0f : 3.0f, strip.h + 8}, lit ? theme.lamp : theme.text3, 2);
    if (border.held && border.dragged) {
      const double before =
          std::accumulate(own.shares.begin(), own.shares.begin() + static_cast<std::ptrdiff_t>(i), 0.0);
      // The words before it give way, too, so the border is under the pointer where share + before' = its place.
      const double place = std::clamp(static_cast<double>((ui.mouse().x - strip.x) / strip.w), 0.0, 1.0);
      const double rest = 1 - own.shares[i];
      const double scale = rest > 1e-9 ? before / rest : 0;
      const double share_now = scale < 1 ? (place - scale) / (1 - scale) : own.shares[i];
      memory.shares = with_share(own, i, share_now);
      memory.dragged = i;
      memory.held = 1.0f;
      ui.request_frame();
    }
  }
}

void draw_film(ViewContext& context, const ColorScale& scale, const Blend& blend, std::size_t feature,
               WhyMemory& memory, Rect row, double highest) {
  constexpr std::array<std::string_view, 3> words{"the words", "as wide as their shares", "level: the blend"};
  constexpr std::array<float, 3> places{0, wide_by_then, 1};
  constexpr float arrow = 30;
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const float wide = (row.w - 2 * arrow) / 3;
  const float now = film_at(context, memory);
  for (std::size_t i = 0; i < places.size(); ++i) {
    Rect card = row.cut_left(wide);
    if (i + 1 < places.size()) canvas.icon_centered(Icon::forward, row.cut_left(arrow).moved(0, -12), theme.text3);
    const Rect label = card.cut_bottom(24);
    ui.push_id(static_cast<int>(i));
    const Item item = ui.item("film", card);
    ui.say_control(item, words[i], "button");
    ui.pop_id();
    const float until = i + 1 < places.size() ? places[i + 1] : 2.0f;
    const bool lit = now >= places[i] && now < until;
    canvas.fill(card, theme.panel, 6);
    canvas.stroke(card, lit ? theme.lamp : theme.line_strong, lit ? 2.0f : 1.0f, 6);
    if (item.focused) canvas.focus_ring(card);
    Blend shown = blend;
    const Rect inside = card.inset(12, 10);
    if (i == 2)
      for (double& number : shown.numbers[feature]) number = blend.sums[feature];
    draw_bars(canvas, scale, shown, feature, {inside, highest, std::min(places[i], wide_by_then)}, false);
    canvas.text_in(label, canvas.ellipsized(words[i], TextStyle::control, label.w), TextStyle::control,
                   lit ? theme.text : theme.text2, Align::center);
    if (!item.clicked) continue;
    memory.held = places[i];
    ui.request_frame();
  }
}

}  // namespace

std::optional<Blend> asked_blend(const ViewContext& context) {
  const Session& session = context.session;
  const SentencePicture* const picture = sentence_of(session);
  if (picture == nullptr || !picture->blend || !session.state().pinned) return std::nullopt;
  const Cell cell = session.cell();
  if ((cell.tensor != TensorId::output && cell.tensor != TensorId::context) ||
      session.lesson().hides(cell, session.setup()))
    return std::nullopt;
  const Index feature = cell.index[cell.index.rank() - 1];
  if (std::ranges::find(picture->features, feature) == picture->features.end()) return std::nullopt;
  auto blend = blend_of(session.trace(), cell.index[0], cell.index[cell.index.rank() - 2], picture->features);
  if (!blend) return std::nullopt;
  const bool all_positive = std::ranges::all_of(
      blend->numbers, [](const auto& row) { return std::ranges::all_of(row, [](double v) { return v >= 0; }); });
  return all_positive ? blend : std::nullopt;
}

void draw_blend_words(ViewContext& context, const Blend& blend, Rect area) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  WhyMemory& memory = memory_of(context);
  const std::size_t feature = feature_of(context);
  const std::string back = "←  Blend";
  const Rect button_row = area.cut_top(30);
  if (button(ui, "leave", {button_row.x - 12, button_row.y, canvas.width(back, TextStyle::control_strong) + 24, 28},
             back, {.kind = ButtonKind::quiet, .keys = "Esc"}))
    Selecting(context.session).release();
  const Rect title = area.cut_top(40);
  canvas.text_in(title, fmt::format("Why {}?", whole_or(blend.sums[feature], 2)), TextStyle::speech_strong, theme.text);
  const MarkdownType type{TextStyle::reading, TextStyle::reading_strong, TextStyle::reading_number, 25};
  const auto words = [&](const std::string& text) {
    area.cut_top(draw_markdown(canvas, area, parse_markdown(text), true, type) + 8);
  };
  words(fmt::format("Each word gives its **{}**, times its share. {}", blend.features[feature],
                    surplus_words(blend, feature)));
  // A line for each word: its share, its number, what it gives.
  constexpr float line = 28;
  const float gives = area.right(), number = area.x + 0.66f * area.w, times = area.x + 0.52f * area.w,
              share = area.x + 0.47f * area.w;
  Rect row = area.cut_top(line);
  const auto put = [&](float right, const std::string& text, Color color, TextStyle style = TextStyle::reading_number) {
    canvas.text({right, canvas.centered_baseline(row, style)}, text, style, color, Align::right);
  };
  put(share, "share", theme.text3, TextStyle::control);
  put(number, blend.features[feature], theme.text3, TextStyle::control);
  put(gives, "gives", theme.text3, TextStyle::control);
  double sum = 0;
  for (std::size_t i = 0; i < blend.words.size(); ++i) {
    row = area.cut_top(line);
    const double given = blend.shares[i] * blend.numbers[feature][i];
    sum += given;
    canvas.text_in(row, canvas.ellipsized(blend.words[i], TextStyle::reading, share - row.x - 60), TextStyle::reading,
                   i == blend.query ? theme.query : theme.text);
    put(share, fmt::format("{:.3f}", blend.shares[i]), theme.text);
    put(times, "×", theme.text3);
    put(number, whole_or(blend.numbers[feature][i], 2), theme.text);
    put(gives, fmt::format("{:.3f}", given), given == 0 ? theme.text3 : theme.text);
  }
  canvas.fill({area.x, area.y + 3, area.w, 1}, theme.line_strong);
  area.cut_top(6);
  row = area.cut_top(line);
  canvas.text_in(row, "the blend", TextStyle::reading_strong, theme.text);
  put(gives, fmt::format("{:.3f}", sum), theme.text, TextStyle::large_number_lit);
  row = area.cut_top(22);
  put(gives, "every number rounded to 3 digits", theme.text3, TextStyle::control);
  area.cut_top(8);
  if (memory.shares.empty()) return;
  const Blend other = tried(blend, memory.shares);
  const std::size_t word = memory.dragged.value_or(0);
  std::string sums;
  for (std::size_t f = 0; f < other.sums.size(); ++f)
    sums += fmt::format("{}**{:.2f}** {}", f == 0 ? "" : ", ", other.sums[f], other.features[f]);
  canvas.disc({area.x + 5, area.y + 12}, 4, theme.changed);
  area.cut_left(18);
  words(fmt::format("If {} gave **{:.2f}** of itself: {}. The others shrink in proportion. Backspace puts it back.",
                    other.words[word], other.shares[word], sums));
}

void draw_blend_picture(ViewContext& context, const Blend& own, Rect area) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  WhyMemory& memory = memory_of(context);
  if (!memory.shares.empty() && ui.take_key(Key::backspace)) memory.shares.clear();
  const std::size_t feature = feature_of(context);
  const Blend blend = tried(own, memory.shares);
  double highest = 0;
  for (const auto& numbers : own.numbers)
    for (const double number : numbers) highest = std::max(highest, number);
  if (highest <= 0) highest = 1;
  const ColorScale scale = ColorScale::around_zero(0, highest);
  std::string sum;
  for (std::size_t i = 0; i < blend.words.size(); ++i)
    sum += fmt::format("{}{:.2f} · {}", i == 0 ? "" : "  +  ", blend.shares[i], blend.words[i]);
  const Rect formula = area.cut_top(32);
  const TextStyle formula_style =
      canvas.width(sum + "  =  the blend", TextStyle::reading) <= formula.w ? TextStyle::reading : TextStyle::control;
  canvas.text_in(formula, canvas.ellipsized(sum + "  =  the blend", formula_style, formula.w), formula_style,
                 theme.text2, Align::right);
  const Rect film = area.h >= high_enough_for_film ? area.cut_bottom(film_height) : Rect{};
  if (!film.empty()) area.cut_bottom(14);
  Rect below = area.cut_bottom(strip_height + 54);
  const auto count = static_cast<float>(blend.features.size());
  const float bar_width = area.w - label_width - level_width - 32;
  const float bar_height = (area.h - 22 * count) / count;
  const float now = film_at(context, memory);
  for (std::size_t f = 0; f < blend.features.size(); ++f) {
    area.cut_top(22);
    const Rect band = area.cut_top(bar_height);
    const Rect bars{band.x + label_width, band.y, bar_width, band.h};
    draw_bars(canvas, scale, blend, f, {bars, highest, now}, true);
    canvas.text_in({band.x, band.bottom() - 40, label_width - 16, 24}, blend.features[f],
                   f == feature ? TextStyle::reading_strong : TextStyle::reading,
                   f == feature ? theme.text : theme.text2, Align::right);
    // The level as a cell of its own.
    const float level = static_cast<float>(blend.sums[f] / highest) * band.h;
    const Rect cell{band.right() - level_width, band.bottom() - level, level_width, level};
    const Color fill = scale.color(theme, blend.sums[f]);
    canvas.fill(cell, fill, 3);
    const std::string text = whole_or(blend.sums[f], 2);
    if (cell.h >= 26) canvas.text_in(cell, text, TextStyle::large_number_lit, number_on(fill), Align::center);
    else
      canvas.text_in({cell.x, cell.y - 24, cell.w, 22}, text, TextStyle::large_number_lit, theme.text, Align::center);
    if (!memory.shares.empty() && std::abs(own.sums[f] - blend.sums[f]) > 0.004) {
      const float was = band.bottom() - static_cast<float>(own.sums[f] / highest) * band.h;
      for (float x = bars.x - 8; x < bars.right() + 16; x += 6) canvas.fill({x, was - 0.5f, 3, 1.5f}, theme.changed);
      canvas.text_in({cell.x, std::min(cell.bottom() + 2, band.bottom() + 2), cell.w, 18},
                     fmt::format("was {}", whole_or(own.sums[f], 2)), TextStyle::control, theme.changed, Align::center);
    }
  }
  below.cut_top(12);
  const Rect strip{below.x + label_width, below.y, bar_width, strip_height};
  canvas.text_in({below.x, below.y, label_width - 16, 20}, possessive(blend.words[blend.query]),
                 TextStyle::control_strong, theme.query, Align::right);
  canvas.text_in({below.x, below.y + 19, label_width - 16, 20}, "shares", TextStyle::control, theme.text2,
                 Align::right);
  draw_strip(context, blend, own, memory, strip);
  if (memory.shares.empty() && !ui.serves_finger())
    canvas.text_in({strip.right() + 16, strip.y, level_width + 16, strip_height}, "drag a border", TextStyle::control,
                   theme.text3);
  if (!film.empty())
    draw_film(context, scale, blend, feature, memory, {film.x + 20, film.y, film.w - 20, film.h}, highest);
}

}  // namespace headlight
