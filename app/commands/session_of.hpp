// Makes a session that shows WHAT, as the window would.
#pragma once

#include "app/commands/progress_line.hpp"
#include "app/commands/what.hpp"
#include "app/session/session.hpp"
#include "app/session/settings/snapshot.hpp"

namespace headlight {

/// The session after opening WHAT: a lecture at its step, with the lecture's selection and view; the place that a
/// picture shows; or a setup. `report`, which may be empty, is told how much of it is computed. Throws InputError as
/// setup_of does.
Session session_of(const What& what, const Report& report);

/// The session that a snapshot is of, with what `what` says about lectures, memory and threads.
Session session_of(const Snapshot& snapshot, const What& what, const Report& report);

/// A session that compares two states. State B is WHAT with its overrides. State A is state B with the assignments
/// `was`; if `was` is empty, state A is the one that a picture of a comparison holds, or else WHAT without its
/// overrides. Throws as session_of does.
Session compared_session_of(const What& what, const std::vector<std::string>& was, const Report& report);

}  // namespace headlight
