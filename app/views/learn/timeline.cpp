#include "app/views/learn/timeline.hpp"
#include "app/views/base/frame_tools.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/heatmap_renderer.hpp"
#include "app/session/actions/actions.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/session.hpp"
#include "app/session/studies/learning.hpp"
#include "app/session/trainer.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/last_export.hpp"
#include "app/views/base/later.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/setup/setup_panel.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "core/setup/keys.hpp"

namespace headlight {
namespace {

using FilmMemory = Later<FilmKey, Film>;

/// The best prefix match at the kept steps. A training adds steps all the time, so those that are known stay.
class PrefixStudy {
 public:
  /// Takes in what is done and begins what is missing; returns whether all is there.
  bool advance(Session& session) {
    const auto& kept = session.state().course->kept;
    const std::vector<LayerHead>& ablated = session.setup().attention.ablated_heads;
    if (ablated != ablated_) known_.clear();
    ablated_ = ablated;
    std::erase_if(known_, [&](const auto& one) { return std::ranges::find(kept, one.first) == kept.end(); });
    for (;;) {
      const auto missing = next_of(kept);
      if (missing.empty()) return true;
      const ModelTrace model = session.model_trace();
      const Index cells =
          model.first()[TensorId::weights].elements() * std::ssize(model.layers) * std::ssize(missing) * 4;
      const auto* const found =
          coming_.of(session, {missing, 0, 0, ablated}, cells,
                     [=](Threads&, const std::stop_token& stop) { return best_prefixes(model, missing, stop); });
      if (found == nullptr) return false;
      for (std::size_t i = 0; i < found->size(); ++i) known_[missing[i]] = (*found)[i];
    }
  }

  const BestPrefix* at(const std::shared_ptr<const KeptStep>& step) const {
    const auto found = known_.find(step);
    return found == known_.end() ? nullptr : &found->second;
  }

 private:
  /// Some that are missing, so many that it is worth a thread.
  std::vector<std::shared_ptr<const KeptStep>> next_of(const std::vector<std::shared_ptr<const KeptStep>>& kept) const {
    constexpr std::size_t at_once = 16;
    std::vector<std::shared_ptr<const KeptStep>> missing;
    for (const auto& step : kept)
      if (missing.size() < at_once && !known_.contains(step)) missing.push_back(step);
    return missing;
  }

  std::map<std::shared_ptr<const KeptStep>, BestPrefix> known_;
  std::vector<LayerHead> ablated_;
  Later<FilmKey, std::vector<BestPrefix>> coming_;
};

constexpr float controls_width = 218;
constexpr Index first_end = 400;  ///< the first end of the axis, which doubles when training goes further
constexpr Index pieces = 8;       ///< of the axis, with a frame of the film at each end
constexpr Index most_film_heads = 4;
constexpr float loss_room = 52;
constexpr float right_room = 60;

Index end_of_axis(const Session& session) {
  Index end = first_end;
  const Index reached = std::max(session.state().course->made, session.wanted().training.steps);
  while (end < reached) end *= 2;
  return end;
}

/// A step, and how well it answers the shown sequences.
struct CurvePoint {
  Index step = 0;
  double loss = 0;
  double accuracy = 0;
};

/// The kept steps, and the shown one, unless the layer learns with other heads than it has then.
std::vector<CurvePoint> points_of(const Session& session) {
  std::vector<CurvePoint> points;
  const Index now = trained_steps(session);
  const Verdict shown = verdict_of(session.model_trace().last());
  bool placed = session.setup().switches_heads();
  for (const auto& kept : session.state().course->kept) {
    if (!placed && kept->step >= now) {
      points.push_back({now, shown.loss, shown.accuracy()});
      placed = true;
    }
    if (kept->step != now || session.setup().switches_heads())
      points.push_back({kept->step, kept->shown.loss, kept->shown.accuracy()});
  }
  if (!placed) points.push_back({now, shown.loss, shown.accuracy()});
  return points;
}

/// 1, 2 or 5 times a power of ten, at least `value`.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= value) return factor * power;
  return 10 * power;
}

class Timeline : FrameTools {
 public:
  Timeline(ViewContext& context, const Rect& area)
      : FrameTools(context),
        points_(points_of(context.session)),
        end_(end_of_axis(context.session)),
        now_(trained_steps(context.session)) {
    Rect room = area;
    if (!context.bare()) {
      canvas_.fill(area, theme_.panel);
      canvas_.fill({area.x, area.y, area.w, 1}, theme_.line);
      room = area.inset(24, 0);
      controls_ = room.cut_left(controls_width);
      room.cut_left(12);
    }
    film_ = room.cut_top(context.presenting ? 18 : 62);
    ticks_ = room.cut_bottom(26);
    plot_ = {room.x + loss_room, room.y + 2, room.w - loss_room - right_room, room.h - 2};
    highest_ = 0;
    for (const CurvePoint& point : points_)
      if (std::isfinite(point.loss)) highest_ = std::max(highest_, point.loss);
    highest_ = round_up(std::max(highest_, guessing()) * 1.02);
  }

