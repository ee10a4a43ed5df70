#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/engine/cost.hpp"
#include "core/engine/course.hpp"
#include "core/engine/engine.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/validity.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/table.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

std::vector<TensorId> made_after(Engine& engine, const Setup& setup) {
  engine.compute(setup);
  return engine.recomputed();
}

bool made(const std::vector<TensorId>& tensors, TensorId id) {
  return std::find(tensors.begin(), tensors.end(), id) != tensors.end();
}

void check_identical(const Trace& a, const Trace& b) {
  for (const TensorInfo& tensor : all_tensors()) {
    INFO(tensor.name);
    CHECK(identical(a[tensor.id], b[tensor.id]));
  }
}

}  // namespace

TEST_CASE("a trace holds exactly the tensors of its setup, in their shapes and precision") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Setup setup = seed % 3 == 0 ? random_task_setup(seed) : random_setup(seed);
    INFO("seed ", seed);
    REQUIRE(problems(setup).empty());
    const auto trace = compute_trace(setup);
    for (const TensorInfo& tensor : all_tensors()) {
      INFO(tensor.name);
      REQUIRE(trace->has(tensor.id) == exists(tensor.id, setup));
      if (!trace->has(tensor.id)) continue;
      CHECK((*trace)[tensor.id].shape() == shape(tensor.id, setup));
      CHECK((*trace)[tensor.id].precision() == setup.attention.precision);
    }
  }
}

TEST_CASE("weights are a distribution over the visible keys, and zeros for a query that sees none") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Setup setup = random_setup(seed);
    const auto trace = compute_trace(setup);
    const Tensor& weights = (*trace)[TensorId::weights];
    const Mask mask(setup);
    for (Index b = 0; b < setup.sizes.batch; ++b) {
      for (Index i = 0; i < setup.sizes.query_length; ++i) {
        const bool blind = std::find(trace->blind_queries.begin(), trace->blind_queries.end(), BlindQuery{b, i}) !=
                           trace->blind_queries.end();
        for (Index h = 0; h < setup.sizes.heads; ++h) {
          double sum = 0;
          for (Index j = 0; j < setup.key_length(); ++j) {
            const double weight = weights.at({b, h, i, j});
            if (!mask.visible(b, i, j)) CHECK(weight == 0);
            sum += weight;
          }
          if (setup.attention.sink == Sink::none) CHECK(sum == doctest::Approx(blind ? 0.0 : 1.0).epsilon(1e-6));
          else CHECK((blind ? sum == 0 : sum > 0 && sum < 1 + 1e-6));
        }
      }
    }
  }
}

TEST_CASE("positions: a one-hot table stands in the last features, waves alternate, and both are added") {
  for (Precision precision : {Precision::float32, Precision::float64}) {
    Setup setup = small_setup();
    setup.sizes = {.batch = 2, .query_length = 3, .key_length = 5, .d_model = 6, .heads = 3, .kv_heads = 1};
    setup.attention.source = Source::cross;
    setup.attention.precision = precision;
    CHECK_FALSE(compute_trace(setup)->has(TensorId::P));
    setup.position.encoding = Encoding::one_hot;
    const auto hot = compute_trace(setup);
    for (Index i = 0; i < 5; ++i)
      for (Index f = 0; f < 6; ++f) CHECK((*hot)[TensorId::P].at({i, f}) == (f == i + 1 ? 1 : 0));
    setup.position = {.encoding = Encoding::sinusoidal, .base = 100, .layout = PairLayout::half};
    const auto waves = compute_trace(setup);
    const Tensor& table = (*waves)[TensorId::P];
    CHECK(table.shape() == Shape{5, 6});
    CHECK(table.at({3, 0}) == doctest::Approx(std::sin(3.0)).epsilon(1e-7));
    CHECK(table.at({3, 1}) == doctest::Approx(std::cos(3.0)).epsilon(1e-7));
    CHECK(table.at({4, 4}) == doctest::Approx(std::sin(4 / std::pow(100, 4.0 / 6))).epsilon(1e-7));
    CHECK((*waves)[TensorId::Y_plus_P].at({1, 4, 5}) ==
          doctest::Approx((*waves)[TensorId::Y].at({1, 4, 5}) + table.at({4, 5})).epsilon(1e-7));
    CHECK((*waves)[TensorId::X_plus_P].at({1, 2, 5}) ==
          doctest::Approx((*waves)[TensorId::X].at({1, 2, 5}) + table.at({2, 5})).epsilon(1e-7));
  }
}

