// A model of several layers: what each of them is asked about, draws and is given, how they are joined, and what is
// said of their numbers. PyTorch judges the numbers in tests/library/model.py.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/engine/course.hpp"
#include "core/engine/engine.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/checks.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"
#include "core/setup/value_checks.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/table.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;
using enum TensorId;

namespace {

Setup two_layers() { return with_layers_drawn(block_setup(), 2); }

Setup learning_model() {
  Setup setup = learning_setup();
  setup.block.residual = true;
  setup.embedding = {.learned = true, .unembed = true};
  return with_layers_drawn(with_parts(std::move(setup)), 2);
}

std::string first_problem(const Setup& setup) {
  const auto found = problems(setup);
  return found.empty() ? std::string() : found.front().message();
}

/// Calls body(trace, cell) for some cells of every tensor of every layer.
template <class Body>
void for_cells(const ModelTrace& model, Body&& body) {
  for (const auto& layer : model.layers) {
    for (const TensorInfo& tensor : all_tensors()) {
      if (!layer->has(tensor.id)) continue;
      const Shape extents = (*layer)[tensor.id].shape();
      const Index step = std::max<Index>(1, extents.elements() / 3);
      for (Index n = 0; n < extents.elements(); n += step)
        body(*layer, Cell{tensor.id, extents.index_at(n), layer->setup.layer});
    }
  }
}

}  // namespace

TEST_CASE("a model has some tensors once, and all others in each layer") {
  const Setup setup = with_layers_drawn(learning_model(), 3);
  const auto layers_with = [&](TensorId id) {
    std::string found;
    for (Index layer = 0; layer < 3; ++layer)
      if (exists(id, seen_at(setup, layer))) found += std::to_string(layer);
    return found;
  };
  for (const TensorId id : {W_E, embed}) CHECK(layers_with(id) == "0");
  for (const TensorId id : {X, resid_pre, W_q, weights, output, resid_post, gradient_of(W_q)})
    CHECK(layers_with(id) == "012");
  for (const TensorId id : {W_U, unembed, logits, probabilities, loss, gradient_of(logits)})
    CHECK(layers_with(id) == "2");
  CHECK_FALSE(is_drawn(X, seen_at(setup, 1)));
}

TEST_CASE("above the first layer X is what the layer below leaves, and its gradient goes back the same way") {
  const ModelTrace model = compute_model(learning_model());
  CHECK(model.at(1)[X].same_window(model.at(0)[resid_post]));
  CHECK(model.at(0)[gradient_of(resid_post)].same_window(model.at(1)[gradient_of(X)]));
  CHECK(what_leaves(seen_at(two_layers(), 0)) == N_mlp_post);
}

TEST_CASE("each array of a model fits the sizes that it has") {
  for (const Setup& setup : {two_layers(), learning_model()})
    for (const TensorId id : existing_tensors(setup)) {
      CAPTURE(name(id));
      const Shape whole = shape(id, setup);
      if (whole.rank() == 0) continue;
      const auto sizes = fitting_sizes(setup, std::array{ArrayForTensor{id, whole}});
      REQUIRE(sizes);
      CHECK(changed_sizes(setup, *sizes).empty());
    }
  // Sizes that are no sizes of a setup can't be changed to fit.
  for (const TensorId id : {W_in, W_U}) {
    const Setup setup = id == W_in ? two_layers() : learning_model();
    Shape wider = shape(id, setup);
    wider[wider.rank() - 1] += 1;
    CHECK_FALSE(fitting_sizes(setup, std::array{ArrayForTensor{id, wider}}));
  }
}

TEST_CASE("a layer computes what it computes alone, from the same input") {
  const ModelTrace model = compute_model(two_layers());
  Setup alone = block_setup();
  alone.random.draws = draws({"seed 0"});
  for (const TensorId id : drawn_tensors())
    if (model.at(1).has(id) && is_drawn(id, model.at(1).setup)) alone.values.set(id, {}, GivenNumbers(model.at(1)[id]));
  alone.values.set(X, {}, GivenNumbers(model.at(0)[N_mlp_post]));
  const auto trace = compute_trace(alone);
  for (const TensorId id : {weights, output, mlp_act, N_mlp_post, N_final, probabilities})
    CHECK_MESSAGE(identical((*trace)[id], model.at(1)[id]), name(id));
}

