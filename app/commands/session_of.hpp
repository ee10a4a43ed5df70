// WHAT as the window would show it.
#pragma once

#include "app/commands/what.hpp"
#include "app/session/session.hpp"

namespace headlight {

/// The session after opening WHAT: a lecture at its step, with the lecture's selection and view; what a picture shows;
/// or a setup from its beginning. Throws InputError as setup_of does.
Session session_of(const What& what);

/// To compare: state A is what is named, and B what the overrides make of it. Throws as session_of does.
Session compared_session_of(const What& what);

}  // namespace headlight
