// The choices of the last export, with which the next one begins.
#pragma once

#include <filesystem>

#include "app/session/export/export_choices.hpp"

namespace headlight {

/// A view with an export of its own sets these choices before it opens the dialog.
struct LastExport {
  ExportChoices choices;
  std::filesystem::path folder;
};

}  // namespace headlight
