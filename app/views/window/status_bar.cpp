#include "app/views/base/frame_tools.hpp"
#include "app/views/window/app_view.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/edits/own_numbers.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/session/studies/learning.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/overlays.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/overflow.hpp"
#include "core/text/numbers.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.1f} s", seconds);
}

std::ptrdiff_t tensors_of(const Trace& trace) {
  return std::count_if(trace.tensors.begin(), trace.tensors.end(), [](const Tensor& t) { return !t.empty(); });
}

std::string blind_words(std::size_t queries) {
  return queries == 1 ? "1 query sees no key: its weights are zeros"
                      : fmt::format("{} queries see no key: their weights are zeros", queries);
}

/// The trace that was looked through for numbers too large for their precision.
struct OverflowMemory {
  std::uint64_t version = 0;
  std::optional<Overflow> found;
};

/// The keys that work now, the most useful ones last: hints are placed from the right and dropped when there is no more
/// room.
std::vector<KeyHint> hints_of(const Session& session) {
  const KeyHint undo{"Ctrl+Z", "edit.undo", "undo"};
  if (session.state().computing && !session.state().training.playing) return {undo, {"Esc", "cell.release", "stop"}};
  if (session.display().painting)
    return {undo, {"Esc", "cell.release", "stop painting"}, {"Drag", "", "hide keys, or show them again"}};
  if (session.state().pinned && takes_numbers(session.selection().tensor, session.setup()))
    return {{"Ctrl+V", "paste", "paste an array"},
            {"Drag", "", "change the number"},
            {"0–9", "", "type it"},
            {"← ↑ ↓ →", "move.left move.up move.down move.right", "cell"},
            {"Esc", "cell.release", "unpin"}};
  if (session.state().pinned)
    return {{"Ctrl+C", "copy.cell", "copy"},
            {"Alt+↓", "cell.downstream", "goes into"},
            {"Alt+↑", "cell.upstream", "comes from"},
            {"← ↑ ↓ →", "move.left move.up move.down move.right", "cell"},
            {"Esc", "cell.release", "unpin"}};
  const ViewInfo& view = info(session.display().view);
  const bool checks = session.state().checking.work().shown && !view.hints_of_check.front().keys.empty();
  std::vector<KeyHint> hints;
  for (KeyHint hint : checks ? view.hints_of_check : view.hints) {
    if (session.lesson().lecture() == nullptr && !hint.without_lecture.empty()) hint.words = hint.without_lecture;
    if (!hint.keys.empty()) hints.push_back(hint);
  }
  return hints;
}

