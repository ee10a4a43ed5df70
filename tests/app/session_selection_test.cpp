#include <doctest/doctest.h>

#include "../core/setups.hpp"
#include "app/session/display/selection.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"

using namespace headlight;
using headlight::testing::small_setup;

TEST_CASE("a selection is the cell of its tensor, whatever axes that has") {
  Setup setup = small_setup();
  setup.sizes.batch = 2;
  Selection place{.tensor = TensorId::scores, .batch = 1, .head = 1, .row = 2, .column = 3};
  CHECK(cell_of(place, setup) == Cell{TensorId::scores, {1, 1, 2, 3}});
  place.tensor = TensorId::X;
  CHECK(cell_of(place, setup) == Cell{TensorId::X, {1, 2, 3}});
  place.tensor = TensorId::W_q;
  CHECK(cell_of(place, setup) == Cell{TensorId::W_q, {2, 3}});
  place.tensor = TensorId::b_q;
  CHECK(cell_of(place, setup) == Cell{TensorId::b_q, {3}});
}

TEST_CASE("query heads share kv heads, and come back to themselves") {
  Setup setup = small_setup();
  setup.sizes.heads = 4;
  setup.sizes.kv_heads = 2;
  Selection place{.tensor = TensorId::K_heads, .head = 3, .row = 1, .column = 1};
  CHECK(cell_of(place, setup) == Cell{TensorId::K_heads, {0, 1, 1, 1}});
  CHECK(at_cell(place, {TensorId::K_heads, {0, 1, 0, 0}}, setup).head == 3);
  CHECK(at_cell(place, {TensorId::K_heads, {0, 0, 0, 0}}, setup).head == 0);
  place.head = 0;
  CHECK(at_cell(place, {TensorId::V_heads, {0, 1, 0, 0}}, setup).head == 2);
}

TEST_CASE("every cell of every tensor can be selected and read back") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Setup setup = headlight::testing::random_setup(seed);
    for (const TensorInfo& tensor : all_tensors()) {
      if (!exists(tensor.id, setup)) continue;
      Cell cell{tensor.id, {}};
      for (Index extent : shape(tensor.id, setup)) cell.index.push_back(static_cast<Index>(seed) % extent);
      CHECK(cell_of(at_cell({}, cell, setup), setup) == cell);
    }
  }
}

TEST_CASE("a selection is clamped to what exists") {
  Setup setup = small_setup();
  const Selection far{.tensor = TensorId::scores, .batch = 9, .head = 9, .row = 9, .column = -2};
  CHECK(fitting(far, setup) == Selection{.tensor = TensorId::scores, .batch = 0, .head = 1, .row = 3, .column = 0});
  CHECK(fitting({.tensor = TensorId::dropped_weights}, setup).tensor == TensorId::weights);
  CHECK(fitting({.tensor = TensorId::Y}, setup).tensor == TensorId::X);
  CHECK(fitting({.tensor = TensorId::b_v}, setup).tensor == TensorId::b_v);
  CHECK(fitting({.tensor = TensorId::b_v}, with_biases(setup, false)).tensor == TensorId::W_v);
  CHECK(fitting({.tensor = TensorId::b_v, .row = 3}, setup).row == 0);
}

TEST_CASE("another tensor is entered at the place that means the same") {
  const Setup setup = small_setup();
  const Selection score{.tensor = TensorId::scores, .head = 1, .row = 2, .column = 3};
  CHECK(on_tensor(score, TensorId::weights, setup) ==
        Selection{.tensor = TensorId::weights, .head = 1, .row = 2, .column = 3});
  CHECK(on_tensor(score, TensorId::K_heads, setup).row == 3);
  CHECK(on_tensor(score, TensorId::Q_heads, setup).row == 2);
  CHECK(on_tensor({.tensor = TensorId::K_heads, .row = 1, .column = 2}, TensorId::scores, setup).column == 1);
}

TEST_CASE("arrows follow the picture, also where it is turned, and stop at the edge") {
  Setup setup = small_setup();
  const Selection place{.tensor = TensorId::scores, .row = 1, .column = 1};
  CHECK(moved(place, Direction::right, setup).column == 2);
  CHECK(moved(place, Direction::up, setup).row == 0);
  CHECK(moved(moved(place, Direction::up, setup), Direction::up, setup).row == 0);
  setup.attention.token_axis = TokenAxis::columns;
  CHECK(moved(place, Direction::right, setup).row == 2);
  CHECK(moved(place, Direction::down, setup).column == 2);
  const Selection weight{.tensor = TensorId::W_q, .row = 1, .column = 1};
  CHECK(moved(weight, Direction::right, setup).column == 2);
  setup.attention.weight_layout = WeightLayout::out_in;
  CHECK(moved(weight, Direction::right, setup).row == 2);
  CHECK(moved({.tensor = TensorId::b_q, .column = 1}, Direction::right, setup).column == 2);
}

TEST_CASE("neighbours in the forward pass skip what the setup does not have") {
  const Setup setup = with_biases(small_setup(), false);
  CHECK(next_tensor(TensorId::X, setup) == TensorId::W_q);
  CHECK(next_tensor(TensorId::W_q, setup) == TensorId::W_k);
  CHECK(next_tensor(TensorId::output, setup) == TensorId::output);
  CHECK(previous_tensor(TensorId::X, setup) == TensorId::X);
  CHECK(previous_tensor(TensorId::context, setup) == TensorId::weights);
}

TEST_CASE("numbers are copied with every digit that they have") {
  CHECK(exact_text(0.1, Precision::float64) == "0.1");
  CHECK(exact_text(static_cast<double>(0.1F), Precision::float32) == "0.1");
  CHECK(exact_text(static_cast<double>(0.1F), Precision::float64) == "0.10000000149011612");
  CHECK(exact_text(-std::numeric_limits<double>::infinity(), Precision::float32) == "-inf");

  Trace trace;
  trace.setup.sizes = {.batch = 2, .query_length = 2, .key_length = {}, .d_model = 2, .heads = 1, .kv_heads = {}};
  Tensor& x = trace[TensorId::X] = Tensor::uninitialized(Precision::float64, {2, 2, 2});
  for (int i = 0; i < 8; ++i) x.writable<double>()[i] = i / 10.0;
  trace[TensorId::b_q] = x.selected(0, 1).selected(0, 1);
  const Selection place{.tensor = TensorId::X, .batch = 1, .row = 1};
  CHECK(row_text(trace, place) == "0.6\t0.7");
  CHECK(matrix_text(trace, place) == "0.4\t0.5\n0.6\t0.7\n");
  CHECK(matrix_text(trace, {.tensor = TensorId::b_q}) == "0.6\t0.7\n");
}
