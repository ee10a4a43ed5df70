// The text that a model writes, letter by letter: what it keeps of each letter, which ones the last one looks at, the
// die that chooses the next one, and the proof that nothing is lost by keeping.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/heatmap_renderer.hpp"
#include "app/session/actions/actions.hpp"
#include "app/session/drafting.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/base/views.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "app/views/write/write_parts.hpp"
#include "app/views/write/write_study.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr float margin = 24;
constexpr float wide_labels = 112;
constexpr float narrow_labels = 44;
constexpr float labels_from = 560;  ///< the width from which on the rows have wide labels
constexpr float largest_pitch = 64;
constexpr float least_pitch = 30;
constexpr float gap = 8;  ///< between columns
constexpr float least_brick = 14;
constexpr float between_bricks = 4;
constexpr float between_layers = 14;
constexpr float least_chances = 200;     ///< the height of the chances beside which a lesson has the choices
constexpr double letter_seconds = 0.15;  ///< between letters that the model writes by itself
constexpr std::string_view by_itself = "write on";

struct WriteMemory {
  double wrote_at = 0;
};

/// The heights of the parts; 0 for one that there is no room for.
struct WriteRows {
  float text = 0, looks = 0, bricks = 0, kept = 0, die = 0, buttons = 0, check = 0;
};

class WriteView : FrameTools {
 public:
  WriteView(ViewContext& context, const Rect& area)
      : FrameTools(context),
        setup_(session_.setup()),
        area_(area),
        draft_(session_.state().draft),
        symbols_(drafted(session_)),
        asks_(asks_about_writing(session_)) {}

  void draw() {
    Rect rest = context_.presenting ? area_ : area_.inset(margin, 0);
    if (session_.lesson().lecture() != nullptr) cut_lecture_story(context_, rest, 0.45f);
    if (!context_.presenting) rest = {rest.x, rest.y + 14, rest.w, rest.h - 26};
    WriteStudy& study = context_.memory.get<WriteStudy>();
    reading_ = study.advance(session_, symbols_.read);
    is_current_ = study.is_of(session_, symbols_.read);
    if (!is_current_) ui_.request_frame_in(look_again);
    if (reading_ == nullptr) return canvas_.text_in(rest.cut_top(30), "Reading…", TextStyle::body, theme_.text2);
    if (is_current_) next_ = next_symbol(draft_, symbols_, setup_, *reading_);
    cut_chances(rest);
    place(rest);
    draw_text();
    draw_kept();
    if (rows_.die > 0) draw_die(rows(rows_.die));
    if (rows_.buttons > 0) draw_buttons(rows(rows_.buttons));
    if (rows_.check > 0) draw_check(rows(rows_.check));
    write_owed();
  }

 private:
  Index layers() const { return std::ssize(reading_->layers); }
  Index head() const { return std::min(session_.selection().head, setup_.sizes.heads - 1); }
  bool asks() const { return asks_; }
  /// A lesson is drawn as a slide is, but it is written in.
  bool is_slide() const { return context_.still || session_.display().presentation.presenting; }
  bool can_write() const { return is_current_ && symbols_.goes_on() && !asks() && !is_slide(); }

  /// Whether the lecture's step is about what is kept: keys or values.
  bool is_about_keeping() const {
    const Step* const step = session_.lesson().step();
    if (step == nullptr) return false;
    return step->look_at.tensor == TensorId::K_heads || step->look_at.tensor == TensorId::V_heads;
  }
  /// A lesson and a slide prove that nothing is lost by keeping once they are about what is kept.
  bool shows_check() const { return session_.lesson().step() == nullptr || !context_.bare() || is_about_keeping(); }

  // --- Where everything is -------------------------------------------------------------------------------------------

