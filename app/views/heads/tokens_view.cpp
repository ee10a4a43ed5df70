#include "app/views/heads/attention_lines.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/display/display_entries.hpp"
#include "app/session/selecting.hpp"
#include "app/session/sentence.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/view_header.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/heads/head_study.hpp"
#include "app/views/heads/why_words.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/range_bar.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "core/stages/explain.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr float tokens_margin = 24;
constexpr double least_threshold = 0.0001;
constexpr float lowest_with_legend = 460;
constexpr float words_alone = 32;
constexpr float around_lines = 8;

std::vector<Index> heads_of(const Session& session) {
  const Display& display = session.display();
  if (display.tokens.selected_head_only) return {session.selection().head};
  std::vector<Index> heads;
  for (Index head = 0; head < session.setup().sizes.heads; ++head)
    if (!display.heads.hides(head)) heads.push_back(head);
  return heads;
}

const AttentionLinks& links_of(ViewContext& context) {
  const Session& session = context.session;
  const LinkRequest request{session.trace().version, attention_tensor(session), session.selection().batch,
                            heads_of(session), session.display().tokens.threshold};
  const AttentionLinks& links = context.memory.get<TokensMemory>().links.of(context.session, request);
  if (!links.ready) context.ui.request_frame_in(look_again);
  return links;
}

void set_threshold(Session& session, double threshold) {
  session.edit_display([&](Display& d) { d.tokens.threshold = threshold; });
}

// --- Controls --------------------------------------------------------------------------------------------------------

constexpr float head_choice_width = 320;
constexpr float threshold_width = 300;

void draw_head_choice(ViewContext& context, Rect r) {
  Session& session = context.session;
  const Index heads = session.setup().sizes.heads;
  static constexpr std::array<std::string_view, 2> words{"one head", "all heads"};
  int index = session.display().tokens.selected_head_only ? 0 : 1;
  if (segmented(context.ui, "heads", r.cut_left(184), words, index,
                {.tooltip = display_entry("selected_head_only").help})) {
    session.edit_display([&](Display& d) { d.tokens.selected_head_only = index == 0; });
  }
  r.cut_left(12);
  if (index == 1) return;
  long long head = session.selection().head;
  if (stepper(context.ui, "head", r.cut_left(112), head, 0, heads - 1, {.tooltip = "The head to show"}))
    Selecting(session).select_head(head);
}

void draw_threshold(ViewContext& context, Rect r) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  double threshold = std::max(least_threshold, context.session.display().tokens.threshold);
  canvas.text_in(r.cut_left(76), "lines from", TextStyle::control, theme.text2);
  canvas.text_in(r.cut_right(56), percent_text(threshold), TextStyle::mono_strong, theme.text, Align::right);
  if (slider(context.ui, "threshold", r, threshold, least_threshold, 1,
             {.logarithmic = true, .mark = TokensOptions{}.threshold, .tooltip = display_entry("threshold").help}))
    set_threshold(context.session, threshold);
}

/// Draws the controls in as many rows as they need, and cuts these rows off the area.
void draw_controls(ViewContext& context, Rect& area) {
  const Setup& setup = context.session.setup();
  Rect row = area.cut_top(38).inset(0, 5);
  const auto area_of = [&](float width) {
    if (row.w < width) row = area.cut_top(38).inset(0, 5);
    const Rect r = row.cut_left(std::min(width, row.w));
    row.cut_left(28);
    return r;
  };
  if (setup.sizes.heads > 1) draw_head_choice(context, area_of(head_choice_width));
  draw_threshold(context, area_of(threshold_width));
  if (setup.sizes.batch > 1) draw_batch_choice(context, area_of(batch_choice_width));
}

