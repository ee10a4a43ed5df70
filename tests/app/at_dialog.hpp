// A scripted person with the export dialog open.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "scripted.hpp"

namespace headlight::testing {

struct AtDialog : Scripted {
  explicit AtDialog(const Folders& folder, std::string_view lecture = "udl-12-2",
                    const std::string& program = HEADLIGHT_PROGRAM)
      : Scripted(lecture_session(lecture, 6), 1440, 900, folder, program) {
    press({.key = Key::e, .ctrl = true});
    if (!open()) throw std::runtime_error("Ctrl+E opened no export dialog");
  }
  ExportDialog& dialog() { return *app.memory().opened<ExportDialog>(); }
  bool open() { return app.memory().opened<ExportDialog>().has_value(); }

  /// Draws frames until the started program has done its work, for at most a minute.
  void draw_until(const std::function<bool()>& done) {
    for (int i = 0; i < 6000 && !done(); ++i) {
      surface.frames();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (!done()) throw std::runtime_error("the export dialog's program took more than a minute");
  }
  void wait_for_preview() {
    surface.wait(0.5);
    draw_until([&] { return !dialog().preview.busy; });
  }
  void press_export() { press({.key = Key::enter, .ctrl = true}); }
  void expect_exported() {
    press_export();
    draw_until([&] { return !open() || !dialog().problem.empty(); });
    if (open()) throw std::runtime_error(dialog().problem);
  }
};

inline void choose(ExportDialog& dialog, ExportWhat what, std::size_t form, const std::filesystem::path& path) {
  dialog.choices.what = what;
  dialog.choices.forms[static_cast<std::size_t>(what)] = form;
  dialog.path = path.string();
}

}  // namespace headlight::testing
