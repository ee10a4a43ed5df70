#include "app/platform/desktop_portal.hpp"

#include <utility>

namespace headlight {

/// A browser has no portal. What it says about dark and light is the page's business.
struct DesktopPortal::Connection {};

DesktopPortal::DesktopPortal() = default;
DesktopPortal::~DesktopPortal() = default;
std::optional<ThemeName> DesktopPortal::theme() const { return std::nullopt; }
bool DesktopPortal::ask(const FileQuestion&) { return false; }
std::optional<FileAnswer> DesktopPortal::take_answer() { return std::nullopt; }
void DesktopPortal::set_wake(std::function<void()>) {}  // NOLINT(performance-unnecessary-value-param)

}  // namespace headlight
