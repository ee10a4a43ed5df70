#include "tests/app/controls_sheet.hpp"

#include <array>
#include <string_view>

#include "app/heatmap/heatmap.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/ui/text/markdown.hpp"
#include "core/formats/lecture/live_text_reader.hpp"

namespace headlight {
namespace {

constexpr float left = 32;

void heading(const Canvas& c, float y, std::string_view text) {
  c.text({left, y}, text, TextStyle::control_strong, c.theme().text2);
}

void draw_colors(const Canvas& c) {
  const Theme& t = c.theme();
  c.text({left, 44}, t.dark() ? "Dark" : "Light", TextStyle::title, t.text);
  heading(c, 80, "Identity: frames, labels, wires, never fills");
  const std::array roles{Role::query, Role::key, Role::value, Role::output};
  const std::array<std::string_view, 4> names{"query", "key", "value", "output"};
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const Rect r{left + 104 * static_cast<float>(i), 94, 96, 34};
    c.stroke(r, t.identity(roles[i]), 2, 6);
    c.text_in(r, names[i], TextStyle::body_strong, t.identity(roles[i]), Align::center);
  }
  const std::array dots{t.lamp, t.ok, t.error, t.changed};
  const std::array<std::string_view, 4> words{"focus", "match", "error", "changed"};
  for (std::size_t i = 0; i < dots.size(); ++i) {
    const float x = left + 432 + 58 * static_cast<float>(i);
    c.disc({x + 12, 104}, 7, dots[i]);
    c.text({x + 12, 127}, words[i], TextStyle::caption, t.text2, Align::center);
  }
  heading(c, 162, "Data: fills, never frames");
  draw_color_bar(c, {left, 176, 300, 18}, ColorScale::from_zero());
  draw_color_bar(c, {left + 356, 176, 300, 18}, ColorScale::symmetric(1));
  c.text({left, 212}, "weights 0 … 1", TextStyle::caption, t.text2);
  c.text({left + 356, 212}, "signed −max … 0 … max", TextStyle::caption, t.text2);
}

void draw_cells(const Canvas& c) {
  const Theme& t = c.theme();
  heading(c, 248, "Cell states");
  const Color fill = ColorScale::symmetric(1).color(t, 0.72);
  const auto cell = [&](int i, std::string_view name) {
    const Rect r{left + 82 * static_cast<float>(i), 266, 56, 56};
    c.text({r.center().x, 344}, name, TextStyle::caption, t.text2, Align::center);
    return r;
  };
  const auto number = [&](const Rect& r, Color color, Color ink) {
    c.fill(r, color, 3);
    c.text_in(r, "0.72", TextStyle::number_lit, ink, Align::center);
  };
  number(cell(0, "normal"), fill, number_on(fill));
  Rect r = cell(1, "row band");
  c.band_tint(r.outset(5), t.query);
  number(r, fill, number_on(fill));
  c.band_outline(r.outset(5), t.query);
  r = cell(2, "column band");
  number(r, fill, number_on(fill));
  c.band_outline(r.outset(5), t.key);
  r = cell(3, "hovered");
  number(r, fill, number_on(fill));
  c.ring(r);
  r = cell(4, "pinned");
  number(r, fill, number_on(fill));
  c.ring(r);
  c.disc({r.right() + 1, r.y - 1}, 8, t.lamp);
  c.icon(Icon::pin, {r.right() - 7, r.y - 9}, t.lamp_ink, 1.3f);
  const Color quiet = t.quiet(fill);
  number(cell(5, "quiet"), quiet, t.number_on_quiet(quiet));
  r = cell(6, "masked");
  c.hatch(r, 8, 3);
  c.stroke(r, t.line_strong, 1, 3);
  c.error_cell(cell(7, "NaN, inf"), "NaN");
}

void draw_type(const Canvas& c) {
  const Theme& t = c.theme();
  heading(c, 716, "Type");
  c.text({left, 756}, "11.0728", TextStyle::big_value, t.text);
  c.text({left + 156, 756}, "Scores", TextStyle::title, t.text);
  c.text({left + 250, 756}, "Setup", TextStyle::heading, t.text);
  c.text({left + 316, 756}, "body text", TextStyle::body, t.text2);
  c.text({left + 396, 756}, "control", TextStyle::control, t.text);
  c.text({left + 462, 756}, "caption", TextStyle::caption, t.text3);
  c.text({left + 526, 756}, "2.885 × 2.963", TextStyle::mono, t.text);
  c.rich({left, 790}, {{"softmax ( ", TextStyle::formula, t.text3},
                       {"Q ", TextStyle::formula_strong, t.query},
                       {"K", TextStyle::formula_strong, t.key},
                       {"ᵀ", TextStyle::formula, t.key},
                       {"  ÷  √d", TextStyle::formula_strong, t.text},
                       {"head", TextStyle::formula_strong, t.text, Script::sub},
                       {"  + mask ) ", TextStyle::formula, t.text3},
                       {"V", TextStyle::formula, t.text3}});
  c.rich({left + 410, 790}, {{"(q", TextStyle::number, t.query},
                             {"2", TextStyle::number, t.query, Script::sub},
                             {" · ", TextStyle::number, t.text2},
                             {"k", TextStyle::number, t.key},
                             {"0", TextStyle::number, t.key, Script::sub},
                             {") / √4", TextStyle::number, t.text2},
                             {"   Σ Δ − ∞ ≥ ✓ ✗ x", TextStyle::body, t.text2},
                             {"2", TextStyle::body, t.text2, Script::super}});
  heading(c, 828, "Icons: 16 px grid, 1.5 px strokes");
  for (std::size_t i = 0; i < icon_count; ++i) {
    const Point at{left + 33 * static_cast<float>(i % 20), 844 + 26 * static_cast<float>(i / 20)};
    c.icon(static_cast<Icon>(i), at, t.text);
  }
  c.logo({left + 540, 24});
  const Point wires{left + 300, 20};
  for (int i = 0; i < 3; ++i) {
    const Color color = std::array{t.query, t.key, t.value}[static_cast<std::size_t>(i)];
    const Point end{wires.x + 60, wires.y + 16 * static_cast<float>(i)};
    c.wire({wires.x, wires.y + 16}, end, color);
    c.triangle({end.x + 2, end.y}, Pointing::right, color, 3.5f);
  }
  float x = left + 400;
  for (std::string_view key : {"← →", "Space", "1–9"}) x += key_cap(c, {x, 41}, key) + 8;
}

}  // namespace

