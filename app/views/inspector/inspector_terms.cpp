#include "app/views/inspector/inspector_column.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/inspector/largest_terms.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

struct TermsMemory {
  bool all = false;  ///< whether every term of a sum is listed, not only the largest
};

/// The formats of numbers in a list of terms.
struct Formats {
  NumberFormat factor;
  NumberFormat value;
};

NumberFormat format_of(const std::vector<const Term*>& terms, bool of_factors, int characters) {
  double largest = 0;
  bool negative = !of_factors;  // values are written with their sign, "+" too
  const auto see = [&](double v) {
    if (!std::isfinite(v)) return;
    largest = std::max(largest, std::abs(v));
    negative |= v < 0;
  };
  for (const Term* term : terms) {
    if (!of_factors) see(term->value);
    else
      for (const Factor& factor : term->factors) see(factor.value);
  }
  return format_that_fits(largest, negative, characters, 3);
}

constexpr int factor_characters = 6;

/// A factor in the format of all factors, unless that would show only zeros: "−0.004" beside "12.50".
std::string factor_text(const NumberFormat& format, double value) {
  std::string text = format(value);
  const bool shows_some = text.find_first_not_of("−0.") != std::string::npos;
  if (value == 0 || shows_some) return text;
  return format_that_fits(std::abs(value), value < 0, factor_characters, 3)(value);
}

std::string with_sign(const NumberFormat& format, double value) {
  const std::string text = format(value);
  return value >= 0 ? "+" + text : text;
}

/// The bars' common axis: from the most negative to the most positive term, always including zero.
struct Bars {
  float x = 0;
  float width = 0;
  double low = 0;
  double high = 0;

  float at(double value) const {
    const double span = high - low;
    return x + width * static_cast<float>(span > 0 ? (value - low) / span : 0);
  }
};

Bars bars_of(float x, float width, const LargestTerms& terms) {
  Bars bars{x, width, std::min(0.0, terms.rest_sum), std::max(0.0, terms.rest_sum)};
  for (const Term* term : terms.shown) {
    if (!std::isfinite(term->value)) continue;
    bars.low = std::min(bars.low, term->value);
    bars.high = std::max(bars.high, term->value);
  }
  return bars;
}

void draw_bar(const Canvas& canvas, const Rect& row, const Bars& bars, double value) {
  const Theme& theme = canvas.theme();
  const float zero = bars.at(0);
  if (std::isfinite(value)) {
    const float end = bars.at(value);
    const float wide = std::max(1.0f, std::abs(end - zero));
    const Color ink = value < 0 ? theme.negative.stops.back() : theme.positive.stops.back();
    canvas.fill({std::min(zero, end), row.y + 3, wide, row.h - 6}, ink, 2);
  }
  canvas.fill({zero, row.y - 1, 1, row.h + 2}, theme.outline);
}

void draw_factors(Column& column, const Rect& area, const Term& term, const NumberFormat& format) {
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  const float times = canvas.width(" × ", TextStyle::mono);
  const auto count = static_cast<float>(term.factors.size());
  const float each = (area.w - times * (count - 1)) / count;
  float x = area.x;
  for (std::size_t i = 0; i < term.factors.size(); ++i) {
    const Factor& factor = term.factors[i];
    const Rect r{x, area.y, each, area.h};
    const std::string text = factor_text(format, factor.value);
    if (factor.cell)
      cell_link(column, fmt::format("factor {}", i), r, text, TextStyle::mono, factor_ink(theme, factor), *factor.cell,
                Align::right);
    else canvas.text_in(r, text, TextStyle::mono, theme.text2, Align::right);
    x += each + times;
    if (i + 1 < term.factors.size())
      canvas.text_in({x - times, area.y, times, area.h}, "×", TextStyle::mono, theme.text3, Align::center);
  }
}

