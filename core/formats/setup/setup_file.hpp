// The setup file: TOML that people write by hand.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/model/setup.hpp"

namespace headlight {

/// Reads a setup document. Every key but `version` may be left out and then has the default of Setup. Throws
/// InputError with all the problems at once: syntax (with line and column), unknown keys, wrong types, unknown words,
/// draws that are none, and impossible values. `source` names the document in messages, followed by the line:
/// "lesson.toml:12".
Setup parse_setup(std::string_view text, const std::string& source);
Setup read_setup(const std::filesystem::path& path);

/// The document that parse_setup reads as an equal setup, to the last bit of its numbers. Written for people: every
/// section with a word on each key. Keys that have no say here are left out (kv_heads where it follows heads,
/// valid_lengths where there are none).
std::string write_setup(const Setup& setup);

}  // namespace headlight
