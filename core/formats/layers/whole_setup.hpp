// A whole model as a setup.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/formats/layers/whole_model.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// The setup of the chain. Its input is what the file holds, as files of capture.py do; else rows of the embedding;
/// else it is drawn. Throws InputError as layer_setup does.
Setup whole_setup(const WholeModel& whole, std::int64_t limit);
/// The same as the text of a setup file in `folder`, with comments that say what it shows and where it is cut.
std::string whole_setup_text(const WholeModel& whole, const std::filesystem::path& folder, std::int64_t limit);

}  // namespace headlight
