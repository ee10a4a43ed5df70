#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "core/engine/engine.hpp"
#include "core/generate/sampling.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// A model that writes, with random options: sizes, layers, positions, norms, MLP, window.
Setup random_writer(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned most) { return static_cast<Index>(random() % most); };
  Setup setup = offered_setup(TaskName::text);
  setup.sizes.batch = 1;
  setup.sizes.layers = 1 + below(3);
  setup.sizes.heads = below(2) == 0 ? 2 : 4;
  setup.sizes.d_model = setup.sizes.heads * 2 * (2 + below(4));
  if (below(2) == 0) setup.sizes.kv_heads = setup.sizes.heads / 2;
  setup.sizes.query_length = 5 + below(6);
  setup.attention.precision = below(2) == 0 ? Precision::float32 : Precision::float64;
  setup.attention.qk_norm = below(3) == 0;
  if (below(3) == 0) setup.attention.sink = Sink::zero;
  setup.position.encoding = std::array{Encoding::none, Encoding::learned, Encoding::sinusoidal, Encoding::rotary,
                                       Encoding::alibi}[static_cast<std::size_t>(below(5))];
  setup.norm.kind = std::array{NormKind::none, NormKind::layer, NormKind::rms}[static_cast<std::size_t>(below(3))];
  if (setup.norm.kind != NormKind::none) {
    setup.norm.placement = below(2) == 0 ? NormPlacement::before : NormPlacement::after;
    setup.norm.final = below(2) == 0;
  }
  setup.block.mlp = std::array{Mlp::none, Mlp::gelu, Mlp::silu}[static_cast<std::size_t>(below(3))];
  setup.block.gated = setup.block.mlp != Mlp::none && below(2) == 0;
  if (below(3) == 0) {
    setup.mask.kinds.push_back(MaskKind::window);
    setup.mask.window = 1 + below(3);
  }
  std::string layers = "L*: W_q normal 0.3, W_k normal 0.3, W_v normal 0.3, W_o normal 0.3";
  if (setup.block.mlp != Mlp::none) layers += ", W_in normal 0.3, W_out normal 0.3, b_in normal 0.1";
  if (setup.block.gated) layers += ", W_gate normal 0.3";
  setup.random.draws.clear();
  for (const std::string& draw : {std::string("seed 1"), std::string("W_E normal"), layers, std::string("W_U normal")})
    setup.random.draws.push_back(*parse_draw(draw));
  if (setup.position.encoding == Encoding::learned) setup.random.draws.push_back(*parse_draw("P normal"));
  require_valid(setup);
  return setup;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape())) return false;
  const auto all = [](const Tensor& tensor) {
    std::vector<double> numbers;
    const Tensor whole = tensor.contiguous();
    with_element_type(whole.precision(), [&](auto zero) {
      const auto* first = whole.data<decltype(zero)>();
      numbers.assign(first, first + whole.elements());
    });
    return numbers;
  };
  return all(a) == all(b);
}

}  // namespace

TEST_CASE("a model that writes with its cache computes what it computes anew, and what the window shows, bit for bit") {
  for (unsigned seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    Setup setup = random_writer(seed);
    setup.task.shown = {"hippopotamus"};
    setup.task.shown.front().resize(static_cast<std::size_t>(setup.sizes.query_length) - 1);
    const ModelTrace model = compute_model(setup);
    const bool has_sink = setup.attention.sink != Sink::none;  // the window adds it after the keys: other last digits
    Writer cached(model), anew(model, Cache::none);
    CHECK(cached.most() == setup.sizes.query_length);
    for (Index at = 0; at < setup.sizes.query_length; ++at) {
      CAPTURE(at);
      const std::int64_t symbol = model.first().sequences->ones[static_cast<std::size_t>(at)];
      cached.read(symbol);
      anew.read(symbol);
      REQUIRE(cached.logits() == anew.logits());
      for (Index layer = 0; layer < setup.sizes.layers; ++layer) {
        CAPTURE(layer);
        const Trace& shown = model.at(layer);
        const auto seen = [&](TensorId id) { return shown[id].selected(0, 0).narrowed(1, 0, at + 1); };
        REQUIRE(same_bits(cached.keys(layer), anew.keys(layer)));
        REQUIRE(same_bits(cached.values(layer), anew.values(layer)));
        REQUIRE((same_bits(cached.keys(layer), seen(TensorId::K_heads)) || has_sink));
        REQUIRE((same_bits(cached.values(layer), seen(TensorId::V_heads)) || has_sink));
      }
      const Tensor& logits = model.last()[TensorId::logits];
      for (std::size_t each = 0; each < cached.logits().size(); ++each)
        REQUIRE((cached.logits()[each] == logits.at({0, at, static_cast<Index>(each)}) || has_sink));
    }
    CHECK_THROWS_AS(cached.read(0), std::logic_error);
  }
}