  void draw() {
    ui_.push_id("timeline");
    if (!controls_.empty()) {
      draw_controls(controls_);
      draw_export({film_.right() - 22, film_.y + 8, 24, 24});
    }
    draw_film();
    draw_axes();
    draw_curves();
    draw_explosion();
    draw_playhead();
    if (!context_.bare()) scrub();
    ui_.pop_id();
  }

 private:
  float x(double step) const { return plot_.x + plot_.w * static_cast<float>(step / static_cast<double>(end_)); }
  float y_of_loss(double loss) const {
    return plot_.bottom() - plot_.h * static_cast<float>(std::clamp(loss / highest_, 0.0, 1.0));
  }
  float y_of_share(double share) const { return plot_.bottom() - plot_.h * static_cast<float>(share); }
  double guessing() const { return guess_of(session_.setup()).loss; }
  const Course& course() const { return *session_.state().course; }

  // --- Controls ------------------------------------------------------------------------------------------------------

  void draw_controls(const Rect& area) {
    const bool playing = session_.state().training.playing;
    const float top = area.y + 14;
    const auto keys_of = [&](std::string_view action) { return keys_now(*action_named(action), session_); };
    const auto small = [&](std::string_view id, float left, Icon icon, bool enabled, std::string_view tip,
                           std::string_view keys = {}) {
      return icon_button(ui_, id, {left, top, 32, 30}, icon, {.enabled = enabled, .tooltip = tip, .keys = keys});
    };
    const Index wanted = session_.wanted().training.steps;
    if (small("reset", area.x, Icon::reset, wanted > 0, "Back to the layer as drawn, step 0")) go(0);
    if (small("back", area.x + 38, Icon::previous, wanted > 0, "One step back", keys_of("training.back")))
      go(wanted - 1);
    if (button(ui_, "train", {area.x + 76, top, 104, 30}, playing ? "Stop" : "Train",
               {.kind = ButtonKind::primary,
                .tooltip = playing ? "Stop. Undo reverts all of these steps" : "Train the layer, step by step",
                .keys = keys_of("training.play")}))
      Trainer(session_).set_playing(!playing);
    if (small("once", area.x + 186, Icon::next, true, "One step: one batch, one update of every weight",
              keys_of("training.once")))
      go(wanted + 1);

    const Verdict shown = verdict_of(session_.model_trace().last());
    const float words = area.y + 70;
    canvas_.rich({area.x, words}, {{"step ", TextStyle::control, theme_.text2},
                                   {storage_of(fmt::format("{}", now_)), TextStyle::number_lit, theme_.text},
                                   {storage_of(course().made > now_ ? fmt::format(" of {}", course().made) : ""),
                                    TextStyle::control, theme_.text2}});
    canvas_.rich({area.right(), words},
                 {{"loss ", TextStyle::control, theme_.text2},
                  {storage_of(fmt::format("{:.3f}", shown.loss)), TextStyle::number_lit, theme_.text}},
                 Align::right);
    int speed = static_cast<int>(session_.state().training.speed);
    if (segmented(ui_, "speed", {area.x, area.y + 82, area.w, 28}, training_speeds, speed,
                  {.mono = true, .tooltip = "Steps a second; max: as fast as possible"}))
      Trainer(session_).set_speed(static_cast<TrainingSpeed>(speed));
    draw_how({area.x, area.y + 116, area.w, 20});
  }

