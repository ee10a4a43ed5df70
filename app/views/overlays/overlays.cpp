#include "app/views/overlays/overlays.hpp"

#include <filesystem>
#include <string>
#include <string_view>

#include "app/machine.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/command_palette.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "app/views/overlays/layers_card.hpp"
#include "app/views/overlays/path_card.hpp"
#include "app/views/overlays/problems_card.hpp"

namespace headlight {
namespace {

constexpr double notice_seconds = 4;
constexpr double seconds_to_open = 10;
constexpr float open_width = 64;
constexpr float folder_width = 124;

/// What the notice offers to do with the file that was written, at the right end of the toast.
void draw_openers(ViewContext& context, Rect row) {
  const std::filesystem::path& file = context.session.state().written;
  row.cut_right(4);
  if (button(context.ui, "folder", row.cut_right(folder_width), "Show in folder", {.tooltip = "Opens its folder"}))
    context.session.request(OpenWritten{file, true});
  row.cut_right(4);
  if (button(context.ui, "open", row.cut_right(open_width), "Open", {.tooltip = "Opens the file in its own program"}))
    context.session.request(OpenWritten{file});
}

/// A notice about a file that was written answers to the mouse, and stays while the mouse is on it.
void draw_notice_of_file(ViewContext& context, const Rect& toast, std::string_view words) {
  const Layer layer(context.ui, "notice", toast);
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  canvas.fill(toast, theme.raised, 8);
  canvas.stroke(toast, theme.outline, 1, 8);
  canvas.text_in(toast.inset(16, 0), words, TextStyle::control, theme.text);
  draw_openers(context, toast.inset(0, 4));
  if (toast.contains(context.ui.mouse()))
    context.memory.get<OverlaysMemory>().since = context.ui.time() + notice_seconds - seconds_to_open;
}

/// Draws the session's notice for a few seconds.
void draw_notice(ViewContext& context) {
  auto& memory = context.memory.get<OverlaysMemory>();
  const SessionState& state = context.session.state();
  if (state.notices != memory.notices) {
    memory.notices = state.notices;
    memory.since = context.ui.time();
  }
  const bool of_file = machine().has_folders && !state.written.empty() && !context.ui.is_covered();
  const double left = memory.since + (of_file ? seconds_to_open : notice_seconds) - context.ui.time();
  if (state.notice.empty() || left <= 0) return;
  context.ui.request_frame_in(left);
  const Canvas canvas = context.ui.overlay();
  const Theme& theme = canvas.theme();
  const Rect surface = context.ui.surface();
  const float buttons = of_file ? open_width + folder_width + 12 : 0;
  const std::string words = canvas.ellipsized(state.notice, TextStyle::control, surface.w - 80 - buttons);
  const float width = canvas.width(words, TextStyle::control) + 32 + buttons;
  const Rect toast{surface.center().x - width / 2, surface.bottom() - status_bar_height - 44, width,
                   of_file ? 36.0f : 32.0f};
  if (of_file) return draw_notice_of_file(context, toast, words);
  canvas.fill(toast, theme.raised, 8);
  canvas.stroke(toast, theme.outline, 1, 8);
  canvas.text_in(toast, words, TextStyle::control, theme.text, Align::center);
}

}  // namespace

void draw_overlays(ViewContext& context) {
  ViewMemory& memory = context.memory;
  const Overlay overlay = context.session.display().overlay;
  if (overlay == Overlay::none) memory.get<PaletteMemory>().text.clear();
  // Only the uppermost card is there: it alone gets the keys, and what it covers waits until it is closed.
  if (overlay == Overlay::palette) draw_palette(context);
  else if (overlay == Overlay::shortcuts) draw_shortcuts(context);
  else if (overlay == Overlay::appearance) draw_appearance(context);
  else if (memory.opened<PathPrompt>()) draw_path_card(context);
  else if (memory.opened<ExportDialog>()) draw_export_dialog(context);
  else if (!memory.get<ProblemsCard>().problems.empty()) draw_problems_card(context);
  else if (memory.opened<LayersCard>()) draw_layers_card(context);
  draw_notice(context);
}

}  // namespace headlight
