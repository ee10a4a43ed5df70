#include "app/views/window/app_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/sentence.hpp"
#include "app/session/session.hpp"
#include "app/session/state/marks.hpp"
#include "app/session/state/step_words.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/ui/ui.hpp"
#include "app/view_table.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/base/views.hpp"
#include "app/views/compare/practice_card.hpp"
#include "app/views/heads/head_study.hpp"
#include "app/views/inspector/known_explanation.hpp"
#include "app/views/map/pipeline_map.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/play/play.hpp"
#include "app/views/setup/setup_panel.hpp"
#include "app/views/story/draw_story.hpp"
#include "app/views/story/linked_words.hpp"
#include "app/views/story/over.hpp"
#include "app/views/story/question_card.hpp"
#include "app/views/story/slide_code.hpp"
#include "app/views/story/story.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/cell_words.hpp"
#include "app/views/window/lesson_why.hpp"
#include "app/views/window/page_frame.hpp"
#include "app/views/window/present_view.hpp"
#include "app/views/window/sentence_page.hpp"
#include "app/views/window/shown_view.hpp"
#include "core/setup/keys.hpp"
#include "core/stages/table.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr float column_margin = 16;
constexpr float head_height = 56;
constexpr float head_margin = 6;  ///< its icons have one of their own
constexpr float steps_height = 5;
constexpr float foot_height = 84;
constexpr float foot_button = 52;
constexpr float between_parts = 16;
constexpr float picture_share = 0.42f;  ///< of the window's height
constexpr float writing_share = 0.66f;
constexpr float highest_picture = 1.1f;  ///< in widths of the column
constexpr float sheet_share = 0.62f;
/// Sideways: the buttons are in the head, and the words beside the picture.
constexpr float sideways_width = 600;
constexpr float buttons_sideways = 320;
constexpr float least_words = 340;
constexpr float most_words = 420;
constexpr float words_share = 0.45f;
/// A page: words and question at the left, the picture at the right, and the buttons below both.
constexpr float roomy_page = 1000;
constexpr float words_share_of_page = 0.37f;
constexpr float reading_line = 58;
constexpr float reading_line_low = 26;

/// How a lesson is laid out in the room that there is.
enum class LessonForm : std::uint8_t {
  column,    ///< everything below each other, and buttons at the foot, where the thumb is
  sideways,  ///< the picture beside the words, and the buttons above them
  page,      ///< the same with room for buttons below, and for a frame around the question
};

/// The sizes in which the words of a lesson can be set.
struct LessonType {
  MarkdownType words;
  TextStyle title = TextStyle::title;
  float title_line = 28;
};
const LessonType reading_type{{TextStyle::reading, TextStyle::reading_strong, TextStyle::reading_number, 25}};
/// From large to small. A page takes the first in which everything shows that the step may say.
const std::array page_types{
    LessonType{reading_type.words, TextStyle::speech_strong, 34},
    LessonType{{TextStyle::reading_small, TextStyle::heading, TextStyle::reading_number, 22}, TextStyle::title, 28},
    LessonType{{TextStyle::body, TextStyle::body_strong, TextStyle::number, 20}, TextStyle::title, 28},
    LessonType{{TextStyle::control, TextStyle::control_strong, TextStyle::mono, 18}, TextStyle::heading, 22},
    LessonType{{TextStyle::caption, TextStyle::caption_strong, TextStyle::code, 17}, TextStyle::heading, 22}};

/// The question among the words that scroll, and whether the reader has come to its end.
struct ReadQuestion {
  LectureStep step;
  bool answered = false;
  bool seen = true;
  bool wanted = false;  ///< the reader has asked for it, or has answered it: the words scroll to it
};

struct LessonMemory {
  ReadQuestion question;
  float height = 0;              ///< of everything that scrolls, in the last frame
  float pulled = 0;              ///< how far a finger has pulled the sheet down
  KnownExplanation explanation;  ///< of the number that is read
};

/// The type of a page, the width of its words and the height of its question, which are kept as long as the step shows.
struct KeptPage {
  LectureStep step;
  Rect area;  ///< of words and picture
  float scale = 0;
  bool for_finger = false;
  float width = 0;    ///< of the words
  bool fits = false;  ///< all that the step may say has room
  std::size_t type = 0;
  float card = 0;
  bool has_code = true;
  bool has_goals = true;
};

LessonForm form_of(const ViewContext& context) {
  const Rect surface = context.ui.surface();
  if (has_room_for_page(context)) return LessonForm::page;
  return surface.w >= sideways_width && surface.w > 1.5f * surface.h ? LessonForm::sideways : LessonForm::column;
}

bool is_beside(const ViewContext& context) { return form_of(context) != LessonForm::column; }

/// The width of the column of words, with its margin.
float words_width(const ViewContext& context) {
  const Rect surface = context.ui.surface();
  if (form_of(context) != LessonForm::page) return std::clamp(words_share * surface.w, least_words, most_words);
  const Rect page = page_of(surface);
  return page.x + std::clamp(words_share_of_page * page.w, least_words, most_words);
}

void act_afterwards(ViewContext& context, std::function<void(Session&)> act) {
  context.memory.get<FrameMemory>().after_frame = std::move(act);
}

