#include "app/views/base/frame_memory.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/base/views.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/actions/target.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/session/studies/learning.hpp"
#include "app/session/trainer.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/later.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/learn/timeline.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "core/lecture/question.hpp"
#include "core/stages/explain.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

/// Of all layers. They are the same as long as the losses are.
struct PricesKey {
  Tensor loss;
  friend bool operator==(const PricesKey& a, const PricesKey& b) { return a.loss.same_window(b.loss); }
};
using PricesMemory = Later<PricesKey, std::vector<std::vector<HeadPrice>>>;

constexpr float margin = 24;
constexpr float labels_left = 40;
constexpr float above_cells = 52;  ///< the head's name and the labels of the keys
constexpr float between_heads = 34;
constexpr float least_pitch = 26;  ///< of cells that show two digits
constexpr float highest_pitch = 80;
constexpr float lowest_row = 16;  ///< of a row that has words beside it

/// The room beside and below the heads. A slide has large type for one idea: which positions attend to which, and is
/// the answer right?
struct Room {
  float below_cells;  ///< for the loss without the head
  float before_answers;
  float answers_width;
};
constexpr Room in_window{40, 30, 224};
constexpr Room on_slide{8, 24, 118};
const Room& room_of(const ViewContext& context) { return context.presenting ? on_slide : in_window; }

/// The task in one sentence.
std::string_view asked_words(TaskName task) {
  switch (task) {
    case TaskName::previous: return "Each position must name the symbol before it.";
    case TaskName::first: return "Each position must name the first symbol.";
    case TaskName::reverse: return "Each position must name the symbol at the same place in the reversed sequence.";
    case TaskName::lookup: return "The last position holds a key, and must name the value paired with that key.";
    case TaskName::induction:
      return "A part of the sequence comes again: each of its positions must name the symbol that followed the first "
             "time.";
    case TaskName::previous_and_first: return "Each position must name two symbols: the one before it, and the first.";
    case TaskName::text: return "Each position must name the character that comes next.";
    case TaskName::none: break;
  }
  return {};
}

std::string_view why_not_asked(TaskName task, bool in_short) {
  if (in_short) return "not asked";
  if (task == TaskName::induction) return "not asked: it is there for the first time";
  if (task == TaskName::text) return "not asked: the text has ended";
  return task == TaskName::lookup ? "not asked: it holds an answer" : "not asked: nothing comes before it";
}

/// The areas of the view's parts.
struct Areas {
  Rect words;
  float pitch = 0;
  float cells_w = 0, cells_h = 0;
  Index first_head = 0, heads = 1;  ///< that are shown
  float x = 0, y = 0;               ///< of the first head's cells
  Rect answers;                     ///< beside the rows

  Rect cells(Index column) const {
    return {x + static_cast<float>(column) * (cells_w + between_heads), y, cells_w, cells_h};
  }
};

Areas areas_of(const Session& session, Rect area, const Room& room) {
  const Setup& setup = session.setup();
  const auto queries = static_cast<float>(setup.sizes.query_length), keys = static_cast<float>(setup.key_length());
  Areas areas;
  const float beside = labels_left + room.before_answers + room.answers_width;
  const float down = area.h - above_cells - room.below_cells;
  const auto pitch_with = [&](Index heads) {
    const float across = (area.w - beside - between_heads * static_cast<float>(heads - 1)) / static_cast<float>(heads);
    return std::min({across / keys, down / queries, highest_pitch});
  };
  // A few heads with readable numbers are better than many without.
  areas.heads = setup.sizes.heads;
  const float most = std::min(least_pitch, pitch_with(1));
  while (areas.heads > 1 && pitch_with(areas.heads) < most) --areas.heads;
  areas.first_head = session.selection().head / areas.heads * areas.heads;
  areas.first_head = std::min(areas.first_head, setup.sizes.heads - areas.heads);
  const float pitch = pitch_with(areas.heads);
  areas.pitch = pitch >= least_pitch ? std::floor(pitch) : pitch;
  areas.cells_w = areas.pitch * keys;
  areas.cells_h = areas.pitch * queries;
  const float wide = labels_left + static_cast<float>(areas.heads) * areas.cells_w +
                     static_cast<float>(areas.heads - 1) * between_heads + room.before_answers + room.answers_width;
  areas.x = area.x + labels_left + std::max(0.0f, area.w - wide) / 2;
  areas.y = area.y + above_cells + std::max(0.0f, down - areas.cells_h) / 3;
  areas.answers = {areas.cells(areas.heads - 1).right() + room.before_answers, areas.y, room.answers_width,
                   areas.cells_h};
  return areas;
}

