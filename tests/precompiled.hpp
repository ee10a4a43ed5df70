// What most tests include. It is compiled once for all of them (tests/CMakeLists.txt).
#pragma once

#include "app/platform/surfaces/offscreen.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/shell/documents.hpp"
#include "app/shell/headlight_app.hpp"
#include "app/views/base/view_memory.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/setup/edits.hpp"
#include "core/stages/explain.hpp"
