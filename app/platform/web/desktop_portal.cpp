#include "app/platform/desktop_portal.hpp"

#include <utility>

extern "C" void page_choose_files();

namespace headlight {

/// The browser's dialog for files. Those that the user chooses arrive as dropped ones do, so what is asked is answered
/// at once: nothing was chosen. The page itself asks the browser for dark or light.
struct DesktopPortal::Connection {
  bool asked = false;
};

DesktopPortal::DesktopPortal() : connection_(std::make_unique<Connection>()) {}
DesktopPortal::~DesktopPortal() = default;
std::optional<ThemeName> DesktopPortal::theme() const { return std::nullopt; }

bool DesktopPortal::ask(const FileQuestion& question) {
  if (question.writes) return false;  // the name that is typed is that of the download
  page_choose_files();
  return connection_->asked = true;
}

std::optional<FileAnswer> DesktopPortal::take_answer() {
  if (!std::exchange(connection_->asked, false)) return std::nullopt;
  return FileAnswer{};
}

void DesktopPortal::set_wake(std::function<void()>) {}  // NOLINT(performance-unnecessary-value-param)

}  // namespace headlight