/// The rows of an item whose answers are asked for by the step's question and not shown yet. The output at a position,
/// and the gradients there, would reveal the layer's answer and the right one.
std::vector<bool> asked_rows(const Session& session, Index item) {
  constexpr std::array revealing{TensorId::output, TensorId::logits, TensorId::probabilities, TensorId::loss};
  const Setup& setup = session.setup();
  std::vector<bool> asked(static_cast<std::size_t>(setup.sizes.query_length), false);
  if (!session.lesson().asks()) return asked;
  const Question& question = *session.lesson().question();
  for (const Cell& cell : cells_of(question, setup))
    if (hides(question, cell, setup) &&
        std::ranges::find(revealing, without_gradient(cell.tensor)) != revealing.end() && cell.index[0] == item)
      asked[static_cast<std::size_t>(cell.index[1])] = true;
  const bool in_words = question.kind == Question::Kind::choice || question.kind == Question::Kind::number;
  const auto mentions = [&](TensorId tensor) { return question.answer.text().find(name(tensor)) != std::string::npos; };
  if (in_words && std::ranges::any_of(revealing, mentions)) asked.assign(asked.size(), true);
  return asked;
}

class LearnView : FrameTools {
 public:
  LearnView(ViewContext& context, const Rect& area)
      : FrameTools(context),
        setup_(context.session.setup()),
        item_(context.session.selection().batch),
        watched_(shown_in(View::learn, context.session.selection().tensor)),
        area_(area),
        room_(room_of(context)) {}

  void draw() {
    prices_ = prices();
    const Rect rest = context_.presenting ? slide() : window();
    areas_ = areas_of(session_, rest, room_);
    answers_ = answers_of(session_.model_trace().last(), item_);
    asked_ = asked_rows(session_, item_);
    light_ = light();
    draw_row_band(true);
    for (Index column = 0; column < areas_.heads; ++column) draw_head(column);
    draw_row_labels();
    draw_answers();
    draw_row_band(false);
  }

 private:
  // --- Around the heads. These draw, and return the remaining area ---------------------------------------------------

  Rect window() {
    Rect rest = area_;
    draw_timeline(context_, rest.cut_bottom(timeline_height));
    rest = rest.inset(margin, 0);
    cut_lecture_story(context_, rest, 0.34f);
    if (session_.lesson().lecture() == nullptr || context_.still) draw_words(rest);
    else rest.cut_top(8);
    return rest;
  }

  /// A slide has the curve, once there is one, if it leaves the rows room for their words.
  Rect slide() {
    Rect rest = area_;
    const bool has_curve = session_.state().course->made > 0;
    const auto above_curve = [&](Rect area) {
      if (has_curve) area.cut_bottom(low_timeline_height);
      return area;
    };
    const auto pitch = [&](const Rect& area) { return areas_of(session_, area, room_).pitch; };
    /// It is best if the rows have room for their words above the curve.
    const auto fit_in = [&](const Rect& picture) {
      const float with_curve = pitch(above_curve(picture));
      const Cells cells = with_curve >= lowest_row       ? Cells::comfortable
                          : pitch(picture) >= lowest_row ? Cells::readable
                                                         : Cells::unreadable;
      return PictureFit{cells, with_curve};
    };
    if (session_.lesson().lecture() == nullptr) draw_task(rest);
    else
      cut_lecture_story(context_, rest, 0.34f,
                        {.fit = [&](const Arrangement& tried, const Story&) { return fit_in(tried.picture); },
                         .depends_on = {has_curve ? 1 : 0}});
    const Rect above = above_curve(rest);
    if (!has_curve || pitch(above) < lowest_row) return rest;
    draw_timeline(context_, {rest.x, above.bottom(), rest.w, low_timeline_height});
    return above;
  }