  /// The chances are here where there is no panel beside the view.
  void cut_chances(Rect& rest) {
    if (!context_.bare() && !is_folded(context_, SidePanel::inspector)) return;
    if (!next_) return;
    const bool beside = rest.w >= 480;
    Rect area = beside ? rest.cut_right(std::min(280.0f, rest.w * 0.32f)) : Rect{};
    if (beside) rest.cut_right(24);
    else if (rest.h > 420) area = rest.cut_bottom(std::min(216.0f, rest.h * 0.34f));
    if (area.empty()) return;
    const float choices = sampling_height(ui_);
    if (beside && !is_slide() && area.h >= choices + least_chances) draw_sampling(context_, area.cut_bottom(choices));
    canvas_.text_in(area.cut_top(30), words_before(symbols_, setup_), TextStyle::heading, theme_.text);
    draw_chances(context_, area, symbols_, *next_, false);
  }

  void place(const Rect& rest) {
    area_ = rest;
    labels_ = rest.w >= labels_from ? wide_labels : narrow_labels;
    const Index most = setup_.token_count();
    const float room = rest.w - labels_;
    const auto fit = static_cast<Index>(std::max(room / least_pitch, 1.0f));
    columns_ = std::min(most, fit);
    pitch_ = std::min(largest_pitch, std::floor(room / static_cast<float>(columns_)));
    const Index length = std::ssize(symbols_.read);
    // The next place is in sight, too.
    first_ = std::max<Index>(0, std::min(length + 1, most) - columns_);
    share_height();
    top_ = rest.y;
  }

  /// The parts that say least give way first; the proof last where a step is about it.
  void share_height() {
    rows_ = {.text = std::min(brick_width(), 56.0f) + 8,
             .looks = 34,
             .kept = 34,
             .die = 94,
             .buttons = is_slide() ? 0 : ui_.reach(32) + 14,
             .check = shows_check() ? 58.0f : 0.0f};
    const auto in_sight = static_cast<float>(std::min<Index>(layers(), 2));
    const float least = in_sight * (2 * least_brick + between_bricks + between_layers);
    const auto left = [&] {
      return area_.h - rows_.text - rows_.looks - rows_.kept - rows_.die - rows_.buttons - rows_.check;
    };
    std::array<float*, 4> parts{&rows_.kept, &rows_.check, &rows_.looks, &rows_.die};
    if (is_about_keeping()) std::rotate(parts.begin() + 1, parts.begin() + 2, parts.end());
    for (float* const part : parts)
      if (left() < least) *part = 0;
    const float wanted =
        static_cast<float>(layers()) * (2 * brick_width() + between_bricks + between_layers) - between_layers + 6;
    rows_.bricks = std::clamp(left(), 0.0f, wanted);
    const float each = (rows_.bricks - 6 + between_layers) / static_cast<float>(layers()) - between_layers;
    brick_height_ = std::clamp(std::floor((each - between_bricks) / 2), least_brick, brick_width());
  }

  Rect rows(float height) {
    const Rect found{area_.x, top_, area_.w, height};
    top_ += height;
    return found;
  }

  float brick_width() const { return pitch_ - std::min(gap, pitch_ / 4); }
  float x_of(Index position) const { return area_.x + labels_ + pitch_ * static_cast<float>(position - first_); }
  Rect column(Index position, float y, float height) const { return {x_of(position), y, brick_width(), height}; }
  Index end() const { return std::min<Index>(std::ssize(symbols_.read), first_ + columns_); }
  Rect label(const Rect& row) const { return {row.x, row.y, labels_ - 10, row.h}; }

  // --- The text ------------------------------------------------------------------------------------------------------

  void draw_text() {
    Rect row = rows(rows_.text);
    row.h -= 8;
    if (labels_ == wide_labels) {
      Rect words = label(row);
      canvas_.text_in(words.cut_top(row.h / 2), "The text", TextStyle::heading, theme_.text);
      const Index letters = std::ssize(symbols_.read) - 1;
      canvas_.text_in(words.cut_top(16), counted(letters, "letter", "letters"), TextStyle::caption, theme_.text2);
    }
    for (Index i = first_; i < end(); ++i) draw_letter(column(i, row.y, row.h), i);
    draw_next_letter(row);
  }

