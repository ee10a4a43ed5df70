#include "app/views/setup/setup_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/model/trained_layer.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/play/play.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/changes.hpp"
#include "core/setup/play_number.hpp"
#include "core/setup/value_checks.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr float between_rows = 6, padding = 16;

/// The reasons in one text, without the key if it is the control's own.
std::string reasons(const std::vector<Problem>& problems, std::string_view key) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    if (problem.key != key && !problem.key.empty()) text += problem.key + ": ";
    text += fmt::format("found {}; allowed: {}", problem.found, problem.allowed);
  }
  return text;
}

/// The tensors with given numbers that don't fit the sizes of a setup, though they fit those before.
std::vector<TensorId> held_by_values(const Setup& next, const Setup& before) {
  std::vector<TensorId> held;
  if (next.has_model() || next.sizes == before.sizes || !(next.values == before.values)) return held;
  for (const GivenValue& value : next.values.entries()) {
    if (!exists(value.tensor, next) || std::ranges::count(held, value.tensor) > 0) continue;
    const Shape& given = value.numbers.tensor().shape();
    if (misfit(next, value.tensor, value.part, given) && !misfit(before, value.tensor, value.part, given))
      held.push_back(value.tensor);
  }
  return held;
}

/// "X, W_q and W_k are given, number by number, for the present sizes."
std::string words_of_held(const std::vector<TensorId>& held) {
  std::vector<std::string_view> names;
  for (const TensorId tensor : held) names.push_back(name(tensor));
  const std::string all = listed(names, " and ");
  return held.size() == 1 ? fmt::format("{} is given, number by number, for the present sizes.", all)
                          : fmt::format("{} are given, number by number, for the present sizes.", all);
}

/// The setup with these tensors drawn.
Setup with_draws_of(Setup setup, const std::vector<TensorId>& held) {
  if (setup.random.draws.empty()) setup.random.draws.emplace_back(SeedDraw{0});
  const std::vector<GivenValue> given = setup.values.entries();
  for (const TensorId tensor : held) {
    for (const GivenValue& value : given)
      if (value.tensor == tensor) setup.values.erase(value.tensor, value.part);
    if (!setup.fills(tensor)) setup.random.draws.emplace_back(TensorDraw{tensor, std::nullopt, Distribution::normal});
  }
  if (std::ssize(setup.features) != setup.sizes.d_model) setup.features.clear();
  return setup;
}

}  // namespace

SetupRows::SetupRows(ViewContext& context, float width)
    : context_(context),
      ui_(context.ui),
      session_(context.session),
      memory_(context.memory.get<SetupPanelMemory>()),
      canvas_(context.ui.canvas()),
      width_(width - 2 * padding),
      changes_(context.session.changes()) {
  // If a refused value is no longer in its field, only the reason is left. The next edit removes it, and so does a
  // click, unless it offers something to click.
  const bool in_its_field = memory_.draft && memory_.refusal && memory_.draft->key == memory_.refusal->key;
  const bool offers = memory_.refusal && memory_.refusal->with_draws;
  if (!in_its_field && !offers && ui_.mouse_clicked()) memory_.refusal.reset();
  if (memory_.setup == setup()) return;
  memory_.setup = setup();
  memory_.draft.reset();
  memory_.refusal.reset();
  memory_.adapted.clear();
}

// --- The parts of a row ----------------------------------------------------------------------------------------------

