// What the app remembers from one start to the next, however it ends.
#pragma once

#include <functional>

#include "app/platform/surfaces/window.hpp"
#include "app/shell/headlight_app.hpp"
#include "app/shell/keeper.hpp"

namespace headlight {

/// Gives the app what all windows share: recent files, the last export, the first hint, what was seen of the lectures.
void recall(HeadlightApp& app, const Settings& settings);

/// The part of the app's present state that is kept.
KeptState kept_of(const HeadlightApp& app);

/// Calls `run`, which runs the app, and keeps what changes in it after each frame and at the end, even if `run` throws.
/// If the window stays open, each further frame is kept too, and app and keeper must live as long as it. A projector's
/// large type is for one hall: it comes back only where the program was ended by force. Throws what `run` threw, or
/// else InputError if a file cannot be written at the end.
void run_and_remember(HeadlightApp& app, Keeper& keeper, const std::function<WindowState()>& run);

}  // namespace headlight
