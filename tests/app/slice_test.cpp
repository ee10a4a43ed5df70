// A slice has the trace's numbers: each cell of a picture has the value of its cell in the trace, also for groups of
// heads, batch items and biases.
#include <doctest/doctest.h>

#include <cmath>

#include "app/slices/slice.hpp"
#include "core/engine/engine.hpp"
#include "core/model/mask.hpp"

namespace headlight {
namespace {

Setup grouped_cross_attention() {
  Setup setup;
  setup.sizes.batch = 2;
  setup.sizes.query_length = 3;
  setup.sizes.key_length = 5;
  setup.sizes.d_model = 8;
  setup.sizes.heads = 4;
  setup.sizes.kv_heads = 2;
  setup.attention.source = Source::cross;
  setup.mask.kinds = {MaskKind::causal, MaskKind::padding};
  setup.mask.valid_lengths = {4, 2};
  for (const char* draw : {"seed 0", "X normal", "Y normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal",
                           "b_q uniform", "b_o uniform"})
    setup.random.draws.push_back(*parse_draw(draw));
  return setup;
}

/// The index of a cell in the tensor, from its place in a slice.
Shape index_of(const TensorInfo& about, Index batch, Index head, Index row, Index column) {
  Shape index;
  if (about.has_batch()) index.push_back(batch);
  if (about.has_heads()) index.push_back(head);
  if (about.rank > 1) index.push_back(row);
  index.push_back(column);
  return index;
}

TEST_CASE("slice: every cell of every tensor is the trace's number, and hatched where the mask hides it") {
  const Setup setup = grouped_cross_attention();
  const auto trace = compute_trace(setup);
  const Mask mask(setup);
  int masked = 0;
  for (const TensorInfo& about : all_tensors()) {
    if (!trace->has(about.id)) continue;
    const bool has_mask = about.id == TensorId::masked_scores || about.id == TensorId::weights;
    for (Index batch = 0; batch < setup.sizes.batch; ++batch) {
      for (Index head = 0; head < setup.sizes.heads; ++head) {
        const Slice slice = slice_of(*trace, about.id, batch, head);
        const bool grouped = about.has_kv_heads();
        for (Index row = 0; row < slice.rows(); ++row) {
          for (Index column = 0; column < slice.columns(); ++column) {
            const Cell cell{about.id, index_of(about, batch, grouped ? head / 2 : head, row, column)};
            const double value = trace->value(cell);
            const bool hidden = has_mask && !mask.visible(batch, row, column);
            masked += hidden;
            REQUIRE_MESSAGE(slice.value(row, column) == value, to_string(cell));
            REQUIRE_MESSAGE(slice.kind(row, column) == (hidden ? CellKind::masked : CellKind::number), to_string(cell));
          }
        }
      }
    }
  }
  CHECK(masked > 100);
}

TEST_CASE("slice: two of the same window are the same, so that no texture is uploaded twice") {
  const auto trace = compute_trace(grouped_cross_attention());
  CHECK(slice_of(*trace, TensorId::b_q).same_window(slice_of(*trace, TensorId::b_q)));
  CHECK(slice_of(*trace, TensorId::weights, 1, 2).same_window(slice_of(*trace, TensorId::weights, 1, 2)));
  CHECK_FALSE(slice_of(*trace, TensorId::weights, 1, 2).same_window(slice_of(*trace, TensorId::weights, 0, 2)));
  CHECK(slice_of(*trace, TensorId::K_heads, 0, 2).same_window(slice_of(*trace, TensorId::K_heads, 0, 3)));
}

}  // namespace
}  // namespace headlight
