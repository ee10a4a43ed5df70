// Norms of the input, of queries and keys, the soft cap, and sizes that need not follow d_model. Their numbers are
// judged by NumPy and PyTorch in tests/library; this is what they mean for setups, edits and explanations.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/engine/course.hpp"
#include "core/engine/engine.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/graph.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;
using enum TensorId;

namespace {

Setup normed(NormKind kind) {
  Setup setup = small_setup();
  setup.norm.kind = kind;
  return setup;
}

/// The refusal of a changed setup; empty if it is none.
std::string refusal(auto&& change) {
  Setup setup = small_setup();
  change(setup);
  const auto found = problems(setup);
  return found.empty() ? std::string() : found.front().message();
}

double number_at(const Trace& trace, TensorId id, std::initializer_list<Index> index) { return trace[id].at(index); }

}  // namespace

TEST_CASE("a norm of the input is projected in its place, with a gain of ones and a shift of zeros") {
  const auto trace = compute_trace(normed(NormKind::layer));
  for (Index row = 0; row < 4; ++row) {
    double sum = 0, squares = 0;
    for (Index feature = 0; feature < 8; ++feature) {
      sum += number_at(*trace, N, {0, row, feature});
      squares += std::pow(number_at(*trace, N, {0, row, feature}), 2);
      CHECK(number_at(*trace, norm_gain, {feature}) == 1);
      CHECK(number_at(*trace, norm_bias, {feature}) == 0);
    }
    CHECK(std::abs(sum) < 1e-12);
    CHECK(squares / 8 == doctest::Approx(1).epsilon(1e-5));
  }
  CHECK(left_operand(stage_of(Q), trace->setup) == N);
  const Setup rms = normed(NormKind::rms);
  CHECK_FALSE(exists(norm_bias, rms));
  CHECK(exists(norm_bias, with_number(rms, {norm_bias, {2}}, 0.5)));
  CHECK_FALSE(exists(N, Setup{}));
}

TEST_CASE("in cross-attention queries are made from the norm, and Y is projected as it is") {
  Setup setup = with_source(normed(NormKind::rms), Source::cross);
  CHECK(left_operand(stage_of(Q), setup) == N);
  CHECK(left_operand(stage_of(K), setup) == Y);
  CHECK(left_operand(stage_of(V), setup) == Y);
}

TEST_CASE("gains are one unless they are drawn or given, and zero where zeros are drawn") {
  Setup setup = normed(NormKind::rms);
  const auto gain = [](const Setup& of) { return (*compute_trace(of))[norm_gain].at({3}); };
  CHECK(gain(with_number(setup, {norm_gain, {2}}, 0.5)) == 1);
  CHECK(gain(with_number(setup, {norm_gain, {3}}, 0.5)) == 0.5);
  setup.random.draws.push_back(*parse_draw("norm_gain zeros"));
  CHECK(gain(setup) == 0);
  CHECK(text_of(norm_gain, normed(NormKind::rms)).title == "Ones");
  const auto trace = compute_trace(normed(NormKind::rms));
  CHECK(explain(*trace, {norm_gain, {1}}).formula == "norm_gain is not drawn, so it is one");
  Engine engine;
  engine.compute(normed(NormKind::rms));
  CHECK((*engine.compute(setup))[norm_gain].at({3}) == 0);
  CHECK((*engine.compute(normed(NormKind::rms)))[norm_gain].at({3}) == 1);
}

TEST_CASE("a cell of a norm is explained by the mean and spread of its row, its gain and its shift") {
  const auto layer = compute_trace(normed(NormKind::layer));
  const Explanation cell = explain(*layer, {N, {0, 1, 2}});
  CHECK(cell.formula == "N[b,i,c] = (X[b,i,c] − mean) / spread · norm_gain[c] + norm_bias[c]");
  CHECK(cell.note.starts_with("the row of 8 numbers has the mean "));
  REQUIRE(cell.terms.size() == 2);
  CHECK(cell.terms[0].factors[0].name() == "(X[0,1,2] − mean) / spread");
  CHECK(cell.terms[0].factors[1].name() == "norm_gain[2]");
  CHECK(cell.terms[1].factors[0].name() == "norm_bias[2]");
  CHECK(cell.goes_into.front().label == "Q[0,1,:]");

  Setup setup = small_setup();
  setup.attention.qk_norm = true;
  const Explanation query = explain(*compute_trace(setup), {Q_normed, {0, 1, 2, 3}});
  CHECK(query.formula == "Q_normed[b,h,i,d] = Q_heads[b,h,i,d] / rms · q_gain[d]");
  CHECK(query.note.starts_with("the root mean square of the row of 4 numbers is "));
  REQUIRE(query.terms.size() == 1);
  CHECK(query.terms[0].factors[1].name() == "1/rms");
  CHECK(explain(*layer, {X, {0, 1, 2}}).goes_into.front().label == "N[0,1,:]");
  setup.attention.qk_norm_over = NormSpan::heads;
  const auto joint = compute_trace(setup);
  CHECK(
      explain(*joint, {Q_normed, {0, 1, 2, 3}}).note.starts_with("the root mean square of all heads at this position"));
  CHECK(explain(*joint, {Q_heads, {0, 1, 2, 3}}).goes_into.front().label == "Q_normed[0,:,2,:]");
  CHECK(explain(*joint, {q_head_gains, {1, 3}}).goes_into.front().label == "Q_normed[0,1,:,3]");
}

