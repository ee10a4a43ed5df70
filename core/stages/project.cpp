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
/// Queries are made from the last positions of X, and have the bits that they would have if all positions made one.
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor& input = left_of(stage, trace);                                            // (batch, position, features)
  const Tensor& weight = right_of(stage, trace);                                          // (features, columns)
  const Tensor* bias = tensor_at(stage, Slot::added, trace);                              // (columns,)
  Tensor result = workspace.tensor(input.precision(), shape(stage.result, trace.setup));  // (batch, position, columns)
  const Index batch = input.shape()[0], positions = input.shape()[1], columns = result.shape()[2];
  const Index own = result.shape()[1];  // fewer than the positions where X has past ones
  const bool makes_queries = info(stage.result).has(Axis::query);
  const LastRows wanted{makes_queries ? trace.setup.past() : 0, own};
  const bool one_matrix = input.strides()[0] == positions * input.strides()[1];
  const Index products = one_matrix ? 1 : batch;
  const Index rows = batch * positions / products, made = batch * own / products;
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
          return WritableMatrix<T>(result.template writable<T>() + item * made * columns, made, columns,
                                   RowStride(columns));
        },
        [&](MatrixOut<T>& piece, Index first_column) {
          if (first == nullptr) return;
          piece.array().rowwise() += numbers(first + first_column, piece.cols()).transpose();
        },
        wanted);
  });
  return result;  // (batch, position, columns)
}

/// The rows of all batch items under each other: (batch, position, features) -> (batch · position, features)
template <class T>
MatrixView<T> all_rows(const Tensor& contiguous) {
  const Shape& extents = contiguous.shape();
  return {contiguous.data<T>(), extents[0] * extents[1], extents[2], AnyStride(extents[2], 1)};
}

/// The rows of the input that the result is made from: where X has past ones, queries are made from the last.
Tensor rows_read(const Stage& stage, const Trace& trace) {
  const Tensor& input = left_of(stage, trace);  // (batch, position, features)
  const Index rows = shape(stage.result, trace.setup)[1];
  return input.shape()[1] == rows ? input : input.narrowed(1, input.shape()[1] - rows, rows);
}

/// The gradient of those rows, among zeros for the others.
Tensor among_all_rows(const Tensor& gradient, const Tensor& input, Workspace& workspace) {
  const Index rows = gradient.shape()[1], positions = input.shape()[1];
  if (rows == positions) return gradient;
  Tensor all = workspace.tensor(gradient.precision(), input.shape());
  copy_numbers(Tensor::zeros(gradient.precision(), {}), all);
  copy_numbers(gradient, all.narrowed(1, positions - rows, rows));
  return all;
}

/// Back through result = input @ weight + bias: ∂L/∂input = ∂L/∂result @ weightᵀ, ∂L/∂weight = inputᵀ @ ∂L/∂result,
/// both over all rows of all batch items, and ∂L/∂bias is the sum of those rows of ∂L/∂result.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor result = trace[gradient_of(path.through->result)].contiguous();  // (batch, position, columns)
  const Tensor& operand = trace[path.operand.tensor];
  const auto other = [&](Operand::Slot slot) { return *tensor_at(*path.through, slot, trace); };
  const bool is_input = path.operand.slot == Slot::left;
  Shape extents = operand.shape();
  if (is_input) extents[1] = result.shape()[1];
  Tensor gradient = workspace.tensor(result.precision(), extents);  // as the operand, or the rows of it that are read
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
        const Tensor input = rows_read(*path.through, trace).contiguous();  // (batch, position, features)
        return multiply(transposed(all_rows<T>(input)), rows);
      }
      case Slot::added: {
        auto sum = numbers(gradient.writable<T>(), rows.cols());
        sum.setZero();
        for (Index row = 0; row < rows.rows(); ++row) sum += rows.row(row).transpose().array();
      }
    }
  });
  return is_input ? among_all_rows(gradient, operand, workspace) : gradient;
}

bool reads_last_rows(const Stage& stage, const Setup& setup) {
  return setup.past() > 0 && info(stage.result).has(Axis::query) && info(left_operand(stage, setup)).has(Axis::token);
}

/// "X", or "X[:, past:]"
std::string rows_code(const Stage& stage, const Setup& setup) {
  return std::string(name(left_operand(stage, setup))) + (reads_last_rows(stage, setup) ? "[:, past:]" : "");
}

/// "grad_Q @ W_q.T", "np.einsum("bif,bic->fc", X, grad_Q)", "grad_Q.sum(axis=(0, 1))"
std::string back_code(const Code& code, const GradientPath& path) {
  const std::string_view result = name(gradient_of(path.through->result));
  const auto other = [&](Operand::Slot slot) { return name(operand_at(*path.through, slot, code.setup)->tensor); };
  switch (path.operand.slot) {
    case Slot::left: {
      const std::string rows = fmt::format("{} @ {}.T", result, other(Slot::right));
      const bool fills_up = reads_last_rows(*path.through, code.setup);
      return fills_up ? fmt::format("np.pad({}, [(0, 0), (past, 0), (0, 0)])", rows) : rows;
    }
    case Slot::right:
      return fmt::format("np.einsum(\"bif,bic->fc\", {}, {})", rows_code(*path.through, code.setup), result);
    case Slot::added: break;
  }
  return fmt::format("{}.sum(axis=(0, 1))", result);
}

/// The line of Python: "K = Y @ W_k + b_k"
CodeLines code(const Stage& stage, const Code& code) {
  const auto* bias = operand_at(stage, Slot::added, code.setup);
  return {{fmt::format("{} = {} @ {}{}", name(stage.result), rows_code(stage, code.setup),
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