TEST_CASE("positions: a learned table is drawn and given like a weight") {
  Setup setup = small_setup();
  setup.position.encoding = Encoding::learned;
  CHECK((*compute_trace(setup))[TensorId::P].at({3, 7}) == 0);
  setup.random.draws.push_back(*parse_draw("P uniform"));
  const auto drawn = compute_trace(setup);
  CHECK((*drawn)[TensorId::P].at({3, 7}) > 0);
  setup.values.set(TensorId::P, *parse_array_part("[3, 7]"), GivenNumbers::single(-2));
  const auto given = compute_trace(setup);
  CHECK((*given)[TensorId::P].at({3, 7}) == -2);
  CHECK((*given)[TensorId::P].at({3, 6}) == (*drawn)[TensorId::P].at({3, 6}));
}

TEST_CASE("positions: rotary ones turn pairs, keep lengths, and leave scores that depend on the distance alone") {
  for (PairLayout layout : {PairLayout::half, PairLayout::interleaved}) {
    Setup setup = small_setup();
    setup.position = {.encoding = Encoding::rotary, .base = 100, .layout = layout};
    for (TensorId same : {TensorId::W_q, TensorId::W_k})  // queries and keys that are the same everywhere
      setup.values.set(same, {}, GivenNumbers(Tensor::zeros(Precision::float64, {8, 8})));
    const auto trace = compute_trace(setup);
    const Tensor &before = (*trace)[TensorId::Q_heads], &after = (*trace)[TensorId::Q_rotated];
    const Index second = layout == PairLayout::half ? 2 : 1;
    const double x = before.at({0, 1, 3, 0}), y = before.at({0, 1, 3, second});
    CHECK(after.at({0, 1, 3, 0}) == doctest::Approx(x * std::cos(3.0) - y * std::sin(3.0)));
    CHECK(after.at({0, 1, 3, second}) == doctest::Approx(y * std::cos(3.0) + x * std::sin(3.0)));
    const Tensor& products = (*trace)[TensorId::dot_products];
    CHECK(products.at({0, 1, 3, 2}) == doctest::Approx(products.at({0, 1, 1, 0})));
    CHECK(products.at({0, 1, 3, 2}) != doctest::Approx(products.at({0, 1, 3, 1})));
  }
}

namespace {

/// The setup in which the past positions make queries too: what a cache saves is computed anew.
Setup without_cache(const Setup& cached) {
  Setup whole = cached;
  whole.sizes.query_length = cached.token_count();
  whole.sizes.past = 0;
  return whole;
}

/// The last rows of the output of a setup without a cache have the bits of those over the cache.
void check_rows_over_cache(const Setup& cached) {
  REQUIRE(problems(cached).empty());
  const auto over_cache = compute_trace(cached), anew = compute_trace(without_cache(cached));
  const Tensor& output = (*anew)[TensorId::output];
  CHECK(identical((*over_cache)[TensorId::output], output.narrowed(1, cached.past(), cached.sizes.query_length)));
  CHECK(identical((*over_cache)[TensorId::K], (*anew)[TensorId::K]));
}

}  // namespace

TEST_CASE("a row over a cache equals the row computed anew, bit for bit") {
  int tried = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    Setup setup = random_setup(seed);
    if (setup.is_cross()) continue;
    setup.sizes.past = static_cast<Index>(seed % 7) + 1;
    for (Index& length : setup.mask.valid_lengths) length = std::max(length, setup.sizes.past);
    if (setup.position.encoding == Encoding::none) setup.position.encoding = Encoding::alibi;
    setup.mask.align.reset();
    std::erase(setup.mask.kinds, MaskKind::custom);  // its pairs would be others
    if (!problems(setup).empty()) continue;          // one-hot positions don't fit
    ++tried;
    INFO("seed ", seed);
    check_rows_over_cache(setup);
  }
  CHECK(tried > 30);
}

TEST_CASE("a row over a cache has the same bits where BLAS multiplies, and where a product is cut into pieces") {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    for (const auto& [past, queries] : {std::pair<Index, Index>{299, 1}, {150, 37}, {3, 600}}) {
      Setup setup = small_setup();
      setup.sizes = {.batch = 2, .query_length = queries, .d_model = 96, .heads = 4};
      setup.sizes.past = past;
      setup.attention.precision = precision;
      setup.mask.kinds = {MaskKind::causal};
      setup.position.encoding = past == 3 ? Encoding::rotary : Encoding::alibi;
      INFO("past ", past, ", queries ", queries);
      check_rows_over_cache(setup);
      setup.attention.token_axis = TokenAxis::columns;  // X has its rows in another order in memory
      check_rows_over_cache(setup);
    }
  }
}

