#include "core/lecture/live_text.hpp"

namespace headlight {
namespace {

std::string words_of(const LiveNumber& number, const Scope& scope) {
  try {
    return number.words(scope);
  } catch (const InputError&) {
    return "–";
  }
}

}  // namespace

Markdown filled(const LiveText& text, const Scope& scope) {
  Markdown blocks = text.blocks;
  // From the last to the first, so that the places of those before stay where they are.
  for (auto hole = text.numbers.rbegin(); hole != text.numbers.rend(); ++hole)
    blocks[hole->block].spans[hole->span].text.insert(hole->at, words_of(hole->number, scope));
  return blocks;
}

std::string filled_label(const LiveText& text, const Scope& scope) { return plain_text(filled(text, scope)); }

}  // namespace headlight
