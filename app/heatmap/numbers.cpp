#include "app/heatmap/numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/text/numbers.hpp"

namespace headlight {
namespace {

/// Numbers are drawn if a cell has room for three characters of the smallest type. In lower cells they would touch.
constexpr int fewest_characters = 3;
constexpr float lowest_cell = 16;
constexpr int usual_decimals = 4;  ///< where a step does not choose

/// Hyphens of formatted numbers become minus signs.
std::string with_minus(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '-') result += "−";
    else result += c;
  }
  return result;
}

/// The styles of numbers in cells of at least this pitch.
struct NumberStyles {
  float pitch_x;
  float pitch_y;
  TextStyle plain;
  TextStyle lit;
};
constexpr std::array number_styles{NumberStyles{176, 96, TextStyle::huge_number, TextStyle::huge_number_lit},
                                   NumberStyles{132, 72, TextStyle::larger_number, TextStyle::larger_number_lit},
                                   NumberStyles{88, 48, TextStyle::large_number, TextStyle::large_number_lit},
                                   NumberStyles{48, 20, TextStyle::number, TextStyle::number_lit},
                                   NumberStyles{0, 0, TextStyle::code, TextStyle::code_strong}};

std::span<const NumberStyles> styles_down_from(const HeatmapLayout& layout) {
  const auto first = std::find_if(number_styles.begin(), number_styles.end() - 1, [&](const NumberStyles& styles) {
    return layout.pitch_x() >= styles.pitch_x && layout.pitch_y() >= styles.pitch_y;
  });
  return {first, number_styles.end()};
}

constexpr float least_padding = 0.5f;

float room_across(const HeatmapLayout& layout, float most_padding) {
  const float usual = layout.pitch_x() >= 40 ? 4 : layout.pitch_x() >= 28 ? 1.5f : least_padding;
  const float padding = std::min(usual, most_padding);
  return layout.pitch_x() - layout.gap() - 2 * padding;
}

int characters_in(const Canvas& canvas, const HeatmapLayout& layout, const NumberStyles& styles,
                  float most_padding = 4) {
  return static_cast<int>(room_across(layout, most_padding) / canvas.width("0", styles.lit));
}

int integer_digits(double magnitude) {
  if (!std::isfinite(magnitude)) return 3;  // inf, nan
  return magnitude < 10 ? 1 : static_cast<int>(std::floor(std::log10(magnitude))) + 1;
}

/// Calls `body(cell, kind)` for every visible cell.
template <class Body>
void for_each_visible(const Heatmap& heatmap, Body&& body) {
  const GridBlock shown = heatmap.layout.visible();
  for (Index row = shown.rows.begin; row < shown.rows.end; ++row)
    for (Index column = shown.columns.begin; column < shown.columns.end; ++column)
      body(GridCell{row, column}, heatmap.slice.kind(row, column));
}

struct Magnitude {
  double largest = 0;
  bool any_negative = false;
};
Magnitude magnitude_of(const Heatmap& heatmap) {
  Magnitude magnitude;
  for_each_visible(heatmap, [&](GridCell cell, CellKind kind) {
    if (kind != CellKind::number) return;
    const double value = heatmap.slice.value(cell.row, cell.column);
    magnitude.largest = std::max(magnitude.largest, std::abs(value));
    magnitude.any_negative |= value < 0;
  });
  return magnitude;
}

/// The number as text in a cell. Whole numbers have no decimals, so that an exact 0 or 1 differs from numbers that are
/// rounded to it.
std::string text_in_cell(const NumberFormat& format, double value) {
  const bool is_whole = value == std::round(value) && (format.power == 0 || value == 0);
  return is_whole && !format.scientific ? NumberFormat{0}(value) : format(value);
}

/// How the visible numbers of a heatmap are written: in one format, or each with as many decimals as its cell takes.
struct Writing {
  const NumberStyles* styles = nullptr;
  int characters = 0;
  NumberFormat common;
  bool each = false;