TEST_CASE("past positions make keys and values, and no queries") {
  Setup setup = small_setup();
  setup.sizes.past = 3;
  setup.sizes.query_length = 2;
  setup.position.encoding = Encoding::alibi;
  const auto trace = compute_trace(setup);
  CHECK((*trace)[TensorId::X].shape() == Shape{1, 5, 8});
  CHECK((*trace)[TensorId::Q].shape() == Shape{1, 2, 8});
  CHECK((*trace)[TensorId::K].shape() == Shape{1, 5, 8});
  CHECK((*trace)[TensorId::weights].shape() == Shape{1, 2, 2, 5});
  const Tensor& bias = (*trace)[TensorId::position_bias];
  CHECK(bias.at({0, 0, 3}) == 0);  // query 0 is at position 3
  CHECK(bias.at({0, 0, 0}) == -3 * 0.0625);
  setup.tokens = {"The", "cat", "sat", "on", "it"};
  CHECK(problems(setup).empty());
  CHECK(setup.query_label(0) == "on");
  CHECK(setup.key_label(0) == "The");
  setup.tokens.pop_back();
  CHECK_FALSE(problems(setup).empty());
}

TEST_CASE("an engine tells past positions from queries where X stays the same") {
  Engine engine;
  Setup setup = small_setup();
  setup.sizes.past = 1;
  setup.sizes.query_length = 3;
  engine.compute(setup);
  setup.sizes.past = 2;
  setup.sizes.query_length = 2;
  check_identical(*engine.compute(setup), *compute_trace(setup));
}

TEST_CASE("positions that count from the first real token don't depend on the padding before it") {
  for (const Encoding encoding : {Encoding::learned, Encoding::rotary, Encoding::sinusoidal}) {
    Setup setup = small_setup();
    setup.sizes.batch = 2;
    setup.position.encoding = encoding;
    if (encoding == Encoding::learned) setup.random.draws.push_back(*parse_draw("P normal"));
    setup.mask.kinds = {MaskKind::padding, MaskKind::causal};
    setup.mask.valid_lengths = {4, 2};
    setup.mask.padding_side = PaddingSide::left;
    setup.position.from = PositionOrigin::first_real;
    // The tokens of item 1 are the first two of item 0.
    const auto drawn = compute_trace(setup);
    setup.values.set(TensorId::X, *parse_array_part("[1, 2:]"),
                     GivenNumbers((*drawn)[TensorId::X].selected(0, 0).narrowed(0, 0, 2).contiguous()));
    const auto trace = compute_trace(setup);
    for (Index row = 0; row < 2; ++row)
      for (Index feature = 0; feature < 8; ++feature)
        CHECK((*trace)[TensorId::output].at({1, 2 + row, feature}) ==
              doctest::Approx((*trace)[TensorId::output].at({0, row, feature})).epsilon(1e-12));
    setup.position.from = PositionOrigin::start;
    const TensorId placed = encoding == Encoding::rotary ? TensorId::K_rotated : TensorId::X_plus_P;
    CHECK_FALSE(identical((*compute_trace(setup))[placed], (*trace)[placed]));
  }
}

TEST_CASE("rotary positions turn the first fraction of a head's features, with the angles of so many") {
  Setup setup = small_setup();
  setup.sizes.heads = 1;
  setup.position = {.encoding = Encoding::rotary, .base = 100, .layout = PairLayout::half};
  setup.position.fraction = 0.5;
  const auto trace = compute_trace(setup);
  const Tensor &before = (*trace)[TensorId::Q_heads], &after = (*trace)[TensorId::Q_rotated];
  const double x = before.at({0, 0, 3, 1}), y = before.at({0, 0, 3, 3});
  CHECK(after.at({0, 0, 3, 1}) == doctest::Approx(x * std::cos(0.3) - y * std::sin(0.3)));
  CHECK(after.at({0, 0, 3, 3}) == doctest::Approx(y * std::cos(0.3) + x * std::sin(0.3)));
  for (Index feature = 4; feature < 8; ++feature) CHECK(after.at({0, 0, 3, feature}) == before.at({0, 0, 3, feature}));
  setup.position.fraction = 0.4;  // three features
  CHECK_FALSE(problems(setup).empty());
}

