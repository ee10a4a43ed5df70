#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/play/curve.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/base/later.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/pictures/step_pictures.hpp"
#include "core/setup/validity.hpp"

namespace headlight {
namespace {

constexpr float ticks_below = 22;
constexpr float value_below = 24;  ///< the number itself, below the ticks
constexpr float scale_beside = 46;
constexpr float widest_labels = 130;
constexpr float label_line = 17;
constexpr float least_across = 180;  ///< of the plot alone
constexpr float least_down = 90;
constexpr float highest_plot = 420;

/// Everything that the curves depend on. The setups have the number's lowest value, so that dragging changes nothing.
struct CurvesKey {
  std::vector<Setup> setups;  ///< one for all lines, or one for each
  PlayNumber number;
  std::vector<std::string> values;
  ModelTrace before;

  friend bool operator==(const CurvesKey&, const CurvesKey&) = default;
};
struct CurvesMemory {
  Later<CurvesKey, std::vector<Curve>> curves;
};

/// NaN where the expression has no value, as if its tensor is not there.
double number_or_nothing(const Expression& value, const ModelTrace& model, const ModelTrace& before) {
  try {
    return value.number({model, before.empty() ? nullptr : &before});
  } catch (const InputError&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

std::string axis_number(double value) {
  if (value == 0) return "0";
  const double power = std::log10(std::abs(value));
  if (power >= 4 && power == std::round(power)) return power_words(static_cast<int>(power)).substr(2);  // without ×
  if (std::abs(value) >= 1e4) return fmt::format("{:.2g}", value);
  std::string text = fmt::format("{:.4g}", value);
  if (text.starts_with("-")) text.replace(0, 1, "−");
  return text;
}

/// Round numbers in a range, about as many as wanted.
std::vector<double> round_numbers(double low, double high, int wanted) {
  const double rough = (high - low) / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double times : {5.0, 2.0, 1.0})
    if (times * power >= rough) step = times * power;
  std::vector<double> numbers;
  for (double at = std::ceil(low / step - 1e-9) * step; at <= high + 1e-9 * step; at += step)
    numbers.push_back(std::abs(at) < 1e-9 * step ? 0 : at);
  return numbers;
}

std::vector<double> ticks_of(const PlayNumber& number, int wanted) {
  if (!number.logarithmic) return round_numbers(number.low, number.high, wanted);
  std::vector<double> powers;
  const int first = static_cast<int>(std::ceil(std::log10(number.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(number.high) + 1e-9));
  const int every = std::max(1, (last - first + wanted) / std::max(1, wanted));
  for (int power = first; power <= last; power += every) powers.push_back(std::pow(10.0, power));
  if (powers.size() < 2) return {number.low, number.high};
  return powers;
}

/// Words at a height beside the plot. Those that would touch become one.
struct BesideWords {
  std::string words;
  float y = 0;
  std::size_t count = 1;
};

std::vector<BesideWords> joined_words(std::vector<BesideWords> words) {
  std::ranges::stable_sort(words, {}, &BesideWords::y);
  std::vector<BesideWords> joined;
  for (BesideWords& one : words) {
    if (joined.empty() || one.y - joined.back().y > label_line - 2) {
      joined.push_back(std::move(one));
      continue;
    }
    BesideWords& last = joined.back();
    last.words += ", " + one.words;
    last.y += (one.y - last.y) / static_cast<float>(++last.count);
  }
  return joined;
}

/// The same, each on a line of its own: those that would touch move up, and with them those above.
std::vector<BesideWords> one_below_another(std::vector<BesideWords> words) {
  std::ranges::stable_sort(words, std::ranges::greater{}, &BesideWords::y);
  for (std::size_t i = 1; i < words.size(); ++i) words[i].y = std::min(words[i].y, words[i - 1].y - label_line - 1);
  return words;
}

/// How much room the names of the lines take beside the plot; those of several setups stand behind their numbers there.
float label_room(const Canvas& canvas, const CurvePicture& picture) {
  float widest = 0;
  if (picture.compares_setups()) {
    for (const CurvePicture::Line& line : picture.lines)
      widest = std::max(widest, canvas.width("0.00 " + line.label, TextStyle::number_lit));
    return widest + 16;
  }
  float all = 0;
  for (const CurvePicture::Line& line : picture.lines) {
    const float wide = canvas.width(line.label, TextStyle::control_strong);
    widest = std::max(widest, wide);
    all += wide + 8;
  }
  return std::min(std::max(widest, std::min(all, widest_labels)), widest_labels) + 10;
}

class CurveDrawing : FrameTools {
 public:
  CurveDrawing(ViewContext& context, const CurvePicture& picture, Rect area)
      : FrameTools(context), picture_(picture), number_(parse_play(context.session.trace(), picture.play)) {
    if (!hides_lines()) curves_ = computed();
    find_range();
    area.h = std::min(area.h, highest_plot);
    value_ = area.cut_bottom(value_below);
    ticks_ = area.cut_bottom(ticks_below);
    labels_left_ = !picture_.compares_setups() && spreads_at_start();
    labels_ =
        labels_left_ ? area.cut_left(label_room(canvas_, picture_)) : area.cut_right(label_room(canvas_, picture_));
    scale_strip_ = labels_left_ ? area.cut_right(scale_beside) : area.cut_left(scale_beside);
    area.cut_top(8);
    plot_ = area;
  }

  void draw() {
    draw_axes();
    if (hides_lines())
      canvas_.text_in(plot_, "The curve appears with the answer.", TextStyle::control, theme_.text3, Align::center);
    else if (curves_ == nullptr) {
      canvas_.text_in(plot_, "Computing the curve…", TextStyle::control, theme_.text3, Align::center);
      context_.ui.request_frame_in(look_again);
    } else {
      draw_lines();
      if (!picture_.compares_setups() || (names_setups() && !marks_end())) draw_labels();
    }
    draw_mark();
    if (!context_.still) take_drag();
  }

 private:
  /// Of several setups a question may ask which line is which.
  bool hides_lines() const { return session_.lesson().asks() && !picture_.compares_setups(); }

  /// The names of several setups come with the answer.
  bool names_setups() const { return picture_.compares_setups() && !session_.lesson().asks(); }

  /// Whether the setup is where the lines of several setups end: then their numbers have room beside the plot.
  bool marks_end() const { return picture_.compares_setups() && x_of(number_.value) > plot_.right() - 2; }

  const std::vector<Curve>* computed() {
    PlayNumber number = number_;
    number.value = number.low;
    const auto lowest = [&](const Setup& setup) { return with_play_number(setup, number, number.low).value_or(setup); };
    CurvesKey key{{}, number, {}, session_.lesson().traces.before};
    if (!picture_.compares_setups()) key.setups.push_back(lowest(session_.setup()));
    std::vector<TraceNumber> values;
    for (const CurvePicture::Line& line : picture_.lines) {
      if (line.setup) key.setups.push_back(lowest(*line.setup));
      key.values.push_back(line.value.text());
      values.push_back([value = line.value, before = key.before](const ModelTrace& model) {
        return number_or_nothing(value, model, before);
      });
    }
    const std::vector<double> points = points_of(number);
    const Index cells =
        picture_.compares_setups() ? beside_the_frame : session_.trace().elements() * static_cast<Index>(points.size());
    return context_.memory.get<CurvesMemory>().curves.of(
        session_, key, cells,
        [setups = key.setups, number, points, values, threads = session_.threads()](Threads&,
                                                                                    const std::stop_token& stop) {
          if (setups.size() < values.size()) return curves_over(threads, setups.front(), number, points, values, stop);
          std::vector<Curve> curves;
          for (std::size_t i = 0; i < values.size(); ++i)
            curves.push_back(curves_over(threads, setups[i], number, points, {values[i]}, stop).front());
          return curves;
        });
  }

  /// From zero where the lines are not far from it.
  void find_range() {
    bool any = false;
    if (curves_ != nullptr)
      for (const Curve& curve : *curves_)
        for (const double value : curve.values) {
          if (!std::isfinite(value)) continue;
          least_ = any ? std::min(least_, value) : value;
          largest_ = any ? std::max(largest_, value) : value;
          any = true;
        }
    if (!any) return;
    if (least_ > 0 && least_ < 0.5 * largest_) least_ = 0;
    if (least_ == largest_) {
      least_ -= 0.5;
      largest_ += 0.5;
    }
  }

  /// Whether the lines are further apart at their start, where their labels then are.
  bool spreads_at_start() const {
    if (curves_ == nullptr || curves_->empty()) return false;
    const auto spread = [&](bool start) {
      double low = largest_;
      double high = least_;
      for (const Curve& curve : *curves_) {
        if (curve.values.empty()) continue;
        const double value = start ? curve.values.front() : curve.values.back();
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
      return high - low;
    };
    return spread(true) > spread(false);
  }

  float x_of(double value) const { return plot_.x + plot_.w * static_cast<float>(number_.share_of(value)); }
  float y_of(double value) const {
    const auto up = static_cast<float>(std::clamp((value - least_) / (largest_ - least_), 0.0, 1.0));
    return plot_.bottom() - plot_.h * up;
  }

  void draw_axes() const {
    canvas_.fill({plot_.x, plot_.bottom(), plot_.w, 1}, theme_.outline);
    const int wanted = std::clamp(static_cast<int>(plot_.w / 45), 2, 8);
    float from = -std::numeric_limits<float>::infinity();  // the end of the last number
    for (const double tick : ticks_of(number_, wanted)) {
      const float x = x_of(tick);
      canvas_.fill({x, plot_.bottom(), 1, 4}, theme_.outline);
      const std::string number = axis_number(tick);
      const float half = canvas_.width(number, TextStyle::code) / 2 + 1;
      // The names of lines at the left end where the plot begins, and the scale at the right begins where it ends.
      const float middle =
          labels_left_ ? std::clamp(x, plot_.x + half, std::max(plot_.x + half, plot_.right() - half)) : x;
      if (middle - half < from + 6) continue;
      from = middle + half;
      canvas_.text_in({middle - half, ticks_.y + 4, 2 * half, ticks_.h - 4}, number, TextStyle::code, theme_.text2,
                      Align::center);
    }
    if (curves_ == nullptr) return;
    for (const double tick : round_numbers(least_, largest_, plot_.h > 160 ? 5 : 3)) {
      const float y = y_of(tick);
      canvas_.fill({plot_.x, y, plot_.w, 1}, theme_.line);
      const Rect box{scale_strip_.x + (labels_left_ ? 8 : 0), y - 8, scale_strip_.w - 8, 16};
      canvas_.text_in(box, axis_number(tick), TextStyle::code, theme_.text2, labels_left_ ? Align::left : Align::right);
    }
  }

  void draw_lines() const {
    for (const Curve& curve : *curves_) {
      std::vector<Point> points;
      const auto finish = [&] {
        if (points.size() > 1) canvas_.polyline(points, theme_.text, 2);
        points.clear();
      };
      for (std::size_t i = 0; i < curve.at.size(); ++i) {
        if (std::isfinite(curve.values[i])) points.push_back({x_of(curve.at[i]), y_of(curve.values[i])});
        else finish();
      }
      finish();
    }
  }

  void draw_labels() const {
    std::vector<BesideWords> words;
    for (std::size_t i = 0; i < curves_->size() && i < picture_.lines.size(); ++i) {
      const Curve& curve = (*curves_)[i];
      if (curve.values.empty()) continue;
      const double value = labels_left_ ? curve.values.front() : curve.values.back();
      if (std::isfinite(value)) words.push_back({picture_.lines[i].label, y_of(value)});
    }
    for (const BesideWords& one : joined_words(std::move(words))) {
      const Rect box{labels_.x + (labels_left_ ? 0 : 10), one.y - label_line / 2, labels_.w - 10, label_line};
      canvas_.text_in(box, one.words, TextStyle::control_strong, theme_.text,
                      labels_left_ ? Align::right : Align::left);
    }
  }

  /// The number of a line where the mark is. What another setup gives there is read off its curve.
  double value_now(std::size_t line) const {
    const CurvePicture::Line& about = picture_.lines[line];
    if (!about.setup) return number_or_nothing(about.value, session_.model_trace(), session_.lesson().traces.before);
    const Curve& curve = (*curves_)[line];
    const auto after = std::ranges::lower_bound(curve.at, number_.value);
    if (after == curve.at.end()) return std::numeric_limits<double>::quiet_NaN();
    const auto at = static_cast<std::size_t>(after - curve.at.begin());
    if (*after == number_.value || at == 0) return curve.values[at];
    const double share = (number_.value - curve.at[at - 1]) / (curve.at[at] - curve.at[at - 1]);
    return std::lerp(curve.values[at - 1], curve.values[at], share);
  }

  /// Where the setup is, and the numbers there.
  void draw_mark() const {
    const float x = x_of(number_.value);
    canvas_.fill({x - 1, plot_.y, 2, plot_.h}, theme_.lamp);
    const std::string text = fmt::format("{} {}", number_.title, axis_number(number_.value));
    const float half = canvas_.width(text, TextStyle::body_strong) / 2 + 2;
    const float middle = std::clamp(x, plot_.x + half, std::max(plot_.x + half, plot_.right() - half));
    canvas_.text_in({middle - half, value_.y, 2 * half, value_.h}, text, TextStyle::body_strong, theme_.text,
                    Align::center);
    if (curves_ == nullptr) return;
    std::vector<BesideWords> words;
    for (std::size_t i = 0; i < picture_.lines.size(); ++i) {
      const double value = value_now(i);
      if (!std::isfinite(value)) continue;
      canvas_.disc({x, y_of(value)}, 5, theme_.lamp);
      const NumberFormat format = format_that_fits(std::abs(value), value < 0, 6, 2);
      const bool named = names_setups() && marks_end();
      words.push_back({named ? format(value) + " " + picture_.lines[i].label : format(value), y_of(value)});
    }
    const bool to_the_left = x > plot_.center().x;
    const std::vector<BesideWords> said =
        marks_end() ? one_below_another(std::move(words)) : joined_words(std::move(words));
    for (BesideWords one : said) {
      // Equal numbers are said once.
      if (one.count > 1 && one.words == repeated(one.words.substr(0, one.words.find(',')), one.count))
        one.words = one.words.substr(0, one.words.find(','));
      const float wide = canvas_.width(one.words, TextStyle::number_lit);
      const float left = marks_end() ? labels_.x + 10 : to_the_left ? x - 12 - wide : x + 12;
      const float top = marks_end() ? one.y - label_line / 2 : one.y - 20;
      const float lowest = plot_.bottom() - label_line * (marks_end() ? 0.5f : 1.0f);
      const Rect box{left, std::clamp(top, std::min(plot_.y - 8, lowest), lowest), wide, label_line};
      if (!marks_end()) canvas_.fill(box.outset(2), theme_.canvas, 3);
      canvas_.text_in(box, one.words, TextStyle::number_lit, theme_.text);
    }
  }

  static std::string repeated(const std::string& word, std::size_t count) {
    std::string all = word;
    while (--count > 0) all += ", " + word;
    return all;
  }

  void take_drag() {
    const Item item = context_.ui.item("curve", plot_, {.focusable = false});
    context_.ui.claim_edit(item);
    // On a slide a mouse that rests would cover the picture with it.
    if (!session_.display().presentation.presenting)
      context_.ui.tooltip(item, fmt::format("Drag to change {}", number_.title));
    if (!item.held) {
      if (item.released_now) session_.end_gesture();
      return;
    }
    const double share = std::clamp((context_.ui.mouse().x - plot_.x) / std::max(1.0f, plot_.w), 0.0f, 1.0f);
    const std::optional<Setup> next = with_play_number(session_.wanted(), number_, number_.at(share));
    if (next && *next != session_.wanted() && problems(*next).empty()) session_.edit(*next, "play " + number_.key);
  }

  const CurvePicture& picture_;
  PlayNumber number_;
  const std::vector<Curve>* curves_ = nullptr;  ///< null while they are computed, or hidden
  double least_ = 0;
  double largest_ = 1;
  bool labels_left_ = false;
  Rect plot_, labels_, scale_strip_, ticks_, value_;
};

}  // namespace

PictureFit fit_of(const ViewContext& context, const CurvePicture& picture, const Rect& area) {
  // The numbers of several setups leave their lines less room, and the step's words keep theirs.
  const float beside = picture.compares_setups() ? 10 : label_room(context.ui.canvas(), picture);
  const float across = area.w - scale_beside - beside;
  const bool seen = across >= least_across && area.h >= least_down;
  return {.cells = seen ? Cells::comfortable : Cells::missing, .pitch = std::min(across / 12, area.h / 6)};
}

void draw_picture(ViewContext& context, const CurvePicture& picture, const Rect& area) {
  // A number that the setup no longer has, as after an edit of its sizes, has no curve.
  if (!play_number(context.session.trace(), std::string_view(picture.play).substr(0, picture.play.find('=')))) {
    const Canvas canvas = context.ui.canvas();
    canvas.text_in(area, "The setup no longer has this number.", TextStyle::control, canvas.theme().text3,
                   Align::center);
    return;
  }
  CurveDrawing(context, picture, area).draw();
}

}  // namespace headlight
