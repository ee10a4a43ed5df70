#include "app/views/window/start_page.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/course.hpp"
#include "app/session/lesson.hpp"
#include "app/session/sentence.hpp"
#include "app/session/session.hpp"
#include "app/session/state/marks.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/problems_card.hpp"
#include "app/views/setup/own_sentence.hpp"
#include "app/views/window/start_picture.hpp"
#include "core/formats/diagnose/printed_arrays.hpp"

namespace headlight {
namespace {

constexpr float least_start_type = 13;
constexpr float header_height = 48;
constexpr float card_corner = 14;
constexpr float card_padding = 26;
constexpr float between_cards = 16;
constexpr float between_doors = 13;
constexpr float low_learn = 250;
constexpr float high_learn = 300;
constexpr float picture_below = 250;  ///< below the words
constexpr float door_height = 126;
constexpr float learn_share = 0.66f;
constexpr float two_columns = 900;
constexpr float picture_beside = 560;  ///< from this width of the card
constexpr float words_beside_picture = 248;
constexpr float section_title = 34;
constexpr float node = 24;
constexpr float narrowest_lesson = 150;
constexpr float narrowest_by_finger = 247;
constexpr float low_lesson = 84;
constexpr float high_lesson = 104;
constexpr float rule_and_row = 50;
constexpr float below_all = 10;
constexpr float beside_page = 12;
constexpr float list_row = 26;

/// The question that the first lecture answers, in the words of somebody who has not taken it.
std::string headline_of(const NextLesson& next) {
  const bool is_new = next.kind == NextLesson::Kind::first && next.lecture->id == "bank";
  return is_new ? "How does a model know which bank you mean?" : next.lecture->title;
}

class Page {
 public:
  explicit Page(ViewContext& context)
      : context_(context),
        ui_(context.ui),
        session_(context.session),
        page_(*context.memory.opened<StartPage>()),
        next_(next_lesson(session_)),
        canvas_(ui_.canvas()),
        theme_(canvas_.theme()) {}

  /// Returns whether the page closes.
  bool draw() {
    const Rect surface = ui_.surface();
    canvas_.fill(surface, theme_.canvas);
    enter();
    take_pasted();
    Rect area = surface.inset(std::max(std::clamp(0.035f * surface.w, 16.0f, 48.0f), (surface.w - 1240) / 2), 0);
    ui_.begin_part();
    draw_header(area.cut_top(header_height));
    const float height = lay_out({area.x, 0, area.w, area.h}, false);
    {
      // With room at the sides for what is lit, and for the bar.
      const ScrollArea scroll(ui_, "page", {area.x - beside_page, area.y, area.w + 2 * beside_page, area.h}, height,
                              theme_.canvas);
      lay_out({area.x, scroll.content().y, area.w, area.h}, true);
    }
    take_rest();
    return closes_;
  }

 private:
  // --- Keys and the clipboard ----------------------------------------------------------------------------------------

  void enter() {
    if (std::exchange(page_.entered, true)) return;
    ui_.release_focus();
    const auto& lectures = session_.lectures();
    const auto here = std::ranges::find(lectures, next_.lecture);
    page_.chosen = here == lectures.end() ? 0 : static_cast<std::size_t>(here - lectures.begin());
  }

  /// Numbers are somebody's work; anything else is a sentence.
  void take_pasted() {
    if (ui_.typing() || !ui_.take_key({.key = Key::v, .ctrl = true})) return;
    const std::string text = ui_.pasted();
    if (reads_as_numbers(text)) return check_pasted();
    page_.sentence += text;
    types_ = true;
  }

  /// What no item has taken: Enter shows the sentence, or goes on with the course where there is none; Escape leaves.
  void take_rest() {
    const bool focused = ui_.memory().focus_visible;
    if (!focused && !ui_.typing() && ui_.take_key(Key::enter)) {
      if (page_.sentence.empty()) go_on();
      else show_sentence();
    }
    if (!ui_.typing() && ui_.take_key(Key::escape)) closes_ = true;
    ui_.take_typing_keys();
    for (const Key key : {Key::enter, Key::up, Key::down}) ui_.take_key(key);
  }

