#include "app/views/overlays/export_dialog.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/sheet.hpp"

namespace headlight {
namespace {

using Wish = ExportDialog::Wish;

constexpr float label_width = 92;
constexpr float row_gap = 10;
constexpr std::size_t most_side_by_side = 4;
constexpr float control_height = 28;
constexpr float preview_line_height = 17;
constexpr float strip_height = 3 * preview_line_height + 16;

/// The left column: one choice below the other, each with its label.
class Rows {
 public:
  Rows(Ui& ui, Rect area) : ui_(ui), area_(area) {}

  Rect next(std::string_view label) {
    Rect row = area_.cut_top(control_height);
    area_.cut_top(row_gap);
    ui_.canvas().text_in(row.cut_left(label_width), label, TextStyle::control, ui_.theme().text2);
    return row;
  }
  const Rect& rest() const { return area_; }

 private:
  Ui& ui_;
  Rect area_;
};

/// A field for a number. A text that is no number, or one out of range, leaves `value` as it was.
void number_field(Ui& ui, std::string_view id, const Rect& r, double& value, double least, double most) {
  std::string text = fmt::format("{}", value);
  text_field(ui, id, r, text, {.style = TextStyle::code});
  double typed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), typed);
  if (error == std::errc{} && end == text.data() + text.size() && typed >= least && typed <= most) value = typed;
}

/// Gives the path the file ending of the chosen form.
void fit_ending(ExportDialog& dialog) {
  const std::filesystem::path path(dialog.path);
  if (path.has_filename()) dialog.path = with_ending(path, dialog.choices.form()).string();
}

/// A picture's form is recognised by its file ending, so a typed name must have it. A text file may have any ending.
void fit_drawn_ending(ExportDialog& dialog) {
  if (dialog.choices.form().drawn()) fit_ending(dialog);
}

void draw_what(Rows& rows, Ui& ui, ExportDialog& dialog) {
  ExportChoices& choices = dialog.choices;
  std::vector<std::string> titles;
  for (const ExportWhat what : all_exports) titles.emplace_back(title_of(what));
  int index = static_cast<int>(choices.what);
  if (select(ui, "what", rows.next("What"), titles, index)) {
    choices.what = static_cast<ExportWhat>(index);
    fit_ending(dialog);
  }
  const auto forms = forms_of(choices.what);
  std::vector<std::string_view> names;
  for (const ExportForm& form : forms) names.push_back(form.title);
  auto& chosen = choices.forms[static_cast<std::size_t>(choices.what)];
  int form = static_cast<int>(std::min(chosen, forms.size() - 1));
  const Rect row = rows.next("Form");
  const bool side_by_side = forms.size() <= most_side_by_side;
  if (side_by_side ? segmented(ui, "form", row, names, form)
                   : select(ui, "form", row, std::vector<std::string>(names.begin(), names.end()), form)) {
    chosen = static_cast<std::size_t>(form);
    fit_ending(dialog);
  }
}

void draw_size(Rows& rows, Ui& ui, ExportChoices& choices) {
  constexpr std::array<std::string_view, 3> sizes{"Automatic", "Pixels", "cm"};
  int size = static_cast<int>(choices.size);
  if (segmented(ui, "size", rows.next("Size"), sizes, size)) choices.size = static_cast<ExportSize>(size);
  if (choices.size != ExportSize::own) {
    const bool pixels = choices.size == ExportSize::pixels;
    auto& extent = pixels ? choices.pixels : choices.centimetres;
    Rect row = rows.next("");
    const double most = pixels ? 8192 : 100;
    const double least = pixels ? 64 : 1;
    number_field(ui, "width", row.cut_left(72), extent[0], least, most);
    ui.canvas().text_in(row.cut_left(20), "×", TextStyle::control, ui.theme().text3, Align::center);
    number_field(ui, "height", row.cut_left(72), extent[1], least, most);
    if (!pixels) {
      ui.canvas().text_in(row.cut_left(40), "dpi", TextStyle::control, ui.theme().text3, Align::center);
      number_field(ui, "dpi", row.cut_left(64), choices.dpi, 30, 2400);
    }
  }
  constexpr std::array<std::string_view, 4> scales{"1", "2", "3", "4"};
  int scale = static_cast<int>(choices.scale) - 1;
  if (segmented(ui, "scale", rows.next("Scale"), scales, scale, {.mono = true})) choices.scale = scale + 1;
}

