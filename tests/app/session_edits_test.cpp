#include <doctest/doctest.h>

#include "../core/setups.hpp"
#include "core/setup/changes.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "core/setup/validity.hpp"

using namespace headlight;
using headlight::testing::draws;
using headlight::testing::everything;
using headlight::testing::small_setup;

namespace {

std::vector<std::string> texts(const Setup& setup) {
  std::vector<std::string> list;
  for (const Draw& draw : setup.random.draws) list.push_back(to_string(draw));
  return list;
}

Setup with_draws(const std::vector<std::string>& list, GeneratorKind generator = GeneratorKind::numpy) {
  Setup setup;
  setup.random = {generator, draws(list)};
  return setup;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("divisors come in order") {
  CHECK(divisors(1) == std::vector<Index>{1});
  CHECK(divisors(12) == std::vector<Index>{1, 2, 3, 4, 6, 12});
  CHECK(divisors(16) == std::vector<Index>{1, 2, 4, 8, 16});
  CHECK(divisors(13) == std::vector<Index>{1, 13});
}

TEST_CASE("heads snap to a divisor of d_model in the direction of the edit") {
  Setup setup;  // d_model 8, 2 heads
  CHECK(with_heads(setup, 3).sizes.heads == 4);
  setup.sizes.heads = 8;
  CHECK(with_heads(setup, 7).sizes.heads == 4);
  CHECK(with_heads(setup, 100).sizes.heads == 8);
  CHECK(with_heads(setup, 0).sizes.heads == 1);
  CHECK(with_d_model(setup, 12).sizes.heads == 6);
  CHECK(with_d_model(setup, 16).sizes.heads == 8);
}

TEST_CASE("kv_heads follow heads unless they were chosen") {
  Setup setup;
  setup.sizes.heads = 4;
  CHECK(with_heads(setup, 8).kv_heads() == 8);
  setup.sizes.kv_heads = 4;
  CHECK(with_heads(setup, 8).kv_heads() == 8);
  setup.sizes.kv_heads = 2;
  CHECK(with_heads(setup, 8).kv_heads() == 2);
  CHECK(with_heads(setup, 1).kv_heads() == 1);
  Sizes sizes = setup.sizes;
  sizes.kv_heads = 3;
  CHECK(resized(setup, sizes).kv_heads() == 4);
  sizes.kv_heads = 1;
  CHECK(resized(setup, sizes).kv_heads() == 1);
}

TEST_CASE("labels, lengths and painted cells follow the sizes") {
  Setup setup = small_setup();
  setup.tokens = {"The", "cat", "sat", "down"};
  setup.mask = {
      .kinds = {MaskKind::padding, MaskKind::custom}, .valid_lengths = {4}, .window = 1, .blocked = {{0, 3}, {1, 1}}};
  const Setup shorter = with_query_length(setup, 3);
  CHECK(problems(shorter).empty());
  CHECK(shorter.tokens == Texts{"The", "cat", "sat"});
  CHECK(shorter.mask.valid_lengths == std::vector<Index>{3});
  CHECK(shorter.mask.blocked == std::vector<std::pair<Index, Index>>{{1, 1}});
  Sizes sizes = setup.sizes;
  sizes.query_length = 6;
  sizes.batch = 3;
  const Setup longer = resized(setup, sizes);
  CHECK(problems(longer).empty());
  CHECK(longer.tokens == Texts{"The", "cat", "sat", "down", "4", "5"});
  CHECK(longer.mask.valid_lengths == std::vector<Index>{4, 4, 4});
}

TEST_CASE("sizes beyond any machine are handed on at once, for the engine to refuse") {
  Setup setup = small_setup();
  setup.tokens = {"The", "cat", "sat", "down"};
  setup = with_mask_kind(setup, MaskKind::padding, true);
  Sizes sizes = setup.sizes;
  sizes.query_length = std::numeric_limits<Index>::max();
  sizes.batch = 1'000'000'000;
  const Setup absurd = resized(setup, sizes);
  CHECK(absurd.sizes.batch == 1'000'000'000);
  CHECK(absurd.tokens.empty());
  CHECK(problems(absurd).empty());
}

TEST_CASE("draws per head follow the heads") {
  Setup setup = with_draws(
      {"seed 0", "X normal", "W_q[0] normal", "b_q[0] uniform", "W_q[1] normal", "b_q[1] uniform", "W_o normal"});
  CHECK(texts(with_heads(setup, 1)) == Texts{"seed 0", "X normal", "W_q[0] normal", "b_q[0] uniform", "W_o normal"});
  const Setup four = with_heads(setup, 4);
  CHECK(problems(four).empty());
  CHECK(texts(four) == Texts{"seed 0", "X normal", "W_q[0] normal", "b_q[0] uniform", "W_q[1] normal", "b_q[1] uniform",
                             "W_o normal", "W_q[2] normal", "b_q[2] uniform", "W_q[3] normal", "b_q[3] uniform"});
  CHECK(with_heads(four, 2) == setup);
}

TEST_CASE("a head that was left at zero stays so") {
  const Setup setup = with_draws({"seed 0", "W_q[0] normal"});
  CHECK(fitted(setup) == setup);
  CHECK(texts(with_heads(setup, 4)) == texts(setup));
}

TEST_CASE("a sentence gives the tokens and the length") {
  const Setup setup = with_sentence(small_setup(), "  six words\tare   better here\n");
  CHECK(setup.tokens == Texts{"six", "words", "are", "better", "here"});
  CHECK(setup.sizes.query_length == 5);
  CHECK(problems(setup).empty());
  CHECK(sentence(setup.tokens) == "six words are better here");
  const Setup wordless = with_sentence(setup, "   ");
  CHECK(wordless.tokens.empty());
  CHECK(wordless.sizes.query_length == 5);
  CHECK(with_key_sentence(setup, "one two").sizes.query_length == 2);
  const Setup cross = with_key_sentence(with_source(setup, Source::cross), "one two");
  CHECK(cross.key_length() == 2);
  CHECK(cross.sizes.query_length == 5);
  CHECK(problems(cross).empty());
}

TEST_CASE("tokens are added and named one by one") {
  const Setup setup = small_setup();
  const Setup named = with_token(setup, 1, "cat");
  CHECK(named.tokens == Texts{"0", "cat", "2", "3"});
  const Setup longer = with_added_tokens(named, {{"end"}, {"again"}});
  CHECK(longer.tokens == Texts{"0", "cat", "2", "3", "end", "again"});
  CHECK(problems(longer).empty());
  CHECK(with_token(setup, 4, "outside") == setup);
}

TEST_CASE("cross-attention brings Y last, and self-attention takes it away again") {
  const Setup setup = small_setup();
  const Setup cross = with_source(setup, Source::cross);
  CHECK(problems(cross).empty());
  CHECK(cross.key_length() == 4);
  CHECK(texts(cross).back() == "Y normal");
  CHECK(with_source(cross, Source::self) == setup);
  CHECK(with_source(cross, Source::cross) == cross);
}

TEST_CASE("the first seed is edited in its place") {
  const Setup setup = with_draws({"seed 3", "X normal", "seed 0", "W_q normal"});
  CHECK(first_seed(setup) == 3);
  CHECK(texts(with_seed(setup, 7)) == Texts{"seed 7", "X normal", "seed 0", "W_q normal"});
  CHECK_FALSE(first_seed(Setup{}).has_value());
  CHECK(texts(with_seed(with_draws({"X zeros"}), 5)) == Texts{"seed 5", "X zeros"});
}

TEST_CASE("a distribution changes all draws of its tensor in their places") {
  const Setup setup = with_draws({"seed 0", "W_q[0] normal", "X normal", "W_q[1] normal"});
  CHECK(distribution_of(setup, TensorId::W_q) == Distribution::normal);
  CHECK_FALSE(distribution_of(setup, TensorId::W_v).has_value());
  CHECK(texts(with_distribution(setup, TensorId::W_q, Distribution::uniform)) ==
        Texts{"seed 0", "W_q[0] uniform", "X normal", "W_q[1] uniform"});
  CHECK(texts(with_distribution(Setup{}, TensorId::X, Distribution::normal)) == Texts{"seed 0", "X normal"});
  CHECK(texts(with_distribution(Setup{}, TensorId::X, Distribution::zeros)) == Texts{"X zeros"});
}

TEST_CASE("the packed in-projection is taken apart when one of its parts changes") {
  const Setup setup = with_draws({"seed 0", "W_o linear", "W_qkv xavier_uniform"}, GeneratorKind::torch);
  CHECK(distribution_of(setup, TensorId::W_k) == Distribution::xavier_uniform);
  CHECK(with_distribution(setup, TensorId::W_k, Distribution::xavier_uniform) == setup);
  CHECK(texts(with_distribution(setup, TensorId::W_k, Distribution::normal)) ==
        Texts{"seed 0", "W_o linear", "W_q xavier_uniform", "W_k normal", "W_v xavier_uniform"});
  const Setup all = *setup_entry("W")->with(setup, "uniform").owner;
  CHECK(texts(all) == Texts{"seed 0", "W_o uniform", "W_q uniform", "W_k uniform", "W_v uniform"});
  CHECK(problems(all).empty());
}

TEST_CASE("NumPy draws what PyTorch alone has as uniform") {
  const Setup torch = with_draws({"seed -1", "X uniform", "W_o linear", "W_qkv xavier_uniform"}, GeneratorKind::torch);
  const Setup numpy = with_generator(torch, GeneratorKind::numpy);
  CHECK(problems(numpy).empty());
  CHECK(texts(numpy) == Texts{"seed 4294967295", "X uniform", "W_o uniform", "W_q uniform", "W_k uniform",
                              "W_v uniform", "b_o uniform"});
  CHECK(has_biases(torch) == has_biases(numpy));
  const Setup rng = with_generator(torch, GeneratorKind::numpy_rng);
  CHECK(problems(rng).empty());
  CHECK(texts(rng) == texts(numpy));
  Setup large = with_seed(rng, std::int64_t{1} << 40);
  CHECK(first_seed(with_generator(large, GeneratorKind::numpy_rng)) == std::int64_t{1} << 40);
  CHECK(first_seed(with_generator(large, GeneratorKind::numpy)) == 0);
  CHECK(with_generator(small_setup(), GeneratorKind::torch).random.draws == small_setup().random.draws);
}

TEST_CASE("biases are drawn last, so that nothing else changes, and go without a trace") {
  const Setup setup = with_draws({"seed 0", "X normal", "W_q normal", "W_k uniform", "W_v normal", "W_o normal"});
  CHECK_FALSE(has_biases(setup));
  const Setup biased = with_biases(setup, true);
  CHECK(has_biases(biased));
  CHECK(texts(biased) == Texts{"seed 0", "X normal", "W_q normal", "W_k uniform", "W_v normal", "W_o normal",
                               "b_q normal", "b_k uniform", "b_v normal", "b_o normal"});
  CHECK(with_biases(biased, false) == setup);
  CHECK(with_biases(biased, true) == biased);
  CHECK(problems(with_biases(Setup{}, true)).empty());
}

TEST_CASE("biases that nn.Linear draws are zeroed, so that what follows keeps its numbers") {
  const Setup setup =
      with_draws({"seed 0", "W_q linear", "W_k linear", "W_v linear", "W_o linear"}, GeneratorKind::torch);
  CHECK(has_biases(setup));
  const Setup without = with_biases(setup, false);
  CHECK_FALSE(has_biases(without));
  CHECK(texts(without) == Texts{"seed 0", "W_q linear", "W_k linear", "W_v linear", "W_o linear", "b_q zeros",
                                "b_k zeros", "b_v zeros", "b_o zeros"});
  CHECK(with_biases(without, true) == setup);
}

TEST_CASE("mask kinds are kept in order and start where they show something") {
  Setup setup = small_setup();
  setup = with_mask_kind(with_mask_kind(setup, MaskKind::window, true), MaskKind::causal, true);
  CHECK(setup.mask.kinds == std::vector{MaskKind::causal, MaskKind::window});
  setup = with_mask_kind(setup, MaskKind::padding, true);
  CHECK(setup.mask.valid_lengths == std::vector<Index>{3});
  CHECK(problems(setup).empty());
  CHECK(with_mask_kind(setup, MaskKind::padding, true) == setup);
  CHECK(without_mask(setup).mask.kinds.empty());
  CHECK(without_mask(setup).mask.valid_lengths == setup.mask.valid_lengths);
}

TEST_CASE("a painted cell is hidden once and shown again") {
  const Setup setup = small_setup();
  Setup painted = with_blocked(setup, 1, 2, true);
  CHECK(painted.mask.kinds == std::vector{MaskKind::custom});
  CHECK(is_blocked(painted, 1, 2));
  CHECK(with_blocked(painted, 1, 2, true) == painted);
  CHECK_FALSE(is_blocked(with_blocked(painted, 1, 2, false), 1, 2));
  CHECK(problems(with_blocked(setup, 40, 2, true)).empty());
}

TEST_CASE("a learned P brings its draw and the seed that it needs, and leaves nothing behind") {
  const Setup learned = with_encoding(Setup{}, Encoding::learned);
  CHECK(texts(learned) == Texts{"seed 0", "P normal"});
  CHECK(problems(learned).empty());
  Setup given = learned;
  given.values.set(TensorId::P, *parse_array_part("[0, 0]"), GivenNumbers::single(1));
  const Setup after = with_encoding(given, Encoding::rotary);
  CHECK(texts(after) == Texts{"seed 0"});
  CHECK(after.values.empty());
  CHECK(problems(after).empty());
  CHECK(with_encoding(learned, Encoding::learned) == learned);
}

TEST_CASE("ablated heads stay in order, and go with the heads") {
  Setup setup;
  setup.sizes.heads = 8;
  for (const Index head : {5, 0, 5}) setup = with_ablated(setup, head, true);
  CHECK(setup.attention.ablated_heads == std::vector<LayerHead>{0, 5});
  CHECK(with_ablated(setup, 0, false).attention.ablated_heads == std::vector<LayerHead>{5});
  CHECK(with_heads(setup, 4).attention.ablated_heads == std::vector<LayerHead>{0});
}

TEST_CASE("dropout brings the seed that it needs") {
  CHECK(problems(with_dropout(Setup{}, 0.5)).empty());
  CHECK(with_dropout(small_setup(), 0.5).random == small_setup().random);
}

TEST_CASE("changes name the keys whose meaning differs") {
  const Setup lecture = small_setup();
  CHECK(changes(lecture, lecture).empty());
  Setup own = lecture;
  own.sizes.kv_heads = own.sizes.heads;  // written out, but the value is the default
  CHECK(changes(lecture, own).empty());
  own.title = "Mine";
  own.attention.scale = NoScale{};
  own.attention.temperature = 0.25;
  own.mask.kinds = {MaskKind::causal, MaskKind::window};
  own = with_distribution(with_seed(own, 5), TensorId::W_o, Distribution::uniform);
  CHECK(changes(lecture, own) == std::vector<Change>{
                                     {"title", "", "Mine", false},
                                     {"attention.scale", "inverse_sqrt_d_head", "none", true},
                                     {"attention.temperature", "1", "0.25", true},
                                     {"mask.kinds", "none", "causal, window", true},
                                     {"random.draws[0]", "seed 0", "seed 5", true},
                                     {"random.draws[8]", "W_o normal", "W_o uniform", true},
                                 });
  own.random.draws.pop_back();
  CHECK(changes(lecture, own).back().key == "random.draws");
}

TEST_CASE("every key of a setup is a change where it differs, in the order of the file, and is taken back") {
  std::vector<std::string_view> keys;
  for (const SetupKey& key : setup_keys())
    if (!key.same(Setup{}, everything())) keys.push_back(key.name);  // a task does not fit beside all the others
  std::vector<std::string> found;
  Setup own = everything();
  for (const Change& change : changes(Setup{}, everything())) {
    found.push_back(change.key);
    own = with_key_of(Setup{}, own, change.key);
  }
  CHECK(std::equal(found.begin(), found.end(), keys.begin(), keys.end()));
  CHECK(own == Setup{});
}

TEST_CASE("what follows from another key is no change of its own") {
  CHECK(changes(small_setup(), with_heads(small_setup(), 4)) == std::vector<Change>{{"sizes.heads", "2", "4", true}});
}

TEST_CASE("taking every changed key back one by one gives the lecture's setup") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Setup lecture = headlight::testing::random_setup(seed);
    Setup own = headlight::testing::random_setup(seed + 1000);
    own.title = "Mine";
    own.tokens = {"a"};
    // Two passes: taking back one key may change the default of another key that the file leaves out.
    for (int pass = 0; pass < 2; ++pass) {
      for (const Change& change : changes(lecture, own)) own = with_key_of(lecture, own, change.key);
    }
    CHECK(changes(lecture, own).empty());
  }
  const Setup setup = small_setup();
  CHECK(with_key_of(Setup{}, setup, "no.such.key") == setup);
  CHECK(with_key_of(small_setup(), setup, "random.draws[99]") == setup);
  CHECK(with_key_of(small_setup(), setup, "random.draws[x]") == setup);
}
