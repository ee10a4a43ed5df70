// The drawn tensors: inputs, weights, biases, a learned P, and the gains and shifts of norms. random/draws.hpp draws
// them; this file explains which draw a number came from, where it was given, or what it is in a trained layer.
#include <optional>

#include <fmt/format.h>

#include "core/model/attention_alone.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"
#include "core/trained/sentence_encoder.hpp"

namespace headlight {
namespace {

/// Whether the draw fills the cell: it fills the cell's whole tensor, or the block of the head that the cell is in.
bool fills(const TensorDraw& draw, const Cell& cell, const Setup& setup) {
  const bool is_here = draw.layer == setup.layer || info(cell.tensor).is_of_model();
  if (!is_here || !draws_into(draw, cell.tensor)) return false;
  const auto axis = info(cell.tensor).block_axis();
  return !draw.head || (axis && cell.index[*axis] / setup.d_head() == *draw.head);
}

struct Origin {
  std::string draw;
  std::string seed;
};

/// The last draw that fills the cell, and the last seed before that draw.
std::optional<Origin> origin_of(const Cell& cell, const Setup& setup) {
  std::optional<Origin> origin;
  std::string seed;
  for (const PlainDraw& draw : draws_in_order(setup)) {
    if (std::holds_alternative<SeedDraw>(draw)) seed = to_string(draw);
    else if (fills(std::get<TensorDraw>(draw), cell, setup)) origin = Origin{to_string(draw), seed};
  }
  return origin;
}

/// The value that fills the cell: the part that it is in, else the whole tensor; null where neither is given.
const GivenValue* given_at(const Cell& cell, const Setup& setup) {
  const GivenValue* given = nullptr;
  const Shape extents = shape(cell.tensor, setup);
  for (const GivenValue& value : setup.values.entries()) {
    if (!setup.values.is_for(value, cell.tensor)) continue;
    const bool inside = has(*ranges_of(value.part, extents), cell.index);
    if (inside && (given == nullptr || !value.part.empty())) given = &value;
  }
  return given;
}

/// "layer.npz:W_q", without the folders around the file.
std::string words_of(const ArraySource& source) {
  const std::string file = source.path.substr(source.path.find_last_of('/') + 1);
  return file + (source.name.empty() ? "" : ":" + source.name) + source.steps;
}

/// Where weights come from of which nothing else is known, and whether their row is whole.
void explain_alone(Explanation& explanation, const Trace& trace, const Cell& cell) {
  Cell at = cell;
  double sum = 0;
  for (Index& key = at.index[at.index.rank() - 1] = 0; key < trace.setup.key_length(); ++key) sum += trace.number(at);
  explanation.formula = "the weights are given, and nothing before them is known";
  if (sum == 0) explanation.note += "; its row is all zeros: the query sees no key";
  else if (!is_whole_row(sum)) explanation.note += fmt::format("; its row adds up to {:.4g}, not to 1", sum);
}

Explanation explain_given(Explanation explanation, const GivenValue& given) {
  const std::string key = key_of(given);
  explanation.formula = fmt::format("{} is given, not drawn", key);
  const auto& source = given.numbers.source();
  explanation.note = source ? fmt::format("{} in the setup's values: from {}", key, words_of(*source))
                            : fmt::format("{} in the setup's values", key);
  explanation.terms = {term("given", {constant(key, explanation.value)})};
  return explanation;
}

/// A number of X is one of the embedding's row for the piece at its position.
void explain_embedding(Explanation& explanation, const Setup& setup, const Cell& cell) {
  const Index batch = cell.index[0], position = cell.index[1], feature = cell.index[2];
  const auto pieces = sentence_encoder::split(setup.model.texts()[static_cast<std::size_t>(batch)]);
  explanation.formula = "X[b,q,f] = embedding[row of the piece at q, f]";
  if (position >= std::ssize(pieces)) {
    explanation.note = "after the end of the text: zeros, which the padding mask hides";
    explanation.terms = {term("embedding", {constant("padding", explanation.value)})};
    return;
  }
  const Piece& piece = pieces[static_cast<std::size_t>(position)];
  const bool is_known = piece.row != sentence_encoder::unknown_row;
  explanation.note = is_known ? fmt::format("row {} of 8,000 is that of the piece \"{}\"", piece.row, piece.text)
                              : fmt::format("\"{}\" isn't in the vocabulary: row 0, the unknown piece", piece.text);
  explanation.terms = {
      term("embedding", {constant(fmt::format("embedding[{},{}]", piece.row, feature), explanation.value)})};
}

void explain_sine(Explanation& explanation, const Cell& cell) {
  const Index position = cell.index[0], feature = cell.index[1];
  const bool is_sine = feature < sentence_encoder::d_model / 2;
  const char* const wave = is_sine ? "sin" : "cos";
  explanation.formula = is_sine ? "P[i,k] = sin(i · t_k)" : "P[i,128+k] = cos(i · t_k)";
  explanation.note = fmt::format("t_{} = {:.6g} is one of the encoder's 128 frequencies", feature % 128,
                                 sentence_encoder::frequency_of(feature));
  const std::string label = fmt::format("{}({} · {:.6g})", wave, position, sentence_encoder::frequency_of(feature));
  explanation.terms = {term("wave", {constant(label, explanation.value)})};
}

/// Where a number of a trained layer comes from.
Explanation explain_trained(Explanation explanation, const Setup& setup, const Cell& cell) {
  if (cell.tensor == TensorId::X) {
    explain_embedding(explanation, setup, cell);
  } else if (cell.tensor == TensorId::P) {
    explain_sine(explanation, cell);
  } else {
    explanation.formula = fmt::format("{} was trained", name(cell.tensor));
    explanation.note = "layer 0 of Google's Universal Sentence Encoder Lite, rounded to float16";
    explanation.terms = {term("trained", {constant(to_string(cell), explanation.value)})};
  }
  return explanation;
}

}  // namespace

Explanation explain_drawn(const Stage&, const Trace& trace, const Cell& cell) {
  if (const GivenValue* given = given_at(cell, trace.setup)) {
    const bool is_trained = trace.setup.has_model() && given->part.empty();
    if (is_trained) return explain_trained(explanation_of(trace, cell), trace.setup, cell);
    Explanation explanation = explain_given(explanation_of(trace, cell), *given);
    if (trace.setup.has_attention_alone()) explain_alone(explanation, trace, cell);
    return explanation;
  }
  Explanation explanation = explanation_of(trace, cell);
  const auto origin = origin_of(cell, trace.setup);
  const bool is_torch = trace.setup.random.generator == GeneratorKind::torch;
  const bool is_one = info(cell.tensor).without_draws() == 1;
  explanation.formula = origin
                            ? fmt::format("{} is drawn: \"{}\"", name(cell.tensor), origin->draw)
                            : fmt::format("{} is not drawn, so it is {}", name(cell.tensor), is_one ? "one" : "zero");
  if (origin && !origin->seed.empty())
    explanation.note = is_torch ? fmt::format("from PyTorch's generator after \"{}\"", origin->seed)
                                : fmt::format("from NumPy's generator after \"{}\"", origin->seed);
  const char* given = is_one ? "1" : "0";
  explanation.terms = {term(origin   ? "drawn"
                            : is_one ? "one"
                                     : "zero",
                            {constant(origin ? origin->draw : given, explanation.value)})};
  return explanation;
}

namespace operations {

extern constinit const Operation draw{.kind = StageKind::drawn,
                                      .title = "Seeded draws",
                                      .formula = "from the random generator",
                                      .explain = explain_drawn};

}  // namespace operations

}  // namespace headlight