  /// Exports the training as an animation of this view.
  void draw_export(const Rect& r) {
    if (!icon_button(ui_, "take away", r, Icon::export_,
                     {.kind = ButtonKind::quiet,
                      .enabled = course().made > 0,
                      .tooltip = "Export the training: an animation, a picture of the curve, or its numbers"}))
      return;
    constexpr Index frames = 40;
    ExportChoices& choices = context_.memory.get<LastExport>().choices;
    choices.frames = fmt::format("training.steps=0..{}/{}", course().made, std::min(course().made + 1, frames));
    choices.animated = ExportWhat::view;
    choices.seconds = 0.1;
    session_.request(OpenExport{ExportWhat::animation});
  }

  /// Draws how the layer learns; a click opens that part of the setup.
  void draw_how(const Rect& row) {
    canvas_.text_in(row, "steps a second", TextStyle::caption, theme_.text3);
    const TrainingSettings& training = session_.setup().training;
    const std::string how = fmt::format("{} {:g}, batch {}", setup_key("training.optimizer")->shown(session_.setup()),
                                        training.learning_rate, training.batch);
    const float wide = canvas_.width(how, TextStyle::caption);
    const Item item = ui_.item("how", {row.right() - wide - 2, row.y, wide + 4, row.h}, {.focusable = false});
    canvas_.text_in(row, how, TextStyle::caption, item.hovered ? theme_.text : theme_.text3, Align::right);
    ui_.tooltip(item, "Change how the layer learns");
    if (item.clicked) show_control(context_, *setup_key("training.learning_rate"));
  }

  void go(Index step) {
    Trainer(session_).set_playing(false);
    Trainer(session_).go_to(step);
  }

  /// Runs only refer to their text. This keeps it until the frame is drawn.
  std::string_view storage_of(std::string text) {
    storage_.push_back(std::make_unique<std::string>(std::move(text)));
    return *storage_.back();
  }

  // --- The film ------------------------------------------------------------------------------------------------------

  /// The kept steps at the ends of the axis' pieces, as far as they have been made.
  FilmKey frames() const {
    FilmKey key{{}, session_.selection().batch, session_.setup().layer, session_.setup().attention.ablated_heads};
    for (Index piece = 0; piece <= pieces; ++piece) {
      const Index step = end_ / pieces * piece;
      if (step > course().made) break;
      for (const auto& kept : course().kept)
        if (kept->step == step) key.steps.push_back(kept);
    }
    return key;
  }

  void draw_film() {
    if (session_.lesson().asks() || context_.presenting) return;  // it would reveal the answer, or be a second idea
    const FilmKey key = frames();
    const auto trace = session_.state().trace;
    const Index cells = trace->operator[](TensorId::weights).elements() * static_cast<Index>(key.steps.size());
    const Film* const film = context_.memory.get<FilmMemory>().of(
        session_, key, cells,
        [model = session_.model_trace(), key](Threads&, const std::stop_token&) { return film_of(model, key); });
    if (film == nullptr) return ui_.request_frame_in(look_again);
    for (std::size_t i = 0; i < film->size(); ++i) draw_frame(key.steps[i]->step, (*film)[i]);
  }

  /// The heads at a step, side by side; only the selected one if there are many.
  void draw_frame(Index step, const Tensor& weights) {
    const Index heads = weights.shape()[0];
    const bool all = heads <= most_film_heads;
    const Index count = all ? heads : 1;
    constexpr float gap = 4;
    const float room = plot_.w / static_cast<float>(pieces) - 10;
    const float side =
        std::floor(std::min(film_.h - 20, (room - gap * static_cast<float>(count - 1)) / static_cast<float>(count)));
    if (side < 6) return;
    const float wide = side * static_cast<float>(count) + gap * static_cast<float>(count - 1);
    const TensorPicture picture = picture_of(context_, TensorId::weights, session_.selection().batch, 0);
    for (Index index = 0; index < count; ++index) {
      const Index head = all ? index : session_.selection().head;
      const Rect r{std::round(x(static_cast<double>(step)) - wide / 2 + static_cast<float>(index) * (side + gap)),
                   film_.y + 12, side, side};
      Slice slice = picture.slice;
      slice.values = weights.selected(0, head);
      const HeatmapShape shape{slice.rows(), slice.columns(), picture.transposed};
      ColorScale scale = picture.scale;
      scale.multiples = false;
      if (picture.scale.multiples) scale = ColorScale::from_zero(1);
      context_.heatmaps.draw(canvas_,
                             {slice, scale, HeatmapLayout(r, shape, canvas_.scale(), 0.0f), picture.reduction});
      canvas_.stroke(r.outset(1), theme_.line_strong, 1, 2);
    }
    canvas_.fill({std::round(x(static_cast<double>(step))), film_.y + 14 + side, 1, 6}, theme_.outline);
  }