  void draw_letter(const Rect& tile, Index position) {
    const bool is_last = position + 1 == std::ssize(symbols_.read);
    const bool is_given = position <= symbols_.prompt;
    canvas_.fill(tile, theme_.panel, 6);
    canvas_.stroke(tile, is_last ? theme_.query : theme_.line_strong, is_last ? 2 : 1, 6);
    const std::string word = letter(symbols_.read[static_cast<std::size_t>(position)], setup_);
    const TextStyle style = tile.w >= 40 ? TextStyle::larger_number : TextStyle::large_number;
    canvas_.text_in(tile, word, style, is_last ? theme_.query : is_given ? theme_.text2 : theme_.text, Align::center);
    ui_.push_id(static_cast<int>(position));
    const Item item = ui_.item("letter", tile, {.focusable = false});
    ui_.tooltip(item, position == 0 ? "The line break before the text: with it the model begins"
                      : is_given    ? fmt::format("“{}” was given", word)
                                    : fmt::format("“{}” was written", word));
    ui_.pop_id();
  }

  /// The symbol on which the die lies, or the line break that has ended the text.
  void draw_next_letter(const Rect& row) {
    const Index at = std::ssize(symbols_.read);
    if (at >= first_ + columns_ || at >= setup_.token_count()) return;
    const Rect tile = column(at, row.y, row.h);
    const TextStyle style = tile.w >= 40 ? TextStyle::larger_number : TextStyle::large_number;
    if (symbols_.ended) {
      canvas_.text_in(tile, letter(0, setup_), style, theme_.text3, Align::center);
      return;
    }
    canvas_.stroke(tile, theme_.lamp, 2, 6);
    const std::string word = asks() || !next_ ? "?" : letter(next_->chosen, setup_);
    canvas_.text_in(tile, word, style, theme_.lamp, Align::center);
    if (!can_write()) return;
    const Item item = ui_.item("next", tile, {.focusable = false});
    ui_.tooltip(item, fmt::format("Write “{}”, as the die has chosen", word), action_named("write.next")->keys());
    if (item.clicked) act("write.next");
  }

  // --- What is kept --------------------------------------------------------------------------------------------------

  void draw_kept() {
    const float top = top_;
    if (rows_.looks > 0) draw_looks(rows(rows_.looks));
    draw_bricks(rows(rows_.bricks));
    const Index last = std::ssize(symbols_.read) - 1;
    // What is new stands in one frame from the look to the last layer.
    const Rect newest = column(last, top, top_ - top - (rows_.bricks > 0 ? 2.0f : 8.0f)).outset(3).inset(0, 1);
    if (rows_.looks + rows_.bricks > 0 && is_current_) canvas_.stroke(newest, theme_.query, 2, 6);
    if (rows_.kept > 0) draw_kept_words(rows(rows_.kept));
  }

  /// The keys and values of a position are those of the trace where it shows the same text.
  bool is_shown_text() const {
    const Sequences* const shown = session_.trace().sequences.get();
    if (shown == nullptr || std::ssize(symbols_.read) > shown->length) return false;
    const Index batch = session_.selection().batch;
    return std::equal(symbols_.read.begin(), symbols_.read.end(), shown->ones.begin() + batch * shown->length);
  }

  void draw_looks(Rect row) {
    row.h -= 8;
    const Index layer = setup_.layer;
    const Tensor& weights = reading_->layers[static_cast<std::size_t>(layer)].weights;
    const Index length = weights.shape()[1];
    if (labels_ == wide_labels) {
      Rect words = label(row);
      const std::string who = fmt::format("“{}” looks at", letter(symbols_.read.back(), setup_));
      canvas_.text_in(words.cut_top(14), who, TextStyle::control_strong, theme_.query);
      canvas_.text_in(
          words.cut_top(14),
          setup_.sizes.layers > 1 ? fmt::format("layer {}, head {}", layer, head()) : fmt::format("head {}", head()),
          TextStyle::caption, theme_.text2);
    }
    const ColorMap& colors = positive_colors(theme_, ColorMapName::weights);
    for (Index i = first_; i < std::min(end(), length); ++i) {
      const Rect cell = column(i, row.y, row.h);
      const double weight = weights.at({head(), i});
      const Color fill = asks() ? theme_.panel : colors.at(weight);
      canvas_.fill(cell, fill, 4);
      draw_weight(cell, weight, fill);
      if (asks()) continue;
      ui_.push_id(static_cast<int>(i));
      const Item item = ui_.item("look", cell, {.focusable = false});
      ui_.tooltip(item,
                  fmt::format("In layer {}, head {} “{}” looks at “{}” with {:.4f}{}", layer, head(),
                              letter(symbols_.read.back(), setup_),
                              letter(symbols_.read[static_cast<std::size_t>(i)], setup_), weight, how_explained()));
      if (item.clicked && is_shown_text())
        explain({TensorId::weights, {session_.selection().batch, head(), length - 1 - setup_.past(), i}, layer});
      ui_.pop_id();
    }
  }

