#include "app/session/actions/actions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/session/lesson.hpp"

namespace headlight {

std::string Action::title_now(const Session& session) const {
  const std::string now = facts.detail == nullptr ? std::string() : facts.detail(session);
  return now.empty() ? title : fmt::format("{}: {}", title, now);
}

const Action* action_named(std::string_view id) {
  const auto table = actions();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Action& action) { return action.id == id; });
  return found == table.end() ? nullptr : &*found;
}

const Action* action_for(const Chord& chord, bool presenting, std::optional<View> view) {
  const auto table = actions();
  const auto find = [&](bool while_presenting, std::optional<View> in) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const Action& action) {
      return action.facts.presenting == while_presenting && action.facts.in == in &&
             std::find(action.chords.begin(), action.chords.end(), chord) != action.chords.end();
    });
    return found == table.end() ? nullptr : &*found;
  };
  const Action* found = presenting ? find(true, {}) : nullptr;
  if (found == nullptr && view && !presenting) found = find(false, view);
  return found != nullptr ? found : find(false, {});
}

namespace {

constexpr Chord enter{.key = Key::enter};

bool is_letter(const Chord& chord) { return chord.key >= Key::a && chord.key <= Key::z && !chord.ctrl && !chord.alt; }

/// What a lesson's large button does once nothing is asked.
const Action* going_on(const Session& session) {
  const LessonState& lesson = session.lesson();
  const bool at_end = review_of(session) == nullptr && lesson.at.index + 1 == lesson.step_count();
  return action_named(at_end ? "lecture.next" : "step.next");
}

}  // namespace

std::vector<Chord> chords_now(const Action& action, const Session& session) {
  std::vector<Chord> chords = action.chords;
  if (!in_lesson_mode(session)) return chords;
  const bool asks = session.lesson().asks();
  std::erase_if(chords, [&](const Chord& chord) {
    if (chord == enter) return !asks || action.facts.in.has_value();
    return is_letter(chord) && action.facts.changes_layer;
  });
  if (!asks && &action == going_on(session)) chords.push_back(enter);
  return chords;
}

std::string keys_now(const Action& action, const Session& session) {
  const std::vector<Chord> chords = chords_now(action, session);
  return chords.empty() ? std::string() : to_string(chords.front());
}

const Action* action_now(const Chord& chord, const Session& session) {
  const bool goes_on = chord == enter && in_lesson_mode(session) && !session.lesson().asks();
  const Display& display = session.display();
  const Action* const found =
      goes_on ? going_on(session) : action_for(chord, display.presentation.presenting, display.view);
  return found != nullptr && std::ranges::count(chords_now(*found, session), chord) > 0 ? found : nullptr;
}

bool run(const Action& action, Session& session) {
  if (!action.enabled(session)) return false;
  action.run(session);
  return true;
}

namespace {

bool fits(const Action& action, const Session& session, const Target& target) {
  return action.facts.menus.fits != nullptr ? action.facts.menus.fits(session, target) : action.enabled(session);
}

}  // namespace

bool run(const Action& action, Session& session, const Target& target) {
  if (action.facts.menus.run == nullptr) return run(action, session);
  if (!fits(action, session, target)) return false;
  action.facts.menus.run(session, target);
  return true;
}

std::vector<const Action*> menu_of(const Session& session, const Target& target) {
  std::vector<const Action*> entries;
  for (const Action& action : actions())
    if (action.facts.menus.of.has(target.kind) && fits(action, session, target)) entries.push_back(&action);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Action* a, const Action* b) { return a->facts.menus.part < b->facts.menus.part; });
  return entries;
}

}  // namespace headlight