/// The steps along the top edge. A mouse goes to one; they are too thin for a finger.
void draw_progress(ViewContext& context, const Rect& edge) {
  const Review* const review = review_of(context.session);
  const std::size_t count = review ? review->items.size() : context.session.lesson().step_count();
  const std::size_t here = review ? review->at : context.session.lesson().at.index;
  if (count == 0) return;
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const float width = edge.w / static_cast<float>(count);
  std::optional<std::size_t> pointed;
  if (!ui.serves_finger() && !review) {
    const Item item = ui.item("steps", {edge.x, edge.y, edge.w, 3 * edge.h}, {.focusable = false});
    if (item.hovered) pointed = std::min(count - 1, static_cast<std::size_t>(std::max(0.0f, ui.mouse().x / width)));
    if (pointed)
      ui.tooltip(item, fmt::format("{}. {}", *pointed + 1, context.session.lesson().lecture()->steps[*pointed].title));
    scrub_steps(context, item, 0, width);
    if (item.clicked && pointed && !item.dragged)
      act_afterwards(context, [to = *pointed](Session& session) { Lesson(session).go_to(to); });
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool lit = i == here || i == pointed;
    canvas.fill({edge.x + width * static_cast<float>(i), edge.y, width - 1, lit ? edge.h + 2 : edge.h},
                i == here  ? theme.lamp
                : i < here ? theme.text3
                           : theme.line_strong);
  }
}

/// The actions that the column has no room for: opening other views, and more. The palette finds the rest.
std::vector<const Action*> menu_entries(const Session& session, LessonForm form) {
  // Of a page the workbench is one click away, and has all views.
  if (form == LessonForm::page) {
    constexpr std::array<std::string_view, 10> ids{"theme.toggle", "scale.larger",   "scale.smaller", "present",
                                                   "export",       "file.copy_link", "file.start",    "lecture.restart",
                                                   "edit.undo",    "palette"};
    std::vector<const Action*> entries;
    for (const std::string_view id : ids) entries.push_back(action_named(id));
    return entries;
  }
  constexpr std::array<std::string_view, 12> ids{"panel.setup", "panel.inspector", "file.start", "lecture.restart",
                                                 "file.open",   "edit.undo",       "edit.redo",  "export",
                                                 "present",     "theme.toggle",    "appearance", "palette"};
  std::vector<const Action*> entries;
  for (const ViewInfo& view : view_table)
    if (const Action* const show = action_named(fmt::format("view.{}", view.word));
        view.id != session.display().view && show->enabled(session))
      entries.push_back(show);
  for (const std::string_view id : ids) entries.push_back(action_named(id));
  if (review_of(session) != nullptr) entries.insert(entries.begin(), action_named("review.skip"));
  else if (in_lesson_mode(session)) entries.push_back(action_named("workbench"));
  return entries;
}

std::string title_of_lecture(const Session& session, const std::string& id) {
  for (const auto& lecture : session.lectures())
    if (lecture->id == id) return lecture->title;
  return id;
}

/// "Before Who may see whom: a question from Which bank?"
std::string words_of_review(const Session& session) {
  const Review& review = *review_of(session);
  return fmt::format("Before {}: a question from {}", title_of_lecture(session, review.lecture),
                     title_of_lecture(session, review.item().lecture));
}

struct NextPress {
  std::string label;
  bool enabled = true;
  bool is_next = true;  ///< and not a way around the question
  std::function<void(Session&)> act;
};

/// What the large button does: the answer comes before the next step.
NextPress next_press(const Session& session) {
  const LessonState& lesson = session.lesson();
  if (lesson.asks())
    return {lesson.answer_state().guess ? "Check" : "Show the answer", true, lesson.answer_state().guess.has_value(),
            [](Session& s) { Lesson(s).check_guess(); }};
  if (review_of(session) != nullptr) return {"Next", true, true, [](Session& s) { Lesson(s).step_by(1); }};
  const bool at_end = lesson.lecture() != nullptr && lesson.at.index + 1 == lesson.step_count();
  if (const Lecture* const next = at_end ? lecture_beside(session, 1) : nullptr)
    return {"Next: " + next->title, true, true, [](Session& s) { run(*action_named("lecture.next"), s); }};
  return {lesson.lecture() != nullptr ? "Next step" : "Next tensor", can_step(session, 1), true,
          [](Session& s) { Lesson(s).step_by(1); }};
}

/// What is out of sight comes before what it leads to.
NextPress press_in_column(ViewContext& context) {
  const LessonState& lesson = context.session.lesson();
  ReadQuestion& question = context.memory.get<LessonMemory>().question;
  const bool answers = lesson.asks() && (lesson.answer_state().guess || lesson.answer_state().missed);
  NextPress press = next_press(context.session);
  if (question.seen || answers || question.step != lesson.at) return press;
  if (question.answered) press.label = "See the answer";
  press.act = [&question](Session&) { question.wanted = true; };
  return press;
}

/// Back, the large button, and on, in a row of this height.
void draw_step_buttons(ViewContext& context, Rect row) {
  constexpr float arrow = 60;
  const auto step = [&](std::string_view id, const Rect& r, Icon icon, int by) {
    if (icon_button(context.ui, id, r, icon,
                    {.enabled = can_step(context.session, by), .tooltip = by < 0 ? "Back" : "On"}))
      act_afterwards(context, [by](Session& session) { Lesson(session).step_by(by); });
  };
  step("back", row.cut_left(arrow), Icon::previous, -1);
  step("on", row.cut_right(arrow), Icon::next, 1);
  NextPress press = press_in_column(context);
  const Rect middle = row.inset(12, 0);
  Ui& ui = context.ui;
  const bool entered = press.enabled && takes_enter(context);
  if (button(ui, "press", middle, ui.canvas().ellipsized(press.label, TextStyle::control_strong, middle.w - 24),
             {.kind = press.is_next ? ButtonKind::primary : ButtonKind::normal, .enabled = press.enabled}) ||
      entered)
    act_afterwards(context, std::move(press.act));
}

