#include "app/views/base/frame_tools.hpp"
#include "app/views/window/app_view.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/lesson.hpp"
#include "app/session/sentence.hpp"
#include "app/session/session.hpp"
#include "app/session/state/marks.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/menus/history_list.hpp"

namespace headlight {
namespace {

/// The views that exist: that of all layers is above that of one layer, and first.
std::vector<View> views_of(const SessionState& state) {
  std::vector<View> views;
  for (const ViewInfo& view : view_table) {
    if (view.of_task && !state.trace->setup.has_task()) continue;
    if (view.of_text && !state.trace->setup.task.is_text()) continue;
    if (view.of_step && !state.lesson.has_picture()) continue;
    if (!view.of_model) views.push_back(view.id);
    else if (has_layers(state.trace->setup, state)) views.insert(views.begin(), view.id);
  }
  return views;
}

/// Which parts of the bar are shown, and how wide. The table below is sorted from the fullest bar to the sparsest.
struct Density {
  bool name;  ///< beside the mark
  float picker;
  float dash;  ///< width of each dash of the progress; 0: no progress
  enum class Counter : std::uint8_t { words, numbers, none } counter;
  float tab_gap;  ///< between the names of the views; 0: a drop-down list instead
  bool tools;     ///< files, undo, finding and exporting; otherwise a menu with these
  bool looks;     ///< the theme and the screenshot
  float margin;
};
using Counter = Density::Counter;
constexpr std::array densities{
    Density{true, 262, 12, Counter::words, 34, true, true, 16},
    Density{true, 220, 8, Counter::words, 30, true, true, 16},
    Density{true, 220, 8, Counter::words, 26, true, true, 16},
    Density{false, 220, 8, Counter::words, 26, true, true, 16},
    Density{false, 220, 6, Counter::numbers, 26, true, true, 14},
    Density{false, 206, 0, Counter::numbers, 26, true, true, 12},
    Density{false, 180, 0, Counter::numbers, 26, true, true, 12},
    Density{false, 150, 0, Counter::numbers, 22, true, true, 10},
    Density{false, 150, 0, Counter::numbers, 22, false, true, 10},
    Density{false, 100, 0, Counter::none, 20, false, true, 8},
    Density{false, 92, 0, Counter::none, 16, false, false, 8},
    Density{false, 92, 0, Counter::none, 0, false, false, 8},
};

/// A button of the bar: an action, its icon, and its tooltip, which is the action's title if it is empty.
struct Tool {
  std::string_view action;
  Icon icon;
  std::string_view tip;
};
/// To the left of the lecture, and at the right end. Icons that depend on the session's state are chosen when drawn.
constexpr std::array left_tools{
    Tool{"file.open", Icon::folder, "Open a setup, a lecture, a picture or a model"},
    Tool{"file.save", Icon::disk, "Save the setup"},
    Tool{"edit.undo", Icon::undo, {}},
    Tool{"edit.redo", Icon::redo, {}},
};
constexpr std::array right_tools{
    Tool{"palette", Icon::search, "Find a command, a lecture, a tensor, a number or a control"},
    Tool{"export", Icon::export_, "Export a picture, numbers or a program"},
    Tool{"present", Icon::presentation, "Present to a class"},
    Tool{"theme.toggle", Icon::sun, {}},
    Tool{"screenshot", Icon::camera, "Screenshot"},
    Tool{"shortcuts", Icon::help, "Keys and commands"},
};

/// The narrow button beside undo and redo.
constexpr Tool history_tool{"edit.history", Icon::chevron_down, "All edits: go back to any of them"};
constexpr float history_width = 18;

/// Whether a bar of this density shows the tool. The menu has the others.
bool shows(const Density& density, std::string_view action) {
  if (action == "present" || action == "shortcuts") return true;
  if (action == "theme.toggle" || action == "screenshot") return density.looks;
  return density.tools;
}

struct Areas {
  Rect logo, menu, history, picker, previous, play, next, progress, counter, lesson, tabs;
  std::array<Rect, left_tools.size()> left;
  std::array<Rect, right_tools.size()> right;
  Density density = densities.back();
};

class TopBar : FrameTools {
 public:
  TopBar(ViewContext& context, const Rect& area) : FrameTools(context), area_(area) {}

  void draw() {
    const Areas areas = choose();
    draw_logo(areas);
    draw_tools(areas);
    draw_history(areas);
    draw_picker(areas.picker);
    draw_stepping(areas);
    draw_progress(areas.progress, areas.density.dash);
    draw_counter(areas.counter, areas.density.counter);
    draw_lesson_button(areas);
    draw_tabs(areas);
  }