TEST_CASE("a number is read from its own layer, and from no other") {
  const ModelTrace model = compute_model(two_layers());
  const Cell cell{weights, {0, 1, 1, 0}, 1};
  CHECK(model.value(cell) == model.at(1)[weights].at({0, 1, 1, 0}));
  CHECK_THROWS_AS((void)model.at(0).value(cell), std::logic_error);
  CHECK_THROWS_AS((void)explain(model.at(0), cell), std::logic_error);
}

TEST_CASE("cells are written with their layer, except in the first one and where there is one of them") {
  const Setup setup = two_layers();
  CHECK(to_string(Cell{weights, {0, 1, 2, 0}, 1}) == "L1.weights[0,1,2,0]");
  CHECK(to_string(Cell{weights, {0, 1, 2, 0}}) == "weights[0,1,2,0]");
  CHECK(to_string(Cell{probabilities, {0, 1, 2}, 1}) == "probabilities[0,1,2]");
  CHECK(parse_cell("L1.weights[0,1,2,0]", setup) == Cell{weights, {0, 1, 2, 0}, 1});
  CHECK(parse_cell("L0.W_q[0, 3]", setup) == Cell{W_q, {0, 3}, 0});
  CHECK(parse_cell(" W_q[0,3]", setup) == Cell{W_q, {0, 3}, 0});
  CHECK(parse_cell("probabilities[0,1,2]", setup) == Cell{probabilities, {0, 1, 2}, 1});
  for (const char* const wrong :
       {"L2.W_q[0,0]", "L1.probabilities[0,1,2]", "L-1.W_q[0,0]", "L.W_q[0,0]", "L1W_q[0,0]", "M1.W_q[0,0]"})
    CHECK_THROWS_AS((void)parse_cell(wrong, setup), InputError);
  CHECK_THROWS_AS((void)parse_cell("L1.W_q[0,0]", block_setup()), InputError);
}

TEST_CASE("draws are carried out layer by layer where they say so") {
  CHECK(to_string(*parse_draw("L*: seed 3, W_q normal, W_o normal 0.5")) == "L*: seed 3, W_q normal, W_o normal 0.5");
  CHECK(to_string(*parse_draw("L2.W_q[1] normal")) == "L2.W_q[1] normal");
  CHECK(to_string(*parse_draw("L0.W_q normal")) == "W_q normal");
  CHECK_FALSE(parse_draw("L*: L1.W_q normal"));
  CHECK_FALSE(parse_draw("L*: nothing"));
  CHECK_FALSE(parse_draw("Lx.W_q normal"));
  Setup setup = two_layers();
  setup.random.draws = draws({"seed 0", "X normal", "L*: W_q normal, W_k normal", "L1.W_v normal", "W_U normal"});
  std::string all;
  for (const PlainDraw& draw : draws_in_order(setup)) all += to_string(draw) + "; ";
  CHECK(all == "seed 0; X normal; W_q normal; W_k normal; L1.W_q normal; L1.W_k normal; L1.W_v normal; W_U normal; ");
  const ModelTrace model = compute_model(setup);
  CHECK_FALSE(identical(model.at(0)[W_q], model.at(1)[W_q]));
  CHECK(model.at(0)[W_v].at({0, 0}) == 0);
  CHECK(model.at(1)[W_v].at({0, 0}) != 0);
  CHECK(model.at(1)[W_U].at({0, 0}) != 0);
}

