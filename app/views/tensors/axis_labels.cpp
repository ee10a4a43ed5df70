#include "app/views/tensors/axis_labels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/session/studies/learning.hpp"
#include "core/stages/table.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr float two_lines = 36;
constexpr float two_label_lines = 40;
constexpr float label_line = 16;
/// Slanted words rise to the right from the middle of their columns.
constexpr float slant = 1.0f;  ///< in radians
constexpr float under_slanted = 6;
constexpr float highest_slanted = 46;
constexpr float least_slanted = 30;
constexpr float narrowest_slanted = 15;  ///< narrower columns are too close for lines of text
/// At most this many labels are measured to find the widest; measuring more would change little.
constexpr Index measured = 48;

/// The rectangle of a place on the axis that runs across (or down) the screen.
Rect span_of(const HeatmapLayout& layout, bool across, Index index) {
  const bool is_row = across == layout.shape().transposed;
  return layout.rect_of(is_row ? GridCell{index, 0} : GridCell{0, index});
}

IndexRange visible_on(const HeatmapLayout& layout, bool across) {
  return (across ? layout.across() : layout.down()).visible();
}

/// The token where it is without its index.
std::string alone(const AxisLabels& labels, const AxisLabel& label, Index index) {
  return labels.repeats && !label.token.empty() ? fmt::format("{} {}", label.token, index) : label.token;
}

float widest_label(const Canvas& canvas, const AxisLabels& labels, const IndexRange& range,
                   TextStyle token = TextStyle::body) {
  float widest = 0;
  const Index step = std::max<Index>(1, range.size() / measured);
  for (Index i = range.begin; i < range.end; i += step) {
    const AxisLabel label = labels.label(i);
    widest =
        std::max({widest, canvas.width(alone(labels, label, i), token), canvas.width(label.index, TextStyle::code)});
  }
  return widest;
}

/// The labels to draw: thinned, always with the lit one, and without neighbours that it would touch.
std::vector<Index> chosen(const IndexRange& visible, float pitch, float room, std::optional<Index> lit) {
  std::vector<Index> shown = thinned_labels(visible, pitch, room);
  if (!lit || !visible.contains(*lit)) return shown;
  std::erase_if(
      shown, [&](Index index) { return index != *lit && static_cast<float>(std::abs(index - *lit)) * pitch < room; });
  if (std::find(shown.begin(), shown.end(), *lit) == shown.end()) shown.push_back(*lit);
  return shown;
}

/// "position" as "posi.": what fits of a word that is too long; empty if that is less than `least` letters.
std::string shortened(const Canvas& canvas, const std::string& word, TextStyle style, float width,
                      std::size_t least = 2) {
  if (canvas.width(word, style) <= width) return word;
  constexpr std::string_view ellipsis = "…";
  std::string kept = canvas.ellipsized(word, style, width);
  if (kept.ends_with(ellipsis)) kept.resize(kept.size() - ellipsis.size());
  while (!kept.empty() && (kept.back() == ' ' || kept.back() == '.' || kept.back() == '-')) kept.pop_back();
  return character_count(kept) < least ? std::string{} : kept + ".";
}

/// The labels with long words shortened to the width of a column; none if they could no longer be told apart.
std::optional<AxisLabels> shortened_labels(const Canvas& canvas, const AxisLabels& labels, const IndexRange& visible,
                                           float width, bool most_of_them) {
  constexpr Index most = 64;
  if (labels.repeats || visible.size() > most) return std::nullopt;
  std::map<std::string, std::string> of_words;
  std::set<std::string> taken;
  for (Index index = visible.begin; index < visible.end; ++index) {
    const std::string word = labels.label(index).token;
    if (of_words.contains(word)) continue;
    const std::size_t least = most_of_them ? character_count(word) / 2 + 1 : 2;
    const std::string brief =
        shortened(canvas, word, TextStyle::caption_strong, width, std::max<std::size_t>(2, least));
    if (brief.empty() || !taken.insert(brief).second) return std::nullopt;
    of_words[word] = brief;
  }
  AxisLabels brief = labels;
  brief.label = [named = labels.label, of_words](Index index) {
    AxisLabel label = named(index);
    if (const auto found = of_words.find(label.token); found != of_words.end()) label.token = found->second;
    return label;
  };
  return brief;
}

