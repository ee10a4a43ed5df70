// Reads and writes a setup inside any TOML document: a setup file, the [setup] table of a lecture, or the document that
// --set changes. This part knows how each type of value is written; core/setup/keys.hpp lists the keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/formats/toml/toml_entry.hpp"
#include "core/formats/toml/toml_reader.hpp"
#include "core/formats/values/values_toml.hpp"
#include "core/model/setup.hpp"
#include "core/setup/keys.hpp"

namespace headlight {

enum class Version : std::uint8_t { required, optional };

/// Reads every key of a setup document and finishes the reader. `files` tells where the arrays of its values are. Adds
/// everything that is wrong, also what problems() of core/setup finds, to the reader's problems. Without problems the
/// result is a valid setup.
Setup setup_from(TomlReader& reader, Version version, const ValueFiles& files = {});

/// The setup with the keys that the document has; the others stay as they are, except those in the sections `anew`,
/// which get their defaults. Labels that the document lacks fit new sizes. Adds what is wrong as setup_from does.
Setup changed_by(TomlReader& reader, const Setup& base, std::span<const std::string> anew, const ValueFiles& files);

/// The setup as a document with its version, from which setup_from reads an equal setup. Keys that change nothing are
/// left out.
TomlTable toml_of(const Setup& setup);

TomlValue toml_value(MaskKind kind);
TomlValue toml_value(const LayerHead& head);
TomlValue toml_value(const Draw& draw);
TomlValue toml_value(const Values& values);
TomlValue toml_value(const TaskText& text);
/// The same with a file that is named from `folder`, or from the root where that is empty.
TomlValue toml_value(const TaskText& text, const std::filesystem::path& folder);

/// The value of one key. For an optional size that is not set, the value that is used instead (kv_heads: heads).
TomlValue toml_of(const SetupKey& key, const Setup& setup);

/// Puts it into a document of a setup.
void put(TomlTable& document, const SetupKey& key, const Setup& setup);

/// What messages allow if the value has the wrong type: "a whole number", "one of \"self\", \"cross\"".
std::string wanted(const SetupKey& key);

}  // namespace headlight
