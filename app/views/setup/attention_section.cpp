#include "app/views/setup/attention_section.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/edits/setup_edits.hpp"

namespace headlight {
namespace {

std::string factor_text(const Scale& scale) {
  const double* factor = std::get_if<double>(&scale);
  return factor ? fmt::format("{}", *factor) : "none";
}

Parsed parse_factor(const Setup& base, const std::string& text) {
  Parsed parsed{base, {}};
  double factor = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, factor);
  if (text == "none") parsed.setup->attention.scale = NoScale{};
  else if (error == std::errc{} && stop == end) parsed.setup->attention.scale = factor;
  else return {{}, fmt::format("found \"{}\"; allowed: a number, or none", text)};
  return parsed;
}

/// Steps of a hundredth; no factor is a factor of 1.
std::string stepped_factor(const std::string& text, int steps) {
  double factor = 1;
  std::from_chars(text.data(), text.data() + text.size(), factor);
  return fmt::format("{:.6g}", std::round(factor * 100 + steps) / 100);
}

/// A switch for the division by √d_head. When it is off, a field takes any other factor.
void draw_scale(SetupRows& rows) {
  const bool divided = std::holds_alternative<InverseSqrtDHead>(rows.setup().attention.scale);
  const auto draw_toggle = [&](const Rect& r) {
    bool on = divided;
    if (!toggle(rows.ui(), "divide", {r.x, r.y + 5}, on)) return;
    Setup next = rows.setup();
    if (on) next.attention.scale = InverseSqrtDHead{};
    else next.attention.scale = NoScale{};
    rows.edit("attention.scale", next);
  };
  const SetupRow about{.key = divided ? "attention.scale" : "divide",
                       .label = "Divide by √d",
                       .control_width = toggle_width,
                       .tooltip = "Keeps the softmax from saturating when heads have many features",
                       .label_sub = "head"};
  if (divided) return rows.row(about, draw_toggle);
  rows.row(about, std::nullopt, draw_toggle);
  rows.row({.key = "attention.scale", .label = "Multiply by", .control_width = 92, .tooltip = "A number, or none"},
           [&](const Rect& r) {
             rows.number_text(r, "attention.scale", factor_text(rows.setup().attention.scale), {.step = stepped_factor},
                              parse_factor);
           });
}

template <class Field, class Value>
Setup with_attention(const Setup& setup, Field field, Value value) {
  Setup edited = setup;
  edited.attention.*field = value;
  return edited;
}

/// Two decimals for common temperatures, three digits for very small and very large ones.
std::string temperature_text(double value) {
  return value >= 0.1 && value < 100 ? fmt::format("{:.2f}", value) : fmt::format("{:.3g}", value);
}

void draw_sliders(SetupRows& rows) {
  const Attention attention = rows.setup().attention;
  const Setup* lecture = rows.lecture();
  const auto mark = [&](double Attention::* field) {
    return lecture ? std::optional(lecture->attention.*field) : std::nullopt;
  };
  rows.slider({.key = "attention.temperature", .label = "Temperature", .control_width = 152}, attention.temperature,
              {.low = 0.1,
               .high = 10,
               .logarithmic = true,
               .step = 0.05,
               .lecture = mark(&Attention::temperature),
               .text = temperature_text(attention.temperature)},
              [&](double value) { return with_attention(rows.setup(), &Attention::temperature, value); });
  rows.slider({.key = "attention.dropout", .label = "Dropout", .control_width = 152}, attention.dropout,
              {.low = 0,
               .high = 0.9,
               .logarithmic = false,
               .step = 0.05,
               .lecture = mark(&Attention::dropout),
               .text = fmt::format("{:.3g} %", 100 * attention.dropout)},
              [&](double value) { return with_dropout(rows.setup(), value); });
}

std::string heads_text(const std::vector<Index>& heads) { return fmt::format("{}", fmt::join(heads, ", ")); }

Parsed parse_heads(const Setup& base, const std::string& text) {
  Parsed parsed{base, {}};
  parsed.setup->attention.ablated_heads.clear();
  std::string words = text;
  std::ranges::replace(words, ',', ' ');
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    Index head = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, head);
    if (error != std::errc{} || stop != end)
      return {{}, fmt::format("found \"{}\"; allowed: numbers of heads, as in 0, 2", word)};
    parsed.setup->attention.ablated_heads.push_back(head);
  }
  return parsed;
}

void draw_ablated(SetupRows& rows) {
  rows.text({.key = "attention.ablated_heads",
             .label = "Ablated heads",
             .control_width = 124,
             .tooltip = "Heads that are taken away: their context is zero"},
            heads_text(rows.setup().attention.ablated_heads), {.hint = "none"}, parse_heads);
}

}  // namespace

void draw_attention_section(SetupRows& rows) {
  rows.section(SetupTopic::attention, "Attention");
  draw_scale(rows);
  draw_sliders(rows);
  draw_ablated(rows);
  rows.end_section();
}

void draw_conventions_section(SetupRows& rows) {
  constexpr std::array<std::string_view, 2> axes{"rows", "columns"};
  constexpr std::array<std::string_view, 2> layouts{"in, out", "out, in"};
  constexpr std::array<std::string_view, 2> precisions{"float32", "float64"};
  rows.section(SetupTopic::conventions, "Conventions");
  rows.choice(
      {.key = "attention.token_axis",
       .label = "Tokens are",
       .control_width = choice_width,
       .tooltip = "Columns: X is drawn and shown as (d_model, positions), and the softmax runs down the columns"},
      axes, [](const Setup& setup) { return static_cast<int>(setup.attention.token_axis); },
      [&](int i) { return with_attention(rows.setup(), &Attention::token_axis, static_cast<TokenAxis>(i)); });
  rows.choice(
      {.key = "attention.weight_layout",
       .label = "Weights are",
       .control_width = choice_width,
       .tooltip = "The layout that weights are drawn in: (in, out), or (out, in) as nn.Linear keeps them"},
      layouts, [](const Setup& setup) { return static_cast<int>(setup.attention.weight_layout); },
      [&](int i) { return with_attention(rows.setup(), &Attention::weight_layout, static_cast<WeightLayout>(i)); });
  rows.choice(
      {.key = "attention.precision", .label = "Precision", .control_width = choice_width}, precisions,
      [](const Setup& setup) { return static_cast<int>(setup.attention.precision); },
      [&](int i) { return with_attention(rows.setup(), &Attention::precision, static_cast<Precision>(i)); });
  rows.text({.key = "title", .label = "Title", .control_width = 176}, rows.setup().title, {.hint = "no title"},
            [](const Setup& base, const std::string& text) {
              Parsed parsed{base, {}};
              parsed.setup->title = text;
              return parsed;
            });
  rows.end_section();
}

}  // namespace headlight