 private:
  std::string counter_words(Counter counter, std::size_t step) const {
    const std::size_t steps = session_.lesson().step_count();
    return counter == Counter::words ? fmt::format("Step {} of {}", step, steps) : fmt::format("{}/{}", step, steps);
  }

  /// A lecture keeps room for the views that only some of its steps have, so that the tabs stay where they are from
  /// step to step.
  float tabs_width(float gap) const {
    constexpr float choice = 110;
    if (gap == 0) return choice;
    const auto width_of = [&](View view) { return canvas_.width(info(view).title, TextStyle::body_strong) + gap; };
    float width = 0;
    for (const View view : views_) width += width_of(view);
    if (!session_.lesson().has_picture() && session_.lesson().lecture() &&
        std::ranges::any_of(session_.lesson().lecture()->steps,
                            [](const auto& step) { return step.picture.has_value(); }))
      width += width_of(View::picture);
    return width;
  }

  Areas choose() const {
    for (const Density& density : densities) {
      const Areas areas = arrange(density);
      if (areas.tabs.x >= left_end(areas) + 20 || &density == &densities.back()) return areas;
    }
    return {};
  }

  static float left_end(const Areas& areas) {
    return std::max({areas.next.right(), areas.progress.right(), areas.counter.right(), areas.lesson.right()});
  }

  Areas arrange(const Density& density) const {
    Areas p;
    p.density = density;
    const float y = area_.center().y - high_ / 2;
    float x = area_.x + density.margin;
    p.logo = {x + logo_reach_ - 4, area_.center().y - 10, density.name ? 108.0f : 24.0f, 20};
    x = p.logo.right() + (density.name ? 20.0f : 12.0f);
    arrange_left(p, x, y);
    p.picker = {x, y, density.picker, high_};
    x = p.picker.right() + (density.name ? 16.0f : 10.0f);
    for (Rect* button : {&p.previous, &p.play, &p.next}) {
      *button = {x, y, wide_, high_};
      x += wide_ + 4;
    }
    const auto steps = static_cast<float>(session_.lesson().step_count());
    if (steps > 0 && density.dash > 0) {
      x += 12;
      p.progress = {x, y, steps * (density.dash + 3) - 3, high_};
      x = p.progress.right();
    }
    if (steps > 0 && density.counter != Counter::none) {
      x += 12;
      // As wide as its longest text, so that nothing moves between steps.
      p.counter = {
          x, y, canvas_.width(counter_words(density.counter, session_.lesson().step_count()), TextStyle::control) + 2,
          high_};
      x = p.counter.right();
    }
    if (has_page() && density.counter != Counter::none) {
      x += 12;
      p.lesson = {x, y, canvas_.width(lesson_words(density), TextStyle::control) + 20, high_};
      x = p.lesson.right();
    }
    const float right_end = arrange_right(p, y);
    const float tabs = tabs_width(density.tab_gap);
    const float room_left = std::max(x, p.next.right()) + 20;
    const float room_right = right_end - 12;
    p.tabs = {std::min(room_right - tabs, room_left + (room_right - room_left - tabs) / 2) + density.tab_gap / 2,
              area_.y, tabs, area_.h};
    return p;
  }

  /// The tools to the left of the lecture, in pairs, or the menu instead.
  void arrange_left(Areas& p, float& x, float y) const {
    if (!p.density.tools) {
      p.menu = {x, y, wide_, high_};
      x += wide_ + 6;
      return;
    }
    for (std::size_t i = 0; i < left_tools.size(); ++i) {
      p.left[i] = {x, y, wide_, high_};
      x += i % 2 == 1 ? wide_ + 8 : wide_;
    }
    p.history = {p.left.back().right(), y, ui_.reach(history_width), high_};
    x = p.history.right() + 12;
  }

  /// The tools at the right end. Returns their left edge.
  float arrange_right(Areas& p, float y) const {
    const float pitch = wide_ + (p.density.margin < 16 ? 4.0f : 8.0f);
    float x = area_.right() - p.density.margin + pitch - wide_;
    for (std::size_t i = right_tools.size(); i-- > 0;) {
      if (!shows(p.density, right_tools[i].action)) continue;
      x -= pitch;
      p.right[i] = {x, y, wide_, high_};
    }
    return x;
  }

  /// A click opens the first page.
  void draw_logo(const Areas& areas) {
    const Rect tapped = areas.logo.outset(logo_reach_);
    const Item item = ui_.item("logo", tapped);
    if (item.hovered) canvas_.fill(tapped, theme_.hover, 6);
    if (item.focused) canvas_.focus_ring(tapped);
    if (areas.density.name) canvas_.logo(areas.logo.min());
    else canvas_.mark(areas.logo.min(), theme_.lamp);
    const Action& start = *action_named("file.start");
    ui_.tooltip(item, start.title, start.keys());
    ui_.say_control(item, start.title, "button");
    if (item.clicked) perform(context_, start);
  }

