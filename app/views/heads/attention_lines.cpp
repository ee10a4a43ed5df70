#include "app/views/heads/attention_lines.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/heads/head_study.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "core/model/mask.hpp"

namespace headlight {
namespace {

constexpr float heading = 24;
constexpr float share_width = 50;
constexpr float token_label_room = 17;
constexpr std::size_t strongest_named = 12;
constexpr float apart = 2;  ///< lines closer than this cover each other

enum class Side : std::uint8_t { queries, keys };
Side other(Side side) { return side == Side::queries ? Side::keys : Side::queries; }

/// The positions of the tokens on both sides, in design pixels.
struct Ladder {
  Rect area;
  float top = 0;
  float pitch = 0;
  float left = 0;   ///< of the queries' dots
  float right = 0;  ///< of the keys' dots

  float x(Side side) const { return side == Side::queries ? left : right; }
  Point dot(Side side, Index index) const { return {x(side), top + (static_cast<float>(index) + 0.5f) * pitch}; }
};

/// The token whose lines are highlighted, and its share of attention with each token of the other side.
struct Isolated {
  Side side = Side::queries;
  Index index = 0;
  Index partner = 0;           ///< the token of the other side in the hovered or pinned cell
  std::vector<double> shares;  ///< one per token of the other side: the mean over the heads
  std::vector<bool> hidden;    ///< by the mask
  std::vector<bool> asked;     ///< by the lecture's step, so it is not shown
};

struct Drawing {
  ViewContext& context;
  const Canvas& canvas;
  const AttentionLinks& links;
  const AttentionLinesOptions& options;
  const Setup& setup;
  Ladder ladder;
  std::optional<Isolated> isolated;
  ColorScale scale;
  Tensor shaded;  ///< (batch, head, query, key): the numbers behind the colours

