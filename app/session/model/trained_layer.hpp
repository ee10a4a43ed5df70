// Choosing the layer that was really trained.
#pragma once

#include "app/session/session.hpp"
#include "core/setup/keys.hpp"

namespace headlight {

/// Sets the entry of the setup that chooses it, and returns false for any other entry. A page has to fetch the layer's
/// numbers, so the edit waits until they are here; what is wrong with it is shown then.
bool choose_model(Session& session, const SetupKey& entry, const ControlInput& chosen);

/// Sets any entry of the setup, with or without waiting. A value that isn't allowed changes nothing.
void edit_entry(Session& session, const SetupKey& entry, const ControlInput& chosen);

}  // namespace headlight
