// Reads JSON from files that may be damaged or malicious.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace headlight {

enum class RepeatedKeys { last_counts, refused };

/// The JSON object in a text. Throws InputError naming `source` if the text is not UTF-8 or holds anything else, if its
/// lists and objects are nested more than 100 deep, or if the object repeats a key that must be unique. Messages name
/// `allowed` as what the text should be.
nlohmann::json parse_json_object(std::string_view text, const std::string& source, const char* allowed,
                                 RepeatedKeys repeated = RepeatedKeys::last_counts);

}  // namespace headlight
