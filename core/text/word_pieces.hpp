// The tokens of language models as people read them.
#pragma once

#include <span>
#include <string>

namespace headlight {

/// The token at a position without the marks of its tokenizer: "Ġkeys" of GPT-2 and "▁keys" of SentencePiece are
/// "keys"; "##ing" of WordPiece, and among tokens with marks for spaces one without, are joined to what is before:
/// "·ing". Bytes of GPT-2 become characters again, "Ã©" is "é", and new lines "↵". A token that is nothing but a mark
/// or has none stays.
std::string readable_token(std::span<const std::string> tokens, std::size_t position);

/// The token as its tokenizer wrote it, where people read another word: "Ġkeys" of "keys". Empty where it is the same,
/// and beyond the last token.
std::string written_token(std::span<const std::string> tokens, std::size_t position);

}  // namespace headlight
