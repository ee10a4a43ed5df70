#include "app/session/actions/actions.hpp"
#include "app/session/export/export_choices.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/machine.hpp"
#include "app/session/actions/target.hpp"
#include "app/session/checking.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/drafting.hpp"
#include "app/session/edits/own_numbers.hpp"
#include "app/session/lesson.hpp"
#include "app/session/model/open_layer.hpp"
#include "app/session/model/open_whole.hpp"
#include "app/session/practice.hpp"
#include "app/session/selecting.hpp"
#include "app/session/sentence.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/session/trainer.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

using A = Appearance;
using P = Presentation;

// --- Chords ----------------------------------------------------------------------------------------------------------

constexpr Chord plain(Key key) { return {.key = key}; }
constexpr Chord ctrl(Key key) { return {.key = key, .ctrl = true}; }
constexpr Chord shift(Key key) { return {.key = key, .shift = true}; }
constexpr Chord ctrl_shift(Key key) { return {.key = key, .ctrl = true, .shift = true}; }
constexpr Chord alt(Key key) { return {.key = key, .alt = true}; }
constexpr Chord ctrl_alt(Key key) { return {.key = key, .ctrl = true, .alt = true}; }

// --- Predicates ------------------------------------------------------------------------------------------------------

bool always(const Session&) { return true; }
bool in_lecture(const Session& session) { return session.lesson().lecture() != nullptr; }
bool has_several_heads(const Session& session) { return session.setup().sizes.heads > 1; }
bool has_head_matrices(const Session& session) { return exists(TensorId::W_qk, session.setup()); }
bool has_several_items(const Session& session) { return session.setup().sizes.batch > 1; }
bool presents(const Session& session) { return session.display().presentation.presenting; }
/// A slide has no panels, and always all its words.
bool is_window(const Session& session) { return !presents(session); }
bool has_a_reference(const Session& session) { return !session.state().checking.reference.empty(); }

// --- Shared functions ------------------------------------------------------------------------------------------------

/// Among all layers, up and down go to the layer above or below, at the same head and cell.
void arrow_in_layers(Session& session, Direction direction) {
  const bool back = direction == Direction::left || direction == Direction::up;
  if (direction == Direction::left || direction == Direction::right) Selecting(session).step_head(back ? -1 : 1);
  else step_layer(session, back ? -1 : 1);
}

/// The arrow keys move the pinned cell. Without a pinned cell, left and right change the step, and up and down move the
/// selected row.
void arrow(Session& session, Direction direction) {
  if (session.display().view == View::layers) return arrow_in_layers(session, direction);
  const bool steps = direction == Direction::left || direction == Direction::right;
  if (!session.state().pinned && steps) Lesson(session).step_by(direction == Direction::left ? -1 : 1);
  else Selecting(session).move(direction);
}

/// Turns a switch of the display over.
template <auto... path>
void flip(Session& session) {
  session.edit_display([](Display& d) { (d.*....*path) = !(d.*....*path); });
}

std::string label_of(std::string_view display_choice) { return std::string(display_entry(display_choice).label); }

void toggle_overlay(Session& session, Overlay overlay) {
  session.edit_display([&](Display& d) { d.overlay = d.overlay == overlay ? Overlay::none : overlay; });
}

void step_batch(Session& session, Index direction) {
  const Index items = session.setup().sizes.batch;
  Selecting(session).select_batch((session.selection().batch + direction + items) % items);
}

void open(Session& session, const Lecture* lecture) {
  const auto problems = Lesson(session).open(*lecture);
  if (!problems.empty()) session.notify(problems.front().message());
}

/// Escape does the first of these that applies: it closes the overlay, stops training or a computation, turns off the
/// brush, or unpins the cell.
void escape(Session& session) {
  if (session.display().overlay != Overlay::none) session.edit_display([](Display& d) { d.overlay = Overlay::none; });
  else if (session.state().over != Over::nothing) session.show_over(Over::nothing);
  else if (session.state().training.playing) Trainer(session).set_playing(false);
  else if (session.state().symbols_owed > 0) Drafting(session).owe(0);
  else if (session.state().computing) session.stop_computing();
  else if (session.display().painting) session.edit_display([](Display& d) { d.painting = false; });
  else Selecting(session).release();
}

bool can_escape(const Session& session) {
  const SessionState& state = session.state();
  return state.over != Over::nothing || state.pinned || state.computing || state.training.playing ||
         state.display.painting || state.symbols_owed > 0 || state.display.overlay != Overlay::none;
}

/// What is drawn without a lecture has the code of its stage.
bool has_code(const Session& session) {
  const Step* const step = session.lesson().step();
  return step != nullptr ? !step->code.empty() : session.display().view == View::pipeline;
}

/// What a step has to say beyond its words may tell the answer, so it waits for it.
bool has_more(const Session& session) {
  const Step* const step = session.lesson().step();
  return step != nullptr && !step->more.empty() && !session.lesson().asks();
}

template <Over over>
void toggle_over(Session& session) {
  session.show_over(session.state().over == over ? Over::nothing : over);
}

/// While presenting, the one button of a remote control shows the answer first.
bool can_go_on(const Session& session) {
  return can_step(session, 1) || (presents(session) && session.lesson().asks());
}
void go_on(Session& session) {
  if (presents(session) && session.lesson().asks()) Lesson(session).show_answer();
  else Lesson(session).step_by(1);
}

/// Resets the numbers; where all of them are the lecture's, what is shown of them.
void reset_to_lecture(Session& session) {
  if (!differs_from_step(session)) Lesson(session).go_to(session.lesson().at.index);
  else Lesson(session).reset();
}

