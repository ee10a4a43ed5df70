// Reads and writes setup files, which are TOML that people write by hand.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/model/setup.hpp"

namespace headlight {

/// Reads a setup document. Every key but `version` may be left out and then has the default of Setup. Throws InputError
/// with all the problems at once: syntax (with line and column), unknown keys, wrong types, unknown words, draws that
/// cannot be read, and impossible values. `source` names the document in messages, followed by the line:
/// "lesson.toml:12". Arrays that its values name are files in `folder`, or in the folder that the program runs in where
/// that is empty; they are read too.
Setup parse_setup(std::string_view text, const std::string& source, const std::filesystem::path& folder = {});
Setup read_setup(const std::filesystem::path& path);

/// The document that parse_setup reads as an equal setup, to the last bit of its numbers. Written for people: every
/// section with a word on each key. Keys that have no effect are left out (kv_heads if it follows heads, valid_lengths
/// if there are none). Arrays of files are named from `folder`, where the document will be, or from the root if that is
/// empty; the digest beside each tells a later reader whether the file has changed.
std::string write_setup(const Setup& setup, const std::filesystem::path& folder = {});

/// Every key that has an effect, with a comment, section by section. The sections are inside `table` ("[setup.sizes]"),
/// or at the top if it is empty. Arrays of files are named from `folder` (see write_setup).
std::string written_keys(const Setup& setup, std::string_view table = {}, const std::filesystem::path& folder = {});

}  // namespace headlight