  /// The task in large type. Cuts its lines off the area.
  void draw_task(Rect& area) {
    constexpr float line = 20;
    for (const std::string_view words : canvas_.wrapped(asked_words(setup_.task.name), TextStyle::body, area.w)) {
      const Rect row = area.cut_top(line);
      canvas_.text_in(row, words, TextStyle::body, theme_.text2);
    }
  }

  /// The task and the meaning of the loss, or why training failed, when there is no lecture. Cuts its lines off the
  /// area.
  void draw_words(Rect& area) {
    const bool exploded = session_.state().course->exploded_at.has_value();
    const Verdict shown = verdict_of(session_.model_trace().last());
    area.cut_top(12);
    const std::string title = exploded ? fmt::format("Step {} went too far", *session_.state().course->exploded_at)
                                       : fmt::format("{} of {} right", shown.right, shown.asked);
    const float left = std::max(canvas_.width(title, TextStyle::title) + 28, 190.0f);
    const std::string words = exploded ? words_of_failure() : words_of_loss(shown);
    const auto lines = static_cast<float>(canvas_.wrapped(words, TextStyle::control, area.w - left).size());
    const Index layers = std::ssize(session_.model_trace().layers);
    const float table = layers == 1 ? 0 : 52 + 15 * static_cast<float>(std::min<Index>(layers, 4));
    const Rect row = area.cut_top(std::min(std::max(18 * lines + 10, table), 0.25f * area.h));
    if (layers > 1) draw_all_prices({row.x, row.y + 30, left - 28, row.h - 36});
    canvas_.text({row.x, row.y + 20}, title, TextStyle::title, exploded ? theme_.error : theme_.text);
    canvas_.push_clip(row);
    canvas_.paragraph({row.x + left, row.y + 14}, words, TextStyle::control, theme_.text2, row.w - left, 18);
    canvas_.pop_clip();
  }

  std::string words_of_failure() const {
    return fmt::format("{} Try a rate below {:g}: it decides how far each step moves the weights.",
                       as_sentence(words_of_explosion(*session_.state().course->exploded_at)),
                       setup_.training.learning_rate);
  }

  std::string words_of_loss(const Verdict& shown) const {
    std::string words = fmt::format(
        "{} The loss, {:.3f}, is how much the right answers surprise the layer: −ln of their probability, on "
        "average; 0 is certain, {} is {:.2f}. A step makes the weights a little better.",
        asked_words(setup_.task.name), shown.loss,
        setup_.task.is_text() ? "knowing how often each character comes" : "guessing", guess_of(setup_).loss);
    const Index now = trained_steps(session_);
    if (now == 0 || setup_.switches_heads()) return words;
    const KeptStep& before = session_.state().course->before(now - 1);
    if (before.step + 1 == now)
      words += fmt::format(" The last one changed the loss by {:+.4f}.", shown.loss - before.shown.loss);
    return words;
  }

  // --- The heads -----------------------------------------------------------------------------------------------------

  TensorPicture picture(Index head) const { return picture_of(context_, TensorId::weights, item_, head); }

  /// The lit cell of the weights, or of their gradient.
  PictureLight light() const {
    TensorPicture watched = picture(areas_.first_head);
    watched.tensor = watched_;
    return light_of(context_, watched);
  }