void toggle_workbench(Session& session) {
  if (in_lecture(session)) Lesson(session).show_workbench(in_lesson_mode(session));
  else show_sentence_page(session, !on_sentence_page(session));
}

void toggle_presenting(Session& session) {
  session.set_display(with_presenting(session.display(), !presents(session)));
}

/// Opens the second window, and presents if that is not so yet; or closes it.
void toggle_presenter(Session& session) {
  const bool opens = !(presents(session) && session.display().presentation.presenter);
  Display display = with_presenting(session.display(), true);
  display.presentation.presenter = opens;
  session.set_display(display);
}

void toggle_pen(Session& session) {
  const Presentation& now = session.display().presentation;
  if (now.pen) flip<&Display::presentation, &P::pen>(session);
  else session.set_display(with_pen(session.display(), now.pen_colour));
}

void take_next_pen(Session& session) {
  const auto colour = static_cast<std::size_t>(session.display().presentation.pen_colour);
  session.set_display(with_pen(session.display(), static_cast<PenColour>((colour + 1) % pen_words.size())));
}

/// The circle puts the pen away, as the pen does the circle.
void toggle_circle(Session& session) {
  session.edit_display([](Display& d) { d.presentation.pen = false; });
  flip<&Display::presentation, &P::pointer_circle>(session);
}

/// Escape while presenting: closes the overlay, ends the black screen, puts the pen away, or ends presenting.
void stop_presenting(Session& session) {
  const Display& display = session.display();
  if (display.overlay != Overlay::none) session.edit_display([](Display& d) { d.overlay = Overlay::none; });
  else if (session.state().over != Over::nothing) session.show_over(Over::nothing);
  else if (display.presentation.black) session.edit_display([](Display& d) { d.presentation.black = false; });
  else if (display.presentation.pen) toggle_pen(session);
  else session.set_display(with_presenting(display, false));
}

/// Whether nothing else decides the setting: a trained layer, or weights of which nothing else is known.
bool can_set(const Session& session, std::string_view entry) {
  return can_change(*setup_entry(entry), session.wanted());
}
bool can_mask(const Session& session) { return can_set(session, "mask.kinds"); }
bool can_block_cell(const Session& session, const Target& target) {
  return can_mask(session) && is_on_a_query_and_key(session, target);
}
bool can_block_key(const Session& session, const Target& target) {
  return can_mask(session) && names_a_key(session, target);
}
bool can_ablate(const Session& session) { return can_set(session, "attention.ablated_heads"); }
bool can_ablate_it(const Session& session, const Target& target) {
  return can_ablate(session) && has_a_head(session, target);
}

/// Turning the brush on also shows a picture that can be painted in.
void toggle_painting(Session& session) {
  session.edit_display([](Display& d) {
    d.painting = !d.painting;
    if (d.painting && !info(d.view).painted) d.view = View::pipeline;
  });
  if (session.display().painting && !info(session.selection().tensor).masked)
    Selecting(session).select_tensor(TensorId::masked_scores);
}

void roll_seed(Session& session) {
  const SetupKey& seed = *setup_entry("seed");
  session.edit(seed.with(session.wanted(), another_seed(seed.text(session.wanted()))).owner.value());
}

Action head_action(int head) {
  const Key key = static_cast<Key>(static_cast<int>(Key::digit_0) + head);  // heads are counted from 0, as everywhere
  return {fmt::format("head.{}", head),
          fmt::format("Head {}", head),
          "Heads",
          {plain(key)},
          [head](const Session& s) { return s.setup().sizes.heads > head; },
          [head](Session& s) { Selecting(s).select_head(head); }};
}

// --- Actions on a target ---------------------------------------------------------------------------------------------

bool fits_all(const Session&, const Target&) { return true; }

constexpr TargetKinds everything{.cell = true, .head = true, .token = true, .tensor = true};

/// An action on a target: a context menu passes its target, keys pass shown_target().
template <auto act, auto fits = fits_all>
Action about(std::string id, std::string title, std::string_view group, std::vector<Chord> chords, MenuPart part,
             TargetKinds kinds) {
  return {std::move(id),
          std::move(title),
          group,
          std::move(chords),
          +[](const Session& s) { return fits(s, shown_target(s)); },
          +[](Session& s) { act(s, shown_target(s)); },
          {.menus = {kinds, part, fits, act}}};
}

/// Adds the action to context menus, where it does the same as everywhere.
Action in_menus(Action action, MenuPart part, TargetKinds kinds) {
  action.facts.menus = {kinds, part};
  return action;
}

// --- The table -------------------------------------------------------------------------------------------------------

template <class... Groups>
std::vector<Action> joined(Groups&&... groups) {
  std::vector<Action> all;
  (all.insert(all.end(), groups.begin(), groups.end()), ...);
  return all;
}

