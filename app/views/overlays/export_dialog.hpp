// Ctrl+E: what to export, in which form, how it looks and where it goes, with a preview and the command for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/session/export/export_job.hpp"
#include "app/views/base/last_export.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// A picture or a text that shows what the file will be.
struct ExportPreview {
  void* texture = nullptr;  ///< a texture of the shell, as ImGui's draw list takes it
  int width = 0;
  int height = 0;
  std::vector<std::string> lines;  ///< the beginning of a text
  std::string remark;              ///< why there is no preview
  bool busy = false;
};

/// What is exported, and to where.
struct ExportAttempt {
  ExportChoices choices;
  std::string part;
  std::string path;

  friend bool operator==(const ExportAttempt&, const ExportAttempt&) = default;
};

/// The dialog's state. The view sets the choices and the wish; the shell carries out the wish and reports on it below.
struct ExportDialog {
  ExportChoices choices;
  std::string part;  ///< for numbers: "weights[0,1]"
  std::string path;
  ExportFolders folders;         ///< where the path begins
  std::string asked_to_replace;  ///< the existing path that the person was asked about; exporting again replaces it
  float height = 0;              ///< of the list of choices in the last frame, design pixels

  // The following members are set by the shell.
  std::string command;  ///< as a person would type it; empty while the setup is in no file
  WindowSize window;
  ZoomRanges zoom;  ///< of the view behind the dialog
  ExportPreview preview;
  std::optional<double>
      fraction;  ///< how much of the running export is done, 0 while unknown; nullopt if none is running
  /// Why the last export failed or a typed value was refused, and what was chosen then: other choices may not fail.
  std::string problem;
  ExportAttempt failed;
  ExportAttempt attempt() const { return {choices, part, path}; }

  enum class Wish : std::uint8_t { none, run, cancel, copy, close } wish = Wish::none;
};

void draw_export_dialog(ViewContext& context);

}  // namespace headlight