  void draw_head(Index column) {
    const Index head = areas_.first_head + column;
    const Rect cells = areas_.cells(column);
    const bool own = session_.selection().head == head && (!context_.still || session_.state().pinned);
    const TensorPicture weights = picture(head);
    const Heatmap heatmap = weights.heatmap(cells, canvas_.scale());
    const Rect frame =
        Rect{cells.x, cells.y - above_cells + 6, cells.w, cells.h + above_cells - 6 + room_.below_cells}.inset(-12, 0);
    if (own && setup_.sizes.heads > 1) canvas_.stroke(frame, theme_.lamp, 2, 8);
    ui_.push_id(static_cast<int>(head));
    draw_head_title({cells.x, cells.y - above_cells + 10, cells.w, 20}, head, own, weights);
    draw_labels_across(canvas_, heatmap.layout, {cells.x, cells.y - 21, cells.w, 18}, key_labels());
    if (own && light_.column) band(column_band(heatmap.layout), theme_.key, true);
    PictureLight lit = light_;
    if (!own) lit.ring.reset();
    draw_cells(context_, "weights", weights, heatmap, lit,
               {.interactive = false, .paints = false, .ring = false, .glides = false});
    point_at(weights, heatmap, head);
    if (setup_.is_ablated(head)) canvas_.fill(cells, faded(theme_.canvas, 0.72f));
    if (own && light_.column) band(column_band(heatmap.layout), theme_.key, false);
    if (own) draw_ring(context_, heatmap.layout, light_);
    else if (light_.ring) canvas_.stroke(heatmap.layout.rect_of(*light_.ring).outset(1), theme_.lamp, 1.5f, 4);
    if (!context_.presenting) draw_price({cells.x, cells.bottom() + 8, cells.w, 24}, head);
    ui_.pop_id();
  }

  void draw_head_title(const Rect& row, Index head, bool own, const TensorPicture& weights) {
    const Item item = ui_.item("head", row, {.focusable = false});
    if (item.clicked) Selecting(session_).select_head(head);
    offer_menu(context_, row, item, head_target(session_, head));
    const std::string name = head_words(head, setup_);
    const float wide =
        canvas_.text({row.x, row.y + 15}, name, TextStyle::heading, own || item.hovered ? theme_.text : theme_.text2);
    std::string shares;
    for (const AnswerShare& one : session_.lesson().asks()
                                      ? std::vector<AnswerShare>()
                                      : answer_shares(session_.trace(), item_, weights.slice.values))
      shares += fmt::format("{}{} {:.0f} %", shares.empty() ? "" : ", ", one.where, 100 * one.share);
    if (wide + canvas_.width(shares, TextStyle::caption) + 10 < row.w)
      canvas_.text({row.right(), row.y + 15}, shares, TextStyle::caption, theme_.text2, Align::right);
    ui_.tooltip(item, fmt::format("The weights of {}: which key each query looks at. {}", name, shares));
  }

  AxisLabels key_labels() const {
    return {[this](Index position) { return AxisLabel{"", held(position)}; }, theme_.key, light_.column};
  }

  std::string held(Index position) const {
    return held_words(*session_.trace().sequences, item_, position, setup_.task);
  }

  /// A cell under the mouse is a cell of the shown tensor: the weights, or their gradient.
  void point_at(const TensorPicture& weights, const Heatmap& heatmap, Index head) {
    if (context_.bare()) return;
    Item item = ui_.item("cells", heatmap.layout.area(), {.focusable = false});
    const auto under = item.hovered ? heatmap.at(ui_.mouse()) : std::nullopt;
    if (!under) return;
    TensorPicture watched = weights;
    watched.tensor = watched_;
    const Cell cell = watched.cell_at(under->cell, setup_);
    hover_cell(context_, cell);
    if (item.clicked) {
      Selecting(session_).select_head(head);
      Selecting(session_).pin(cell);
    }
    offer_menu(context_, heatmap.layout.area(), {TargetKind::cell, at_cell(session_.selection(), cell, setup_)});
    item.id = ui_.id_of(fmt::format("{},{}", under->cell.row, under->cell.column));
    ui_.tooltip(item, session_.lesson().hides(cell, session_.setup())
                          ? std::string("What do you think?")
                          : fmt::format("{}\n{} looks at {}", cell_tip(weights, under->cell, {}, {}, session_),
                                        held(setup_.past() + under->cell.row), held(under->cell.column)));
  }

