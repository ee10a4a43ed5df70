// A plain-text table for the terminal.
#pragma once

#include <string>
#include <vector>

namespace headlight {

/// Columns as wide as their widest cell (counted in characters, not bytes), two spaces between them, a rule under the
/// header; no spaces at the ends of lines.
std::string table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);

}  // namespace headlight