  // --- The curves ----------------------------------------------------------------------------------------------------

  void draw_axes() {
    canvas_.fill({plot_.x, plot_.bottom(), plot_.w, 1}, theme_.outline);
    for (const double part : {0.0, 0.5, 1.0}) {
      const float y = y_of_loss(part * highest_);
      if (part > 0) canvas_.fill({plot_.x, std::round(y), plot_.w, 1}, theme_.line);
      canvas_.text({plot_.x - 8, y + 4}, fmt::format("{:g}", part * highest_), TextStyle::code, theme_.text3,
                   Align::right);
      canvas_.text({plot_.right() + 8, y + 4}, fmt::format("{:.0f} %", 100 * part), TextStyle::code, theme_.text3);
    }
    const float guess = y_of_loss(guessing());
    for (float at = plot_.x; at < plot_.right(); at += 6) canvas_.fill({at, std::round(guess), 2, 1}, theme_.text3);
    canvas_.text({plot_.right() - 4, guess - 5}, guess_of(session_.setup()).words, TextStyle::caption, theme_.text2,
                 Align::right);
    for (Index piece = 0; piece <= pieces; ++piece) {
      const Index step = end_ / pieces * piece;
      const float at = x(static_cast<double>(step));
      canvas_.fill({std::round(at), plot_.bottom(), 1, 4}, theme_.outline);
      if (std::abs(at - x(static_cast<double>(now_))) > 34)
        canvas_.text({at, ticks_.y + 17}, fmt::format("{}", step), TextStyle::code, theme_.text3, Align::center);
    }
  }

  /// The curves change their ink at the playhead: the part after it has not happened yet.
  void draw_curves() {
    const auto line = [&](auto&& y, float width, bool dotted) {
      std::vector<Point> before, behind;
      for (const CurvePoint& point : points_) {
        const Point at{x(static_cast<double>(point.step)), y(point)};
        if (point.step <= now_) before.push_back(at);
        if (point.step >= now_) behind.push_back(at);
      }
      draw_line(behind, theme_.text3, width, dotted);
      draw_line(before, theme_.text, width, dotted);
    };
    draw_prefixes();
    line([&](const CurvePoint& p) { return y_of_share(p.accuracy); }, 1.2f, true);
    line([&](const CurvePoint& p) { return y_of_loss(p.loss); }, 1.8f, false);
    canvas_.text({plot_.x - 8, plot_.y - 8}, "loss", TextStyle::caption, theme_.text2, Align::right);
    canvas_.text({plot_.right() + 8, plot_.y - 8}, "right ···", TextStyle::caption, theme_.text2);
  }

  /// The prefix match of the head that does most induction, in dashes: it shows when such a head appears.
  void draw_prefixes() {
    const auto now = best_prefix(session_.model_trace());
    if (!now || session_.lesson().asks()) return;
    PrefixStudy& study = context_.memory.get<PrefixStudy>();
    if (!study.advance(session_)) ui_.request_frame_in(look_again);
    const auto at = [&](Index step, double match) { return Point{x(static_cast<double>(step)), y_of_share(match)}; };
    std::vector<Point> points;
    for (const auto& step : course().kept)
      if (const BestPrefix* const known = study.at(step)) points.push_back(at(step->step, known->match));
    draw_dashed(points);
    canvas_.circle(at(now_, now->match), 3.5f, theme_.text, 1.5f);
    const float guess = y_of_loss(guessing());
    const float row =
        guess + 16 < plot_.bottom() ? guess + 13 : guess - 19;  // below the words about guessing, or above
    const std::string words =
        fmt::format("prefix match of L{}, head {}: {:.0f} %", now->layer, now->head, 100 * now->match);
    const float left = plot_.right() - 4 - canvas_.width(words, TextStyle::caption);
    canvas_.text({left, row}, words, TextStyle::caption, theme_.text2);
    draw_dashed({{left - 26, row - 4}, {left - 5, row - 4}});
  }

