// WHAT of the command line: --lecture ID or --setup FILE (a setup, or a picture that holds one), and any number of
// --set overrides.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/progress_line.hpp"
#include "core/compute/threads.hpp"
#include "core/model/bytes.hpp"
#include "core/model/setup.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct What {
  std::string lecture;              ///< empty: none
  std::string part;                 ///< part of the lecture; empty: that of the step, or the first
  std::optional<std::size_t> step;  ///< counted from 1
  std::optional<std::filesystem::path> setup_file;
  std::vector<std::string> overrides;             ///< "sizes.heads=4"
  std::optional<std::filesystem::path> lectures;  ///< a folder of the lecturer's own
  std::int64_t memory_limit = default_memory_limit;
  std::shared_ptr<Threads> threads = std::make_shared<Threads>();  ///< the program's: copies share them
};

/// The setup that is meant. Throws InputError where nothing or too much is named, a file or lecture is missing or
/// broken, the setup is impossible, or its trace would be over the memory limit.
Setup setup_of(const What& what);

/// Its trace. Throws as setup_of does.
std::shared_ptr<const Trace> trace_of(const What& what, const Report& report = {});

}  // namespace headlight
