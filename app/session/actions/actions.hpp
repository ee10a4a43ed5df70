// Everything that can be done with one press, in one table. Menus, buttons, the palette, keys and tests read it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "app/keys.hpp"
#include "app/session/session.hpp"

namespace headlight {

struct Action {
  std::string_view id;        ///< "edit.undo"; stable, for settings and tests
  std::string_view title;     ///< "Undo": as a menu, a tooltip and the palette say it
  std::string_view group;     ///< "Edit": heading of the menu and of the list of keys
  std::vector<Chord> chords;  ///< the first one is shown in menus
  bool (*enabled)(const Session&);
  void (*run)(Session&);
};

/// In the order of menus and of the list of keys; groups stand together.
std::span<const Action> actions();
/// Null where no action has the id.
const Action* action_named(std::string_view id);
/// Null where the chord does nothing.
const Action* action_for(const Chord& chord);
/// Runs it if it is enabled; says whether it did.
bool run(const Action& action, Session& session);
/// What a key press does: runs the action of the chord; false where there is none or it is disabled.
bool press(const Chord& chord, Session& session);

/// The enabled actions whose title, group or id has the letters of the text in order, best first; all of them for an
/// empty text. For the palette.
std::vector<const Action*> matching_actions(std::string_view text, const Session& session);
/// How well a text with the letters of `typed` in order fits; 0 where it does not. For other lists in the palette.
int match_quality(std::string_view typed, std::string_view text);

}  // namespace headlight