TEST_CASE("a sink takes a share that no key gets") {
  Setup setup = small_setup();
  setup.attention.sink = Sink::zero;
  const auto zero = compute_trace(setup);
  double total = 1, first = 0;  // exp(0) is 1
  for (Index key = 0; key < 4; ++key) {
    const double e = std::exp((*zero)[TensorId::masked_scores].at({0, 1, 2, key}));
    if (key == 0) first = e;
    total += e;
  }
  CHECK((*zero)[TensorId::weights].at({0, 1, 2, 0}) == doctest::Approx(first / total));
  setup.attention.sink = Sink::learned;  // neither drawn nor given: 0
  const auto learned = compute_trace(setup);
  CHECK((*learned)[TensorId::sinks].shape() == Shape{2});
  CHECK(identical((*learned)[TensorId::weights], (*zero)[TensorId::weights]));
  setup.values.set(TensorId::sinks, *parse_array_part("[1]"), GivenNumbers::single(50));
  const auto given = compute_trace(setup);
  CHECK((*given)[TensorId::weights].at({0, 1, 2, 0}) < 1e-10);
  CHECK((*given)[TensorId::weights].at({0, 0, 2, 0}) == (*zero)[TensorId::weights].at({0, 0, 2, 0}));
  const Explanation explanation = explain(*given, parse_cell("weights[0,0,2,0]", setup));
  CHECK(explanation.sink > 0);
  CHECK(explanation.note.find("belongs to no key") != std::string::npos);
}

TEST_CASE("a layer without biases is drawn as nn.Linear(bias=False) draws it") {
  Setup setup;
  setup.sizes = {
      .batch = 1, .query_length = 6, .key_length = {}, .d_model = 3, .heads = 2, .kv_heads = {}, .d_head = 1};
  setup.sizes.d_out = 2;
  setup.attention.precision = Precision::float32;
  setup.mask.kinds = {MaskKind::causal};
  setup.random.generator = GeneratorKind::torch;
  setup.random.draws =
      draws({"seed 123", "W_q linear_no_bias", "W_k linear_no_bias", "W_v linear_no_bias", "W_o linear"});
  constexpr double tokens[6][3] = {{0.43, 0.15, 0.89}, {0.55, 0.87, 0.66}, {0.57, 0.85, 0.64},
                                   {0.22, 0.58, 0.33}, {0.77, 0.25, 0.10}, {0.05, 0.80, 0.55}};
  Tensor x = Tensor::uninitialized(Precision::float64, {6, 3});
  std::copy_n(&tokens[0][0], 18, x.writable<double>());
  setup.values.set(TensorId::X, {}, GivenNumbers(x));
  REQUIRE(problems(setup).empty());
  const auto trace = compute_trace(setup);
  CHECK_FALSE(trace->has(TensorId::b_q));
  constexpr double printed[6][2] = {{0.3190, 0.4858}, {0.2943, 0.3897}, {0.2856, 0.3593},
                                    {0.2693, 0.3873}, {0.2639, 0.3928}, {0.2575, 0.4028}};  // by PyTorch
  for (Index row = 0; row < 6; ++row)
    for (Index column = 0; column < 2; ++column)
      CHECK(std::abs((*trace)[TensorId::output].at({0, row, column}) - printed[row][column]) < 5.1e-5);
}

TEST_CASE("positions: linear biases have a slope for each head, also where heads are no power of two") {
  Setup setup = small_setup();
  setup.sizes = {.batch = 2, .query_length = 3, .key_length = 5, .d_model = 12, .heads = 6, .kv_heads = 2};
  setup.attention.source = Source::cross;
  setup.position.encoding = Encoding::alibi;
  const auto trace = compute_trace(setup);
  const Tensor& bias = (*trace)[TensorId::position_bias];
  CHECK(bias.at({0, 0, 0}) == 0);
  const double slopes[] = {1 / 4.0, 1 / 16.0, 1 / 64.0, 1 / 256.0, 1 / 2.0, 1 / 8.0};
  for (Index head = 0; head < 6; ++head) CHECK(bias.at({head, 0, 4}) == -4 * slopes[head]);
  const double product = (*trace)[TensorId::dot_products].at({1, 4, 2, 0});
  CHECK((*trace)[TensorId::scores].at({1, 4, 2, 0}) == doctest::Approx(product / std::sqrt(2.0) - 1));
}

TEST_CASE("the context of an ablated head is zero, and the others stay what they were") {
  for (Precision precision : {Precision::float32, Precision::float64}) {
    Setup setup = small_setup();
    setup.sizes.batch = 2;
    setup.attention.precision = precision;
    Engine engine;
    const auto whole = engine.compute(setup);
    setup.attention.ablated_heads = {1};
    const auto without = engine.compute(setup);
    using enum TensorId;
    CHECK(engine.recomputed() == std::vector{context, concat, output});
    for (Index item = 0; item < 2; ++item) {
      CHECK((*without)[context].at({item, 1, 3, 2}) == 0);
      CHECK((*without)[context].at({item, 0, 3, 2}) == (*whole)[context].at({item, 0, 3, 2}));
    }
    const Explanation why = explain(*without, parse_cell("context[1,1,3,2]", setup));
    CHECK(why.note == "head 1 is ablated: its context is zero");
    CHECK(why.terms.at(0).factors.back().value == 0);
  }
}

