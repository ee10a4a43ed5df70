// A setup inside any TOML document: a file of its own, or the [setup] table of a lecture.
#pragma once

#include "core/formats/toml/toml_reader.hpp"
#include "core/model/setup.hpp"

namespace headlight {

enum class Version : std::uint8_t { required, optional };

/// Reads every key of a setup document and finishes the reader. What is wrong, with the value checks of core's
/// problems() among it, is added to the reader's problems; the result is a valid setup where none was.
Setup setup_from(TomlReader& reader, Version version);

}  // namespace headlight