bool can_slant(const AxisLabels& labels, const IndexRange& visible, float pitch) {
  return !labels.repeats && pitch >= narrowest_slanted && !labels.label(visible.begin).token.empty();
}

/// The height of slanted labels, of which the longest are shortened.
float slanted_height(const Canvas& canvas, const AxisLabels& labels, const IndexRange& visible) {
  float widest = 0;
  for (Index i = visible.begin; i < visible.end; ++i)
    widest = std::max(widest, canvas.width(labels.label(i).token, TextStyle::caption_strong));
  const float letters = text_size(canvas.shown_as(TextStyle::caption_strong)) * std::cos(slant);
  return std::clamp(std::ceil(widest * std::sin(slant) + letters) + under_slanted, least_slanted, highest_slanted);
}

struct FittingLabels {
  AxisLabels labels;
  bool slanted = false;
};

/// Words stay words. Those that are too long for their column are shortened, if most of each is left, or else slanted
/// where the height allows it. The indices alone where only they have room above every column.
FittingLabels labels_that_fit(const Canvas& canvas, const AxisLabels& labels, const IndexRange& visible, float pitch,
                              float height) {
  AxisLabels indices = labels;
  indices.repeats = false;
  indices.label = [named = labels.label](Index index) { return AxisLabel{"", named(index).index}; };
  const auto fit = [&](const AxisLabels& those) {
    return widest_label(canvas, those, visible, TextStyle::caption_strong) + 3 <= pitch;
  };
  if (visible.size() == 0 || fit(labels)) return {labels};
  if (const auto brief = shortened_labels(canvas, labels, visible, pitch - 3, true)) return {*brief};
  if (height >= least_slanted && can_slant(labels, visible, pitch)) return {labels, true};
  if (const auto brief = shortened_labels(canvas, labels, visible, pitch - 3, false)) return {*brief};
  return {fit(indices) ? indices : labels};
}

struct Inks {
  Color token;
  Color index;
};

Inks inks(const Theme& theme, const AxisLabels& labels, bool lit, bool has_token) {
  if (lit) return {theme.text, labels.identity};
  return {theme.text2, has_token ? theme.text3 : theme.text2};
}

}  // namespace

std::optional<Axis> matrix_axis(TensorId tensor, bool last) {
  const TensorInfo& about = info(tensor);
  const int axis = about.rank - (last ? 1 : 2);
  if (axis < 0) return std::nullopt;
  return about.axes[static_cast<std::size_t>(axis)];
}

Role axis_role(TensorId tensor, bool last) {
  const std::optional<Axis> axis = matrix_axis(tensor, last);
  if (is_before_projection(tensor)) return Role::neutral;
  if (axis == Axis::query) return Role::query;
  if (axis == Axis::key) return info(tensor).role == Role::value ? Role::value : Role::key;
  return info(tensor).role;
}

namespace {

/// Whether the symbols of the selected sequence are the words of this axis.
bool holds_symbols(TensorId tensor, bool last, const Session& session) {
  const std::optional<Axis> axis = matrix_axis(tensor, last);
  const bool positions = axis == Axis::query || axis == Axis::key || axis == Axis::token || axis == Axis::position;
  const Sequences* const sequences = session.trace().sequences.get();
  return positions && sequences != nullptr && session.selection().batch < sequences->count &&
         session.setup().tokens.empty();
}

const AxisWords& chosen_words(const Session& session, TensorId tensor, bool last) {
  const MatrixChoices& choices = matrix_choices(session, tensor);
  return last ? choices.column_words : choices.row_words;
}

AxisLabel as_chosen(AxisLabel label, const AxisWords& words, Index index) {
  switch (words.kind) {
    case AxisWords::Kind::automatic: break;
    case AxisWords::Kind::words: label.index.clear(); break;
    case AxisWords::Kind::positions: label.token.clear(); break;
    case AxisWords::Kind::own: return {words.own[static_cast<std::size_t>(index)], ""};
  }
  return label;
}

}  // namespace

