// Writes values as TOML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/toml/toml_value.hpp"

namespace headlight {

/// The text in quotes, with the escapes that a TOML basic string needs.
std::string toml_text(std::string_view text);

/// A key: as it is where TOML allows that, else in quotes.
std::string toml_key(std::string_view key);

/// The value on one line.
std::string toml_text(const TomlValue& value);

/// A list of entries that are already TOML: on one line if it fits into 100 columns, otherwise on several filled lines.
std::string toml_list(const std::vector<std::string>& entries);

/// One line of a file, with its line break: "heads = 2                         # divides d_model"
std::string toml_line(std::string_view key, std::string_view value, std::string_view comment = {});

}  // namespace headlight
