#include "app/views/setup/by_hand.hpp"

#include <utility>

#include <fmt/format.h>

namespace headlight {
namespace {

constexpr float line_button = 26;

std::string line_key(std::size_t line) { return fmt::format("random.draws[{}]", line); }

Result<Setup> parse_line(const Setup& base, std::size_t line, const std::string& text) {
  const auto draw = parse_draw(text);
  if (!draw || line >= base.random.draws.size())
    return {.why = fmt::format("found \"{}\"; allowed: \"seed 0\", or a tensor and a distribution: \"W_q uniform\", "
                               "\"b_k[1] normal\"",
                               text)};
  Result<Setup> parsed{.owner = base};
  parsed.owner->random.draws[line] = *draw;
  return parsed;
}

Setup without_line(Setup setup, std::size_t line) {
  setup.random.draws.erase(setup.random.draws.begin() + static_cast<std::ptrdiff_t>(line));
  return setup;
}

Setup with_lines_swapped(Setup setup, std::size_t line) {
  std::swap(setup.random.draws[line], setup.random.draws[line + 1]);
  return setup;
}

/// A line of the list: its number, its text, and buttons that move it down and remove it.
void draw_line(SetupRows& rows, std::size_t line, std::size_t count, const std::string& shown) {
  const std::string key = line_key(line);
  rows.block(key, rows.control_height(), [&rows, key, line, count, shown](Rect r) {
    Ui& ui = rows.ui();
    const float button_width = ui.reach(line_button);
    ui.push_id(static_cast<int>(line));
    rows.canvas().text_in(r.cut_left(22), fmt::format("{}", line), TextStyle::code, rows.theme().text3);
    if (const auto lecture = rows.changed(key)) rows.reset_button(r.cut_right(ui.reach(24)), *lecture);
    const Rect away = r.cut_right(button_width);
    const Rect down = r.cut_right(button_width);
    r.cut_right(2);
    rows.type(r, key, shown, {.style = TextStyle::mono},
              [&](const Setup& base, const std::string& text) { return parse_line(base, line, text); });
    const bool last = line + 1 == count;
    if (icon_button(
            ui, "down", down, Icon::chevron_down,
            {.kind = ButtonKind::quiet, .enabled = !last, .tooltip = last ? "This is the last draw" : "Move down"}))
      rows.edit(key, with_lines_swapped(rows.setup(), line));
    else if (icon_button(ui, "away", away, Icon::cross, {.kind = ButtonKind::quiet, .tooltip = "Remove this draw"}))
      rows.edit(key, without_line(rows.setup(), line));
    ui.pop_id();
  });
}

void draw_new_line(SetupRows& rows) {
  static constexpr std::string_view key = "new draw";
  rows.block(std::string(key), rows.control_height(), [&rows](Rect r) {
    std::string& text = rows.memory().new_draw;
    r.cut_left(22);
    r.cut_right(2 * rows.ui().reach(line_button) + 2);
    const TextEdit edited = text_field(rows.ui(), key, r, text,
                                       {.style = TextStyle::mono, .invalid = rows.refused(key), .hint = "Add a draw"});
    if (!edited.committed) return;
    if (text.empty()) {
      rows.memory().refusal.reset();
      return;
    }
    Setup longer = rows.setup();
    longer.random.draws.emplace_back(SeedDraw{});
    const Result<Setup> parsed = parse_line(longer, longer.random.draws.size() - 1, text);
    if (!parsed.owner) rows.refuse(key, parsed.why);
    else if (rows.edit(key, *parsed.owner)) text.clear();
  });
}

}  // namespace

void draw_draws(SetupRows& rows) {
  rows.block("random.draws", rows.control_height(), [&rows](const Rect& r) {
    const SetupKey& entry = *setup_entry("random.draws");
    bool& open = rows.memory().draws_open;
    const Canvas& canvas = rows.canvas();
    const Item item = rows.ui().item("draws", r);
    rows.ui().take_typed(item);
    rows.ui().say_control(item, fmt::format("{}: {}", entry.label, rows.setup().random.draws.size()), "section",
                          open ? "open" : "closed");
    Rect back{r.x + canvas.width(entry.label, TextStyle::control) + 8, r.y, 0, r.h};
    if (const auto lecture = rows.changed("random.draws")) {
      back.w = rows.ui().reach(24);
      rows.reset_button(back, *lecture);
    }
    if (item.clicked && !back.contains(rows.ui().mouse())) open = !open;
    const Color ink = item.hovered ? rows.theme().text : rows.theme().text2;
    canvas.text_in(r, entry.label, TextStyle::control, ink);
    canvas.icon(open ? Icon::chevron_down : Icon::chevron_right, {r.right() - 16, r.center().y - 8}, ink);
    canvas.text_in({r.x, r.y, r.w - 24, r.h}, fmt::format("{}", rows.setup().random.draws.size()), TextStyle::number,
                   ink, Align::right);
    if (item.focused) canvas.focus_ring(r);
    rows.ui().tooltip(item, entry.help);
  });
  if (!rows.memory().draws_open) return;
  const std::vector<Draw> draws = rows.setup().random.draws;
  for (std::size_t line = 0; line < draws.size(); ++line) draw_line(rows, line, draws.size(), to_string(draws[line]));
  draw_new_line(rows);
}

}  // namespace headlight
