// Choosing the layer that was really trained.
#pragma once

#include <string_view>

#include "app/session/session.hpp"
#include "core/setup/control.hpp"

namespace headlight {

/// The entry of the setup that chooses it. A page has to fetch the layer's numbers, so its edit may have to wait.
constexpr std::string_view model_entry = "model.name";

/// Sets that entry to what somebody chose, as soon as the numbers are here. What is wrong with it is shown then.
void choose_model(Session& session, const ControlInput& chosen);

}  // namespace headlight