std::vector<Action> step_actions() {
  return {
      {"step.next", "Next step", "Steps", {plain(Key::page_down)}, can_go_on, go_on, {.effect = KeyEffect::moves}},
      {"step.previous",
       "Previous step",
       "Steps",
       {plain(Key::page_up)},
       +[](const Session& s) { return can_step(s, -1); },
       +[](Session& s) { Lesson(s).step_by(-1); },
       {.effect = KeyEffect::moves}},
      {"step.first", "First step", "Steps", {plain(Key::home)}, in_lecture, +[](Session& s) { Lesson(s).go_to(0); }},
      {"step.last",
       "Last step",
       "Steps",
       {plain(Key::end)},
       in_lecture,
       +[](Session& s) { Lesson(s).go_to(s.lesson().step_count() - 1); }},
      {"step.play",
       "Play or pause",
       "Steps",
       {plain(Key::space)},
       +[](const Session& s) { return s.lesson().playing || can_step(s, 1); },
       +[](Session& s) { Lesson(s).set_playing(!s.lesson().playing); }},
      {"workbench",
       "Open the workbench, or go back to the lesson or the sentence",
       "Steps",
       {plain(Key::w)},
       +[](const Session& s) { return (in_lecture(s) || has_sentence(s)) && is_window(s); },
       toggle_workbench},
      {"words.fold",
       "Fold or unfold the text",
       "Steps",
       {shift(Key::w)},
       is_window,
       +[](Session& s) { Lesson(s).fold_words(!words_folded(s)); }},
      {"step.code",
       "Show or hide the code over the picture",
       "Steps",
       {plain(Key::y)},
       has_code,
       toggle_over<Over::code>,
       {.effect = KeyEffect::changes}},
      {"step.more", "Show or hide more about the step", "Steps", {shift(Key::y)}, has_more, toggle_over<Over::more>},
      {"lecture.reset", "Reset to the lecture", "Steps", {ctrl_shift(Key::r)}, in_lecture, reset_to_lecture},
      {"lecture.restart", "Restart the lecture", "Steps", {}, in_lecture, +[](Session& s) { Lesson(s).restart(); }},
      {"lecture.next",
       "Next lecture",
       "Steps",
       {ctrl(Key::page_down)},
       +[](const Session& s) { return lecture_beside(s, 1) != nullptr; },
       +[](Session& s) {
         const auto problems = Lesson(s).begin(lecture_beside(s, 1)->id);
         if (!problems.empty()) s.notify(problems.front().message());
       }},
      {"lecture.previous",
       "Previous lecture",
       "Steps",
       {ctrl(Key::page_up)},
       +[](const Session& s) { return lecture_beside(s, -1) != nullptr; },
       +[](Session& s) { open(s, lecture_beside(s, -1)); }},
      {"review.skip",
       "Skip the questions and open the lecture",
       "Steps",
       {},
       +[](const Session& s) { return review_of(s) != nullptr; },
       +[](Session& s) { Lesson(s).skip_review(); }},
      {"lecture.close", "Close the lecture", "Steps", {}, in_lecture, +[](Session& s) { Lesson(s).close(); }},
  };
}

/// The presenter's actions, by mouse, keyboard or remote control. The keys of the last ones count only while
/// presenting.
std::vector<Action> present_actions() {
  return {
      {"present", "Present", "Present", {plain(Key::f5)}, always, toggle_presenting},
      {"presenter",
       "Presenter's window: notes, next slide, clock",
       "Present",
       {ctrl(Key::f5)},
       always,
       toggle_presenter,
       {.possible = +[](const Machine& here) { return here.has_monitors; }}},
      {"full_screen",
       label_of("full_screen"),
       "Present",
       {plain(Key::f11)},
       always,
       flip<&Display::presentation, &P::full_screen>},
      {"present.next",
       "Presenting: answer, then next step",
       "Present",
       {plain(Key::right), plain(Key::space), plain(Key::enter)},
       +[](const Session& s) { return presents(s) && can_go_on(s); },
       go_on,
       {.presenting = true}},
      {"present.previous",
       "Presenting: previous step",
       "Present",
       {plain(Key::left)},
       +[](const Session& s) { return presents(s) && can_step(s, -1); },
       +[](Session& s) { Lesson(s).step_by(-1); },
       {.presenting = true}},
      {"present.black",
       "Presenting: black screen on or off",
       "Present",
       {plain(Key::b), plain(Key::period)},
       presents,
       flip<&Display::presentation, &P::black>,
       {.presenting = true}},
      {"present.circle",
       "Presenting: circle around the pointer",
       "Present",
       {plain(Key::c)},
       presents,
       toggle_circle,
       {.presenting = true}},
      {"present.notes",
       "Presenting: speaker notes",
       "Present",
       {plain(Key::n)},
       +[](const Session& s) { return presents(s) && !s.display().presentation.presenter; },
       flip<&Display::presentation, &P::notes>,
       {.presenting = true}},
      {"present.pen",
       "Presenting: draw with the pointer",
       "Present",
       {plain(Key::p)},
       presents,
       toggle_pen,
       {.presenting = true}},
      {"present.pen_colour",
       "Presenting: next colour of the pen",
       "Present",
       {shift(Key::p)},
       presents,
       take_next_pen,
       {.presenting = true}},
      {"present.wipe",
       "Presenting: erase the drawing",
       "Present",
       {plain(Key::e)},
       +[](const Session& s) { return presents(s) && !s.state().ink.empty(); },
       +[](Session& s) { s.set_ink({}); },
       {.presenting = true}},
      {"present.leave",
       "Presenting: stop",
       "Present",
       {plain(Key::escape)},
       presents,
       stop_presenting,
       {.presenting = true}},
  };
}

