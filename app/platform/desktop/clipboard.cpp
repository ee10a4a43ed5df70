#include "app/platform/clipboard.hpp"

#include <imgui.h>

namespace headlight {

// In a browser it is kept until the text is there.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void read_clipboard(std::function<void(const std::string&)> take) {
  const char* const text = ImGui::GetClipboardText();
  take(text == nullptr ? "" : text);
}

}  // namespace headlight