  /// As far as there is room: the colour says it too.
  void draw_weight(const Rect& cell, double weight, Color fill) {
    if (asks()) return canvas_.text_in(cell, "?", TextStyle::mono, theme_.text2, Align::center);
    const std::string number = fmt::format("{:.0f}", 100 * weight);
    for (const std::string& text : {number + " %", number})
      if (canvas_.width(text, canvas_.shown_as(TextStyle::mono)) + 4 < cell.w)
        return canvas_.text_in(cell, text, TextStyle::mono, number_on(fill), Align::center);
  }

  std::string how_explained() const {
    return is_shown_text() ? "\nClick to see where it comes from"
                           : "\nShow this text in every view to see where it comes from";
  }

  /// Shows a number of the trace, which is that of the text.
  void explain(const Cell& cell) {
    context_.memory.get<FrameMemory>().after_frame = [cell](Session& session) {
      if (!contains(session.setup(), cell)) return;
      session.look_at_layer(cell.layer);
      session.when_shown([cell](Session& shown) {
        shown.show(View::pipeline);
        Selecting(shown).pin(cell);
      });
    };
  }

  void draw_bricks(const Rect& area) {
    if (area.h < least_brick) return;
    const float each = 2 * brick_height_ + between_bricks + between_layers;
    const float whole = each * static_cast<float>(layers()) - between_layers + 2;
    ScrollArea scroll(ui_, "bricks", {area_.x - 6, area.y, area_.w + 12, area.h}, whole, theme_.canvas);
    for (Index layer = 0; layer < layers(); ++layer) {
      const float y = scroll.content().y + each * static_cast<float>(layer) + 2;
      if (y > area.bottom() || y + each < area.y) continue;
      ui_.push_id(static_cast<int>(layer));
      draw_layer(layer, y);
      ui_.pop_id();
    }
  }

  void draw_layer(Index layer, float y) {
    const KeptBricks& kept = reading_->layers[static_cast<std::size_t>(layer)];
    const float low = y + brick_height_ + between_bricks;
    const Rect whole{area_.x, y, labels_ - 10, 2 * brick_height_ + between_bricks};
    if (labels_ == wide_labels) {
      Rect words = whole;
      words.w -= 36;
      const bool own = layer == setup_.layer;
      const Item item = ui_.item("layer", words, {.focusable = false});
      ui_.tooltip(item, fmt::format("What layer {} keeps. Click to see where its heads look", layer));
      if (item.clicked && setup_.sizes.layers > 1)
        context_.memory.get<FrameMemory>().after_frame = [layer](Session& session) { session.look_at_layer(layer); };
      words = {words.x, words.center().y - 16, words.w, 32};
      canvas_.text_in(words.cut_top(16), fmt::format("layer {}", layer),
                      own ? TextStyle::control_strong : TextStyle::control,
                      own || item.hovered ? theme_.text : theme_.text2);
      canvas_.text_in(words.cut_top(16), "keeps", TextStyle::caption, theme_.text3);
      canvas_.fill({whole.right() - 30, y, 1, whole.h}, theme_.line_strong);
    }
    draw_brick_row("keys", kept.keys, layer, y, theme_.key, "K", reading_->largest_key);
    draw_brick_row("values", kept.values, layer, low, theme_.value, "V", reading_->largest_value);
  }

