// A model as a whole: one setup, whose layers are computed from one another.
#pragma once

#include <vector>

#include "app/session/session.hpp"
#include "core/formats/layers/open_model.hpp"
#include "core/formats/layers/whole_model.hpp"

namespace headlight {

/// The whole of a model, compared with what was captured of it where that takes no longer than a person waits. Its
/// problems say why there is none.
WholeModel whole_in_window(const OpenModel& model);

/// Whether there may be more to the open model than its layers.
bool may_be_whole(const Session& session);

/// Makes the whole model the setup; a notice says where it is cut. Returns the problems if it can't be one; then
/// nothing changes.
std::vector<Problem> open_whole(Session& session, const WholeModel& whole);

}  // namespace headlight