/// The way to everything else, the lecture's title, the step's number, and a link to share; sideways the buttons, too.
void draw_lesson_head(ViewContext& context, Rect row) {
  Session& session = context.session;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const auto tool = [&](std::string_view id, const Rect& r, Icon icon, std::string_view words) {
    const Rect box{r.x, row.center().y - fingertip / 2, fingertip, fingertip};
    return icon_button(context.ui, id, box, icon, {.kind = ButtonKind::quiet, .tooltip = words});
  };
  const Rect menu = row.cut_left(fingertip);
  const LessonForm form = form_of(context);
  if (tool("menu", menu, Icon::menu, "Everything else")) open_menu(context, menu, menu_entries(session, form));
  const Action& link = *action_named("file.copy_link");
  if (form == LessonForm::sideways) {
    row.cut_right(column_margin - head_margin);
    draw_step_buttons(context, row.cut_right(buttons_sideways).inset(0, (row.h - fingertip) / 2));
    row.cut_right(head_margin);
  }
  if (tool("share", row.cut_right(fingertip), Icon::link, link.title))
    act_afterwards(context, [&link](Session& s) { run(link, s); });
  row = row.inset(6, 0);
  if (const float counter = draw_step_counter(context, row); counter > 0) row.cut_right(counter + 12);
  const Lecture* const lecture = session.lesson().lecture();
  const std::string title = review_of(session) ? words_of_review(session)
                            : lecture          ? lecture->title
                                               : session.setup().title;
  canvas.text_in(row, title.empty() ? "Headlight" : title, TextStyle::body_strong, theme.text);
}

/// As on a slide: nothing but the picture, whose words are above or beside it.
void draw_picture(const ViewContext& context, const Rect& area) {
  ViewContext alone = context;
  alone.presenting = true;
  alone.wordless = true;
  alone.reads = form_of(context) == LessonForm::page;
  draw_view(alone, area, context.session.display().view);
}

/// Everything of the step, from the top of `area` down; draws where there is a context.
class LessonParts {
 public:
  /// `practice` is null unless the step has a task.
  LessonParts(const Canvas& canvas, ViewContext* context, const Rect& area, const LessonType& type, CardForm form,
              const PracticeVerdict* practice)
      : canvas_(canvas), context_(context), area_(area), type_(type), form_(form), practice_(practice) {}

  /// Without a `picture_height` the picture is elsewhere. The question is at least `card` high. Returns the height.
  float lay_out(const Story& story, std::optional<float> picture_height, float card = 0) {
    title(story.title);
    const float top = y_;
    told(story, nullptr);
    if (picture_height) picture(*picture_height);
    if (story.asked) {
      gap();
      question_ = {area_.x, area_.y + y_, area_.w, card};
      question_.h = question_card(canvas_, context_, question_, *story.asked, type_.words, form_);
      y_ += question_.h;
    }
    if (practice_ != nullptr) {
      gap();
      y_ += practice_card(canvas_, context_, {area_.x, area_.y + y_, area_.w, 0}, *practice_, type_.words);
    }
    if (story.end) paragraph(story.end->words);
    code(story.code);
    paragraph(story.badge.text);
    if (form_ == CardForm::column && story.more) more(*story.more);
    // Last, so that the keyboard begins at the question.
    const float height = std::exchange(y_, top);
    if (context_ != nullptr) told(story, context_);
    y_ = height;
    return y_;
  }

  /// Where the question was laid out; empty without one.
  const Rect& question() const { return question_; }

 private:
  Rect rest() const { return {area_.x, area_.y + y_, area_.w, 0}; }
  void gap() { y_ += std::round(0.64f * type_.words.line_height); }

  void told(const Story& story, ViewContext* context) {
    words(*story.words, context);
    if (!story.goals) return;
    gap();
    words(*story.goals, context);
  }

  void title(const std::string& text) {
    for (const std::string_view line : canvas_.wrapped(text, type_.title, area_.w)) {
      y_ += type_.title_line;
      if (context_ != nullptr) canvas_.text({area_.x, area_.y + y_ - 6}, line, type_.title, canvas_.theme().text);
    }
    y_ += form_ == CardForm::column ? 6 : 10;
  }

  void words(const Markdown& text, ViewContext* context) {
    if (context != nullptr) context->ui.push_id("words");
    y_ += linked_words(canvas_, context, rest(), text, type_.words);
    if (context != nullptr) context->ui.pop_id();
  }

  void picture(float height) {
    gap();
    if (context_ != nullptr) draw_picture(*context_, {area_.x, area_.y + y_, area_.w, height});
    y_ += height;
  }

  void paragraph(const std::string& text) {
    if (text.empty()) return;
    gap();
    for (const std::string_view line : canvas_.wrapped(text, type_.words.plain, area_.w)) {
      y_ += type_.words.line_height;
      if (context_ != nullptr)
        canvas_.text({area_.x, area_.y + y_ - 6}, line, type_.words.plain, canvas_.theme().text2);
    }
  }

  void code(const std::string& text) {
    if (text.empty()) return;
    gap();
    const float height = slide_code_height(canvas_, area_.w, text);
    if (context_ != nullptr) draw_slide_code(canvas_, {area_.x, area_.y + y_, area_.w, height}, text);
    y_ += height;
  }