TEST_CASE("values and ablated heads belong to a layer") {
  Setup setup = two_layers();
  setup.values.look_at(1);
  setup.values.set(W_k, parse_value_key("W_k[0,1]")->part, GivenNumbers::single(7));
  setup.values.look_at(0);
  setup.attention.ablated_heads = {LayerHead(1, 0)};
  REQUIRE(first_problem(setup) == "");
  const ModelTrace model = compute_model(setup);
  CHECK(model.at(1)[W_k].at({0, 1}) == 7);
  CHECK(model.at(0)[W_k].at({0, 1}) != 7);
  CHECK(model.at(1)[context].at({0, 0, 1, 0}) == 0);
  CHECK(model.at(0)[context].at({0, 0, 1, 0}) != 0);
  CHECK(setup.values.entries().front().layer == 1);
  CHECK(key_of(setup.values.entries().front()) == "L1.W_k[0,1]");
}

TEST_CASE("setups differ in what they are, not in the layer that they are asked about") {
  const Setup setup = two_layers();
  CHECK(seen_at(setup, 1) == setup);
  Setup other = setup;
  other.attention.ablated_heads = {LayerHead(1, 1)};
  CHECK(other != setup);
  CHECK(with_ablated(seen_at(setup, 1), 1, true) == other);
}

TEST_CASE("what several layers can't be is refused") {
  const auto refused = [](auto&& change) {
    Setup setup = two_layers();
    change(setup);
    return first_problem(setup);
  };
  CHECK(refused([](Setup&) {}) == "");
  CHECK(refused([](Setup& s) { s.sizes.layers = 129; }).find("sizes.layers") != std::string::npos);
  CHECK(refused([](Setup& s) { s.sizes.past = 1; }).find("sizes.past") != std::string::npos);
  CHECK(refused([](Setup& s) { s.attention.dropout = 0.5; }).find("dropout") != std::string::npos);
  CHECK(refused([](Setup& s) { s.random.draws.push_back(*parse_draw("L2.W_q normal")); }).find("L0 to L1") !=
        std::string::npos);
  CHECK(refused([](Setup& s) { s.random.draws.push_back(*parse_draw("L1.W_U normal")); }).find("once") !=
        std::string::npos);
  CHECK(refused([](Setup& s) { s.random.draws.push_back(*parse_draw("L*: W_U normal")); }).find("once") !=
        std::string::npos);
  CHECK(refused([](Setup& s) { s.random.draws.push_back(*parse_draw("L1.X normal")); }).find("layer 0") !=
        std::string::npos);
  CHECK(refused([](Setup& s) { s.attention.ablated_heads = {LayerHead(2, 0)}; }).find("L0 to L1") != std::string::npos);
  Setup without = small_setup();
  without.sizes.layers = 2;
  CHECK(first_problem(without).find("block.residual") != std::string::npos);
}

TEST_CASE("every number of every layer is explained, and its terms add up to it") {
  for (unsigned seed = 0; seed < 12; ++seed) {
    Setup setup = seed % 2 == 0 ? random_task_setup(seed) : random_setup(seed);
    if (setup.is_cross() || setup.past() > 0 || setup.attention.dropout > 0) continue;
    setup.block.residual = true;
    setup.sizes.d_out.reset();
    if (setup.sizes.layers == 1) setup = with_layers_drawn(with_parts(std::move(setup)), 2);
    CAPTURE(seed);
    REQUIRE(first_problem(setup) == "");
    const ModelTrace model = compute_model(setup);
    for_cells(model, [&](const Trace& trace, const Cell& cell) {
      const Explanation explanation = explain(trace, cell);
      CAPTURE(to_string(cell));
      double sum = 0, size = 0;
      for (const Term& term : explanation.terms) {
        sum += term.value;
        size += std::abs(term.value);
        for (const Factor& factor : term.factors)
          if (factor.cell && factor.label.empty()) CHECK(model.value(*factor.cell) == factor.value);
      }
      const double allowed = trace.setup.attention.precision == Precision::float32 ? 1e-4 : 1e-9;
      if (std::isfinite(explanation.value) && explanation.softmax_row.empty() && !explanation.terms.empty())
        CHECK(std::abs(sum - explanation.value) <= allowed * std::max(size, 1.0));
      for (const GoesInto& block : explanation.goes_into) CHECK(contains(setup, block.first));
    });
  }
}

