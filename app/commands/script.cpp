#include "app/commands/script.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "app/commands/exit_code.hpp"
#include "core/formats/files.hpp"

namespace headlight {

int write_script(const What& what, Framework framework, bool check,
                 const std::optional<std::filesystem::path>& output) {
  const auto write = check ? check_script : script;
  const std::string text = write(setup_of(what), framework, what.memory_limit);
  if (output) write_file(*output, text);
  else fmt::print("{}", text);
  return done;
}

}  // namespace headlight
