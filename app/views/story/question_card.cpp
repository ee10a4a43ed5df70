#include "app/views/story/question_card.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/story/linked_words.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr float usual_row = 28;
constexpr float row_for_finger = 50;
constexpr float show_width = 72;
constexpr float next_width = 72;
constexpr std::string_view show_words = "Show the answer";

/// The letter of a place among the choices of a lesson.
std::string letter_of(std::size_t place) { return std::string(1, static_cast<char>('A' + place)); }

/// The parts of the card below each other; draws where there is a context.
class Card {
 public:
  Card(const Canvas& canvas, ViewContext* context, const Rect& area, const AskedQuestion& asked,
       const MarkdownType& type, CardForm form)
      : canvas_(canvas), context_(context), asked_(asked), type_(type), area_(area), form_(form) {}

  float lay_out() {
    y_ = area_.y + padding();
    if (context_ != nullptr) context_->ui.begin_tab_here();
    if (!asked_.shown) ask();
    else if (is_compact()) answer_compactly();
    else answer();
    return std::max(y_ + padding() - area_.y, area_.h);
  }

 private:
  const Theme& theme() const { return canvas_.theme(); }
  bool is_brief() const { return form_ == CardForm::brief || form_ == CardForm::answer; }
  bool is_compact() const { return form_ == CardForm::compact || is_brief(); }
  /// In large type, its choices below each other.
  bool is_column() const { return form_ == CardForm::column || is_lesson(); }
  bool is_lesson() const { return form_ == CardForm::lesson || form_ == CardForm::tapped; }
  float padding() const {
    return is_lesson() ? std::round(0.7f * type_.line_height) : is_column() ? 0 : is_compact() ? 8 : 12;
  }
  float row_height() const {
    const bool for_finger = form_ == CardForm::column || form_ == CardForm::tapped;
    return for_finger ? row_for_finger : is_lesson() ? std::round(1.5f * type_.line_height) : usual_row;
  }
  float hint_width() const { return is_column() ? 96 : 56; }
  float gap() const { return is_compact() ? 4 : 8; }
  Rect inner(float height) const { return {area_.x + padding(), y_, area_.w - 2 * padding(), height}; }

  void words(const Markdown& markdown, const MarkdownType& type) {
    if (markdown.empty()) return;
    y_ += linked_words(canvas_, context_, inner(0), markdown, type) + gap();
  }

  void ask() {
    words(asked_.ask, type_);
    if (is_lesson()) return ask_in_lesson();
    missed();
    if (is_compact()) words(asked_.hint, type_);
    if (asked_.kind == Question::Kind::order) items();
    if (asked_.kind == Question::Kind::draw) bars();
    const bool choice = asked_.kind == Question::Kind::choice;
    const float buttons = show_width + 6 + (has_hint_button() ? hint_width() + 6 : 0);
    if (choice && is_compact() && fit_in_one_row(inner(0).w - buttons)) {
      const float y = y_;
      choices(inner(0).w - buttons);
      y_ = y;
    } else if (choice) {
      choices(inner(0).w);
    }
    if (!is_compact()) words(asked_.hint, type_);
    footer();
  }

  /// What is said about a guess is below the choices, which keep their places.
  void ask_in_lesson() {
    y_ += 2;
    if (asked_.kind == Question::Kind::order) items();
    if (asked_.kind == Question::Kind::draw) bars();
    if (asked_.kind == Question::Kind::choice) choices_in_column();
    else column_footer();
    missed();
    words(asked_.hint, type_);
    lesson_footer();
  }

  /// A row at the bottom, wherever that is.
  Rect last_row() {
    y_ = std::max(y_ + 2, area_.bottom() - padding() - row_height());
    const Rect row = inner(row_height());
    y_ = row.bottom();
    return row;
  }

