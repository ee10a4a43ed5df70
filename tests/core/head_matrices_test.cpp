#include <doctest/doctest.h>

#include "core/engine/engine.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// Two query heads share a key head, and weights are drawn as (out, in).
Setup setup_with_features() {
  Setup setup;
  setup.sizes = {.batch = 2, .query_length = 3, .key_length = {}, .d_model = 8, .heads = 4, .kv_heads = 2};
  setup.attention.weight_layout = WeightLayout::out_in;
  setup.random.draws = draws({"seed 3", "X normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal"});
  setup.features = {"a", "b", "c", "d", "e", "f", "g", "h"};
  return setup;
}

/// Σ_fg a[item, i, f] · matrix[head, f, g] · b[g]
template <class Right>
double through(const Trace& trace, TensorId matrix, Index item, Index row, Index head, Right&& right) {
  double sum = 0;
  for (Index f = 0; f < 8; ++f)
    for (Index g = 0; g < 8; ++g)
      sum += trace[TensorId::X].at({item, row, f}) * trace[matrix].at({head, f, g}) * right(g);
  return sum;
}

}  // namespace

TEST_CASE("what a head asks for makes its dot products, and what it writes its output") {
  const auto trace = compute_trace(setup_with_features());
  for (Index item = 0; item < 2; ++item) {
    for (Index i = 0; i < 3; ++i) {
      for (Index head = 0; head < 4; ++head) {
        for (Index j = 0; j < 3; ++j) {
          CHECK(through(*trace, TensorId::W_qk, item, i, head, [&](Index g) {
                  return (*trace)[TensorId::X].at({item, j, g});
                }) == doctest::Approx((*trace)[TensorId::dot_products].at({item, head, i, j})).epsilon(1e-12));
        }
      }
      double written = 0;  // feature 5 of the output
      for (Index head = 0; head < 4; ++head)
        for (Index j = 0; j < 3; ++j)
          written += (*trace)[TensorId::weights].at({item, head, i, j}) *
                     through(*trace, TensorId::W_vo, item, j, head, [](Index g) { return g == 5 ? 1.0 : 0.0; });
      CHECK(written == doctest::Approx((*trace)[TensorId::output].at({item, i, 5})).epsilon(1e-12));
    }
  }
}

TEST_CASE("a cell of them is explained by the columns of its head, and goes nowhere") {
  const auto trace = compute_trace(setup_with_features());
  const Explanation asked = explain(*trace, {TensorId::W_qk, {3, 1, 6}});
  REQUIRE(asked.terms.size() == 2);
  CHECK(asked.terms[0].factors[0].name() == "W_q[1,6]");
  CHECK(asked.terms[1].factors[1].name() == "W_k[6,3]");  // key head 1
  CHECK(asked.formula == "W_qk[h,f,g] = Σ_d W_q[f, h·d_head + d] · W_k[g, h // (heads/kv_heads)·d_head + d]");
  CHECK(asked.goes_into.empty());
  const Explanation written = explain(*trace, {TensorId::W_vo, {2, 0, 7}});
  REQUIRE(written.terms.size() == 2);
  CHECK(written.terms[1].factors[0].name() == "W_v[0,3]");
  CHECK(written.terms[1].factors[1].name() == "W_o[5,7]");
}

TEST_CASE("with rotary positions an explanation says when what a head asks for holds") {
  Setup setup = setup_with_features();
  CHECK(explain(*compute_trace(setup), {TensorId::W_qk, {0, 0, 0}}).note.empty());
  setup.position.encoding = Encoding::rotary;
  CHECK(explain(*compute_trace(setup), {TensorId::W_qk, {0, 0, 0}}).note ==
        "before the rotation: as for a query and a key at the same position");
}

TEST_CASE("features with names have them, and nobody else pays for them") {
  Setup setup = setup_with_features();
  CHECK(exists(TensorId::W_qk, setup));
  setup.features.clear();
  CHECK_FALSE(exists(TensorId::W_qk, setup));
  CHECK_FALSE(compute_trace(setup)->has(TensorId::W_vo));
  CHECK(exists(TensorId::W_vo, learning_setup()));
  Setup large = learning_setup();
  large.sizes.d_model = 1024;
  large.sizes.heads = 16;
  CHECK_FALSE(exists(TensorId::W_qk, large));
  CHECK_FALSE(exists(gradient_of(TensorId::X), setup));
}

TEST_CASE("they follow the weights and the heads, and nothing else") {
  Engine engine;
  Setup setup = setup_with_features();
  engine.compute(setup);
  setup.attention.temperature = 2;
  engine.compute(setup);
  CHECK(std::ranges::count(engine.recomputed(), TensorId::W_qk) == 0);
  setup.sizes.heads = 2;
  const auto trace = engine.compute(setup);
  CHECK(std::ranges::count(engine.recomputed(), TensorId::W_qk) == 1);
  CHECK(identical((*trace)[TensorId::W_qk], (*compute_trace(setup))[TensorId::W_qk]));
}

TEST_CASE("a task names its features") {
  Setup setup = learning_setup();  // symbols a to d
  setup.position.encoding = Encoding::one_hot;
  CHECK(setup.feature_label(0) == "a");
  CHECK(setup.feature_label(3) == "d");
  CHECK(setup.feature_label(4) == "4");
  CHECK(setup.feature_label(5) == "pos 0");
  setup.task = {.name = TaskName::lookup, .symbols = 3, .seed = 0};
  CHECK(setup.feature_label(2) == "c");
  CHECK(setup.feature_label(3) == "= a");
  setup.features = std::vector<std::string>(8, "mine");
  CHECK(setup.feature_label(3) == "mine");
  CHECK(symbol_word(26) == "s26");
}
