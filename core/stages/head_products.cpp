#include "core/stages/head_products.hpp"

#include "core/compute/matrix_product.hpp"

namespace headlight {
namespace {

/// The matrix of a batch item and a head, to write. Its rows are contiguous.
template <class T>
WritableMatrix<T> writable(Tensor& tensor, Index item, Index head) {
  const Shape& strides = tensor.strides();
  return {tensor.writable<T>() + item * strides[0] + head * strides[1], tensor.shape()[2], tensor.shape()[3],
          RowStride(strides[2])};
}

}  // namespace

void multiply_heads(const Setup& setup, Workspace& workspace, const Tensor& left, const Tensor& right, Tensor& result) {
  const Index heads = setup.sizes.heads;
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    multiply_all<T>(
        workspace, result.shape()[0] * heads, [&](Index n) { return matrix<T>(left, n / heads, n % heads); },
        [&](Index n) { return matrix<T>(right, n / heads, setup.kv_head_of(n % heads)); },
        [&](Index n) { return writable<T>(result, n / heads, n % heads); }, as_it_is);
  });
}

void add_up_heads(const Setup& setup, Workspace& workspace, const Tensor& left, const Tensor& right, Tensor& result) {
  const Index kv_heads = setup.kv_heads(), sharing = setup.sizes.heads / kv_heads;
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    const auto into = [&](Tensor& sum, Index sharer) {
      const auto head = [&](Index n) { return n % kv_heads * sharing + sharer; };
      multiply_all<T>(
          workspace, sum.shape()[0] * kv_heads,
          [&](Index n) { return transposed(matrix<T>(left, n / kv_heads, head(n))); },
          [&](Index n) { return matrix<T>(right, n / kv_heads, head(n)); },
          [&](Index n) { return writable<T>(sum, n / kv_heads, n % kv_heads); }, as_it_is);
    };
    into(result, 0);
    if (sharing == 1) return;
    Tensor summand = workspace.tensor(result.precision(), result.shape());  // (batch, kv_head, key, d_head)
    for (Index sharer = 1; sharer < sharing; ++sharer) {
      into(summand, sharer);
      for (Index item = 0; item < result.shape()[0]; ++item)
        for (Index head = 0; head < kv_heads; ++head) writable<T>(result, item, head) += matrix<T>(summand, item, head);
    }
  });
}

}  // namespace headlight
