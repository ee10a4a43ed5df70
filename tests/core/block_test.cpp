// What is around attention in a layer: the residual stream, the MLP, the norms and the symbols at both ends. Its
// numbers are judged by PyTorch in tests/library; this is what they mean for setups, edits and explanations.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/engine/engine.hpp"
#include "core/model/shapes.hpp"
#include "core/random/draws.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/graph.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;
using enum TensorId;

namespace {

std::string refused(Setup setup, auto&& change) {
  change(setup);
  const auto found = problems(setup);
  return found.empty() ? std::string() : found.front().message();
}

std::string drawn_list(const Setup& setup) {
  std::string all;
  for (const Draw& draw : setup.random.draws) all += to_string(draw) + "; ";
  return all;
}

Setup embedding_setup() {
  Setup setup = learning_setup();
  setup.embedding = {.learned = true, .unembed = true};
  return with_parts(std::move(setup));
}

}  // namespace

TEST_CASE("a layer without a stream has none of the tensors around attention") {
  for (const TensorId id : {W_E, embed, resid_pre, resid_mid, N_post, N_mlp, W_in, mlp_pre, mlp_act, mlp_post, mlp_out,
                            resid_post, N_mlp_post, N_final, W_U, unembed, logits})
    CHECK_FALSE_MESSAGE(exists(id, small_setup()), name(id));
}

TEST_CASE("where norms stand decides which tensors there are") {
  Setup setup = block_setup();
  CHECK(exists(N_post, setup));
  CHECK(exists(N_mlp_post, setup));
  CHECK_FALSE(exists(N, setup));
  CHECK_FALSE(exists(N_mlp, setup));
  CHECK(left_operand(stage_of(Q), setup) == resid_pre);
  CHECK(left_operand(stage_of(N_final), setup) == N_mlp_post);
  setup.norm.placement = NormPlacement::before;
  CHECK_FALSE(exists(N_post, setup));
  CHECK(left_operand(stage_of(Q), setup) == N);
  CHECK(left_operand(stage_of(mlp_pre), setup) == N_mlp);
  CHECK(left_operand(stage_of(N_final), setup) == resid_post);
  setup.block.mlp = Mlp::none;
  setup.block.gated = false;
  CHECK_FALSE(exists(resid_mid, setup));  // the output goes straight to the end
  CHECK(operand_at(stage_of(resid_post), Operand::Slot::added, setup)->tensor == output);
  setup.norm.placement = NormPlacement::after;
  CHECK_FALSE(exists(resid_post, setup));
  CHECK(left_operand(stage_of(N_final), setup) == N_post);
}

TEST_CASE("the stream is a window, and what the layer adds to it is there to the last digit") {
  const auto trace = compute_trace(block_setup());
  CHECK((*trace)[resid_pre].same_window((*trace)[X]));
  for (Index feature = 0; feature < 8; ++feature)
    CHECK((*trace)[resid_mid].at({0, 2, feature}) ==
          (*trace)[X].at({0, 2, feature}) + (*trace)[output].at({0, 2, feature}));
  for (Index neuron = 0; neuron < 5; ++neuron) {
    const double gate = (*trace)[mlp_gate].at({0, 1, neuron});
    CHECK((*trace)[mlp_act].at({0, 1, neuron}) == doctest::Approx(gate / (1 + std::exp(-gate))).epsilon(1e-14));
    CHECK((*trace)[mlp_post].at({0, 1, neuron}) ==
          (*trace)[mlp_act].at({0, 1, neuron}) * (*trace)[mlp_pre].at({0, 1, neuron}));
  }
  double sum = 0;
  for (Index symbol = 0; symbol < 6; ++symbol) sum += (*trace)[probabilities].at({0, 3, symbol});
  CHECK(sum == doctest::Approx(1).epsilon(1e-14));
  CHECK((*trace)[logits].same_window((*trace)[unembed]));
  CHECK_FALSE(exists(loss, trace->setup));
}

TEST_CASE("an embedded symbol is its row of W_E, in each place that holds it") {
  const auto trace = compute_trace(embedding_setup());
  CHECK((*trace)[X].same_window((*trace)[embed]));
  CHECK(text_of(X, trace->setup).formula == "X = embed");
  const Sequences& shown = *trace->sequences;
  for (Index item = 0; item < shown.count; ++item)
    for (Index position = 0; position < shown.length; ++position) {
      const std::int64_t symbol = shown.ones[static_cast<std::size_t>(item * shown.length + position)];
      for (Index feature = 0; feature < 8; ++feature)
        CHECK((*trace)[embed].at({item, position, feature}) == (*trace)[W_E].at({symbol, feature}));
    }
  const Explanation cell = explain(*trace, {gradient_of(W_E), {1, 2}});
  double sum = 0;
  for (const Term& each : cell.terms) sum += each.value;
  CHECK(sum == doctest::Approx(cell.value).epsilon(1e-12));
}

