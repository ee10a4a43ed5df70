// The setup file: TOML that people write by hand.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// Reads a setup document. Every key but `version` may be left out and then has the default of core/setup.hpp. Throws
/// InputError with all the problems at once: syntax (with line and column), unknown keys, wrong types, unknown words,
/// draws that are none, and impossible values. `source` names the document in messages, followed by the line:
/// "lesson.toml:12".
Setup parse_setup(std::string_view text, const std::string& source);
Setup read_setup(const std::filesystem::path& path);

/// The document that parse_setup reads as an equal setup, to the last bit of its numbers. Written for people: every
/// section with a word on each key. Keys that have no say here are left out (kv_heads where it follows heads,
/// valid_lengths where there are none).
std::string write_setup(const Setup& setup);

/// The setup with keys of its file replaced: "sizes.heads=4", "mask.kinds=[\"causal\"]", "random.draws[0]=seed 7". What
/// stands after '=' is a TOML value; what does not parse as one is text as it stands, so that
/// "attention.precision=float32" and "title=Hello there" need no quotes. All assignments hold together, in any order,
/// before anything is checked. Token labels are cut or filled up to fit new lengths unless they are assigned
/// themselves; a mask that no longer fits is a problem. Throws InputError with all the problems; their source is the
/// assignment behind its option: "--set sizes.heads=x".
Setup with_overrides(Setup base, const std::vector<std::string>& assignments, std::string_view option = "--set");

/// Assignments that make `to` of `from` in with_overrides: one for each key that differs. Both must be valid.
std::vector<std::string> overrides_between(const Setup& from, const Setup& to);

}  // namespace headlight
