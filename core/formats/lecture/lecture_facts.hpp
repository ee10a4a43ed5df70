// What a lecture's front matter says about one part: its setup, and the facts that were printed.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/formats/toml/toml_reader.hpp"
#include "core/lecture/lecture.hpp"

namespace headlight {

/// A part's setup; what refers to it can be checked only where it is valid.
struct CheckedSetup {
  Setup setup;
  bool valid = false;
};

/// The tensor that a key names; nothing where there is none, or where the setup has no such tensor.
std::optional<TensorId> read_tensor(TomlReader& reader, std::string_view key, const CheckedSetup& checked);

/// The list of tables `facts`. Value facts hold as many numbers as their block of the setup's tensor.
std::vector<Fact> facts_from(TomlReader& reader, const CheckedSetup& checked);

}  // namespace headlight