  void draw_brick_row(std::string_view id, const std::vector<Tensor>& bricks, Index layer, float y, Color identity,
                      std::string_view name, double largest) {
    const std::string word = labels_ == wide_labels ? std::string(name) : fmt::format("{}{}", name, layer);
    canvas_.text_in({area_.x + labels_ - 34, y, 24, brick_height_}, word, TextStyle::mono_strong, identity,
                    Align::center);
    ColorScale scale = ColorScale::symmetric(largest);
    ui_.push_id(id);
    for (Index i = first_; i < std::min<Index>(end(), std::ssize(bricks)); ++i)
      draw_brick(bricks[static_cast<std::size_t>(i)], name, layer, i, column(i, y, brick_height_), identity, scale);
    ui_.pop_id();
    const Index at = std::ssize(symbols_.read);
    if (symbols_.goes_on() && at < first_ + columns_)
      canvas_.dashed(column(at, y, brick_height_), theme_.outline, 1, 4);
  }

  void draw_brick(const Tensor& brick, std::string_view name, Index layer, Index position, const Rect& r,
                  Color identity, const ColorScale& scale) {
    const Heatmap heatmap = make_heatmap(Slice{brick, {}}, scale, r, canvas_.scale());
    context_.heatmaps.draw(canvas_, heatmap);
    canvas_.stroke(r.outset(0.5f), faded(identity, 0.8f), 1, 2);
    if (is_slide()) return;
    ui_.push_id(static_cast<int>(position));
    Item item = ui_.item("brick", r, {.focusable = false});
    const auto under = item.hovered ? heatmap.layout.cell_at(ui_.mouse()) : std::nullopt;
    if (under) {
      const Index each = brick.elements() / setup_.kv_heads();
      const Index place = under->row * brick.shape()[1] + under->column;
      const Index kv_head = place / each, feature = place % each;
      item.id = ui_.id_of(fmt::format("{},{}", under->row, under->column));
      ui_.tooltip(item, fmt::format("{} of “{}” in layer {}: head {}, feature {}\n{}{}", name,
                                    letter(symbols_.read[static_cast<std::size_t>(position)], setup_), layer, kv_head,
                                    feature, brick.at({under->row, under->column}), how_explained()));
      const TensorId id = name == "K" ? TensorId::K_heads : TensorId::V_heads;
      if (item.clicked && is_shown_text())
        explain({id, {session_.selection().batch, kv_head, position, feature}, layer});
    }
    ui_.pop_id();
  }

  void draw_kept_words(const Rect& row) {
    const Index last = std::ssize(symbols_.read) - 1;
    const float right = x_of(last) - (pitch_ - brick_width()) / 2 - 4;
    if (last > first_) {
      const float left = x_of(first_);
      canvas_.fill({left, row.y + 8, right - left, 1}, theme_.outline);
      for (const float x : {left, right - 1}) canvas_.fill({x, row.y + 2, 1, 7}, theme_.outline);
      const std::string words = fmt::format("kept: {}, as they were computed", counted(last, "column", "columns"));
      const std::string brief = fmt::format("kept: {}", last);
      const auto fits = [&](const std::string& text) {
        return canvas_.width(text, canvas_.shown_as(TextStyle::caption)) < right - left;
      };
      if (fits(brief))
        canvas_.text_in({left, row.y + 12, right - left, 16}, fits(words) ? words : brief, TextStyle::caption,
                        theme_.text2, Align::center);
    }
    const float center = column(last, 0, 0).center().x;
    const float room = 2 * std::min(center - area_.x, area_.right() - center);
    canvas_.text_in({center - room / 2, row.y + (last > first_ ? 0.0f : 4.0f), room, 16}, "new",
                    TextStyle::caption_strong, theme_.query, Align::center);
  }

  // --- The die -------------------------------------------------------------------------------------------------------

