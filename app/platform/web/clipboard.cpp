#include "app/platform/clipboard.hpp"

#include <utility>

#include <emscripten.h>

/// In page.js. Answers by page_pasted, now or later.
extern "C" void page_read_clipboard();

namespace headlight {
namespace {

std::function<void(const std::string&)> awaits_text;

}  // namespace

extern "C" EMSCRIPTEN_KEEPALIVE void page_pasted(const char* text) {
  if (const auto take = std::exchange(awaits_text, nullptr)) take(text);
}

void read_clipboard(std::function<void(const std::string&)> take) {
  awaits_text = std::move(take);
  page_read_clipboard();
}

}  // namespace headlight
