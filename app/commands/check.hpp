// `headlight check`
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compute/threads.hpp"

namespace headlight {

/// Compares each lecture (all of them if `ids` is empty) with the facts that its document printed, and prints a table
/// of the results. `folder` has a lecturer's own lectures. Returns check_failed if a fact differs.
int check_lectures(const std::vector<std::string>& ids, const std::optional<std::filesystem::path>& folder,
                   const std::shared_ptr<Threads>& threads);

}  // namespace headlight