  void draw_die(Rect row) {
    row.h -= 8;
    const bool rolls = draft_.sampling.temperature > 0;
    Rect mark = row.cut_top(26);
    Rect ticks = row.cut_bottom(18);
    const Rect strip{row.x + labels_, row.y, row.w - labels_, row.h};
    if (labels_ == wide_labels) {
      Rect words = label(row);
      canvas_.text_in(words.cut_top(row.h / 2), "The die", TextStyle::heading, theme_.text);
      canvas_.text_in(words.cut_top(18),
                      !rolls             ? "not rolled"
                      : next_ && !asks() ? fmt::format("{:.4f}", next_->drawn)
                                         : "?",
                      TextStyle::mono, theme_.text2);
    }
    canvas_.fill(strip, theme_.panel, 4);
    if (asks() || !next_) {
      canvas_.text_in(strip, "?", TextStyle::heading, theme_.text2, Align::center);
    } else {
      draw_strip(strip);
      if (rolls && symbols_.goes_on()) draw_mark(mark, strip);
    }
    for (const double at : {0.0, 0.25, 0.5, 0.75, 1.0})
      canvas_.text_in({strip.x + strip.w * static_cast<float>(at) - 20, ticks.y, 40, 18}, fmt::format("{:g}", at),
                      TextStyle::code, theme_.text3, at == 0 ? Align::center : Align::center);
  }

  /// The chances end to end, in the order of the symbols, in which the die's number is looked up.
  void draw_strip(const Rect& strip) {
    const ColorMap& colors = positive_colors(theme_, ColorMapName::weights);
    double from = 0;
    std::optional<Rect> chosen;
    for (std::size_t symbol = 0; symbol < next_->chances.size(); ++symbol) {
      const double chance = next_->chances[symbol];
      const float left = strip.x + strip.w * static_cast<float>(from);
      from += chance;
      const Rect r{left, strip.y, strip.w * static_cast<float>(chance), strip.h};
      const bool is_chosen = static_cast<std::int64_t>(symbol) == next_->chosen;
      if (r.w < 0.5f && !is_chosen) continue;
      draw_share(r, static_cast<std::int64_t>(symbol), chance, colors.at(chance));
      if (is_chosen) chosen = r;
    }
    if (chosen && symbols_.goes_on()) canvas_.stroke(chosen->outset(1), theme_.lamp, 2, 4);
  }

  void draw_share(const Rect& r, std::int64_t symbol, double chance, Color fill) {
    const Rect inside = r.w > 4 ? Rect{r.x + 0.5f, r.y, r.w - 1, r.h} : r;
    canvas_.fill(inside, fill, 3);
    canvas_.stroke(inside, theme_.line_strong, 1, 3);
    const std::string word = letter(symbol, setup_);
    const float wide = canvas_.width(word, TextStyle::number_lit);
    const std::string share = fmt::format("{:.0f} %", 100 * chance);
    if (r.w > wide + canvas_.width(share, TextStyle::code) + 16)
      canvas_.rich({inside.center().x, inside.center().y + 5},
                   {{word, TextStyle::number_lit, number_on(fill), Script::normal, 6},
                    {share, TextStyle::code, number_on(fill)}},
                   Align::center);
    else if (r.w > wide + 3) canvas_.text_in(inside, word, TextStyle::number_lit, number_on(fill), Align::center);
    if (!can_write() || r.w < 2) return;
    ui_.push_id(static_cast<int>(symbol));
    const Item item = ui_.item("share", r, {.focusable = false});
    if (item.hovered) canvas_.stroke(inside, theme_.text, 1, 3);
    ui_.tooltip(item, fmt::format("Write “{}”. Its probability is {:.3g} %", word, 100 * chance));
    if (item.clicked)
      context_.memory.get<FrameMemory>().after_frame = [symbol](Session& session) {
        Drafting(session).owe(0);
        Drafting(session).write(symbol);
      };
    ui_.pop_id();
  }

