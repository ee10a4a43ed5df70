// Reads the tables of a step's block: its question, its picture, and what it chooses about its matrix.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/lecture/lecture_facts.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "core/formats/toml/toml_reader.hpp"
#include "core/lecture/lecture.hpp"
#include "core/model/cell.hpp"

namespace headlight {

/// Reads a question block and finishes the reader. A problem for everything that does not fit the setup of its step.
/// `step` is its lecture and step in words, by which choices are shuffled.
Question question_from(TomlReader& reader, const CheckedSetup& checked, const TextContext& context,
                       std::string_view step);

/// Reads the list of assignments under `key`, and gives the setup with them. A problem for what does not fit; the
/// result is then the setup itself. Arrays are read from files in `folder` alone.
Setup read_assignments(TomlReader& reader, std::string_view key, const CheckedSetup& checked,
                       const std::filesystem::path& folder, std::vector<std::string>& assignments);

/// Reads the table `picture` of a step's block, whose settings, cell and tensor are read already. nullopt if the block
/// has none, or if there is a problem. Arrays are read from files in `folder` alone.
std::optional<StepPicture> read_picture(TomlReader& reader, const CheckedSetup& checked, const Step& step,
                                        const std::filesystem::path& folder);

/// Reads `rows`, `decimals` and `labels` of a step block for the matrix with this cell. A problem for everything that
/// does not fit the step's setup.
MatrixChoices matrix_choices_from(TomlReader& reader, const CheckedSetup& checked, const Cell& look_at);

}  // namespace headlight
