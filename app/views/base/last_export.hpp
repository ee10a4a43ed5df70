// The choices of the last export, with which the next one begins.
#pragma once

#include <filesystem>

#include "app/session/export/export_choices.hpp"

namespace headlight {

/// The folders for pictures, and for numbers and programs.
struct ExportFolders {
  std::filesystem::path pictures;
  std::filesystem::path data;

  std::filesystem::path& of(const ExportForm& form) { return form.drawn() ? pictures : data; }
  const std::filesystem::path& of(const ExportForm& form) const { return form.drawn() ? pictures : data; }
};

/// A view with an export of its own sets these choices before it opens the dialog.
struct LastExport {
  ExportChoices choices;
  ExportFolders folders;
};

}  // namespace headlight
