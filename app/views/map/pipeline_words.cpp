#include "app/views/map/pipeline_words.hpp"

#include <fmt/format.h>

#include "app/views/equation/equation.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

OperationWord word_of(TensorId tensor, const std::string& text) {
  const Role role = info(tensor).role;
  return {text, role, role != Role::neutral};
}

/// "QKᵀ", "weights · V": a dot only after a word.
std::vector<OperationWord> product_words(const Stage& stage, const Setup& setup) {
  const TensorId left = operand_at(stage, Operand::Slot::left, setup)->tensor;
  const Operand right = *operand_at(stage, Operand::Slot::right, setup);
  // The picture of a weight matrix on the wire already shows the product.
  if (info(right.tensor).kind == TensorKind::weight) return {};
  const std::string symbol = symbol_of(plainest_operand(stage, Operand::Slot::left)->tensor).base;
  return {word_of(left, symbol.size() == 1 ? symbol : symbol + " · "),
          word_of(right.tensor, symbol_of(right.tensor).base + (right.transposed ? "ᵀ" : ""))};
}

std::vector<OperationWord> input_words(const Setup& setup, Index batch, bool brief) {
  // In cross-attention Y takes the room for this.
  if (setup.sizes.batch < 2 || setup.is_cross()) return {};
  return {{brief ? fmt::format("item {}", batch) : fmt::format("item {} of {}", batch, setup.sizes.batch)}};
}

}  // namespace

std::vector<OperationWord> operation_of(TensorId tensor, const Setup& setup, Index batch, bool brief) {
  const TensorInfo& about = info(tensor);
  const Stage& stage = stage_of(tensor);
  if (setup.has_attention_alone()) return {{"given"}};
  if (about.kind == TensorKind::input) return input_words(setup, batch, brief);
  const bool is_drawn_alone = about.kind == TensorKind::weight && !is_in_projection(tensor);
  if (is_drawn_alone || stage.kind == StageKind::given) {
    const Symbol symbol = symbol_of(tensor);
    return {{symbol.base, about.role, true}, {symbol.subscript, about.role, true, Script::sub}};
  }
  if (stage.kind == StageKind::product) return product_words(stage, setup);
  const StageWords words = stage.words(setup);
  if (words.below.empty()) return {};
  return {{brief ? words.below_briefly : words.below}};
}

std::vector<OperationWord> backward_operation_of(TensorId tensor, const Setup& setup) {
  const TensorInfo& about = info(tensor);
  if (tensor == TensorId::loss) return {{"mean −ln p"}};
  if (about.kind == TensorKind::weight && !is_in_projection(tensor)) return operation_of(tensor, setup, 0);
  if (about.can_be_drawn() || (about.role != Role::neutral && about.role != Role::output)) return {};
  const auto paths = gradient_paths(tensor, setup);
  if (paths.size() != 1) return {};
  const GradientPath& path = paths.front();
  if (path.through->kind != StageKind::product) return {{words_of(path, setup)}};
  const bool left = path.operand.slot == Operand::Slot::left;
  const Operand other = *operand_at(*path.through, left ? Operand::Slot::right : Operand::Slot::left, setup);
  const Symbol symbol = symbol_of(other.tensor);
  const Role role = info(other.tensor).role;
  return {{"· "},
          {symbol.base, role, role != Role::neutral},
          {symbol.subscript, role, role != Role::neutral, Script::sub},
          {other.transposed ? "" : "ᵀ", role, role != Role::neutral}};
}

}  // namespace headlight
