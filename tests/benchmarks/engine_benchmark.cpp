// The time from an edit to its trace, at the sizes of the lectures and beyond.
#include <benchmark/benchmark.h>

#include "core/engine/engine.hpp"

namespace headlight {
namespace {

struct Size {
  Index batch, length, d_model, heads;
};
constexpr Size sizes[] = {
    {1, 4, 8, 2},      // from scratch in NumPy
    {2, 6, 100, 5},    // valid lengths
    {32, 10, 512, 8},  // shapes
    {1, 512, 512, 8}, {1, 1024, 768, 12},
};

Setup setup_of(const Size& size) {
  Setup setup;
  setup.sizes.batch = size.batch;
  setup.sizes.query_length = size.length;
  setup.sizes.d_model = size.d_model;
  setup.sizes.heads = size.heads;
  setup.attention.precision = Precision::float32;
  for (const char* draw : {"seed 0", "X normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal"}) {
    setup.random.draws.push_back(*parse_draw(draw));
  }
  return setup;
}

/// Computes alternately two setups that differ by the edit, so that each time there is something to do.
template <class Edit>
void time_edit(benchmark::State& state, Edit edit) {
  Setup one = setup_of(sizes[state.range(0)]);
  Setup other = one;
  edit(one, 0);
  edit(other, 1);
  Engine engine;
  engine.compute(other);
  bool turn = false;
  for (auto _ : state) {
    turn = !turn;
    benchmark::DoNotOptimize(engine.compute(turn ? one : other));
  }
  const Size& size = sizes[state.range(0)];
  state.SetLabel(std::to_string(size.batch) + " x " + std::to_string(size.length) + " x " +
                 std::to_string(size.d_model) + ", " + std::to_string(size.heads) + " heads");
}

void whole_trace(benchmark::State& state) {
  time_edit(state, [](Setup& setup, std::int64_t seed) { setup.random.draws.front() = SeedDraw{seed}; });
}
void temperature_edit(benchmark::State& state) {
  time_edit(state, [](Setup& setup, int turn) { setup.attention.temperature = 1.0 + turn; });
}
void mask_edit(benchmark::State& state) {
  time_edit(state, [](Setup& setup, int turn) {
    setup.mask.kinds = {MaskKind::window};
    setup.mask.window = 2 + turn;
  });
}

BENCHMARK(whole_trace)->DenseRange(0, std::size(sizes) - 1)->Unit(benchmark::kMicrosecond);
BENCHMARK(temperature_edit)->DenseRange(0, std::size(sizes) - 1)->Unit(benchmark::kMicrosecond);
BENCHMARK(mask_edit)->DenseRange(0, std::size(sizes) - 1)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace headlight
