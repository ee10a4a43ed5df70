#include "app/views/inspector/inspector_parts.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/inspector/known_explanation.hpp"
#include "app/views/inspector/largest_terms.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

constexpr std::size_t most_products_shown = 4;  ///< of a score, beside the explanation of its weight

/// The formats of numbers in a list of terms, and the widths of its columns.
struct TermColumns {
  NumberFormat factor;
  NumberFormat value;
  float label_width = 0;
  float factors_width = 0;
  std::pair<float, float> type;  ///< the scale and the least size of the type in which they were measured

  bool fit(const Ui& ui) const { return type == std::pair(ui.scale(), ui.least_type()); }
};

/// What is listed of a sum. A long list is measured once, not in each frame.
struct TermsMemory {
  bool all = false;                                  ///< whether every term of a sum is listed, not only the largest
  std::shared_ptr<const Explanation> sum = nullptr;  ///< the one that `listed` is of
  LargestTerms listed = {};
  TermColumns columns = {};
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

void draw_factors(ViewContext& context, const Rect& area, const Term& term, const NumberFormat& format) {
  const Canvas canvas = context.ui.canvas();
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
      draw_cell_link(context, fmt::format("factor {}", i), r, text, TextStyle::mono, factor_ink(theme, factor),
                     *factor.cell, Align::right);
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

TermColumns measured(const Ui& ui, const LargestTerms& list) {
  const Canvas canvas = ui.canvas();
  TermColumns columns{.factor = format_of(list.shown, true, factor_characters),
                      .value = format_of(list.shown, false, 7),
                      .label_width = 26,
                      .type = {ui.scale(), ui.least_type()}};
  for (const Term* term : list.shown)
    columns.label_width = std::max(columns.label_width, canvas.width(term->label, TextStyle::code));
  columns.label_width = std::min(columns.label_width, 64.0f) + 8;
  columns.factors_width = width_of_factors(canvas, list, columns.factor);
  return columns;
}

/// A row for each term, with a bar, and the sum of those that have none.
void draw_bars(ViewContext& context, Rect area, const LargestTerms& list, const TermColumns& columns) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const float value_width = 64;
  const float most = area.w - columns.label_width - value_width - 60;  // the bars keep some room
  const float factors_width = std::clamp(columns.factors_width, 122.0f, std::max(122.0f, most));
  const float bars_x = area.x + columns.label_width + factors_width + 12;
  const Bars bars = bars_of(bars_x, std::max(12.0f, area.right() - value_width - 8 - bars_x), list);
  const float line = line_with_links(context.ui);
  const Rect shown = canvas.clip().outset(line);  // the arrow keys lead to the first that is out of sight
  int id = 0;
  for (const Term* term : list.shown) {
    const Rect r = area.cut_top(line);
    ++id;
    if (r.bottom() < shown.y || r.y > shown.bottom()) continue;
    context.ui.push_id(id);
    canvas.text_in({r.x, r.y, columns.label_width - 6, r.h}, term->label, TextStyle::code, theme.text3);
    draw_factors(context, {r.x + columns.label_width, r.y, factors_width, r.h}, *term, columns.factor);
    draw_bar(canvas, r, bars, term->value);
    canvas.text_in(r, with_sign(columns.value, term->value), TextStyle::mono, theme.text, Align::right);
    context.ui.pop_id();
  }
  if (list.rest == 0) return;
  canvas.text_in(area, fmt::format("{} more", list.rest), TextStyle::caption, theme.text3);
  draw_bar(canvas, area, bars, list.rest_sum);
  canvas.text_in(area, with_sign(columns.value, list.rest_sum), TextStyle::mono, theme.text, Align::right);
}

Box bars_of(ViewContext& context, const LargestTerms& list, const TermColumns& columns) {
  const std::size_t rows = list.shown.size() + (list.rest > 0 ? 1 : 0);
  return drawn({}, line_with_links(context.ui) * static_cast<float>(rows),
               [&context, &list, &columns](Ui&, const Rect& r) { draw_bars(context, r, list, columns); });
}

/// The terms of a sum, the longest of a long one unless the user asks for all.
Box sum_terms(ViewContext& context, const std::shared_ptr<const Explanation>& sum) {
  const std::vector<Term>& terms = sum->terms;
  TermsMemory& memory = context.memory.get<TermsMemory>();
  if (memory.sum != sum || !memory.columns.fit(context.ui)) {
    memory.listed = largest_terms(terms, most_terms_shown, memory.all);
    memory.columns = measured(context.ui, memory.listed);
    memory.sum = sum;
  }
  Box bars = bars_of(context, memory.listed, memory.columns);
  if (terms.size() <= most_terms_shown + 1 || context.still) return bars;
  const std::string label = memory.all ? "Show the longest only" : fmt::format("Show all {} terms", terms.size());
  const float width = context.ui.canvas().width(label, TextStyle::control) + 28;
  Box more = drawn({width, width}, context.ui.reach(28), [&memory, label, width](Ui& ui, const Rect& r) {
    if (!button(ui, "all terms", {r.x, r.y, std::min(r.w, width), r.h}, label)) return;
    memory.all = !memory.all;
    memory.sum.reset();
    ui.request_frame();
  });
  return column({std::move(bars), std::move(more)}, 6);
}

std::string number_of(double value, int characters = 9) {
  return format_that_fits(std::abs(value), value < 0, characters, 4)(value);
}

/// The factor's name, with its layer where that is the first of several.
std::string name_of(const Factor& factor, const Setup& setup) {
  return factor.cell && factor.label.empty() ? text_of(*factor.cell, setup) : factor.name();
}

/// One product alone: a row for each factor.
Box single_term(ViewContext& context, const Term& term) {
  const Theme& theme = context.ui.theme();
  Boxes rows;
  for (const Factor& factor : term.factors) {
    const std::string name = (rows.empty() ? "" : "× ") + name_of(factor, context.session.setup());
    Box words_of_it = factor.cell ? cell_link(context, fmt::format("source {}", rows.size()), *factor.cell, name,
                                              factor_ink(theme, factor))
                                  : words(name, TextStyle::code, theme.text2).high(24);
    rows.push_back(
        row({std::move(words_of_it), words(number_of(factor.value), TextStyle::mono, theme.text).high(18).ended()}));
  }
  return column(std::move(rows));
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

Box path_row(ViewContext& context, const Explanation& explanation) {
  const Theme& theme = context.ui.theme();
  return row({cell_link(context, "way " + text_of(explanation.cell, context.session.setup()), explanation.cell),
              words(source_words(explanation, context.session.trace_of(explanation.cell).setup), TextStyle::caption,
                    theme.text3)
                  .ended(),
              words(number_of(explanation.value, 7), TextStyle::mono, theme.text)});
}

/// How a weight came about. It is explained once for each cell and trace, since a wide layer has long sums.
struct PathBack {
  std::optional<Cell> cell;
  std::uint64_t version = 0;       ///< of the trace
  std::vector<Explanation> score;  ///< from the weight to its dot product; empty where there is none
  LargestTerms products;           ///< of the last of them
  TermColumns columns;             ///< of the products
  std::vector<Explanation> input;  ///< from the largest term on; empty where that has no source
};

PathBack path_back(const ModelTrace& model, const Explanation& weight, const Ui& ui) {
  PathBack path;
  path.cell = weight.cell;
  path.version = model.at(weight.cell.layer).version;
  path.score = path_to_dot_product(model, weight);
  if (path.score.empty()) return path;
  path.products = largest_terms(path.score.back().terms, most_products_shown);
  path.columns = measured(ui, path.products);
  if (const auto source = source_of(*largest_terms(path.score.back().terms, 1).shown.front()))
    path.input = path_to_input(model, *source);
  return path;
}

}  // namespace

Box terms_part(ViewContext& context, const std::shared_ptr<const Explanation>& shown) {
  const Explanation& explanation = *shown;
  const Theme& theme = context.ui.theme();
  Boxes rows{words(explanation.formula, TextStyle::code, theme.text3).high(17), space(4)};
  if (const Factor* sum = inner_sum(explanation)) {
    KnownExplanation& known = context.memory.get<InspectorExplanations>().sum;
    rows.push_back(sum_terms(context, known.of(context.session.trace_of(*sum->cell), *sum->cell)));
    rows.push_back(rule(context));
    rows.push_back(single_term(context, explanation.terms.front()));
  } else if (explanation.terms.size() > 1) {
    rows.push_back(sum_terms(context, shown));
    rows.push_back(rule(context));
  } else if (!explanation.terms.empty()) {
    rows.push_back(single_term(context, explanation.terms.front()));
    rows.push_back(rule(context));
  }
  rows.push_back(number_row(context, explanation.terms.size() > 1 ? "sum" : "result", number_of(explanation.value),
                            TextStyle::mono_strong));
  return section(context, "Where it comes from",
                 std::string(text_of(explanation.cell.tensor, context.session.setup()).title), std::move(rows))
      .as_list("terms");
}

Box path_back_part(ViewContext& context, const Explanation& explanation) {
  const Session& session = context.session;
  const Cell& cell = explanation.cell;
  if (stage_of(cell.tensor).kind != StageKind::rowwise || !info(cell.tensor).is_attention()) return nothing();
  PathBack& path = context.memory.get<PathBack>();
  if (path.cell != explanation.cell || path.version != session.trace().version || !path.columns.fit(context.ui))
    path = path_back(session.model_trace(), explanation, context.ui);
  const auto hides = [&](const Explanation& e) { return !words_instead_of(session, e).empty(); };
  if (path.score.empty() || std::ranges::any_of(path.score, hides)) return nothing();
  const std::string query = fmt::format("q{}", cell.index[2]);
  Boxes rows{bars_of(context, path.products, path.columns), rule(context)};
  for (const Explanation& e : path.score | std::views::reverse | std::views::take(path.score.size() - 1))
    rows.push_back(path_row(context, e));
  Box score =
      section(context, "Its score", fmt::format("{} · k{}", query, cell.index[3]), std::move(rows)).as_list("score");
  if (path.input.empty() || std::ranges::any_of(path.input, hides)) return score;
  Boxes way;
  for (const Explanation& e : path.input | std::views::reverse) way.push_back(path_row(context, e));
  return column({std::move(score),
                 section(context, fmt::format("What {} is made of", query), "along its largest term", std::move(way))
                     .as_list("input")});
}

}  // namespace headlight