TEST_CASE("large scores do not overflow") {
  for (Precision precision : {Precision::float32, Precision::float64}) {
    Setup setup = small_setup();
    setup.attention.precision = precision;
    setup.attention.scale = 1e30;
    const auto trace = compute_trace(setup);
    const Tensor weights = (*trace)[TensorId::weights];
    for (Index i = 0; i < 4; ++i) {
      double sum = 0;
      for (Index j = 0; j < 4; ++j) sum += weights.at({0, 1, i, j});
      CHECK(sum == 1.0);
    }
  }
}

TEST_CASE("an edit recomputes from the first difference on") {
  using enum TensorId;
  Engine engine;
  const Setup setup = small_setup();
  engine.compute(setup);
  CHECK(engine.recomputed().size() == 22);  // every tensor except Y and the dropped weights, which this setup lacks

  SUBCASE("nothing for the same setup or a new title") {
    Setup edited = setup;
    edited.title = "Another";
    edited.tokens = {"a", "b", "c", "d"};
    CHECK(made_after(engine, setup).empty());
    CHECK(made_after(engine, edited).empty());
  }
  SUBCASE("temperature starts at the scores") {
    Setup edited = setup;
    edited.attention.temperature = 2;
    CHECK(made_after(engine, edited) == std::vector{scores, masked_scores, weights, context, concat, output});
  }
  SUBCASE("a mask starts at the masked scores") {
    Setup edited = setup;
    edited.mask.kinds = {MaskKind::causal};
    CHECK(made_after(engine, edited) == std::vector{masked_scores, weights, context, concat, output});
    edited.mask.blocked = {{0, 0}};  // for the custom mask, which is off
    CHECK(made_after(engine, edited).empty());
  }
  SUBCASE("dropout starts at itself") {
    Setup edited = setup;
    edited.attention.dropout = 0.5;
    CHECK(made_after(engine, edited) == std::vector{dropped_weights, context, concat, output});
    edited.attention.dropout = 0;
    engine.compute(edited);
    check_identical(*engine.compute(edited), *compute_trace(setup));
  }
  SUBCASE("heads keep the draws and the projections") {
    Setup edited = setup;
    edited.sizes.heads = 4;
    const auto tensors = made_after(engine, edited);
    CHECK_FALSE(made(tensors, W_q));
    CHECK_FALSE(made(tensors, Q));
    CHECK(made(tensors, Q_heads));
  }
  SUBCASE("a seed before the output projection keeps everything before it") {
    Setup edited = setup;
    edited.random.draws = draws({"seed 0", "X normal", "W_q normal", "b_q normal", "W_k normal", "b_k normal",
                                 "W_v normal", "b_v normal", "seed 9", "W_o normal", "b_o normal"});
    CHECK(made_after(engine, edited) == std::vector{W_o, b_o, output});
  }
}

TEST_CASE("an edit makes no more numbers anew than depend on it") {
  Setup setup = small_setup();  // one seed per tensor, so that each tensor can be drawn again by itself
  setup.sizes = {.batch = 2, .query_length = 6, .key_length = {}, .d_model = 8, .heads = 2, .kv_heads = {}};
  setup.random.draws = draws({"seed 1", "X normal", "seed 2", "W_q normal", "seed 3", "W_k normal", "seed 4",
                              "W_v normal", "seed 5", "W_o normal"});
  setup.mask.kinds = {MaskKind::causal};
  constexpr Index x = 2 * 6 * 8, w = 8 * 8, scores = 2 * 2 * 6 * 6;  // Q, K, V, context and output are as large as X
  const auto made_by = [&](auto edit) {
    Engine engine;
    const auto before = engine.compute(setup);
    Setup edited = setup;
    edit(edited);
    const auto after = engine.compute(edited);
    check_identical(*after, *compute_trace(edited));
    Index made = 0;
    for (const TensorInfo& tensor : all_tensors()) {
      const bool held = !after->has(tensor.id) || (*after)[tensor.id].shares_block((*before)[tensor.id]);
      if (!held && !is_window(tensor.id, edited)) made += (*after)[tensor.id].elements();
    }
    return made;
  };
  const auto reseed = [](std::size_t tensor) {
    return [=](Setup& edited) { edited.random.draws[2 * tensor] = SeedDraw{9}; };
  };
  CHECK(made_by([](Setup& edited) { edited.title = "Another"; }) == 0);
  CHECK(made_by([](Setup& edited) { edited.attention.temperature = 2; }) == 3 * scores + 2 * x);
  CHECK(made_by([](Setup& edited) { edited.mask.kinds = {MaskKind::window}; }) == 2 * scores + 2 * x);
  CHECK(made_by([](Setup& edited) { edited.attention.dropout = 0.5; }) == scores + 2 * x);
  CHECK(made_by(reseed(0)) == 4 * scores + 6 * x);
  CHECK(made_by(reseed(1)) == w + 4 * scores + 3 * x);
  CHECK(made_by(reseed(2)) == w + 4 * scores + 3 * x);
  CHECK(made_by(reseed(3)) == w + 3 * x);
  CHECK(made_by(reseed(4)) == w + x);
  CHECK(made_by([](Setup& edited) { edited.sizes.heads = 4; }) == 4 * 2 * scores + 2 * x);
}