  /// Words as a button without a frame, which end or begin at the row's end.
  bool quiet_link(std::string_view id, Rect& row, std::string_view words, bool at_right, const ButtonOptions& options) {
    constexpr float inside = 10;
    const float width = canvas_.width(words, type_.plain) + 2 * inside;
    const Rect box = at_right ? row.cut_right(width).moved(inside, 0) : row.cut_left(width).moved(-inside, 0);
    const Item item = context_->ui.item(id, box);
    context_->ui.say_control(item, words, "button");
    if (item.hovered) canvas_.fill(box, theme().hover, 6);
    if (item.focused) canvas_.focus_ring(box);
    const Color ink = item.hovered ? theme().text : theme().text2;
    canvas_.text_in(box, words, type_.plain, ink, Align::center);
    const float baseline = canvas_.centered_baseline(box, type_.plain);
    canvas_.fill({box.x + inside, baseline + 3, box.w - 2 * inside, 1}, ink);
    context_->ui.tooltip(item, options.tooltip, options.keys);
    return item.clicked;
  }

  void lesson_footer() {
    Rect row = last_row();
    if (context_ == nullptr) return;
    if (has_hint_button() && quiet_link("hint", row, "Hint", false, {.keys = "H"}))
      Lesson(context_->session).show_hint();
    if (quiet_link("show", row, show_words, true, {}))
      context_->memory.get<FrameMemory>().after_frame = [](Session& s) { Lesson(s).show_answer(); };
    if (asked_.missed.has_value()) canvas_.text_in(row, "One more try, or", type_.plain, theme().text2, Align::right);
  }

  void missed() {
    if (asked_.missed_words.empty()) return;
    // In a lesson the choice itself has the cross.
    if (!is_lesson() || asked_.kind != Question::Kind::choice)
      line(Icon::cross, theme().error, asked_.missed_words + ". Try once more.");
    y_ += 2;
    if (!has_room_for_hint_alone()) words(asked_.about_miss, type_);
  }

  /// A hint that was asked for after the guess takes the place of what is said about that.
  bool has_room_for_hint_alone() const { return (is_lesson() || is_brief()) && !asked_.hint.empty(); }

  bool has_hint_button() const { return asked_.has_hint && asked_.hint.empty(); }

  static constexpr float between_choices = 4;

  /// The width of each where all of them are in one row.
  float width_of_choice(float width) const {
    const auto count = static_cast<float>(asked_.choices.size());
    return (width - between_choices * (count - 1)) / count;
  }

  bool fit_in_one_row(float width) const {
    if (is_column()) return false;
    const float each = width_of_choice(width);
    return std::ranges::all_of(asked_.choices, [&](const std::string& choice) {
      return canvas_.width("● " + choice, TextStyle::control) + 20 <= each;
    });
  }

  /// Beside each other where all of them are short.
  void choices(float width) {
    constexpr float between = between_choices;
    const float each = width_of_choice(width);
    const bool one_row = fit_in_one_row(width);
    if (is_column()) return choices_in_column();
    for (std::size_t place = 0; place < asked_.order.size(); ++place) {
      Rect row = inner(row_height());
      if (one_row) row = {row.x + static_cast<float>(place) * (each + between), row.y, each, row.h};
      if (!one_row || place + 1 == asked_.order.size()) y_ += row_height() + between;
      if (context_ == nullptr) continue;
      context_->ui.push_id(static_cast<int>(place));
      const std::string& words = asked_.choices[asked_.order[place]];
      const auto choice = static_cast<double>(asked_.order[place]);
      const bool chosen = asked_.guess == choice;
      if (button(context_->ui, "choice", row, chosen ? "● " + words : words,
                 {.enabled = asked_.missed != choice, .selected = chosen}))
        Lesson(context_->session).guess(choice);
      context_->ui.pop_id();
    }
    y_ += 4;
  }

