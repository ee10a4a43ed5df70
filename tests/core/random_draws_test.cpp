#include <algorithm>

#include <doctest/doctest.h>

#include "core/model/shapes.hpp"
#include "core/random/draws.hpp"
#include "core/setup/validity.hpp"

using namespace headlight;

namespace {

Setup setup_with(GeneratorKind generator, std::initializer_list<const char*> draws) {
  Setup setup;
  setup.sizes.d_model = 12;
  setup.sizes.heads = 3;
  setup.random.generator = generator;
  for (const char* text : draws) {
    const auto draw = parse_draw(text);
    REQUIRE_MESSAGE(draw.has_value(), text);
    setup.random.draws.push_back(*draw);
  }
  return setup;
}

Trace drawn(const Setup& setup, DrawCache& cache) {
  REQUIRE(problems(setup).empty());
  Trace trace;
  trace.setup = setup;
  Workspace workspace;
  cache = fill_drawn(trace, cache, workspace);
  return trace;
}

Trace drawn(const Setup& setup) {
  DrawCache cache;
  return drawn(setup, cache);
}

bool kept_window(const Trace& before, const Trace& after, TensorId id) { return before[id].same_window(after[id]); }

bool all_zero(const Tensor& tensor) { return identical(tensor, Tensor::zeros(tensor.precision(), tensor.shape())); }

Setup from_scratch() {
  return setup_with(GeneratorKind::numpy,
                    {"seed 0", "X uniform", "W_q uniform", "W_k normal", "seed 1", "W_o uniform"});
}

}  // namespace

TEST_CASE("a trace gets exactly the drawn tensors that its setup has") {
  const Trace trace = drawn(setup_with(GeneratorKind::numpy, {"seed 0", "X uniform", "b_k zeros", "W_v[1] normal"}));
  for (const TensorInfo& tensor : all_tensors()) {
    const bool is_drawn = static_cast<int>(tensor.id) <= static_cast<int>(TensorId::b_o);
    const bool expected = is_drawn && exists(tensor.id, trace.setup);
    CHECK_MESSAGE(trace.has(tensor.id) == expected, tensor.name);
    if (expected) CHECK_MESSAGE(trace[tensor.id].shape() == shape(tensor.id, trace.setup), tensor.name);
  }
  CHECK(trace.has(TensorId::b_k));
  CHECK(!trace.has(TensorId::Y));
  CHECK(!trace.has(TensorId::b_q));
  CHECK(all_zero(trace[TensorId::W_q]));
  CHECK(all_zero(trace[TensorId::b_k]));
  CHECK(!all_zero(trace[TensorId::W_v]));
  CHECK(trace.kept == nullptr);
}

TEST_CASE("one head's draw fills that head's block and nothing else") {
  const auto check_block = [](WeightLayout layout, TensorId id, const char* draw, int axis) {
    Setup setup = setup_with(GeneratorKind::torch, {"seed 4", draw});
    setup.attention.weight_layout = layout;
    const Tensor tensor = drawn(setup)[id];
    for (Index head = 0; head < 3; ++head)
      CHECK_MESSAGE(all_zero(tensor.narrowed(axis, head * 4, 4)) == (head != 1), draw, " ", head);
  };
  for (const WeightLayout layout : {WeightLayout::in_out, WeightLayout::out_in}) {
    check_block(layout, TensorId::W_q, "W_q[1] uniform", 1);
    check_block(layout, TensorId::W_v, "W_v[1] linear", 1);
    check_block(layout, TensorId::W_k, "W_k[1] xavier_uniform", 1);
    check_block(layout, TensorId::W_o, "W_o[1] normal", 0);
    check_block(layout, TensorId::b_q, "b_q[1] uniform", 0);
    check_block(layout, TensorId::b_v, "W_v[1] linear", 0);
  }
}

TEST_CASE("a layout turns the numbers of the same stream, without copying them") {
  Setup setup = setup_with(GeneratorKind::numpy, {"seed 5", "X normal", "W_q normal", "W_v uniform"});
  setup.sizes.query_length = 12;  // square, so that both orientations draw the same numbers
  const Trace rows = drawn(setup);
  setup.attention.token_axis = TokenAxis::columns;
  setup.attention.weight_layout = WeightLayout::out_in;
  const Trace columns = drawn(setup);
  CHECK(identical(columns[TensorId::X], rows[TensorId::X].transposed(1, 2)));
  CHECK(identical(columns[TensorId::W_q], rows[TensorId::W_q].transposed(0, 1)));
  CHECK(columns[TensorId::W_v].strides() == Shape{1, 12});
}

