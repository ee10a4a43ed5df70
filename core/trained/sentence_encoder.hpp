// A layer that was really trained: the first of Google's Universal Sentence Encoder Lite (Cer et al. 2018). Its numbers
// are in the program (assets/models/README.md says where they come from) and are read only when the user asks for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/names.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// A word, or a part of one, that the encoder has a vector for.
struct Piece {
  Index row = 0;     ///< of the embedding
  std::string text;  ///< as in the text, with "▁" in place of a space: "▁street"; any characters if unknown

  friend bool operator==(const Piece&, const Piece&) = default;
};

namespace sentence_encoder {

constexpr std::string_view name = "sentence-encoder";
constexpr Index d_model = 256;
constexpr Index heads = 4;
constexpr Index d_out = 512;
constexpr double norm_epsilon = 1e-6;
constexpr Index most_pieces = 128;  ///< of a text, as the encoder was trained
/// Of a text. Characters that no piece has are one unknown piece together, however many they are.
constexpr std::size_t most_bytes = 4096;
constexpr Index unknown_row = 0;

/// A text as pieces: of all ways to split it, the one whose pieces have the largest sum of scores, as SentencePiece's
/// unigram model does. A space comes before the first word. Neighbouring characters that no piece has are one unknown
/// piece together.
std::vector<Piece> split(std::string_view text);

/// The piece as a label: "street", and with a middle dot where it continues a word, "·s".
std::string label_of(const Piece& piece);

/// The layer's tensors that don't depend on the text: the weights and biases, norm_gain and norm_bias.
/// float32, which holds a float16 exactly.
Tensor array_of(TensorId tensor);

/// The embedding's rows of the pieces, (pieces, d_model), and zeros for positions after them up to `length`. float32.
Tensor embedded(const std::vector<Piece>& pieces, Index length);

/// The frequency of a feature of P: features k and 128 + k have the same.
double frequency_of(Index feature);

/// P, (positions, d_model): [sin(i · f), cos(i · f)] with the encoder's 128 frequencies f. float64.
Tensor sines(Index positions);

}  // namespace sentence_encoder
}  // namespace headlight
