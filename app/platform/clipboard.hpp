// The clipboard, as somebody pastes by a menu. Text fields get theirs from Dear ImGui.
#pragma once

#include <functional>
#include <string>

namespace headlight {

/// Gives `take` the clipboard's text: at once, or in a browser later, when it has asked the person. Where a browser
/// gives nothing out it says how to paste instead, and `take` is not called.
void read_clipboard(std::function<void(const std::string&)> take);

}  // namespace headlight
