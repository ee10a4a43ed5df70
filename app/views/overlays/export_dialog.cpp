#include "app/views/overlays/export_dialog.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/machine.hpp"
#include "app/session/files/path_completion.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/entry_control.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/path_card.hpp"
#include "app/views/overlays/sheet.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

using Wish = ExportDialog::Wish;

constexpr float label_width = 92;
constexpr float row_gap = 10;
constexpr std::size_t most_side_by_side = 4;
constexpr float control_height = 28;
constexpr float field_width = 72;
constexpr float preview_line_height = 17;
constexpr float lowest_with_command = 260;  ///< for choices and preview
constexpr float strip_height = 3 * preview_line_height + 16;

/// The left column: one choice below the other, each with its label.
class Rows {
 public:
  Rows(Ui& ui, Rect area) : ui_(ui), area_(area) {}

  Rect next(std::string_view label) {
    Rect row = area_.cut_top(ui_.reach(control_height));
    area_.cut_top(row_gap);
    ui_.canvas().text_in(row.cut_left(label_width), label, TextStyle::control, ui_.theme().text2);
    ui_.begin_row(label);
    return row;
  }
  const Rect& rest() const { return area_; }

 private:
  Ui& ui_;
  Rect area_;
};

/// A field for a length. A text that is not a number, or one out of range, leaves `value` as it was.
void length_field(Ui& ui, std::string_view id, const Rect& r, double& value, const Range& range) {
  const std::string text = fmt::format("{}", value);
  const FieldEdit edit = number_field(ui, id, r, text, text, {.style = TextStyle::code});
  if (!edit.text) return;
  if (const auto typed = typed_number(*edit.text); typed && range.has(*typed)) value = *typed;
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

void draw_form(Rows& rows, Ui& ui, ExportChoices& choices) {
  const auto forms = forms_of(choices.what);
  std::vector<std::string_view> names;
  for (const ExportForm& form : forms) names.push_back(form.title);
  auto& chosen = choices.forms[static_cast<std::size_t>(choices.what)];
  int form = static_cast<int>(std::min(chosen, forms.size() - 1));
  const Rect row = rows.next("Format");
  const bool side_by_side = forms.size() <= most_side_by_side;
  if (side_by_side ? segmented(ui, "form", row, names, form)
                   : select(ui, "form", row, std::vector<std::string>(names.begin(), names.end()), form))
    chosen = static_cast<std::size_t>(form);
}

void draw_lengths(Rows& rows, Ui& ui, ExportChoices& choices) {
  const bool pixels = choices.size == ExportSize::pixels;
  auto& extent = pixels ? choices.pixels : choices.centimetres;
  const Range range = lengths_of(choices);
  Rect row = rows.next("");
  length_field(ui, "width", row.cut_left(field_width), extent[0], range);
  ui.canvas().text_in(row.cut_left(20), "×", TextStyle::control, ui.theme().text3, Align::center);
  length_field(ui, "height", row.cut_left(field_width), extent[1], range);
  if (pixels)
    for (double& length : extent) length = std::round(length);
}

/// The row of a choice, as its entry says.
void draw_row(Rows& rows, Ui& ui, const Entry<ExportChoices>& entry, ExportDialog& dialog) {
  Control control = entry.control(dialog.choices);
  control.help = {};  // it is about the option of the command line
  Rect row = rows.next(entry.label);
  std::optional<ControlInput> input;
  if (control.kind == ControlKind::text) {
    if (text_field(ui, control.name, row, control.exact, {.style = TextStyle::code, .hint = control.hint}).changed)
      input = control.exact;
  } else {
    const bool is_field = control.kind == ControlKind::real && !control.travel;
    input = draw_control(ui, is_field ? row.cut_left(field_width) : row, control).input;
    if (is_field) ui.canvas().text_in(row, fmt::format("  {}", entry.unit), TextStyle::control, ui.theme().text3);
  }
  if (!input) return;
  if (auto changed = entry.with(dialog.choices, *input); changed.owner) {
    dialog.choices = *std::move(changed.owner);
  } else {
    dialog.problem = fmt::format("{}: {}", entry.label, changed.why);
    dialog.failed = dialog.attempt();
  }
}

/// A path in the folder where pictures begin moves to the one where numbers begin, and the other way around.
void move_to_folder_of(ExportDialog& dialog, const ExportForm& before) {
  const std::filesystem::path path(dialog.path);
  if (path.parent_path() != dialog.folders.of(before)) return;
  dialog.path = (dialog.folders.of(dialog.choices.form()) / path.filename()).string();
}

/// The path to type, and a button that looks for one. Without folders it is a name.
void draw_path(Rect row, ViewContext& context, ExportDialog& dialog) {
  if (!machine().has_folders) {
    const std::filesystem::path path(dialog.path);
    std::string file = path.filename().string();
    if (text_field(context.ui, "path", row, file, {.style = TextStyle::code, .hint = "Name of the file"}).changed)
      dialog.path = (path.parent_path() / std::filesystem::path(file).filename()).string();
    return;
  }
  const Rect browse = row.cut_right(76);
  row.cut_right(8);
  text_field(context.ui, "path", row, dialog.path,
             {.style = TextStyle::code, .path = true, .hint = "Path of the file"});
  if (button(context.ui, "browse", browse, "Browse…", {.tooltip = "Choose a folder or a file"}))
    context.session.request(BrowseForExport{});
}

void draw_choices(Rows& rows, ViewContext& context, ExportDialog& dialog) {
  Ui& ui = context.ui;
  ExportChoices& choices = dialog.choices;
  const ExportForm* const before = &choices.form();
  for (const Entry<ExportChoices>& entry : export_entries()) {
    if (!entry.is_applicable(choices)) continue;
    draw_row(rows, ui, entry, dialog);
    if (entry.name == "what") draw_form(rows, ui, choices);
    if (entry.name == "what" && choices.form().of_tensor)
      text_field(ui, "part", rows.next("Part"), dialog.part, {.style = TextStyle::code, .hint = "weights[0,1]"});
    if (entry.name == "size" && choices.size != ExportSize::own) draw_lengths(rows, ui, choices);
  }
  if (&choices.form() != before) {
    move_to_folder_of(dialog, *before);
    fit_ending(dialog);
  }
  draw_path(rows.next("File"), context, dialog);
  ui.begin_row({});
}

bool is_there(const ExportDialog& dialog) {
  std::error_code error;
  return machine().has_folders && std::filesystem::exists(dialog.path, error);  // else each is a download of its own
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
  if (button(ui, "save", {save.x, area.center().y - ui.reach(control_height) / 2, save.w, ui.reach(control_height)},
             "Save…", {.tooltip = "Save the setup to a file", .keys = "Ctrl+S"}))
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
  const bool copies = icon_button(ui, "copy command", words.cut_right(ui.reach(28)), Icon::copy,
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
  // It is where the button of the export was, so the second click of a double click there is not meant for it.
  if (button(ui, "cancel", row.cut_right(84), "Cancel", {.once = true})) dialog.wish = Wish::cancel;
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
  if (asks && keep_both_button(ui, row.cut_right(96), dialog.path)) {
    dialog.path = unused_beside(dialog.path).string();
    dialog.wish = Wish::run;
    return;
  }
  if (asks) row.cut_right(8);
  const bool ready_to_go = possible && !dialog.path.empty();
  const bool pressed =
      button(ui, "export", go, asks ? "Replace" : "Export",
             {.kind = ButtonKind::primary, .enabled = ready_to_go, .once = asks, .keys = "Ctrl+Enter"});
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
void draw_left(ViewContext& context, const Rect& area, ExportDialog& dialog) {
  Ui& ui = context.ui;
  ScrollArea scroll(ui, "choices", area, dialog.height, ui.theme().panel);
  const bool scrolls = dialog.height > area.h;
  Rect content = scroll.content();
  content.w -= scrolls ? 14 : 0;
  content.h = std::numeric_limits<float>::max();  // the height is only known once all is drawn
  Rows rows(ui, content);
  draw_choices(rows, context, dialog);
  dialog.height = rows.rest().y - content.y - row_gap;
}

void draw_texture(Ui& ui, const Rect& area, const ExportPreview& preview) {
  const Canvas canvas = ui.canvas();
  const float w = static_cast<float>(preview.width);
  const float h = static_cast<float>(preview.height);
  const float fit = std::min({area.w / w, area.h / h, 1.0f});
  const Rect r = canvas.snapped(Rect{area.center().x - w * fit / 2, area.center().y - h * fit / 2, w * fit, h * fit});
  canvas.picture(preview.texture, r);
  ui.item("preview", r, {.focusable = false});
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
  const Rect buttons = area.cut_bottom(ui.reach(control_height));
  area.cut_bottom(row_gap);
  // In a low window and on a slide, the command gives way to the preview.
  if (area.h >= lowest_with_command || asks_to_replace(dialog) || !dialog.problem.empty()) {
    draw_strip(context, area.cut_bottom(strip_height), dialog);
    area.cut_bottom(row_gap);
  }
  // Where there is no room for both beside each other, the preview is below.
  const bool is_column = area.w < 600 && area.w < 1.6f * area.h;
  draw_left(context, is_column ? area.cut_top(area.h * 0.6f) : area.cut_left(std::min(400.0f, 0.56f * area.w)), dialog);
  (is_column ? area.cut_top(12) : area.cut_left(20));
  if (dialog.fraction) draw_progress(ui, buttons, dialog);
  else draw_buttons(ui, buttons, dialog, why_not(dialog.choices.what, context.session).empty());
  draw_preview(ui, area, dialog.preview);
  closed = sheet.dismissed() || closed;
  if (closed) dialog.wish = Wish::close;
  if (dialog.wish != Wish::none) ui.request_frame();
}

}  // namespace headlight