std::vector<Action> cell_actions() {
  return {
      {"move.left",
       "Left: previous step, or move the pinned cell",
       "Cell",
       {plain(Key::left)},
       always,
       +[](Session& s) { arrow(s, Direction::left); },
       {.effect = KeyEffect::moves, .embedded = true}},
      {"move.right",
       "Right: next step, or move the pinned cell",
       "Cell",
       {plain(Key::right)},
       always,
       +[](Session& s) { arrow(s, Direction::right); },
       {.effect = KeyEffect::moves, .embedded = true}},
      {"move.up",
       "Up one row",
       "Cell",
       {plain(Key::up)},
       always,
       +[](Session& s) { arrow(s, Direction::up); },
       {.effect = KeyEffect::moves, .embedded = true}},
      {"move.down",
       "Down one row",
       "Cell",
       {plain(Key::down)},
       always,
       +[](Session& s) { arrow(s, Direction::down); },
       {.effect = KeyEffect::moves, .embedded = true}},
      about<explain>("cell.explain", "Explain", "Cell", {plain(Key::e)}, MenuPart::explain, everything),
      {"cell.pin",
       "Pin or unpin the cell",
       "Cell",
       {plain(Key::p), plain(Key::enter)},
       always,
       +[](Session& s) { s.state().pinned ? Selecting(s).release() : Selecting(s).pin(); },
       {.embedded = true, .menus = {everything, MenuPart::pin, fits_all, pin_or_release}}},
      {"cell.release",
       "Stop computing, or unpin the cell",
       "Cell",
       {plain(Key::escape)},
       can_escape,
       escape,
       {.embedded = true}},
      about<walk_upstream>("cell.upstream", "Where it comes from", "Cell", {alt(Key::up)}, MenuPart::explain,
                           {.cell = true}),
      about<walk_downstream>("cell.downstream", "Where it goes", "Cell", {alt(Key::down)}, MenuPart::explain,
                             {.cell = true}),
      {"cell.back",
       "Back to the previous cell",
       "Cell",
       {alt(Key::left)},
       +[](const Session& s) { return s.pins().can_go_back(); },
       +[](Session& s) { Selecting(s).go_back(); }},
      {"cell.forward",
       "Forward to the next cell",
       "Cell",
       {alt(Key::right)},
       +[](const Session& s) { return s.pins().can_go_forward(); },
       +[](Session& s) { Selecting(s).go_forward(); }},
      {"tensor.next",
       "Next tensor",
       "Cell",
       {plain(Key::period)},
       always,
       +[](Session& s) { Selecting(s).select_tensor(next_tensor(s.selection().tensor, s.setup())); },
       {.effect = KeyEffect::moves}},
      {"tensor.previous",
       "Previous tensor",
       "Cell",
       {plain(Key::comma)},
       always,
       +[](Session& s) { Selecting(s).select_tensor(previous_tensor(s.selection().tensor, s.setup())); },
       {.effect = KeyEffect::moves}},
      {"batch.next",
       "Next batch item",
       "Cell",
       {shift(Key::period)},
       has_several_items,
       +[](Session& s) { step_batch(s, 1); },
       {.effect = KeyEffect::moves}},
      {"batch.previous",
       "Previous batch item",
       "Cell",
       {shift(Key::comma)},
       has_several_items,
       +[](Session& s) { step_batch(s, -1); },
       {.effect = KeyEffect::moves}},
      about<play_with, is_a_drawn_number>("cell.play", "Play with the number", "Cell", {plain(Key::v)},
                                          MenuPart::explain, {.cell = true}),
      about<copy_number>("copy.cell", "Copy the number", "Cell", {ctrl(Key::c)}, MenuPart::copy, {.cell = true}),
      about<copy_word>("copy.word", "Copy the token", "Cell", {}, MenuPart::copy, {.token = true}),
      about<copy_row>("copy.row", "Copy the row", "Cell", {ctrl_alt(Key::c)}, MenuPart::copy, {.cell = true}),
      about<copy_matrix>("copy.matrix", "Copy the matrix", "Cell", {ctrl_shift(Key::c)}, MenuPart::copy,
                         {.cell = true, .head = true, .tensor = true}),
      about<copy_as_markdown>("copy.markdown", "Copy the matrix as Markdown", "Cell", {}, MenuPart::copy,
                              {.head = true, .tensor = true}),
      about<copy_as_latex>("copy.latex", "Copy the matrix as LaTeX", "Cell", {}, MenuPart::copy,
                           {.head = true, .tensor = true}),
      {"cell.menu",
       "Open the cell's menu",
       "Cell",
       {shift(Key::f10), plain(Key::menu)},
       always,
       +[](Session& s) { s.request(OpenMenu{}); }},
  };
}

bool has_a_model(const Session& session) { return session.state().model != nullptr; }
bool has_all_layers(const Session& session) { return has_layers(session.setup(), session.state()); }
bool has_a_picture(const Session& session) { return session.lesson().has_picture(); }

std::vector<Action> model_actions() {
  return {
      {"model.next",
       "Next layer of the model",
       "Model",
       {shift(Key::right_bracket)},
       +[](const Session& s) { return can_step_layer(s, 1); },
       +[](Session& s) { step_layer(s, 1); }},
      {"model.previous",
       "Previous layer of the model",
       "Model",
       {shift(Key::left_bracket)},
       +[](const Session& s) { return can_step_layer(s, -1); },
       +[](Session& s) { step_layer(s, -1); }},
      {"model.compare",
       "Compare this layer with the next",
       "Model",
       {},
       +[](const Session& s) { return can_step_layer(s, 1) || can_step_layer(s, -1); },
       +[](Session& s) {
         Checking(s).set_reference();
         Checking(s).show_states();
         step_layer(s, can_step_layer(s, 1) ? 1 : -1);
         s.when_shown(+[](Session& shown) { shown.show(View::compare); });
       }},
      {"model.enter",
       "Go into the selected head",
       "Model",
       {},
       +[](const Session& s) { return has_all_layers(s) && s.display().view == View::layers; },
       +[](Session& s) { s.show(View::heads); }},
      {"model.whole",
       "Open the whole model",
       "Model",
       {},
       may_be_whole,
       +[](Session& s) {
         const auto problems = open_whole(s, whole_in_window(*s.state().model));
         if (!problems.empty()) s.notify(problems.front().message());
       }},
      {"model.close", "Close the model", "Model", {}, has_a_model, +[](Session& s) { s.set_model(nullptr); }},
  };
}

