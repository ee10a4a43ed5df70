// `headlight check`
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compute/threads.hpp"

namespace headlight {

/// Each lecture (all of them where `ids` is empty) against its printed facts; a table. Returns the exit code.
int check_lectures(const std::vector<std::string>& ids, const std::optional<std::filesystem::path>& folder,
                   const std::shared_ptr<Threads>& threads);

}  // namespace headlight
