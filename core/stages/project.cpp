// Q = X @ W_q + b_q, and likewise K and V (from Y in cross-attention), and output = concat @ W_o + b_o.
#include <array>

#include <fmt/format.h>

#include "core/compute/matrix_product.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

/// A linear layer: result = input @ weight + bias.
struct Layer {
  TensorId weight;
  TensorId bias;
  TensorId result;
};
constexpr Layer queries{TensorId::W_q, TensorId::b_q, TensorId::Q};
constexpr Layer keys{TensorId::W_k, TensorId::b_k, TensorId::K};
constexpr Layer values{TensorId::W_v, TensorId::b_v, TensorId::V};
constexpr Layer out{TensorId::W_o, TensorId::b_o, TensorId::output};

TensorId input_of(const Layer& layer, const Trace& trace) {
  if (layer.result == TensorId::output) return TensorId::concat;
  return layer.result != TensorId::Q && trace.setup.is_cross() ? TensorId::Y : TensorId::X;
}

/// One product over batch · position where the layout allows it, else one per batch item.
Tensor apply(const Layer& layer, const Trace& trace, Workspace& workspace) {
  const Tensor& input = trace[input_of(layer, trace)];
  const Tensor& weight = trace[layer.weight];
  Tensor result = workspace.tensor(input.precision(), shape(layer.result, trace.setup));
  const Index batch = input.shape()[0], positions = input.shape()[1], columns = result.shape()[2];
  const bool one_matrix = input.strides()[0] == positions * input.strides()[1];
  const Index products = one_matrix ? 1 : batch;
  const Index rows = batch * positions / products;
  with_element_type(input.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* bias = trace.has(layer.bias) ? trace[layer.bias].data<T>() : nullptr;
    multiply_all<T>(
        workspace, products,
        [&](Index item) {
          const MatrixView<T> left = matrix<T>(input, item);
          return MatrixView<T>(left.data(), rows, left.cols(), AnyStride(left.outerStride(), left.innerStride()));
        },
        [&](Index) { return matrix<T>(weight); },
        [&](Index item) {
          return WritableMatrix<T>(result.writable<T>() + item * rows * columns, rows, columns, RowStride(columns));
        },
        [&](MatrixOut<T>& piece, Index first_column) {
          if (bias == nullptr) return;
          piece.array().rowwise() += numbers(bias + first_column, piece.cols()).transpose();
        });
  });
  return result;
}

template <const Layer& layer>
void compute(Trace& trace, Workspace& workspace) {
  trace[layer.result] = apply(layer, trace, workspace);
}

template <const Layer& layer>
Explanation explain_cell(const Trace& trace, const Cell& cell) {
  const TensorId input = input_of(layer, trace);
  const Index batch = cell.index[0], position = cell.index[1], column = cell.index[2];
  Explanation explanation = explanation_of(trace, cell);
  const Index features = trace[layer.weight].shape()[0];
  explanation.terms = product_terms(
      trace, features, input, [&](Index n) { return Shape{batch, position, n}; }, layer.weight,
      [&](Index n) { return Shape{n, column}; }, feature_label);
  if (trace.has(layer.bias)) explanation.terms.push_back(term("bias", {factor(trace, layer.bias, {column})}));
  const std::string bias = trace.has(layer.bias) ? fmt::format(" + {}[c]", name(layer.bias)) : "";
  explanation.formula =
      fmt::format("{}[b,i,c] = Σ_n {}[b,i,n] · {}[n,c]{}", name(layer.result), name(input), name(layer.weight), bias);
  return explanation;
}

template <const Layer& layer>
std::string code(const Setup& setup) {
  const bool from_y = setup.is_cross() && (layer.result == TensorId::K || layer.result == TensorId::V);
  const std::string_view input = layer.result == TensorId::output ? "concat" : from_y ? "Y" : "X";
  return fmt::format("{} = {} @ {}{}", name(layer.result), input, name(layer.weight),
                     exists(layer.bias, setup) ? fmt::format(" + {}", name(layer.bias)) : "");
}

template <const Layer& layer>
Stage layer_stage(StageId id, std::string_view title, std::string_view formula, std::span<const TensorId> inputs) {
  static constexpr std::array outputs{layer.result};
  const auto terms = [](const Setup& setup) { return setup.sizes.d_model; };
  return {id, title, formula, inputs, outputs, nullptr, terms, compute<layer>, explain_cell<layer>, code<layer>};
}

}  // namespace

Stage project_queries_stage() {
  static constexpr std::array inputs{TensorId::X, TensorId::W_q, TensorId::b_q};
  return layer_stage<queries>(StageId::project_queries, "Project the queries", "Q = X @ W_q + b_q", inputs);
}

Stage project_keys_stage() {
  static constexpr std::array inputs{TensorId::X, TensorId::Y, TensorId::W_k, TensorId::b_k};
  return layer_stage<keys>(StageId::project_keys, "Project the keys", "K = X @ W_k + b_k", inputs);
}

Stage project_values_stage() {
  static constexpr std::array inputs{TensorId::X, TensorId::Y, TensorId::W_v, TensorId::b_v};
  return layer_stage<values>(StageId::project_values, "Project the values", "V = X @ W_v + b_v", inputs);
}

Stage output_stage() {
  static constexpr std::array inputs{TensorId::concat, TensorId::W_o, TensorId::b_o};
  return layer_stage<out>(StageId::output, "Project the output", "output = concat @ W_o + b_o", inputs);
}

}  // namespace headlight