void ControlsSheet::draw(FrameContext& frame) {
  Ui& ui = frame.ui;
  const Canvas c = ui.canvas();
  const Theme& t = ui.theme();
  draw_colors(c);
  draw_cells(c);
  heading(c, 384, "Buttons");
  if (button(ui, "press", {left, 398, 100, 32}, "Default")) ++presses;
  button(ui, "selected", {left + 112, 398, 100, 32}, "Selected", {.selected = true});
  button(ui, "quiet", {left + 224, 398, 100, 32}, "Quiet", {.kind = ButtonKind::quiet});
  icon_button(ui, "icon", {left + 336, 398, 30, 32}, Icon::camera, {.tooltip = "Save a picture", .keys = "S"});
  button(ui, "disabled", {left + 448, 398, 100, 32}, "Disabled",
         {.enabled = false, .tooltip = "There is nothing to take back"});
  button(ui, "primary", {left + 560, 398, 100, 32}, "Primary", {.kind = ButtonKind::primary});

  heading(c, 470, "A value unlike the lecture’s");
  const Rect panel{left, 486, 656, 196};
  c.fill(panel, t.panel, 8);
  c.stroke(panel, t.line, 1, 8);
  const float x = left + 20;
  const float m = left + 120;
  c.text({x, 518}, "Setup", TextStyle::heading, t.text);
  changed_dot(c, {m + 18, 513});
  c.text({m + 28, 518}, "2 changed", TextStyle::control, t.text2);
  if (button(ui, "reset all", {m + 100, 499, 140, 28}, "Reset to lecture", {.kind = ButtonKind::quiet})) ++resets;
  changed_dot(c, {x - 9, 556});
  c.text({x, 561}, "Heads", TextStyle::control, t.text);
  const std::array<std::string_view, 4> head_counts{"1", "2", "4", "8"};
  segmented(ui, "heads", {m, 542, 140, 28}, head_counts, heads, {.mono = true});
  if (changed_note(ui, "heads note", {m + 152, 561}, "lecture: 2").clicked) ++resets;
  c.text({x, 595}, "Seed", TextStyle::control, t.text2);
  text_field(ui, "seed", {m, 576, 106, 28}, seed, {.style = TextStyle::number});
  icon_button(ui, "dice", {m + 112, 576, 28, 28}, Icon::dice);
  text_field(ui, "wrong", {m + 152, 576, 90, 28}, wrong, {.invalid = true});
  changed_dot(c, {x - 9, 624});
  c.text({x, 629}, "Temperature", TextStyle::control, t.text);
  slider(ui, "temperature", {m, 610, 104, 28}, temperature, 0.1, 2.5, {.mark = 1.0});
  c.text({m + 140, 629}, std::to_string(temperature).substr(0, 4), TextStyle::mono, t.text, Align::right);
  c.text({x, 663}, "Biases", TextStyle::control, t.text2);
  toggle(ui, "biases", {m, 650}, biases);
  toggle(ui, "scaled", {m + 44, 650}, scaled);
  toggle(ui, "off limits", {m + 88, 650}, biases, false);
  const float right = left + 420;
  const std::vector<std::string> lectures{"Lecture 1 · From scratch", "Lecture 2 · Behind the scenes",
                                          "Lecture 3 · UDL 12.2"};
  c.text({right, 520}, "Lecture", TextStyle::caption, t.text3);
  select(ui, "lecture", {right, 528, 220, 28}, lectures, lecture, {.changed = true});
  const std::array<std::string_view, 2> generators{"NumPy", "PyTorch"};
  segmented(ui, "generator", {right, 566, 140, 28}, generators, generator);
  stepper(ui, "d_model", {right, 604, 124, 28}, d_model, 1, 64);
  chip(ui, "chip", {right, 642, chip_width(c, "down"), 28}, "down");
  c.dashed({right + 60, 642, 28, 28}, t.control, 1, 6);
  c.icon_centered(Icon::plus, {right + 60, 642, 28, 28}, t.text3);
  icon_button(ui, "link", {right + 100, 642, 28, 28}, Icon::link, {.selected = true});
  const std::array<std::string_view, 3> views{"Pipeline", "Heads", "Tokens"};
  tabs(ui, "views", {right - 160, 440, 300, 34}, views, view);
  draw_type(c);

  const Rect aside{720, 32, 268, 400};
  static const Markdown story = parse_markdown(
      "Each query is compared with **every** key: the *dot product* grows when both point the same way. Dividing by "
      "`√d_head` keeps softmax from saturating.\n\n- rows are queries\n- columns are keys, and a line that is longer "
      "than "
      "the column is wide wraps\n\n1. first\n2. second\n\n```\nscores = Q @ K.T\n       / "
      "np.sqrt(d)\n```\nAfterwards.");
  const float used = draw_markdown(c, aside, story);
  c.fill({aside.x, aside.y + used + 8, aside.w, 1}, t.line);
  section_header(c, {704, 486, 300, 36}, "Sizes", "4");
}

}  // namespace headlight
