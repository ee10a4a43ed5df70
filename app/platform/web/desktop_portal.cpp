#include "app/platform/desktop_portal.hpp"

#include <utility>

extern "C" {
void page_choose_files();
int page_prefers_light();
int page_prefers_less_motion();
}

namespace headlight {

/// The browser's dialog for files. Those that the user chooses arrive as dropped ones do, so what is asked is answered
/// at once: nothing was chosen. A file that
/// is written is a download: it has the name that was proposed, and the browser asks where it goes.
struct DesktopPortal::Connection {
  std::optional<FileAnswer> answer;
};

DesktopPortal::DesktopPortal() : connection_(std::make_unique<Connection>()) {}
DesktopPortal::~DesktopPortal() = default;
std::optional<ThemeName> DesktopPortal::theme() const {
  return page_prefers_light() != 0 ? ThemeName::light : ThemeName::dark;
}
bool DesktopPortal::less_motion() const { return page_prefers_less_motion() != 0; }

bool DesktopPortal::ask(const FileQuestion& question) {
  if (!question.writes) page_choose_files();
  connection_->answer = FileAnswer{question.writes ? question.folder / question.name : std::filesystem::path{}};
  return true;
}

std::optional<FileAnswer> DesktopPortal::take_answer() { return std::exchange(connection_->answer, std::nullopt); }

void DesktopPortal::set_wake(std::function<void()>) {}  // NOLINT(performance-unnecessary-value-param)

}  // namespace headlight
