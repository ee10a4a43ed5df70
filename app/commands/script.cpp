#include "app/commands/script.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "app/commands/exit_code.hpp"
#include "core/formats/files.hpp"

namespace headlight {

int write_script(const What& what, Framework framework, const std::optional<std::filesystem::path>& output) {
  const std::string text = script(setup_of(what), framework, what.memory_limit);
  if (output) write_file(*output, text);
  else fmt::print("{}", text);
  return done;
}

}  // namespace headlight
