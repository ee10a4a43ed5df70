// What is remembered from start to start, kept however the window ends.
#pragma once

#include <functional>

#include "app/session/settings/settings.hpp"
#include "app/shell/headlight_app.hpp"

namespace headlight {

/// Hands the app what the settings say that is not the session's: recent files, the last export, the first hint.
void recall(HeadlightApp& app, const Settings& settings);

/// Runs `run`, which works the app, and then writes the settings and the place of the session to their files. Where it
/// throws they are written as well, and what it threw goes on. Throws InputError where the disk refuses; one file that
/// cannot be written does not keep the other from being.
void run_and_remember(HeadlightApp& app, const MemoryFiles& files, const std::function<void()>& run);

}  // namespace headlight
