// What the desktop offers through its portals (org.freedesktop.portal, by D-Bus): whether it is dark or light, and its
// own dialog for files. Where there is no bus or no portal, it says nothing and offers nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/appearance.hpp"

namespace headlight {

/// A file that the desktop's dialog is to ask for.
struct FileQuestion {
  std::string title;                  ///< "Open"
  bool writes = false;                ///< a file to write, which may not be there yet
  std::filesystem::path folder;       ///< where the dialog begins
  std::string name = {};              ///< proposed, for a file to write
  std::vector<std::string> patterns;  ///< of the files that it shows: "*.toml"; empty: all
};

struct FileAnswer {
  std::filesystem::path file;  ///< empty: the person chose none
  bool failed = false;         ///< the desktop has shown no dialog
};

/// A connection to the desktop, which listens on a thread of its own.
class DesktopPortal {
 public:
  DesktopPortal();
  ~DesktopPortal();
  DesktopPortal(const DesktopPortal&) = delete;
  DesktopPortal& operator=(const DesktopPortal&) = delete;

  /// What the desktop prefers now; nullopt where it does not say.
  std::optional<ThemeName> theme() const;
  /// Whether it prefers that little moves.
  bool less_motion() const;
  /// Shows the desktop's dialog for files. False where it has none; the caller then shows its own. One at a time.
  bool ask(const FileQuestion& question);
  /// The answer, once; nullopt while there is none.
  std::optional<FileAnswer> take_answer();

  /// `wake` is called on another thread when one of the above has changed. After another set_wake() returns, the old
  /// one is not called any more.
  void set_wake(std::function<void()> wake);

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;  ///< null: there is no bus
};

}  // namespace headlight