TEST_CASE("large products have the same bits with the cache and without") {
  Setup setup = offered_setup(TaskName::text);
  setup.sizes.layers = 1;
  setup.sizes.d_model = 128;
  setup.sizes.d_mlp = 512;
  setup.block.mlp = Mlp::gelu;
  setup.sizes.query_length = 12;
  for (const char* draw : {"W_in normal 0.1", "W_out normal 0.1"}) setup.random.draws.push_back(*parse_draw(draw));
  const ModelTrace model = compute_model(setup);
  Writer cached(model), anew(model, Cache::none);
  for (Index at = 0; at < 12; ++at) {
    cached.read(at);
    anew.read(at);
    REQUIRE(cached.logits() == anew.logits());
  }
}

TEST_CASE("chances are a softmax, and top_k leaves the likeliest") {
  const std::vector<double> logits{1, 3, 3, -2};
  const std::vector<double> all = chances(logits, {});
  const double sum = std::exp(1) + 2 * std::exp(3) + std::exp(-2);
  CHECK(all[0] == doctest::Approx(std::exp(1) / sum).epsilon(1e-14));
  CHECK(all[1] == all[2]);
  CHECK(chances(logits, {.temperature = 2})[3] / chances(logits, {.temperature = 2})[0] ==
        doctest::Approx(std::exp(-1.5)).epsilon(1e-14));
  CHECK(chances(logits, {.top_k = 1}) == std::vector<double>{0, 1, 0, 0});
  CHECK(chances(logits, {.top_k = 2}) == std::vector<double>{0, 0.5, 0.5, 0});
  CHECK(chances(logits, {.temperature = 0}) == std::vector<double>{0, 1, 0, 0});
  CHECK(chances(logits, {.top_k = 9}) == all);
  CHECK(chances({-700, 700}, {.temperature = 1e-3}) == std::vector<double>{0, 1});
}

TEST_CASE("scores that are no numbers come after all others") {
  std::vector<double> logits(100, std::nan(""));
  for (std::size_t i = 0; i < logits.size(); i += 3) logits[i] = static_cast<double>(i % 7);
  CHECK(chances(logits, {.temperature = 0})[6] == 1);
  const std::vector<double> two = chances(logits, {.top_k = 2});
  CHECK(two[6] == 0.5);
  CHECK(two[27] == 0.5);
  const std::vector<double> none(100, std::nan(""));
  CHECK(symbol_at(chances(none, {}), 0.5) >= 0);
  CHECK(symbol_at(chances(none, {}), 0.5) < 100);
}

TEST_CASE("a drawn number falls on a symbol as np.searchsorted finds it") {
  CHECK(symbol_at({0.25, 0.25, 0.5}, 0) == 0);
  CHECK(symbol_at({0.25, 0.25, 0.5}, 0.25) == 1);  // side="right"
  CHECK(symbol_at({0.25, 0, 0.75}, 0.25) == 2);
  CHECK(symbol_at({0.25, 0.25, 0.5}, 0.9999) == 2);
  CHECK(symbol_at({0, 1, 0}, 0) == 1);
}

