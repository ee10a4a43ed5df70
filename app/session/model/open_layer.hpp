// The layers of the open model as setups.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session.hpp"
#include "core/formats/layers/open_model.hpp"
#include "core/model/problem.hpp"

namespace headlight {

/// The layer of the open model that the setup shows: the one whose W_q the setup's was read from. None if no model is
/// open, or if the setup is another one. Undo, a restart and an edit of anything but W_q keep it.
std::optional<std::size_t> shown_layer(const Session& session);

// --- The layers that the view Layers shows: those of the model that is computed, or else of the open one -------------

std::size_t layer_count(const Session& session);
/// The one whose trace the session shows, if it is one of them.
std::optional<std::size_t> layer_at_hand(const Session& session);
/// "layers.3.attn", in a file; empty in a model that is computed.
std::string layer_name(const Session& session, std::size_t layer);
Index heads_of_layer(const Session& session, std::size_t layer);
/// Shows it. Returns the problems if it can't be shown.
std::vector<Problem> go_to_layer(Session& session, std::size_t layer);

/// Opens a model with its first layer that can be a setup, and the view of all layers. Returns the problems if none
/// can; then nothing changes.
std::vector<Problem> open_layers(Session& session, OpenModel model);

/// Makes a layer of the open model the setup, and keeps head and cell as far as it has them. Returns the problems if it
/// can't be one; then nothing changes.
std::vector<Problem> open_layer(Session& session, std::size_t layer);

/// Shows the layer that is so many after the shown one, where there is one: of the model that is computed, or of the
/// open one, with a notice of what is wrong if it can't be opened.
bool can_step_layer(const Session& session, int by);
void step_layer(Session& session, int by);

}  // namespace headlight