TEST_CASE("whatever came before, an engine gives the trace that a new one would") {
  Engine engine;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const bool task = seed % 3 == 0;
    Setup setup = task ? random_task_setup(seed % 7) : random_setup(seed % 7);
    std::mt19937 random(seed);
    if (random() % 2 == 0) setup.attention.temperature = 3;
    if (random() % 2 == 0) setup.mask.kinds.clear();
    if (random() % 2 == 0 && !task && setup.sizes.layers == 1) setup.attention.dropout = 0.25;
    if (random() % 2 == 0 && task && !setup.mask.has(MaskKind::padding)) setup.training.steps = 1 + random() % 4;
    if (random() % 3 == 0 && task) setup.task.seed = 5;
    if (random() % 3 == 0) setup.random.draws.erase(setup.random.draws.begin() + 2);
    INFO("seed ", seed);
    engine.compute(setup);
    const ModelTrace alone = compute_model(setup);
    for (std::size_t layer = 0; layer < alone.layers.size(); ++layer)
      check_identical(*engine.model().layers[layer], *alone.layers[layer]);
  }
}

TEST_CASE("a setup that does not fit leaves the engine as it was") {
  Engine engine(100'000);
  const auto before = engine.compute(small_setup());
  Setup large = small_setup();
  large.sizes.query_length = 1000;
  CHECK_THROWS_AS(engine.compute(large), InputError);
  Setup invalid = small_setup();
  invalid.sizes.heads = 3;
  CHECK_THROWS_AS(engine.compute(invalid), InputError);
  CHECK(made_after(engine, small_setup()).empty());
  CHECK(before->version == 1);
}

TEST_CASE("the estimate is what the trace holds") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Setup setup = seed % 3 == 0 ? random_task_setup(seed) : random_setup(seed);
    const ModelTrace model = compute_model(setup);
    std::int64_t bytes = 0;
    std::vector<Tensor> counted;
    for (const auto& layer : model.layers) {
      for (const Tensor& tensor : layer->tensors) {
        const bool held_before =
            std::ranges::any_of(counted, [&](const Tensor& other) { return other.shares_block(tensor); });
        if (tensor.empty() || held_before) continue;
        counted.push_back(tensor);
        bytes += tensor.elements() * static_cast<std::int64_t>(bytes_per_element(tensor.precision()));
      }
    }
    CHECK(bytes == estimate_memory(setup).total_bytes);
    CHECK_NOTHROW(require_fits(setup, bytes));
    CHECK_THROWS_AS(require_fits(setup, bytes - 1), InputError);
  }
}

TEST_CASE("the one who waits hears how far it is, and can stop it between any two reports") {
  Setup setup = small_setup();
  Setup edited = setup;
  edited.attention.temperature = 2;
  Engine engine;
  const auto before = engine.compute(setup);
  std::vector<double> fractions;
  const auto listen = [&](double fraction) { fractions.push_back(fraction); };
  const auto expected = Engine().compute(edited, {.stop = {}, .report = listen});
  CHECK(std::is_sorted(fractions.begin(), fractions.end()));
  CHECK(fractions.size() > existing_tensors(setup).size() / 2);
  CHECK(fractions.back() == doctest::Approx(1.0));

  fractions.clear();
  engine.compute(edited, {.stop = {}, .report = listen});
  const std::size_t reports = fractions.size();
  CHECK(fractions.back() == doctest::Approx(1.0));
  engine.compute(setup);
  for (std::size_t stopped_after = 0; stopped_after < reports; ++stopped_after) {
    std::stop_source source;
    fractions.clear();
    const auto stop_then = [&](double fraction) {
      fractions.push_back(fraction);
      if (fractions.size() > stopped_after) source.request_stop();
    };
    if (stopped_after + 1 == reports) {  // the stop is requested in the last report, after the work is done
      check_identical(*engine.compute(edited, {source.get_token(), stop_then}), *expected);
    } else {
      CHECK_THROWS_AS(engine.compute(edited, {source.get_token(), stop_then}), Stopped);
      CHECK(made_after(engine, setup).empty());
    }
  }
}

