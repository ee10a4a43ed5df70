#include "app/session/sentence.hpp"

#include <algorithm>

#include "app/session/session.hpp"

namespace headlight {

bool is_random(const Session& session) {
  const Setup& setup = session.setup();
  return session.lesson().lecture() == nullptr && !setup.has_model() && setup.values.empty() &&
         setup.training.steps == 0 && !setup.tokens.empty();
}

bool has_sentence(const Session& session) {
  const Setup& setup = session.setup();
  const bool by_words = setup.has_model() || is_random(session);
  return session.lesson().lecture() == nullptr && by_words && !setup.is_cross() && setup.past() == 0 &&
         setup.sizes.batch == 1 && session.trace().has(TensorId::weights);
}

std::string text_of_sentence(const Session& session) {
  const Setup& setup = session.setup();
  if (setup.has_model()) {
    const auto texts = setup.model.texts();
    const auto last = static_cast<Index>(texts.size()) - 1;
    return last < 0 ? std::string() : texts[static_cast<std::size_t>(std::min(session.selection().batch, last))];
  }
  std::string text;
  for (const std::string& token : setup.tokens) text += (text.empty() ? "" : " ") + token;
  return text;
}

bool on_sentence_page(const Session& session) {
  const Display& display = session.display();
  return display.mode == WindowMode::sentence && !display.presentation.presenting &&
         display.embedded == Embedded::none && has_sentence(session);
}

void show_sentence_page(Session& session, bool shown) {
  if (shown) session.show(View::tokens);
  session.edit_display([&](Display& d) { d.mode = shown ? WindowMode::sentence : WindowMode::workbench; });
}

}  // namespace headlight
