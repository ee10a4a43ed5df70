// Reads the question of a step.
#pragma once

#include "core/formats/lecture/lecture_facts.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "core/formats/toml/toml_reader.hpp"

namespace headlight {

/// Reads a question block and finishes the reader. A problem for everything that does not fit the setup of its step.
Question question_from(TomlReader& reader, const CheckedSetup& checked, const TextContext& context);

/// Reads the list of assignments under `key`, and gives the setup with them. A problem for what does not fit; the
/// result is then the setup itself. Arrays are read from files in `folder` alone.
Setup read_assignments(TomlReader& reader, std::string_view key, const CheckedSetup& checked,
                       const std::filesystem::path& folder, std::vector<std::string>& assignments);

}  // namespace headlight
