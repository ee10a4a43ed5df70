// Opens the window, with lectures, files, and the settings kept from the last start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/platform/background_thread.hpp"
#include "core/compute/threads.hpp"
#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// What the command line asked for. With neither a lecture nor a setup file the window opens as it was left.
struct WindowRequest {
  std::string lecture;         ///< id; empty: none
  std::size_t step = 0;        ///< counted from 0
  bool present = false;        ///< begins by presenting
  bool presenter = false;      ///< and with the presenter's window
  std::filesystem::path file;  ///< opened as if it were dropped on the window; empty: none
  std::filesystem::path mine;  ///< arrays that Check my work opens with; empty: none
  std::optional<std::filesystem::path> setup_file;
  std::optional<std::filesystem::path> model;     ///< a file or folder with the layers of a model
  std::optional<std::filesystem::path> lectures;  ///< a folder with a lecturer's own lectures; it is watched
  std::int64_t memory_limit = default_memory_limit;
  /// The program's threads. What they compute leaves the processors to the window's own.
  std::shared_ptr<Threads> threads = std::make_shared<Threads>(available_threads(), behind_the_window());
};

/// Opens the window and returns when it is closed. Throws InputError if what the request names cannot be opened, and
/// MachineError if there is no display or no OpenGL 3.3.
void open_window(const WindowRequest& request);

}  // namespace headlight