  // --- The loss without a head --------------------------------------------------------------------------------------

  const std::vector<std::vector<HeadPrice>>* prices() {
    const ModelTrace& model = session_.model_trace();
    const Index layers = std::ssize(model.layers);
    const Index cells = session_.trace()[TensorId::weights].elements() * 4 * setup_.sizes.heads * layers * layers;
    const auto* const prices = context_.memory.get<PricesMemory>().of(
        session_, {model.last()[TensorId::loss]}, cells,
        [model](Threads&, const std::stop_token& stop) { return all_head_prices(model, stop); });
    if (prices == nullptr) ui_.request_frame_in(look_again);
    return prices;
  }

  double loss() const { return verdict_of(session_.model_trace().last()).loss; }

  // --- The same for all heads of all layers, below the title ---------------------------------------------------------

  /// The colours say how far the loss is from where it is; a click shows the head.
  void draw_all_prices(Rect area) {
    if (prices_ == nullptr || session_.lesson().asks()) return;
    canvas_.text_in(area.cut_top(14), "change of loss without it", TextStyle::caption, theme_.text2);
    const Rect labels = area.cut_left(22);
    const float wide = std::min(area.w / static_cast<float>(setup_.sizes.heads), 44.0f);
    const float down = std::min(15.0f, area.h / static_cast<float>(prices_->size()));
    double most = 0;
    for (const auto& layer : *prices_)
      for (const HeadPrice& price : layer) most = std::max(most, std::abs(price.without.loss - loss()));
    const ColorScale scale = ColorScale::symmetric(most);
    for (Index layer = 0; layer < std::ssize(*prices_); ++layer) {
      const float y = area.y + down * static_cast<float>(layer);
      const bool own = layer == setup_.layer;
      if (down >= 12 || own)
        canvas_.text_in({labels.x, y, labels.w, down}, fmt::format("L{}", layer), TextStyle::code,
                        own ? theme_.text : theme_.text3);
      for (Index head = 0; head < setup_.sizes.heads; ++head)
        draw_price_cell({area.x + wide * static_cast<float>(head), y, wide - 2, down - 2}, layer, head, scale);
    }
  }