  /// Its button, and below it what it opens: nothing has to lie over a picture that scrolls.
  void more(const Markdown& text) {
    gap();
    if (context_ != nullptr)
      draw_over_button(*context_, Over::more, {area_.x, area_.y + y_, over_button_width(Over::more), fingertip});
    y_ += fingertip + 6;
    if (context_ == nullptr || context_->session.state().over != Over::more) return;
    context_->ui.push_id("more words");
    y_ += linked_words(canvas_, context_, rest(), text, type_.words);
    context_->ui.pop_id();
  }

  const Canvas& canvas_;
  ViewContext* context_;
  Rect area_;
  const LessonType& type_;
  CardForm form_;
  const PracticeVerdict* practice_;
  Rect question_ = {};
  float y_ = 0;
};

/// The form of a page's question.
CardForm page_card(const Ui& ui) { return ui.serves_finger() ? CardForm::tapped : CardForm::lesson; }

/// The story of a lesson. What is checked and how it went is no part of it.
Story lesson_story(const Session& session) {
  Story story = in_lesson_mode(session) ? step_story(session) : shown_story(session);
  if (in_lesson_mode(session)) story.badge = {};
  return story;
}

/// Finds the largest type in which all that the step may say has room, and how high its question then is at most. The
/// code and the goals give way, in this order, before the type is smaller than that of reading.
class PageFitter {
 public:
  PageFitter(ViewContext& context, const Rect& area, const Story& story)
      : context_(context),
        area_(area),
        story_(story),
        possible_(possible_questions(context.session.state())),
        practice_(verdict_on_practice(context)) {}

  KeptPage fitted() const {
    KeptPage page{context_.session.lesson().at, {}, context_.ui.scale(), context_.ui.serves_finger(), area_.w};
    for (; page.type < page_types.size(); ++page.type) {
      if (page.type > 0 && !is_legible(page.type)) break;
      context_.ui.enlarge_type(text_size(page_types[page.type].words.plain));
      page.card = card_height(page.type);
      for (const auto& [code, goals] : {std::pair{true, true}, {true, false}, {false, false}}) {
        page.has_code = code;
        page.has_goals = goals;
        page.fits = height(page) <= area_.h;
        if (page.fits) return page;
      }
    }
    page.type = std::min(page.type, page_types.size()) - 1;
    context_.ui.enlarge_type(text_size(page_types[page.type].words.plain));
    page.card = card_height(page.type);
    return page;
  }

 private:
  bool is_legible(std::size_t type) const {
    return text_size(page_types[type].words.plain) * context_.ui.scale() >= least_lesson_type;
  }

  float card_height(std::size_t type) const {
    float highest = 0;
    for (const AskedQuestion& asked : possible_)
      highest = std::max(highest, question_card(context_.ui.canvas(), nullptr, {0, 0, area_.w, 0}, asked,
                                                page_types[type].words, page_card(context_.ui)));
    return highest;
  }

  float height(const KeptPage& page) const {
    Story story = story_;
    if (!page.has_code) story.code.clear();
    if (!page.has_goals) story.goals.reset();
    // It comes once the question is answered.
    if (context_.session.lesson().at.index + 1 == context_.session.lesson().step_count() && !story.end)
      story.end = LectureEnd{words_of(LectureProgress{100, 100, 100, 100, 100, 100}), {}};
    const Canvas canvas = context_.ui.canvas();
    return LessonParts(canvas, nullptr, {0, 0, area_.w, 0}, page_types[page.type], page_card(context_.ui),
                       practice_ ? &*practice_ : nullptr)
        .lay_out(story, std::nullopt, page.card);
  }

  ViewContext& context_;
  Rect area_;
  const Story& story_;
  std::vector<AskedQuestion> possible_;
  std::optional<PracticeVerdict> practice_;
};

/// How the step is set in an area for words and picture. Where even the smallest type has no room in the usual width,
/// as on a low screen with large type, the words get some of the picture's.
const KeptPage& kept_page(ViewContext& context, const Rect& area, float usual_width) {
  const Session& session = context.session;
  KeptPage& kept = context.memory.get<KeptPage>();
  if (kept.step == session.lesson().at && kept.area == area && kept.scale == context.ui.scale() &&
      kept.for_finger == context.ui.serves_finger())
    return kept;
  const Story story = lesson_story(session);
  for (const float share : {0.0f, 0.46f, 0.54f}) {
    const float width = std::max(usual_width, share * area.w);
    kept = PageFitter(context, {area.x, area.y, width, area.h}, story).fitted();
    if (kept.fits) break;
  }
  kept.area = area;
  return kept;
}

/// The words of a page, in the type in which all that they may say has room. Returns their height.
float draw_page_words(ViewContext& context, const Rect& area) {
  const Session& session = context.session;
  Story story = lesson_story(session);
  const KeptPage& kept = context.memory.get<KeptPage>();
  if (!kept.has_code) story.code.clear();
  if (!kept.has_goals) story.goals.reset();
  const LessonType& type = page_types[kept.type];
  context.ui.enlarge_type(text_size(type.words.plain));
  const Canvas canvas = context.ui.canvas();
  const std::optional<PracticeVerdict> verdict = verdict_on_practice(context);
  const PracticeVerdict* const practice = verdict ? &*verdict : nullptr;
  const float height = LessonParts(canvas, nullptr, {0, 0, area.w, 0}, type, page_card(context.ui), practice)
                           .lay_out(story, std::nullopt, kept.card);
  // The question reaches down to the foot, so that its buttons are in the same place in each step.
  const float card = story.asked ? kept.card + std::max(0.0f, area.h - height) : kept.card;
  // Each step begins at its top.
  const ScrollArea scroll(context.ui, fmt::format("step {}", session.lesson().at.index), area, std::max(height, area.h),
                          context.ui.theme().canvas);
  LessonParts(canvas, &context, {area.x, scroll.content().y, area.w, 0}, type, page_card(context.ui), practice)
      .lay_out(story, std::nullopt, card);
  return story.asked ? area.h : height;
}

