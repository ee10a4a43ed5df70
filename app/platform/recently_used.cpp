#include "app/platform/recently_used.hpp"

#include <array>
#include <cctype>
#include <sstream>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pugixml.hpp>

#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

std::string uri_of(const std::filesystem::path& file) {
  std::string uri = "file://";
  for (const char c : from_root(file).string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || std::string_view("/-._~").find(c) != std::string_view::npos;
    uri += plain && byte < 0x80 ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) attribute = node.append_attribute(name);
  attribute.set_value(value.c_str());
}

pugi::xml_node child(pugi::xml_node node, const char* name) {
  const pugi::xml_node found = node.child(name);
  return found ? found : node.append_child(name);
}

pugi::xml_node found_or_new(pugi::xml_node node, const char* name, const char* attribute, const std::string& value) {
  pugi::xml_node found = node.find_child_by_attribute(name, attribute, value.c_str());
  if (found) return found;
  found = node.append_child(name);
  set(found, attribute, value);
  return found;
}

/// The type of a file by its name, as the desktop has it from the package.
std::string_view mime_type_of(const std::filesystem::path& file) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> types{
      {{".headlight.toml", "application/vnd.headlight.setup+toml"},
       {".headlight.md", "text/vnd.headlight.lecture"},
       {".headlight.json", "application/vnd.headlight.model+json"},
       {".toml", "application/toml"},
       {".md", "text/markdown"},
       {".png", "image/png"},
       {".json", "application/json"}}};
  const std::string name = file.filename().string();
  for (const auto& [ending, type] : types)
    if (name.ends_with(ending)) return type;
  std::error_code error;
  return std::filesystem::is_directory(file, error) ? "inode/directory" : "application/octet-stream";
}

}  // namespace

std::string with_recently_used(const std::string& list, const std::filesystem::path& file, std::time_t now) {
  pugi::xml_document document;
  if (list.empty()) {
    pugi::xml_node declaration = document.append_child(pugi::node_declaration);
    set(declaration, "version", "1.0");
    set(declaration, "encoding", "UTF-8");
    pugi::xml_node root = document.append_child("xbel");
    set(root, "version", "1.0");
    set(root, "xmlns:bookmark", "http://www.freedesktop.org/standards/desktop-bookmarks");
    set(root, "xmlns:mime", "http://www.freedesktop.org/standards/shared-mime-info");
  } else if (!document.load_string(list.c_str(), pugi::parse_full) || !document.child("xbel")) {
    return list;
  }
  std::tm utc{};
  gmtime_r(&now, &utc);
  const std::string time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc);
  pugi::xml_node bookmark = found_or_new(document.child("xbel"), "bookmark", "href", uri_of(file));
  if (!bookmark.attribute("added")) set(bookmark, "added", time);
  set(bookmark, "modified", time);
  set(bookmark, "visited", time);
  pugi::xml_node metadata = found_or_new(child(bookmark, "info"), "metadata", "owner", "http://freedesktop.org");
  set(child(metadata, "mime:mime-type"), "type", std::string(mime_type_of(file)));
  pugi::xml_node program =
      found_or_new(child(metadata, "bookmark:applications"), "bookmark:application", "name", "Headlight");
  set(program, "exec", "'headlight %f'");
  set(program, "modified", time);
  set(program, "count", fmt::format("{}", program.attribute("count").as_int() + 1));
  std::ostringstream written;
  document.save(written, "  ", pugi::format_indent, pugi::encoding_utf8);
  return written.str();
}

void add_to_recently_used(const std::filesystem::path& folder, const std::filesystem::path& file, std::time_t now) {
  std::error_code error;
  if (!folder.is_absolute() || !std::filesystem::is_directory(folder, error)) return;
  const std::filesystem::path list = folder / "recently-used.xbel";
  try {
    const std::string before = std::filesystem::exists(list, error) ? read_text(list) : std::string();
    const std::string after = with_recently_used(before, file, now);
    if (after != before) write_file(list, after);
  } catch (const InputError&) {
    return;  // a failure does no harm: the list is a convenience
  }
}

}  // namespace headlight
