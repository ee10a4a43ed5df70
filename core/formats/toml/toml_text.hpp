// Values as TOML writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/toml/toml_value.hpp"

namespace headlight {

/// Text in quotes, with everything escaped that a basic string may not hold.
std::string toml_text(std::string_view text);

/// A key: as it is where TOML lets it stand bare, else in quotes.
std::string toml_key(std::string_view key);

/// The value on one line.
std::string toml_text(const TomlValue& value);

/// A list of entries that are TOML already: on one line where it fits, else filled line by line.
std::string toml_list(const std::vector<std::string>& entries);

/// "heads = 2                         # divides d_model", with the line's end.
std::string toml_line(std::string_view key, std::string_view value, std::string_view comment = {});

}  // namespace headlight