void draw_sum_terms(Column& column, const std::vector<Term>& terms) {
  ViewContext& context = column.context;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const LargestTerms list = largest_terms(terms, context.memory.get<TermsMemory>().all);
  const Formats formats{format_of(list.shown, true, factor_characters), format_of(list.shown, false, 7)};
  float label_width = 26;
  for (const Term* term : list.shown) label_width = std::max(label_width, canvas.width(term->label, TextStyle::code));
  label_width = std::min(label_width, 64.0f) + 8;
  const float factors_width = 122;
  const float value_width = 64;
  const float bars_x = column.x + label_width + factors_width + 12;
  const Bars bars = bars_of(bars_x, std::max(12.0f, column.x + column.width - value_width - 8 - bars_x), list);
  int id = 0;
  for (const Term* term : list.shown) {
    const Rect row = column.row(column.line());
    ++id;
    if (!column.visible(row)) continue;
    context.ui.push_id(id);
    canvas.text_in({row.x, row.y, label_width - 6, row.h}, term->label, TextStyle::code, theme.text3);
    draw_factors(column, {row.x + label_width, row.y, factors_width, row.h}, *term, formats.factor);
    draw_bar(canvas, row, bars, term->value);
    canvas.text_in(row, with_sign(formats.value, term->value), TextStyle::mono, theme.text, Align::right);
    context.ui.pop_id();
  }
  if (list.rest > 0) {
    const Rect row = column.row(column.line());
    canvas.text_in(row, fmt::format("{} more", list.rest), TextStyle::caption, theme.text3);
    draw_bar(canvas, row, bars, list.rest_sum);
    canvas.text_in(row, with_sign(formats.value, list.rest_sum), TextStyle::mono, theme.text, Align::right);
  }
  if (terms.size() <= most_terms_shown + 1 || context.still) return;
  column.space(6);
  const Rect row = column.row(context.ui.reach(28));
  bool& all = context.memory.get<TermsMemory>().all;
  const std::string label = all ? "Show the longest only" : fmt::format("Show all {} terms", terms.size());
  if (button(context.ui, "all terms", {row.x, row.y, canvas.width(label, TextStyle::control) + 28, row.h}, label)) {
    all = !all;
    context.ui.request_frame();
  }
}

void draw_result_row(Column& column, std::string_view label, double value, TextStyle style = TextStyle::mono) {
  const Canvas canvas = column.context.ui.canvas();
  const Rect row = column.row(column.line());
  canvas.text_in(row, label, TextStyle::control, canvas.theme().text2);
  canvas.text_in(row, format_that_fits(std::abs(value), value < 0, 9, 4)(value), style, canvas.theme().text,
                 Align::right);
}

void draw_rule(Column& column) {
  column.space(5);
  column.context.ui.canvas().fill({column.x, column.y, column.width, 1}, column.context.ui.theme().line_strong);
  column.space(4);
}

/// One product alone: a row for each factor.
void draw_single_term(Column& column, const Term& term) {
  constexpr float value_width = 84;
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  int index = 0;
  for (const Factor& factor : term.factors) {
    const std::string name = (index > 0 ? "× " : "") + factor.name();
    Rect row = column.row(column.line());
    Rect words{row.x, row.y, row.w - value_width, row.h};
    if (canvas.width(name, TextStyle::code) > words.w) {  // a long name: the number is in a row below
      words.w = row.w;
      row = column.row(column.line() - 6);
    }
    const std::string id = fmt::format("source {}", index++);
    if (factor.cell) cell_link(column, id, words, name, TextStyle::code, factor_ink(theme, factor), *factor.cell);
    else canvas.text_in(words, name, TextStyle::code, theme.text2);
    canvas.text_in(row, format_that_fits(std::abs(factor.value), factor.value < 0, 9, 4)(factor.value), TextStyle::mono,
                   theme.text, Align::right);
  }
}

/// The dot product if the number is a score, a dot product times a factor, because its terms are worth showing too;
/// else null.
const Factor* inner_sum(const Explanation& explanation) {
  if (stage_of(explanation.cell.tensor).kind != StageKind::elementwise || explanation.terms.size() != 1) return nullptr;
  const Factor& first = explanation.terms.front().factors.front();
  return first.cell && stage_of(first.cell->tensor).kind == StageKind::product ? &first : nullptr;
}

}  // namespace

void draw_terms(Column& column, const Explanation& explanation) {
  const Canvas canvas = column.context.ui.canvas();
  draw_section(column, "Where it comes from", text_of(explanation.cell.tensor, column.context.session.setup()).title);
  column.y = canvas.paragraph({column.x, column.y + 11}, explanation.formula, TextStyle::code, canvas.theme().text3,
                              column.width, 17) -
             6;
  if (const Factor* sum = inner_sum(explanation)) {
    draw_sum_terms(column, explain(column.context.session.trace(), *sum->cell).terms);
    draw_rule(column);
    draw_single_term(column, explanation.terms.front());
  } else if (explanation.terms.size() > 1) {
    draw_sum_terms(column, explanation.terms);
    draw_rule(column);
  } else if (!explanation.terms.empty()) {
    draw_single_term(column, explanation.terms.front());
    draw_rule(column);
  }
  draw_result_row(column, explanation.terms.size() > 1 ? "sum" : "result", explanation.value, TextStyle::mono_strong);
}

}  // namespace headlight