void draw_look(Rows& rows, Ui& ui, ExportChoices& choices, ExportWhat figure) {
  draw_size(rows, ui, choices);
  constexpr std::array<std::string_view, 2> themes{"Light", "Dark"};
  int theme = choices.theme == ThemeName::light ? 0 : 1;
  if (segmented(ui, "theme", rows.next("Theme"), themes, theme))
    choices.theme = theme == 0 ? ThemeName::light : ThemeName::dark;
  const bool can_be_clear = figure != ExportWhat::window && !choices.form().opaque;
  const Rect row = rows.next("Transparent");
  bool on = choices.transparent && can_be_clear;
  if (toggle(ui, "transparent", {row.x, row.y + 5}, on, can_be_clear)) choices.transparent = on;
}

void draw_animation(Rows& rows, Ui& ui, ExportChoices& choices) {
  std::vector<std::string> titles;
  for (const ExportWhat what : all_exports)
    if (is_picture(what)) titles.emplace_back(title_of(what));
  int index = static_cast<int>(choices.animated);
  if (select(ui, "animated", rows.next("Picture"), titles, index)) choices.animated = static_cast<ExportWhat>(index);
  text_field(ui, "frames", rows.next("Frames"), choices.frames,
             {.style = TextStyle::code, .hint = "steps, heads, motion, seed=0..9, KEY=A..B/N"});
  Rect row = rows.next("Frame time");
  number_field(ui, "seconds", row.cut_left(72), choices.seconds, 0.02, 60);
  ui.canvas().text_in(row, "  seconds", TextStyle::control, ui.theme().text3);
}

void draw_play_choices(Rows& rows, Ui& ui, ExportChoices& choices) {
  text_field(ui, "played", rows.next("Over"), choices.played,
             {.style = TextStyle::code, .hint = "temperature=0.1..10, seed=0..9, W_q[2,5]"});
  int measure = static_cast<int>(choices.measure);
  if (segmented(ui, "watched", rows.next("Curve of"), measure_names, measure))
    choices.measure = static_cast<Measure>(measure);
}

void draw_numbers(Rows& rows, Ui& ui, ExportDialog& dialog) {
  const ExportForm& form = dialog.choices.form();
  if (!form.of_tensor) return;
  text_field(ui, "part", rows.next("Part"), dialog.part, {.style = TextStyle::code, .hint = "weights[0,1]"});
  if (!form.rounded) return;
  long long digits = dialog.choices.digits;
  if (stepper(ui, "digits", rows.next("Digits"), digits, 1, 17)) dialog.choices.digits = digits;
}

void draw_handout(Rows& rows, Ui& ui, ExportChoices& choices) {
  constexpr std::array<std::string_view, 2> titles{"A4", "Letter"};
  int paper = static_cast<int>(choices.paper);
  if (segmented(ui, "paper", rows.next("Paper"), titles, paper)) choices.paper = static_cast<Paper>(paper);
  const Rect row = rows.next("Speaker notes");
  bool on = choices.notes;
  if (toggle(ui, "notes", {row.x, row.y + 5}, on)) choices.notes = on;
}

void draw_choices(Rows& rows, Ui& ui, ExportDialog& dialog) {
  ExportChoices& choices = dialog.choices;
  draw_what(rows, ui, dialog);
  if (choices.what == ExportWhat::animation) draw_animation(rows, ui, choices);
  if (choices.what == ExportWhat::play ||
      (choices.what == ExportWhat::animation && choices.animated == ExportWhat::play))
    draw_play_choices(rows, ui, choices);
  if (choices.what == ExportWhat::numbers) draw_numbers(rows, ui, dialog);
  if (choices.what == ExportWhat::handout) draw_handout(rows, ui, choices);
  if (is_picture(choices.what) && choices.form().drawn()) draw_look(rows, ui, choices, choices.what);
  if (choices.what == ExportWhat::animation) draw_look(rows, ui, choices, choices.animated);
  text_field(ui, "path", rows.next("File"), dialog.path,
             {.style = TextStyle::code, .path = true, .hint = "Path of the file"});
}

