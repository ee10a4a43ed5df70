#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/setup/edits.hpp"
#include "core/trained/sentence_encoder.hpp"

namespace headlight {
namespace {

/// The tensors whose numbers a trained layer gives, whatever the text is.
constexpr std::array trained_tensors{TensorId::norm_gain, TensorId::norm_bias, TensorId::W_q, TensorId::W_k,
                                     TensorId::W_v,       TensorId::W_o,       TensorId::b_q, TensorId::b_k,
                                     TensorId::b_v,       TensorId::b_o};

/// The layer's arrays, made of the file's when they are first asked for, and shared by all setups from then on.
const GivenNumbers& trained_array(TensorId tensor) {
  static const auto arrays = [] {
    std::map<TensorId, GivenNumbers> made;
    for (const TensorId id : trained_tensors) made.emplace(id, GivenNumbers(sentence_encoder::array_of(id)));
    return made;
  }();
  return arrays.at(tensor);
}

using Pieces = std::vector<Piece>;

std::vector<Pieces> pieces_of(const ModelSettings& model) {
  std::vector<Pieces> pieces;
  for (const std::string& text : model.texts()) pieces.push_back(sentence_encoder::split(text));
  return pieces;
}

Index longest(const std::vector<Pieces>& items) {
  return std::ssize(*std::ranges::max_element(items, {}, [](const Pieces& pieces) { return pieces.size(); }));
}

/// X of all texts: (position, d_model) for one text, or (batch, position, d_model).
Tensor embedded(const std::vector<Pieces>& items, Index length) {
  if (items.size() == 1) return sentence_encoder::embedded(items.front(), length);
  Tensor all = Tensor::uninitialized(Precision::float32, Shape{std::ssize(items), length, sentence_encoder::d_model});
  for (Index item = 0; item < std::ssize(items); ++item)
    copy_numbers(sentence_encoder::embedded(items[static_cast<std::size_t>(item)], length), all.selected(0, item));
  return all;
}

/// Hides what only fills up the shorter texts.
void hide_padding(Setup& setup, const std::vector<Pieces>& items) {
  std::erase(setup.mask.kinds, MaskKind::padding);
  setup.mask.valid_lengths.clear();
  if (items.size() == 1) return;
  setup.mask.kinds.push_back(MaskKind::padding);
  setup.mask.padding_side = PaddingSide::right;
  for (const Pieces& pieces : items) setup.mask.valid_lengths.push_back(std::ssize(pieces));
}

/// The values that the model gives: whole tensors.
Values values_of(const std::vector<Pieces>& items, Index length) {
  Values values;
  for (const TensorId id : trained_tensors) values.set(id, {}, trained_array(id));
  values.set(TensorId::X, {}, GivenNumbers(embedded(items, length)));
  values.set(TensorId::P, {}, GivenNumbers(sentence_encoder::sines(length)));
  return values;
}

/// Removes what was given for tensors as wholes, and the parts that belonged to other pieces.
Values parts_that_stay(const Setup& setup, bool same_pieces) {
  Values kept;
  if (!setup.has_model()) return kept;
  for (const GivenValue& value : setup.values.entries()) {
    const bool is_trained = std::ranges::find(trained_tensors, value.tensor) != trained_tensors.end();
    if (!value.part.empty() && (is_trained || same_pieces)) kept.set(value);
  }
  return kept;
}

Setup without_model(const Setup& setup) {
  Setup edited = setup;
  edited.model = {};
  edited.values = {};
  edited.norm = {};
  edited.position.encoding = Encoding::none;
  edited.random.draws.clear();
  for (const char* draw : {"seed 0", "X normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal"})
    edited.random.draws.push_back(*parse_draw(draw));
  return edited;
}

}  // namespace

Setup with_model(const Setup& setup, const ModelSettings& model) {
  if (model.name == ModelName::none) return setup.has_model() ? without_model(setup) : setup;
  Setup edited = setup;
  edited.model = model;
  const std::vector<Pieces> items = pieces_of(model);
  const Index length = longest(items);
  if (model.layer != 0 || length > sentence_encoder::most_pieces) return edited;  // `problems` says what is wrong
  edited.sizes = {.batch = std::ssize(items),
                  .query_length = length,
                  .d_model = sentence_encoder::d_model,
                  .heads = sentence_encoder::heads};
  edited.sizes.d_out = sentence_encoder::d_out;
  edited.tokens.clear();
  if (items.size() == 1)
    std::ranges::transform(items.front(), std::back_inserter(edited.tokens), sentence_encoder::label_of);
  edited.key_tokens.clear();
  edited.features.clear();
  if (std::ssize(edited.head_names) != sentence_encoder::heads) edited.head_names.clear();
  edited.attention.source = Source::self;
  std::erase_if(edited.attention.ablated_heads,
                [](const LayerHead& each) { return each.head >= sentence_encoder::heads; });
  edited.position.encoding = Encoding::learned;
  edited.norm = {.kind = NormKind::layer, .epsilon = sentence_encoder::norm_epsilon};
  edited.task = {};
  edited.training = {};
  edited.random.draws.clear();
  hide_padding(edited, items);
  edited.mask.blocked.clear();
  Values values = values_of(items, length);
  const Values parts = parts_that_stay(setup, setup.model.text == model.text);
  for (const GivenValue& part : parts.entries()) values.set(part);
  edited.values = values;
  return edited;
}

Setup with_text(const Setup& setup, Index item, std::string_view text) {
  std::vector<std::string> texts = setup.model.texts();
  texts.at(static_cast<std::size_t>(item)) = text;
  ModelSettings model = setup.model;
  model.text = fmt::format("{}", fmt::join(texts, "\n"));
  return with_model(setup, model);
}

Values values_beside_model(const Setup& setup) { return setup.has_model() ? setup.values.parts() : setup.values; }

}  // namespace headlight