  // --- The top -------------------------------------------------------------------------------------------------------

  void draw_header(Rect row) {
    const float middle = row.center().y;
    canvas_.mark({row.x, middle - 10}, theme_.lamp);
    const float name = canvas_.text({row.x + 34, middle + 5.5f}, "Headlight", TextStyle::heading, theme_.text);
    const float size = ui_.reach(30);
    const auto tool = [&](std::string_view id, Icon icon, const Action& action) {
      const Rect r = row.cut_right(size);
      return icon_button(ui_, id, {r.x, middle - size / 2, size, size}, icon,
                         {.kind = ButtonKind::quiet, .tooltip = action.title, .keys = action.keys()});
    };
    if (!page_.first) {
      const Rect r = row.cut_right(size);
      closes_ |= icon_button(ui_, "close", {r.x, middle - size / 2, size, size}, Icon::cross,
                             {.kind = ButtonKind::quiet, .tooltip = "Back to what was open", .keys = "Esc"});
    }
    const Action& help = *action_named("shortcuts");
    const Action& theme = *action_named("theme.toggle");
    if (tool("help", Icon::help, help)) perform(context_, help);
    if (tool("theme", theme_.dark() ? Icon::sun : Icon::moon, theme)) perform(context_, theme);
    const float left = 34 + name + 16;
    constexpr std::string_view about = "every number inside multi-head attention, and where it came from";
    if (canvas_.width(about, TextStyle::body) < row.w - left)
      canvas_.text({row.x + left, middle + 5}, about, TextStyle::body, theme_.text3);
  }

  // --- Everything below it -------------------------------------------------------------------------------------------

  /// Lays everything out from the top of `area` down, and draws it if wanted. Returns the height.
  float lay_out(const Rect& area, bool draws) {
    draws_ = draws;
    if (draws) ui_.begin_part();
    const bool wide = area.w >= two_columns;
    // A row for a finger leaves less room for the words above it.
    const float low = ui_.serves_finger() ? high_learn : low_learn;
    const float rest = lists_height(area.w, low_lesson) + section_title + 20 + below_all;
    // What room there is goes to the picture and the path.
    const float spare = wide ? area.h - low - rest : 0;
    const float learn_height = std::clamp(low + 0.5f * spare, low, high_learn);
    float y = area.y;
    if (wide) {
      const float learn = std::round(learn_share * (area.w - between_cards));
      draw_learn({area.x, y, learn, learn_height});
      const float left = area.x + learn + between_cards;
      const float door = (learn_height - between_doors) / 2;
      draw_sentence({left, y, area.right() - left, door});
      draw_check({left, y + door + between_doors, area.right() - left, door});
      y += learn_height;
    } else {
      const bool beside = area.w >= picture_beside;
      const float height = beside ? low_learn : 224 + picture_below;
      draw_learn({area.x, y, area.w, height});
      y += height + between_cards;
      const bool side_by_side = area.w >= 640;
      const float door = ui_.serves_finger() ? door_height + 44 : door_height;
      const float width = side_by_side ? (area.w - between_cards) / 2 : area.w;
      draw_sentence({area.x, y, width, door});
      if (!side_by_side) y += door + between_cards;
      draw_check({side_by_side ? area.x + width + between_cards : area.x, y, width, door});
      y += door;
    }
    y += 20;
    const float pitch =
        std::clamp((area.y + area.h - y - section_title - below_all - lists_height(area.w, 0)) / course_rows(area.w),
                   low_lesson, high_lesson);
    if (draws) ui_.begin_part();
    if (draws) draw_way_in({area.x, y, area.w, section_title + lists_height(area.w, pitch)});
    y = draw_course({area.x, y, area.w, 0}, pitch);
    y = draw_list({area.x, y, area.w, 0}, LectureGroup::notebook);
    y = draw_list({area.x, y, area.w, 0}, LectureGroup::own);
    return y - area.y + below_all;
  }

