// Q = X @ W_q + b_q, and likewise K and V (from Y in cross-attention), and output = concat @ W_o + b_o.
#include <array>

#include <fmt/format.h>

#include "core/compute/matrix_product.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"

namespace headlight {
namespace {

using Slot = Operand::Slot;

/// result = input @ weight + bias: (batch, position, features) @ (features, columns) + (columns,) -> (batch, position,
/// columns). A single product over batch · position rows if the layout of the input allows it, else one per batch item.
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor& input = left_of(stage, trace);                                            // (batch, position, features)
  const Tensor& weight = right_of(stage, trace);                                          // (features, columns)
  const Tensor* bias = tensor_at(stage, Slot::added, trace);                              // (columns,)
  Tensor result = workspace.tensor(input.precision(), shape(stage.result, trace.setup));  // (batch, position, columns)
  const Index batch = input.shape()[0], positions = input.shape()[1], columns = result.shape()[2];
  const bool one_matrix = input.strides()[0] == positions * input.strides()[1];
  const Index products = one_matrix ? 1 : batch;
  const Index rows = batch * positions / products;
  with_element_type(input.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* first = bias == nullptr ? nullptr : bias->template data<T>();
    multiply_all<T>(
        workspace, products,
        [&](Index item) {
          const MatrixView<T> left = matrix<T>(input, item);
          return MatrixView<T>(left.data(), rows, left.cols(), AnyStride(left.outerStride(), left.innerStride()));
        },
        [&](Index) { return matrix<T>(weight); },
        [&](Index item) {
          return WritableMatrix<T>(result.template writable<T>() + item * rows * columns, rows, columns,
                                   RowStride(columns));
        },
        [&](MatrixOut<T>& piece, Index first_column) {
          if (first == nullptr) return;
          piece.array().rowwise() += numbers(first + first_column, piece.cols()).transpose();
        });
  });
  return result;  // (batch, position, columns)
}

/// The rows of all batch items under each other: (batch, position, features) -> (batch · position, features)
template <class T>
MatrixView<T> all_rows(const Tensor& contiguous) {
  const Shape& extents = contiguous.shape();
  return {contiguous.data<T>(), extents[0] * extents[1], extents[2], AnyStride(extents[2], 1)};
}

/// Back through result = input @ weight + bias: ∂L/∂input = ∂L/∂result @ weightᵀ, ∂L/∂weight = inputᵀ @ ∂L/∂result,
/// both over all rows of all batch items, and ∂L/∂bias is the sum of those rows of ∂L/∂result.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor result = trace[gradient_of(path.through->result)].contiguous();  // (batch, position, columns)
  const Tensor& operand = trace[path.operand.tensor];
  const auto other = [&](Operand::Slot slot) { return *tensor_at(*path.through, slot, trace); };
  Tensor gradient = workspace.tensor(result.precision(), operand.shape());  // as the operand
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    const MatrixView<T> rows = all_rows<T>(result);
    const auto multiply = [&](const MatrixView<T>& left, const MatrixView<T>& right) {
      multiply_all<T>(
          workspace, 1, [&](Index) { return left; }, [&](Index) { return right; },
          [&](Index) {
            return WritableMatrix<T>(gradient.writable<T>(), left.rows(), right.cols(), RowStride(right.cols()));
          },
          as_it_is);
    };
    switch (path.operand.slot) {
      case Slot::left: return multiply(rows, transposed(matrix<T>(other(Slot::right))));
      case Slot::right: {
        const Tensor input = other(Slot::left).contiguous();  // (batch, position, features)
        return multiply(transposed(all_rows<T>(input)), rows);
      }
      case Slot::added: {
        auto sum = numbers(gradient.writable<T>(), rows.cols());
        sum.setZero();
        for (Index row = 0; row < rows.rows(); ++row) sum += rows.row(row).transpose().array();
      }
    }
  });
  return gradient;
}

/// "grad_Q @ W_q.T", "np.einsum("bif,bic->fc", X, grad_Q)", "grad_Q.sum(axis=(0, 1))"
std::string back_code(const Code& code, const GradientPath& path) {
  const std::string_view result = name(gradient_of(path.through->result));
  const auto other = [&](Operand::Slot slot) { return name(operand_at(*path.through, slot, code.setup)->tensor); };
  switch (path.operand.slot) {
    case Slot::left: return fmt::format("{} @ {}.T", result, other(Slot::right));
    case Slot::right: return fmt::format("np.einsum(\"bif,bic->fc\", {}, {})", other(Slot::left), result);
    case Slot::added: break;
  }
  return fmt::format("{}.sum(axis=(0, 1))", result);
}

/// The line of Python: "K = Y @ W_k + b_k"
CodeLines code(const Stage& stage, const Code& code) {
  const auto* bias = operand_at(stage, Slot::added, code.setup);
  return {{fmt::format("{} = {} @ {}{}", name(stage.result), name(left_operand(stage, code.setup)),
                       name(right_operand(stage, code.setup)),
                       bias ? fmt::format(" + {}", name(bias->tensor)) : std::string()),
           shape_words(stage.result, code)}};
}

/// In a script the output follows the joined heads without a heading of its own.
std::string_view heading(const Stage& stage, const Code&) {
  return stage.phase == Phase::project ? "Project the input to queries, keys and values." : "";
}

}  // namespace

namespace operations {

extern constinit const Operation project{
    .kind = StageKind::product,
    .title = "Project the {}",
    .formula = "{0} = {1} @ {2} + {3}",
    .compute = compute,
    .explain = explain_product,
    .backward = {.compute = back, .explain = explain_product_backward, .code = back_code},
    .code = code,
    .varying_heading = heading};

}  // namespace operations

}  // namespace headlight
