#include "app/session/actions/actions.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace headlight {

std::string Action::title_now(const Session& session) const {
  const std::string now = detail == nullptr ? std::string() : detail(session);
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
      return action.presenting == while_presenting && action.in == in &&
             std::find(action.chords.begin(), action.chords.end(), chord) != action.chords.end();
    });
    return found == table.end() ? nullptr : &*found;
  };
  const Action* found = presenting ? find(true, {}) : nullptr;
  if (found == nullptr && view && !presenting) found = find(false, view);
  return found != nullptr ? found : find(false, {});
}

bool run(const Action& action, Session& session) {
  if (!action.enabled(session)) return false;
  action.run(session);
  return true;
}

namespace {

bool fits(const Action& action, const Session& session, const Target& target) {
  return action.menus.fits != nullptr ? action.menus.fits(session, target) : action.enabled(session);
}

}  // namespace

bool run(const Action& action, Session& session, const Target& target) {
  if (action.menus.run == nullptr) return run(action, session);
  if (!fits(action, session, target)) return false;
  action.menus.run(session, target);
  return true;
}

std::vector<const Action*> menu_of(const Session& session, const Target& target) {
  std::vector<const Action*> entries;
  for (const Action& action : actions())
    if (action.menus.of.has(target.kind) && fits(action, session, target)) entries.push_back(&action);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Action* a, const Action* b) { return a->menus.part < b->menus.part; });
  return entries;
}

}  // namespace headlight