AxisLabel axis_label(TensorId tensor, bool last, Index index, const Session& session) {
  const Setup& setup = session.setup();
  const int axis = info(tensor).rank - (last ? 1 : 2);
  if (axis < 0) return {"", std::string(name(tensor))};
  AxisLabel label = label_on_axis(tensor, axis, index, setup);
  if (label.token == label.index) label.token.clear();  // it would be there twice
  const Index position = index + (matrix_axis(tensor, last) == Axis::query ? setup.past() : 0);
  if (const auto& sequences = session.trace().sequences;
      holds_symbols(tensor, last, session) && position < sequences->length)
    label.token = held_words(*sequences, session.selection().batch, position, setup.task);
  const AxisWords& chosen = chosen_words(session, tensor, last);
  // A lesson has words, and indices only where there are none.
  if (chosen.kind == AxisWords::Kind::automatic && in_lesson_mode(session) && !label.token.empty()) label.index.clear();
  return as_chosen(std::move(label), chosen, index);
}

AxisLabels axis_labels(const Theme& theme, TensorId tensor, bool last, const Session& session,
                       std::optional<Index> lit) {
  return {[tensor, last, &session](Index index) { return axis_label(tensor, last, index, session); },
          theme.identity(axis_role(tensor, last), theme.text), lit, holds_symbols(tensor, last, session)};
}

LabelsAbove labels_above(const Canvas& canvas, const TensorPicture& picture, const Session& session,
                         const LabelledColumns& columns) {
  const bool last = !picture.transposed;
  if (axis_label(picture.tensor, last, 0, session).token.empty()) return {};
  const AxisLabels labels = axis_labels(canvas.theme(), picture.tensor, last, session, {});
  const IndexRange all{0, columns.count};
  const float straight = columns.one_line ? one_label_line : two_label_lines;
  if (!labels_that_fit(canvas, labels, all, columns.pitch, highest_slanted).slanted) return {straight};
  return {std::max(straight, slanted_height(canvas, labels, all)), true};
}

float labels_width(const Canvas& canvas, const AxisLabels& labels, Index count, float widest) {
  return std::min(widest, std::ceil(widest_label(canvas, labels, {0, count})) + 12);
}

float labels_width(const Canvas& canvas, const TensorPicture& picture, const Session& session, float widest) {
  const AxisLabels labels = axis_labels(canvas.theme(), picture.tensor, picture.transposed, session, {});
  return labels_width(canvas, labels, picture.rows_on_screen(), widest);
}

namespace {

void draw_slanted_labels(const Canvas& canvas, const HeatmapLayout& layout, const Rect& strip, const AxisLabels& labels,
                         float beyond) {
  const float size = text_size(canvas.shown_as(TextStyle::caption));
  const IndexRange visible = visible_on(layout, true);
  for (Index index = visible.begin; index < visible.end; ++index) {
    const bool lit = labels.lit == index;
    const TextStyle style = lit ? TextStyle::caption_strong : TextStyle::caption;
    // The middle of the letters begins above the middle of the column, or further left where that keeps the word whole.
    const Rect column = span_of(layout, true, index);
    const float half = 0.3f * size * std::sin(slant);
    const float reach = canvas.width(labels.label(index).token, style) * std::cos(slant);
    const float room_right = strip.right() + beyond - reach;
    const Point start{
        std::clamp(room_right, column.x + 2 * half, std::max(column.x + 2 * half, column.center().x + half)),
        strip.bottom() - under_slanted + 0.3f * size * std::cos(slant)};
    const float high = (start.y - strip.y - 0.7f * size * std::cos(slant)) / std::sin(slant);
    const float wide = (strip.right() + beyond - start.x) / std::cos(slant);
    const std::string word = shortened(canvas, labels.label(index).token, style, std::min(high, wide) + 0.5f);
    canvas.turned_text(start, word, style, lit ? labels.identity : canvas.theme().text2, slant);
  }
}

}  // namespace