TEST_CASE("a computation that pauses whenever it may goes on from there, and gives the same") {
  Setup learns = headlight::testing::learning_setup();
  learns.training.steps = 60;
  for (const Setup& setup : {small_setup(), learns}) {
    CAPTURE(setup.training.steps);
    Engine engine;
    engine.compute(with_seed(setup, 99));
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Course> course;
    std::vector<double> furthest;
    double fraction = 0;
    const Progress progress{{}, [&](double reached) { fraction = reached; }, [] { return true; }};
    int pauses = 0;
    while (!trace) {
      try {
        trace = engine.compute(setup, progress);
      } catch (const Stopped&) {
        ++pauses;
        furthest.push_back(fraction);
      }
    }
    const auto expected = compute_trace(setup);
    check_identical(*trace, *expected);
    CHECK(pauses >= static_cast<int>(engine.recomputed().size()) / 2 + setup.training.steps);
    CHECK(std::ranges::is_sorted(furthest));
    CHECK(std::ranges::find(engine.recomputed(), TensorId::output) != engine.recomputed().end());
    if (setup.training.steps == 0) continue;
    Engine whole;
    whole.compute(setup);
    pauses = 0;
    while (!course) {
      try {
        course = engine.course(progress);
      } catch (const Stopped&) {
        ++pauses;
      }
    }
    CHECK(pauses > 10);
    REQUIRE(course->kept.size() == whole.course()->kept.size());
    CHECK(course->kept.back()->shown.loss == whole.course()->kept.back()->shown.loss);
  }
}

TEST_CASE("after a pause anything else may be asked for") {
  Engine engine;
  const Progress pauses{{}, {}, [] { return true; }};
  CHECK_THROWS_AS(engine.compute(with_seed(small_setup(), 1), pauses), Stopped);
  CHECK_THROWS_AS(engine.compute(with_seed(small_setup(), 2), pauses), Stopped);
  check_identical(*engine.compute(with_seed(small_setup(), 3)), *compute_trace(with_seed(small_setup(), 3)));
}

TEST_CASE("the estimate leaves out no stage that runs") {
  Engine engine;
  std::shared_ptr<const Trace> last;
  for (unsigned seed = 0; seed < 80; ++seed) {
    const bool task = seed % 3 == 0;
    Setup setup = task ? random_task_setup(seed % 5) : random_setup(seed % 5);
    std::mt19937 random(seed);
    if (random() % 2 == 0) setup.attention.temperature = 3;
    if (random() % 2 == 0) setup.mask.kinds.clear();
    if (random() % 3 == 0 && !task && setup.sizes.layers == 1) setup.attention.dropout = 0.25;
    if (random() % 2 == 0 && task && !setup.mask.has(MaskKind::padding)) setup.training.steps = 1 + random() % 4;
    if (random() % 3 == 0) setup.random.draws.pop_back();
    INFO("seed ", seed);
    const std::vector<double> estimates = estimated_stage_seconds(setup, last.get());
    last = engine.compute(setup);
    for (TensorId id : engine.recomputed()) {
      INFO(name(id));
      CHECK(estimates[index_of(id)] > 0);
    }
  }
}

TEST_CASE("the estimate follows what an edit costs") {
  Setup setup = small_setup();
  setup.sizes = {.batch = 1, .query_length = 1024, .key_length = {}, .d_model = 1024, .heads = 16, .kv_heads = {}};
  setup.attention.precision = Precision::float32;
  Trace held;  // without tensors, because an estimate reads only the setup
  held.setup = setup;
  Setup warmer = setup;
  warmer.attention.temperature = 2;
  Setup titled = setup;
  titled.title = "Another";
  Setup doubled = setup;
  doubled.attention.precision = Precision::float64;
  const double whole = estimated_seconds(setup);
  CHECK(estimated_seconds(titled, &held) == 0);
  CHECK(estimated_seconds(warmer, &held) > 0.1 * whole);
  CHECK(estimated_seconds(warmer, &held) < 0.7 * whole);
  CHECK(estimated_seconds(doubled, &held) == estimated_seconds(doubled));
  CHECK(estimated_seconds(doubled) > 1.5 * whole);
  CHECK(cost(stage_of(TensorId::dot_products), setup).flops == 2.0 * 1024 * 1024 * 1024);
  CHECK(cost(stage_of(TensorId::Q), setup).flops == 2.0 * 1024 * 1024 * 1024);
  CHECK(cost(stage_of(TensorId::scores), setup).bytes == 2.0 * 4 * 16 * 1024 * 1024);
  CHECK(cost(stage_of(TensorId::masked_scores), setup).bytes == 0);
  CHECK(estimated_seconds(small_setup()) < 1e-4);
}

