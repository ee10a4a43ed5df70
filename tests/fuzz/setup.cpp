// Setup files: every setup that is accepted is valid, and reads back equal after it is written.
#include "core/formats/setup/setup_file.hpp"

#include "core/setup/validity.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
void judge(std::string_view bytes) {
  Setup setup;
  try {
    setup = parse_setup(bytes, "input");
  } catch (const InputError& error) {
    require_told(error, "input");
    return;
  }
  require(problems(setup).empty(), "what is accepted is a valid setup");
  require(parse_setup(write_setup(setup), "written") == setup, "a setup is read again as it was written");
}

}  // namespace headlight::fuzz