std::vector<Action> head_actions() {
  std::vector<Action> all{
      {"head.next",
       "Next head",
       "Heads",
       {plain(Key::right_bracket)},
       has_several_heads,
       +[](Session& s) { Selecting(s).step_head(1); },
       {.effect = KeyEffect::moves}},
      {"head.previous",
       "Previous head",
       "Heads",
       {plain(Key::left_bracket)},
       has_several_heads,
       +[](Session& s) { Selecting(s).step_head(-1); },
       {.effect = KeyEffect::moves}},
      {"head.hide",
       "Hide or show the head",
       "Heads",
       {plain(Key::h)},
       has_several_heads,
       +[](Session& s) { toggle_head(s, head_target(s, s.selection().head)); },
       {.menus = {{.cell = true, .head = true, .tensor = true}, MenuPart::hide, is_in_a_head, toggle_head}}},
      {"head.show_all",
       "Show all heads",
       "Heads",
       {shift(Key::h)},
       +[](const Session& s) { return !s.display().heads.hidden.empty(); },
       +[](Session& s) { s.edit_display([](Display& d) { d.heads.hidden.clear(); }); }},
      {"head.ablate",
       "Ablate or restore the head",
       "Heads",
       {plain(Key::a)},
       can_ablate,
       +[](Session& s) { toggle_ablated(s, head_target(s, s.selection().head)); },
       {.changes_layer = true,
        .menus = {{.cell = true, .head = true, .tensor = true}, MenuPart::hide, can_ablate_it, toggle_ablated}}},
      {"head.asks",
       "What the head asks for",
       "Heads",
       {},
       has_head_matrices,
       +[](Session& s) { show_asking(s, head_target(s, s.selection().head)); },
       {.menus = {{.head = true}, MenuPart::explain, nullptr, show_asking}}},
      {"head.writes",
       "What the head writes",
       "Heads",
       {},
       has_head_matrices,
       +[](Session& s) { show_writing(s, head_target(s, s.selection().head)); },
       {.menus = {{.head = true}, MenuPart::explain, nullptr, show_writing}}},
      {"head.order",
       "Sort the heads by another measure",
       "Heads",
       {plain(Key::o)},
       has_several_heads,
       +[](Session& s) { s.edit_display([](Display& d) { d.heads.order = next(d.heads.order); }); }},
  };
  for (int head = 0; head < 10; ++head) all.push_back(head_action(head));
  for (Action& action : all) {
    action.facts.embedded = true;
    if (action.facts.effect == KeyEffect::anything) action.facts.effect = KeyEffect::changes;
  }
  return all;
}

Action mask_action(MaskKind kind, std::vector<Chord> chords = {}) {
  const Word& word = setup_entry("mask.kinds")->words[static_cast<std::size_t>(kind)];
  return {fmt::format("mask.{}", word.name),
          fmt::format("{} mask", word.label),
          "Edit",
          std::move(chords),
          can_mask,
          [kind](Session& s) { s.edit(with_mask_kind(s.wanted(), kind, !s.wanted().mask.has(kind))); },
          {.effect = KeyEffect::changes}};
}

std::vector<Action> edit_actions() {
  std::vector<Action> all{
      {"edit.undo",
       "Undo",
       "Edit",
       {ctrl(Key::z)},
       +[](const Session& s) { return s.can_undo(); },
       +[](Session& s) { s.undo(); },
       {.effect = KeyEffect::moves, .embedded = true, .detail = +[](const Session& s) { return s.undo_words(); }}},
      {"edit.redo",
       "Redo",
       "Edit",
       {ctrl_shift(Key::z), ctrl(Key::y)},
       +[](const Session& s) { return s.can_redo(); },
       +[](Session& s) { s.redo(); },
       {.effect = KeyEffect::moves, .embedded = true, .detail = +[](const Session& s) { return s.redo_words(); }}},
      {"edit.history",
       "List all edits…",
       "Edit",
       {ctrl_alt(Key::z)},
       +[](const Session& s) { return s.can_undo() || s.can_redo(); },
       +[](Session& s) { s.request(OpenHistory{}); },
       {.embedded = true}},
      {"edit.dice",
       "Roll another seed",
       "Edit",
       {plain(Key::d)},
       +[](const Session& s) { return can_set(s, "seed"); },
       roll_seed,
       {.effect = KeyEffect::changes, .embedded = true}},
      {"edit.biases",
       "Biases on or off",
       "Edit",
       {plain(Key::b)},
       +[](const Session& s) { return can_set(s, "biases"); },
       +[](Session& s) { s.edit(with_biases(s.wanted(), !has_biases(s.wanted()))); },
       {.effect = KeyEffect::changes, .embedded = true}},
      {"mask.none",
       "No mask",
       "Edit",
       {},
       +[](const Session& s) { return can_mask(s) && !s.wanted().mask.kinds.empty(); },
       +[](Session& s) { s.edit(without_mask(s.wanted())); }},
      mask_action(MaskKind::causal, {plain(Key::m)}),
      mask_action(MaskKind::padding),
      mask_action(MaskKind::window),
      {"mask.paint", "Paint the mask in the picture", "Edit", {shift(Key::m)}, can_mask, toggle_painting},
      about<toggle_blocked_cell, can_block_cell>("mask.cell", "Hide or show the key for this query", "Edit",
                                                 {plain(Key::x)}, MenuPart::hide, {.cell = true}),
      about<toggle_blocked_key, can_block_key>("mask.key", "Hide or show the key for every query", "Edit",
                                               {shift(Key::x)}, MenuPart::hide, {.cell = true, .token = true}),
      mask_action(MaskKind::custom),
  };
  for (Action& action : all) action.facts.changes_layer = true;
  return all;
}

