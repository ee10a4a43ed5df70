#include "app/commands/keys.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "app/commands/exit_code.hpp"
#include "app/commands/table.hpp"
#include "core/formats/setup/setup_toml.hpp"
#include "core/formats/toml/toml_value.hpp"

namespace headlight {
namespace {

std::string default_of(const SetupKey& key) {
  const auto* size = std::get_if<Optional<Setup>>(&key.value);
  return size != nullptr ? std::string(size->follows) : toml_text(toml_of(key, Setup{}));
}

}  // namespace

int list_keys() {
  std::vector<std::vector<std::string>> rows;
  for (const SetupKey& key : setup_keys()) {
    const std::string allowed = key.allowed_words().empty() ? wanted(key) : key.allowed_words();
    rows.push_back({std::string(key.name), default_of(key), allowed, std::string(key.help)});
  }
  fmt::print("{}", table({"key", "default", "allowed", "what it does"}, rows));
  return done;
}

}  // namespace headlight