/// Notes whether all of the question has been in sight, and scrolls to it where that is wanted: what doesn't fit comes
/// a screen at a time.
void follow_question(ViewContext& context, ScrollArea& scroll, const Rect& area, const Rect& question) {
  const LessonState& lesson = context.session.lesson();
  ReadQuestion& read = context.memory.get<LessonMemory>().question;
  const bool answered = lesson.question() != nullptr && !lesson.asks();
  const ReadQuestion before = read;
  if (read.step != lesson.at) read = {lesson.at, answered, false, false};
  else if (read.answered != answered) read = {lesson.at, answered, false, answered};
  read.seen |= question.empty() || question.bottom() <= area.bottom() + 1;
  if (std::exchange(read.wanted, false) && !read.seen) {
    const bool is_begun = question.h > area.h && question.y <= area.y + 1;
    const float top = is_begun ? area.bottom() : question.y;
    scroll.reveal({area.x, top, area.w, std::min(question.bottom() - top, 0.9f * area.h)});
  }
  if (read.seen != before.seen || read.step != before.step || read.answered != before.answered)
    context.ui.request_frame();
}

void draw_parts(ViewContext& context, Rect area) {
  auto& memory = context.memory.get<LessonMemory>();
  const Session& session = context.session;
  Story story = lesson_story(session);
  if (in_lesson_mode(session)) story.goals.reset();  // there is no room for them before the question
  std::optional<float> picture_height;
  if (form_of(context) == LessonForm::sideways) {
    const Rect words = area.cut_left(words_width(context));
    draw_picture(context, area.inset(column_margin, 8));
    area = words;
  } else {
    const float width = area.w - 2 * column_margin;
    const float usual = std::min(picture_share * context.ui.surface().h, highest_picture * width);
    // A text is written in the picture: what may come next is there too.
    const bool writes = info(session.display().view).of_text;
    picture_height = std::round(writes ? writing_share * context.ui.surface().h : usual);
  }
  // Each step begins at its top.
  const std::string id = fmt::format("step {}", session.lesson().at.index);
  ScrollArea scroll(context.ui, id, area, memory.height, context.ui.theme().canvas);
  const Rect content = scroll.content().inset(column_margin, 0);
  const Canvas canvas = context.ui.canvas();
  const std::optional<PracticeVerdict> verdict = verdict_on_practice(context);
  LessonParts parts(canvas, &context, content, reading_type, CardForm::column, verdict ? &*verdict : nullptr);
  const float height = parts.lay_out(story, picture_height);
  follow_question(context, scroll, area, parts.question());
  if (std::abs(height + between_parts - memory.height) > 0.5f) context.ui.request_frame();
  memory.height = height + between_parts;
}

void draw_foot(ViewContext& context, const Rect& foot) {
  const Canvas canvas = context.ui.canvas();
  canvas.fill(foot, canvas.theme().panel);
  canvas.fill({foot.x, foot.y, foot.w, 1}, canvas.theme().line);
  draw_step_buttons(context, {foot.x + column_margin, foot.y + 12, foot.w - 2 * column_margin, foot_button});
}

// --- What a number says ----------------------------------------------------------------------------------------------

/// The number under the pointer, or the one that a click keeps, in words and then in symbols.
void draw_reading_line(ViewContext& context, Rect area) {
  const SessionState& state = context.session.state();
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  if (!state.hovered && !state.pinned) {
    const std::string_view invites =
        context.ui.serves_finger() ? "Tap any number to see what it says." : "Point at any number to see what it says.";
    canvas.text_in(area.cut_top(reading_line_low), invites, TextStyle::reading_small, theme.text3);
    return;
  }
  const Cell cell = context.session.cell();
  const auto explanation = context.memory.get<LessonMemory>().explanation.of(context.session.trace(), cell);
  const std::string_view instead = words_instead_of(context.session, *explanation);
  const CellWords words = words_of_cell(context.session, cell, !instead.empty());
  Rect first = area.cut_top(reading_line_low);
  const std::string place = to_string(cell);
  const float place_width = canvas.width(place, TextStyle::code) + 16;
  if (first.w > 2 * place_width)
    canvas.text_in(first.cut_right(place_width), place, TextStyle::code, theme.text3, Align::right);
  const float baseline = canvas.centered_baseline(first, TextStyle::formula_strong);
  const TextStyle style =
      canvas.width(words.all(), TextStyle::formula_strong) <= first.w ? TextStyle::formula_strong : TextStyle::heading;
  const std::string rest = canvas.ellipsized(
      words.rest, style, first.w - canvas.width(words.before, style) - canvas.width(words.whose, style));
  canvas.rich({first.x, baseline}, {{words.before, style, theme.text},
                                    {words.whose, style, theme.identity(Role::query)},
                                    {rest, style, theme.text}});
  if (area.h < reading_line_low) return;
  Rect second = area.cut_top(reading_line_low);
  if (state.pinned && instead.empty()) {
    constexpr std::string_view more = "Where it comes from";
    const Rect box = second.cut_right(canvas.width(more, TextStyle::reading_small) + 20).inset(0, -2);
    if (button(context.ui, "more", box.moved(10, 0), more,
               {.kind = ButtonKind::quiet, .keys = action_named("panel.inspector")->keys()}))
      open_panel(context, SidePanel::inspector);
  }
  // Beside the words of a sentence, which name what they need, the terms of the formulas come too early.
  const Step* const step = context.session.lesson().step();
  const bool is_sentence = step != nullptr && step->picture && std::holds_alternative<SentencePicture>(*step->picture);
  const bool computed = explanation->terms.size() > 1 && explanation->softmax_row.empty();
  const std::string symbols = !instead.empty() ? std::string(instead)
                              : computed       ? explanation->numbers
                              : is_sentence    ? std::string()
                                               : as_sentence(info(cell.tensor).about);
  const TextStyle set_in = computed && instead.empty() ? TextStyle::code : TextStyle::reading_small;
  canvas.text_in(second, canvas.ellipsized(symbols, set_in, second.w), set_in, theme.text2);
}