bool has_a_task(const Session& session) { return session.setup().has_task(); }
bool has_a_text(const Session& session) { return session.setup().task.is_text(); }
bool has_learnt(const Session& session) { return has_a_task(session) && session.wanted().training.steps > 0; }

/// Selects the gradient of the selected tensor, or the tensor of the selected gradient. The whole window follows the
/// selection. A tensor outside of the forward pass has no gradient, but the tensor that it is computed from has one.
void toggle_gradient(Session& session) {
  TensorId tensor = session.selection().tensor;
  if (is_aside(tensor)) tensor = stage_of(tensor).operands.front().tensor;
  Selecting(session).select_tensor(is_gradient(tensor) ? without_gradient(tensor) : gradient_of(tensor));
}

std::vector<Action> learning_actions() {
  return {
      {"training.play",
       "Start or stop training",
       "Learning",
       {plain(Key::l)},
       has_a_task,
       +[](Session& s) { Trainer(s).set_playing(!s.state().training.playing); },
       {.embedded = true, .changes_layer = true}},
      {"training.once",
       "Train one step",
       "Learning",
       {plain(Key::u)},
       has_a_task,
       +[](Session& s) { Trainer(s).go_to(s.wanted().training.steps + 1); },
       {.embedded = true, .changes_layer = true}},
      {"training.back",
       "Go back one training step",
       "Learning",
       {shift(Key::u)},
       has_learnt,
       +[](Session& s) { Trainer(s).go_to(s.wanted().training.steps - 1); },
       {.embedded = true, .changes_layer = true}},
      {"training.reset",
       "Reset training",
       "Learning",
       {},
       has_learnt,
       +[](Session& s) {
         Trainer(s).set_playing(false);
         Trainer(s).go_to(0);
       },
       {.embedded = true, .changes_layer = true}},
      {"gradient.toggle", "Show numbers or their gradients", "Learning", {plain(Key::g)}, has_a_task, toggle_gradient},
  };
}

bool can_write_on(const Session& session) {
  return writes(session) && !session.lesson().asks() && drafted(session).goes_on();
}
bool has_written(const Session& session) {
  return writes(session) && (drafted(session).ended || drafted(session).written() > 0);
}

std::vector<Action> writing_actions() {
  std::vector<Action> all{
      {"write.next",
       "Write the next symbol",
       "Writing",
       {plain(Key::space)},
       can_write_on,
       +[](Session& s) { Drafting(s).owe(1); }},
      {"write.on",
       "Write to the end",
       "Writing",
       {plain(Key::enter)},
       can_write_on,
       +[](Session& s) { Drafting(s).owe(s.setup().token_count()); }},
      {"write.back",
       "Take the last symbol back",
       "Writing",
       {plain(Key::backspace)},
       has_written,
       +[](Session& s) { Drafting(s).take_back(); }},
      {"write.another",
       "Begin another text, with the next seed",
       "Writing",
       {shift(Key::enter)},
       has_written,
       +[](Session& s) { Drafting(s).begin_another(); }},
      {"write.explain",
       "Show the written text in every view",
       "Writing",
       {},
       +[](const Session& s) { return writes(s) && !text_of(drafted(s), s.setup()).empty(); },
       +[](Session& s) { Drafting(s).explain(); }},
  };
  for (Action& action : all) action.facts.in = View::write;
  return all;
}

std::vector<Action> show_actions() {
  std::vector<Action> all;
  int key = static_cast<int>(Key::digit_1);
  for (const ViewInfo& view : view_table) {
    all.push_back({fmt::format("view.{}", view.word),
                   std::string(view.title),
                   "View",
                   {ctrl(static_cast<Key>(key++))},
                   view.of_text    ? has_a_text
                   : view.of_task  ? has_a_task
                   : view.of_model ? has_all_layers
                   : view.of_step  ? has_a_picture
                                   : always,
                   [view = view.id](Session& s) { s.show(view); }});
  }
  return all;
}

/// The tensor whose colours the present view shows.
TensorId coloured_tensor(const Session& session) {
  return shown_in(session.display().view, session.selection().tensor);
}

void cycle_range(Session& session) {
  const TensorId tensor = coloured_tensor(session);
  session.edit_display(
      [&](Display& d) { d.heatmap(tensor).range = next_range(d.heatmap(tensor).range, tensor, session.setup()); });
}

bool has_range(const Session& session, RangeKind kind) {
  return std::ranges::count(offered_ranges(coloured_tensor(session)), kind) > 0;
}

std::vector<Action> colour_actions() {
  std::vector<Action> all{{"range.next",
                           "Next range of colours",
                           "Colours",
                           {plain(Key::r)},
                           always,
                           cycle_range,
                           {.effect = KeyEffect::changes}}};
  const auto add = [&](std::string_view list, const Word& word, auto enabled, auto choose) {
    const auto run = [choose](Session& s) {
      s.edit_display([&](Display& d) { choose(d.heatmap(coloured_tensor(s))); });
    };
    if (!word.help.empty())
      all.push_back({fmt::format("{}.{}", list, word.name), std::string(word.help), "Colours", {}, enabled, run});
  };
  for (std::size_t i = 0; i < range_words.size(); ++i) {
    const auto kind = static_cast<RangeKind>(i);
    add(
        "range", range_words[i], [kind](const Session& s) { return has_range(s, kind); },
        [kind](HeatmapOptions& options) { options.range = kind; });
  }
  for (std::size_t i = 0; i < colour_map_words.size(); ++i)
    add("colours", colour_map_words[i], always,
        [map = static_cast<ColourMap>(i)](HeatmapOptions& options) { options.colour_map = map; });
  return all;
}

