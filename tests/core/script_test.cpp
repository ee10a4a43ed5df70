#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/engine/engine.hpp"
#include "core/formats/script/draw_code.hpp"
#include "core/formats/script/script.hpp"
#include "core/model/shapes.hpp"
#include "core/text/numbers.hpp"
#include "core/training/optimizer.hpp"
#include "setups.hpp"

using namespace headlight;

namespace {

constexpr Framework frameworks[] = {Framework::numpy, Framework::torch};

Setup drawn(std::initializer_list<const char*> draws, GeneratorKind generator = GeneratorKind::numpy) {
  Setup setup;
  setup.random.generator = generator;
  for (const char* text : draws) setup.random.draws.push_back(parse_draw(text).value());
  return setup;
}

Setup plain() { return drawn({"seed 0", "X uniform", "W_q uniform", "W_k uniform", "W_v uniform", "W_o uniform"}); }

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The code of each line that contains `part`, without its comment, in order.
std::vector<std::string> code_with(const std::string& text, const std::string& part) {
  std::vector<std::string> result;
  for (const std::string& line : lines(text)) {
    const std::string code = line.substr(0, line.find("#"));
    const auto end = code.find_last_not_of(' ');
    if (contains(code, part) && end != std::string::npos) result.push_back(code.substr(0, end + 1));
  }
  return result;
}

}  // namespace

TEST_CASE("the same setup gives the same script") {
  for (Framework framework : frameworks) CHECK(script(plain(), framework) == script(plain(), framework));
}

TEST_CASE("a script holds nothing that its setup does not use") {
  for (Framework framework : frameworks) {
    const std::string text = script(plain(), framework);
    for (const char* part : {"dropout", "temperature", "kv_heads", "key_length", "def block", "arange", "sees_a_key",
                             " Y", "b_q", "zeros(d", "scale ="}) {
      CHECK_MESSAGE(!contains(text, part), part);
    }
  }
  CHECK(!contains(script(plain(), Framework::numpy), "torch"));
}

TEST_CASE("what a setup uses appears") {
  Setup setup = plain();
  setup.attention.dropout = 0.25;
  setup.attention.temperature = 3;
  setup.attention.scale = 1e-05;
  setup.sizes.kv_heads = 1;
  setup.mask.kinds = {MaskKind::window, MaskKind::causal};
  for (Framework framework : frameworks) {
    const std::string text = script(setup, framework);
    for (const char* part : {"dropout = 0.25\n", "temperature = 3.0 ", "scale = 1e-05\n", "kv_heads = 1 ",
                             "visible = window & causal\n", "dot_products * scale / temperature"}) {
      CHECK_MESSAGE(contains(text, part), part);
    }
    CHECK(contains(text, "context = dropped_weights @ "));
  }
}

TEST_CASE("a template says what the reader's own code must follow") {
  CHECK_FALSE(contains(check_script(plain(), Framework::numpy), "Settings that your code"));
  Setup setup = plain();
  setup.attention.temperature = 1.54;
  setup.mask.kinds = {MaskKind::causal};
  setup.position.encoding = Encoding::rotary;
  for (const Framework framework : frameworks) {
    const std::string text = check_script(setup, framework);
    for (const char* part : {"\ntemperature = 1.54\n", "\n# mask.kinds = ", "\n# position.encoding = rotary\n"})
      CHECK_MESSAGE(contains(text, part), part);
    CHECK_FALSE(contains(text, "precision"));
  }
}

TEST_CASE("the template of a task stops before what the reader computes") {
  const auto trace = compute_trace(plain());
  for (const Framework framework : frameworks) {
    const std::string text = practice_script(*trace, {TensorId::scores, TensorId::weights}, framework);
    CHECK(contains(text, "\ndot_products = "));
    CHECK(contains(text, "\n# scores = ..."));
    CHECK(contains(text, "\n# weights = ..."));
    for (const char* part : {"\nscores = ", "\nmasked_scores = ", "\nweights = ", "# context", "softmax"})
      CHECK_FALSE_MESSAGE(contains(text, part), part);
  }
}

TEST_CASE("Adam's constants in a script are those of the optimizer") {
  Setup setup = testing::learning_setup();
  setup.training.steps = 1;
  const std::string beta1 = float_text(adam_beta1);
  const std::string beta2 = float_text(adam_beta2);
  const std::string text = script(setup, Framework::numpy);
  CHECK(contains(text, "mean[name] = " + beta1 + " * mean.get(name, 0) + (1 - " + beta1 + ")"));
  CHECK(contains(text, "square[name] = " + beta2 + " * square.get(name, 0) + (1 - " + beta2 + ")"));
  CHECK(contains(text, "(root + " + float_text(adam_epsilon) + ")"));
}

