// Ctrl+E: what to take away, in which form, how it looks and where it goes, with a preview and the command for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/session/export/export_choices.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

/// A picture or a text that shows what the file will be.
struct ExportPreview {
  void* texture = nullptr;  ///< of the shell, for the draw list
  int width = 0;
  int height = 0;
  std::vector<std::string> lines;  ///< the beginning of a text
  std::string remark;              ///< why there is none
  bool busy = false;
};

/// The dialog's state. The view fills in the choices and says what is wanted; the shell runs it and says how it goes.
struct ExportDialog {
  ExportChoices choices;
  std::string part;  ///< for numbers: "weights[0,1]"
  std::string path;
  std::string asked_to_replace;  ///< the path that is there already, once the person was told
  float height = 0;              ///< of the choices, when they were last drawn

  // from the shell
  std::string command;  ///< as a person would type it; empty where nothing names the setup yet
  ScreenPlace screen;
  ExportPreview preview;
  std::optional<double> fraction;  ///< of what is being exported; 0 while it cannot say
  std::string problem;             ///< of the last export

  enum class Wish : std::uint8_t { none, run, cancel, copy, close } wish = Wish::none;
};

void draw_export_dialog(ViewContext& context);

}  // namespace headlight