  /// Each as a row that a finger reaches, with its letter at the left.
  void choices_in_column() {
    constexpr float mark = 40;
    const float between = is_lesson() ? 6 : 8;
    const float line = type_.line_height - 1;
    // Many short ones stand in pairs, so that the card stays low.
    constexpr std::size_t many = 5;
    const float half = (inner(0).w - between) / 2;
    const bool in_pairs =
        is_lesson() && asked_.choices.size() >= many && std::ranges::all_of(asked_.choices, [&](const auto& choice) {
          return canvas_.width(choice, type_.strong) <= half - mark - 36;
        });
    for (std::size_t place = 0; place < asked_.order.size(); ++place) {
      const auto choice = static_cast<double>(asked_.order[place]);
      const auto lines = canvas_.wrapped(asked_.choices[asked_.order[place]], type_.plain, inner(0).w - mark - 36);
      Rect row = inner(std::max(row_height(), line * static_cast<float>(lines.size()) + (is_lesson() ? 10 : 20)));
      const bool ends_row = !in_pairs || place % 2 == 1 || place + 1 == asked_.order.size();
      if (ends_row) y_ = row.bottom() + between;
      if (in_pairs) row = {row.x + static_cast<float>(place % 2) * (half + between), row.y, half, row.h};
      if (context_ == nullptr) continue;
      const bool chosen = asked_.guess == choice;
      const bool missed = asked_.missed == choice;
      context_->ui.push_id(static_cast<int>(place));
      const Item item = context_->ui.item("choice", row, {.enabled = !missed});
      context_->ui.pop_id();
      context_->ui.say_control(item, asked_.choices[asked_.order[place]], "choice",
                               chosen ? "your guess" : fmt::format("{} of {}", place + 1, asked_.order.size()));
      const bool lit = chosen || item.hovered;
      canvas_.fill(row,
                   missed        ? mix(theme().raised, theme().error, 0.12)
                   : is_lesson() ? theme().hover
                   : lit         ? theme().hover
                                 : theme().raised,
                   8);
      canvas_.stroke(row, missed ? theme().error : lit ? theme().text : theme().control, lit ? 2.0f : 1.0f, 8);
      if (item.focused) canvas_.focus_ring(row, 8);
      canvas_.text_in({row.x + 14, row.y, mark - 14, row.h}, letter_of(place), type_.code, theme().text2);
      if (missed) canvas_.icon(Icon::cross, {row.right() - 28, row.center().y - 8}, theme().error, 2);
      float baseline = row.center().y - line * (static_cast<float>(lines.size()) - 1) / 2 + 6;
      for (const std::string_view words : lines) {
        canvas_.text({row.x + mark, baseline}, words, chosen ? type_.strong : type_.plain,
                     missed ? theme().text2 : theme().text);
        baseline += line;
      }
      if (item.clicked) Lesson(context_->session).guess(choice);
    }
    y_ += 4;
  }

  /// What is to be put in order, beside each other where all of it is short: dragged to its place, or moved there by
  /// the arrows.
  void items() {
    const bool one_row = fit_in_one_row(inner(0).w - 24);
    const float between = is_column() ? 6 : between_choices;
    const float height = row_height();
    const Rect first{inner(0).x, y_, one_row ? width_of_choice(inner(0).w) : inner(0).w, height};
    const Point step = one_row ? Point{first.w + between, 0} : Point{0, height + between};
    y_ += (one_row ? 1 : static_cast<float>(asked_.arrangement.size())) * (height + between) + 4;
    if (context_ == nullptr) return;
    for (std::size_t place = 0; place < asked_.arrangement.size(); ++place) item_to_move(place, first, step);
  }