void draw_title(ViewContext& context, const Rect& row, TensorId tensor) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const Setup& setup = context.session.setup();
  constexpr std::string_view title = "Who looks at whom";
  if (constexpr std::string_view warning = "Random weights: they mean nothing about these words";
      is_random(context.session)) {
    // Where both have no room, the title gives way.
    const float both = canvas.width(title, TextStyle::title) + 52 + canvas.width(warning, TextStyle::control);
    const float left = row.w > both ? canvas.text({row.x, row.y + 26}, title, TextStyle::title, theme.text) + 20 : 0;
    canvas.icon(Icon::dice, {row.x + left, row.y + 12}, theme.changed);
    canvas.text({row.x + left + 24, row.y + 25}, canvas.ellipsized(warning, TextStyle::control, row.w - left - 24),
                TextStyle::control, theme.text);
    return;
  }
  const float wide = canvas.text({row.x, row.y + 26}, title, TextStyle::title, theme.text);
  const std::string about =
      fmt::format("{}, {}, {}", name_in_model(tensor, setup), counted(setup.sizes.query_length, "query", "queries"),
                  counted(setup.key_length(), "key", "keys"));
  if (row.w > wide + 24 + canvas.width(about, TextStyle::code))
    canvas.text({row.x + wide + 20, row.y + 25}, about, TextStyle::code, theme.text2);
}

// --- Missing lines ---------------------------------------------------------------------------------------------------

/// The line about how many weights are drawn, and why others are left out.
std::string said(const AttentionLinks& links, const Setup& setup) {
  if (!links.ready) return "looking for the largest weights…";
  const auto heads = links.request.heads.size();
  const std::string of =
      heads == 1 ? "of " + head_words(links.request.heads.front(), setup) : fmt::format("of {} heads", heads);
  std::string text =
      links.above > static_cast<Index>(links.links.size())
          ? fmt::format("the {} largest of {} weights {} that reach {}", links.links.size(), links.above, of,
                        percent_text(links.request.threshold))
      : links.above == 1
          ? fmt::format("1 weight {} reaches {}", of, percent_text(links.request.threshold))
          : fmt::format("{} weights {} reach {}", links.above, of, percent_text(links.request.threshold));
  if (!setup.mask.kinds.empty()) text += "; hatched: masked, no weight at all";
  return text;
}

void draw_foot(ViewContext& context, const Rect& area, const AttentionLinks& links) {
  const Canvas canvas = context.ui.canvas();
  const TensorId tensor = links.request.tensor;
  const ColorScale scale = color_scale_of(context, tensor, links.request.heads.front());
  const bool high = area.h >= high_legend;
  if (!high) canvas.fill({area.x, area.y, area.w, 1}, canvas.theme().line);
  const Rect room = high ? draw_legend(context, area, tensor, scale) : area;
  canvas.text_in(room, canvas.ellipsized(said(links, context.session.setup()), TextStyle::caption, room.w),
                 TextStyle::caption, canvas.theme().text3);
}

/// Draws a message and a button for a lower threshold, if no weight reaches the threshold.
void draw_too_high(ViewContext& context, const Rect& area, const AttentionLinks& links) {
  if (!links.links.empty() || links.largest <= 0 || context.bare()) return;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const std::string words = fmt::format("No weight reaches {}. The largest is {}.",
                                        percent_text(links.request.threshold), percent_text(links.largest));
  const float wide = std::min(area.w, std::max(canvas.width(words, TextStyle::body) + 40, 220.0f));
  const Rect card{area.center().x - wide / 2, area.center().y - 44, wide, 88};
  canvas.fill(card, theme.raised, 8);
  canvas.stroke(card, theme.line_strong, 1, 8);
  canvas.text_in({card.x + 12, card.y + 12, card.w - 24, 24}, words, TextStyle::body, theme.text, Align::center);
  if (button(context.ui, "lower", {card.center().x - 80, card.y + 46, 160, 28}, "Lower the threshold",
             {.kind = ButtonKind::primary}))
    set_threshold(context.session, links.largest / 2);
}

// --- Why does this word look at that one? ----------------------------------------------------------------------------