bool is_there(const ExportDialog& dialog) {
  std::error_code error;
  return std::filesystem::exists(dialog.path, error);
}

bool asks_to_replace(const ExportDialog& dialog) {
  return !dialog.asked_to_replace.empty() && dialog.asked_to_replace == dialog.path;
}

/// The question whether to replace a file, or what went wrong.
void draw_remark(Ui& ui, const Rect& area, const ExportDialog& dialog) {
  const Theme& theme = ui.theme();
  const bool asks = asks_to_replace(dialog);
  const std::string name = std::filesystem::path(dialog.path).filename().string();
  const std::string words = asks ? fmt::format("{} already exists. Replace it?", name) : dialog.problem;
  ui.canvas().paragraph({area.x + 10, area.y + 20}, words, TextStyle::control, asks ? theme.text : theme.error,
                        area.w - 20, preview_line_height + 1);
}

/// Shown while no command can be given: the setup is not in a file yet. Offers to save it.
void draw_no_command(ViewContext& context, const Rect& area) {
  Ui& ui = context.ui;
  Rect words = area.inset(10, 8);
  const Rect save = words.cut_right(84);
  words.cut_right(12);
  ui.canvas().paragraph({words.x, words.y + 12}, "Save the setup to a file to see the command that makes this.",
                        TextStyle::control, ui.theme().text2, words.w, 18);
  if (button(ui, "save", {save.x, area.center().y - control_height / 2, save.w, control_height}, "Save…",
             {.tooltip = "Save the setup to a file", .keys = "Ctrl+S"}))
    context.session.request(SaveSetup{});
}

/// The command broken into lines that fit. If there is no room for all of it, it ends with "…"; copying it copies all.
std::vector<std::string> lines_of_command(const Canvas& canvas, const std::string& command, const Rect& area) {
  const auto most = static_cast<std::size_t>(std::lround(area.h / preview_line_height));
  std::vector<std::string> lines;
  for (const std::string_view line : canvas.wrapped(command, TextStyle::code, area.w)) {
    if (lines.size() == most) {
      lines.back() = canvas.ellipsized(lines.back() + " …", TextStyle::code, area.w);
      break;
    }
    lines.push_back(canvas.ellipsized(line, TextStyle::code, area.w));
  }
  return lines;
}

/// The command, for a Makefile. Returns whether its copy button was clicked.
bool draw_command(Ui& ui, const Rect& area, const std::string& command) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  Rect words = area.inset(10, 8);
  const bool copies = icon_button(ui, "copy command", words.cut_right(28), Icon::copy,
                                  {.kind = ButtonKind::quiet, .tooltip = "Copy the command, for a Makefile"});
  words.cut_right(6);
  float y = words.y + 12;
  for (const std::string& line : lines_of_command(canvas, command, words)) {
    canvas.text({words.x, y}, line, TextStyle::code, theme.text2);
    y += preview_line_height;
  }
  return copies;
}

/// The strip at the bottom: what went wrong, the question whether to replace a file, or the command.
void draw_strip(ViewContext& context, const Rect& area, const ExportDialog& dialog) {
  Ui& ui = context.ui;
  ui.canvas().fill(area, ui.theme().field, 6);
  if (asks_to_replace(dialog) || !dialog.problem.empty()) return draw_remark(ui, area, dialog);
  if (dialog.command.empty()) return draw_no_command(context, area);
  if (!draw_command(ui, area, dialog.command)) return;
  ui.copy(dialog.command);
  context.session.notify("Copied the command");
}

void draw_progress(Ui& ui, Rect row, ExportDialog& dialog) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  if (button(ui, "cancel", row.cut_right(84), "Cancel")) dialog.wish = Wish::cancel;
  row.cut_right(12);
  const Rect bar{row.x, row.center().y - 3, row.w, 6};
  canvas.fill(bar, theme.field, 3);
  const float share = std::max(0.02f, static_cast<float>(*dialog.fraction));
  canvas.fill({bar.x, bar.y, bar.w * share, bar.h}, theme.lamp, 3);
}

