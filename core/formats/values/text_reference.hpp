// The text of a task as a setup names it: "words.txt", or "words.txt#" and the digest that Headlight writes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/formats/toml/toml_reader.hpp"
#include "core/formats/values/values_toml.hpp"
#include "core/model/task_text.hpp"

namespace headlight {

/// Reads the text of the reference; none, with a problem for `key`, if it cannot be read, is not UTF-8, or has changed
/// since the digest was written. `files` says where it is looked for and what may be read.
TaskText text_from(TomlReader& reader, std::string_view key, const std::string& reference, const ValueFiles& files);

/// The reference to a text that was read from a file, which is named from `folder`, or from the root where that is
/// empty.
std::string to_reference(const TaskText& text, const std::filesystem::path& folder);

}  // namespace headlight