  /// The list of all edits opens at its own button, and by a right click on undo or redo.
  void draw_history(const Areas& areas) {
    if (areas.history.empty()) return;
    const Rect& undo = areas.left[left_tools.size() - 2];
    const bool possible = action_named(history_tool.action)->enabled(session_);
    const Rect buttons{undo.x, undo.y, areas.history.right() - undo.x, undo.h};
    const bool by_right_click = ui_.right_clicked() && ui_.mouse_over(buttons);
    if (icon_button(ui_, history_tool.action, areas.history, history_tool.icon,
                    {.kind = ButtonKind::quiet,
                     .enabled = possible,
                     .tooltip = history_tool.tip,
                     .keys = action_named(history_tool.action)->keys()}) ||
        (by_right_click && possible))
      open_history(context_, undo);
  }

  void draw_tools(const Areas& areas) {
    for (std::size_t i = 0; i < left_tools.size(); ++i)
      if (!areas.left[i].empty()) draw_tool(left_tools[i], areas.left[i], ButtonKind::quiet);
    for (std::size_t i = 0; i < right_tools.size(); ++i)
      if (!areas.right[i].empty()) draw_tool(right_tools[i], areas.right[i], ButtonKind::normal);
    if (!areas.menu.empty() && icon_button(ui_, "menu", areas.menu, Icon::menu,
                                           {.kind = ButtonKind::quiet, .tooltip = "Open, save, undo, find and more"}))
      open_menu(context_, areas.menu, without_room(areas.density));
  }

  void draw_tool(const Tool& tool, const Rect& r, ButtonKind kind) {
    if (tool.action != "theme.toggle") return draw_action(tool.action, r, tool.icon, tool.tip, kind);
    const bool dark = theme_.dark();
    draw_action(
        tool.action, r, dark ? Icon::sun : Icon::moon,
        dark ? "Light theme; right click: all of the appearance" : "Dark theme; right click: all of the appearance",
        kind);
    if (ui_.right_clicked() && ui_.mouse_over(r)) perform(context_, *action_named("appearance"));
  }

  static std::vector<const Action*> without_room(const Density& density) {
    std::vector<const Action*> actions;
    const auto add = [&](const Tool& tool) {
      if (!shows(density, tool.action)) actions.push_back(action_named(tool.action));
    };
    std::for_each(left_tools.begin(), left_tools.end(), add);
    add(history_tool);
    if (density.counter == Counter::none) actions.push_back(action_named("workbench"));
    std::for_each(right_tools.begin(), right_tools.end(), add);
    return actions;
  }

  /// "Lecture 1 · From scratch", or without the word if there is no room for it. Only a course has numbers.
  std::vector<std::string> numbered_titles(std::string_view word) const {
    std::vector<std::string> titles;
    for (const auto& lecture : session_.lectures())
      titles.push_back(lecture->list_position.group == LectureGroup::course
                           ? fmt::format("{}{} · {}", word, titles.size() + 1, lecture->title)
                           : lecture->title);
    return titles;
  }

  std::vector<std::string> progress_of_lectures() const {
    std::vector<std::string> notes;
    for (const auto& lecture : session_.lectures())
      notes.push_back(short_words_of(progress_in(*lecture, *session_.state().marks)));
    return notes;
  }

  void draw_picker(const Rect& r) {
    std::vector<std::string> titles = numbered_titles("Lecture ");
    const float room = r.w - 50;  // without the arrow and the dot of a change
    const auto fits = [&](const std::string& title) { return canvas_.width(title, TextStyle::control) <= room; };
    if (!std::all_of(titles.begin(), titles.end(), fits)) titles = numbered_titles("");
    int index = -1;
    for (std::size_t i = 0; i < titles.size(); ++i)
      if (session_.lesson().lecture() && session_.lesson().lecture()->id == session_.lectures()[i]->id)
        index = static_cast<int>(i);
    if (index < 0 && session_.lesson().lecture()) {
      index = static_cast<int>(titles.size());
      titles.push_back(session_.lesson().lecture()->title);
    }
    const int before = index;
    const bool changed = session_.lesson().lecture() && !session_.changes().empty();
    const std::string tip = session_.lesson().lecture() ? fmt::format("{}{}", session_.lesson().lecture()->title,
                                                                      changed ? ": your setup differs from it" : "")
                                                        : "Open a lecture";
    if (select(ui_, "lecture", r, titles, index,
               {.changed = changed, .tooltip = tip, .notes = progress_of_lectures()}) &&
        index != before && index < static_cast<int>(session_.lectures().size()))
      Lesson(session_).open(session_.lectures()[static_cast<std::size_t>(index)]->id);
    if (before < 0) {
      const std::string& title = session_.setup().title;
      canvas_.text_in({r.x + 10, r.y, r.w - 38, r.h}, title.empty() ? std::string_view("Your own setup") : title,
                      TextStyle::control, theme_.text2);
    }
  }

