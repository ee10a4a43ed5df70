#include "app/views/equation/equation.hpp"

#include <vector>

#include <fmt/format.h>

#include "app/session/selection.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// result = a @ b in the index order of the names table, where b is read transposed for keys.
struct Factors {
  TensorId a;
  TensorId b;
  bool b_transposed = false;
  std::optional<TensorId> bias;
};

std::optional<Factors> factors_of(TensorId result, const Setup& setup) {
  const TensorId key_input = setup.is_cross() ? TensorId::Y : TensorId::X;
  switch (result) {
    case TensorId::Q: return Factors{TensorId::X, TensorId::W_q, false, TensorId::b_q};
    case TensorId::K: return Factors{key_input, TensorId::W_k, false, TensorId::b_k};
    case TensorId::V: return Factors{key_input, TensorId::W_v, false, TensorId::b_v};
    case TensorId::dot_products: return Factors{TensorId::Q_heads, TensorId::K_heads, true, {}};
    case TensorId::context: {
      const bool dropped = exists(TensorId::dropped_weights, setup);
      return Factors{dropped ? TensorId::dropped_weights : TensorId::weights, TensorId::V_heads, false, {}};
    }
    case TensorId::output: return Factors{TensorId::concat, TensorId::W_o, false, TensorId::b_o};
    default: return std::nullopt;
  }
}

std::optional<TensorId> before_of(TensorId result) {
  switch (result) {
    case TensorId::scores: return TensorId::dot_products;
    case TensorId::masked_scores: return TensorId::scores;
    case TensorId::weights: return TensorId::masked_scores;
    case TensorId::dropped_weights: return TensorId::weights;
    default: return std::nullopt;
  }
}

std::optional<TensorId> other_side_of(TensorId tensor) {
  switch (tensor) {
    case TensorId::Q_heads: return TensorId::Q;
    case TensorId::K_heads: return TensorId::K;
    case TensorId::V_heads: return TensorId::V;
    case TensorId::concat: return TensorId::context;
    default: return std::nullopt;
  }
}

std::string scale_text(const Setup& setup) {
  std::string text;
  if (std::holds_alternative<InverseSqrtDHead>(setup.attention.scale)) text = fmt::format("÷ √{}", setup.d_head());
  if (const double* number = std::get_if<double>(&setup.attention.scale)) text = fmt::format("× {:.4g}", *number);
  if (setup.attention.temperature != 1)
    text += fmt::format("{}÷ {:.4g}", text.empty() ? "" : " ", setup.attention.temperature);
  return text.empty() ? "× 1" : text;
}

std::string mask_text(const Setup& setup) {
  std::vector<std::string_view> kinds;
  for (MaskKind kind : setup.mask.kinds) kinds.push_back(to_string(kind));
  return kinds.empty() ? "no mask" : fmt::format("{} mask", fmt::join(kinds, ", "));
}

}  // namespace

Equation equation_of(TensorId tensor, const Setup& setup) {
  const bool turned = setup.attention.token_axis == TokenAxis::columns;
  Equation equation;
  equation.result = {tensor, shown_turned(tensor, setup)};
  if (const auto factors = factors_of(tensor, setup)) {
    equation.kind = EquationKind::product;
    equation.result.transposed = turned;
    equation.left = turned ? Operand{factors->b, !factors->b_transposed} : Operand{factors->a, false};
    equation.right = turned ? Operand{factors->a, true} : Operand{factors->b, factors->b_transposed};
    if (factors->bias && exists(*factors->bias, setup)) equation.bias = Operand{*factors->bias, turned};
  } else if (const auto before = before_of(tensor)) {
    equation.kind = EquationKind::elementwise;
    equation.before = {*before, turned};
  } else if (const auto other = other_side_of(tensor)) {
    equation.kind = EquationKind::pieces;
    equation.before = {*other, turned};
  }
  return equation;
}

std::string operation_text(TensorId result, const Setup& setup) {
  switch (result) {
    case TensorId::scores: return scale_text(setup);
    case TensorId::masked_scores: return mask_text(setup);
    case TensorId::weights: return "softmax";
    case TensorId::dropped_weights: return fmt::format("dropout {:.3g} %", 100 * setup.attention.dropout);
    default: return {};
  }
}

Symbol symbol_of(TensorId tensor) {
  const std::string_view full = name(tensor);
  const std::size_t cut = full.find('_');
  if (info(tensor).rank <= 2 && cut == 1) return {std::string(full.substr(0, 1)), std::string(full.substr(2))};
  switch (tensor) {
    case TensorId::Q_heads: return {"Q", ""};
    case TensorId::K_heads: return {"K", ""};
    case TensorId::V_heads: return {"V", ""};
    case TensorId::dot_products: return {"dot products", ""};
    case TensorId::masked_scores: return {"masked scores", ""};
    case TensorId::dropped_weights: return {"dropped weights", ""};
    default: return {std::string(full), ""};
  }
}

std::vector<std::string> title_words(TensorId tensor, Index batch, Index head, const Setup& setup) {
  const TensorInfo& about = info(tensor);
  std::vector<std::string> words;
  if (tensor == TensorId::X || tensor == TensorId::Y) words.emplace_back("input");
  if (tensor == TensorId::Q || tensor == TensorId::Q_heads) words.emplace_back("queries");
  if (tensor == TensorId::K || tensor == TensorId::K_heads) words.emplace_back("keys");
  if (tensor == TensorId::V || tensor == TensorId::V_heads) words.emplace_back("values");
  if (about.has_heads()) {
    const bool shared = about.axes[1] == Axis::kv_head;
    words.push_back(fmt::format("head {}", shared ? kv_head_of(head, setup) : head));
  }
  if (about.has_batch() && setup.sizes.batch > 1) words.push_back(fmt::format("item {}", batch));
  return words;
}

}  // namespace headlight