  std::string operator()(double value) const {
    if (!each || !std::isfinite(value)) return text_in_cell(common, value);
    NumberFormat own = format_that_fits(std::abs(value), value < 0, characters, most_decimals_of_each);
    if (!own.scientific) return text_in_cell(own, value);
    if (std::abs(value) >= 1) return text_in_cell(common, value);
    own = format_that_fits(0, value < 0, characters, most_decimals_of_each);  // "0.00": too small for a digit
    return text_in_cell(own, value);
  }

 private:
  static constexpr int most_decimals_of_each = 6;
};

/// One format for all visible numbers of the heatmap, as multiples of 10^power.
NumberFormat common_format(const Heatmap& heatmap, const Magnitude& magnitude, int characters, int power) {
  const double multiple = power == 0 ? magnitude.largest : magnitude.largest * std::pow(10.0, -power);
  NumberFormat format =
      format_that_fits(multiple, magnitude.any_negative, characters, heatmap.decimals.value_or(usual_decimals));
  if (!format.scientific) format.power = power;
  return format;
}

/// The visible numbers of a heatmap, and how each of them reads.
class Texts {
 public:
  /// Writes them row by row until `most` faults are found: different numbers of a row that read the same, and numbers
  /// that read 0 but are not 0. Differences up to a tenth of the row's range, or a hundredth of the largest number in
  /// the picture, may be lost.
  Texts(const Heatmap& heatmap, const Writing& writing, double largest, int most)
      : writing_(writing), shown_(heatmap.layout.visible()) {
    numbers_.reserve(static_cast<std::size_t>(shown_.rows.size() * shown_.columns.size()));
    for (Index row = shown_.rows.begin; row < shown_.rows.end && faults_ < most; ++row) {
      for (Index column = shown_.columns.begin; column < shown_.columns.end; ++column) add(heatmap, row, column);
      faults_ += faults_of(shown_.columns, largest, [&](Index column) -> const Number& { return number(row, column); });
    }
    if (!heatmap.layout.shape().transposed) return;
    for (Index column = shown_.columns.begin; column < shown_.columns.end && faults_ < most; ++column)
      faults_ += faults_of(shown_.rows, largest, [&](Index row) -> const Number& { return number(row, column); });
  }

  const Writing& writing() const { return writing_; }
  const std::string& at(GridCell cell) const { return number(cell.row, cell.column).text; }
  int faults() const { return faults_; }

 private:
  struct Number {
    std::optional<double> value;  ///< none: there is no number
    std::string text;
  };

  void add(const Heatmap& heatmap, Index row, Index column) {
    Number& number = numbers_.emplace_back();
    if (heatmap.slice.kind(row, column) != CellKind::number) return;
    number.value = heatmap.slice.value(row, column);
    number.text = writing_(*number.value);
  }

  const Number& number(Index row, Index column) const {
    const Index place = (row - shown_.rows.begin) * shown_.columns.size() + column - shown_.columns.begin;
    return numbers_[static_cast<std::size_t>(place)];
  }

  template <class At>
  static int faults_of(const IndexRange& places, double largest_of_all, At&& at) {
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (Index place = places.begin; place < places.end; ++place)
      if (const auto& value = at(place).value) least = std::min(least, *value), most = std::max(most, *value);
    const double largest = std::max(std::abs(least), std::abs(most));
    const double noise = 1e-5 * largest;  // of arithmetic
    const double small = std::max(noise, least_of_picture * largest_of_all);
    const double visible = std::max(small, visible_share * (most - least));
    std::map<std::string_view, double> first;
    int faults = 0;
    for (Index place = places.begin; place < places.end; ++place) {
      const auto& [value, text] = at(place);
      if (!value) continue;
      const double same = first.try_emplace(text, *value).first->second;
      const bool reads_zero = text.find_first_of("123456789") == std::string::npos;
      const double missed = text == "0" ? noise : std::max(small, visible_share * largest);
      if (std::abs(same - *value) > visible || (reads_zero && std::abs(*value) > missed)) ++faults;
    }
    return faults;
  }

  static constexpr double visible_share = 0.1;
  static constexpr double least_of_picture = 0.01;

  Writing writing_;
  GridBlock shown_;
  std::vector<Number> numbers_;
  int faults_ = 0;
};