TEST_CASE("texts end at a line break, at the window or at a length, and the seed decides them") {
  Setup setup = offered_setup(TaskName::text);
  setup.training.steps = 200;
  const ModelTrace model = compute_model(setup);
  const auto texts = [&](Writing writing, std::int64_t seed) {
    Author author(model, std::move(writing), seed);
    std::vector<Written> all(30);
    std::ranges::generate(all, [&] { return author.next(); });
    return all;
  };
  const auto all = texts({}, 0);
  CHECK(std::ranges::any_of(all, [](const Written& each) { return each.end == Written::End::line_break; }));
  for (const Written& each : all) {
    CHECK(std::ranges::count(each.symbols, 0) == 0);
    CHECK(each.chances.size() == each.symbols.size() + (each.end == Written::End::line_break ? 1 : 0));
    CHECK((each.end != Written::End::window || std::ssize(each.symbols) == setup.sizes.query_length - 1));
  }
  const auto same = [](const Written& a, const Written& b) { return a.symbols == b.symbols && a.chances == b.chances; };
  CHECK(std::ranges::equal(all, texts({.cache = Cache::none}, 0), same));
  CHECK_FALSE(std::ranges::equal(all, texts({}, 1), same));
  for (const Written& each : texts({.length = 2}, 0)) CHECK(each.symbols.size() <= 2);
  const auto greedy = texts({.sampling = {.temperature = 0}}, 0);
  CHECK(std::ranges::all_of(greedy, [&](const Written& each) { return same(each, greedy.front()); }));
  CHECK_THROWS_AS(texts({.prompt = std::vector<std::int64_t>(9, 1)}, 0), InputError);
}

TEST_CASE("a text that is stepped through by hand, with the numbers of its seed, is the one that the author writes") {
  Setup setup = offered_setup(TaskName::text);
  setup.training.steps = 100;
  const ModelTrace model = compute_model(setup);
  for (const GeneratorKind kind : {GeneratorKind::torch, GeneratorKind::numpy, GeneratorKind::numpy_rng})
    CHECK(number_drawn(kind, 5, 0) != number_drawn(kind, 5, 1));
  for (const Sampling& sampling : {Sampling{}, Sampling{.temperature = 0.6, .top_k = 5}, Sampling{.temperature = 0}}) {
    const std::vector<std::int64_t> prompt{3, 1};
    const Written wanted = Author(model, {.prompt = prompt, .sampling = sampling}, 11).next();
    Writer writer(model);
    writer.read(0);
    writer.read(prompt);
    for (std::size_t i = 0; i < wanted.chances.size(); ++i) {
      const std::vector<double> now = chances(writer.logits(), sampling);
      const std::int64_t symbol =
          chosen(now, sampling, number_drawn(setup.random.generator, 11, static_cast<Index>(i)));
      CHECK(now[static_cast<std::size_t>(symbol)] == wanted.chances[i]);
      REQUIRE(symbol == (i < wanted.symbols.size() ? wanted.symbols[i] : 0));
      if (symbol != 0) writer.read(symbol);
    }
  }
}

TEST_CASE(
    "several symbols that are read at once are those that are read one by one, and the last one's weights are known") {
  Setup setup = offered_setup(TaskName::text);
  setup.task.shown = {"tiger"};
  setup.sizes.batch = 1;
  setup.training.steps = 5;
  const ModelTrace model = compute_model(setup);
  const std::vector<std::int64_t> symbols(model.first().sequences->ones.begin(),
                                          model.first().sequences->ones.begin() + 6);
  for (const Cache cache : {Cache::keys_and_values, Cache::none}) {
    Writer at_once(model, cache), one_by_one(model, cache);
    at_once.read(symbols);
    for (const std::int64_t symbol : symbols) one_by_one.read(symbol);
    CHECK(at_once.logits() == one_by_one.logits());
    CHECK(at_once.symbols() == symbols);
    for (Index layer = 0; layer < 2; ++layer) {
      const Tensor wanted = model.at(layer)[TensorId::weights].selected(0, 0).selected(1, 5).narrowed(1, 0, 6);
      CHECK(same_bits(at_once.weights(layer), wanted));
    }
    CHECK_THROWS_AS(at_once.read(symbols), std::logic_error);
  }
}

TEST_CASE("what cannot write says why") {
  const auto refusal = [](auto&& edit) -> std::string {
    Setup setup = offered_setup(TaskName::text);
    edit(setup);
    try {
      require_writer(setup);
    } catch (const InputError& error) {
      return error.problems().front().message();
    }
    return "";
  };
  CHECK(refusal([](Setup&) {}).empty());
  CHECK(refusal([](Setup& s) { s.task.name = TaskName::first; }).starts_with("task.name: found first; allowed: text"));
  CHECK(refusal([](Setup& s) { s.mask.kinds.clear(); }).starts_with("mask.kinds: found no causal; allowed: causal"));
  CHECK(refusal([](Setup& s) { s.mask.kinds.push_back(MaskKind::custom); }).starts_with("mask.kinds: found custom"));
}