  void item_to_move(std::size_t place, const Rect& first, Point step) {
    Ui& ui = context_->ui;
    const auto at = static_cast<float>(place);
    const Rect row = first.moved(at * step.x, at * step.y);
    ui.push_id(static_cast<int>(asked_.arrangement[place]));
    const Item item = ui.item("item", row);
    ui.pop_id();
    ui.claim_edit(item);
    const bool lit = item.held || item.hovered;
    canvas_.fill(row, lit ? theme().hover : theme().field, 6);
    canvas_.stroke(row, item.held ? theme().text : theme().control, item.held ? 2.0f : 1.0f, 6);
    if (item.focused) canvas_.focus_ring(row, 6);
    const std::string& words = asked_.choices[asked_.arrangement[place]];
    ui.say_focused(item, fmt::format("{} of {}: {}", place + 1, asked_.arrangement.size(), words));
    Rect inside = row.inset(10, 0);
    canvas_.icon(Icon::menu, {inside.right() - 12, inside.center().y - 6}, theme().text3, 1.5f, 12);
    inside.cut_right(18);
    canvas_.text_in(inside.cut_left(16), std::to_string(place + 1), type_.code, theme().text2);
    canvas_.text_in(inside, canvas_.ellipsized(words, type_.plain, inside.w), type_.plain, theme().text);
    const std::size_t to = place_of(item, place, first, step);
    if (to != place) {
      std::vector<std::size_t> moved = asked_.arrangement;
      moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(place));
      moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), asked_.arrangement[place]);
      Lesson(context_->session).guess(guess_of(moved));
      ui.request_frame();
    }
    if (item.focused && item.clicked && asked_.guess)
      context_->memory.get<FrameMemory>().after_frame = [](Session& s) { Lesson(s).check_guess(); };
  }

  /// The place that an item is dragged to, or moved to by a key.
  std::size_t place_of(const Item& item, std::size_t place, const Rect& first, Point step) {
    Ui& ui = context_->ui;
    const auto last = static_cast<float>(asked_.arrangement.size() - 1);
    if (item.held && item.dragged) {
      const float places = step.x > 0 ? (ui.mouse().x - first.x) / step.x : (ui.mouse().y - first.y) / step.y;
      return static_cast<std::size_t>(std::clamp(std::floor(places), 0.0f, last));
    }
    if (!item.focused) return place;
    if (ui.take_key(Key::up) || ui.take_key(Key::left)) return place - std::min<std::size_t>(place, 1);
    if (ui.take_key(Key::down) || ui.take_key(Key::right)) return std::min(place + 1, asked_.arrangement.size() - 1);
    return place;
  }

  /// A row of shares as bars, each dragged or moved by the arrows while the others give way. Once the answer shows, the
  /// true shares, with a line where each bar was drawn.
  void bars() {
    const auto count = static_cast<float>(asked_.choices.size());
    const float numbers = type_.line_height - 4;
    const float high = is_lesson() ? 120 : is_column() ? 110 : is_compact() ? 44 : 80;
    Rect area = inner(numbers + high + type_.line_height);
    y_ = area.bottom() + 4;
    if (context_ == nullptr) return;
    const float between = 8;
    area.w = std::min(area.w, 74 * count);
    const float each = (area.w - between * (count - 1)) / count;
    for (std::size_t i = 0; i < asked_.choices.size(); ++i) {
      const Rect column{area.x + static_cast<float>(i) * (each + between), area.y, each, area.h};
      draw_bar(i, column, {column.x, column.y + numbers, column.w, high});
    }
  }

  void draw_bar(std::size_t i, const Rect& column, const Rect& bar) {
    const auto part_of = [&](double share) {
      const float high = std::max(1.0f, bar.h * static_cast<float>(std::clamp(share, 0.0, 1.0)));
      return Rect{bar.x, bar.bottom() - high, bar.w, high};
    };
    const bool answered = asked_.shown && i < asked_.row.size();
    const double share = answered ? asked_.row[i] : asked_.drawn[i];
    canvas_.fill(bar, theme().hover, 3);
    canvas_.fill(part_of(share), answered ? theme().ok : theme().text2, 3);
    if (answered && asked_.guess) canvas_.fill({bar.x - 3, part_of(asked_.drawn[i]).y - 1, bar.w + 6, 2}, theme().text);
    canvas_.text_in({column.x - 4, column.y, column.w + 8, bar.y - column.y}, fmt::format("{:.0f} %", 100 * share),
                    TextStyle::code, theme().text, Align::center);
    const Rect name{column.x, bar.bottom(), column.w, column.bottom() - bar.bottom()};
    canvas_.text_in(name, canvas_.ellipsized(asked_.choices[i], type_.plain, name.w), type_.plain, theme().text2,
                    Align::center);
    if (!answered && !asked_.shown) drag_bar(i, bar);
  }

  void drag_bar(std::size_t i, const Rect& bar) {
    Ui& ui = context_->ui;
    const auto id_of = [&](std::size_t which) {
      ui.push_id(static_cast<int>(which));
      const ItemId id = ui.id_of("bar");
      ui.pop_id();
      return id;
    };
    ui.push_id(static_cast<int>(i));
    const Item item = ui.item("bar", bar);
    ui.pop_id();
    ui.claim_edit(item);
    if (item.hovered || item.held) canvas_.stroke(bar, theme().control, 1, 3);
    if (item.focused) canvas_.focus_ring(bar.outset(2), 3);
    ui.say_focused(item, fmt::format("{}: {:.0f} %", asked_.choices[i], 100 * asked_.drawn[i]));
    std::optional<double> share;
    if (item.held) share = static_cast<double>((bar.bottom() - ui.mouse().y) / bar.h);
    if (item.focused) {
      constexpr double step = 0.02;
      if (ui.take_key(Key::up)) share = asked_.drawn[i] + step;
      if (ui.take_key(Key::down)) share = asked_.drawn[i] - step;
      if (ui.take_key(Key::left)) ui.focus(id_of(i - std::min<std::size_t>(i, 1)));
      if (ui.take_key(Key::right)) ui.focus(id_of(std::min(i + 1, asked_.choices.size() - 1)));
    }
    if (share) {
      Lesson(context_->session).guess(guess_of_row(with_share(asked_.drawn, i, *share)));
      ui.request_frame();
    }
    if (item.focused && item.clicked && asked_.guess)
      context_->memory.get<FrameMemory>().after_frame = [](Session& s) { Lesson(s).check_guess(); };
  }

  void number_field(Rect& row) {
    Ui& ui = context_->ui;
    const Question& question = *context_->session.lesson().question();
    auto& memory = context_->memory.get<QuestionMemory>();
    std::string& typed = memory.typed;
    if (typed_guess(question, typed) != asked_.guess)
      typed = asked_.guess ? words_of_typed(question, *asked_.guess) : std::string();
    const float sign = asked_.is_percentage ? std::ceil(canvas_.width("%", type_.plain)) : 0;
    const Rect field{row.x, row.y, std::min(120.0f, row.w - (sign > 0 ? sign + 6 : 0)), row.h};
    if (sign > 0) canvas_.text_in({field.right() + 6, row.y, sign, row.h}, "%", type_.plain, theme().text2);
    const auto is_invalid = [&] {
      const bool is_entered = !typed.empty() && typed == memory.entered;
      return !typed_guess(question, typed) && (is_entered || !begins_number(typed));
    };
    const auto is_enter = [](const KeyPress& press) { return press.chord == Chord{Key::enter}; };
    const bool entered =
        ui.typing() && ui.memory().focused == ui.id_of("number") && std::ranges::any_of(ui.keys(), is_enter);
    const bool invalid = is_invalid();
    ui.begin_row("Your answer");
    const TextEdit edit =
        text_field(ui, "number", field, typed, {.invalid = invalid, .focus_now = std::exchange(memory.mends, false)});
    ui.begin_row({});
    // As long as the text is not a number, there is no guess, even if it begins with a number.
    if (edit.changed) Lesson(context_->session).guess(typed_guess(question, typed));
    if (entered) memory.entered = typed;
    memory.mends = entered && !edit.active && is_invalid();
    if (entered && asked_.guess && !is_invalid() && !context_->presenting)
      context_->memory.get<FrameMemory>().after_frame = [](Session& s) { Lesson(s).check_guess(); };
    if (memory.mends) ui.expect_keyboard();
    if (invalid) refuse(why_not_a_number(typed), field);
  }

  /// Over everything and above the field, so that nothing moves.
  void refuse(const std::string& why, const Rect& field) {
    const Canvas over = context_->ui.overlay();
    const float width = over.width(why, TextStyle::caption) + 20;
    const float last = context_->ui.surface().right() - width - 8;  // where it ends in the window
    const Rect bubble{std::max(8.0f, std::min(field.x, last)), field.y - 30, width, 26};
    over.fill(bubble, theme().raised, 6);
    over.stroke(bubble, theme().error, 1, 6);
    over.text_in(bubble.inset(10, 0), why, TextStyle::caption, theme().error);
  }

  void footer() {
    const float with_field = show_width + 6 + hint_width() + 8 + 72;
    if (is_column()) return column_footer();
    if (asked_.kind == Question::Kind::number && inner(0).w < with_field) {  // the field has a row of its own
      Rect row = inner(row_height());
      if (context_ != nullptr) number_field(row);
      y_ += row_height() + gap();
    }
    Rect row = inner(row_height());
    y_ += row_height();
    if (context_ == nullptr) return;
    Session& session = context_->session;
    Ui& ui = context_->ui;
    const char* const tip = !asked_.guess   ? show_words.data()
                            : asked_.missed ? "See whether that is right, and why"
                                            : "See whether that is right; you have two tries";
    const bool quiet = !context_->presenting && !asked_.guess;
    if (button(ui, "show", row.cut_right(show_width), asked_.guess ? "Check" : "Show",
               {.kind = quiet ? ButtonKind::quiet : ButtonKind::primary, .tooltip = tip, .keys = "Enter"}) ||
        (!ui.memory().focus_visible && !ui.typing() && ui.take_key(Key::enter)))
      context_->memory.get<FrameMemory>().after_frame = [](Session& s) { Lesson(s).check_guess(); };
    if (has_hint_button()) {
      row.cut_right(6);
      if (button(ui, "hint", row.cut_right(hint_width()), "Hint", {.kind = ButtonKind::quiet}))
        Lesson(session).show_hint();
    }
    row.cut_right(8);
    if (asked_.kind == Question::Kind::number) return inner(0).w < with_field ? void() : number_field(row);
    if (is_made()) how_to_make(row);
    if (is_pointed_at(asked_.kind))
      point_field(row, fmt::format("{} its {}.", click(), asked_.kind == Question::Kind::row ? "row" : "cell"));
  }

  /// Whether an answer is made of several parts, and then checked.
  bool is_made() const { return asked_.kind == Question::Kind::order || asked_.kind == Question::Kind::draw; }

  void how_to_make(const Rect& row) {
    const std::string_view how = asked_.kind == Question::Kind::draw ? "Drag the bars." : "Drag them into order.";
    if (canvas_.width(how, type_.plain) <= row.w) canvas_.text_in(row, how, type_.plain, theme().text2);
  }

  /// What people do to a thing, with a mouse or with a finger.
  std::string_view click() const {
    return context_->ui.serves_finger() || context_->ui.input().by_finger ? "Tap" : "Click";
  }

  /// Says how to choose in the picture, or what is chosen. With the keyboard on it, arrows go from choice to choice,
  /// and Enter takes one.
  void point_field(const Rect& row, std::string_view how) {
    Ui& ui = context_->ui;
    Session& session = context_->session;
    const Item item = ui.item("point", row);
    std::optional<double>& aimed = context_->memory.get<AimedChoice>().choice;
    if (!item.focused) aimed.reset();
    else if (!aimed) aimed = asked_.guess.value_or(0);
    constexpr std::pair<Key, Direction> arrows[] = {{Key::left, Direction::left},
                                                    {Key::right, Direction::right},
                                                    {Key::up, Direction::up},
                                                    {Key::down, Direction::down}};
    for (const auto& [key, direction] : arrows)
      if (aimed && ui.take_key(key)) aimed = choice_beside(session, *aimed, direction);
    if (aimed && item.clicked) Lesson(session).guess(*aimed);
    if (item.focused) canvas_.focus_ring(row);
    const std::optional<double> choice = aimed ? aimed : asked_.guess;
    if (!choice || *choice >= static_cast<double>(asked_.choices.size())) {
      if (canvas_.width(how, type_.plain) <= row.w) canvas_.text_in(row, how, type_.plain, theme().text2);
      return;
    }
    const std::string& label = asked_.choices[static_cast<std::size_t>(*choice)];
    const std::string words = (aimed ? "Enter chooses " : "Your guess: ") + label;
    if (item.focused) ui.say(words);
    const std::string& fitting = canvas_.width(words, type_.plain) <= row.w ? words : label;
    canvas_.text_in(row, canvas_.ellipsized(fitting, type_.plain, row.w), type_.plain, theme().text2);
  }

  /// The field of a number, or what to do where nothing is chosen; and a hint. The button that checks is at the foot of
  /// the screen.
  void column_footer() {
    const bool points = is_pointed_at(asked_.kind);
    const bool types = asked_.kind == Question::Kind::number;
    const bool hints = has_hint_button() && !is_lesson();
    if (!hints && !points && !types && !is_made()) return;
    Rect row = inner(row_height());
    y_ += row_height() + (is_lesson() ? gap() : 0);
    if (context_ == nullptr) return;
    if (hints && button(context_->ui, "hint", row.cut_right(hint_width()), "Hint"))
      Lesson(context_->session).show_hint();
    if ((types || is_made()) && is_lesson() &&
        button(context_->ui, "check", row.cut_right(hint_width()), "Check",
               {.kind = ButtonKind::primary, .enabled = asked_.guess.has_value(), .keys = "Enter"}))
      context_->memory.get<FrameMemory>().after_frame = [](Session& s) { Lesson(s).check_guess(); };
    if (types) number_field(row);
    if (is_made()) how_to_make(row);
    if (points) point_field(row, fmt::format("{} it in the picture.", click()));
  }

  void line(Icon icon, Color color, const std::string& text) {
    const auto lines = canvas_.wrapped(text, type_.strong, inner(0).w - 22);
    if (context_) canvas_.icon(icon, {inner(0).x, y_ + 2}, color, 2, 14);
    for (std::string_view each : lines) {
      if (context_) canvas_.text({inner(0).x + 22, y_ + type_.line_height - 6}, each, type_.strong, theme().text);
      y_ += type_.line_height;
    }
  }

  void guessed() {
    if (!asked_.guess_words.empty()) line(Icon::cross, theme().error, asked_.guess_words);
  }

  bool has_bars() const { return asked_.kind == Question::Kind::draw && !is_brief(); }

  /// The bars below it say which.
  std::string answer_words() const { return has_bars() && asked_.answer ? "The true shares" : words_of_answer(asked_); }

  void answered() {
    line(asked_.answer ? Icon::check : Icon::help, asked_.answer ? theme().ok : theme().text3, answer_words());
  }

  void answer() {
    words(asked_.ask, type_);
    guessed();
    answered();
    if (has_bars()) bars();
    y_ += 4;
    words(asked_.why, type_);
    if (is_lesson()) return answered_footer();
    const Rect row = inner(row_height());
    y_ += row_height();
    if (context_ != nullptr) buttons(row);
  }

  void answered_footer() {
    Rect row = last_row();
    if (context_ == nullptr) return;
    ViewMemory& memory = context_->memory;
    if (asked_.can_go_on && button(context_->ui, "next", row.cut_right(110), "Next  →",
                                   {.kind = ButtonKind::primary, .tooltip = "The next step", .keys = "Enter"}))
      memory.get<FrameMemory>().after_frame = [](Session& session) { Lesson(session).step_by(1); };
    if (!quiet_link("again", row, "Ask me again", false, {.tooltip = "Hide the answer and clear your guess"})) return;
    memory.get<QuestionMemory>().typed.clear();
    memory.get<FrameMemory>().after_frame = [](Session& session) { Lesson(session).ask_again(); };
  }

  /// As much of the question as a line holds; the pointer shows all of it.
  void ask_in_one_line() {
    if (linked_words(canvas_, nullptr, inner(0), asked_.ask, type_) < 1.5f * type_.line_height)
      return words(asked_.ask, type_);
    if (form_ == CardForm::answer) return;
    const Rect row = inner(type_.line_height);
    y_ = row.bottom() + gap();
    if (context_ == nullptr) return;
    const std::string all = plain_text(asked_.ask);
    canvas_.text({row.x, row.bottom() - 6}, canvas_.ellipsized(all, type_.plain, row.w), type_.plain, theme().text2);
    context_->ui.tooltip(context_->ui.item("asked", row, {.focusable = false}), all);
  }

  void answer_compactly() {
    if (is_brief()) ask_in_one_line();
    else words(asked_.ask, type_);
    guessed();
    const float words_width = canvas_.width(answer_words(), type_.strong) + 22;
    const bool one_row = words_width + 8 + buttons_width() <= inner(0).w;
    const Rect row = inner(row_height());
    if (one_row) {
      y_ += (row_height() - type_.line_height) / 2;
      answered();
      y_ = row.bottom() + 4;
    } else {
      answered();
      y_ += 4;
    }
    if (has_bars()) bars();
    words(asked_.why, type_);
    if (one_row) {
      y_ -= gap();
      if (context_ != nullptr) buttons(row);
      return;
    }
    const Rect last = inner(row_height());
    y_ += row_height();
    if (context_ != nullptr) buttons(last);
  }

  float again_width() const { return canvas_.width("Ask me again", TextStyle::control) + 20; }
  float buttons_width() const { return again_width() + (asked_.can_go_on ? next_width + 8 : 0); }

  void buttons(Rect row) {
    ViewMemory& memory = context_->memory;
    if (asked_.can_go_on && !is_column() &&
        button(context_->ui, "next", row.cut_right(next_width), "Next", {.tooltip = "The next step", .keys = "→"}))
      memory.get<FrameMemory>().after_frame = [](Session& session) { Lesson(session).step_by(1); };
    row.cut_right(8);
    if (!button(context_->ui, "again", row.cut_right(std::min(again_width(), row.w)),
                again_width() <= row.w ? "Ask me again" : "Again",
                {.kind = ButtonKind::quiet, .tooltip = "Hide the answer and clear your guess"}))
      return;
    memory.get<QuestionMemory>().typed.clear();
    memory.get<FrameMemory>().after_frame = [](Session& session) { Lesson(session).ask_again(); };
  }

  const Canvas& canvas_;
  ViewContext* context_;
  const AskedQuestion& asked_;
  const MarkdownType& type_;
  Rect area_;
  CardForm form_;
  float y_ = 0;
};

}  // namespace