TEST_CASE("every number is the same for any number of threads") {
  std::vector<Setup> setups;
  Setup large = small_setup();  // large enough that products, rows and elements are each cut into several tasks
  large.sizes = {.batch = 3, .query_length = 130, .key_length = {}, .d_model = 384, .heads = 4, .kv_heads = 2};
  large.mask.kinds = {MaskKind::causal, MaskKind::padding, MaskKind::custom};
  large.mask.valid_lengths = {130, 7, 0};
  large.mask.blocked = {{0, 0}, {5, 2}, {5, 2}};
  large.attention.dropout = 0.25;
  setups.push_back(large);
  large.attention.precision = Precision::float32;
  large.random.generator = GeneratorKind::torch;
  setups.push_back(large);
  large.sizes = {.batch = 1, .query_length = 700, .key_length = {}, .d_model = 512, .heads = 8, .kv_heads = {}};
  large.mask.valid_lengths = {650};
  setups.push_back(large);
  Setup learns = learning_setup();
  learns.sizes = {.batch = 2, .query_length = 70, .key_length = {}, .d_model = 256, .heads = 4, .kv_heads = 2};
  learns.task.symbols = 50;
  learns.training = {.optimizer = OptimizerKind::adam, .learning_rate = 0.001, .batch = 20, .steps = 2};
  setups.push_back(learns);
  learns.attention.precision = Precision::float32;
  setups.push_back(learns);
  for (const Setup& setup : setups) {
    REQUIRE(problems(setup).empty());
    const auto expected = Engine(default_memory_limit, std::make_shared<Threads>(1)).compute(setup);
    for (unsigned threads : {2U, 3U, 4U, 5U}) {
      INFO(threads, " threads");
      check_identical(*Engine(default_memory_limit, std::make_shared<Threads>(threads)).compute(setup), *expected);
    }
  }
}

TEST_CASE("memory that is used again holds nothing of the trace before") {
  Engine engine;
  Setup setup = small_setup();
  setup.sizes = {.batch = 2, .query_length = 90, .key_length = {}, .d_model = 256, .heads = 4, .kv_heads = {}};
  for (int seed = 0; seed < 6; ++seed) {
    setup.random.draws.front() = SeedDraw{seed};
    setup.mask.kinds.clear();
    if (seed % 2 == 1) setup.mask.kinds = {MaskKind::window};
    const auto held = engine.compute(setup);  // released in the next round, so that its memory blocks are used again
    check_identical(*held, *compute_trace(setup));
  }
}

TEST_CASE("a trace that is still held keeps its numbers") {
  Engine engine;
  Setup setup = small_setup();
  setup.sizes = {.batch = 1, .query_length = 128, .key_length = {}, .d_model = 256, .heads = 4, .kv_heads = {}};
  const auto held = engine.compute(setup);
  const auto expected = compute_trace(setup);
  for (int seed = 1; seed < 5; ++seed) {
    Setup edited = setup;
    edited.random.draws.front() = SeedDraw{seed};
    engine.compute(edited);
  }
  check_identical(*held, *expected);
}

TEST_CASE("a long stage is stopped within itself") {
  Setup setup = small_setup();
  setup.sizes = {.batch = 1, .query_length = 600, .key_length = {}, .d_model = 64, .heads = 4, .kv_heads = {}};
  Setup edited = setup;
  edited.attention.temperature = 2;
  for (unsigned threads : {1U, 3U}) {
    Engine engine(default_memory_limit, std::make_shared<Threads>(threads));
    engine.compute(setup);
    std::size_t reports = 0;
    engine.compute(edited, {.stop = {}, .report = [&](double) { ++reports; }});
    if (threads == 1) CHECK(reports > stages().size());  // with several threads, the one that reports may get no task
    engine.compute(setup);
    std::stop_source source;
    double stopped_at = 0;
    const auto stop_soon = [&](double fraction) {
      if (!source.stop_requested() && fraction > 0.05) {
        stopped_at = fraction;
        source.request_stop();
      }
    };
    CHECK_THROWS_AS(engine.compute(edited, {source.get_token(), stop_soon}), Stopped);
    if (threads == 1) CHECK(stopped_at < 0.5);
    CHECK(made_after(engine, setup).empty());
    check_identical(*engine.compute(edited), *compute_trace(edited));
  }
}