// --- A page ----------------------------------------------------------------------------------------------------------

/// The lecture's title, below which the others open. In a review what it is.
void draw_lecture_picker(ViewContext& context, const Rect& row) {
  const Session& session = context.session;
  if (review_of(session) != nullptr) {
    const Canvas canvas = context.ui.canvas();
    const std::string words = canvas.ellipsized(words_of_review(session), TextStyle::body, row.w);
    return canvas.text_in(row, words, TextStyle::body, canvas.theme().text2);
  }
  const Lecture* const lecture = session.lesson().lecture();
  std::vector<std::string> titles, progress;
  int index = -1;
  for (const auto& each : session.lectures()) {
    if (lecture != nullptr && each->id == lecture->id) index = static_cast<int>(titles.size());
    titles.push_back(each->title);
    progress.push_back(short_words_of(progress_in(*each, *session.state().marks)));
  }
  if (lecture != nullptr && index < 0) {
    index = static_cast<int>(titles.size());
    titles.push_back(lecture->title);
    progress.emplace_back();
  }
  if (index < 0) return;
  const int before = index;
  const float width =
      std::min(row.w, context.ui.canvas().width(titles[static_cast<std::size_t>(index)], TextStyle::control) + 52);
  const float height = context.ui.reach(30);
  if (select(context.ui, "lecture", {row.x, row.center().y - height / 2, width, height}, titles, index,
             {.tooltip = "Open another lecture", .notes = progress}) &&
      index != before && index < static_cast<int>(session.lectures().size()))
    act_afterwards(context,
                   [id = session.lectures()[static_cast<std::size_t>(index)]->id](Session& s) { Lesson(s).open(id); });
}

/// The mark, which leads to the start; the lecture, below which the others open; the step's number, and the menu.
void draw_page_head(ViewContext& context, Rect row) {
  draw_page_mark(context, row);
  draw_page_menu(context, row, menu_entries(context.session, LessonForm::page));
  if (const float counter = draw_step_counter(context, row); counter > 0) row.cut_right(counter + 12);
  draw_lecture_picker(context, row);
}

/// Whether the person has gone to another picture than the step's.
bool shows_another_picture(const Session& session) {
  const LessonState& lesson = session.lesson();
  const View shown = session.display().view;
  if (lesson.step() == nullptr) return false;
  if (lesson.step()->compare || session.state().checking.is_of_step()) return shown != View::compare;
  if (shown != look_of_step(*lesson.lecture(), lesson.at.index, session.setup()).view) return true;
  return shown == View::pipeline &&
         !made_alike(lesson.step()->look_at.tensor, session.selection().tensor, session.setup());
}

/// Back and on, what brings the lesson's numbers and its picture back, and the workbench.
void draw_page_foot(ViewContext& context, Rect row) {
  constexpr float arrow = 46;
  Ui& ui = context.ui;
  Session& session = context.session;
  const Canvas canvas = ui.canvas();
  const auto step = [&](std::string_view id, Icon icon, int by, ButtonKind kind) {
    if (icon_button(ui, id, row.cut_left(arrow), icon,
                    {.kind = kind,
                     .enabled = can_step(session, by),
                     .tooltip = by < 0 ? "The step before" : "The next step",
                     .keys = by < 0 ? "←" : "→"}))
      act_afterwards(context, [by](Session& s) { Lesson(s).step_by(by); });
    row.cut_left(8);
  };
  step("back", Icon::backward, -1, ButtonKind::normal);
  NextPress press = next_press(session);
  const bool is_next_lecture = press.label.starts_with("Next: ");
  const bool asked = session.lesson().question() != nullptr;
  if (is_next_lecture) {
    const float width = canvas.width(press.label, TextStyle::control_strong) + 36;
    if (button(ui, "press", row.cut_left(width), press.label, {.kind = ButtonKind::primary, .keys = "Enter"}))
      act_afterwards(context, press.act);
    row.cut_left(8);
  } else {
    step("on", Icon::forward, 1, asked ? ButtonKind::normal : ButtonKind::primary);
  }
  if (press.enabled && takes_enter(context)) act_afterwards(context, std::move(press.act));
  const auto quiet = [&](std::string_view id, const Rect& r, std::string_view words, std::string_view keys) {
    return button(ui, id, r, words, {.kind = ButtonKind::quiet, .keys = keys});
  };
  if (const Review* const review = review_of(session)) {
    const std::string skip = "Skip to " + title_of_lecture(session, review->lecture);
    const float width = canvas.width(skip, TextStyle::control_strong) + 24;
    if (quiet("skip", row.cut_right(std::min(width, row.w)).moved(12, 0), skip, {}))
      act_afterwards(context, [](Session& s) { Lesson(s).skip_review(); });
    return;
  }
  draw_workbench_button(context, row);
  if (!context.memory.get<KeptPage>().has_code && action_named("step.code")->enabled(session))
    draw_over_button(context, Over::code, row.cut_right(over_button_width(Over::code) + 20).inset(4, 0));
  if (action_named("step.more")->enabled(session))
    draw_over_button(context, Over::more, row.cut_right(over_button_width(Over::more) + 20).inset(4, 0));
  const auto back = [&](std::string_view id, std::string_view words, std::string_view keys) {
    row.cut_left(8);
    const float width = canvas.width(words, TextStyle::control_strong) + 24;
    return width <= row.w && quiet(id, row.cut_left(width), words, keys);
  };
  const Action& reset = *action_named("lecture.reset");
  if (differs_from_step(session) && back("reset", "Back to the lesson's numbers", reset.keys()))
    act_afterwards(context, [&reset](Session& s) { run(reset, s); });
  if (shows_another_picture(session) && back("picture", "Back to the step's picture", {}))
    act_afterwards(context, [](Session& s) { Lesson(s).go_to(s.lesson().at.index); });
}

