#include "app/views/frame/status_bar.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "core/model/shapes.hpp"

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

/// The keys that work now, the most useful last: hints are placed from the right and dropped when room runs out.
std::vector<KeyHint> hints_of(const Session& session) {
  if (session.state().computing) return {{"Ctrl+Z", "undo"}, {"Esc", "stop"}};
  if (session.display().painting)
    return {{"Ctrl+Z", "undo"}, {"Esc", "put the brush away"}, {"Drag", "hide keys, or show them again"}};
  if (session.state().pinned)
    return {
        {"Ctrl+C", "copy"}, {"Alt+↓", "goes into"}, {"Alt+↑", "comes from"}, {"← ↑ ↓ →", "cell"}, {"Esc", "let go"}};
  std::vector<KeyHint> hints;
  for (KeyHint hint : info(session.display().view).hints) {
    if (session.lecture() == nullptr && !hint.without_lecture.empty()) hint.words = hint.without_lecture;
    if (!hint.key.empty()) hints.push_back(hint);
  }
  return hints;
}

class StatusBar {
 public:
  StatusBar(ViewContext& context, const Rect& area)
      : ui_(context.ui),
        session_(context.session),
        canvas_(context.ui.canvas()),
        theme_(context.ui.theme()),
        area_(area) {}

  void draw() { draw_hints(draw_state() + 24); }

 private:
  float draw_state() {
    if (!session_.state().problems.empty()) return draw_problem();
    return session_.state().computing ? draw_progress() : draw_facts();
  }

  /// The progress of the computation, and a note that the screen still shows the state before it.
  float draw_progress() {
    const double done = session_.progress();
    canvas_.fill({area_.x, area_.y, area_.w * static_cast<float>(done), 2}, theme_.lamp);
    const std::string brief = fmt::format("Computing… {:.0f} %", 100 * done);
    const std::string full = brief + "   on screen: the last complete state";
    const bool room = area_.w > 720;
    return area_.x + 16 +
           canvas_.text({area_.x + 16, baseline()}, room ? full : brief, TextStyle::caption, theme_.text);
  }

  float baseline() const { return area_.y + 16.3f; }

  /// What was wrong with the last edit, which was not applied.
  float draw_problem() {
    const Problem& problem = session_.state().problems.front();
    canvas_.icon(Icon::cross, {area_.x + 14, area_.y + 4}, theme_.error);
    const std::string words =
        canvas_.ellipsized("Not applied: " + problem.message(), TextStyle::caption, area_.w * 0.8f);
    return area_.x + 36 + canvas_.text({area_.x + 36, baseline()}, words, TextStyle::caption, theme_.error);
  }

  float draw_facts() {
    const Trace& trace = session_.trace();
    std::vector<std::string> facts;
    if (const auto seconds = session_.compute_seconds()) facts.push_back("Recomputed in " + duration(*seconds));
    facts.push_back(fmt::format("{} tensors", tensors_of(trace)));
    facts.push_back(format_bytes(estimate_memory(trace.setup).total_bytes));
    float x = area_.x + 16;
    const std::size_t shown = area_.w < 560 ? 1 : facts.size();
    for (std::size_t i = 0; i < shown; ++i) {
      if (i > 0) x = draw_dot(x);
      x += canvas_.text({x, baseline()}, facts[i], TextStyle::caption, theme_.text2);
    }
    return trace.blind_queries.empty() ? x : draw_blind_queries(x);
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
    const Item item = ui_.item("blind", {x - 4, area_.y + 2, width + 26, area_.h - 4}, {.focusable = false});
    changed_dot(canvas_, {x + 5, area_.center().y + 0.5f});
    canvas_.text({x + 14, baseline()}, words, TextStyle::caption, item.hovered ? theme_.text : theme_.changed);
    if (item.clicked) {
      const BlindQuery& first = session_.trace().blind_queries.front();
      session_.select(
          {.tensor = TensorId::weights, .batch = first.batch, .head = session_.selection().head, .row = first.query});
    }
    ui_.tooltip(item, "The mask hides every key from it, so softmax has nothing to share out. Click to see it.");
    return x + 14 + width;
  }

  void draw_hints(float left) {
    float x = area_.right() - 16;
    const std::vector<KeyHint> hints = hints_of(session_);
    for (auto hint = hints.rbegin(); hint != hints.rend(); ++hint) {
      const float width = canvas_.width(hint->words, TextStyle::caption) + 6 + key_cap_width(canvas_, hint->key);
      if (x - width < left) return;
      x -= width;
      const float cap = key_cap(canvas_, {x, baseline()}, hint->key);
      canvas_.text({x + cap + 6, baseline()}, hint->words, TextStyle::caption, theme_.text3);
      x -= 16;
    }
  }

  Ui& ui_;
  Session& session_;
  Canvas canvas_;
  const Theme& theme_;
  Rect area_;
};

}  // namespace

void draw_status_bar(ViewContext& context, Rect area) { StatusBar(context, area).draw(); }

}  // namespace headlight