TEST_CASE("an edit of the MLP leaves attention as it is") {
  Engine engine;
  Setup setup = block_setup();
  engine.compute(setup);
  setup.block.mlp = Mlp::relu;
  engine.compute(setup);
  CHECK(engine.recomputed().front() == mlp_act);
  CHECK(std::ranges::find(engine.recomputed(), unembed) != engine.recomputed().end());
}

TEST_CASE("what a block lacks is said") {
  CHECK(
      refused(block_setup(), [](Setup& s) { s.sizes.d_out = 5; }) ==
      "sizes.d_out: found 5; allowed: sizes.d_model = 8, or left out, with block.residual: the output is added to the "
      "input");
  CHECK(refused(small_setup(), [](Setup& s) { s.block.mlp = Mlp::gelu; }) ==
        "block.mlp: found gelu; allowed: none without block.residual: an MLP adds to the residual stream");
  CHECK(refused(small_setup(), [](Setup& s) { s.block = {.residual = true, .mlp = Mlp::none, .gated = true}; }) ==
        "block.gated: found true; allowed: false without block.mlp");
  CHECK(refused(small_setup(), [](Setup& s) { s.norm.placement = NormPlacement::after; }) ==
        "norm.placement: found after; allowed: before without block.residual: after is where the stream has been added "
        "to");
  CHECK(refused(small_setup(), [](Setup& s) { s.norm.final = true; }) ==
        "norm.final: found true; allowed: false without norm.kind and block.residual");
  CHECK(
      refused(small_setup(), [](Setup& s) { s.embedding.learned = true; }) ==
      "embedding.learned: found true; allowed: false without task.name: only a task has symbols that X could be looked "
      "up by");
  CHECK(refused(small_setup(), [](Setup& s) { s.embedding.unembed = true; }) ==
        "embedding.unembed: found true; allowed: false without task.name or sizes.symbols: W_U has a column for each "
        "symbol");
  CHECK(refused(embedding_setup(), [](Setup& s) { s.sizes.symbols = 5; }) ==
        "sizes.symbols: found 5; allowed: task.symbols = 4, or left out, with a task");
  CHECK(refused(small_setup(), [](Setup& s) { s.random.draws.push_back(*parse_draw("W_in normal")); }) ==
        "random.draws[10]: found W_in normal; allowed: W_in only with block.mlp = \"relu\", \"gelu\", \"gelu_tanh\" or "
        "\"silu\"");
  CHECK(refused(small_setup(), [](Setup& s) { s.random.draws.push_back(*parse_draw("X zeros 2")); }) ==
        "random.draws[10]: found X zeros 2; allowed: a factor for uniform and normal only");
}

TEST_CASE("an embedding and an unembedding need no feature of each symbol") {
  Setup setup = embedding_setup();
  setup.sizes.d_model = 2;
  CHECK(problems(setup).empty());
  setup.embedding.learned = false;
  CHECK(std::ranges::any_of(problems(setup), [](const Problem& problem) { return problem.key == "task.symbols"; }));
  CHECK(with_parts(setup).sizes.d_model == 4);
  CHECK(problems(with_task(setup, TaskName::none)).empty());
}

TEST_CASE("a factor multiplies what is drawn") {
  const Draw draw = *parse_draw("X normal 0.02");
  CHECK(to_string(draw) == "X normal 0.02");
  CHECK(to_string(*parse_draw("X normal 1")) == "X normal");
  for (const char* wrong : {"X normal much", "X normal 1 2", "X normal "}) CHECK_FALSE(parse_draw(wrong));
  Setup setup = small_setup();
  const auto plain = compute_trace(setup);
  setup.random.draws[1] = draw;
  const auto small = compute_trace(setup);
  CHECK((*small)[X].at({0, 1, 2}) == (*plain)[X].at({0, 1, 2}) * 0.02);
  CHECK((*small)[W_q].at({0, 1}) == (*plain)[W_q].at({0, 1}));
}

TEST_CASE("parts come with their weights, and go with them") {
  const Setup plain = small_setup();
  Setup setup = plain;
  setup.block = {.residual = true, .mlp = Mlp::gelu, .gated = false};
  setup = with_parts(std::move(setup));
  CHECK(drawn_list(setup) == drawn_list(plain) + "W_in normal; W_out normal; ");
  setup.block.residual = false;
  setup = with_parts(std::move(setup));
  CHECK(setup.block == BlockSettings{});
  CHECK(drawn_list(setup) == drawn_list(plain));
  CHECK(drawn_list(embedding_setup()) == drawn_list(learning_setup()) + "W_E normal; W_U normal; ");
}
