// Reads what a step chooses about its matrix.
#pragma once

#include "core/formats/lecture/lecture_facts.hpp"
#include "core/formats/toml/toml_reader.hpp"
#include "core/lecture/matrix_choices.hpp"
#include "core/model/cell.hpp"

namespace headlight {

/// Reads `rows`, `decimals` and `labels` of a step block for the matrix with this cell. A problem for everything that
/// does not fit the step's setup.
MatrixChoices matrix_choices_from(TomlReader& reader, const CheckedSetup& checked, const Cell& look_at);

}  // namespace headlight
