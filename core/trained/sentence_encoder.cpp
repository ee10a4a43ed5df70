#include "core/trained/sentence_encoder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "core/model/half.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"
#include "core/trained/encoder_numbers.hpp"

// assets/models, inside the program.
extern "C" const char _binary_sentence_encoder_tsv_start[];
extern "C" const char _binary_sentence_encoder_tsv_end[];

namespace headlight::sentence_encoder {
namespace {

constexpr std::string_view space = "▁";
constexpr Index first_ordinary_row = 6;  ///< those before are special, and no text holds them
constexpr Index vocabulary_size = 8000;
constexpr Index frequencies = d_model / 2;

// --- Pieces ----------------------------------------------------------------------------------------------------------

struct Entry {
  Index row;
  double score;
};

/// The pieces that a text can hold, with their rows and scores.
class Vocabulary {
 public:
  Vocabulary() {
    std::string_view lines(
        _binary_sentence_encoder_tsv_start,
        static_cast<std::size_t>(_binary_sentence_encoder_tsv_end - _binary_sentence_encoder_tsv_start));
    for (Index row = 0; !lines.empty(); ++row) {
      const std::size_t end = lines.find('\n');
      const std::size_t tab = lines.find('\t');
      const std::string_view piece = lines.substr(0, tab);
      const double score = number_from<double>(lines.substr(tab + 1, end - tab - 1)).value();
      lowest_ = std::min(lowest_, score);
      longest_ = std::max(longest_, piece.size());
      if (row >= first_ordinary_row) entries_.emplace(piece, Entry{row, score});
      lines.remove_prefix(end + 1);
    }
  }

  const Entry* find(std::string_view piece) const {
    const auto found = entries_.find(piece);
    return found == entries_.end() ? nullptr : &found->second;
  }
  std::size_t longest() const { return longest_; }
  /// The score of a character that no piece has: lower than that of any piece, so that it is used only where no piece
  /// fits. The difference is SentencePiece's.
  double unknown_score() const { return lowest_ - 10; }