TEST_CASE("a number that is handed on to another layer says so, and leads there") {
  const ModelTrace model = compute_model(learning_model());
  const Explanation enters = explain(model.at(1), {X, {0, 1, 2}, 1});
  REQUIRE(enters.terms.size() == 1);
  CHECK(enters.terms.front().label == "the same number");
  CHECK(enters.terms.front().factors.front().cell == Cell{resid_post, {0, 1, 2}, 0});
  const Explanation leaves = explain(model.at(0), {resid_post, {0, 1, 2}, 0});
  CHECK(std::ranges::any_of(leaves.goes_into, [](const GoesInto& block) { return block.label == "L1.X[0,1,2]"; }));
  const Explanation back = explain(model.at(0), {gradient_of(resid_post), {0, 1, 2}, 0});
  CHECK(back.terms.front().factors.front().cell == Cell{gradient_of(X), {0, 1, 2}, 1});
}

TEST_CASE("the gradients of a model are the slopes of its loss, through all layers") {
  const ModelTrace model = compute_model(learning_model());
  constexpr double nudge = 1e-5;
  for (const Cell& cell : {Cell{W_q, {1, 2}, 0}, Cell{W_o, {3, 1}, 1}, Cell{weights, {0, 1, 2, 0}, 0},
                           Cell{W_E, {1, 3}, 0}, Cell{W_U, {2, 1}, 1}, Cell{resid_post, {1, 1, 4}, 0}}) {
    const double number = model.value(cell);
    const double slope =
        (loss_with(model, cell, number + nudge) - loss_with(model, cell, number - nudge)) / (2 * nudge);
    CHECK_MESSAGE(
        model.value({gradient_of(cell.tensor), cell.index, cell.layer}) == doctest::Approx(slope).epsilon(1e-5),
        to_string(cell));
  }
}

TEST_CASE("an edit of a layer leaves those below it as they are") {
  Engine engine;
  Setup setup = two_layers();
  engine.compute(setup);
  const ModelTrace before = engine.model();
  engine.compute(with_ablated(seen_at(setup, 1), 0, true));
  const ModelTrace after = engine.model();
  CHECK(after.at(0)[resid_post].same_window(before.at(0)[resid_post]));
  CHECK(after.at(1)[weights].same_window(before.at(1)[weights]));
  CHECK_FALSE(after.at(1)[context].same_window(before.at(1)[context]));
  engine.compute(seen_at(setup, 1));
  engine.compute(seen_at(setup, 0));
  CHECK(engine.recomputed().empty());
}

TEST_CASE("a model has the same numbers on any number of threads, trained too") {
  Setup setup = learning_model();
  setup.training.steps = 5;
  const ModelTrace one = compute_model(setup, default_memory_limit, std::make_shared<Threads>(0));
  const ModelTrace many = compute_model(setup, default_memory_limit, std::make_shared<Threads>(6));
  for (const Index layer : {0, 1})
    for (const TensorInfo& tensor : all_tensors())
      CHECK_MESSAGE(identical(one.at(layer)[tensor.id], many.at(layer)[tensor.id]), tensor.name);
  CHECK(one.last().learning->steps == 5);
}

TEST_CASE("a head's price is what the whole model loses without it") {
  const ModelTrace model = compute_model(learning_model());
  const std::vector<HeadPrice> prices = head_prices(model, 1);
  REQUIRE(prices.size() == 2);
  Setup without = model.first().setup;
  without.attention.ablated_heads = {LayerHead(1, 1)};
  CHECK(prices[1].without.loss == doctest::Approx(verdict_of(compute_model(without).last()).loss));
}

TEST_CASE("fewer layers drop what was said of the others") {
  Setup setup = with_layers_drawn(block_setup(), 3);
  setup.attention.ablated_heads = {LayerHead(0, 1), LayerHead(2, 0)};
  Sizes sizes = setup.sizes;
  sizes.layers = 2;
  const Setup fewer = resized(seen_at(setup, 2), sizes);
  CHECK(fewer.attention.ablated_heads == std::vector{LayerHead(0, 1)});
  CHECK(fewer.layer == 1);
  CHECK(first_problem(fewer) == "");
}
