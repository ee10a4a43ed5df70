#include "app/views/base/views.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/slices/slice.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/heads/attention_lines.hpp"
#include "app/views/heads/attention_links.hpp"
#include "app/views/heads/head_study.hpp"
#include "app/views/heads/similarity_matrix.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "core/model/mask.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

struct HeadsPanelMemory {
  LinkFinder links;
};

constexpr float padding = 20;
constexpr float number_height = 92;
constexpr float lowest_lines = 220;
constexpr float line_pitch = 31;

std::string number_text(const Session& session, const Selection& selection) {
  if (session.lesson().hides(cell_of(selection, session.setup()), session.setup())) return "?";
  const Slice slice = slice_of(session.trace(), selection.tensor, selection.batch, selection.head);
  const CellKind kind = slice.kind(selection.row, selection.column);
  if (kind == CellKind::masked) return "masked";
  if (kind != CellKind::number) return word_for(kind);
  const double value = slice.value(selection.row, selection.column);
  return format_that_fits(std::abs(value), value < 0, 8, 4)(value);
}

/// "weights[0, h2, q8, k3]", the number of that cell, and a sentence about what it means.
void draw_number(ViewContext& context, const Rect& area, const Selection& selection) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const Session& session = context.session;
  const Setup& setup = session.setup();
  const auto plain = [&](std::string_view text) { return Run{text, TextStyle::mono, theme.text2}; };
  const std::string layer = setup.sizes.layers > 1 ? fmt::format("L{}.", setup.layer) : std::string();
  const std::string start =
      fmt::format("{}{}[{}, h{}, ", layer, name(selection.tensor), selection.batch, selection.head);
  const std::string query = fmt::format("q{}", selection.row);
  const std::string key = fmt::format("k{}", selection.column);
  canvas.rich({area.x, area.y + 30}, {plain(start),
                                      {query, TextStyle::mono_strong, theme.query},
                                      plain(", "),
                                      {key, TextStyle::mono_strong, theme.key},
                                      plain("]")});
  const float size = context.ui.reach(28);
  const float cross = has_sheets(context) ? size : 0;  // of the sheet that the panel is then
  const Rect pin{area.right() + 2 - size - cross, area.y + 25 - size / 2, size, size};
  const bool pinned = session.state().pinned;
  if (icon_button(context.ui, "pin", pin, Icon::pin,
                  {.kind = ButtonKind::quiet,
                   .selected = pinned,
                   .tooltip = pinned ? "Unpin the cell" : "Pin the cell",
                   .keys = "P"}))
    pinned ? Selecting(context.session).release() : Selecting(context.session).pin();
  const std::string number = number_text(session, selection);
  const float wide = canvas.text({area.x, area.y + 72}, number, TextStyle::big_value, theme.text);
  const float room = area.w - wide - 16;
  const auto word = [&](bool of_key, const std::string& otherwise) {
    const std::string token =
        axis_label(TensorId::weights, of_key, of_key ? selection.column : selection.row, session).token;
    return token.empty() ? otherwise : token;
  };
  const std::string from = word(false, setup.query_label(selection.row));
  const std::string to = word(true, setup.key_label(selection.column));
  const Run words[] = {{from, TextStyle::body_strong, theme.query, Script::normal, 6},
                       {"looks at", TextStyle::body, theme.text2, Script::normal, 6},
                       {to, TextStyle::body_strong, theme.key}};
  if (canvas.width(std::span<const Run>(words)) <= room)
    canvas.rich({area.right(), area.y + 70}, std::span<const Run>(words), Align::right);
}

void draw_lines(ViewContext& context, Rect area, const Selection& selection) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const Rect title = area.cut_top(40);
  area.cut_bottom(8);
  canvas.text_in(title, "Who looks at whom", TextStyle::control_strong, theme.text);
  const float room = title.w - canvas.width("Who looks at whom", TextStyle::control_strong) - 12;
  canvas.text_in(title,
                 canvas.ellipsized(head_words(selection.head, context.session.setup()), TextStyle::control, room),
                 TextStyle::control, theme.text2, Align::right);
  const LinkRequest request{context.session.trace().version,
                            selection.tensor,
                            selection.batch,
                            {selection.head},
                            context.session.display().tokens.threshold};
  const AttentionLinks& links = context.memory.get<HeadsPanelMemory>().links.of(context.session, request);
  if (!links.ready) context.ui.request_frame_in(look_again);
  draw_attention_lines(context, "lines", area, links,
                       {.ground = theme.panel, .widest_pitch = line_pitch, .keeps_query = true});
}

void draw_rule(const Canvas& canvas, const Rect& area, float y) {
  canvas.fill({area.x, y, area.w, 1}, canvas.theme().line);
}

}  // namespace

void draw_heads_panel(ViewContext& context, Rect area) {
  const Session& session = context.session;
  const Canvas canvas = context.ui.canvas();
  const Selection selection = attention_selection(session);
  const float width = area.w - 2 * padding;
  const float alike = similarity_height(width, session.setup().sizes.heads) + 16;
  const auto tokens = static_cast<float>(std::max(session.setup().sizes.query_length, session.setup().key_length()));
  const float wanted = 84 + line_pitch * tokens;
  const float lines =
      std::clamp(area.h - number_height - alike, std::min(lowest_lines, wanted), std::max(lowest_lines, wanted));
  const ScrollArea scroll(context.ui, "panel", area, number_height + lines + alike, context.ui.theme().panel);
  Rect rest{area.x + padding, scroll.content().y, width, number_height + lines + alike};
  const Rect number = rest.cut_top(number_height);
  if (points_at_answer(session))
    canvas.paragraph({number.x, number.y + 30}, words_on_asked, TextStyle::control, canvas.theme().text2, number.w, 18);
  else draw_number(context, number, selection);
  draw_rule(canvas, area, rest.y);
  draw_lines(context, rest.cut_top(lines), selection);
  draw_rule(canvas, area, rest.y);
  draw_similarity(context, rest.inset(0, 2),
                  context.memory.get<HeadStudies>().similarities(context.session, selection.batch, selection.tensor));
}

}  // namespace headlight