void take_question_keys(ViewContext& context, const AskedQuestion& asked) {
  Ui& ui = context.ui;
  if (asked.shown || ui.typing() || ui.is_covered()) return;
  Lesson lesson(context.session);
  if (asked.has_hint && asked.hint.empty() && ui.take_key(Key::h)) lesson.show_hint();
  if (asked.kind != Question::Kind::choice) return;
  const auto key = [](Key first, std::size_t i) { return static_cast<Key>(static_cast<std::size_t>(first) + i); };
  for (std::size_t place = 0; place < std::min<std::size_t>(asked.order.size(), 9); ++place) {
    const bool pressed = ui.take_key(key(Key::digit_1, place)) | ui.take_key(key(Key::a, place));
    const auto choice = static_cast<double>(asked.order[place]);
    if (pressed && asked.missed != choice) lesson.guess(choice);
  }
}

std::string words_of_answer(const AskedQuestion& asked) {
  return asked.answer ? asked.answer_words : "With these settings the question has no single answer.";
}

float question_card(const Canvas& canvas, ViewContext* context, const Rect& area, const AskedQuestion& asked,
                    const MarkdownType& type, CardForm form) {
  const float height = Card(canvas, nullptr, area, asked, type, form).lay_out();
  if (context == nullptr) return height;
  const Rect card{area.x, area.y, area.w, height};
  const float radius = form == CardForm::lesson ? 11 : 8;
  if (form != CardForm::column) canvas.fill(card, canvas.theme().raised, radius);
  if (form != CardForm::column)
    canvas.stroke(card, asked.shown ? canvas.theme().line_strong : canvas.theme().outline, 1, radius);
  context->ui.push_id("question");
  Card(canvas, context, area, asked, type, form).lay_out();
  context->ui.pop_id();
  return height;
}

}  // namespace headlight