// --- Parts of the workbench ------------------------------------------------------------------------------------------

std::vector<SetupGroup> groups_of(const ShownParts& shows) {
  std::vector<SetupGroup> groups;
  for (std::size_t i = 0; i < setup_group_labels.size(); ++i) {
    const auto same = [&](const std::string& word) {
      return std::ranges::equal(word, setup_group_labels[i], {}, {}, lower);
    };
    if (std::ranges::any_of(shows.setup, same)) groups.push_back(static_cast<SetupGroup>(i));
  }
  return groups;
}

void draw_part_frame(const Canvas& canvas, const Rect& r) {
  canvas.fill(r, canvas.theme().panel, 8);
  canvas.stroke(r, canvas.theme().line, 1, 8);
}

void draw_shown_inspector(const ViewContext& context, const Rect& area) {
  draw_part_frame(context.ui.canvas(), area);
  context.ui.push_clip(area);
  ViewContext alone = context;
  alone.wordless = true;
  side_panel(context, SidePanel::inspector)(alone, area.inset(1, 1));
  context.ui.pop_clip();
}

/// The inspector below the words of a step, where they leave it room; returns whether it is there.
bool draw_inspector_below(ViewContext& context, Rect words, float height) {
  constexpr float least = 230, between = 18;
  const Step* const step = context.session.lesson().step();
  words.cut_top(height + between);
  if (step == nullptr || !step->shows.inspector || words.h < least) return false;
  draw_shown_inspector(context, words);
  return true;
}

/// Cuts the parts that the step opens off the area of its picture, and draws them: the map above, the others at the
/// right, or below where that leaves the picture too little width.
void draw_shown_parts(ViewContext& context, Rect& area, ShownParts shows) {
  constexpr float width = 290, least_picture = 300, share = 0.38f, between = 14;
  if (shows == ShownParts{}) return;
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  if (shows.map) {
    const Rect map = area.cut_top(compact_map_height);
    draw_part_frame(canvas, map);
    ui.push_clip(map);
    draw_pipeline_map(context, map);
    ui.pop_clip();
    area.cut_top(between);
  }
  if (!shows.beside()) return;
  const bool at_right = area.w - width - between >= least_picture;
  Rect parts = at_right ? area.cut_right(width) : area.cut_bottom(std::round(share * area.h));
  if (at_right) area.cut_right(between);
  else area.cut_bottom(between);
  const std::vector<SetupGroup> groups = groups_of(shows);
  if (!groups.empty()) {
    const Rect part = shows.inspector ? parts.cut_top(std::round(parts.h / 2) - 6) : parts;
    draw_part_frame(canvas, part);
    draw_setup_groups(context, part.inset(1, 8), groups);
    if (shows.inspector) parts.cut_top(12);
  }
  if (shows.inspector) draw_shown_inspector(context, parts);
}

void draw_page(ViewContext& context, Rect area) {
  Ui& ui = context.ui;
  ui.enlarge_type(least_lesson_type);
  const Rect page = page_of(area);
  const bool is_low = area.h < 560;
  Rect head = area.cut_top(is_low ? ui.reach(42) : page_head);
  Rect foot = area.cut_bottom(is_low ? 50 : page_foot);
  const auto within = [&](Rect r) {
    r.x = page.x;
    r.w = page.w;
    return r;
  };
  ui.begin_part();
  draw_page_head(context, within(head));
  draw_play(context, area);
  ui.begin_part();
  ui.begin_tab_here();
  Rect body = within(area);
  const Rect words = body.cut_left(kept_page(context, body, words_width(context) - page.x).width);
  body.cut_left(area.w >= roomy_page ? 48 : 24);
  const std::optional<Blend> why = asked_blend(context);
  float height = words.h;
  if (why) draw_blend_words(context, *why, words);
  else height = draw_page_words(context, words);
  ui.enlarge_type(least_lesson_type);
  foot = within(foot);
  ui.begin_part();
  draw_page_foot(context, foot.inset(0, (foot.h - ui.reach(38)) / 2));
  ui.begin_part();
  body.cut_top(8);
  if (why) return draw_blend_picture(context, *why, body);
  context.memory.get<WhyMemory>() = {};
  const Rect line = body.cut_bottom(is_low ? reading_line_low + 24 : reading_line);
  body.cut_bottom(8);
  const Step* const step = context.session.lesson().step();
  ShownParts shows = step == nullptr ? ShownParts{} : step->shows;
  if (draw_inspector_below(context, words, height)) shows.inspector = false;
  draw_shown_parts(context, body, shows);
  draw_picture(context, body);
  draw_reading_line(context, line);
}

