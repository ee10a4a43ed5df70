#include "core/formats/setup/setup_file.hpp"

#include "core/formats/files.hpp"
#include "core/formats/setup/setup_toml.hpp"
#include "core/formats/setup/setup_writer.hpp"
#include "core/formats/toml/toml_text.hpp"

namespace headlight {

Setup parse_setup(std::string_view text, const std::string& source, const std::filesystem::path& folder) {
  const TomlTable document = parse_toml(text, source);
  std::vector<Problem> problems;
  TomlReader reader(document, "", problems);
  Setup setup = setup_from(reader, Version::required, {.folder = folder});
  if (!problems.empty()) throw InputError(located(std::move(problems), document, source));
  return setup;
}

Setup read_setup(const std::filesystem::path& path) {
  return parse_setup(read_text(path), path.string(), folder_of(path));
}

std::string write_setup(const Setup& setup, const std::filesystem::path& folder) {
  return toml_line("version", "1") + written_keys(setup, {}, folder);
}

}  // namespace headlight