/// The numbers in their usual type and format, if those of each row can be told apart then. Else each number has as
/// many decimals as its cell takes, or the type is smaller. If a step chooses the decimals, the type is made small
/// enough for them; if none is, they are written as if nothing were chosen. If every way has faults, the one with the
/// fewest.
Texts texts_of(const Canvas& canvas, const Heatmap& heatmap, int power) {
  const Magnitude magnitude = magnitude_of(heatmap);
  constexpr int any = std::numeric_limits<int>::max();
  std::optional<Texts> best;
  int least = any;
  /// Returns whether nothing is wrong with it.
  const auto take = [&](const Writing& writing) {
    Texts texts(heatmap, writing, magnitude.largest, heatmap.decimals ? any : least);
    const int faults = heatmap.decimals ? *heatmap.decimals - writing.common.decimals : texts.faults();
    if (faults < least) {
      best = std::move(texts);
      least = faults;
    }
    return least == 0;
  };
  const auto take_in = [&](const NumberStyles& styles, int characters) {
    Writing writing{&styles, characters, common_format(heatmap, magnitude, characters, power)};
    if (take(writing)) return true;
    writing.each = true;
    return power == 0 && !heatmap.decimals && take(writing);
  };
  const auto all = styles_down_from(heatmap.layout);
  const bool enough = std::ranges::any_of(
      all, [&](const NumberStyles& styles) { return take_in(styles, characters_in(canvas, heatmap.layout, styles)); });
  if (!enough) take_in(all.back(), most_characters_that_fit(canvas, heatmap.layout));
  if (!heatmap.decimals || least == 0) return *std::move(best);
  Heatmap free = heatmap;
  free.decimals.reset();
  return texts_of(canvas, free, power);
}

}  // namespace

std::string NumberFormat::operator()(double value) const {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "inf" : "−inf";
  if (!scientific) {
    std::string text = fmt::format("{:.{}f}", power == 0 ? value : value * std::pow(10.0, -power), decimals);
    // "−0.00" is written without its minus.
    if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
    if (leading_zero) return with_minus(text);
    const std::size_t sign = text.front() == '-' ? 1 : 0;
    if (text[sign] == '0') text.erase(sign, 1);
    else if (text.compare(sign, 2, "1.") == 0) text.pop_back();  // "1.0" is as wide as ".41"
    return with_minus(text);
  }
  if (value == 0) return "0";
  const std::string text = fmt::format("{:.{}e}", value, decimals);
  const std::size_t e = text.find('e');
  return with_minus(fmt::format("{}e{}", text.substr(0, e), std::stoi(text.substr(e + 1))));
}

NumberFormat format_that_fits(double largest, bool any_negative, int characters, int most_decimals) {
  constexpr int short_of_room = 4;
  const int sign = any_negative ? 1 : 0;
  // Rounding may carry into one more digit (9.99 to 10.0), so count the digits of what will be printed.
  double unit = std::pow(10.0, most_decimals);
  for (int decimals = most_decimals; decimals >= 0; --decimals, unit /= 10) {
    const double rounded = std::isfinite(largest * unit) ? std::round(largest * unit) / unit : largest;
    if (largest > 0 && rounded == 0) break;  // nothing but zeros
    const int tail = decimals > 0 ? 1 + decimals : 0;
    const bool all_below = rounded < 1 && decimals > 0 && characters <= short_of_room;
    // With a leading zero, only one decimal of a share would fit: 0.0 for all numbers below 0.05.
    const bool up_to_one = rounded == 1 && decimals == 2 && characters - sign == 3;
    const bool bare = all_below || up_to_one;
    if (sign + (bare ? 0 : integer_digits(rounded)) + tail <= characters) return {decimals, false, !bare};
  }
  const double magnitude = largest > 0 && std::isfinite(largest) ? largest : 1;  // inf has no exponent
  const int exponent = static_cast<int>(std::floor(std::log10(magnitude)));
  const int exponent_length = 1 + static_cast<int>(std::to_string(exponent).size());
  const int room = characters - sign - 1 - exponent_length;
  return {std::clamp(room - 1, 0, most_decimals), true, true};
}

