// The window with everything behind it: lectures, files, and what is remembered from start to start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/compute/threads.hpp"
#include "core/model/bytes.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// What the command line asked for. With neither a lecture nor a setup the window comes back as it was left.
struct WindowRequest {
  std::string lecture;   ///< id; empty: none
  std::size_t step = 0;  ///< from 0
  std::optional<std::filesystem::path> setup_file;
  std::optional<std::filesystem::path> lectures;  ///< a folder of the lecturer's own, watched
  std::int64_t memory_limit = default_memory_limit;
  std::shared_ptr<Threads> threads = std::make_shared<Threads>();  ///< the program's
};

/// Opens the window and returns when it is closed. Throws InputError where the request cannot be fulfilled, and
/// MachineError where there is no display or no OpenGL 3.3.
void open_window(const WindowRequest& request);

}  // namespace headlight
