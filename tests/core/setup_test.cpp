#include <doctest/doctest.h>

#include <cmath>

#include "core/model/setup.hpp"
#include "core/setup/validity.hpp"
#include "core/stages/graph.hpp"

using namespace headlight;

TEST_CASE("a setup of defaults is valid") { CHECK(problems(Setup{}).empty()); }

TEST_CASE("every problem of a setup is named at once") {
  Setup setup;
  setup.sizes.heads = 3;
  setup.sizes.batch = -1;
  setup.attention.temperature = 0;
  const auto found = problems(setup, "lesson.toml");
  REQUIRE(found.size() == 3);
  CHECK(found[0].message() == "lesson.toml: sizes.batch: found -1; allowed: a whole number from 1 to 1000000000");
  CHECK(found[1].message() == "lesson.toml: sizes.heads: found 3; allowed: a divisor of sizes.d_model = 8");
  CHECK(found[2].key == "attention.temperature");
}

TEST_CASE("a problem is one line without control characters, whatever was found") {
  const Problem problem{"lesson.toml", "title", "\"a\nb\x1B[2J\"", std::string("text without ") + '\0'};
  CHECK(problem.message() == R"(lesson.toml: title: found "a\u000Ab\u001B[2J"; allowed: text without \u0000)");
  CHECK(InputError(std::vector{problem, problem}).what() == problem.message() + '\n' + problem.message());
}

TEST_CASE("each generator takes its own seeds, and only PyTorch's knows nn.Linear") {
  const auto allowed = [](GeneratorKind generator, const char* draw) {
    Setup setup;
    setup.random.generator = generator;
    setup.random.draws = {SeedDraw{0}, *parse_draw(draw)};
    const auto found = problems(setup);
    return found.empty() ? std::string("allowed") : found.at(0).allowed;
  };
  CHECK(allowed(GeneratorKind::numpy, "seed 4294967295") == "allowed");
  CHECK(allowed(GeneratorKind::numpy, "seed 4294967296") == "a seed from 0 to 4294967295 with the numpy generator");
  CHECK(allowed(GeneratorKind::numpy_rng, "seed 9223372036854775807") == "allowed");
  CHECK(allowed(GeneratorKind::numpy_rng, "seed -1") == "a seed of at least 0 with the numpy_rng generator");
  CHECK(allowed(GeneratorKind::torch, "seed -1") == "allowed");
  CHECK(allowed(GeneratorKind::numpy_rng, "W_q linear") == "uniform, normal or zeros with the numpy_rng generator");
  CHECK(allowed(GeneratorKind::torch, "W_q linear") == "allowed");
}

TEST_CASE("a setup can be asked for its d_head before anybody has checked its heads") {
  const auto d_head = [](Index heads, std::optional<Index> given) {
    Setup setup;
    setup.sizes.heads = heads;
    setup.sizes.d_head = given;
    return setup.d_head();
  };
  CHECK(d_head(2, {}) == Setup{}.sizes.d_model / 2);
  CHECK(d_head(0, {}) == 0);
  CHECK(d_head(-1, {}) == 0);
  CHECK(d_head(0, 3) == 3);
}

TEST_CASE("positions and ablated heads that cannot be are refused, with what can") {
  const auto refusal = [](auto edit) {
    Setup setup;
    edit(setup);
    const auto found = problems(setup);
    REQUIRE(found.size() == 1);
    return found[0].message();
  };
  CHECK(
      refusal([](Setup& s) { s.position.encoding = Encoding::rotary, s.sizes.heads = 8; }) ==
      "position.encoding: found rotary with d_head = 1; allowed: rotary where d_head = sizes.d_model / sizes.heads is "
      "even: it turns features in pairs");
  CHECK(refusal([](Setup& s) { s.position.encoding = Encoding::one_hot, s.sizes.query_length = 9; }) ==
        "position.encoding: found one_hot for 9 positions; allowed: one_hot for at most sizes.d_model = 8 positions");
  for (const double base : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    CHECK(refusal([&](Setup& s) { s.position.base = base; }).starts_with("position.base: found "));
    CHECK(refusal([&](Setup& s) { s.position.base = base; }).ends_with("a finite number above 0, from 1e-100 on"));
  }
  CHECK(refusal([](Setup& s) { s.attention.ablated_heads = {0, 2}; }) ==
        "attention.ablated_heads[1]: found 2; allowed: a head from 0 to 1");
  CHECK(refusal([](Setup& s) { s.attention.ablated_heads = {-1}; }) ==
        "attention.ablated_heads[0]: found -1; allowed: a head from 0 to 1");
  CHECK(refusal([](Setup& s) { s.attention.ablated_heads = {1, 1}; }) ==
        "attention.ablated_heads[1]: found 1; allowed: each head once");
  for (const Encoding encoding : {Encoding::none, Encoding::one_hot, Encoding::rotary}) {
    CHECK(refusal([&](Setup& s) {
            s.position.encoding = encoding;
            s.random.draws = {SeedDraw{0}, *parse_draw("P normal")};
          }) == "random.draws[1]: found P normal; allowed: P only with position.encoding = \"learned\"");
    CHECK(refusal([&](Setup& s) {
            s.position.encoding = encoding;
            s.values.set(TensorId::P, *parse_array_part("[0, 0]"), GivenNumbers::single(1));
          }) == "values.\"P[0,0]\": found a value; allowed: P only with position.encoding = \"learned\"");
  }
  CHECK(refusal([](Setup& s) {
          s.position.encoding = Encoding::learned;
          s.random.draws = {SeedDraw{0}, *parse_draw("P[0] normal")};
        }) == "random.draws[1]: found P[0] normal; allowed: P as a whole: it has no blocks per head");
}

TEST_CASE("draws read back as they were written") {
  for (const char* text :
       {"seed 0", "seed -4", "X uniform", "W_q[1] normal", "W_qkv xavier_uniform", "b_o zeros", "W_o linear"}) {
    const auto draw = parse_draw(text);
    REQUIRE_MESSAGE(draw.has_value(), text);
    CHECK(to_string(*draw) == text);
  }
  for (const char* text :
       {"", "seed", "seed x", "seed 1.5", "Q uniform", "X gaussian", "W_q[ normal", "W_q[x] normal", "X uniform "}) {
    CHECK_MESSAGE(!parse_draw(text).has_value(), text);
  }
}

TEST_CASE("ten million tokens are refused before anything is allocated, and the largest tensor is named") {
  Setup setup;
  setup.sizes.query_length = 10'000'000;
  CHECK(problems(setup).empty());
  CHECK_THROWS_WITH_AS(require_fits(setup, default_memory_limit),
                       doctest::Contains("its largest tensor is dot_products (1, 2, 10000000, 10000000)"), InputError);
}
