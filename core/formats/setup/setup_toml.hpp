// A setup inside any TOML document: a file of its own, the [setup] table of a lecture, or one that --set changes. How
// each type of value is read and written; which keys there are is core/model/setup_keys.hpp's to say.
#pragma once

#include <cstdint>
#include <string>

#include "core/formats/toml/toml_reader.hpp"
#include "core/formats/values/values_toml.hpp"
#include "core/model/setup.hpp"
#include "core/model/setup_keys.hpp"

namespace headlight {

enum class Version : std::uint8_t { required, optional };

/// Reads every key of a setup document and finishes the reader. `files` says where the arrays of its values are. What
/// is wrong, with the value checks of core's problems() among it, is added to the reader's problems; the result is a
/// valid setup where none was.
Setup setup_from(TomlReader& reader, Version version, const ValueFiles& files = {});

/// The document that setup_from reads as an equal setup, with its version. Keys without a say are left out.
TomlTable toml_of(const Setup& setup);

/// The value of one key; of a size that is left out, what it stands for.
TomlValue toml_of(const SetupKey& key, const Setup& setup);

/// What messages allow where a value has the wrong type: "a whole number", "one of \"self\", \"cross\"".
std::string wanted(const SetupKey& key);

}  // namespace headlight
