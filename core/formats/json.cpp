#include "core/formats/json.hpp"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {

nlohmann::json parse_json_object(std::string_view text, const std::string& source, const char* allowed,
                                 RepeatedKeys repeated) {
  using Event = nlohmann::json::parse_event_t;
  // The library copies and writes values by recursion, so a file must not choose how deep that is.
  constexpr int deepest = 100;
  require_text(text, source);
  std::set<std::string> keys;
  const auto watch = [&](int depth, Event event, const nlohmann::json& parsed) {
    if (depth == deepest && (event == Event::array_start || event == Event::object_start))
      throw InputError({source, "", fmt::format("lists or objects nested more than {} deep", deepest), allowed});
    if (repeated == RepeatedKeys::refused && depth == 1 && event == Event::key) {
      const auto& [key, is_new] = keys.insert(parsed.get<std::string>());
      if (!is_new) throw InputError({source, std::string(first_bytes(*key, 200)), "the name twice", "each name once"});
    }
    return true;
  };
  nlohmann::json document = nlohmann::json::parse(text, watch, false);
  if (!document.is_object()) throw InputError({source, "", "no JSON object", allowed});
  return document;
}

}  // namespace headlight