  void draw_mark(const Rect& row, const Rect& strip) {
    const float x = strip.x + strip.w * static_cast<float>(next_->drawn);
    const Rect die{x - 11, row.bottom() - 26, 22, 22};
    canvas_.fill({x - 1, die.bottom(), 2, strip.bottom() + 4 - die.bottom()}, theme_.text);
    canvas_.fill(die, theme_.text, 4);
    canvas_.icon_centered(Icon::dice, die, theme_.canvas);
    if (is_slide()) return;
    const Item item = ui_.item("die", die, {.focusable = false});
    ui_.tooltip(item,
                fmt::format("The die of seed {} shows {:.4f}: the text goes on with the symbol under it. Click for the "
                            "next seed",
                            draft_.seed, next_->drawn));
    if (item.clicked)
      context_.memory.get<FrameMemory>().after_frame = [](Session& session) {
        Draft draft = session.state().draft;
        draft.seed = (draft.seed + 1) % 4294967296LL;
        Drafting(session).set(draft);
      };
  }

  // --- Buttons and keys ----------------------------------------------------------------------------------------------

  void act(const char* action) { perform(context_, *action_named(action)); }

  void draw_buttons(Rect row) {
    row.h -= 14;
    if (labels_ == wide_labels) row.cut_left(labels_);
    const auto place = [&](std::string_view label) {
      const Rect r = row.cut_left(canvas_.width(label, canvas_.shown_as(TextStyle::control_strong)) + 28);
      row.cut_left(8);
      return r;
    };
    const auto add = [&](const char* action, std::string_view label, ButtonKind kind) {
      const Action& what = *action_named(action);
      const Rect r = place(label);
      if (r.right() > area_.right() + 1) return;
      const std::string keys = keys_now(what, session_);
      if (button(ui_, action, r, label,
                 {.kind = kind, .enabled = what.enabled(session_), .tooltip = what.title, .keys = keys}))
        perform(context_, what);
    };
    const bool runs = session_.state().symbols_owed > 1;
    const std::string write = !symbols_.goes_on() ? (symbols_.full ? "The window is full" : "The text has ended")
                              : asks() || !next_  ? std::string("Write")
                                                  : fmt::format("Write “{}”", letter(next_->chosen, setup_));
    // Where there is no room for all, what goes on comes before what goes back.
    constexpr float room_for_back = 440;
    const bool has_back = row.w >= room_for_back || ui_.serves_finger();
    add("write.next", write, ButtonKind::primary);
    if (has_back) add("write.back", "Take back", ButtonKind::normal);
    add("write.on", runs ? "Writing…" : "To the end", ButtonKind::normal);
    add("write.another", "Another", ButtonKind::normal);
    if (!has_back) add("write.back", "Take back", ButtonKind::normal);
    add("write.explain", "Explain it", ButtonKind::normal);
  }

  /// Writes what is owed, once the chances are there.
  void write_owed() {
    if (session_.state().symbols_owed == 0) return;
    auto& after = context_.memory.get<FrameMemory>().after_frame;
    if (!symbols_.goes_on() || asks()) {
      after = [](Session& session) { Drafting(session).owe(0); };
      return;
    }
    if (!is_current_) return;
    const bool alone = session_.state().symbols_owed > 1;
    double& wrote_at = context_.memory.get<WriteMemory>().wrote_at;
    const double wait = wrote_at + letter_seconds - ui_.time();
    if (alone && wait > 0 && wait <= letter_seconds && !ui_.memory().reduce_motion) return ui_.request_frame_in(wait);
    wrote_at = ui_.time();
    after = [symbol = next_->chosen, alone](Session& session) {
      Drafting(session).write(symbol, alone ? by_itself : std::string_view{});
    };
    ui_.request_frame();
  }

  // --- Kept and computed anew ----------------------------------------------------------------------------------------