int shared_power(const Canvas& canvas, const Heatmap& heatmap) {
  const int characters = characters_that_fit(canvas, heatmap.layout);
  if (characters == 0) return 0;
  const Magnitude visible = magnitude_of(heatmap);
  const NumberFormat plain =
      format_that_fits(visible.largest, visible.any_negative, characters, heatmap.decimals.value_or(usual_decimals));
  if (visible.largest == 0) return 0;
  const int power = static_cast<int>(std::floor(std::log10(visible.largest)));
  if (plain.scientific) return power;
  // Gradients are often all small, and one digit would say little. Shares stay as they are, and so do numbers that
  // would gain no digit.
  const bool one_digit = visible.any_negative && power <= -2 && visible.largest * std::pow(10.0, plain.decimals) < 9.5;
  return one_digit && format_that_fits(9.5, true, characters).decimals > 0 ? power : 0;
}

std::string power_words(int power) { return power == 0 ? std::string() : "×10" + superscript(power); }

int characters_that_fit(const Canvas& canvas, const HeatmapLayout& layout) {
  if (layout.reduced() || layout.pitch_y() < lowest_cell) return 0;
  const int fit = characters_in(canvas, layout, styles_down_from(layout).front());
  return fit >= fewest_characters ? fit : 0;
}

int most_characters_that_fit(const Canvas& canvas, const HeatmapLayout& layout) {
  return characters_in(canvas, layout, number_styles.back(), least_padding);
}

bool draw_numbers(const Canvas& canvas, const Heatmap& heatmap, int power) {
  if (characters_that_fit(canvas, heatmap.layout) == 0) return false;
  const Texts texts = texts_of(canvas, heatmap, power);
  const NumberStyles& styles = *texts.writing().styles;
  const Theme& theme = canvas.theme();
  const Rect clip = canvas.clip();
  canvas.push_clip(heatmap.layout.area());
  for_each_visible(heatmap, [&](GridCell cell, CellKind kind) {
    const Rect r = heatmap.layout.rect_of(cell);
    if (kind == CellKind::masked || r.intersected(clip).empty()) return;
    if (kind != CellKind::number) {
      canvas.text_in(r, word_for(kind), styles.lit, theme.error, Align::center);
      return;
    }
    const Color fill = heatmap.color_of(theme, cell);
    const bool quiet = heatmap.emphasis.quiets(cell);
    const bool lit = heatmap.emphasis.strength > 0 && !quiet;
    const Color ink = quiet && heatmap.emphasis.strength > 0.5f ? theme.number_on_quiet(fill) : number_on(fill);
    canvas.text_in(r, texts.at(cell), lit ? styles.lit : styles.plain, ink, Align::center);
  });
  canvas.pop_clip();
  return true;
}

void draw_signs(const Canvas& canvas, const Heatmap& heatmap) {
  constexpr float narrowest = 1.5f;
  constexpr float lowest = 3;
  const HeatmapLayout& layout = heatmap.layout;
  if (!heatmap.scale.diverging() || layout.pitch_x() < narrowest || layout.pitch_y() < lowest) return;
  const float thick = std::clamp(layout.pitch_y() / 12, 0.7f, 1.5f);
  // In cells narrower than a dash the neighbours' dashes join.
  const float wide = layout.pitch_x() < 8 ? layout.pitch_x() : std::min(0.5f * layout.pitch_x(), 9.0f);
  CellsShape dashes;
  for_each_visible(heatmap, [&](GridCell cell, CellKind kind) {
    if (kind != CellKind::number || !(heatmap.shaded().value(cell.row, cell.column) < 0)) return;
    const Point at = layout.rect_of(cell).center();
    dashes.cells.push_back(
        {{at.x - wide / 2, at.y - thick / 2, wide, thick}, number_on(heatmap.color_of(canvas.theme(), cell))});
  });
  canvas.push_clip(layout.area());
  if (canvas.recording() && !dashes.cells.empty()) canvas.record(std::move(dashes));
  canvas.pop_clip();
}

}  // namespace headlight