std::vector<Action> view_actions() {
  return {
      in_menus({"compare.pin",
                "Set as A, to compare",
                "View",
                {plain(Key::c)},
                always,
                +[](Session& s) {
                  Checking(s).set_reference();
                  Checking(s).show_states();
                  s.notify("Set as A: change something, then open Compare");
                }},
               MenuPart::compare, everything),
      about<compare_with_reference, has_reference>("compare.show", "Compare with A", "View", {alt(Key::c)},
                                                   MenuPart::compare, everything),
      {"compare.clear",
       "Clear A",
       "View",
       {shift(Key::c)},
       has_a_reference,
       +[](Session& s) { Checking(s).clear_reference(); }},
      {"appearance",
       "Appearance…",
       "View",
       {ctrl(Key::comma)},
       always,
       +[](Session& s) { toggle_overlay(s, Overlay::appearance); }},
      {"theme.toggle",
       "Light or dark",
       "View",
       {plain(Key::t)},
       always,
       +[](Session& s) {
         const bool dark = s.display().appearance.theme == ThemeName::dark;
         s.set_display(with_choice(s.display(), "theme", std::string(dark ? "light" : "dark")));
       },
       {.effect = KeyEffect::changes}},
      {"theme.follow",
       label_of("theme_follows"),
       "View",
       {},
       always,
       +[](Session& s) { s.set_display(with_choice(s.display(), "theme_follows", true)); }},
      {"scale.larger",
       "Larger",
       "View",
       {ctrl(Key::equal), ctrl_shift(Key::equal)},
       always,
       +[](Session& s) { s.edit_display([](Display& d) { d.appearance.scale = next_scale(d.appearance.scale, 1); }); }},
      {"scale.smaller",
       "Smaller",
       "View",
       {ctrl(Key::minus)},
       always,
       +[](Session& s) {
         s.edit_display([](Display& d) { d.appearance.scale = next_scale(d.appearance.scale, -1); });
       }},
      {"scale.normal",
       "Normal size",
       "View",
       {ctrl(Key::digit_0)},
       always,
       +[](Session& s) { s.edit_display([](Display& d) { d.appearance.scale = 1; }); }},
      {"projector",
       label_of("projector"),
       "View",
       {shift(Key::f5)},
       always,
       +[](Session& s) { s.set_display(with_projector(s.display(), !s.display().projector())); }},
      {"panel.setup", "Setup panel", "View", {ctrl(Key::b)}, is_window, flip<&Display::appearance, &A::setup_folded>},
      {"panel.inspector",
       "Inspector",
       "View",
       {ctrl(Key::i)},
       is_window,
       flip<&Display::appearance, &A::inspector_folded>},
      {"motion.reduce", label_of("reduce_motion"), "View", {}, always, flip<&Display::appearance, &A::reduce_motion>},
  };
}

void copy_as_python(Session& session) {
  try {
    session.request(CopyText{python_lines(session)});
    session.notify("Copied the lines that show this in a notebook");
  } catch (const InputError& error) {
    session.notify(error.problems().front().message());
  }
}

std::vector<Action> file_actions() {
  return {
      {"file.start",
       "Start: the course, your sentence, your layer…",
       "File",
       {ctrl(Key::n)},
       always,
       +[](Session& s) { s.request(OpenStart{}); }},
      {"file.open",
       "Open a setup, a lecture, a picture or a model…",
       "File",
       {ctrl(Key::o)},
       always,
       +[](Session& s) { s.request(OpenFile{}); }},
      {"file.save", "Save the setup", "File", {ctrl(Key::s)}, always, +[](Session& s) { s.request(SaveSetup{}); }},
      {"file.copy_link", "Copy a link to this", "File", {}, always, +[](Session& s) { s.request(CopyLink{}); }},
      {"file.copy_python", "Copy as Python", "File", {}, always, copy_as_python},
      {"file.save_as",
       "Save the setup as…",
       "File",
       {ctrl_shift(Key::s)},
       always,
       +[](Session& s) { s.request(SaveSetup{.under_another_name = true}); }},
      {"file.start_lecture",
       "Begin a lecture here…",
       "File",
       {},
       always,
       +[](Session& s) { s.request(StartLecture{}); }},
      {"file.add_step", "Add this as a step", "File", {}, in_lecture, +[](Session& s) { s.request(AddStep{}); }},
      {"file.edit_lecture",
       "Open in my editor",
       "File",
       {},
       in_lecture,
       +[](Session& s) { s.request(EditLecture{}); },
       {.possible = +[](const Machine& here) { return here.has_folders; }}},
      {"screenshot",
       "Screenshot",
       "File",
       {plain(Key::f12), plain(Key::s)},
       always,
       +[](Session& s) { s.request(TakeScreenshot{}); },
       {.effect = KeyEffect::none}},
      {"export",
       "Export: picture, numbers, program…",
       "File",
       {ctrl(Key::e)},
       always,
       +[](Session& s) { s.request(OpenExport{}); },
       {.menus = {everything, MenuPart::export_as, fits_all, export_target}}},
      {"export.numbers",
       "Export numbers (npz, CSV, LaTeX)…",
       "File",
       {},
       always,
       +[](Session& s) { s.request(OpenExport{ExportWhat::numbers}); }},
      {"export.script",
       "Export a NumPy or PyTorch program…",
       "File",
       {},
       always,
       +[](Session& s) { s.request(OpenExport{ExportWhat::script}); }},
      {"export.animation",
       "Export an animation…",
       "File",
       {},
       always,
       +[](Session& s) { s.request(OpenExport{ExportWhat::animation}); }},
      {"quit",
       "Quit",
       "File",
       {ctrl(Key::q)},
       always,
       +[](Session& s) { s.request(Quit{}); },
       {.possible = +[](const Machine& here) { return here.quits; }}},
  };
}

