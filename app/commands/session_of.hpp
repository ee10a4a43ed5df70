// WHAT as the window would show it.
#pragma once

#include "app/commands/progress_line.hpp"
#include "app/commands/what.hpp"
#include "app/session/session.hpp"

namespace headlight {

/// The session after opening WHAT: a lecture at its step, with the lecture's selection and view; what a picture shows;
/// or a setup from its beginning. `report`, which may be empty, is told how much of it is computed. Throws InputError
/// as setup_of does.
Session session_of(const What& what, const Report& report);

/// To compare: state B is what WHAT and its overrides name; A is that with `was` in place, or without any, WHAT before
/// its overrides, or what a picture of a comparison holds. Throws as session_of does.
Session compared_session_of(const What& what, const std::vector<std::string>& was, const Report& report);

}  // namespace headlight
