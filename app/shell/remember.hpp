// Keeps settings and place from one start to the next, however the window ends.
#pragma once

#include <functional>

#include "app/session/settings/settings.hpp"
#include "app/shell/headlight_app.hpp"

namespace headlight {

/// Gives the app the settings that are not part of the session: recent files, the last export, the first hint.
void recall(HeadlightApp& app, const Settings& settings);

/// Calls `run`, which runs the app, and then writes the settings and the session's place to their files, even if `run`
/// throws. If one file cannot be written the other still is. Throws what `run` threw, or else InputError if a file
/// cannot be written.
void run_and_remember(HeadlightApp& app, const MemoryFiles& files, const std::function<void()>& run);

}  // namespace headlight
