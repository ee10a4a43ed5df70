// Actions found by their id, their keys or a few letters, and run.
#pragma once

#include <string_view>

#include "app/session/actions/action_table.hpp"

namespace headlight {

/// Null where no action has the id.
const Action* action_named(std::string_view id);
/// Null where the chord does nothing.
const Action* action_for(const Chord& chord);
/// Runs it if it is enabled; says whether it did.
bool run(const Action& action, Session& session);

/// How well a text with the letters of `typed` in order fits; 0 where it does not. For the palette.
int match_quality(std::string_view typed, std::string_view text);

}  // namespace headlight