  void draw_action(std::string_view id, const Rect& r, Icon icon, std::string_view tip,
                   ButtonKind kind = ButtonKind::normal) {
    const Action& action = *action_named(id);
    const std::string keys = action.keys();
    std::string words(tip);
    if (tip.empty()) words = r.contains(ui_.mouse()) ? action.title_now(session_) : action.title;
    if (icon_button(ui_, id, r, icon,
                    {.kind = kind, .enabled = action.enabled(session_), .tooltip = words, .keys = keys}))
      perform(context_, action);
  }

  void draw_stepping(const Areas& areas) {
    const bool lecture = session_.lesson().lecture() != nullptr;
    draw_action("step.previous", areas.previous, Icon::previous, lecture ? "Previous step" : "Previous tensor");
    const bool playing = session_.lesson().playing;
    draw_action("step.play", areas.play, playing ? Icon::pause : Icon::play, playing ? "Pause" : "Play",
                ButtonKind::primary);
    draw_action("step.next", areas.next, Icon::next, lecture ? "Next step" : "Next tensor");
  }

  void draw_progress(const Rect& r, float dash) {
    if (r.empty()) return;
    ui_.push_id("progress");
    const std::size_t current = session_.lesson().at.index;
    for (std::size_t i = 0; i < session_.lesson().step_count(); ++i) {
      const float x = r.x + static_cast<float>(i) * (dash + 3);
      ui_.push_id(static_cast<int>(i));
      const Item item = ui_.item("dash", {x - 1.5f, r.y, dash + 3, r.h}, {.focusable = false});
      const bool here = i == current;
      const float h = here ? 8 : item.hovered ? 6 : 4;
      const Color color = here           ? theme_.lamp
                          : item.hovered ? theme_.text
                          : i < current  ? theme_.text3
                                         : theme_.line_strong;
      canvas_.fill({x, r.center().y - h / 2, dash, h}, color, 2);
      if (item.clicked && !item.dragged) Lesson(session_).go_to(i);
      scrub_steps(context_, item, r.x - 1.5f, dash + 3);
      ui_.tooltip(item, fmt::format("{}. {}", i + 1, session_.lesson().lecture()->steps[i].title));
      ui_.pop_id();
    }
    ui_.pop_id();
  }

  void draw_counter(const Rect& r, Counter counter) {
    if (r.empty()) return;
    canvas_.text_in(r, counter_words(counter, session_.lesson().at.index + 1), TextStyle::control, theme_.text2);
  }

  /// Whether there is a lesson to go back to, or a sentence whose page was left.
  bool has_page() const {
    return session_.lesson().step_count() > 0 ||
           (session_.display().mode == WindowMode::workbench && has_sentence(session_));
  }
  std::string_view lesson_words(const Density& density) const {
    if (session_.lesson().step_count() == 0) return density.name ? "Back to the sentence" : "Sentence";
    return density.name ? "Back to the lesson" : "Lesson";
  }

  void draw_lesson_button(const Areas& areas) {
    if (areas.lesson.empty()) return;
    const Action& action = *action_named("workbench");
    if (button(ui_, "lesson", areas.lesson, lesson_words(areas.density),
               {.kind = ButtonKind::quiet,
                .tooltip = session_.lesson().step_count() > 0
                               ? "Back to the lesson: words, picture and question in large type"
                               : "Back to the sentence: whom each word looks at, in large type",
                .keys = action.keys()}))
      perform(context_, action);
  }

  void draw_tabs(const Areas& areas) {
    std::vector<std::string_view> titles;
    for (const View view : views_) titles.push_back(info(view).title);
    int index = static_cast<int>(std::ranges::find(views_, session_.display().view) - views_.begin());
    const Rect& r = areas.tabs;
    const float gap = areas.density.tab_gap;
    const bool chosen = gap > 0 ? tabs(ui_, "views", r, titles, index, gap)
                                : select(ui_, "view", {r.x, r.center().y - high_ / 2, r.w, high_},
                                         std::vector<std::string>(titles.begin(), titles.end()), index);
    if (chosen) session_.show(views_[static_cast<std::size_t>(index)]);
  }

  Rect area_;
  float wide_ = ui_.reach(30), high_ = ui_.reach(28);  ///< of a button
  float logo_reach_ = (ui_.reach(28) - 20) / 2;        ///< how far around the logo it can be tapped
  std::vector<View> views_ = views_of(session_.state());
};

}  // namespace

void draw_top_bar(ViewContext& context, Rect area) { TopBar(context, area).draw(); }

}  // namespace headlight
