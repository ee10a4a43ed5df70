// Reads and writes setup files, which are TOML that people write by hand.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/model/setup.hpp"

namespace headlight {

/// Reads a setup document. Every key except `version` may be left out and then has the default of Setup. Throws
/// InputError with all problems at once: syntax errors (with line and column), unknown keys, wrong types, unknown
/// words, unreadable draws, and impossible values. `source` names the document in messages, followed by the line:
/// "lesson.toml:12".
Setup parse_setup(std::string_view text, const std::string& source);
Setup read_setup(const std::filesystem::path& path);

/// The setup as a document for people to read, with a comment on each key. parse_setup reads an equal setup from it, to
/// the last bit of its numbers. Keys that change nothing are left out: kv_heads if it is not set and so equals heads,
/// valid_lengths if there are none.
std::string write_setup(const Setup& setup);

}  // namespace headlight
