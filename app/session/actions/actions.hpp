// Finds actions by id, by keys, by a few typed letters or by what they are about, and runs them.
#pragma once

#include <string_view>
#include <vector>

#include "app/session/actions/action_table.hpp"

namespace headlight {

/// The action with this id; null if there is none.
const Action* action_named(std::string_view id);
/// The action of a key combination, while presenting or not; null if it has none.
const Action* action_for(const Chord& chord, bool presenting = false);
/// Runs the action if it is enabled. Returns whether it did.
bool run(const Action& action, Session& session);
/// The same for the thing that a context menu was opened on.
bool run(const Action& action, Session& session, const Target& target);

/// The entries of a thing's context menu from top to bottom: the actions that do something to it now.
std::vector<const Action*> menu_of(const Session& session, const Target& target);

/// How well the letters of `typed` fit a text that has them in this order; 0 if it does not. For the palette.
int match_quality(std::string_view typed, std::string_view text);

}  // namespace headlight
