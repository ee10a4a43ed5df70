// Q = X @ W_q + b_q, and likewise K and V (from Y in cross-attention), and output = concat @ W_o + b_o. Where positions
// are added, X_plus_P and Y_plus_P are projected instead of X and Y.
#include <array>

#include <fmt/format.h>

#include "core/compute/matrix_product.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/list.hpp"

namespace headlight {
namespace {

using Slot = Operand::Slot;

bool is_plain(const Setup& setup) { return !setup.position.is_added(); }
bool attends_to_itself(const Setup& setup) { return !setup.is_cross(); }
bool attends_plainly_to_itself(const Setup& setup) { return is_plain(setup) && attends_to_itself(setup); }

/// What queries are made from.
constexpr Operand x{TensorId::X, Slot::left, false, is_plain};
constexpr Operand x_plus_p{TensorId::X_plus_P};
/// What keys and values are made from.
constexpr Operand own_x{TensorId::X, Slot::left, false, attends_plainly_to_itself};
constexpr Operand own_x_plus_p{TensorId::X_plus_P, Slot::left, false, attends_to_itself};
constexpr Operand y{TensorId::Y, Slot::left, false, is_plain};
constexpr Operand y_plus_p{TensorId::Y_plus_P};

/// result = input @ weight + bias: (batch, position, features) @ (features, columns) + (columns,) -> (batch, position,
/// columns). A single product over batch · position rows if the layout of the input allows it, else one per batch item.
Tensor projected(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor& input = *tensor_at(stage, Slot::left, trace);                             // (batch, position, features)
  const Tensor& weight = *tensor_at(stage, Slot::right, trace);                           // (features, columns)
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

template <TensorId result_id>
void compute(Trace& trace, Workspace& workspace) {
  trace[result_id] = projected(stage_of(result_id), trace, workspace);  // (batch, position, columns)
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

/// "grad_Q @ W_q.T", "np.einsum("pif,pic->fc", X, grad_Q)", "grad_Q.sum(axis=(0, 1))"
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
template <TensorId result_id>
CodeLines code(const Code& code) {
  const Stage& stage = stage_of(result_id);
  const auto bias = operand_at(stage, Slot::added, code.setup);
  return {{fmt::format("{} = {} @ {}{}", name(result_id), name(operand_at(stage, Slot::left, code.setup)->tensor),
                       name(operand_at(stage, Slot::right, code.setup)->tensor),
                       bias ? fmt::format(" + {}", name(bias->tensor)) : std::string()),
           shape_words(result_id, code)}};
}

template <TensorId result_id>
Stage layer_stage(Phase phase, std::string_view title, std::string_view formula, std::span<const Operand> operands) {
  return {.result = result_id,
          .kind = StageKind::product,
          .phase = phase,
          .title = title,
          .formula = formula,
          .operands = operands,
          .compute = compute<result_id>,
          .explain = explain_product,
          .backward = {.compute = back, .explain = explain_product_backward, .code = back_code},
          .code = code<result_id>};
}

}  // namespace

Stage queries_stage() {
  static constexpr std::array operands{x, x_plus_p, Operand{TensorId::W_q, Slot::right},
                                       Operand{TensorId::b_q, Slot::added}};
  Stage stage = layer_stage<TensorId::Q>(Phase::project, "Project the queries", "Q = X @ W_q + b_q", operands);
  stage.heading = [](const Code&) { return std::string("Project the input to queries, keys and values."); };
  return stage;
}

Stage keys_stage() {
  static constexpr std::array operands{
      own_x, own_x_plus_p, y, y_plus_p, Operand{TensorId::W_k, Slot::right}, Operand{TensorId::b_k, Slot::added}};
  return layer_stage<TensorId::K>(Phase::project, "Project the keys", "K = X @ W_k + b_k", operands);
}

Stage values_stage() {
  static constexpr std::array operands{
      own_x, own_x_plus_p, y, y_plus_p, Operand{TensorId::W_v, Slot::right}, Operand{TensorId::b_v, Slot::added}};
  return layer_stage<TensorId::V>(Phase::project, "Project the values", "V = X @ W_v + b_v", operands);
}

Stage output_stage() {
  static constexpr std::array operands{Operand{TensorId::concat}, Operand{TensorId::W_o, Slot::right},
                                       Operand{TensorId::b_o, Slot::added}};
  return layer_stage<TensorId::output>(Phase::output, "Project the output", "output = concat @ W_o + b_o", operands);
}

}  // namespace headlight
