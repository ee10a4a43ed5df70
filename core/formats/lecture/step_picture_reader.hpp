// Reads the picture of a step.
#pragma once

#include <optional>

#include "core/formats/lecture/lecture_facts.hpp"
#include "core/formats/toml/toml_reader.hpp"
#include "core/lecture/lecture.hpp"
#include "core/lecture/step_picture.hpp"

namespace headlight {

/// Reads the table `picture` of a step's block, whose settings, cell and tensor are read already. nullopt if the block
/// has none, or if there is a problem.
std::optional<StepPicture> read_picture(TomlReader& reader, const CheckedSetup& checked, const Step& step);

}  // namespace headlight