  void draw_dashed(const std::vector<Point>& points) const {
    constexpr float dash = 5, pitch = 9;
    float gone = 0;  // since the last dash began
    for (std::size_t i = 1; i < points.size(); ++i) {
      const Point segment = points[i] - points[i - 1];
      const float length = std::hypot(segment.x, segment.y);
      for (float at = -gone; at < length; at += pitch) {
        const float from = std::max(at, 0.0f), to = std::min(at + dash, length);
        if (from < to)
          canvas_.line(points[i - 1] + segment * (from / length), points[i - 1] + segment * (to / length), theme_.text2,
                       1.4f);
      }
      gone = std::fmod(gone + length, pitch);
    }
  }

  void draw_line(const std::vector<Point>& points, Color color, float width, bool dotted) {
    if (points.size() < 2) return;
    if (!dotted) return canvas_.polyline(points, color, width);
    constexpr float pitch = 4;
    float left = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const Point segment = points[i] - points[i - 1];
      const float length = std::hypot(segment.x, segment.y);
      float at = left;
      for (; at < length; at += pitch) canvas_.disc(points[i - 1] + segment * (at / length), width, color);
      left = at - length;
    }
  }

  void draw_explosion() {
    if (!course().exploded_at) return;
    const float at = x(static_cast<double>(*course().exploded_at));
    canvas_.fill({at - 1, plot_.y, 2, plot_.h}, theme_.error);
    canvas_.icon(Icon::cross, {at - 8, plot_.y - 16}, theme_.error, 2);
  }

  void draw_playhead() {
    const float at = x(static_cast<double>(now_));
    const Verdict shown = verdict_of(session_.model_trace().last());
    canvas_.fill({at - 1, plot_.y - 4, 2, plot_.h + 4}, theme_.lamp);
    canvas_.disc({at, y_of_loss(shown.loss)}, 5.5f, controls_.empty() ? theme_.canvas : theme_.panel);
    canvas_.disc({at, y_of_loss(shown.loss)}, 4.5f, theme_.lamp);
    const std::string text = fmt::format("{}", now_);
    const float wide = canvas_.width(text, TextStyle::code_strong) + 14;
    const Rect flag{at - wide / 2, plot_.bottom() + 3, wide, 18};
    canvas_.fill(flag, theme_.lamp, 5);
    canvas_.text_in(flag, text, TextStyle::code_strong, theme_.lamp_ink, Align::center);
  }

  // --- Scrubbing -----------------------------------------------------------------------------------------------------

  Index step_at(float where) const {
    const double share = std::clamp((where - plot_.x) / plot_.w, 0.0f, 1.0f);
    return static_cast<Index>(std::lround(share * static_cast<double>(end_)));
  }

  /// A drag moves between kept steps, which need no computation. A click goes to the exact step, and makes the missing
  /// ones.
  void scrub() {
    const Rect track{plot_.x - 8, film_.y, plot_.w + 16, ticks_.bottom() - film_.y};
    const Item item = ui_.item("axis", track);
    ui_.claim_edit(item);
    if (item.focused) canvas_.focus_ring(track.inset(4));
    const Index pointed = step_at(ui_.mouse().x);
    if (item.held && item.dragged) {
      const Index kept = course().before(std::min(pointed, course().made)).step;
      Trainer(session_).set_playing(false);
      if (kept != session_.wanted().training.steps) Trainer(session_).go_to(kept, "scrub");
    } else if (item.clicked && !item.dragged && ui_.mouse_over(track)) {
      go(pointed);
    }
    if (item.released_now) session_.end_gesture();
    if (!item.hovered || item.held) return;
    const float at = x(static_cast<double>(pointed));
    canvas_.fill({at, plot_.y - 4, 1, plot_.h + 4}, theme_.text3);
    ui_.tooltip(item, words_at(pointed));
  }

  std::string words_at(Index step) const {
    if (step > course().made) return fmt::format("Step {}: not made yet. Click to train up to it", step);
    const KeptStep& kept = course().before(step);
    const std::string known =
        fmt::format("loss {:.4f}, {} of {} right", kept.shown.loss, kept.shown.right, kept.shown.asked);
    if (kept.step == step) return fmt::format("Step {}: {}", step, known);
    return fmt::format("Step {}: recomputed from step {}, which is kept ({})", step, kept.step, known);
  }

  std::vector<CurvePoint> points_;
  Index end_;
  Index now_;
  double highest_ = 1;
  Rect controls_;
  Rect film_;
  Rect plot_;
  Rect ticks_;
  std::vector<std::unique_ptr<std::string>> storage_;
};

}  // namespace

void draw_timeline(ViewContext& context, const Rect& area) { Timeline(context, area).draw(); }

}  // namespace headlight