  void draw_check(Rect row) {
    const Rect card{row.x, row.y + 2, row.w, row.h - 4};
    canvas_.fill(card, theme_.panel, 8);
    canvas_.stroke(card, theme_.line_strong, 1, 8);
    if (!is_current_) return;
    Rect rest = card.inset(14, 6);
    const bool same = reading_->same;
    const Point center{rest.x + 11, rest.center().y};
    canvas_.disc(center, 11, same ? theme_.ok : theme_.error);
    canvas_.icon(same ? Icon::check : Icon::cross, {center.x - 8, center.y - 8}, theme_.canvas, 2);
    rest.cut_left(34);
    const float half = rest.h / 2;
    const std::string title = same ? "kept = computed anew" : "kept and computed anew differ";
    const std::string brief = same ? "equal to the last digit" : "compared";
    const std::string full = fmt::format("{}: {} logits, and K and V of {}", brief, reading_->anew.size(),
                                         counted(layers(), "layer", "layers"));
    const std::string& words = canvas_.width(full, canvas_.shown_as(TextStyle::caption)) < rest.w ? full : brief;
    const float wide = std::max(canvas_.width(title, canvas_.shown_as(TextStyle::heading)),
                                canvas_.width(words, canvas_.shown_as(TextStyle::caption))) +
                       24;
    Rect said = rest.cut_left(std::min(wide, rest.w));
    canvas_.text_in(said.cut_top(half), title, TextStyle::heading, theme_.text);
    canvas_.text_in(said, words, TextStyle::caption, theme_.text2);
    draw_scores(rest);
  }

  /// The logit of the chosen symbol, both ways, and how many positions each has computed.
  void draw_scores(Rect rest) {
    if (!next_ || asks()) return;
    const auto symbol = static_cast<std::size_t>(next_->chosen);
    const Precision precision = setup_.attention.precision;
    const std::string kept = exact_text(reading_->writer->logits()[symbol], precision);
    const std::string anew = exact_text(reading_->anew[symbol], precision);
    const Index length = std::ssize(symbols_.read);
    const std::string word = letter(next_->chosen, setup_);
    const float numbers = std::max(canvas_.width(kept, TextStyle::mono), canvas_.width(anew, TextStyle::mono)) + 64;
    const std::string whole = counted(length, "position", "positions") + " computed";
    const float works = canvas_.width(whole, TextStyle::caption) + 12;
    const bool has_works = rest.w > numbers + works;
    if (rest.w < numbers) return;
    const float half = rest.h / 2;
    const auto line = [&](Rect row, std::string_view how, const std::string& number, const std::string& work) {
      if (has_works) canvas_.text_in(row.cut_right(works), work, TextStyle::caption, theme_.text2, Align::right);
      canvas_.text_in(row.cut_left(36), how, TextStyle::caption, theme_.text3);
      canvas_.text_in(row.cut_left(20), word, TextStyle::mono, theme_.text2);
      canvas_.text_in(row, number, TextStyle::mono, theme_.text);
    };
    line(rest.cut_top(half), "kept", kept, "1 position computed");
    line(rest, "anew", anew, whole);
  }

  const Setup& setup_;
  Rect area_;
  Draft draft_;
  DraftSymbols symbols_;
  bool asks_;  ///< the step asks for what is shown here
  const Reading* reading_ = nullptr;
  bool is_current_ = false;  ///< the reading is of the text, not of the one before
  std::optional<NextSymbol> next_;
  float labels_ = 0;
  float pitch_ = 0;
  float top_ = 0;
  float brick_height_ = 0;
  Index columns_ = 0;
  Index first_ = 0;  ///< the first position in sight
  WriteRows rows_;
};

/// Why there is nothing to see.
void draw_silence(ViewContext& context, Rect area, const std::string& why) {
  const Canvas canvas = context.ui.canvas();
  Rect rest = area.inset(margin, 16);
  canvas.text_in(rest.cut_top(32), "This model cannot write", TextStyle::title, canvas.theme().text);
  canvas.paragraph({rest.x, rest.y + 20}, why, TextStyle::body, canvas.theme().text2, rest.w);
}

}  // namespace

void draw_write_view(ViewContext& context, Rect area) {
  const std::string why = why_silent(context.session.setup());
  if (!why.empty()) return draw_silence(context, area, why);
  WriteView(context, area).draw();
}

}  // namespace headlight