TEST_CASE("the gradients of norms are those of the loss when a number moves a little") {
  for (const NormSpan over : {NormSpan::head, NormSpan::heads}) {
    Setup setup = learning_setup();
    setup.norm = {.kind = over == NormSpan::head ? NormKind::layer : NormKind::rms, .epsilon = 0.01};
    setup.attention.qk_norm = true;
    setup.attention.qk_norm_over = over;
    setup.attention.soft_cap = 0.8;
    setup.mask.kinds = {MaskKind::causal};
    const ModelTrace model = compute_model(setup);
    const Trace* const trace = &model.first();
    for (const TensorId id : {N, norm_gain, norm_bias, Q_heads, K_heads, Q_normed, q_gain, q_head_gains, scores, X}) {
      if (!exists(id, setup)) continue;
      Shape index = shape(id, setup);
      for (int axis = 0; axis < index.rank(); ++axis) index[axis] = index[axis] / 2;
      const Cell cell{id, index};
      const double step = 1e-5, number = trace->value(cell);
      const double slope = (loss_with(model, cell, number + step) - loss_with(model, cell, number - step)) / (2 * step);
      INFO(to_string(cell));
      CHECK(trace->value({gradient_of(id), index}) == doctest::Approx(slope).epsilon(1e-5));
    }
    const auto learned = learned_tensors(setup);
    CHECK(std::ranges::count(learned, norm_gain) == 1);
    CHECK(std::ranges::count(learned, over == NormSpan::head ? k_gain : k_head_gains) == 1);
  }
}

TEST_CASE("a norm that is switched off takes its gains with it") {
  Setup setup = with_number(normed(NormKind::layer), {norm_gain, {2}}, 0.5);
  setup.random.draws.push_back(*parse_draw("norm_bias normal"));
  setup.attention.qk_norm = true;
  setup = with_number(setup, {q_gain, {1}}, 3);
  REQUIRE(problems(setup).empty());
  const Setup off = setup_entry("norm.kind")->with(setup, "none").owner.value();
  CHECK(problems(off).empty());
  CHECK_FALSE(off.fills(norm_gain));
  CHECK_FALSE(off.fills(norm_bias));
  CHECK(off.fills(q_gain));
  const Setup joint = setup_entry("attention.qk_norm_over")->with(setup, "heads").owner.value();
  CHECK(problems(joint).empty());
  CHECK_FALSE(joint.fills(q_gain));
  CHECK(joint.fills(norm_gain));
  CHECK_FALSE(setup_entry("attention.qk_norm")->with(setup, false).owner.value().fills(q_gain));
}

TEST_CASE("gains without their norm are refused, with what would give them one") {
  const auto draws = [](const char* text) {
    return refusal([&](Setup& s) { s.random.draws = {SeedDraw{0}, *parse_draw(text)}; });
  };
  CHECK(draws("norm_gain normal") ==
        "random.draws[1]: found norm_gain normal; allowed: norm_gain only with norm.kind = "
        "\"layer\" or \"rms\"");
  CHECK(draws("k_gain normal") ==
        "random.draws[1]: found k_gain normal; allowed: k_gain only with attention.qk_norm = "
        "true and attention.qk_norm_over = \"head\"");
  CHECK(refusal([](Setup& s) { s.values.set(q_head_gains, *parse_array_part("[0, 0]"), GivenNumbers::single(1)); }) ==
        "values.\"q_head_gains[0,0]\": found a value; allowed: q_head_gains only with attention.qk_norm = true and "
        "attention.qk_norm_over = \"heads\"");
}

TEST_CASE("heads, output and Y have their own widths, and what depends on them fits") {
  Setup setup = small_setup();
  setup.sizes = {.batch = 2, .query_length = 3, .key_length = 5, .d_model = 7, .heads = 4, .kv_heads = 2};
  setup.attention.source = Source::cross;
  setup.sizes.d_head = 3;
  setup.sizes.d_out = 5;
  setup.sizes.d_source = 6;
  CHECK(problems(setup).empty());
  CHECK(shape(W_q, setup) == Shape{7, 12});
  CHECK(shape(W_k, setup) == Shape{6, 6});
  CHECK(shape(Y, setup) == Shape{2, 5, 6});
  CHECK(shape(W_o, setup) == Shape{12, 5});
  CHECK(shape(b_o, setup) == Shape{5});
  CHECK(shape(output, setup) == Shape{2, 3, 5});
  const auto trace = compute_trace(setup);
  CHECK(explain(*trace, {K, {1, 4, 2}}).terms.size() == 7);  // six features, and the bias
  CHECK(explain(*trace, {output, {1, 2, 3}}).terms.size() == 13);
  CHECK(label_on_axis(output, 2, 4, setup).index == "d4");
}