void draw_buttons(Ui& ui, Rect row, ExportDialog& dialog, bool possible) {
  const bool asks = asks_to_replace(dialog);
  const Rect go = row.cut_right(96);
  row.cut_right(8);
  const bool ready_to_go = possible && !dialog.path.empty();
  const bool pressed = button(ui, "export", go, asks ? "Replace" : "Export",
                              {.kind = ButtonKind::primary, .enabled = ready_to_go, .keys = "Ctrl+Enter"});
  if (dialog.choices.form().text != nullptr) {
    const bool ready = !dialog.preview.busy && !dialog.preview.lines.empty();
    if (button(ui, "copy", row.cut_right(84), "Copy", {.enabled = ready, .tooltip = "Copy the whole text"}))
      dialog.wish = Wish::copy;
  }
  const bool chord = ui.take_key(Chord{.key = Key::enter, .ctrl = true}) && ready_to_go;
  if (!pressed && !chord) return;
  fit_drawn_ending(dialog);
  if (is_there(dialog) && !asks) dialog.asked_to_replace = dialog.path;
  else dialog.wish = Wish::run;
}

/// The choices, which scroll where the window is low.
void draw_left(Ui& ui, const Rect& area, ExportDialog& dialog) {
  ScrollArea scroll(ui, "choices", area, dialog.height, ui.theme().panel);
  const bool scrolls = dialog.height > area.h;
  Rect content = scroll.content();
  content.w -= scrolls ? 14 : 0;
  content.h = std::numeric_limits<float>::max();  // the height is only known once all is drawn
  Rows rows(ui, content);
  draw_choices(rows, ui, dialog);
  dialog.height = rows.rest().y - content.y - row_gap;
}

void draw_texture(Ui& ui, const Rect& area, const ExportPreview& preview) {
  const Canvas canvas = ui.canvas();
  const float w = static_cast<float>(preview.width);
  const float h = static_cast<float>(preview.height);
  const float fit = std::min({area.w / w, area.h / h, 1.0f});
  const Rect r = canvas.snapped(Rect{area.center().x - w * fit / 2, area.center().y - h * fit / 2, w * fit, h * fit});
  canvas.picture(preview.texture, r);
  canvas.stroke(r, ui.theme().line_strong);
}

void draw_preview(Ui& ui, const Rect& area, const ExportPreview& preview) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  canvas.fill(area, theme.canvas, 8);
  const Rect inside = area.inset(16);
  ui.push_clip(area);
  if (preview.texture != nullptr) draw_texture(ui, inside, preview);
  float y = inside.y + 12;
  for (const std::string& line : preview.lines) {
    if (y > inside.bottom()) break;
    canvas.text({inside.x, y}, line, TextStyle::code, theme.text2);
    y += 17;
  }
  const bool nothing = preview.texture == nullptr && preview.lines.empty();
  if (nothing && !preview.remark.empty())
    canvas.paragraph({inside.x, inside.y + 14}, preview.remark, TextStyle::control, theme.text2, inside.w, 20);
  if (preview.busy)
    canvas.text({inside.right(), area.bottom() - 12}, "drawing the preview…", TextStyle::caption, theme.text3,
                Align::right);
  ui.pop_clip();
}

}  // namespace

void draw_export_dialog(ViewContext& context) {
  Ui& ui = context.ui;
  ExportDialog& dialog = *context.memory.opened<ExportDialog>();
  Sheet sheet(ui, "export", 1040, 660);
  bool closed = sheet.heading("Export");
  Rect area = sheet.area();
  area.cut_top(4);
  const Rect buttons = area.cut_bottom(control_height);
  area.cut_bottom(row_gap);
  draw_strip(context, area.cut_bottom(strip_height), dialog);
  area.cut_bottom(row_gap);
  draw_left(ui, area.cut_left(380), dialog);
  area.cut_left(20);
  if (dialog.fraction) draw_progress(ui, buttons, dialog);
  else draw_buttons(ui, buttons, dialog, why_not(dialog.choices.what, context.session).empty());
  draw_preview(ui, area, dialog.preview);
  closed = sheet.dismissed() || closed;
  if (closed) dialog.wish = Wish::close;
  if (dialog.wish != Wish::none) ui.request_frame();
}

}  // namespace headlight