  const Theme& theme() const { return canvas.theme(); }
  Index count(Side side) const { return side == Side::queries ? setup.sizes.query_length : setup.key_length(); }
  std::string label(Side side, Index index) const {
    return axis_label(TensorId::weights, side == Side::keys, index, context.session).main();
  }
  Color identity(Side side) const { return side == Side::queries ? theme().query : theme().key; }
};

float names_width(const Drawing& d, Side side) {
  const Index step = std::max<Index>(1, d.count(side) / 48);
  float widest = 24;
  for (Index i = 0; i < d.count(side); i += step)
    widest = std::max(widest, d.canvas.width(d.label(side, i), TextStyle::body_strong));
  return std::min(std::ceil(widest), 110.0f);
}

Ladder ladder_of(const Drawing& d, const Rect& area) {
  const auto most = static_cast<float>(std::max(d.count(Side::queries), d.count(Side::keys)));
  const float shares_left = d.options.keeps_query ? 0 : share_width;
  const float left_words = shares_left + names_width(d, Side::queries) + 12;
  const float right_words = share_width + names_width(d, Side::keys) + 12;
  const float span = std::clamp(area.w - left_words - right_words, 40.0f, d.options.widest_span);
  const float margin = d.options.keeps_query ? 0 : std::max(0.0f, (area.w - left_words - right_words - span) / 2);
  Ladder ladder{area, area.y + heading, std::min(d.options.widest_pitch, (area.h - heading) / most),
                area.x + margin + left_words, 0};
  ladder.right = d.options.keeps_query ? area.right() - right_words : ladder.left + span;
  return ladder;
}

// --- The isolated token ----------------------------------------------------------------------------------------------

/// Whether the lecture's step asks about the weight of this query and key, in one of the heads.
bool is_asked(const Drawing& d, Index query, Index key) {
  const LinkRequest& request = d.links.request;
  return std::ranges::any_of(request.heads, [&](Index head) {
    return d.context.session.lesson().hides({request.tensor, {request.batch, head, query, key}},
                                            d.context.session.setup());
  });
}

double share_of(const Drawing& d, Side side, Index index, Index partner) {
  const LinkRequest& request = d.links.request;
  const Index query = side == Side::queries ? index : partner;
  const Index key = side == Side::queries ? partner : index;
  double sum = 0;
  for (Index head : request.heads)
    sum += d.context.session.trace().number({request.tensor, {request.batch, head, query, key}});
  return sum / static_cast<double>(request.heads.size());
}

Isolated isolate(const Drawing& d, Side side, Index index, Index partner) {
  Isolated found{side, index, partner, {}, {}, {}};
  const Mask mask(d.setup);
  for (Index i = 0; i < d.count(other(side)); ++i) {
    found.asked.push_back(side == Side::queries ? is_asked(d, index, i) : is_asked(d, i, index));
    found.shares.push_back(found.asked.back() ? 0 : share_of(d, side, index, i));
    const bool visible = side == Side::queries ? mask.visible(d.links.request.batch, index, i)
                                               : mask.visible(d.links.request.batch, i, index);
    found.hidden.push_back(!visible);
  }
  return found;
}

std::optional<Isolated> isolated_now(const Drawing& d) {
  const Session& session = d.context.session;
  const bool shown = session.state().pinned || session.state().hovered.has_value();
  if ((!shown && !d.options.keeps_query) || points_at_answer(session)) return std::nullopt;
  const Selection selection = attention_selection(session);
  if (d.context.memory.get<TokensMemory>().by_key && !d.options.keeps_query)
    return isolate(d, Side::keys, selection.column, selection.row);
  return isolate(d, Side::queries, selection.row, selection.column);
}

/// The token of the other side with the largest share of this token's attention.
Index strongest_partner(const Drawing& d, Side side, Index index) {
  Index best = 0;
  double most = -1;
  for (Index i = 0; i < d.count(other(side)); ++i) {
    const double share = share_of(d, side, index, i);
    if (share > most) {
      most = share;
      best = i;
    }
  }
  return best;
}

/// A token under the mouse is isolated; a click pins it.
void point_at_tokens(Drawing& d, Side side) {
  Ui& ui = d.context.ui;
  const Ladder& l = d.ladder;
  const float height = l.pitch * static_cast<float>(d.count(side));
  const Rect strip = side == Side::queries ? Rect{l.area.x, l.top, l.left + 10 - l.area.x, height}
                                           : Rect{l.right - 10, l.top, l.area.right() - l.right + 10, height};
  const Item item = ui.item(side == Side::queries ? "queries" : "keys", strip, {.focusable = false});
  if (!item.hovered) return;
  const Index index = std::clamp<Index>(static_cast<Index>((ui.mouse().y - l.top) / l.pitch), 0, d.count(side) - 1);
  const float row = l.top + l.pitch * static_cast<float>(index);
  tell_written_token(d.context, written_token(side == Side::queries ? Axis::query : Axis::key, index, d.setup),
                     {strip.x, row, strip.w, l.pitch});
  // Once a query is chosen, a click on a key asks why that query looks at it, and the query stays.
  const bool chosen_query = d.context.session.state().pinned && !d.context.memory.get<TokensMemory>().by_key;
  const bool around_query = (d.options.keeps_query || chosen_query) && side == Side::keys;
  const Index partner = around_query ? attention_selection(d.context.session).row : strongest_partner(d, side, index);
  const Index query = side == Side::queries ? index : partner;
  const Index key = side == Side::queries ? partner : index;
  const LinkRequest& request = d.links.request;
  const Index own = d.context.session.selection().head;
  const bool own_shown = std::find(request.heads.begin(), request.heads.end(), own) != request.heads.end();
  const Cell cell{request.tensor,
                  {request.batch, own_shown ? own : request.heads.front(), query, key},
                  d.context.session.setup().layer};
  // While a cell is pinned, hovering previews nothing; a click moves the pin.
  if (!d.context.session.state().pinned || item.clicked)
    d.context.memory.get<TokensMemory>().by_key = side == Side::keys && !around_query;
  hover_cell(d.context, cell);
  if (item.clicked) Selecting(d.context.session).pin(cell);
  Target target = token_target(d.context.session, index, side == Side::keys);
  target.at = at_cell(target.at, cell, d.setup);
  offer_menu(d.context, strip, target);
}

// --- Lines -----------------------------------------------------------------------------------------------------------

void draw_line(const Drawing& d, Index query, Index key, Color color, float width) {
  const Point a = d.ladder.dot(Side::queries, query);
  const Point b = d.ladder.dot(Side::keys, key);
  const float reach = (b.x - a.x) * 0.45f;
  d.canvas.bezier(a, {a.x + reach, a.y}, {b.x - reach, b.y}, b, color, width);
}

/// The width of a line for a weight, given as its share of the largest one.
float line_width(const Drawing& d, double share) {
  const float thickest = std::clamp(d.ladder.pitch * 0.36f, 0.7f, 11.0f);
  return std::min(0.8f, thickest) + thickest * static_cast<float>(share);
}

double share_of_scale(const Drawing& d, double weight) {
  return std::clamp(weight / std::max(d.links.largest, 1e-300), 0.0, 1.0);
}

/// The colour of a line for its number. The faintest colours of the scale are skipped, because lines in them would be
/// invisible.
Color line_color(const Drawing& d, double shown) {
  constexpr double faintest = 0.3;
  return d.scale.color_at(d.theme(), std::max(faintest, d.scale.position(shown)));
}

/// The number that the line between two tokens shows: a mean over the heads.
double shade_of(const Drawing& d, Index query, Index key) {
  double sum = 0;
  for (Index head : d.links.request.heads) sum += d.shaded.at({d.links.request.batch, head, query, key});
  return sum / static_cast<double>(d.links.request.heads.size());
}

void draw_all(const Drawing& d) {
  const bool quiet = d.isolated.has_value();
  const double crowd =
      std::clamp(120.0 / static_cast<double>(std::max<std::size_t>(d.links.links.size(), 1)), 0.25, 1.0);
  // Behind an isolated token's lines only the strongest ones are drawn; these are last.
  const std::size_t count = d.links.links.size();
  const std::size_t shown = quiet ? std::min(count, static_cast<std::size_t>(d.ladder.area.h / apart)) : count;
  for (const AttentionLink& link : std::span(d.links.links).last(shown)) {
    if (is_asked(d, link.query, link.key)) continue;
    const double share = share_of_scale(d, static_cast<double>(link.weight));
    const Color color =
        quiet ? mix(d.options.ground, d.theme().line_strong, std::min(0.8, 0.2 + share * crowd))
              : faded(line_color(d, d.shaded.at({d.links.request.batch, link.head, link.query, link.key})),
                      static_cast<float>((0.35 + 0.6 * share) * std::sqrt(crowd)));
    draw_line(d, link.query, link.key, color, quiet ? line_width(d, share) * 0.5f : line_width(d, share));
  }
}

/// The partners of the isolated token that get a line, with their shares, the largest last. All lines start in one
/// point, so of lines that end too close together only the strongest is drawn.
std::vector<std::pair<double, Index>> isolated_lines(const Drawing& d, const Isolated& one) {
  std::vector<std::pair<double, Index>> lines;
  float end = 0;  // of the last line's room
  for (Index i = 0; i < std::ssize(one.shares); ++i) {
    const double share = one.shares[static_cast<std::size_t>(i)];
    if (share <= 0) continue;
    const float y = d.ladder.dot(other(one.side), i).y;
    if (lines.empty() || y >= end) {
      lines.emplace_back(share, i);
      end = y + apart;
    } else {
      lines.back() = std::max(lines.back(), {share, i});
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

void draw_isolated(const Drawing& d) {
  if (!d.isolated) return;
  const Isolated& one = *d.isolated;
  for (const auto& [share, partner] : isolated_lines(d, one)) {
    const double part = share_of_scale(d, share);
    const Index query = one.side == Side::queries ? one.index : partner;
    const Index key = one.side == Side::queries ? partner : one.index;
    draw_line(d, query, key, line_color(d, shade_of(d, query, key)), line_width(d, part));
  }
}

// --- Tokens ----------------------------------------------------------------------------------------------------------

bool is_isolated(const Drawing& d, Side side, Index index) {
  return d.isolated && d.isolated->side == side && d.isolated->index == index;
}
bool is_partner(const Drawing& d, Side side, Index index) {
  return d.isolated && d.isolated->side != side && d.isolated->partner == index;
}
bool is_hidden(const Drawing& d, Side side, Index index) {
  return d.isolated && d.isolated->side != side && d.isolated->hidden[static_cast<std::size_t>(index)];
}

void draw_dots(const Drawing& d, Side side) {
  const Index count = d.count(side);
  const float radius = std::clamp(d.ladder.pitch * 0.3f, 1.0f, 3.0f);
  if (d.ladder.pitch < 3) d.canvas.line(d.ladder.dot(side, 0), d.ladder.dot(side, count - 1), d.theme().text3, 2);
  for (Index i = 0; i < count; ++i) {
    const bool lit = is_isolated(d, side, i) || is_partner(d, side, i);
    if (d.ladder.pitch < 3 && !lit) continue;
    d.canvas.disc(d.ladder.dot(side, i), lit ? 5 : radius, lit ? d.identity(side) : d.theme().text3);
  }
}

/// The tokens in the order in which they get room for their labels: the lit one, then those with the largest shares,
/// then the rest.
std::vector<Index> by_importance(const Drawing& d, Side side) {
  std::vector<Index> order;
  if (d.isolated) order.push_back(d.isolated->side == side ? d.isolated->index : d.isolated->partner);
  if (d.isolated && d.isolated->side != side) {
    const auto& shares = d.isolated->shares;
    std::vector<Index> ranked(shares.size());
    for (std::size_t i = 0; i < ranked.size(); ++i) ranked[i] = static_cast<Index>(i);
    const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(std::min(strongest_named, ranked.size()));
    std::partial_sort(ranked.begin(), end, ranked.end(), [&](Index a, Index b) {
      return shares[static_cast<std::size_t>(a)] > shares[static_cast<std::size_t>(b)];
    });
    order.insert(order.end(), ranked.begin(), end);
  }
  const auto thinned = thinned_labels({0, d.count(side)}, d.ladder.pitch, token_label_room);
  order.insert(order.end(), thinned.begin(), thinned.end());
  return order;
}

std::vector<Index> labelled(const Drawing& d, Side side) {
  std::vector<Index> chosen;
  for (Index index : by_importance(d, side)) {
    const bool free = std::none_of(chosen.begin(), chosen.end(), [&](Index o) {
      return static_cast<float>(std::abs(o - index)) * d.ladder.pitch < token_label_room - 1;
    });
    if (free) chosen.push_back(index);
  }
  return chosen;
}

void draw_share(const Drawing& d, Side side, Index index, float middle) {
  if (!d.isolated || d.isolated->side == side) return;
  const Ladder& l = d.ladder;
  const float names = names_width(d, side) + 12;
  const Rect box = side == Side::keys ? Rect{l.right + names, middle - 8, share_width - 2, 16}
                                      : Rect{l.left - names - share_width, middle - 8, share_width - 6, 16};
  if (is_hidden(d, side, index)) {
    const Rect sample{box.right() - 26, middle - 6, 26, 12};
    d.canvas.hatch(sample, 4, 2);
    d.canvas.stroke(sample, d.theme().line_strong, 1, 2);
    return;
  }
  const bool lit = is_partner(d, side, index);
  const auto at = static_cast<std::size_t>(index);
  d.canvas.text_in(box, d.isolated->asked[at] ? "?" : percent_text(d.isolated->shares[at]),
                   lit ? TextStyle::mono_strong : TextStyle::mono, lit ? d.theme().text : d.theme().text2,
                   Align::right);
}

void draw_names(const Drawing& d, Side side) {
  const float wide = names_width(d, side);
  for (Index index : labelled(d, side)) {
    const bool isolated = is_isolated(d, side, index);
    const bool lit = isolated || is_partner(d, side, index);
    const float middle = d.ladder.dot(side, index).y;
    const Rect box = side == Side::queries ? Rect{d.ladder.left - 12 - wide, middle - 9, wide, 18}
                                           : Rect{d.ladder.right + 12, middle - 9, wide, 18};
    const Color ink = lit ? d.identity(side) : is_hidden(d, side, index) ? d.theme().text3 : d.theme().text2;
    d.canvas.text_in(box, d.label(side, index), lit ? TextStyle::body_strong : TextStyle::body, ink,
                     side == Side::queries ? Align::right : Align::left);
    draw_share(d, side, index, middle);
  }
}

}  // namespace

std::string percent_text(double share) {
  const double percent = 100 * share;
  if (percent >= 9.95) return fmt::format("{:.0f}%", percent);
  if (percent >= 0.05 || percent == 0) return fmt::format("{:.{}f}%", percent, percent == 0 ? 0 : 1);
  return "<0.1%";
}

void draw_attention_lines(ViewContext& context, std::string_view id, const Rect& area, const AttentionLinks& links,
                          const AttentionLinesOptions& options) {
  const Canvas canvas = context.ui.canvas();
  const Session& session = context.session;
  Drawing d{context,
            canvas,
            links,
            options,
            session.setup(),
            {},
            {},
            color_scale_of(context, links.request.tensor, links.request.heads.front()),
            {}};
  d.shaded = shaded_by(context, d.scale, links.request.tensor);
  d.ladder = ladder_of(d, area);
  context.ui.push_id(id);
  point_at_tokens(d, Side::queries);
  point_at_tokens(d, Side::keys);
  context.ui.pop_id();
  d.isolated = isolated_now(d);
  canvas.text({d.ladder.left - 12, area.y + 14}, "query", TextStyle::caption, d.theme().query, Align::right);
  canvas.text({d.ladder.right + 12, area.y + 14}, "key", TextStyle::caption, d.theme().key);
  draw_all(d);
  draw_isolated(d);
  for (Side side : {Side::queries, Side::keys}) {
    draw_dots(d, side);
    draw_names(d, side);
  }
}

PictureFit fit_of_lines(ViewContext& context, const Rect& area, const AttentionLinks& links,
                        const AttentionLinesOptions& options) {
  constexpr Index most_named = 24;
  constexpr float comfortable_span = 150;
  constexpr float least_span = 90;
  const Canvas canvas = context.ui.canvas();
  const Drawing d{context, canvas, links, options, context.session.setup(), {}, {}, {}, {}};
  const Ladder ladder = ladder_of(d, area);
  const float span = ladder.right - ladder.left;
  const Index tokens = std::max(d.count(Side::queries), d.count(Side::keys));
  const bool named = tokens > most_named || ladder.pitch >= token_label_room;
  const Cells cells = !named || span < least_span ? Cells::unreadable
                      : span < comfortable_span   ? Cells::readable
                                                  : Cells::comfortable;
  return {.cells = cells, .pitch = span / 4};
}

}  // namespace headlight
