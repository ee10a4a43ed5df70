#include "core/formats/setup/setup_file.hpp"

#include "core/formats/files.hpp"
#include "core/formats/setup/setup_toml.hpp"

namespace headlight {

Setup parse_setup(std::string_view text, const std::string& source) {
  const TomlTable document = parse_toml(text, source);
  std::vector<Problem> problems;
  TomlReader reader(document, "", problems);
  Setup setup = setup_from(reader, Version::required);
  if (!problems.empty()) throw InputError(located(std::move(problems), document, source));
  return setup;
}

Setup read_setup(const std::filesystem::path& path) { return parse_setup(read_text(path), path.string()); }

}  // namespace headlight
