#include "app/platform/clipboard.hpp"

#include <imgui.h>

namespace headlight {

void read_clipboard(std::function<void(const std::string&)> take) {
  const char* const text = ImGui::GetClipboardText();
  take(text == nullptr ? "" : text);
}

}  // namespace headlight