  void draw_price_cell(const Rect& r, Index layer, Index head, const ColorScale& scale) {
    const HeadPrice& price = (*prices_)[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)];
    const bool ablated = session_.model_trace().at(layer).setup.is_ablated(head);
    const double change = price.without.loss - loss();
    ui_.push_id(fmt::format("price {}.{}", layer, head));
    const Item item = ui_.item("cell", r, {.focusable = false});
    const Color fill = scale.color(theme_, change);
    canvas_.fill(r, fill, 2);
    if (r.w >= 34 && r.h >= 12)
      canvas_.text_in(r, fmt::format("{:+.2f}", change), TextStyle::code, number_on(fill), Align::center);
    if (layer == setup_.layer && head == session_.selection().head) canvas_.stroke(r.outset(1), theme_.lamp, 1.5f, 3);
    else if (item.hovered) canvas_.stroke(r.outset(1), theme_.text, 1, 3);
    ui_.tooltip(item, fmt::format("Layer {}, head {}: {} it the loss is {:.4f} ({:+.4f}), {} of {} answers are right",
                                  layer, head, ablated ? "with" : "without", price.without.loss, change,
                                  price.without.right, price.without.asked));
    if (item.clicked)
      context_.memory.get<FrameMemory>().after_frame = [layer, head](Session& session) {
        session.look_at_layer(layer);
        session.when_shown([head](Session& shown) { Selecting(shown).select_head(head); });
      };
    ui_.pop_id();
  }

  void draw_price(Rect row, Index head) {
    const bool ablated = setup_.is_ablated(head);
    const auto target = head_target(session_, head);
    if (!context_.bare()) {
      bool off = ablated;
      if (toggle(ui_, "ablate", {row.x, row.y + 3}, off)) toggle_ablated(session_, target);
      row.cut_left(toggle_width + 8);
      row.cut_left(canvas_.text({row.x, row.y + 16.5f}, "ablate", TextStyle::control, theme_.text2) + 10);
    }
    if (prices_ == nullptr || session_.lesson().asks()) return;  // a step may ask what happens without a head
    const HeadPrice& price = (*prices_)[static_cast<std::size_t>(setup_.layer)][static_cast<std::size_t>(head)];
    const double change = price.without.loss - loss();
    const std::string loss = fmt::format("{:.2f}", price.without.loss), difference = fmt::format("{:+.2f}", change);
    const std::string_view label = ablated ? "loss with it  " : "loss without it  ";
    const std::string_view brief = ablated ? "with " : "without ";
    const auto runs = [&](std::string_view words) {
      return std::array<Run, 3>{Run{words, TextStyle::control, theme_.text2, Script::normal, 0},
                                Run{loss, TextStyle::mono_strong, theme_.text, Script::normal, 8},
                                Run{difference, TextStyle::mono, change > 0 ? theme_.error : theme_.ok}};
    };
    for (const std::string_view words : {label, brief, std::string_view{}}) {
      const auto all = runs(words);
      if (canvas_.width(all) > row.w) continue;
      canvas_.rich({row.right(), row.y + 16.5f}, all, Align::right);
      break;
    }
    const Item item = ui_.item("price", row, {.focusable = false});
    ui_.tooltip(item,
                fmt::format("{} this head {} of {} answers are right, the loss is {:.4f}, and the output moves by "
                            "{:.3g} on average",
                            ablated ? "With" : "Without", price.without.right, price.without.asked, price.without.loss,
                            price.output));
  }

  // --- The rows ------------------------------------------------------------------------------------------------------

  bool has_words() const { return areas_.pitch >= lowest_row; }
  float row_y(Index row) const { return areas_.y + static_cast<float>(row) * areas_.pitch; }

  Rect row_band() const {
    const Rect first = areas_.cells(0);
    const float left = first.x - labels_left + 4;
    return {left, row_y(*light_.row) - 3, areas_.answers.right() - left, areas_.pitch + 4};
  }
  Rect column_band(const HeatmapLayout& layout) const {
    const Rect line = layout.line_down(*light_.column);
    return {line.x - 3, line.y - 23, line.w + 6, line.h + 26};
  }

  void band(const Rect& r, Color identity, bool tint) const {
    if (tint) canvas_.band_tint(r, identity);
    else canvas_.band_outline(r, identity, band_width(context_));
  }
  void draw_row_band(bool tint) const {
    if (light_.row && has_words()) band(row_band(), theme_.query, tint);
  }

  void draw_row_labels() {
    const Rect cells = areas_.cells(0);
    const HeatmapLayout layout = picture(areas_.first_head).heatmap(cells, canvas_.scale()).layout;
    AxisLabels labels{[this](Index query) { return AxisLabel{"", held(setup_.past() + query)}; }, theme_.query,
                      light_.row};
    draw_labels_down(canvas_, layout, {cells.x - labels_left, cells.y, labels_left - 18, cells.h}, labels,
                     Align::right);
  }

  void draw_answers() {
    const Rect& area = areas_.answers;
    const Verdict shown = verdict_of(session_.model_trace().last());
    const std::string right = fmt::format("{} of {}", shown.right, shown.asked);
    const Rect first_line{area.x, area.y - above_cells + 6, area.w, 28};
    if (!context_.presenting) draw_sequence_choice(first_line);
    canvas_.rich({area.right(), context_.presenting ? first_line.y + 19 : area.bottom() + 24.5f},
                 {{"right  ", TextStyle::control, theme_.text2}, {right, TextStyle::mono_strong, theme_.text}},
                 Align::right);
    const float heading = area.y - 8;
    canvas_.text({area.x + 22, heading}, "wanted", TextStyle::caption, theme_.text3, Align::center);
    canvas_.text({area.x + 76, heading}, "answer", TextStyle::caption, theme_.text3, Align::center);
    if (!context_.presenting)
      canvas_.text({area.x + 186, heading}, "sure", TextStyle::caption, theme_.text3, Align::right);
    for (Index row = 0; row < static_cast<Index>(answers_.size()); ++row) {
      const bool lit = light_.row == row || (!light_.row && session_.selection().row == row);
      if (has_words() || lit) draw_answer(row, answers_[static_cast<std::size_t>(row)]);
    }
  }

  void draw_answer(Index row, const Answer& answer) {
    const Rect& area = areas_.answers;
    const float height = std::max(areas_.pitch - 2, lowest_row);
    const Rect r{area.x, std::min(row_y(row), area.bottom() - height), area.w, height};
    if (!answer.asked()) {
      canvas_.text_in({r.x + 6, r.y, r.w - 6, r.h}, why_not_asked(setup_.task.name, context_.presenting),
                      TextStyle::caption, theme_.text3);
      return;
    }
    if (asked_[static_cast<std::size_t>(row)]) {
      for (const float left : {0.0f, 54.0f})
        canvas_.text_in({r.x + left, r.y, 44, r.h}, "?", TextStyle::number_lit, theme_.text2, Align::center);
      return;
    }
    const Color ink = answer.right ? theme_.text : theme_.error;
    canvas_.text_in({r.x, r.y, 44, r.h}, answer.wanted, TextStyle::number_lit, theme_.text, Align::center);
    canvas_.text_in({r.x + 54, r.y, 44, r.h}, answer.given, TextStyle::number_lit, ink, Align::center);
    const Icon mark = answer.right ? Icon::check : Icon::cross;
    const Color mark_ink = answer.right ? theme_.ok : theme_.error;
    if (context_.presenting) return canvas_.icon(mark, {r.x + 101, r.center().y - 8}, mark_ink, 1.8f);
    const Rect bar{r.x + 102, r.center().y - 4, 44, 8};
    canvas_.fill(bar, theme_.line, 2);
    canvas_.fill({bar.x, bar.y, bar.w * static_cast<float>(answer.sure), bar.h},
                 answer.right ? theme_.text2 : theme_.error, 2);
    canvas_.text_in({r.x + 148, r.y, 40, r.h}, fmt::format("{:.0f} %", 100 * answer.sure), TextStyle::mono, theme_.text,
                    Align::right);
    // A little thinner than 1.8, so that all processors round the end of the cross to the same pixel.
    canvas_.icon(mark, {r.x + 200, r.center().y - 8}, mark_ink, 1.76f);
  }

  void draw_sequence_choice(Rect row) {
    const Index items = setup_.sizes.batch;
    const bool chooses = items > 1 && !context_.bare();
    canvas_.text_in(row.cut_left(76), "Sequence", TextStyle::heading, theme_.text);
    if (items == 1) return;
    if (!chooses) return canvas_.text_in(row, fmt::format("{} of {}", item_, items), TextStyle::control, theme_.text2);
    const std::string of = fmt::format("of {}", items);
    canvas_.text_in(row.cut_right(canvas_.width(of, TextStyle::control) + 6), of, TextStyle::control, theme_.text2,
                    Align::right);
    long long item = item_;
    row.cut_left(6);
    if (stepper(ui_, "sequence", row, item, 0, items - 1, {.tooltip = "Which sequence to show, counted from 0"}))
      Selecting(session_).select_batch(item);
  }

  const Setup& setup_;
  Index item_;
  TensorId watched_;
  Rect area_;
  const Room& room_;
  Areas areas_;
  PictureLight light_;
  std::vector<Answer> answers_;
  std::vector<bool> asked_;                                      ///< by row: whether the step asks for it
  const std::vector<std::vector<HeadPrice>>* prices_ = nullptr;  ///< by layer and head
};

}  // namespace

void draw_learn_view(ViewContext& context, Rect area) { LearnView(context, area).draw(); }

}  // namespace headlight