/// Whether the compare view shows a check.
bool checks_work(const Session& session) {
  return session.state().checking.work().shown && session.display().view == View::compare;
}

bool has_work(const Session& session) { return session.state().checking.work().given != nullptr; }

void show_work(Session& session, bool shown) {
  CheckedWork work = session.state().checking.work();
  work.shown = shown;
  Checking(session).set_work(std::move(work));
  session.show(View::compare);
}

std::vector<Action> check_actions() {
  return {
      {"check.show",
       "Check my work",
       "Check",
       {plain(Key::k)},
       always,
       +[](Session& s) { show_work(s, !checks_work(s)); }},
      {"check.open",
       "Check my work: open arrays (npz, npy, printout)…",
       "Check",
       {ctrl_shift(Key::o)},
       always,
       +[](Session& s) { s.request(OpenWork{}); }},
      {"check.paste",
       "Check my work: paste a printed array",
       "Check",
       {},
       always,
       +[](Session& s) {
         show_work(s, true);
         s.request(PasteNumbers{});
       }},
      {"check.template",
       "Check my work: save a template for your code…",
       "Check",
       {},
       always,
       +[](Session& s) { s.request(SaveTemplate{}); }},
      {"check.copy_template",
       "Check my work: copy the template for your code",
       "Check",
       {},
       always,
       +[](Session& s) { s.request(CopyText{template_of(s)}); }},
      {"check.command",
       "Check my work: copy the command",
       "Check",
       {},
       has_work,
       +[](Session& s) { s.request(CopyCheckCommand{}); }},
      {"check.forget",
       "Check my work: clear the arrays",
       "Check",
       {},
       has_work,
       +[](Session& s) {
         CheckedWork none;
         none.shown = s.state().checking.work().shown;
         Checking(s).set_work(std::move(none));
       }},
  };
}

/// The pinned number, if it can be changed.
std::optional<Cell> pinned_number(const Session& session) {
  const bool given = session.state().pinned && is_a_drawn_number(session, shown_target(session));
  return given ? std::optional(session.cell()) : std::nullopt;
}

Target tensor_of_selection(const Session& session) { return {TargetKind::tensor, session.selection()}; }

/// Whether numbers can be pasted into the target's tensor; where work is checked, they become part of the work.
bool takes_pasted(const Session& session, const Target& target) {
  return takes_numbers(target.at.tensor, session.wanted()) && !takes_work(session);
}

std::vector<Action> value_actions() {
  return {
      about<type_over, is_a_drawn_number>("cell.type", "Type a number", "Edit", {plain(Key::f2)}, MenuPart::change,
                                          {.cell = true}),
      {"paste",
       "Paste numbers",
       "Edit",
       {ctrl(Key::v)},
       +[](const Session& s) { return takes_work(s) || takes_numbers(s.selection().tensor, s.wanted()); },
       +[](Session& s) { s.request(PasteNumbers{pinned_number(s)}); },
       {.menus = {{.cell = true, .tensor = true}, MenuPart::change, takes_pasted, paste_into}}},
      about<undo_change, is_a_changed_number>("values.reset_cell", "Undo this number's change", "Edit",
                                              {plain(Key::backspace), plain(Key::delete_forward)}, MenuPart::change,
                                              {.cell = true}),
      {"values.reset_tensor",
       "Undo all changes of the tensor",
       "Edit",
       {},
       +[](const Session& s) { return has_changed_numbers(s, tensor_of_selection(s)); },
       +[](Session& s) { undo_changes(s, tensor_of_selection(s)); },
       {.menus = {{.cell = true, .tensor = true}, MenuPart::change, has_changed_numbers, undo_changes}}},
  };
}

std::vector<Action> help_actions() {
  return {
      {"palette",
       "Find a command…",
       "Help",
       {ctrl(Key::k)},
       always,
       +[](Session& s) { toggle_overlay(s, Overlay::palette); }},
      {"shortcuts",
       "Keyboard shortcuts",
       "Help",
       {plain(Key::f1)},
       always,
       +[](Session& s) { toggle_overlay(s, Overlay::shortcuts); }},
  };
}

/// What this machine can't do is never enabled, and the keys that it keeps for itself are nobody's.
std::vector<Action> as_here(std::vector<Action> all) {
  for (Action& action : all) {
    std::erase_if(action.chords, is_taken);
    if (action.facts.possible != nullptr && !action.facts.possible(machine()))
      action.enabled = +[](const Session&) { return false; };
  }
  return all;
}

}  // namespace

std::span<const Action> actions() {
  static const std::vector<Action> table =
      as_here(joined(file_actions(), edit_actions(), value_actions(), step_actions(), present_actions(), cell_actions(),
                     head_actions(), model_actions(), learning_actions(), writing_actions(), show_actions(),
                     view_actions(), check_actions(), colour_actions(), help_actions()));
  return table;
}

}  // namespace headlight
