// Sentences: any text is split into pieces that have rows, and each piece but the unknown one is written as it is
// named.
#include "core/trained/sentence_encoder.hpp"

#include "core/model/problem.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
void judge(std::string_view bytes) {
  try {
    require_text(bytes, "input");
  } catch (const InputError&) {
    return;  // a setup file holds text
  }
  const std::vector<Piece> pieces = sentence_encoder::split(bytes);
  bool was_unknown = false;
  for (const Piece& piece : pieces) {
    const bool unknown = piece.row == sentence_encoder::unknown_row;
    require(piece.row >= 0, "a piece has a row");
    require(!piece.text.empty(), "a piece is written");
    require(!(unknown && was_unknown), "neighbouring characters without a piece are one unknown piece");
    require_text(sentence_encoder::label_of(piece), "a piece's label");
    was_unknown = unknown;
  }
}

}  // namespace headlight::fuzz