TEST_CASE("the same draws again keep every tensor, and a title changes nothing") {
  DrawCache cache;
  const Trace before = drawn(from_scratch(), cache);
  Setup renamed = from_scratch();
  renamed.title = "Another";
  const Trace after = drawn(renamed, cache);
  for (const TensorInfo& tensor : all_tensors()) CHECK_MESSAGE(kept_window(before, after, tensor.id), tensor.name);
}

TEST_CASE("a new seed changes what is drawn after it and nothing before") {
  DrawCache cache;
  const Trace before = drawn(from_scratch(), cache);
  Setup edited = from_scratch();
  edited.random.draws[4] = SeedDraw{2};
  const Trace after = drawn(edited, cache);
  for (const TensorId id : {TensorId::X, TensorId::W_q, TensorId::W_k, TensorId::W_v})
    CHECK(kept_window(before, after, id));
  CHECK(!identical(before[TensorId::W_o], after[TensorId::W_o]));
  CHECK(identical(after[TensorId::W_o], drawn(edited)[TensorId::W_o]));
}

TEST_CASE("a draw put in or taken out leaves what is behind the next seed") {
  DrawCache cache;
  const Trace before = drawn(from_scratch(), cache);
  Setup edited = from_scratch();
  edited.random.draws.insert(edited.random.draws.begin() + 3, *parse_draw("W_v uniform"));
  const Trace after = drawn(edited, cache);
  CHECK(kept_window(before, after, TensorId::W_q));
  CHECK(!kept_window(before, after, TensorId::W_k));
  CHECK(kept_window(before, after, TensorId::W_o));
  for (const TensorId id : {TensorId::W_k, TensorId::W_v, TensorId::W_o})
    CHECK(identical(after[id], drawn(edited)[id]));
}

TEST_CASE("an edit in the middle goes on from where the draws before it end") {
  for (const GeneratorKind generator : {GeneratorKind::numpy, GeneratorKind::torch, GeneratorKind::numpy_rng}) {
    DrawCache cache;
    Setup setup =
        setup_with(generator, {"seed 0", "X uniform", "b_q normal", "W_q uniform", "b_k normal", "W_v normal"});
    setup.sizes.d_model = 15;  // odd, so that the second number of a pair of normal numbers is left over
    const Trace before = drawn(setup, cache);
    setup.random.draws[4] = *parse_draw("b_k uniform");
    const Trace after = drawn(setup, cache);
    for (const TensorId id : {TensorId::X, TensorId::b_q, TensorId::W_q}) CHECK(kept_window(before, after, id));
    for (const TensorId id : {TensorId::b_k, TensorId::W_v}) CHECK(identical(after[id], drawn(setup)[id]));
    setup.random.draws.insert(setup.random.draws.begin() + 2, *parse_draw("seed 0"));  // the same seed again
    CHECK(identical(drawn(setup, cache)[TensorId::W_v], drawn(setup)[TensorId::W_v]));
  }
}

TEST_CASE("more heads keep whole weights and redraw blocks of heads") {
  DrawCache cache;
  Setup setup = setup_with(GeneratorKind::torch,
                           {"seed 0", "X normal", "W_q normal", "W_o linear", "W_v[0] normal", "W_v[1] normal"});
  const Trace before = drawn(setup, cache);
  setup.sizes.heads = 6;
  const Trace after = drawn(setup, cache);
  for (const TensorId id : {TensorId::X, TensorId::W_q, TensorId::W_k, TensorId::W_o, TensorId::b_o})
    CHECK_MESSAGE(kept_window(before, after, id), name(id));
  CHECK(!kept_window(before, after, TensorId::W_v));
  CHECK(identical(after[TensorId::W_v], drawn(setup)[TensorId::W_v]));
}

TEST_CASE("a tensor of blocks is kept while all its blocks are, and changes with the last of them") {
  DrawCache cache;
  Setup setup = setup_with(GeneratorKind::numpy, {"seed 0", "W_q[0] normal", "W_q[2] normal", "b_q[1] uniform"});
  const Trace before = drawn(setup, cache);
  setup.attention.temperature = 2;
  const Trace same = drawn(setup, cache);
  CHECK(kept_window(before, same, TensorId::W_q));
  CHECK(kept_window(before, same, TensorId::b_q));
  std::get<TensorDraw>(setup.random.draws[2]).distribution = Distribution::zeros;
  const Trace after = drawn(setup, cache);
  CHECK(!kept_window(before, after, TensorId::W_q));
  CHECK(identical(after[TensorId::W_q].narrowed(1, 0, 4), before[TensorId::W_q].narrowed(1, 0, 4)));
  CHECK(all_zero(after[TensorId::W_q].narrowed(1, 8, 4)));
}

