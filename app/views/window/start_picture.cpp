#include "app/views/window/start_picture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/ui/drawing/color_scale.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/tensors/cell_words.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "app/views/window/shown_view.hpp"

namespace headlight {
namespace {

constexpr float swap_seconds = 0.24f;
constexpr std::size_t most_features = 3;  ///< that the picture has room for

const SentencePicture* blending_picture(const Step& step) {
  if (!step.picture) return nullptr;
  const auto* const picture = std::get_if<SentencePicture>(&*step.picture);
  const bool small = picture != nullptr && picture->features.size() <= most_features;
  return small && picture->blend ? picture : nullptr;
}

/// The blend of the first step from `begin` that shows one, mirrored or not, and where that step is.
std::pair<std::optional<Blend>, std::size_t> blend_in(const Session& own, const Lecture& lecture, std::size_t begin,
                                                      bool mirrored) {
  for (std::size_t i = begin; i < lecture.steps.size(); ++i) {
    const Step& step = lecture.steps[i];
    const SentencePicture* const picture = blending_picture(step);
    if (picture == nullptr || picture->mirrored != mirrored || step.look_at.index.rank() < 2) continue;
    Session session = own.twin();
    if (!Lesson(session).open(std::make_shared<const Lecture>(lecture), i).empty()) break;
    session.wait();
    const Index query = step.look_at.index[step.look_at.index.rank() - 2];
    return {blend_of(session.trace(), 0, query, picture->features), i};
  }
  return {std::nullopt, lecture.steps.size()};
}

bool are_alike(const Blend& a, const Blend& b) {
  return a.query == b.query && a.words.size() == b.words.size() && a.features == b.features;
}

/// "0.46", "2".
std::string digits(double value) {
  return value == std::round(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

}  // namespace

StartPicture::StartPicture(const Session& session, const NextLesson& next)
    : lecture_(next.lecture), step_(next.step), session_(session.twin()) {
  session_.edit_display([](Display& d) { d.mode = WindowMode::workbench; });
  if (!lecture_ || lecture_->is_outline()) return;
  if (step_ == 0) {
    auto [blend, at] = blend_in(session, *lecture_, 0, false);
    if (blend) other_ = blend_in(session, *lecture_, at + 1, true).first;
    if (other_ && !are_alike(*blend, *other_)) other_.reset();
    blend_ = std::move(blend);
  }
  if (!blend_) Lesson(session_).open(lecture_, step_);
}

void StartPicture::draw(ViewContext& context, const Rect& area) {
  if (area.empty()) return;
  if (blend_) return draw_blend(context.ui, area);
  session_.take_in();
  const bool is_there = session_.lesson().lecture() == lecture_.get() && session_.lesson().at.index == step_;
  if (!is_there) {
    if (session_.state().computing) context.ui.request_frame_in(0.1);
    return;
  }
  ViewContext own{context.ui, context.heatmaps, session_, memory_};
  own.still = own.presenting = own.wordless = true;
  memory_.get<StatisticsCache>().keep(
      session_.trace(), session_.state().checking.reference_at(session_.setup().layer).get(), session_.summary());
  context.ui.push_id("next");
  draw_view(own, area, session_.display().view);
  context.ui.pop_id();
}

void StartPicture::draw_blend(Ui& ui, Rect area) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const float swapping = other_ ? ui.eased("swapping", swapped_ ? 1.0f : 0.0f, swap_seconds) : 0;
  const Blend blend = other_ ? blend_between(*blend_, *other_, eased_out(static_cast<double>(swapping))) : *blend_;
  const auto words = static_cast<float>(blend.words.size());
  const auto features = static_cast<float>(blend.features.size());
  double largest = 0, largest_share = 0;
  for (const Blend* each : {&*blend_, other_ ? &*other_ : &*blend_}) {
    for (const auto& row : each->numbers)
      for (const double number : row) largest = std::max(largest, std::abs(number));
    for (const double share : each->shares) largest_share = std::max(largest_share, share);
  }
  const ColorScale scale = ColorScale::around_zero(0, largest);

  const float beside = std::min(118.0f, 0.28f * area.w);
  const float column = (area.w - beside) / words;
  const float cell = column - std::min(8.0f, 0.1f * column);
  const float row = std::clamp(0.13f * area.h, 26.0f, 34.0f);
  const float words_height = 26;
  const float top = area.y + words_height;
  const float flow_top = top + features * row + 6;
  const float blend_top = area.bottom() - features * row;
  // All shares together are as wide as the blend, and the largest is no wider than its word's column.
  const float wide = std::min(cell / static_cast<float>(std::max(largest_share, 1e-6)), 0.62f * (area.w - beside));
  // A little left of the middle, so that the words at its right have room.
  const float blend_left = area.x + beside + 0.44f * (area.w - beside) - wide / 2;
  const auto left_of_word = [&](std::size_t i) { return area.x + beside + column * static_cast<float>(i); };

  std::optional<std::size_t> pointed;
  for (std::size_t i = 0; i < blend.words.size(); ++i) {
    ui.push_id(static_cast<int>(i));
    const Rect whole{left_of_word(i), area.y, cell, words_height + features * row};
    if (ui.item("word", whole, {.focusable = false}).hovered) pointed = i;
    ui.pop_id();
  }
  const auto draw_cell = [&](const Rect& r, double number, TextStyle style) {
    const Color fill = scale.color(theme, number);
    canvas.fill(r, fill, 3);
    canvas.text_in(r, digits(number), style, number == 0 ? theme.text2 : number_on(fill), Align::center);
  };
  for (std::size_t i = 0; i < blend.words.size(); ++i) {
    const Rect head{left_of_word(i), area.y, cell, words_height - 4};
    const bool is_query = i == blend.query;
    const bool strong = is_query || i == pointed;
    const bool small = canvas.width(blend.words[i], TextStyle::body_strong) > column;
    const TextStyle style = small    ? (strong ? TextStyle::caption_strong : TextStyle::caption)
                            : strong ? TextStyle::body_strong
                                     : TextStyle::body;
    canvas.text_in(head.inset((cell - column) / 2, 0), blend.words[i], style, is_query ? theme.query : theme.text,
                   Align::center);
    for (std::size_t f = 0; f < blend.features.size(); ++f)
      draw_cell({head.x, top + row * static_cast<float>(f), cell, row - 4}, blend.numbers[f][i], TextStyle::number);
    if (i == pointed) canvas.ring({head.x, top, cell, features * row - 4});
  }
  float left = blend_left;
  for (std::size_t i = 0; i < blend.words.size(); ++i) {
    const auto share = static_cast<float>(blend.shares[i]);
    const double lit = std::clamp(0.25 + 0.75 * blend.shares[i], 0.0, 1.0);
    Color color = theme.weights.at(lit);
    if (pointed && i != *pointed) color = mix(theme.panel, color, 0.45);
    canvas.ribbon({left_of_word(i) + cell / 2 - share * wide / 2, flow_top}, {left, blend_top - 6},
                  std::max(1.0f, share * wide - 1), color);
    left += share * wide;
  }
  const TextStyle label = TextStyle::control;
  for (std::size_t f = 0; f < blend.features.size(); ++f) {
    const float above = top + row * static_cast<float>(f), below = blend_top + row * static_cast<float>(f);
    canvas.text_in({area.x, above, beside - 10, row - 4}, blend.features[f], label, theme.text2, Align::right);
    canvas.text_in({area.x, below, blend_left - area.x - 10, row - 4}, blend.features[f], label, theme.text2,
                   Align::right);
    draw_cell({blend_left, below, wide, row - 4}, blend.sums[f], TextStyle::number_lit);
  }
  // What the picture says, beside the flow and beside the blend.
  Rect said{area.x, flow_top + 8, beside - 6, 20};
  if (pointed) {
    const std::string line = fmt::format("{} takes", word());
    canvas.text_in(said, canvas.ellipsized(line, label, said.w + 8), label, theme.text2);
    const float wide_digits =
        canvas.text({said.x, said.y + 34}, digits(blend.shares[*pointed]), TextStyle::mono_strong, theme.text);
    const std::string of = fmt::format("of {}", blend.words[*pointed]);
    canvas.text({said.x + wide_digits + 5, said.y + 34}, canvas.ellipsized(of, label, said.w + 8 - wide_digits - 5),
                label, theme.text2);
  } else {
    canvas.text_in(said, ui.input().by_finger ? "tap a word" : "point at a word", label, theme.text3);
  }
  if (other_) {
    const auto& theirs = swapped_ ? blend_->words : other_->words;
    const auto& ours = swapped_ ? other_->words : blend_->words;
    const auto changed = std::ranges::mismatch(ours, theirs).in2;
    if (changed != theirs.end()) {
      const std::string words_of_swap = fmt::format("swap for {}", *changed);
      const Rect link{said.x, said.y + 46, canvas.width(words_of_swap, label), 22};
      const Item item = ui.item("swap", link.outset(ui.serves_finger() ? 11.0f : 2.0f));
      ui.say_control(item, words_of_swap, "button");
      canvas.text_in(link, words_of_swap, label, theme.text);
      canvas.fill({link.x, link.bottom() - 3, link.w, 1}, item.hovered ? theme.text : theme.text3);
      if (item.focused) canvas.focus_ring(link);
      if (item.clicked) {
        swapped_ = !swapped_;
        ui.request_frame();
      }
    }
  }
  const Rect now{blend_left + wide + 12, blend_top - 2, area.right() + 22 - blend_left - wide - 12, 22};
  const float query = canvas.text({now.x, now.y + 15}, blend.words[blend.query], TextStyle::body_strong, theme.query);
  canvas.text({now.x + query, now.y + 15}, ", now", TextStyle::body, theme.text);
  if (const auto most = blend.mostly()) {
    const std::string& feature = blend.features[*most];
    const std::string mostly = fmt::format("mostly {}", feature);
    canvas.text_in({now.x, now.y + 22, now.w, 20}, canvas.width(mostly, label) <= now.w ? mostly : feature, label,
                   theme.text2);
  }
}

}  // namespace headlight