  std::size_t count_of(LectureGroup group) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        session_.lectures(), [&](const auto& lecture) { return lecture->list_position.group == group; }));
  }
  std::size_t lessons_in_a_row(float width) const {
    const float narrowest = ui_.serves_finger() ? narrowest_by_finger : narrowest_lesson;
    return std::clamp<std::size_t>(static_cast<std::size_t>((width + 12) / narrowest), 1, 7);
  }
  float course_rows(float width) const {
    const std::size_t across = lessons_in_a_row(width);
    return static_cast<float>(std::max<std::size_t>(1, (count_of(LectureGroup::course) + across - 1) / across));
  }
  /// Beside a list's title, which is wider than that of most lessons.
  std::size_t lectures_in_a_row(float width) const {
    return std::clamp<std::size_t>(lessons_in_a_row(width) - 1, 1, 5);
  }
  std::size_t list_rows(LectureGroup group, float width) const {
    const std::size_t across = lectures_in_a_row(width);
    return (count_of(group) + across - 1) / across;
  }
  float list_height(LectureGroup group, float width) const {
    const std::size_t rows = list_rows(group, width);
    if (rows == 0) return 0;
    const float title = lessons_in_a_row(width) == 1 ? list_row : 0;
    return rule_and_row - list_row + title + static_cast<float>(rows) * ui_.reach(list_row);
  }
  float lists_height(float width, float lesson) const {
    return course_rows(width) * lesson + list_height(LectureGroup::notebook, width) +
           list_height(LectureGroup::own, width);
  }

  void draw_card(const Rect& r) const {
    canvas_.fill(r, theme_.panel, card_corner);
    canvas_.stroke(r, theme_.line_strong, 1, card_corner);
  }

  // --- Learn ---------------------------------------------------------------------------------------------------------

  void draw_learn(const Rect& card) {
    if (!draws_ || !next_.lecture) return;
    draw_card(card);
    Rect inner = card.inset(card_padding, 20);
    const bool beside = card.w >= picture_beside;
    Rect words = beside ? inner.cut_left(words_beside_picture) : inner.cut_top(inner.h - picture_below);
    if (beside) inner.cut_left(12);
    if (!page_.picture || !page_.picture->is_of(next_)) page_.picture = std::make_shared<StartPicture>(session_, next_);
    draw_learn_words(words);
    page_.picture->draw(context_, inner);
  }

  void draw_learn_words(Rect area) {
    const bool goes_on = next_.kind == NextLesson::Kind::going;
    constexpr float button_height = 44;
    const Rect below = area.cut_bottom(button_height + 2);
    canvas_.text_in(area.cut_top(20), goes_on ? "Continue" : "Learn", TextStyle::control, theme_.text3);
    area.cut_top(4);
    draw_headline(area);
    if (const std::string step = words_of_step(next_); !step.empty()) {
      const std::size_t colon = step.find(':');
      canvas_.text_in(area.cut_top(22), step.substr(0, colon), TextStyle::body_strong, theme_.text);
      paragraph(area, std::string_view(step).substr(colon + 2));
    } else {
      // Where type is large or the path is long there is no room for these, and a lesson says them again.
      constexpr std::string_view how = "Guess first, then see every number.";
      if (21 * static_cast<float>(canvas_.wrapped(how, TextStyle::body, area.w).size()) <= area.h + 2)
        paragraph(area, how);
      if (area.h >= 22)
        paragraph(area,
                  fmt::format("{} steps, about {} minutes.", next_.lecture->steps.size(), next_.lecture->minutes));
    }
    // The title is above it, so a long one need not be on the button, too.
    std::string label = words_of(next_);
    const auto wide_with = [&](const std::string& words) { return canvas_.width(words + "  →", TextStyle::heading); };
    if (wide_with(label) + 20 > area.w) label = label.substr(0, label.find(':'));
    label += "  →";
    const float wide = std::min(area.w, canvas_.width(label, TextStyle::heading) + 52);
    const Rect r{below.x, below.y, wide, button_height};
    ui_.begin_tab_here();  // Enter goes on as long as nothing has the keyboard, and Tab begins here
    const Item item = ui_.item("go on", r);
    ui_.say_control(item, words_of(next_), "button");
    canvas_.fill(r, item.hovered ? mix(theme_.lamp, theme_.canvas, 0.08) : theme_.lamp, 8);
    if (item.focused) canvas_.focus_ring(r, 8);
    canvas_.text_in(r.inset(10, 0), canvas_.ellipsized(label, TextStyle::heading, r.w - 20), TextStyle::heading,
                    theme_.lamp_ink, Align::center);
    if (item.clicked) go_on();
  }

  /// In large type, with the word that the picture is about in the colour of a query.
  void draw_headline(Rect& area) {
    const std::string text = headline_of(next_);
    const std::string word = page_.picture ? page_.picture->word() : std::string();
    TextStyle style = TextStyle::speech_strong;
    float line = 33;
    if (canvas_.wrapped(text, style, area.w).size() > 3) {
      style = TextStyle::formula_strong;
      line = 26;
    }
    for (const std::string_view words : canvas_.wrapped(text, style, area.w)) {
      const Rect box = area.cut_top(line);
      const float baseline = box.y + 0.77f * line;
      const std::size_t at = word.empty() ? std::string_view::npos : words.find(word);
      if (at == std::string_view::npos) {
        canvas_.text({box.x, baseline}, words, style, theme_.text);
        continue;
      }
      canvas_.rich({box.x, baseline}, {{words.substr(0, at), style, theme_.text},
                                       {word, style, theme_.query},
                                       {words.substr(at + word.size()), style, theme_.text}});
    }
    area.cut_top(8);
  }

  void paragraph(Rect& area, std::string_view text) const {
    for (const std::string_view line : canvas_.wrapped(text, TextStyle::body, area.w))
      canvas_.text_in(area.cut_top(21), line, TextStyle::body, theme_.text2);
  }

  void go_on() {
    if (!next_.lecture) return;
    if (next_.step == 0) open_lecture(*next_.lecture);
    else open_lecture(*next_.lecture, next_.step);
  }

  // --- Try your sentence ---------------------------------------------------------------------------------------------

  void draw_sentence(const Rect& card) {
    if (!draws_) return;
    draw_card(card);
    Rect inner = card.inset(20, 14);
    canvas_.text_in(inner.cut_top(22), "Try your sentence", TextStyle::heading, theme_.text);
    const float height = ui_.reach(34);
    Rect line = inner.cut_bottom(height);
    const std::string_view elsewhere = where_else_trained_layer_is();
    door_words(inner, fmt::format("Whom does each word look at? Four heads that Google trained.{}{}",
                                  elsewhere.empty() ? "" : " ", elsewhere));
    const std::string typed = ui_.typing() || ui_.ctrl() ? std::string() : ui_.typed();
    const bool is_text = typed.find_first_not_of(" \t\n") != std::string::npos;
    if (is_text) page_.sentence += typed;
    const Rect go = line.cut_right(height);
    line.cut_right(6);
    const bool entered = ui_.typing() && ui_.take_key(Key::enter);  // it is the only field
    const std::string hint = canvas_.ellipsized(example_sentence, TextStyle::body, line.w - 20);
    text_field(ui_, "sentence", line, page_.sentence,
               {.style = TextStyle::body,
                .focus_now = (is_text || types_) && !ui_.mouse_down(),
                .caret_at_end = !ui_.typing(),
                .hint = hint});
    if (icon_button(ui_, "go", go, Icon::forward,
                    {.tooltip = "Show it in the first layer of the Universal Sentence Encoder Lite, which was really "
                                "trained"}) ||
        entered)
      show_sentence();
  }

  void show_sentence() {
    auto problems = open_in_trained_layer(session_, page_.sentence);
    // While it is fetched and computed this page stays, and what was open behind it does not show.
    if (problems.empty()) closes_ = on_sentence_page(session_) && !session_.state().computing;
    else context_.memory.get<ProblemsCard>() = {"This sentence cannot be computed", std::move(problems), {}};
  }

  // --- Check my layer ------------------------------------------------------------------------------------------------

  void draw_check(const Rect& card) {
    if (!draws_) return;
    draw_card(card);
    Rect inner = card.inset(20, 14);
    canvas_.text_in(inner.cut_top(22), "Check my layer", TextStyle::heading, theme_.text);
    Rect box = inner.cut_bottom(ui_.reach(34));
    door_words(inner, "Your numbers beside ours: where they first differ, and why.");
    canvas_.dashed(box, theme_.control, 1, 6);
    box = box.inset(12, 0);
    const auto by_link = [&](std::string_view id, std::string_view words, std::string_view tip) {
      const bool clicked = link(id, box.cut_right(canvas_.width(words, TextStyle::body)), words, tip);
      box.cut_right(16);
      return clicked;
    };
    const bool pastes = by_link("paste", "Paste", "Printed numbers from the clipboard");
    const bool opens = by_link("open", "Open",
                               "An array, a model's file or the folder of a capture; setups, lectures "
                               "and pictures too");
    constexpr std::string_view drop = "Drop an array or a model file";
    if (!ui_.serves_finger())
      canvas_.text_in(box, canvas_.width(drop, TextStyle::control) <= box.w ? drop : drop.substr(0, drop.find(" or")),
                      TextStyle::control, theme_.text2);
    if (opens) perform(context_, *action_named("file.open"));
    if (pastes) check_pasted();
  }

  /// Work is checked in the workbench, against the setup that is open.
  void check_pasted() {
    Lesson(session_).close();
    perform(context_, *action_named("check.paste"));
    closes_ = true;
  }

  void door_words(Rect area, std::string_view words) const {
    const auto lines = canvas_.wrapped(words, TextStyle::body, area.w);
    for (const std::string_view line : lines) {
      if (area.h < 18) return;
      canvas_.text_in(area.cut_top(std::min(20.0f, area.h)), line, TextStyle::body, theme_.text2);
    }
  }

  bool link(std::string_view id, const Rect& r, std::string_view words, std::string_view tip) {
    const Item item = ui_.item(id, ui_.serves_finger() ? r.inset(-8, -std::max(0.0f, (44 - r.h) / 2)) : r);
    ui_.say_control(item, words, "link");
    const TextStyle style = TextStyle::body;
    canvas_.text_in(r, words, style, item.hovered ? theme_.text : theme_.text2);
    const float baseline = canvas_.centered_baseline(r, style);
    canvas_.fill({r.x, baseline + 3, r.w, 1}, item.hovered ? theme_.text : theme_.text3);
    if (item.focused) canvas_.focus_ring({r.x, r.center().y - 10, r.w, 20});
    ui_.tooltip(item, tip);
    return item.clicked;
  }

  // --- The course ----------------------------------------------------------------------------------------------------

  /// The whole path is one control: a click on a lecture opens that lecture. A click beside them, or an arrow key,
  /// opens the path, and then each of its lectures is a control.
  void draw_way_in(const Rect& area) {
    if (page_.is_open) return;
    const Item item = ui_.item("course", area.outset(6));
    ui_.say_control(item, "The course", "list", "Enter opens it");
    way_ = item;
    if (item.focused) canvas_.focus_ring(area.inset(-4, 2), 12);
    const bool walks = item.focused && (ui_.take_key(Key::right) || ui_.take_key(Key::down));
    if (!item.clicked && !walks) return;
    page_.is_open = true;
    if (walks && page_.chosen + 1 < session_.lectures().size()) ++page_.chosen;
    page_.opens_at = item.focused ? std::nullopt : std::optional(ui_.mouse());
    page_.focus_chosen = item.focused;
    ui_.request_frame();
  }

  /// What a click on the path does, at the end of its title: plain words, because each lecture is the link.
  void draw_way_words(Rect& row) const {
    const std::string_view words = ui_.input().by_finger            ? "Tap a lecture to open it"
                                   : way_.focused && !page_.is_open ? "Enter, then the arrows choose a lecture"
                                                                    : "Click a lecture to open it";
    const float wide = canvas_.width(words, TextStyle::body);
    if (row.w < wide + 120) return;
    canvas_.text_in(row.cut_right(wide + 10), words, TextStyle::body, theme_.text2, Align::right);
    row.cut_right(14);
  }

  float draw_course(const Rect& area, float pitch) {
    const std::size_t across = lessons_in_a_row(area.w);
    const float width = area.w / static_cast<float>(across);
    Rect title{area.x, area.y, area.w, section_title - 8};
    if (draws_) {
      const float wide = canvas_.width("The course", TextStyle::heading);
      canvas_.text_in(title, "The course", TextStyle::heading, theme_.text);
      title.cut_left(wide + 14);
      draw_way_words(title);
      canvas_.text_in(title, canvas_.ellipsized(words_of_course(session_), TextStyle::body, title.w), TextStyle::body,
                      theme_.text3);
    }
    std::size_t count = 0;
    const auto& lectures = session_.lectures();
    ui_.push_id("course");
    for (std::size_t i = 0; i < lectures.size(); ++i) {
      if (lectures[i]->list_position.group != LectureGroup::course) continue;
      const auto column = static_cast<float>(count % across), row = static_cast<float>(count / across);
      ++count;
      if (!draws_) continue;
      ui_.push_id(static_cast<int>(i));
      draw_lesson({area.x + width * column, area.y + section_title + pitch * row, width, pitch}, i, count);
      ui_.pop_id();
    }
    ui_.pop_id();
    return area.y + section_title + pitch * course_rows(area.w);
  }

  /// A stop on the path: its number or ✓, a dash for each step, which is lit once it is seen, its title and its line.
  void draw_lesson(const Rect& area, std::size_t index, std::size_t number) {
    const Lecture& lecture = *session_.lectures()[index];
    const LectureProgress progress = progress_in(lecture, *session_.state().marks);
    const bool here = session_.lectures()[index] == next_.lecture;
    const Item item = lecture_item({area.x - 6, area.y - 4, area.w - 6, area.h - 4}, index);
    const Point center{area.x + node / 2, area.y + node / 2};
    const Color quiet = theme_.text3;
    if (here) canvas_.disc(center, node / 2, theme_.lamp);
    else if (progress.done()) canvas_.disc(center, node / 2, quiet);
    else canvas_.circle(center, node / 2 - 0.75f, quiet, 1.5f);
    const Rect inside{area.x, area.y, node, node};
    if (progress.done() && !here) canvas_.icon_centered(Icon::check, inside, theme_.canvas, 2, 14);
    else
      canvas_.text_in(inside, fmt::format("{}", number), TextStyle::mono, here ? theme_.lamp_ink : theme_.text2,
                      Align::center);
    draw_dashes({area.x + node + 7, center.y - 1, area.w - node - 16, 2}, lecture);
    Rect words{area.x, area.y + node + 6, area.w - 14, 19};
    const Color ink = item.hovered ? theme_.text : theme_.text2;
    const std::string about_it = line_about(lecture);
    auto lines = canvas_.wrapped(about_it, TextStyle::control, words.w);
    const std::vector<std::string> title = title_lines(lecture.title, words.w);
    for (const std::string& line : title) {
      canvas_.text_in(words, line, TextStyle::control_strong, theme_.text);
      words.y += 19;
    }
    // Half a sentence says less than none. The tip has it all.
    const auto room = static_cast<std::size_t>((area.bottom() - words.y) / 19);
    if (lines.size() > std::max<std::size_t>(room, title.size() > 1 ? 0 : 1)) lines.clear();
    for (const std::string_view line : lines) {
      canvas_.text_in(words, line, TextStyle::control, ink);
      words.y += 19;
    }
    const std::string tip = fmt::format("{} {}", lecture.source, about(lecture, progress));
    ui_.tooltip(item, lines.empty() ? fmt::format("{}. {}", about_it, tip) : tip);
  }

  /// A long title takes a second line; what doesn't fit then is left out.
  std::vector<std::string> title_lines(std::string_view title, float width) const {
    const auto lines = canvas_.wrapped(title, TextStyle::control_strong, width);
    if (lines.size() < 2) return {std::string(title)};
    const std::string_view rest(lines[1].data(),
                                static_cast<std::size_t>(title.data() + title.size() - lines[1].data()));
    return {std::string(lines[0]), canvas_.ellipsized(rest, TextStyle::control_strong, width)};
  }

  void draw_dashes(const Rect& line, const Lecture& lecture) const {
    const std::size_t count = lecture.steps.size();
    if (count == 0) return;
    const auto found = session_.state().marks->find(lecture.id);
    const bool begun = progress_in(lecture, *session_.state().marks).begun();
    const float pitch = line.w / static_cast<float>(count);
    for (std::size_t i = 0; i < count; ++i) {
      const bool seen = begun && found != session_.state().marks->end() && i < found->second.size() &&
                        found->second[i] != StepMark::none;
      const Rect dash{line.x + pitch * static_cast<float>(i), line.y, std::max(1.0f, pitch - 3), line.h};
      if (!lecture.steps[i].practice) canvas_.fill(dash, seen ? theme_.text2 : theme_.line_strong);
      else draw_task(dash.center(), seen && found->second[i] == StepMark::passed);
    }
  }

  /// The step of a path in which the reader writes code: filled once that is right.
  void draw_task(Point center, bool passed) const {
    constexpr float size = 4;
    if (passed) canvas_.disc(center, size, theme_.ok);
    else canvas_.circle(center, size - 0.5f, theme_.text3, 1);
  }

  /// "about 20 minutes", or how its questions went.
  static std::string about(const Lecture& lecture, const LectureProgress& progress) {
    const std::string task = progress.passed > 0 ? ", its task passed" : "";
    if (progress.answered > 0)
      return fmt::format("· {} of {} questions right, {} at the first try{}", progress.first_try + progress.second_try,
                         progress.questions, progress.first_try, task);
    if (!task.empty()) return "· its task passed";
    return lecture.minutes > 0 ? fmt::format("· about {} minutes", lecture.minutes) : std::string();
  }

  /// All lectures are one stop for Tab; the arrows go from one to the next.
  Item lecture_item(const Rect& r, std::size_t index) {
    if (page_.opens_at && r.contains(*page_.opens_at)) {
      open_lecture(*session_.lectures()[index]);
      return {};
    }
    if (!page_.is_open) {
      Item part;
      part.hovered = way_.hovered && r.contains(ui_.mouse());
      if (!part.hovered) return part;
      part.id = ui_.id_of("lecture");
      part.r = r;
      canvas_.fill(r, theme_.hover, 8);
      return part;
    }
    const bool chosen = page_.chosen == index;
    const Item item = ui_.item("lecture", r, {.focusable = chosen || takes_focus_ == index});
    if (takes_focus_ == index) {
      ui_.focus(item.id);
      takes_focus_.reset();
    }
    if (item.hovered) canvas_.fill(r, theme_.hover, 8);
    if (item.focused) {
      canvas_.focus_ring(r.inset(2, 2), 8);
      walk_from(index);
    }
    const LectureProgress progress = progress_in(*session_.lectures()[index], *session_.state().marks);
    ui_.say_control(item, session_.lectures()[index]->title, "lecture", short_words_of(progress));
    if (item.clicked) open_lecture(*session_.lectures()[index]);
    return item;
  }

  void walk_from(std::size_t index) {
    const bool back = ui_.take_key(Key::left) || ui_.take_key(Key::up);
    const bool on = ui_.take_key(Key::right) || ui_.take_key(Key::down);
    if (back == on || (back && index == 0) || (on && index + 1 == session_.lectures().size())) return;
    page_.chosen = on ? index + 1 : index - 1;
    page_.focus_chosen = true;
    ui_.request_frame();
  }

  /// A rule, the list's title, and the lectures beside it.
  float draw_list(const Rect& area, LectureGroup group) {
    if (count_of(group) == 0) return area.y;
    const std::size_t across = lectures_in_a_row(area.w);
    const bool narrow = lessons_in_a_row(area.w) == 1;
    const float width = area.w / static_cast<float>(narrow ? 1 : across + 1);
    const float row_height = ui_.reach(list_row);
    float y = area.y + 12;
    if (draws_) {
      canvas_.fill({area.x, area.y, area.w, 1}, theme_.line);
      canvas_.text_in({area.x, y, width, narrow ? list_row : row_height}, title_of(group), TextStyle::control_strong,
                      theme_.text);
    }
    if (narrow) y += list_row;
    std::size_t count = 0;
    for (std::size_t i = 0; i < session_.lectures().size(); ++i) {
      const Lecture& lecture = *session_.lectures()[i];
      if (lecture.list_position.group != group) continue;
      const float left = area.x + (narrow ? 0 : width * static_cast<float>(1 + count % across));
      const Rect row{left, y + row_height * static_cast<float>(count / across), width, row_height};
      ++count;
      if (!draws_) continue;
      ui_.push_id("others");
      ui_.push_id(static_cast<int>(i));
      draw_listed(row, i, lecture);
      ui_.pop_id();
      ui_.pop_id();
    }
    return area.y + list_height(group, area.w);
  }

  void draw_listed(const Rect& row, std::size_t index, const Lecture& lecture) {
    const Item item = lecture_item({row.x - 6, row.y, row.w - 6, row.h}, index);
    const std::string title = canvas_.ellipsized(lecture.title, TextStyle::control_strong, row.w - 14);
    const float baseline = canvas_.centered_baseline(row, TextStyle::control_strong);
    const float wide = canvas_.text({row.x, baseline}, title, TextStyle::control_strong, theme_.text) + 8;
    const float left = row.w - 14 - wide;
    const LectureProgress progress = progress_in(lecture, *session_.state().marks);
    const std::string line = progress.begun() ? short_words_of(progress) : line_about(lecture);
    if (canvas_.width(line, TextStyle::control) <= left)
      canvas_.text({row.x + wide, baseline}, line, TextStyle::control, item.hovered ? theme_.text2 : theme_.text3);
    ui_.tooltip(item, lecture.source);
  }

  void open_lecture(const Lecture& lecture) {
    Lesson(session_).begin(lecture.id);
    closes_ = true;
  }
  void open_lecture(const Lecture& lecture, std::size_t step) {
    Lesson(session_).open(lecture.id, step);
    closes_ = true;
  }

  ViewContext& context_;
  Ui& ui_;
  Session& session_;
  StartPage& page_;
  NextLesson next_;
  Canvas canvas_;
  const Theme& theme_;
  std::optional<std::size_t> takes_focus_ =
      std::exchange(page_.focus_chosen, false) ? std::optional(page_.chosen) : std::nullopt;
  Item way_;            ///< the path, while it is one control
  bool types_ = false;  ///< a text was pasted, so the field gets the keyboard
  bool draws_ = false;
  bool closes_ = false;
};

