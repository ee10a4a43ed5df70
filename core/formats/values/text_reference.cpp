#include "core/formats/values/text_reference.hpp"

#include <fmt/format.h>

#include "core/formats/files.hpp"
#include "core/formats/values/array_reference.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

TaskText read(const std::string& path, const std::string& digest) {
  TaskText text(read_text(path), is_passing(path) ? "" : path);
  if (digest.empty() || digest == text.digest()) return text;
  throw InputError({"", "", fmt::format("the file has changed (now #{})", text.digest()),
                    fmt::format("the text of #{}, or no # after the file to take the present one", digest)});
}

bool is_known(const ValueFiles& files, const std::string& path, const std::string& digest) {
  if (files.known_text == nullptr || files.known_text->path() != path) return false;
  return digest == files.known_text->digest() || (digest.empty() && files.access == ValueFiles::Access::known);
}

}  // namespace

TaskText text_from(TomlReader& reader, std::string_view key, const std::string& reference, const ValueFiles& files) {
  ArrayReference parts;
  std::string_view name = reference;
  parts.digest = taken_digest(name);
  parts.file = name;
  const std::string path = source_of(parts, files.folder).path;
  if (is_known(files, path, parts.digest)) return *files.known_text;
  if (!may_read(reader, key, path, reference, files)) return {};
  try {
    return read(path, parts.digest);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      reader.add(key, fmt::format("\"{}\": {}", name, problem.found), problem.allowed);
    return {};
  }
}

std::string to_reference(const TaskText& text, const std::filesystem::path& folder) {
  return path_from(text.path(), folder).string() + '#' + text.digest();
}

}  // namespace headlight