void SetupRows::section(SetupGroup section, std::string_view title, std::string right,
                        const std::optional<LectureValue>& lecture) {
  Boxes parts{words(std::string(title), TextStyle::control_strong, theme().text)};
  if (lecture) parts.push_back(reset_box(*lecture));
  parts.push_back(words(std::move(right), TextStyle::caption, theme().text3).ended());
  Box head = headlight::row(std::move(parts), 6).named(title);
  const float above = (ui_.reach(36) - 18) / 2;
  add(column({space(above), std::move(head), space(above - 2)}).on([this, section](Ui& ui, const Rect& r) {
    ui.canvas().fill({r.x - padding, r.y, r.w + 2 * padding, 1}, theme().line);
    in_asked_section_ = memory_.asked_for == section;
    if (!in_asked_section_) return;
    scroll_->reveal({r.x, r.y, r.w, 100'000});
    scroll_->reveal(r);
    memory_.asked_for.reset();
  }));
}

void SetupRows::reset_button(const Rect& r, const LectureValue& lecture) {
  std::string words = fmt::format("lecture: {}", lecture.text);
  for (const std::string& shorter : {lecture.text, std::string()})
    if (changed_note_width(ui_, words) > r.w + 0.5f) words = shorter;
  const Item item = changed_note(ui_, "reset", {r.x + 4, canvas_.centered_baseline(r, TextStyle::control)}, words);
  ui_.tooltip(item, fmt::format("Back to the lecture's: {}", lecture.text));
  if (item.clicked) lecture.restore();
}

Box SetupRows::reset_box(const LectureValue& lecture) {
  const float best = changed_note_width(ui_, fmt::format("lecture: {}", lecture.text));
  Box box =
      drawn({changed_note_width(ui_, {}), best}, 20, [this, lecture](Ui&, const Rect& r) { reset_button(r, lecture); });
  return std::move(box).ending();
}

Box SetupRows::label_of(const SetupRow& row) {
  Boxes parts{words(row.label, TextStyle::control, theme().text2)};
  if (!row.label_sub.empty()) {
    const float wide = canvas_.width(row.label_sub, TextStyle::control, Script::sub);
    parts.push_back(drawn({wide, wide}, 20, [this, sub = row.label_sub](Ui&, const Rect& r) {
      canvas_.text({r.x, canvas_.centered_baseline(r, TextStyle::control)}, sub, TextStyle::control, theme().text2,
                   Align::left, Script::sub);
    }));
  }
  Box label = headlight::row(std::move(parts), 0).unbroken();
  if (row.tooltip.empty()) return label;
  return std::move(label).under([this, tip = row.tooltip](Ui& ui, const Rect& r) {
    const Rect high{r.x, r.center().y - control_height() / 2, r.w, control_height()};
    ui.tooltip(ui.item("label", high, {.focusable = false}), tip);
  });
}

/// What the row's number was before an edit of another one; a click undoes that.
Box SetupRows::adapted_note(std::string_view key) {
  const auto adapted = std::ranges::find(memory_.adapted, key, &SetupAdapted::key);
  if (adapted == memory_.adapted.end()) return nothing();
  const std::string was = fmt::format("was {}", adapted->was);
  const float wide = changed_note_width(ui_, was);
  return drawn({wide, wide}, 20, [this, was](Ui& ui, const Rect& r) {
    const Item item = changed_note(ui, "was", {r.x + 4, canvas_.centered_baseline(r, TextStyle::control)}, was);
    ui.tooltip(item, fmt::format("It {}, which doesn't fit what you changed. Click to undo the change", was));
    if (item.clicked) session_.undo();
  });
}

/// The button shows while the pointer is on the row; a finger is on none. Its room is always reserved, so that nothing
/// moves.
Box SetupRows::play_box(std::string key) {
  const float wide = ui_.reach(24);
  return drawn({wide, wide}, control_height(), [this, key = std::move(key)](Ui& ui, const Rect& r) {
    if (!ui.serves_finger() && !on_row_) return;
    const Item item = ui.item("play", r, {.focusable = false});
    if (item.hovered) canvas_.fill(r.inset(0, 2), theme().hover, 4);
    canvas_.icon_centered(Icon::play, r, item.hovered ? theme().text : theme().text3);
    ui.tooltip(item, "Play with this number: a large slider, a sweep and a curve");
    if (item.clicked) begin_play(context_, key);
  });
}

Box SetupRows::refusal_of(std::string_view key) {
  if (!refused(key)) return nothing();
  Box why = headlight::row({drawn({14, 14}, 0, [](Ui&, const Rect&) {}),
                            words(memory_.refusal->why, TextStyle::caption, theme().error).high(17).growing()},
                           6)
                .unbroken()
                .on([this](Ui&, const Rect& r) { canvas_.icon(Icon::cross, {r.x - 1, r.y}, theme().error); });
  Boxes parts{std::move(why), space(6)};
  if (memory_.refusal->with_draws) {
    static constexpr std::string_view offer = "Draw them at random";
    const float wide = canvas_.width(offer, TextStyle::control) + 28;
    parts.push_back(drawn({}, control_height(), [this, wide, key = std::string(key)](Ui& ui, const Rect& r) {
                      if (button(ui, "draw instead", {r.x + 20, r.y, wide, r.h}, offer) && memory_.refusal)
                        edit(key, Setup(*memory_.refusal->with_draws));
                    }).named(key));
    parts.push_back(space(8));
  }
  return column(std::move(parts));
}

Box SetupRows::row_of(std::string key, Box box, bool differs) {
  return std::move(box)
      .on([this, differs](Ui& ui, const Rect& r) {
        if (differs) changed_dot(canvas_, {r.x - 8, r.y + std::min(r.h / 2, control_height() / 2)});
        first_control_ = ui.memory().tab_order.size();
        on_row_ = ui.mouse_over(r.outset(2));
      })
      .under([this, key = std::move(key)](Ui&, const Rect& r) { look_for_asked_row(key, first_control_, r); });
}

// --- Rows ------------------------------------------------------------------------------------------------------------

void SetupRows::row(SetupRow row, Draw control) {
  const auto lecture = changed(row.key);
  this->row(std::move(row), lecture, std::move(control));
}

void SetupRows::row(SetupRow row, const std::optional<LectureValue>& lecture, Draw control) {
  constexpr float gap = 6;
  const float button = changed_note_width(ui_, {}) + gap;
  Box label = label_of(row);
  const float beside_label = width_ - room_of(label, ui_).best;
  const bool plays = play_number(session_.trace(), row.key).has_value();
  const float buttons = (this->lecture() != nullptr ? button : 0) + (plays ? button : 0);
  constexpr float roomy = 268;  // in a narrower panel all controls that can shrink do, so that they end in one line
  const float wide = row.control_width - (width_ < roomy ? row.may_shrink : 0);
  const bool both = beside_label - buttons >= wide;  // whether they show or not; else the one to reset comes first

  Boxes left{std::move(label)};
  if (lecture) left.push_back(reset_box(*lecture));
  if (Box was = adapted_note(row.key); !was.empty()) left.push_back(std::move(was).ended());
  if (plays && (both || !lecture)) left.push_back(play_box(row.key).ended());
  Box right = drawn({wide, wide}, control_height(),
                    [this, name = row.label + row.label_sub, control = std::move(control)](Ui& ui, const Rect& r) {
                      first_control_ = ui.memory().tab_order.size();
                      ui.begin_row(name);
                      control(r);
                      ui.begin_row({});
                    });
  Box whole = headlight::row(
      {headlight::row(std::move(left), gap).unbroken().named(row.key).growing(), std::move(right).ended()}, 0);
  add(row_of(row.key, std::move(whole), lecture.has_value()));
  add(space(between_rows));
  add(refusal_of(row.key));
}

void SetupRows::block(std::string key, float height, Draw control) {
  Box box = drawn({}, height, [control = std::move(control)](Ui&, const Rect& r) { control(r); });
  add(row_of(key, std::move(box), changed(key).has_value()));
  add(space(between_rows));
  add(refusal_of(key));
}

void SetupRows::area(float height, Draw content) {
  add(drawn({}, height, [content = std::move(content)](Ui&, const Rect& r) { content(r); }));
}

void SetupRows::note(std::string words) {
  add(headlight::words(std::move(words), TextStyle::caption, theme().text3).high(17));
  add(space(between_rows));
}

void SetupRows::draw_in(const Rect& area) {
  Box all = column(std::move(all_)).inset(padding, 0);
  if (ui_.memory().longer_words) all = lengthened(std::move(all));
  constexpr std::string_view id = "setup scroll";
  // A panel that becomes shorter leaves what the mouse is on where it is.
  const float in_use = ui_.mouse_over(area) ? ui_.memory().scroll.of(ui_.id_of(id)) + area.h : 0;
  ScrollArea scroll(ui_, id, area, std::max(height_of(all, ui_, area.w), in_use), theme().panel);
  scroll_ = &scroll;
  draw(ui_, all, scroll.content());
  find_asked_row();
  scroll_ = nullptr;
}

Rect SetupRows::drawn_at(std::string_view entry) const {
  const auto found = std::ranges::find(drawn_at_, entry, &std::pair<std::string_view, Rect>::first);
  return found == drawn_at_.end() ? Rect{} : found->second;
}

void SetupRows::look_for_asked_row(std::string_view key, std::size_t first_item, const Rect& r) {
  const auto& order = ui_.memory().tab_order;
  if (memory_.asked_row.empty() || first_item >= order.size()) return;
  const Found here{order[first_item].id, r};
  if (in_asked_section_ && !section_start_) section_start_ = here;
  const bool asked =
      key == memory_.asked_row || (key.starts_with(memory_.asked_row) && key[memory_.asked_row.size()] == '[');
  if (asked && !asked_) asked_ = here;
}

void SetupRows::find_asked_row() {
  if (memory_.asked_row.empty()) return;
  memory_.asked_row.clear();
  const std::optional<Found>& found = asked_ ? asked_ : section_start_;
  if (!found) return;
  ui_.focus(found->control);
  scroll_->reveal(found->area.outset(12));
}

// --- Edits ---------------------------------------------------------------------------------------------------------

bool SetupRows::edit(std::string_view key, const Setup& next, std::string_view gesture) {
  if (gesture.empty()) session_.end_gesture();
  if (const auto held = held_by_values(next, setup()); !held.empty()) {
    refuse(key, words_of_held(held), with_draws_of(next, held));
    return false;
  }
  if (const auto problems = session_.edit(next, gesture); !problems.empty()) {
    refuse(key, reasons(problems, key));
    return false;
  }
  memory_.refusal.reset();
  if (memory_.draft && memory_.draft->key != key) memory_.draft.reset();
  memory_.setup = setup();
  memory_.adapted.clear();
  ui_.request_frame();
  return true;
}

/// Records which numbers an edit has changed besides its own, so that their rows say so.
void SetupRows::note_adapted(const SetupKey& changed_entry, const Setup& before) {
  for (const SetupKey& entry : setup_keys())
    if (entry.is_whole() && &entry != setup_key(changed_entry.name) && !entry.same(before, setup()))
      memory_.adapted.push_back({std::string(entry.name), entry.shown(before)});
}

void SetupRows::refuse(std::string_view key, std::string why, std::optional<Setup> with_draws) {
  memory_.refusal = SetupRefusal{std::string(key), std::move(why), std::move(with_draws)};
  if (memory_.draft && memory_.draft->key != key) memory_.draft.reset();
  ui_.request_frame();
}

std::optional<LectureValue> SetupRows::changed(std::string_view key) {
  const auto found =
      std::find_if(changes_.begin(), changes_.end(), [&](const Change& change) { return change.key == key; });
  if (found == changes_.end()) return std::nullopt;
  return LectureValue{found->lecture_value, [this, key = found->key] {
                        if (auto problems = Lesson(session_).reset(key); !problems.empty())
                          refuse(key, reasons(problems, key));
                      }};
}

std::optional<LectureValue> SetupRows::changed(const SetupKey& entry) {
  if (lecture() == nullptr || entry.same(*lecture(), setup())) return std::nullopt;
  return LectureValue{entry.shown(*lecture()),
                      [this, &entry] { edit(entry.name, set_back(*lecture(), setup(), entry.name)); }};
}

// --- Rows of entries -------------------------------------------------------------------------------------------------

void SetupRows::entry(const SetupKey& entry, float room) {
  if (!can_change(entry, setup())) return;
  Control control = entry.control(setup());
  // A list of heads needs no more room than one of numbers.
  if (entry.value.type != nullptr) control.kind = ControlKind::wholes;
  if (control.kind == ControlKind::number_or_word) return number_or_word(entry, control);
  constexpr std::size_t most_steppers = 4;
  const bool has_ends = std::isfinite(control.range.high) && !control.numbers.empty();
  if (control.kind == ControlKind::wholes && has_ends && control.numbers.size() <= most_steppers)
    return each_number(entry, control);
  if (lecture() != nullptr) control.mark = entry.number(*lecture());
  const float wider = ui_.serves_finger() ? room : 0;  // or its buttons would have no room
  SetupRow about{.key = std::string(entry.name),
                 .label = std::string(entry.label),
                 .control_width = control_width(ui_, control) + wider,
                 .may_shrink = control_width(ui_, control) - least_control_width(ui_, control),
                 .tooltip = tooltip_of(control)};
  row(std::move(about), changed(entry), [this, &entry, room, control = std::move(control)](Rect r) {
    drawn_at_.emplace_back(entry.name, r);
    r.cut_right(room);
    if (is_held(entry, control)) return draw_held(entry, control, r);
    if (control.kind != ControlKind::text && control.kind != ControlKind::wholes)
      return apply(entry, draw_control(ui_, r, control, refused(entry.name)));
    type(r, entry.name, control.exact, {.hint = control.hint},
         [&](const Setup& base, const std::string& text) { return entry.with(base, text); });
  });
}

namespace {

/// The whole numbers beside the present one that the control could go to.
std::vector<double> neighbours_of(const Control& control) {
  if (!control.only.empty()) return {control.only.begin(), control.only.end()};
  const double by = static_cast<double>(std::max<Index>(control.spaced, 1));
  return {control.number - by, control.number + by};
}

}  // namespace

/// Whether given numbers are in the way of every other size.
bool SetupRows::is_held(const SetupKey& entry, const Control& control) const {
  if (control.kind != ControlKind::whole || setup().values.empty() || setup().has_model()) return false;
  bool any = false;
  for (const double number : neighbours_of(control)) {
    if (number == control.number || !control.range.has(number)) continue;
    const Result<Setup> changed = entry.with(setup(), number);
    if (!changed.owner) continue;
    if (held_by_values(*changed.owner, setup()).empty()) return false;
    any = true;
  }
  return any;
}

/// A stepper that can't be used; a press says why, and offers to draw what is in its way.
void SetupRows::draw_held(const SetupKey& entry, const Control& control, const Rect& r) {
  const Item item = ui_.item(entry.name, r);
  canvas_.fill(r, theme().panel, 6);
  canvas_.stroke(r, item.hovered ? theme().control : theme().line, 1, 6);
  Rect middle = r;
  canvas_.icon_centered(Icon::minus, middle.cut_left(ui_.reach(30)), theme().line_strong);
  canvas_.icon_centered(Icon::plus, middle.cut_right(ui_.reach(30)), theme().line_strong);
  canvas_.text_in(middle, control.exact, TextStyle::number_strong, theme().text2, Align::center);
  if (item.focused) canvas_.focus_ring(r);
  ui_.say_control(item, entry.label, "number held by given values", control.exact);
  ui_.tooltip(item, "Given numbers have this size. Press to draw them at random instead");
  if (!item.clicked) return;
  for (const double number : neighbours_of(control)) {
    const Result<Setup> larger = entry.with(setup(), number);
    if (number <= control.number || !larger.owner) continue;
    edit(entry.name, *larger.owner);
    return;
  }
}

/// A switch for the first word, and while it is off a field for a number.
void SetupRows::number_or_word(const SetupKey& entry, const Control& control) {
  const Control::Offered& word = control.words.front();
  const auto lecture_value = changed(entry);
  const auto lowered = word.label.find('_');  // √d_head
  SetupRow about{.key = control.on ? std::string(entry.name) : fmt::format("{} off", entry.name),
                 .label = word.label.substr(0, lowered),
                 .control_width = toggle_width,
                 .tooltip = std::string(word.help),
                 .label_sub = lowered == std::string::npos ? std::string() : word.label.substr(lowered + 1)};
  const Control flag{.name = "first word", .kind = ControlKind::flag, .on = control.on};
  row(std::move(about), control.on ? lecture_value : std::nullopt, [this, &entry, flag](const Rect& r) {
    ui_.push_id(entry.name);
    const ControlEdit edited = draw_control(ui_, r, flag);
    ui_.pop_id();
    apply(entry, edited);
  });
  if (control.on) return;
  row({.key = std::string(entry.name),
       .label = std::string(entry.label),
       .control_width = control_width(ui_, control),
       .tooltip = std::string(entry.help)},
      lecture_value,
      [this, &entry, control](const Rect& r) { apply(entry, draw_control(ui_, r, control, refused(entry.name))); });
}

/// A stepper for each number of a short list.
void SetupRows::each_number(const SetupKey& entry, const Control& control) {
  const std::size_t count = control.numbers.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("{}[{}]", entry.name, i);
    const Control one{
        .kind = ControlKind::whole, .number = static_cast<double>(control.numbers[i]), .range = control.range};
    const bool last = i + 1 == count;
    row({.key = name,
         .label = count == 1 ? std::string(entry.label) : fmt::format("{} [{}]", entry.label, i),
         .control_width = control_width(ui_, one),
         .tooltip = std::string(entry.help)},
        last ? changed(entry) : std::nullopt, [this, &entry, name, one, i, numbers = control.numbers](const Rect& r) {
          Control named = one;
          named.name = name;
          ControlEdit edited = draw_control(ui_, r, named);
          if (const double* number = edited.input ? std::get_if<double>(&*edited.input) : nullptr) {
            std::vector<Index> next = numbers;
            next[i] = static_cast<Index>(*number);
            edited.input = value_text(next);
          }
          apply(entry, edited);
        });
  }
}

void SetupRows::apply(const SetupKey& entry, const ControlEdit& edited) {
  if (edited && !choose_model(session_, entry, *edited.input)) {
    const Setup before = setup();
    Result<Setup> result = entry.with(before, *edited.input);
    if (!result.owner) refuse(entry.name, std::move(result.why));
    else if (edit(entry.name, *result.owner, edited.is_gesture ? entry.name : std::string_view()) && entry.is_whole())
      note_adapted(entry, before);
  }
  if (edited.ended) session_.end_gesture();
}

TextEdit SetupRows::type(const Rect& r, std::string_view key, const std::string& shown, const TextFieldOptions& options,
                         const Parse& parse, Applied applied) {
  const auto drafting = [&] { return memory_.draft && memory_.draft->key == key; };
  std::string text = drafting() ? memory_.draft->text : shown;
  TextFieldOptions field = options;
  field.invalid = refused(key);
  const TextEdit edited = text_field(ui_, key, r, text, field);
  if (edited.escaped) ui_.take_key(Key::escape);
  const bool whole = applied == Applied::whole;
  const auto apply_text = [&] {
    Result<Setup> parsed = parse(memory_.draft->base, text);
    if (parsed.owner) edit(key, *parsed.owner, key);
    else refuse(key, std::move(parsed.why));
  };
  if (whole && edited.escaped) {
    memory_.draft.reset();
    memory_.refusal.reset();
  } else if (edited.changed) {
    if (!drafting()) memory_.draft = SetupDraft{std::string(key), {}, setup()};
    memory_.draft->text = text;
    memory_.draft->ended = false;
    if (!whole) apply_text();
    else if (refused(key)) memory_.refusal.reset();
  } else if (!edited.active && drafting() && !memory_.draft->ended) {
    memory_.draft->ended = true;
    if (whole) apply_text();
    session_.end_gesture();
    if (memory_.draft && !refused(key)) memory_.draft.reset();
  }
  return edited;
}

}  // namespace headlight