/// A panel that comes up over the column from below, or sideways over the words alone, and dims the rest.
class LessonSheet {
 public:
  LessonSheet(ViewContext& context, std::string_view id, float share)
      : ui_(context.ui), pulled_(context.memory.get<LessonMemory>().pulled), layer_(ui_, id, ui_.surface()) {
    ui_.cover();
    ui_.serve_finger();
    const Rect surface = ui_.surface();
    const bool beside = is_beside(context);
    const Canvas canvas = ui_.canvas();
    rest_ = surface;
    area_ = beside ? rest_.cut_left(words_width(context)) : surface;
    const Rect above = area_.cut_top(std::min(surface.h, (beside ? 0 : std::round((1 - share) * surface.h)) + pulled_));
    if (!beside) rest_ = above;
    canvas.fill(surface, faded(canvas.theme().canvas, 0.6f));
    canvas.fill(area_, canvas.theme().panel);
    canvas.fill({area_.x, area_.y, area_.w, 1.5f}, canvas.theme().control);
    const Rect handle{area_.center().x - 18, area_.y + 5, 36, 4};
    canvas.fill(handle, canvas.theme().line_strong, 2);
    area_.cut_top(8);
  }
  LessonSheet(const LessonSheet&) = delete;
  LessonSheet& operator=(const LessonSheet&) = delete;

  const Rect& area() const { return area_; }

  /// Call it when the sheet's content is drawn. Whether its cross or the area beside it was tapped, or its head was
  /// pulled down far enough.
  bool closed() {
    constexpr float far_enough = 80;
    bool closes = !rest_.empty() && ui_.item("rest", rest_, {.focusable = false}).clicked;
    const Rect cross{area_.right() - fingertip - 6, area_.y + 1, fingertip, fingertip};
    ui_.canvas().fill(cross, ui_.theme().panel);
    closes |= icon_button(ui_, "close", cross, Icon::cross, {.kind = ButtonKind::quiet, .tooltip = "Close"});
    const Item head = ui_.item("head", {area_.x, area_.y - 8, cross.x - area_.x, fingertip + 8}, {.focusable = false});
    ui_.claim_drag(head);
    closes |= head.released_now && pulled_ > far_enough;
    pulled_ = head.held ? std::max(0.0f, ui_.mouse().y - ui_.pressed_at().y) : 0;
    if (head.held || head.released_now) ui_.request_frame();
    return closes;
  }

 private:
  Ui& ui_;
  float& pulled_;
  Layer layer_;
  Rect rest_;
  Rect area_;
};

/// On its page a word of the sentence stays chosen: by its share, whatever the sheet was about.
void choose_share_again(ViewContext& context) {
  act_afterwards(context, [](Session& session) {
    Selecting(session).pin(cell_of(attention_selection(session), session.setup()));
  });
}

void close_sheet(ViewContext& context) {
  context.memory.get<PanelsMemory>().sheet.reset();
  if (on_sentence_page(context.session)) return choose_share_again(context);
  act_afterwards(context, [](Session& session) { Selecting(session).release(); });
}

/// The panel that was asked for, or the explanation of the pinned number.
void draw_sheet(ViewContext& context) {
  const std::optional<SidePanel> asked = context.memory.get<PanelsMemory>().sheet;
  const bool pinned = context.session.state().pinned;
  if (asked == SidePanel::setup) {
    LessonSheet sheet(context, "setup sheet", 1);
    side_panel(context, SidePanel::setup)(context, sheet.area());
    if (sheet.closed()) context.memory.get<PanelsMemory>().sheet.reset();
  } else if (asked || (pinned && is_small_window(context) && !on_sentence_page(context.session))) {
    LessonSheet sheet(context, "explanation", sheet_share);
    if (pinned) draw_inspector(context, sheet.area());
    else side_panel(context, SidePanel::inspector)(context, sheet.area());
    if (sheet.closed()) close_sheet(context);
  }
}

}  // namespace

void draw_lesson(ViewContext& context) {
  Ui& ui = context.ui;
  Rect area = ui.surface();
  const LessonForm form = form_of(context);
  ui.canvas().fill(area, ui.theme().canvas);
  if (form != LessonForm::page || ui.input().by_finger) ui.serve_finger();
  ui.push_id("lesson");
  if (on_sentence_page(context.session)) {
    draw_sentence_page(context, area);
    ui.pop_id();
    return draw_sheet(context);
  }
  if (const StepWords* const words = context.session.step_words().get(); words != nullptr && words->question)
    take_question_keys(context, *words->question);
  draw_progress(context, area.cut_top(steps_height));
  if (form == LessonForm::page) {
    draw_page(context, area);
  } else {
    ui.begin_part();
    draw_lesson_head(context, area.cut_top(head_height).inset(head_margin, 0));
    ui.begin_part();
    if (form == LessonForm::column) draw_foot(context, area.cut_bottom(foot_height));
    draw_play(context, area);
    ui.begin_part();
    draw_parts(context, area);
  }
  ui.pop_id();
  if (form == LessonForm::page || context.session.state().over == Over::code) draw_over(context, ui.surface());
  draw_sheet(context);
}

void finish_lesson(ViewContext& context) {
  std::optional<SidePanel>& sheet = context.memory.get<PanelsMemory>().sheet;
  if (context.presenting || !has_sheets(context) || !sheet || !context.ui.take_key(Key::escape)) return;
  sheet.reset();
  if (on_sentence_page(context.session)) choose_share_again(context);
  context.ui.request_frame();
}

}  // namespace headlight