TEST_CASE("whatever the title, the script is the same but for one comment, which is not among the first two lines") {
  const auto untitled = lines(script(plain(), Framework::numpy));
  Setup setup = plain();
  const std::string nul("a\0b", 3);
  const std::vector<std::string> titles{
      "Plain",         "one\ntwo\r\nthree\rfour",
      "\"\"\" ''' \\", nul,
      "\f\v\x1b[31m",  "coding: latin-1",
      "caf\xc3\xa9",   "broken \xff\xc3 \xed\xa0\x80 \xc0\x80 \xf4\x90\x80\x80 \xe2\x82"};
  for (const std::string& title : titles) {
    setup.title = title;
    auto titled = lines(script(setup, Framework::numpy));
    REQUIRE(titled.size() == untitled.size());
    CHECK(titled[2].starts_with("# "));
    CHECK(titled[2].find_first_of(std::string("\0\r\f\v\x1b", 5)) == std::string::npos);
    titled[2] = untitled[2];
    CHECK(titled == untitled);
  }
  setup.title = "caf\xc3\xa9 \xf0\x9f\x92\xa1 \xff\xc3";
  CHECK(lines(script(setup, Framework::torch))[2] == "# caf\xc3\xa9 \xf0\x9f\x92\xa1 ??");
}

TEST_CASE("draws are made by the generator's library, in the list's order") {
  Setup setup =
      drawn({"seed 7", "W_k normal", "X uniform", "seed 8", "W_o[1] normal", "W_q[0] uniform", "b_q[1] normal"});
  setup.attention.weight_layout = WeightLayout::out_in;
  CHECK(code_with(script(setup, Framework::numpy), "np.random") ==
        std::vector<std::string>{"np.random.seed(7)", "W_k = np.random.randn(heads * d_head, d_model).T",
                                 "X = np.random.rand(batch, query_length, d_model)", "np.random.seed(8)",
                                 "W_o[block(1)] = np.random.randn(d_model, d_head).T",
                                 "W_q[:, block(0)] = np.random.rand(d_head, d_model).T",
                                 "b_q[block(1)] = np.random.randn(d_head)"});
  setup.attention.precision = Precision::float32;
  CHECK(code_with(script(setup, Framework::torch), "W_k =").front() ==
        "W_k = torch.from_numpy(np.random.randn(heads * d_head, d_model).astype(np.float32)).T");

  setup =
      drawn({"seed -3", "W_o linear", "W_qkv xavier_uniform", "X normal", "W_v xavier_uniform"}, GeneratorKind::torch);
  setup.attention.token_axis = TokenAxis::columns;
  CHECK(code_with(script(setup, Framework::torch), "torch.") ==
        std::vector<std::string>{"torch.set_default_dtype(torch.float64)", "torch.manual_seed(-3)",
                                 "linear = torch.nn.Linear(heads * d_head, d_model)",
                                 "in_projection = torch.nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model))",
                                 "X = torch.randn(d_model, query_length).T[None]",
                                 "W_v = torch.nn.init.xavier_uniform_(torch.empty(heads * d_head, d_model)).T",
                                 "weights = torch.softmax(masked_scores, dim=-1)"});
  const std::string numpy = script(setup, Framework::numpy);
  CHECK(contains(numpy, "import torch  # only to draw"));
  CHECK(contains(numpy, "X = torch.randn(d_model, query_length).numpy().T[None]"));
}

TEST_CASE("default_rng draws with the generator that its seed made") {
  Setup setup = drawn({"seed 7", "W_k normal", "X uniform", "seed 1099511627776", "b_q[1] normal", "b_o uniform"},
                      GeneratorKind::numpy_rng);
  setup.attention.dropout = 0.5;
  CHECK(code_with(script(setup, Framework::numpy), "rng") ==
        std::vector<std::string>{
            "rng = np.random.default_rng(7)", "W_k = rng.standard_normal((d_model, heads * d_head))",
            "X = rng.random((batch, query_length, d_model))", "rng = np.random.default_rng(1099511627776)",
            "b_q[block(1)] = rng.standard_normal(d_head)", "b_o = rng.random(d_model)",
            "keep = rng.random(weights.shape) >= dropout"});
  setup.attention.precision = Precision::float32;
  CHECK(code_with(script(setup, Framework::torch), "b_o =").front() ==
        "b_o = torch.from_numpy(rng.random(d_model).astype(np.float32))");
  CHECK(code_with(script(setup, Framework::torch), "keep =").front() ==
        "keep = torch.from_numpy(rng.random(weights.shape) >= dropout)");
}