TEST_CASE("what cannot be as wide is refused by name") {
  CHECK(refusal([](Setup& s) { s.sizes.d_source = 6; }) ==
        "sizes.d_source: found 6; allowed: sizes.d_model = 8, or left out, in self-attention: keys and values come "
        "from X");
  CHECK(refusal([](Setup& s) {
          s.attention.source = Source::cross;
          s.sizes.d_source = 6;
          s.position.encoding = Encoding::sinusoidal;
        }) ==
        "sizes.d_source: found 6; allowed: sizes.d_model = 8 with position.encoding = \"sinusoidal\": P is added to X "
        "and to Y");
  CHECK(refusal([](Setup& s) {
          s.sizes.d_head = 3;
          s.random.generator = GeneratorKind::torch;
          s.random.draws = {SeedDraw{0}, *parse_draw("W_qkv xavier_uniform")};
        }).ends_with("W_qkv only where sizes.d_source and heads · d_head are d_model, as in nn.MultiheadAttention"));
  Setup task = learning_setup();
  task.sizes.d_out = 3;
  CHECK(problems(task).front().message() ==
        "task.symbols: found 4; allowed: at most 3: the answers need 4 features of "
        "the output, and sizes.d_out = 3");
  task.sizes.d_out = 4;
  CHECK(problems(task).empty());
}

TEST_CASE("heads with a width of their own need not divide d_model, and share it again at its share") {
  const auto with = [](const Setup& setup, const char* name, const char* value) {
    return setup_entry(name)->with(setup, value).owner.value();
  };
  const Setup wide = with(small_setup(), "sizes.d_head", "5");
  CHECK(wide.sizes.d_head == 5);
  CHECK(with(wide, "sizes.heads", "3").sizes.heads == 3);
  CHECK(with(wide, "sizes.d_model", "7").sizes.heads == 2);
  CHECK(setup_entry("sizes.heads")->control(wide).only.empty());
  CHECK_FALSE(with(wide, "sizes.d_head", "4").sizes.d_head);  // 8 / 2
  CHECK(with(with(wide, "sizes.heads", "3"), "sizes.d_head", "4").sizes.d_head == 4);
  Setup cross = with_source(small_setup(), Source::cross);
  cross.sizes.d_source = 6;
  CHECK_FALSE(with_source(cross, Source::self).sizes.d_source);
  CHECK_FALSE(with_encoding(cross, Encoding::one_hot).sizes.d_source);
  CHECK(with_encoding(cross, Encoding::alibi).sizes.d_source == 6);
}

TEST_CASE("setups without norms and widths of their own are as they were") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Setup plain = random_setup(seed);
    plain.norm = {};
    plain.attention.qk_norm = false;
    plain.attention.soft_cap = 0;
    plain.sizes.d_out.reset();
    plain.sizes.d_source.reset();
    plain.sizes.d_head.reset();
    plain.sizes.d_model = plain.sizes.heads * 4;
    std::erase_if(plain.random.draws, [](const Draw& draw) {
      return to_string(draw).find("gain") != std::string::npos || to_string(draw).find("norm") == 0;
    });
    REQUIRE(problems(plain).empty());
    Setup explicitly = plain;
    explicitly.sizes.d_head = 4;
    explicitly.sizes.d_out = plain.sizes.d_model;
    explicitly.norm.epsilon = 0.5;
    explicitly.attention.qk_norm_over = NormSpan::heads;
    const auto a = compute_trace(plain), b = compute_trace(explicitly);
    for (const TensorInfo& tensor : all_tensors()) {
      CHECK(a->has(tensor.id) == b->has(tensor.id));
      if (a->has(tensor.id)) CHECK(identical((*a)[tensor.id].contiguous(), (*b)[tensor.id].contiguous()));
    }
  }
}

TEST_CASE("scores approach a soft cap and never pass it") {
  Setup setup = small_setup();
  setup.attention.soft_cap = 0.5;
  const auto trace = compute_trace(setup);
  for (Index key = 0; key < 4; ++key) {
    const double score = number_at(*trace, scores, {0, 1, 2, key}),
                 capped = number_at(*trace, capped_scores, {0, 1, 2, key});
    CHECK(capped == doctest::Approx(0.5 * std::tanh(score / 0.5)).epsilon(1e-14));
    CHECK(std::abs(capped) <= 0.5);
  }
  CHECK(left_operand(stage_of(masked_scores), setup) == capped_scores);
  CHECK(row_of(scores, setup) == weights);
}