/// Whether something was opened behind the page: a dropped file, or a lecture from the palette.
bool is_overtaken(StartPage& page, const Session& session) {
  if (session.display().presentation.presenting || session.display().embedded != Embedded::none) return true;
  if (session.state().computing) return false;
  const std::uint64_t version = session.trace().version;
  const void* const work = session.state().checking.own.given.get();
  if (page.version == 0) {
    page.version = version;
    page.work = work;
  }
  return page.version != version || page.work != work;
}

}  // namespace

bool reads_as_numbers(std::string_view text) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  if (!std::ranges::any_of(text, is_digit)) return false;
  try {
    return !parse_printed_arrays(text).empty();
  } catch (const std::invalid_argument&) {
    return false;
  }
}

bool draw_start_page(ViewContext& context) {
  std::optional<StartPage>& page = context.memory.opened<StartPage>();
  if (page && is_overtaken(*page, context.session)) page.reset();
  if (!page) return false;
  if (is_small_window(context) || context.ui.input().by_finger) context.ui.serve_finger();
  else context.ui.enlarge_type(least_start_type);
  context.ui.push_id("start");
  const bool closes = Page(context).draw();
  context.ui.pop_id();
  if (!closes) return true;
  page.reset();
  context.ui.stop_typing();
  context.ui.release_focus();
  context.ui.request_frame();
  return true;
}

}  // namespace headlight
