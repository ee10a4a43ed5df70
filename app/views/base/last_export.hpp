// What the last export was, which the next one begins with.
#pragma once

#include <filesystem>

#include "app/session/export/export_choices.hpp"

namespace headlight {

/// A view that offers an export of its own puts its choices here before it asks for the dialog.
struct LastExport {
  ExportChoices choices;
  std::filesystem::path folder;
};

}  // namespace headlight
