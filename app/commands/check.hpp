// `headlight check`
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headlight {

/// Each lecture (all of them where `ids` is empty) against its printed facts; a table. Returns the exit code.
int check_lectures(const std::vector<std::string>& ids, const std::optional<std::filesystem::path>& folder);

}  // namespace headlight