void draw_labels_across(const Canvas& canvas, const HeatmapLayout& layout, const Rect& strip, const AxisLabels& named,
                        float beyond) {
  constexpr float overhang = 6;  // how far the first and the last label may reach beyond the cells
  const IndexRange visible = visible_on(layout, true);
  const float pitch = layout.pitch_x();
  const auto [labels, slanted] = labels_that_fit(canvas, named, visible, pitch, strip.h);
  if (slanted) return draw_slanted_labels(canvas, layout, strip, labels, beyond);
  const float wide_labels = widest_label(canvas, labels, visible) + 6;
  // Small words for all columns are better than large ones for every second.
  const bool small = wide_labels > pitch;
  const TextStyle plain = small ? TextStyle::caption : TextStyle::body;
  const TextStyle strong = small ? TextStyle::caption_strong : TextStyle::body_strong;
  const float widest = small ? widest_label(canvas, labels, visible, strong) + 3 : wide_labels;
  const float room = std::min(widest, 48.0f);
  canvas.push_clip(strip.outset(24));  // labels of the first and last cells may hang over
  // Where labels are thinned, the first and the last are moved towards their neighbours.
  const float moved = pitch > room ? 0 : std::max(0.0f, widest / 2 - overhang);
  for (Index index : chosen(visible, pitch, room + moved, labels.lit)) {
    const AxisLabel label = labels.label(index);
    const bool lit = labels.lit == index;
    const Inks ink = inks(canvas.theme(), labels, lit, !label.token.empty());
    const Rect cell = span_of(layout, true, index);
    const float wide = std::max(pitch - 2, room);
    const bool both = !label.token.empty() && !label.index.empty() && strip.h >= two_lines;
    const std::string token = both ? label.token : alone(labels, label, index);
    const float half = canvas.width(token.empty() ? label.index : token, token.empty() ? TextStyle::code : plain) / 2;
    const float leftmost = strip.x + half - overhang;
    const float middle = std::clamp(cell.center().x, leftmost, std::max(leftmost, strip.right() - half + overhang));
    const Rect box{(pitch > room ? cell.center().x : middle) - wide / 2, strip.y, wide, strip.h};
    const float top = box.center().y - (both ? label_line : label_line / 2);
    if (!label.token.empty())
      canvas.text_in({box.x, top, box.w, label_line}, token, lit ? strong : plain, ink.token, Align::center);
    if (both || label.token.empty())
      canvas.text_in({box.x, both ? top + label_line : top, box.w, label_line}, label.index,
                     lit ? TextStyle::code_strong : TextStyle::code, ink.index, Align::center);
  }
  canvas.pop_clip();
}

void draw_labels_down(const Canvas& canvas, const HeatmapLayout& layout, const Rect& strip, const AxisLabels& labels,
                      Align align) {
  const IndexRange visible = visible_on(layout, false);
  const float pitch = layout.pitch_y();
  const bool room_for_two = pitch >= two_lines;
  canvas.push_clip(strip.outset(10));
  for (Index index : chosen(visible, pitch, label_line, labels.lit)) {
    const AxisLabel label = labels.label(index);
    const bool lit = labels.lit == index;
    const Inks ink = inks(canvas.theme(), labels, lit, !label.token.empty());
    const float middle = span_of(layout, false, index).center().y;
    const bool both = !label.token.empty() && !label.index.empty() && room_for_two;
    const float top = middle - (both ? label_line : label_line / 2);
    if (!label.token.empty())
      canvas.text_in({strip.x + 4, top, strip.w - 8, label_line}, both ? label.token : alone(labels, label, index),
                     lit ? TextStyle::body_strong : TextStyle::body, ink.token, align);
    if (both || label.token.empty())
      canvas.text_in({strip.x + 4, both ? top + label_line : top, strip.w - 8, label_line}, label.index,
                     lit ? TextStyle::code_strong : TextStyle::code, ink.index, align);
  }
  canvas.pop_clip();
}

}  // namespace headlight