 private:
  std::unordered_map<std::string_view, Entry> entries_;
  std::size_t longest_ = 0;  ///< in bytes
  double lowest_ = 0;
};

/// The best way to split a text up to one of its bytes.
struct Best {
  double score = -std::numeric_limits<double>::infinity();
  std::size_t from = 0;  ///< where its last piece begins
  Index row = unknown_row;
};

/// For each byte of the text that begins a character, and for its end, the best way to split what is before it.
std::vector<Best> best_splits(const Vocabulary& vocabulary, std::string_view text) {
  std::vector<Best> best(text.size() + 1);
  best[0].score = 0;
  for (std::size_t from = 0, character = 0; from < text.size(); from += character) {
    character = std::max<std::size_t>(utf8_sequence(text.substr(from)), 1);
    const auto offer = [&](std::size_t to, double score, Index row) {
      if (best[from].score + score > best[to].score) best[to] = {best[from].score + score, from, row};
    };
    const std::size_t last = std::min(text.size(), from + vocabulary.longest());
    for (std::size_t to = from + 1; to <= last; ++to) {
      const Entry* const entry = vocabulary.find(text.substr(from, to - from));
      if (entry != nullptr) offer(to, entry->score, entry->row);
    }
    offer(from + character, vocabulary.unknown_score(), unknown_row);
  }
  return best;
}

// --- Arrays ----------------------------------------------------------------------------------------------------------

/// The float16 arrays of the file, in its order, after the frequencies.
enum class Array : std::uint8_t { embedding, norm_gain, norm_bias, W_q, W_k, W_v, W_o, b_q, b_k, b_v, b_o };
constexpr std::array<Index, 11> rows_of{vocabulary_size, 1, 1, d_model, d_model, d_model, d_model, 1, 1, 1, 1};
constexpr std::array<Index, 11> columns_of{d_model, d_model, d_model, d_model, d_model, d_model,
                                           d_out,   d_model, d_model, d_model, d_out};

/// The float16 at an index of an array.
const char* address(Array array, Index index) {
  const char* at = numbers() + frequencies * static_cast<Index>(sizeof(float));
  for (std::size_t before = 0; before < static_cast<std::size_t>(array); ++before)
    at += rows_of[before] * columns_of[before] * static_cast<Index>(sizeof(Half));
  return at + index * static_cast<Index>(sizeof(Half));
}

void widen(Array array, Index first, Index count, float* to) {
  const char* from = address(array, first);
  for (Index i = 0; i < count; ++i, from += sizeof(Half)) {
    Half number{};
    std::memcpy(&number, from, sizeof number);
    to[i] = static_cast<float>(number);
  }
}

Array array_named(TensorId tensor) {
  switch (tensor) {
    case TensorId::norm_gain: return Array::norm_gain;
    case TensorId::norm_bias: return Array::norm_bias;
    case TensorId::W_q: return Array::W_q;
    case TensorId::W_k: return Array::W_k;
    case TensorId::W_v: return Array::W_v;
    case TensorId::W_o: return Array::W_o;
    case TensorId::b_q: return Array::b_q;
    case TensorId::b_k: return Array::b_k;
    case TensorId::b_v: return Array::b_v;
    case TensorId::b_o: return Array::b_o;
    default: throw std::logic_error("the encoder has no such array");
  }
}

}  // namespace

std::vector<Piece> split(std::string_view text) {
  static const Vocabulary vocabulary;
  const std::string visible = std::string(space) + replaced(text, " ", space);
  const std::vector<Best> best = best_splits(vocabulary, visible);
  std::vector<Piece> pieces;
  for (std::size_t end = visible.size(); end > 0;) {
    const Index row = best[end].row;
    std::size_t from = best[end].from;
    while (row == unknown_row && from > 0 && best[from].row == unknown_row) from = best[from].from;
    pieces.push_back({row, visible.substr(from, end - from)});
    end = from;
  }
  std::ranges::reverse(pieces);
  return pieces;
}

std::string label_of(const Piece& piece) {
  if (!piece.text.starts_with(space)) return "·" + piece.text;
  return piece.text == space ? piece.text : piece.text.substr(space.size());
}

Tensor array_of(TensorId tensor) {
  const Array array = array_named(tensor);
  const Index rows = rows_of[static_cast<std::size_t>(array)];
  const Index columns = columns_of[static_cast<std::size_t>(array)];
  Tensor numbers = Tensor::uninitialized(Precision::float32, rows == 1 ? Shape{columns} : Shape{rows, columns});
  widen(array, 0, rows * columns, numbers.writable<float>());
  return numbers;
}

Tensor embedded(const std::vector<Piece>& pieces, Index length) {
  Tensor numbers = Tensor::zeros(Precision::float32, Shape{length, d_model});
  float* to = numbers.writable<float>();
  for (const Piece& piece : pieces) {
    widen(Array::embedding, piece.row * d_model, d_model, to);
    to += d_model;
  }
  return numbers;
}

double frequency_of(Index feature) {
  float frequency = 0;
  const Index at = feature % frequencies * static_cast<Index>(sizeof(float));
  std::memcpy(&frequency, numbers() + at, sizeof frequency);
  return static_cast<double>(frequency);
}

Tensor sines(Index positions) {
  Tensor numbers = Tensor::uninitialized(Precision::float64, Shape{positions, d_model});
  double* const to = numbers.writable<double>();
  for (Index k = 0; k < frequencies; ++k) {
    const double frequency = frequency_of(k);
    for (Index i = 0; i < positions; ++i) {
      const double angle = static_cast<double>(i) * frequency;
      to[i * d_model + k] = std::sin(angle);
      to[i * d_model + frequencies + k] = std::cos(angle);
    }
  }
  return numbers;
}

}  // namespace headlight::sentence_encoder
