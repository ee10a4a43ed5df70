#include <doctest/doctest.h>

#include "core/model/names.hpp"
#include "core/model/tensor.hpp"

using namespace headlight;

namespace {

/// 0, 1, 2, ... in row-major order.
Tensor counting(const Shape& shape) {
  Tensor tensor = Tensor::uninitialized(Precision::float64, shape);
  for (Index i = 0; i < shape.elements(); ++i) tensor.writable<double>()[i] = static_cast<double>(i);
  return tensor;
}

}  // namespace

TEST_CASE("the names of a tensor's axes say where its heads and batch items are, whatever its rank") {
  CHECK(info(TensorId::scores).head_axis() == 1);
  CHECK(info(TensorId::scores).batch_axis() == 0);
  CHECK(info(TensorId::K_heads).has_kv_heads());
  CHECK_FALSE(info(TensorId::Q_heads).is_query_by_key());
  CHECK_FALSE(info(TensorId::Q).has_heads());
  CHECK_FALSE(info(TensorId::b_q).has_batch());
  const TensorInfo position_bias{.rank = 3, .axes = {Axis::head, Axis::query, Axis::key}};
  CHECK(position_bias.head_axis() == 0);
  CHECK_FALSE(position_bias.has_batch());
  CHECK_FALSE(position_bias.has_kv_heads());
  CHECK(position_bias.is_query_by_key());
  const TensorInfo slopes{.rank = 1, .axes = {Axis::head}};
  CHECK_FALSE(slopes.has_heads());
  CHECK_FALSE(slopes.is_query_by_key());
  const TensorInfo distances{.rank = 2, .axes = {Axis::query, Axis::key}};
  CHECK_FALSE(distances.has_batch());
  CHECK(distances.is_query_by_key());
}

TEST_CASE("splitting heads gives a window, and joining them gives the tensor back") {
  const Tensor joined = counting({2, 3, 8});
  const Tensor heads = joined.split_heads(4);
  CHECK(heads.shape() == Shape{2, 4, 3, 2});
  CHECK(heads.shares_block(joined));
  CHECK(heads.at({1, 3, 2, 1}) == joined.at({1, 2, 7}));
  CHECK(heads.join_heads().same_window(joined));
}

TEST_CASE("joining heads that do not lie side by side is refused") {
  CHECK_THROWS_AS(counting({1, 2, 3, 4}).join_heads(), std::logic_error);
}

TEST_CASE("windows transpose, narrow and select without copying") {
  const Tensor tensor = counting({3, 4});
  CHECK(tensor.transposed(0, 1).at({2, 1}) == tensor.at({1, 2}));
  CHECK(tensor.narrowed(1, 2, 2).at({1, 0}) == tensor.at({1, 2}));
  CHECK(tensor.selected(0, 2).shape() == Shape{4});
  CHECK(tensor.selected(0, 2).at({3}) == 11);
  CHECK_FALSE(tensor.transposed(0, 1).is_contiguous());
  const Tensor copy = tensor.transposed(0, 1).contiguous();
  CHECK(copy.is_contiguous());
  CHECK(identical(copy, tensor.transposed(0, 1)));
}

TEST_CASE("identical compares bits") {
  Tensor a = Tensor::zeros(Precision::float32, {2});
  Tensor b = Tensor::zeros(Precision::float32, {2});
  CHECK(identical(a, b));
  b.writable<float>()[1] = -0.0F;
  CHECK_FALSE(identical(a, b));
  CHECK_FALSE(identical(a, Tensor::zeros(Precision::float64, {2})));
  CHECK_FALSE(identical(a, Tensor{}));
}