TEST_CASE("the last draw of a tensor or of a block counts, and the earlier ones still consume numbers") {
  const Trace trace = drawn(setup_with(GeneratorKind::numpy, {"seed 0", "W_q uniform", "W_k[0] normal", "W_k normal",
                                                              "W_q zeros", "W_v normal", "W_v[1] zeros"}));
  CHECK(all_zero(trace[TensorId::W_q]));
  CHECK(!all_zero(trace[TensorId::W_k].narrowed(1, 4, 4)));
  CHECK(all_zero(trace[TensorId::W_v].narrowed(1, 4, 4)));
  CHECK(!all_zero(trace[TensorId::W_v].narrowed(1, 0, 4)));
  const Trace without =
      drawn(setup_with(GeneratorKind::numpy, {"seed 0", "W_q uniform", "W_k[0] normal", "W_k normal", "W_v normal"}));
  CHECK(identical(trace[TensorId::W_k], without[TensorId::W_k]));
  CHECK(identical(trace[TensorId::W_v].narrowed(1, 8, 4), without[TensorId::W_v].narrowed(1, 8, 4)));
}

TEST_CASE("precision, distribution, layout and generator each make a draw another one") {
  const Setup setup = setup_with(GeneratorKind::torch, {"seed 0", "W_q uniform"});
  const auto redraws = [&](auto edit) {
    DrawCache cache;
    const Trace before = drawn(setup, cache);
    Setup edited = setup;
    edit(edited);
    const Trace after = drawn(edited, cache);
    return !kept_window(before, after, TensorId::W_q) && identical(after[TensorId::W_q], drawn(edited)[TensorId::W_q]);
  };
  CHECK(redraws([](Setup& edited) { edited.attention.precision = Precision::float32; }));
  CHECK(redraws([](Setup& edited) { edited.attention.weight_layout = WeightLayout::out_in; }));
  CHECK(redraws([](Setup& edited) { edited.random.generator = GeneratorKind::numpy; }));
  CHECK(redraws([](Setup& edited) { edited.random.generator = GeneratorKind::numpy_rng; }));
  CHECK(redraws([](Setup& edited) { edited.random.draws[1] = *parse_draw("W_q linear"); }));
  CHECK(redraws([](Setup& edited) { edited.sizes.d_model = 24; }));
}

TEST_CASE("zeros that nobody drew are kept while their shape and precision are") {
  DrawCache cache;
  Setup setup;
  const Trace before = drawn(setup, cache);
  setup.sizes.heads = 4;
  setup.sizes.query_length = 7;
  const Trace after = drawn(setup, cache);
  CHECK(kept_window(before, after, TensorId::W_q));
  CHECK(!kept_window(before, after, TensorId::X));
  setup.attention.precision = Precision::float32;
  CHECK(drawn(setup, cache)[TensorId::W_q].precision() == Precision::float32);
}

TEST_CASE("dropout's decisions come last and are kept until something before them changes") {
  for (const GeneratorKind generator : {GeneratorKind::numpy, GeneratorKind::torch}) {
    DrawCache cache;
    Setup setup = setup_with(generator, {"seed 0", "X uniform", "W_q uniform"});
    setup.sizes.query_length = 40;
    setup.attention.dropout = 0.25;
    const Trace before = drawn(setup, cache);
    REQUIRE(before.kept != nullptr);
    REQUIRE(before.kept->size() == 3 * 40 * 40);
    const auto count = std::count(before.kept->begin(), before.kept->end(), true);
    CHECK(count > 3400);
    CHECK(count < 3800);

    setup.attention.temperature = 3;
    CHECK(drawn(setup, cache).kept == before.kept);
    setup.attention.dropout = 0.5;
    const Trace halved = drawn(setup, cache);
    CHECK(*halved.kept != *before.kept);
    CHECK(kept_window(before, halved, TensorId::X));
    setup.random.draws.push_back(*parse_draw("W_k uniform"));
    CHECK(*drawn(setup, cache).kept != *halved.kept);
    setup.attention.dropout = 0;
    CHECK(drawn(setup, cache).kept == nullptr);
  }
}

TEST_CASE("cross-attention draws Y, and self-attention forgets it") {
  DrawCache cache;
  Setup setup = setup_with(GeneratorKind::numpy, {"seed 0", "Y uniform"});
  setup.attention.source = Source::cross;
  setup.sizes.key_length = 9;
  Trace trace = drawn(setup, cache);
  CHECK(trace[TensorId::Y].shape() == Shape{1, 9, 12});
  trace.setup.attention.source = Source::self;
  trace.setup.sizes.key_length.reset();
  trace.setup.random.draws.clear();
  Workspace workspace;
  cache = fill_drawn(trace, cache, workspace);
  CHECK(!trace.has(TensorId::Y));
}
