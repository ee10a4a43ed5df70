#include "app/views/inspector/inspector_column.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/inspector/known_explanation.hpp"
#include "app/views/inspector/largest_terms.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

constexpr std::size_t most_products_shown = 4;  ///< of a score, beside the explanation of its weight

struct TermsMemory {
  bool all = false;                                  ///< whether every term of a sum is listed, not only the largest
  std::shared_ptr<const Explanation> sum = nullptr;  ///< the one that `listed` is of
  LargestTerms listed = {};
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

/// The width in which the factors of every row show all their digits.
float width_of_factors(const Canvas& canvas, const LargestTerms& list, const NumberFormat& format) {
  float widest = 0;
  std::size_t count = 1;
  for (const Term* term : list.shown) {
    count = std::max(count, term->factors.size());
    for (const Factor& factor : term->factors)
      widest = std::max(widest, canvas.width(factor_text(format, factor.value), TextStyle::mono));
  }
  const auto factors = static_cast<float>(count);
  return factors * (widest + 1) + (factors - 1) * canvas.width(" × ", TextStyle::mono);
}

/// The terms of a sum as bars, and the sum of those that have no row.
void draw_bars(Column& column, const LargestTerms& list) {
  ViewContext& context = column.context;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const Formats formats{format_of(list.shown, true, factor_characters), format_of(list.shown, false, 7)};
  float label_width = 26;
  for (const Term* term : list.shown) label_width = std::max(label_width, canvas.width(term->label, TextStyle::code));
  label_width = std::min(label_width, 64.0f) + 8;
  const float value_width = 64;
  const float most = column.width - label_width - value_width - 60;  // the bars keep some room
  const float factors_width =
      std::clamp(width_of_factors(canvas, list, formats.factor), 122.0f, std::max(122.0f, most));
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
}

/// The terms of a sum, the longest of a long one unless the user asks for all.
void draw_sum_terms(Column& column, const std::shared_ptr<const Explanation>& sum) {
  ViewContext& context = column.context;
  const std::vector<Term>& terms = sum->terms;
  auto& [all, of, listed] = context.memory.get<TermsMemory>();
  if (of != sum) {
    listed = largest_terms(terms, most_terms_shown, all);
    of = sum;
  }
  draw_bars(column, listed);
  if (terms.size() <= most_terms_shown + 1 || context.still) return;
  const Canvas canvas = context.ui.canvas();
  column.space(6);
  const Rect row = column.row(context.ui.reach(28));
  const std::string label = all ? "Show the longest only" : fmt::format("Show all {} terms", terms.size());
  if (button(context.ui, "all terms", {row.x, row.y, canvas.width(label, TextStyle::control) + 28, row.h}, label)) {
    all = !all;
    of.reset();
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

/// The factor's name, with its layer where that is the first of several.
std::string name_of(const Factor& factor, const Setup& setup) {
  return factor.cell && factor.label.empty() ? text_of(*factor.cell, setup) : factor.name();
}

/// One product alone: a row for each factor.
void draw_single_term(Column& column, const Term& term) {
  constexpr float value_width = 84;
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  int index = 0;
  for (const Factor& factor : term.factors) {
    const std::string name = (index > 0 ? "× " : "") + name_of(factor, column.context.session.setup());
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

/// The first cell that a term is computed from.
std::optional<Cell> source_of(const Term& term) {
  const auto found = std::ranges::find_if(term.factors, [](const Factor& factor) { return factor.cell.has_value(); });
  return found == term.factors.end() ? std::nullopt : found->cell;
}

/// The explanations on the path back from a weight to the dot product that it is computed from; empty where the layer
/// has none, or the key is hidden.
std::vector<Explanation> path_to_dot_product(const ModelTrace& model, const Explanation& weight) {
  std::vector<Explanation> path{weight};
  while (stage_of(path.back().cell.tensor).kind != StageKind::product) {
    if (path.back().terms.empty()) return {};
    const auto source = source_of(path.back().terms.front());
    if (!source) return {};
    path.push_back(explain(model.at(source->layer), *source));
  }
  return path;
}

/// The explanations on the path back from a number to the layer's input, along the largest term of each sum, and along
/// all terms of a sum of two tensors.
std::vector<Explanation> path_to_input(const ModelTrace& model, const Cell& from) {
  std::vector<Explanation> path{explain(model.at(from.layer), from)};
  for (;;) {
    const Explanation& last = path.back();
    if (last.terms.empty()) return path;
    std::vector<Cell> sources;
    if (stage_of(last.cell.tensor).kind == StageKind::elementwise) {
      for (const Term& term : last.terms)
        if (const auto source = source_of(term)) sources.push_back(*source);
    } else if (const auto source = source_of(*largest_terms(last.terms, 1).shown.front())) {
      sources.push_back(*source);
    }
    if (sources.empty()) return path;
    for (const Cell& source : sources) path.push_back(explain(model.at(source.layer), source));
    if (sources.size() > 1) return path;
  }
}

/// What a number of the path back is, in two or three words: "embedding[9,12]", "sin(5 · 0.42)", "Query projection".
std::string source_words(const Explanation& explanation, const Setup& setup) {
  const bool alone = explanation.terms.size() == 1 && explanation.terms.front().factors.size() == 1;
  if (alone && !explanation.terms.front().factors.front().cell) return explanation.terms.front().factors.front().name();
  return std::string(text_of(explanation.cell.tensor, setup).title);
}

void draw_path_row(Column& column, const Explanation& explanation) {
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  Rect row = column.row(column.line());
  const std::string name = text_of(explanation.cell, column.context.session.setup());
  const std::string value =
      format_that_fits(std::abs(explanation.value), explanation.value < 0, 7, 4)(explanation.value);
  cell_link(column, "way " + name, row.cut_left(canvas.width(name, TextStyle::code) + 8), name, TextStyle::code,
            theme.identity(info(explanation.cell.tensor).role, theme.text2), explanation.cell);
  canvas.text_in(row.cut_right(canvas.width(value, TextStyle::mono) + 8), value, TextStyle::mono, theme.text,
                 Align::right);
  const std::string words = source_words(explanation, column.context.session.trace_of(explanation.cell).setup);
  if (canvas.width(words, TextStyle::caption) <= row.w)
    canvas.text_in(row, words, TextStyle::caption, theme.text3, Align::right);
}

/// How a weight came about. It is explained once for each cell and trace, since a wide layer has long sums.
struct PathBack {
  std::optional<Cell> cell;
  std::uint64_t version = 0;       ///< of the trace
  std::vector<Explanation> score;  ///< from the weight to its dot product; empty where there is none
  LargestTerms products;           ///< of the last of them
  std::vector<Explanation> input;  ///< from the largest term on; empty where that has no source
};

PathBack path_back(const ModelTrace& model, const Explanation& weight) {
  const std::uint64_t version = model.at(weight.cell.layer).version;
  PathBack path{weight.cell, version, path_to_dot_product(model, weight), {}, {}};
  if (path.score.empty()) return path;
  path.products = largest_terms(path.score.back().terms, most_products_shown);
  if (const auto source = source_of(*largest_terms(path.score.back().terms, 1).shown.front()))
    path.input = path_to_input(model, *source);
  return path;
}

}  // namespace

void draw_terms(Column& column, const std::shared_ptr<const Explanation>& shown) {
  const Explanation& explanation = *shown;
  const Canvas canvas = column.context.ui.canvas();
  draw_section(column, "Where it comes from", text_of(explanation.cell.tensor, column.context.session.setup()).title);
  column.y = canvas.paragraph({column.x, column.y + 11}, explanation.formula, TextStyle::code, canvas.theme().text3,
                              column.width, 17) -
             6;
  if (const Factor* sum = inner_sum(explanation)) {
    KnownExplanation& known = column.context.memory.get<InspectorExplanations>().sum;
    draw_sum_terms(column, known.of(column.context.session.trace_of(*sum->cell), *sum->cell));
    draw_rule(column);
    draw_single_term(column, explanation.terms.front());
  } else if (explanation.terms.size() > 1) {
    draw_sum_terms(column, shown);
    draw_rule(column);
  } else if (!explanation.terms.empty()) {
    draw_single_term(column, explanation.terms.front());
    draw_rule(column);
  }
  draw_result_row(column, explanation.terms.size() > 1 ? "sum" : "result", explanation.value, TextStyle::mono_strong);
}

void draw_path_back(Column& column, const Explanation& explanation) {
  const Session& session = column.context.session;
  const Cell& cell = explanation.cell;
  if (stage_of(cell.tensor).kind != StageKind::rowwise || !info(cell.tensor).is_attention()) return;
  PathBack& path = column.context.memory.get<PathBack>();
  if (path.cell != explanation.cell || path.version != session.trace().version)
    path = path_back(session.model_trace(), explanation);
  const auto hidden = [&](const Explanation& e) { return !words_instead_of(session, e).empty(); };
  if (path.score.empty() || std::ranges::any_of(path.score, hidden)) return;
  const std::string query = fmt::format("q{}", cell.index[2]);
  draw_section(column, "Its score", fmt::format("{} · k{}", query, cell.index[3]));
  draw_bars(column, path.products);
  draw_rule(column);
  for (const Explanation& e : path.score | std::views::reverse | std::views::take(path.score.size() - 1))
    draw_path_row(column, e);
  if (path.input.empty() || std::ranges::any_of(path.input, hidden)) return;
  draw_section(column, fmt::format("What {} is made of", query), "along its largest term");
  for (const Explanation& e : path.input | std::views::reverse) draw_path_row(column, e);
}

}  // namespace headlight