constexpr float why_height = 92;
constexpr float lowest_with_why = 420;
constexpr float lowest_with_both = 600;  // the legend and why

/// "In head 1, too gives 78% of its attention to tired.", what is measured of the head, and the way into the sum.
void draw_why(ViewContext& context, Rect area, const Cell& cell) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  canvas.fill({area.x, area.y, area.w, 1}, theme.line);
  area.cut_top(10);
  const WhyWords why = why_words(context.session, cell);
  constexpr float gap = 6;
  const Run words[] = {{why.before, TextStyle::heading, theme.text, Script::normal, gap},
                       {why.from, TextStyle::heading, theme.query, Script::normal, gap},
                       {"gives", TextStyle::heading, theme.text, Script::normal, gap},
                       {why.share, TextStyle::heading, theme.text, Script::normal, gap},
                       {"of its attention to", TextStyle::heading, theme.text, Script::normal, gap},
                       {why.to, TextStyle::heading, theme.key}};
  canvas.rich({area.x, area.y + 20}, std::span<const Run>(words));
  Rect below = area;
  below.cut_top(32);
  const std::string offer = fmt::format("See the sum behind {}", why.share);
  const Rect go = below.cut_right(canvas.width(offer, TextStyle::control) + 32);
  below.cut_right(16);
  canvas.paragraph({below.x, below.y + 14}, why.about_head + (why.exception.empty() ? "" : " " + why.exception),
                   TextStyle::body, theme.text2, below.w, 20);
  if (button(context.ui, "sum", {go.x, go.y, go.w, context.ui.reach(30)}, offer,
             {.tooltip = "Where this number comes from, term by term"}))
    context.memory.get<FrameMemory>().after_frame = [cell](Session& session) {
      session.show(View::pipeline);
      Selecting(session).pin(sum_behind(session, cell));
    };
}

/// The pinned weight of one query and one key, if this view has room to say why.
std::optional<Cell> asked_why(const ViewContext& context, const Rect& area, TensorId tensor) {
  const Session& session = context.session;
  const Cell cell = session.cell();
  const bool possible = session.state().pinned && cell.tensor == tensor && tensor == TensorId::weights &&
                        session.lesson().lecture() == nullptr && !context.presenting && !context.still &&
                        !context.bare() && area.h >= lowest_with_why && !session.setup().tokens.empty() &&
                        session.display().tokens.selected_head_only;
  return possible ? std::optional(cell) : std::nullopt;
}

}  // namespace

void draw_tokens_view(ViewContext& context, Rect area) {
  const AttentionLinks& links = links_of(context);
  Rect rest = context.presenting ? area : area.inset(tokens_margin, 0);
  const AttentionLinesOptions lines{.ground = context.ui.theme().canvas};
  ArrangedPicture picture;
  if (context.presenting)
    picture.fit = [&](const Arrangement& tried, const Story&) {
      return fit_of_lines(context, tried.picture.inset(0, around_lines), links, lines);
    };
  cut_lecture_story(context, rest, 0.34f, std::move(picture));
  if (!context.presenting) rest.cut_top(area.h < 560 ? 4 : 12);
  // A lecture's step has its own title above.
  if (context.still || (context.session.lesson().lecture() == nullptr && !context.presenting))
    draw_title(context, rest.cut_top(40), links.request.tensor);
  if (!context.bare()) draw_controls(context, rest);
  const auto why = asked_why(context, area, links.request.tensor);
  if (!context.presenting) {
    const bool has_room = area.h >= (why ? lowest_with_both : lowest_with_legend);
    draw_foot(context, rest.cut_bottom(has_room ? high_legend : words_alone), links);
  }
  if (why) draw_why(context, rest.cut_bottom(why_height), *why);
  draw_attention_lines(context, "lines", rest.inset(0, around_lines), links, lines);
  draw_too_high(context, rest, links);
}

}  // namespace headlight
