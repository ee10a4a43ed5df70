#include <doctest/doctest.h>

#include "core/model/setup.hpp"
#include "core/stages/memory.hpp"

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
