#include "app/views/overlays/overlays.hpp"

#include <algorithm>
#include <string>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/command_palette.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "app/views/overlays/layers_card.hpp"
#include "app/views/overlays/path_card.hpp"
#include "app/views/overlays/problems_card.hpp"
#include "app/views/overlays/start_card.hpp"

namespace headlight {
namespace {

constexpr double notice_seconds = 4;

/// Whether the user has pinned a cell, and so understood the hint.
bool has_used_a_cell(const Session& session) { return session.state().pinned; }

/// Draws the session's notice for a few seconds.
void draw_notice(ViewContext& context) {
  auto& memory = context.memory.get<OverlaysMemory>();
  const std::string& notice = context.session.state().notice;
  if (notice != memory.notice) {
    memory.notice = notice;
    memory.since = context.ui.time();
  }
  const double left = memory.since + notice_seconds - context.ui.time();
  if (notice.empty() || left <= 0) return;
  context.ui.request_frame_in(left);
  const Canvas canvas = context.ui.overlay();
  const Theme& theme = canvas.theme();
  const Rect surface = context.ui.surface();
  const std::string words = canvas.ellipsized(notice, TextStyle::control, surface.w - 80);
  const float width = canvas.width(words, TextStyle::control) + 32;
  const Rect toast{surface.center().x - width / 2, surface.bottom() - status_bar_height - 44, width, 32};
  canvas.fill(toast, theme.raised, 8);
  canvas.stroke(toast, theme.outline, 1, 8);
  canvas.text_in(toast, words, TextStyle::control, theme.text, Align::center);
}

/// Draws the hint for beginners until they have followed it once.
void draw_first_hint(ViewContext& context) {
  auto& memory = context.memory.get<OverlaysMemory>();
  if (!memory.hint || context.presenting) return;
  if (has_used_a_cell(context.session)) {
    memory.hint = false;
    return;
  }
  const Rect centre = current_layout(context).centre;
  const float width = std::min(360.0f, centre.w - 32);
  constexpr std::string_view words =
      "Point at a number to see where it comes from. Click to pin it, right-click for more. ← → move through "
      "the lecture.";
  const Canvas measure = context.ui.canvas();
  const auto lines = static_cast<float>(measure.wrapped(words, TextStyle::control, width - 72).size());
  const float height = 20 * lines + 24;
  const Rect card{centre.right() - width - 16, centre.bottom() - height - 16, width, height};
  const Layer layer(context.ui, "first hint", card);
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  canvas.fill(card, theme.raised, 8);
  canvas.stroke(card, theme.outline, 1, 8);
  canvas.icon(Icon::pin, {card.x + 14, card.y + 14}, theme.text2);
  canvas.paragraph({card.x + 40, card.y + 26}, words, TextStyle::control, theme.text, width - 72, 20);
  const Rect close{card.right() - 30, card.y + 6, 24, 24};
  const Item item = context.ui.item("close", close, {.focusable = false});
  canvas.icon_centered(Icon::cross, close, item.hovered ? theme.text : theme.text3, 1.5f, 12);
  if (item.clicked) memory.hint = false;
}

}  // namespace

void draw_overlays(ViewContext& context) {
  ViewMemory& memory = context.memory;
  const auto& problems = memory.get<ProblemsCard>().problems;
  const bool covered = memory.opened<PathPrompt>() || memory.opened<LayersCard>() || !problems.empty();
  if (memory.opened<StartCard>() && !covered) draw_start_card(context);
  else draw_first_hint(context);
  if (memory.opened<LayersCard>() && problems.empty()) draw_layers_card(context);
  if (!problems.empty()) draw_problems_card(context);
  if (memory.opened<PathPrompt>()) draw_path_card(context);
  else if (memory.opened<ExportDialog>()) draw_export_dialog(context);
  switch (context.session.display().overlay) {
    case Overlay::none: memory.get<PaletteMemory>().text.clear(); break;
    case Overlay::palette: draw_palette(context); break;
    case Overlay::shortcuts: draw_shortcuts(context); break;
  }
  draw_notice(context);
}

}  // namespace headlight