/// Cuts the first word off a text with blanks between words.
std::string_view next_word(std::string_view& text) {
  const auto end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

/// A key of a hint, and the action that a click on it runs; null if it can't be clicked.
struct HintKey {
  std::string_view cap;
  const Action* action = nullptr;
};

std::vector<HintKey> keys_of(const KeyHint& hint) {
  std::vector<HintKey> keys;
  std::string_view caps = hint.keys;
  std::string_view actions = hint.actions;
  while (!caps.empty()) keys.push_back({next_word(caps), action_named(next_word(actions))});
  return keys;
}

// --- The hint of the first start, in the status bar, where it covers nothing -----------------------------------------

/// The step at which the hint appeared, and where the mouse was then. A mouse that only rests where a card was does not
/// point at a number.
struct FirstHintMemory {
  std::optional<LectureStep> at;
  std::optional<Point> mouse;
};

/// From the shortest to the longest: as much is said as there is room for.
constexpr std::string_view first_hints[] = {
    "Point at a number.",
    "Point at a number to see where it comes from.",
    "Point at a number to see where it comes from. Click pins it, right-click offers more.",
    "Point at a number to see where it comes from. Click pins it, right-click offers more. ← → move through the "
    "lecture.",
};

constexpr std::string_view first_hints_for_fingers[] = {
    "Tap a number.",
    "Tap a number to see where it comes from.",
    "Tap a number to see where it comes from. A long press offers more.",
};

std::string_view hint_for(const Canvas& canvas, float room, bool by_finger) {
  const std::span<const std::string_view> hints = by_finger ? std::span<const std::string_view>(first_hints_for_fingers)
                                                            : std::span<const std::string_view>(first_hints);
  std::string_view longest = hints.front();
  for (const std::string_view words : hints)
    if (canvas.width(words, TextStyle::caption) <= room) longest = words;
  return longest;
}

/// Whether the mouse has moved since the hint came to light.
bool has_moved(const Ui& ui, FirstHintMemory& memory) {
  constexpr float far = 8;
  if (ui.is_covered()) memory.mouse.reset();
  else if (!memory.mouse) memory.mouse = ui.mouse();
  if (!memory.mouse) return false;
  const Point moved = ui.mouse() - *memory.mouse;
  return std::abs(moved.x) + std::abs(moved.y) > far;
}

/// Whether a number was pointed at, or the lecture has moved on since the hint appeared.
bool is_followed(const ViewContext& context, FirstHintMemory& memory) {
  const SessionState& state = context.session.state();
  const bool another_lecture = !memory.at || memory.at->lecture != state.lesson.at.lecture;
  if (another_lecture) memory.at = state.lesson.at;
  const bool points = has_moved(context.ui, memory) && state.hovered;
  return points || state.pinned || memory.at->index != state.lesson.at.index;
}

// --- The bar ---------------------------------------------------------------------------------------------------------

class StatusBar : FrameTools {
 public:
  StatusBar(ViewContext& context, const Rect& area) : FrameTools(context), area_(area) {}

  void draw() {
    const float left = draw_state() + 24;
    if (!draw_first_hint(left) && !ui_.serves_finger()) draw_hints(left);  // which are keys
  }

 private:
  float draw_state() {
    if (!session_.state().problems.empty()) return draw_problem();
    const SessionState& state = session_.state();
    return state.computing && !state.training.playing ? draw_progress() : draw_facts();
  }

  /// The progress of the computation, and a note that the screen still shows the state before.
  float draw_progress() {
    const double done = session_.progress();
    canvas_.fill({area_.x, area_.y, area_.w * static_cast<float>(done), 2}, theme_.lamp);
    const std::string brief = fmt::format("Computing… {:.0f} %", 100 * done);
    const std::string full = brief + "   showing the last complete result";
    const bool room = area_.w > 720;
    return area_.x + 16 +
           canvas_.text({area_.x + 16, baseline()}, room ? full : brief, TextStyle::caption, theme_.text);
  }

  float baseline() const { return area_.center().y + 4.3f; }
  /// What of the bar can be tapped.
  Rect tapped(float x, float width) const { return {x, area_.center().y - ui_.reach(20) / 2, width, ui_.reach(20)}; }

  /// Why the last edit was refused.
  float draw_problem() {
    const Problem& problem = session_.state().problems.front();
    canvas_.icon(Icon::cross, {area_.x + 14, area_.center().y - 8}, theme_.error);
    const std::string words =
        canvas_.ellipsized("Not applied: " + problem.message(), TextStyle::caption, area_.w * 0.8f);
    return area_.x + 36 + canvas_.text({area_.x + 36, baseline()}, words, TextStyle::caption, theme_.error);
  }

  float draw_facts() {
    const Trace& trace = session_.trace();
    std::vector<std::string> facts;
    if (const auto seconds = session_.compute_seconds()) facts.push_back("Recomputed in " + duration(*seconds));
    facts.push_back(counted(tensors_of(trace), "tensor", "tensors"));
    facts.push_back(format_bytes(estimate_memory(trace.setup).total_bytes));
    if (trace.setup.has_model()) facts.emplace_back("Universal Sentence Encoder Lite, Apache 2.0");
    if (const Course* const course = session_.state().course.get(); course != nullptr && course->made > 0)
      facts.push_back(fmt::format("{} steps kept, {}", course->kept.size(),
                                  format_bytes(static_cast<std::int64_t>(course->bytes()))));
    float x = area_.x + 16;
    const std::size_t shown = area_.w < 560 ? 1 : facts.size();
    for (std::size_t i = 0; i < shown; ++i) {
      if (i > 0) x = draw_dot(x);
      x += canvas_.text({x, baseline()}, facts[i], TextStyle::caption, theme_.text2);
    }
    if (const auto& overflow = overflow_of(trace)) return draw_overflow(x, *overflow);
    return trace.blind_queries.empty() ? x : draw_blind_queries(x);
  }

  /// Looked for once in each trace.
  const std::optional<Overflow>& overflow_of(const Trace& trace) {
    auto& known = context_.memory.get<OverflowMemory>();
    if (known.version != trace.version) known = {trace.version, overflow_in(trace)};
    return known.found;
  }

  /// Which tensor overflows; a click selects the first of its numbers.
  float draw_overflow(float x, const Overflow& overflow) {
    x = draw_dot(x);
    const std::string_view what = overflow.is_divisor ? "divides by infinity" : "overflows";
    const std::string words = fmt::format("{} {}", name(overflow.first.tensor), what);
    const float width = canvas_.width(words, TextStyle::caption);
    const Item item = ui_.item("overflow", tapped(x - 4, width + 26), {.focusable = false});
    changed_dot(canvas_, {x + 5, area_.center().y + 0.5f});
    canvas_.text({x + 14, baseline()}, words, TextStyle::caption, item.hovered ? theme_.text : theme_.error);
    if (item.clicked) Selecting(session_).select(at_cell(session_.selection(), overflow.first, session_.setup()));
    ui_.tooltip(item, words_of(overflow, session_.trace()) + ". Click to see the first.");
    return x + 14 + width;
  }

  float draw_dot(float x) {
    canvas_.disc({x + 8, area_.center().y + 0.5f}, 1.5f, theme_.text3);
    return x + 17;
  }

  /// How many queries see no key; a click selects the first of them.
  float draw_blind_queries(float x) {
    x = draw_dot(x);
    const std::string words = blind_words(session_.trace().blind_queries.size());
    const float width = canvas_.width(words, TextStyle::caption);
    const Item item = ui_.item("blind", tapped(x - 4, width + 26), {.focusable = false});
    changed_dot(canvas_, {x + 5, area_.center().y + 0.5f});
    canvas_.text({x + 14, baseline()}, words, TextStyle::caption, item.hovered ? theme_.text : theme_.changed);
    if (item.clicked) {
      const BlindQuery& first = session_.trace().blind_queries.front();
      Selecting(session_).select(
          {.tensor = TensorId::weights, .batch = first.batch, .head = session_.selection().head, .row = first.query});
    }
    ui_.tooltip(
        item,
        "The mask hides every key from such a query, so softmax has nothing to share out. Click to see the first.");
    return x + 14 + width;
  }

  /// Draws the hint from `left` to the end of the bar, and ends it once the user has pointed at a number or moved a
  /// step. Returns whether it is there.
  bool draw_first_hint(float left) {
    bool& wanted = context_.memory.get<OverlaysMemory>().hint;
    if (!wanted) return false;
    if (is_followed(context_, context_.memory.get<FirstHintMemory>())) {
      wanted = false;
      ui_.request_frame();
      return false;
    }
    const float wide = ui_.reach(24);
    const Rect cross{area_.right() - 4 - wide, area_.y, wide, area_.h};
    const std::string_view words = hint_for(canvas_, cross.x - left - 28, ui_.input().by_finger);
    const float x = cross.x - 8 - canvas_.width(words, TextStyle::caption);
    canvas_.disc({x - 12, area_.center().y + 0.5f}, 3.5f, theme_.lamp);
    canvas_.text({x, baseline()}, words, TextStyle::caption, theme_.text);
    const Item item = ui_.item("close hint", cross, {.focusable = false});
    canvas_.icon_centered(Icon::cross, cross, item.hovered ? theme_.text : theme_.text3, 1.5f, 12);
    ui_.tooltip(item, "Close the hint");
    if (item.clicked) wanted = false;
    return true;
  }

  void draw_hints(float left) {
    float x = area_.right() - 16;
    const std::vector<KeyHint> hints = hints_of(session_);
    ui_.push_id("hints");
    for (auto hint = hints.rbegin(); hint != hints.rend(); ++hint) {
      const std::vector<HintKey> keys = keys_of(*hint);
      float caps = 0;
      for (const HintKey& key : keys) caps += key_cap_width(canvas_, key.cap) + cap_gap;
      const float width = canvas_.width(hint->words, TextStyle::caption) + caps + 6 - cap_gap;
      if (x - width < left) break;
      draw_hint(x - width, keys, *hint, width - caps + cap_gap);
      x -= width + 16;
    }
    ui_.pop_id();
  }

  /// The words belong to the last key: "→ step" steps forward.
  void draw_hint(float x, const std::vector<HintKey>& keys, const KeyHint& hint, float words_width) {
    for (const HintKey& key : keys) {
      const bool last = &key == &keys.back();
      const float wide = key_cap_width(canvas_, key.cap);
      const Rect r{x - 3, area_.y + 2, wide + (last ? words_width : 0.0f) + 6, area_.h - 3};
      const bool hovered = key.action != nullptr && draw_key_ground(r, *key.action);
      key_cap(canvas_, {x, baseline()}, key.cap);
      if (last)
        canvas_.text({x + wide + 6, baseline()}, hint.words, TextStyle::caption, hovered ? theme_.text : theme_.text3);
      x += wide + cap_gap;
    }
  }

  /// Returns whether the pointer is on it.
  bool draw_key_ground(const Rect& r, const Action& action) {
    const Item item = ui_.item(action.id, r, {.focusable = false});
    const bool works = action.enabled(session_);
    if (item.hovered && works) canvas_.fill(r, theme_.hover, 4);
    ui_.tooltip(item, action.title, action.keys());
    if (item.clicked) perform(context_, action);
    return item.hovered && works;
  }

  static constexpr float cap_gap = 4;

  Rect area_;
};

}  // namespace

void draw_status_bar(ViewContext& context, Rect area) { StatusBar(context, area).draw(); }

}  // namespace headlight