TEST_CASE("the lines that draw one tensor") {
  const Setup numpy = drawn({"seed 7", "X normal", "seed 8", "W_q[0] uniform", "W_q[1] normal", "W_k uniform"});
  CHECK(draw_code(numpy, TensorId::X, 0) == "np.random.seed(7)\nX = np.random.randn(batch, query_length, d_model)\n");
  CHECK(draw_code(numpy, TensorId::W_q, 1) ==
        "np.random.seed(8)\nW_q[:, block(1)] = np.random.randn(d_model, d_head)\n");
  CHECK(draw_code(numpy, TensorId::W_k, 0) == "np.random.seed(8)\nW_k = np.random.rand(d_model, heads * d_head)\n");
  CHECK(draw_code(numpy, TensorId::W_o, 0).empty());
  const Setup torch = drawn({"seed 1", "W_o linear", "W_qkv xavier_uniform"}, GeneratorKind::torch);
  CHECK(draw_code(torch, TensorId::W_v, 0).find("xavier_uniform_") != std::string::npos);
  CHECK(draw_code(torch, TensorId::b_o, 0).find("linear = torch.nn.Linear(") != std::string::npos);
}

TEST_CASE("zeros stand first for what no draw fills as a whole") {
  const Setup setup = drawn({"seed 1", "W_k normal", "W_k[1] zeros", "W_v[0] normal", "b_v[0] normal"});
  CHECK(code_with(script(setup, Framework::numpy), "= np.zeros(") ==
        std::vector<std::string>{
            "X = np.zeros((batch, query_length, d_model))", "W_q = np.zeros((d_model, heads * d_head))",
            "W_v = np.zeros((d_model, heads * d_head))", "b_v = np.zeros(heads * d_head)",
            "W_o = np.zeros((heads * d_head, d_model))", "W_k[:, block(1)] = np.zeros((d_model, d_head))"});
}

TEST_CASE("every tensor of the trace is collected, and no other") {
  Setup cross = drawn({"seed 1", "b_v normal", "b_o zeros"});
  cross.attention.source = Source::cross;
  cross.attention.dropout = 0.5;
  for (const Setup& setup : {plain(), cross}) {
    for (Framework framework : frameworks) {
      const std::string text = script(setup, framework);
      for (const TensorInfo& tensor : all_tensors()) {
        const std::string entry = std::string(tensor.name) + "=" + std::string(tensor.name);
        const bool collected = contains(text, " " + entry + ",") || contains(text, "(" + entry + ",");
        CHECK_MESSAGE(collected == exists(tensor.id, setup), entry);
      }
    }
  }
}

TEST_CASE("a mask in PyTorch says which of its functions hides where it is True") {
  Setup setup = plain();
  setup.mask.kinds = {MaskKind::causal, MaskKind::window};
  setup.mask.window = 3;
  const std::string text = script(setup, Framework::torch);
  CHECK(contains(text, "hidden = ~visible"));
  CHECK(contains(text, "nn.MultiheadAttention hides where True"));
  CHECK(contains(text, "scaled_dot_product_attention takes visible"));
  CHECK(contains(text, "a model's sliding_window of 4"));  // the window, with the query itself
}

TEST_CASE("other conventions appear where they are used") {
  Setup setup = plain();
  setup.sizes.past = 2;
  setup.mask.kinds = {MaskKind::causal, MaskKind::padding};
  setup.mask.valid_lengths = {3};
  setup.mask.padding_side = PaddingSide::left;
  setup.attention.sink = Sink::zero;
  for (Framework framework : frameworks) {
    const std::string text = script(setup, framework);
    for (const char* part : {"past = 2", "key_length = past + query_length", "X[:, past:] @ W_q", "key >= key_length -",
                             "arange(key_length - query_length, key_length)", "sink"})
      CHECK_MESSAGE(contains(text, part), part);
  }
  setup = drawn({"seed 123", "X normal", "W_q linear_no_bias"}, GeneratorKind::torch);
  CHECK(contains(script(setup, Framework::torch), "torch.nn.Linear(d_model, heads * d_head, bias=False)"));
}

TEST_CASE("a query that sees no key is looked after where there is one, and only there") {
  Setup setup = plain();
  setup.mask.kinds = {MaskKind::custom};
  setup.mask.blocked = {{1, 0}, {1, 1}, {1, 2}};
  for (Framework framework : frameworks) CHECK(!contains(script(setup, framework), "sees_a_key"));
  setup.mask.blocked.emplace_back(1, 3);
  for (Framework framework : frameworks) CHECK(contains(script(setup, framework), "sees_a_key"));
}

TEST_CASE("long lists are wrapped") {
  Setup setup = plain();
  setup.sizes.query_length = 50;
  setup.mask.kinds = {MaskKind::custom};
  for (Index i = 0; i < 50; ++i) setup.mask.blocked.emplace_back(i, 49 - i);
  for (const std::string& line : lines(script(setup, Framework::numpy))) {
    if (contains(line, "(49, 0)") || contains(line, "(0, 49)")) CHECK(line.size() <= 100);
  }
}

TEST_CASE("a setup with problems has no script") {
  Setup setup;
  setup.sizes.heads = 3;
  CHECK_THROWS_AS(script(setup, Framework::numpy), InputError);
  setup = Setup{};
  setup.sizes.query_length = 10'000'000;
  setup.mask.kinds = {MaskKind::window};
  CHECK_THROWS_WITH_AS(script(setup, Framework::numpy), doctest::Contains("dot_products"), InputError);
}
