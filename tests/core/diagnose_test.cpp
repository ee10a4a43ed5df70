// Check my work: names, layouts, tolerances, every known mistake, and what is refused.
#include "core/diagnose/diagnose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>

#include <doctest/doctest.h>

#include "core/diagnose/arrays/digits.hpp"
#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/arrays/matching.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/diagnose/seed_memory.hpp"
#include "core/diagnose/wrong_work.hpp"
#include "core/engine/engine.hpp"
#include "core/model/mask.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/stages/table.hpp"
#include "setups.hpp"

using namespace headlight;
using enum TensorId;

namespace {

/// Everything that a mistake can be made in: several batch items, grouped heads, a mask, dropout, a temperature,
/// biases.
Setup rich_setup() {
  Setup setup = testing::small_setup();
  setup.sizes = {.batch = 2, .query_length = 5, .key_length = {}, .d_model = 12, .heads = 4, .kv_heads = 2};
  setup.attention.temperature = 0.5;
  setup.attention.dropout = 0.25;
  setup.mask.kinds = {MaskKind::causal};
  for (const char* draw : {"W_q uniform", "W_k uniform", "W_v uniform"})
    setup.random.draws.push_back(*parse_draw(draw));
  return setup;
}

/// Queries behind a cache, padding on the left that positions skip, half of each head turned, a sink of each head.
Setup with_conventions(Setup setup) {
  setup.sizes.past = 2;
  setup.sizes.kv_heads = std::nullopt;
  setup.attention.sink = Sink::learned;
  setup.mask.kinds = {MaskKind::causal, MaskKind::padding, MaskKind::window};
  setup.mask.padding_side = PaddingSide::left;
  setup.mask.valid_lengths = {7, 5};
  setup.mask.window = 3;
  setup.position.from = PositionOrigin::first_real;
  if (setup.position.encoding == Encoding::rotary) setup.position.fraction = 0.5;
  setup.random.draws.push_back(*parse_draw("sinks normal"));
  return setup;
}

std::vector<GivenArray> arrays_of(const Trace& trace, const std::vector<TensorId>& ids = {}) {
  std::vector<GivenArray> arrays;
  for (const TensorInfo& tensor : all_tensors()) {
    const bool wanted = ids.empty() || std::ranges::find(ids, tensor.id) != ids.end();
    if (wanted && trace.has(tensor.id)) arrays.push_back({std::string(tensor.name), trace[tensor.id], {}});
  }
  return arrays;
}

CheckReport check(const Trace& ours, const std::vector<GivenArray>& arrays, const DiagnoseOptions& options = {}) {
  return diagnose(ours, arrays, options, "mine.npz");
}

bool explained_by(const CheckReport& report, std::string_view mistake) {
  return std::ranges::any_of(report.diagnoses, [&](const Diagnosis& d) { return d.explains && d.mistake == mistake; });
}

const TensorVerdict& verdict_on(const CheckReport& report, TensorId id) {
  return *std::ranges::find(report.tensors, id, &TensorVerdict::tensor);
}

Tensor edited(const Tensor& tensor, double (*change)(double)) {
  Tensor copy = converted(tensor, Precision::float64);
  if (copy.shares_block(tensor)) copy = reshaped(copy, copy.shape());
  for (Index i = 0; i < copy.elements(); ++i) copy.writable<double>()[i] = change(copy.data<double>()[i]);
  return copy;
}

std::string refusal(const Trace& ours, const std::vector<GivenArray>& arrays, const DiagnoseOptions& options = {}) {
  try {
    check(ours, arrays, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("diagnose") {
  TEST_CASE("people's names for tensors") {
    const auto first = [](const char* text) { return tensors_called(text).at(0); };
    CHECK(first("q") == Q);
    CHECK(first("Queries") == Q);
    CHECK(first("attn_scores") == scores);
    CHECK(first("att") == weights);
    CHECK(first("Attn Weights") == weights);
    CHECK(first("probs") == weights);
    CHECK(first("ctx") == context);
    CHECK(first("z") == context);
    CHECK(first("out") == output);
    CHECK(first("y") == output);
    CHECK(first("Y") == Y);
    CHECK(first("my_scores") == scores);
    CHECK(first("query_states") == Q);
    CHECK(first("attn_output_weights") == weights);
    CHECK(first("p_attn") == weights);
    CHECK(first("blocks.0.attn.hook_pattern") == weights);
    CHECK(first("blocks.0.hook_attn_out") == output);
    CHECK(tensors_called("blocks.0.ln1.hook_scale").empty());
    CHECK(first("context_vec") == output);
    CHECK(first("Wq") == W_q);
    CHECK(first("q_proj.weight") == W_q);
    CHECK(first("decoder.layers.0.self_attn.out_proj.bias") == b_o);
    CHECK(tensors_called("layers.0.norm.weight").empty());
    CHECK(tensors_called("foo").empty());
  }

  TEST_CASE("a name of very many parts is read once") {
    std::string path;
    for (int part = 0; part < 300'000; ++part) path += "a.";
    CHECK(tensors_called(path + "q_proj.weight").at(0) == W_q);
    CHECK(tensors_called(path + "hook_pattern").at(0) == weights);
    CHECK(tensors_called(std::string(300'000, '.')).empty());
  }

  TEST_CASE("right work is called right, under any names and without the axes of single items") {
    const auto ours = compute_trace(testing::small_setup());
    CheckReport report = check(*ours, arrays_of(*ours));
    CHECK(report.agrees);
    CHECK(report.diagnoses.empty());
    CHECK(report.tensors.size() == arrays_of(*ours).size());
    report = check(*ours, {{"q", (*ours)[Q].selected(0, 0), {}},
                           {"q2", (*ours)[Q_heads].selected(0, 0), {}},
                           {"att", (*ours)[weights], {}},
                           {"foo", reshaped((*ours)[output], {8, 4}), {}}});
    CHECK(report.agrees);
    CHECK(report.tensors.size() == 3);
    CHECK(report.unrecognised == std::vector<std::string>{"foo"});
    CHECK(check(*ours, {{"a", (*ours)[weights], {}}, {"something", (*ours)[V], {}}}).tensors.at(0).tensor == V);
    CHECK(check(*ours, {{"h", (*ours)[Q], {}}}, {{{"h", "output"}}, {}}).first_difference == output);
  }

  TEST_CASE(
      "an array whose name says nothing is known by its numbers, and where several have them, it is asked about") {
    Setup setup = testing::small_setup();
    const auto ours = compute_trace(setup);
    CheckReport report = check(*ours, {{"mine", (*ours)[V], {}}, {"other", (*ours)[output], {}}});
    CHECK(verdict_on(report, V).by == KnownBy::value);
    CHECK(verdict_on(report, output).by == KnownBy::value);
    CHECK(report.doubts.empty());
    CHECK(check(*ours, {{"V", (*ours)[V], {}}}).tensors.front().by == KnownBy::name);
    CHECK(check(*ours, {{"z", (*ours)[V], {}}}, {{{"z", "V"}}, {}}).tensors.front().by == KnownBy::hand);

    // The output projection changes nothing, so the output has the numbers of concat too.
    const Index d_model = setup.sizes.d_model;
    Tensor identity = Tensor::zeros(Precision::float64, {d_model, d_model});
    double* const cells = identity.writable<double>();
    for (Index i = 0; i < d_model; ++i) cells[i * d_model + i] = 1;
    setup = with_array(setup, b_o, GivenNumbers(Tensor::zeros(Precision::float64, {d_model})));
    const auto same = compute_trace(with_array(setup, W_o, GivenNumbers(identity)));
    report = check(*same, {{"mine", (*same)[output], {}}});
    CHECK(report.agrees);
    CHECK(report.tensors.front().tensor == output);
    REQUIRE(report.doubts.size() == 1);
    CHECK(report.doubts.front().taken_for == output);
    CHECK(report.doubts.front().candidates == std::vector<TensorId>{concat, output});
    CHECK(report.doubts.front().by == KnownBy::value);
    CHECK(check(*same, {{"mine", (*same)[output], {}}}, {{{"mine", "concat"}}, {}}).doubts.empty());
    // Of two such arrays the first is the earlier tensor, which is asked about.
    report = check(*same, {{"one", (*same)[concat], {}}, {"two", (*same)[output], {}}});
    CHECK(report.agrees);
    CHECK(report.tensors.size() == 2);
    CHECK(report.doubt_about("one") != nullptr);
  }

  TEST_CASE("an array that only its shape can tell is the output if it is alone, and else waits for an answer") {
    const auto ours = compute_trace(testing::small_setup());
    const Tensor wrong = edited((*ours)[output], [](double number) { return number + 1; });
    CheckReport report = check(*ours, {{"mine", wrong, {}}});
    CHECK(report.first_difference == output);
    CHECK(report.tensors.front().by == KnownBy::shape);
    REQUIRE(report.doubt_about("mine"));
    const std::vector<TensorId>& candidates = report.doubt_about("mine")->candidates;
    for (const TensorId id : {Q, K, V, concat, output}) CHECK(std::ranges::find(candidates, id) != candidates.end());
    CHECK(std::ranges::is_sorted(candidates));

    report = check(*ours, {{"mine", wrong, {}}, {"weights", (*ours)[weights], {}}});
    CHECK(report.tensors.size() == 1);
    CHECK(report.unrecognised == std::vector<std::string>{"mine"});
    REQUIRE(report.doubt_about("mine"));
    CHECK_FALSE(report.doubt_about("mine")->taken_for);
    CHECK_FALSE(report.doubt_about("weights"));

    // Beside others, the shape never decides, whatever it fits.
    const Tensor moved = edited((*ours)[scores], [](double number) { return 1.1 * number * number - 3; });
    report = check(*ours, {{"foo", moved, {}}, {"output", (*ours)[output], {}}});
    CHECK(report.agrees);
    CHECK(report.unrecognised == std::vector<std::string>{"foo"});
    REQUIRE(report.doubt_about("foo"));
    CHECK_FALSE(report.doubt_about("foo")->taken_for);
    // Shares can only be weights.
    const Tensor even = edited((*ours)[weights], [](double) { return 0.25; });
    report = check(*ours, {{"mine", even, {}}});
    CHECK(report.first_difference == weights);
    CHECK(report.doubts.empty());
    // Numbers that could only be a weight or another are asked about at once.
    const Tensor square = Tensor::zeros(Precision::float64, (*ours)[W_q].shape());
    CHECK_THROWS_WITH_AS(check(*ours, {{"mine", square, {}}}), doctest::Contains("--name 'mine=W_q'"), InputError);
  }

  TEST_CASE("a name that may mean weights or scores is not believed where the array may be a head's features") {
    Setup setup = testing::small_setup();
    REQUIRE(setup.d_head() == setup.sizes.query_length);
    const auto ours = compute_trace(setup);
    Workspace workspace;
    const auto& interleaved = *std::ranges::find(mistakes(), "split_interleaved", &Mistake::name);
    const Trace wrong = with_mistake(*ours, interleaved, Q_heads).value();
    for (const char* called : {"a", "attn"}) {
      const CheckReport report = check(*ours, {{called, wrong[Q_heads], {}}, {"output", wrong[output], {}}});
      CHECK(report.first_difference == output);
      CHECK(report.unrecognised == std::vector<std::string>{called});
      CHECK(explained_by(report, "split_interleaved"));
      CHECK(check(*ours, {{called, (*ours)[scores], {}}, {"out", (*ours)[output], {}}}).tensors.size() == 2);
      const Tensor wrong_shares = edited((*ours)[weights], [](double number) { return number / 2; });
      CHECK(check(*ours, {{called, wrong_shares, {}}, {"out", (*ours)[output], {}}}).first_difference == weights);
    }
    setup.sizes.query_length = 3;  // no features of a head now
    const auto shorter = compute_trace(setup);
    const Tensor moved = edited((*shorter)[scores], [](double number) { return 2 * number * number - 3; });
    CHECK(check(*shorter, {{"attn", moved, {}}, {"out", (*shorter)[output], {}}}).first_difference == scores);
    CHECK(check(*shorter, {{"a", moved, {}}, {"out", (*shorter)[output], {}}}).agrees);
  }

  TEST_CASE("weights that are ours transposed are read so where the output is right, and hide no mistake") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 2;
    for (const bool causal : {false, true}) {
      if (causal) setup.mask.kinds = {MaskKind::causal};
      const auto ours = compute_trace(setup);
      const Trace& t = *ours;
      const Tensor turned = t[weights].transposed(2, 3).contiguous();
      for (const char* called : {"attn", "A", "w", "weights"}) {
        const CheckReport report = check(t, {{called, turned, {}}, {"output", t[output], {}}});
        CHECK(report.agrees);
        REQUIRE(report.notes.size() == 1);
        CHECK(report.notes.front() ==
              fmt::format("your {} is our weights, transposed: its axes are (batch, head, key, query)", called));
      }
      // The scores of keys and queries that have changed places are a mistake, unless what follows is ours.
      const Tensor swapped = t[scores].transposed(2, 3).contiguous();
      CHECK(explained_by(check(t, {{"scores", swapped, {}}}), "queries_and_keys_swapped"));
      CHECK(check(t, {{"scores", swapped, {}}, {"weights", t[weights], {}}}).agrees);
      Workspace workspace;
      Trace wrong = t;
      wrong[weights] = turned;
      run_through(wrong, context, output, workspace);
      const CheckReport report = check(t, {{"weights", t[weights], {}}, {"output", wrong[output], {}}});
      CHECK(explained_by(report, "weights_transposed"));
    }
  }

  TEST_CASE("the name of a file is a hint: what it does not fit is taken for what it is") {
    const auto ours = compute_trace(testing::small_setup());
    const GivenArray p{.name = "p", .values = (*ours)[output], .half_digits = {}, .called_by_file = true};
    CHECK(check(*ours, {p}).tensors.at(0).tensor == output);
    const GivenArray transposed{.name = "output",
                                .values = (*ours)[output].selected(0, 0).transposed(0, 1).contiguous(),
                                .half_digits = {},
                                .called_by_file = true};
    CHECK_THROWS_WITH_AS(check(*ours, {transposed}), doctest::Contains("taken for output"), InputError);
    Setup single = testing::small_setup();
    single.sizes.batch = 1;
    CHECK(hint_for({single.sizes.d_model, single.sizes.query_length}, output, single) == "transpose(1, 0) would fit");
  }

  TEST_CASE("no hint reorders the numbers of heads") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 2;
    setup.sizes.query_length = 4;
    setup.sizes.d_model = 8;
    setup.sizes.heads = 2;
    CHECK(hint_for({4, 4, 4}, Q_heads, setup).empty());  // (batch · heads, position, d_head), as in D2L
    CHECK(hint_for({2, 4, 8}, Q_heads, setup) ==
          "a split into heads would fit: reshape(2, 4, 2, 4).transpose(0, 2, 1, 3)");
    CHECK(hint_for({2, 2, 4, 4}, Q, setup) ==
          "the heads side by side would fit: transpose(0, 2, 1, 3).reshape(2, 4, 8)");
    // Heads that were reshaped at once are not called an output in another layout.
    const auto ours = compute_trace(setup);
    const CheckReport report = check(*ours, {{"output", reshaped((*ours)[context], {2, 4, 8}), {}}});
    CHECK_FALSE(report.agrees);
    CHECK(explained_by(report, "concat_without_transpose"));
  }

  TEST_CASE("numbers are evidence and names are hints") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 2;
    setup.position.encoding = Encoding::rotary;
    const auto ours = compute_trace(setup);
    const Trace& t = *ours;
    const auto noted = [](const CheckReport& report, const std::string& words) {
      return std::ranges::any_of(report.notes, [&](const std::string& note) { return has(note, words); });
    };
    CheckReport report = check(t, {{"q", t[Q_rotated], {}}, {"k", t[K_rotated], {}}, {"out", t[output], {}}});
    CHECK(report.agrees);
    CHECK(noted(report, "your q is our Q_rotated"));
    CHECK(check(t, {{"q", t[Q_rotated], {}}}).agrees);
    CHECK(check(t, {{"values", t[context], {}}, {"attention_scores", t[weights], {}}, {"out", t[output], {}}}).agrees);
    CHECK(check(t, {{"scores", t[dot_products], {}}, {"weights", t[weights], {}}}).agrees);
    CHECK(explained_by(check(t, {{"scores", t[dot_products], {}}}), "scale_missing"));  // nothing after it agrees
    const Tensor level = edited(t[scores], [](double number) { return number - 3; });
    report = check(t, {{"scores", level, {}}, {"weights", t[weights], {}}});
    CHECK(report.agrees);
    CHECK(noted(report, "differ by a constant in each row"));
  }

  TEST_CASE("of many arrays that are none of ours, twenty are named") {
    const auto ours = compute_trace(testing::small_setup());
    std::vector<GivenArray> arrays;
    for (int i = 0; i < 300; ++i)
      arrays.push_back({fmt::format("a{}", i), Tensor::zeros(Precision::float64, {2, 3}), {}});
    try {
      check(*ours, arrays);
      FAIL("they are refused");
    } catch (const InputError& error) {
      CHECK(has(error.problems().front().found, "a19 (2, 3), and 280 more"));
      CHECK_FALSE(has(error.problems().front().found, "a20"));
    }
  }

  TEST_CASE("queries and keys with our products are no mistake where what follows is ours") {
    Setup setup = testing::small_setup();
    setup.position.encoding = Encoding::rotary;
    const auto ours = compute_trace(setup);
    const Trace& t = *ours;
    const auto turned_round = [](const Tensor& tensor) {  // the features of each head from the last to the first
      Tensor result = Tensor::zeros(tensor.precision(), tensor.shape());
      const Tensor from = tensor.contiguous();
      const Index width = from.shape().back(0);
      with_element_type(from.precision(), [&](auto zero) {
        using T = decltype(zero);
        for (Index i = 0; i < from.elements(); ++i)
          result.writable<T>()[i / width * width + width - 1 - i % width] = from.data<T>()[i];
      });
      return result;
    };
    const Tensor q = turned_round(t[Q_rotated]), k = turned_round(t[K_rotated]);
    CheckReport report = check(t, {{"q", q, {}}, {"k", k, {}}, {"attn", t[weights], {}}});
    CHECK(report.agrees);
    CHECK_FALSE(report.first_difference);
    CHECK(has(report.notes.front(), "your q and k are others than ours, but their products are the same, as"));
    CHECK_FALSE(check(t, {{"q", q, {}}, {"k", k, {}}}).agrees);                                       // nothing follows
    CHECK_FALSE(check(t, {{"q", q, {}}, {"k", t[K_rotated], {}}, {"attn", t[weights], {}}}).agrees);  // other products
    REQUIRE(setup.score_factor() == 0.5);
    const Tensor scaled = edited(t[Q_rotated], [](double number) { return number / 2; });
    report = check(t, {{"q", scaled, {}}, {"k", t[K_rotated], {}}, {"attn", t[weights], {}}});
    CHECK(report.agrees);
    CHECK(has(report.notes.front(), "hold the scale already"));
  }

  TEST_CASE("layouts of books are recognised by their numbers, and what fits nothing is left out alone") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 3;
    const auto ours = compute_trace(setup);
    const Trace& t = *ours;
    const auto merged = [](const Tensor& tensor) {
      const Shape& shape = tensor.shape();
      return reshaped(tensor, {shape[0] * shape[1], shape[2], shape[3]});
    };
    const CheckReport d2l = check(t, {{"queries", merged(t[Q_heads]), {}},
                                      {"attention_weights", merged(t[weights]), {}},
                                      {"output", merged(t[context]), {}},
                                      {"output_concat", t[concat], {}}});
    CHECK(d2l.agrees);
    CHECK(d2l.tensors.size() == 4);
    CHECK(check(t, {{"query", t[Q_heads].transposed(1, 2).contiguous(), {}}}).agrees);
    CHECK(check(t, {{"weights", t[weights].transposed(0, 1).contiguous(), {}}}).agrees);
    CHECK(check(t, {{"out", t[output].transposed(0, 1).contiguous(), {}}}).agrees);
    const CheckReport rest =
        check(t, {{"output", t[output], {}}, {"q", Tensor::zeros(Precision::float64, {5, 7}), {}}});
    CHECK(rest.agrees);
    CHECK(rest.unrecognised == std::vector<std::string>{"q"});
    REQUIRE(rest.notes.size() == 1);
    CHECK(has(rest.notes.front(), "q is left out"));
  }

  TEST_CASE(
      "with as many heads as positions, heads cut without a transpose are a mistake, and another layout is none") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 2;
    setup.sizes.query_length = setup.sizes.heads;
    const auto ours = compute_trace(setup);
    Workspace workspace;
    Trace wrong = *ours;
    for (const auto& [heads, all] : {std::pair{Q_heads, Q}, {K_heads, K}, {V_heads, V}})
      wrong[heads] = reshaped((*ours)[all], (*ours)[heads].shape());
    run_through(wrong, dot_products, output, workspace);
    const CheckReport report = check(*ours, arrays_of(wrong, {Q_heads, K_heads, V_heads, scores, weights, output}));
    CHECK_FALSE(report.agrees);
    CHECK(report.first_difference == Q_heads);
    REQUIRE(std::ranges::count_if(report.diagnoses, &Diagnosis::explains) == 1);
    CHECK(report.diagnoses.front().mistake == "split_without_transpose");
    CHECK(report.diagnoses.front().at == std::vector<TensorId>{Q_heads, K_heads, V_heads});

    std::vector<GivenArray> right = arrays_of(*ours, {scores, weights, output});
    for (const TensorId id : {Q_heads, K_heads, V_heads})
      right.push_back({std::string(name(id)), (*ours)[id].transposed(1, 2).contiguous(), {}});
    CHECK(check(*ours, right).agrees);
    CHECK(check(*ours, {{"q_heads", (*ours)[Q_heads].transposed(1, 2).contiguous(), {}}}).agrees);
  }

  TEST_CASE("averaged weights are compared with the mean of ours") {
    const auto ours = compute_trace(testing::small_setup());
    const Tensor mean = mean_over_heads((*ours)[weights]);
    const CheckReport report = check(*ours, {{"attn_output_weights", mean.selected(1, 0).contiguous(), {}}});
    CHECK(report.agrees);
    REQUIRE(report.notes.size() == 1);
    CHECK(has(report.notes.front(), "average_attn_weights=False"));
    const auto missing = *std::ranges::find(mistakes(), "scale_missing", &Mistake::name);
    const Tensor wrong = mean_over_heads(with_mistake(*ours, missing, scores).value()[weights]);
    CHECK(
        explained_by(check(*ours, {{"attn_output_weights", wrong.selected(1, 0).contiguous(), {}}}), "scale_missing"));
  }

  TEST_CASE("half precision is no mistake, and hides none") {
    for (const Digits digits : {Digits::float16, Digits::bfloat16}) {
      const auto ours = compute_trace(rich_setup());
      Workspace workspace;
      Trace half = *ours;
      const auto program = [&](double scale) {
        half.setup.attention.scale = scale;
        for (const TensorInfo& tensor : all_tensors()) {
          if (!half.has(tensor.id) || tensor.id > output) continue;
          if (!is_drawn(tensor.id, half.setup)) run_stage(half, tensor.id, workspace);
          half[tensor.id] = rounded_to(half[tensor.id], digits);
        }
        return check(*ours, {{"weights", half[weights], {}}, {"out", half[output], {}}});
      };
      const CheckReport right = program(1 / std::sqrt(3.0));
      CHECK(right.agrees);
      REQUIRE(right.notes.size() == 1);
      CHECK(has(right.notes.front(), name_of(digits).data()));
      const CheckReport wrong = program(1);
      CHECK_FALSE(wrong.agrees);
      CHECK(explained_by(wrong, "scale_missing"));
    }
  }

  TEST_CASE("numbers of a half are known as such, unless they use no more bits than whole numbers do") {
    const auto numbers = [](std::vector<double> values) {
      return std::vector{tensor_of({static_cast<Index>(values.size())}, values)};
    };
    CHECK(half_of(numbers({1.0078125, -0.251953125, 0, 1, 3.265625})) == Digits::bfloat16);
    CHECK(half_of(numbers({1.0009765625, -0.250244140625, 0, 1, 3.265625})) == std::nullopt);  // two tell too little
    CHECK(half_of(numbers({1.0009765625, -0.250244140625, 0, 1, 3.267578125, 65504})) == Digits::float16);
    CHECK(half_of(numbers({0, 1, 0.5, -2, 0, 3})) == std::nullopt);
    CHECK(half_of(numbers({0.1, 1.0078125, -0.251953125, 3.265625})) == std::nullopt);
    // The weights of rows that see one key are whole numbers; the output tells.
    CHECK(half_of(std::vector{tensor_of({2}, std::vector<double>{1, 0}),
                              tensor_of({3}, std::vector<double>{1.0078125, -0.251953125, 3.265625})}) ==
          Digits::bfloat16);
  }

  TEST_CASE("what rounding does is seen in runs that round by chance") {
    const Tensor exact = tensor_of({2, 2}, std::vector<double>{1.001, 2, 0, 100.1});
    ChanceRounding round(Digits::bfloat16, 0);
    SeenRounding seen(exact);
    for (int run = 0; run < 64; ++run) {
      const Tensor rounded = round(exact);
      CHECK(std::abs(rounded.at({0, 0}) - 1.001) < 1.0 / 128);
      CHECK(rounded.at({0, 1}) == 2);
      CHECK(rounded.at({1, 0}) == 0);
      seen.add(rounded);
    }
    const Rounding rounding = seen.rounding();
    CHECK(rounding.spread.at({1, 1}) > 0.1);
    CHECK(rounding.spread.at({1, 1}) < 0.5);
    CHECK(rounding.spread.at({0, 1}) < rounding.spread.at({0, 0}));  // it has something of its row's
  }

  TEST_CASE("one mistake in several places is one diagnosis, also from the output alone") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 2;
    const auto ours = compute_trace(setup);
    Workspace workspace;
    Trace wrong = *ours;
    for (const TensorId id : {W_q, W_k, W_v, W_o}) wrong[id] = wrong[id].transposed(0, 1).contiguous();
    run_through(wrong, Q, output, workspace);
    for (const auto& given : {std::vector{output}, std::vector{Q, K, V, output}}) {
      const CheckReport report = check(*ours, arrays_of(wrong, given));
      const auto explaining = std::ranges::count_if(report.diagnoses, &Diagnosis::explains);
      CHECK(explaining == 1);
      REQUIRE(explained_by(report, "weight_transposed"));
      CHECK(report.diagnoses.front().at == std::vector<TensorId>{Q, K, V, output});
    }
  }

  TEST_CASE("a row that sees no key and is NaN is one mistake, and no bias is blamed for it") {
    Setup setup = testing::small_setup();
    setup.mask.kinds = {MaskKind::padding};
    setup.mask.valid_lengths = {0};
    const auto ours = compute_trace(setup);
    const Tensor nan = edited((*ours)[weights], [](double) { return std::nan(""); });
    const CheckReport report = check(*ours, {{"weights", nan, {}}});
    REQUIRE(std::ranges::count_if(report.diagnoses, &Diagnosis::explains) == 1);
    CHECK(report.diagnoses.front().mistake == "softmax_overflow");
  }

  TEST_CASE("tokens in columns and weights as (out, in) are read as they are, either way") {
    Setup setup = testing::small_setup();
    setup.attention.token_axis = TokenAxis::columns;
    setup.attention.weight_layout = WeightLayout::out_in;
    const auto ours = compute_trace(setup);
    CHECK(check(*ours, arrays_of(*ours)).agrees);
    std::vector<GivenArray> turned = arrays_of(*ours);
    for (GivenArray& array : turned)
      if (const int rank = array.values.shape().rank(); rank >= 2)
        array.values = array.values.transposed(rank - 2, rank - 1).contiguous();
    CHECK(check(*ours, turned).agrees);
  }

  TEST_CASE("printed digits are respected") {
    const auto ours = compute_trace(testing::small_setup());
    const auto printed = [&](double shift) {
      Tensor values = reshaped((*ours)[output], (*ours)[output].shape());
      Tensor digits = Tensor::uninitialized(Precision::float64, values.shape());
      for (Index i = 0; i < values.elements(); ++i) {
        double& value = values.writable<double>()[i];
        value = std::round(value * 1000) / 1000 + shift;
        digits.writable<double>()[i] = 0.0005;
      }
      return check(*ours, {{"out", values, digits}});
    };
    CHECK(printed(0).agrees);
    CHECK(printed(0).tensors[0].by_rounding);
    CHECK_FALSE(printed(0.01).agrees);
  }

  TEST_CASE("float32 beside float64 is rounding") {
    const auto ours = compute_trace(testing::small_setup());
    std::vector<GivenArray> single = arrays_of(*ours);
    for (GivenArray& array : single) array.values = converted(array.values, Precision::float32);
    CHECK(check(*ours, single).agrees);
    const Tensor off = edited((*ours)[scores], [](double number) { return number * 1.001; });
    CHECK(check(*ours, {{"scores", converted(off, Precision::float32), {}}}).first_difference == scores);
  }

  TEST_CASE("-1e9 hides as well as -inf, -5 does not") {
    Setup setup = testing::small_setup();
    setup.mask.kinds = {MaskKind::causal};
    const auto ours = compute_trace(setup);
    const auto hidden = [&](double (*change)(double)) {
      return check(*ours, {{"masked_scores", edited((*ours)[masked_scores], change), {}}});
    };
    CHECK(hidden([](double number) { return std::isinf(number) ? -1e9 : number; }).agrees);
    const CheckReport weak = hidden([](double number) { return std::isinf(number) ? -5 : number; });
    CHECK(weak.first_difference == masked_scores);
    CHECK(explained_by(weak, "mask_too_weak"));
  }

  TEST_CASE("each known mistake is found among all tensors") {
    Setup square = rich_setup();
    square.sizes.kv_heads = 4;
    std::vector<Setup> setups{rich_setup(), square};
    for (const Encoding encoding : {Encoding::sinusoidal, Encoding::rotary, Encoding::alibi}) {
      setups.push_back(rich_setup());
      setups.back().sizes.d_model = 16;  // d_head is 4
      setups.back().position.encoding = encoding;
      setups.push_back(with_conventions(setups.back()));
    }
    for (const Setup& setup : setups) {
      const auto ours = compute_trace(setup);
      for (const Mistake& mistake : mistakes()) {
        for (const TensorId at : mistake.at) {
          const auto made = with_mistake(*ours, mistake, at);
          if (!made) continue;
          const Trace& wrong = *made;
          if (identical(converted(wrong[at], Precision::float64), (*ours)[at].contiguous())) continue;
          CAPTURE(mistake.name);
          CAPTURE(name(at));
          const CheckReport report = check(*ours, arrays_of(wrong));
          if (report.agrees) continue;  // it changes nothing here: exp does not overflow
          CHECK(report.first_difference == at);
          CHECK_FALSE(verdict_on(report, at).step_agrees);
          CHECK(explained_by(report, mistake.name));
        }
      }
    }
  }

  TEST_CASE("conventions that are mistaken are named by the output alone") {
    Setup cached = testing::small_setup();
    cached.sizes.past = 3;
    cached.sizes.query_length = 2;
    cached.mask.kinds = {MaskKind::causal};
    Setup one = cached;
    one.sizes.query_length = 1;
    Setup sink = cached;
    sink.attention.sink = Sink::zero;
    Setup learned = cached;
    learned.attention.sink = Sink::learned;
    learned.random.draws.push_back(*parse_draw("sinks normal"));
    Setup part = cached;
    part.sizes.d_model = 16;
    part.sizes.heads = 2;
    part.position = {.encoding = Encoding::rotary, .fraction = 0.5};
    Setup padded = testing::small_setup();
    padded.sizes.batch = 2;
    padded.sizes.query_length = 6;
    padded.mask.kinds = {MaskKind::padding, MaskKind::window};
    padded.mask.padding_side = PaddingSide::left;
    padded.mask.valid_lengths = {6, 3};
    padded.mask.window = 2;
    Setup counted = padded;
    counted.position = {.encoding = Encoding::sinusoidal, .from = PositionOrigin::first_real};
    struct Case {
      Setup setup;
      std::string_view mistake, words;
    };
    for (const auto& [setup, mistake, words] :
         {Case{cached, "mask_alignment", "at the top left instead of the bottom right"},
          Case{one, "mask_alignment", "at the top left instead of the bottom right"},
          Case{sink, "sink_missing", "each row adds up to 1"}, Case{learned, "sink_missing", "each row adds up to 1"},
          Case{part, "rotary_angles", ""}, Case{part, "position_offset", ""},
          Case{padded, "window_off_by_one", ": 3 keys on each side instead of 2"},
          Case{counted, "position_offset", ": padding counts too"}}) {
      CAPTURE(mistake);
      const auto ours = compute_trace(setup);
      const Trace wrong = with_mistake(*ours, mistake, "test", "");
      const CheckReport report = check(*ours, arrays_of(wrong, {output}));
      CHECK(explained_by(report, mistake));
      CHECK_FALSE(explained_by(report, "softmax_overflow"));
      const auto found = std::ranges::find(report.diagnoses, mistake, &Diagnosis::mistake);
      REQUIRE(found != report.diagnoses.end());
      CHECK(has(found->words, std::string(words)));
    }
  }

  TEST_CASE("batch items and heads that are taken for each other at the concat") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 3;
    const auto ours = compute_trace(setup);
    Trace wrong = *ours;
    const Shape shape = wrong[context].shape();
    const Tensor other = reshaped(wrong[context], {shape[1], shape[0], shape[2], shape[3]}).transposed(0, 1);
    wrong[context] = other.contiguous();
    Workspace workspace;
    run_through(wrong, concat, output, workspace);
    const CheckReport report = check(*ours, arrays_of(wrong, {output}));
    REQUIRE(explained_by(report, "concat_without_transpose"));
    CHECK(has(report.diagnoses.front().words, "batch items and heads are taken for each other"));
  }

  TEST_CASE("softmax over axes that are merged is named by the output alone") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 2;
    const auto ours = compute_trace(setup);
    const Shape shape = (*ours)[weights].shape();
    struct Case {
      std::string_view mistake;
      bool over_keys;
    };
    for (const auto& [mistake, over_keys] : {Case{"softmax_over_batch", false}, Case{"softmax_over_all", true}}) {
      CAPTURE(mistake);
      Trace wrong = *ours;
      Tensor shares = Tensor::zeros((*ours)[weights].precision(), shape);
      const auto share = [&](Index item, Index head, Index query, Index key) {
        return std::exp(ours->value({masked_scores, {item, head, query, key}}));
      };
      // Over the batch items and heads of one axis; or over the keys of all heads.
      for (Index flat = 0; flat < shares.elements(); ++flat) {
        const Index key = flat % shape[3], query = flat / shape[3] % shape[2];
        const Index head = flat / shape[3] / shape[2] % shape[1], item = flat / shape[3] / shape[2] / shape[1];
        double sum = 0;
        for (Index other = 0; other < (over_keys ? shape[3] : shape[0]); ++other)
          for (Index h = 0; h < shape[1]; ++h)
            sum += over_keys ? share(item, h, query, other) : share(other, h, query, key);
        with_element_type(shares.precision(), [&](auto zero) {
          using T = decltype(zero);
          shares.writable<T>()[flat] = static_cast<T>(share(item, head, query, key) / sum);
        });
      }
      wrong[weights] = shares;
      Workspace workspace;
      run_through(wrong, context, output, workspace);
      CHECK(explained_by(check(*ours, arrays_of(wrong, {output})), mistake));
    }
  }

  TEST_CASE("softmax over another axis gives zeros where nothing is seen along it, and sums to 1 elsewhere") {
    Setup setup = testing::small_setup();
    setup.mask.kinds = {MaskKind::causal};
    const auto ours = compute_trace(setup);
    const Index heads = setup.sizes.heads, last = setup.sizes.query_length - 1;
    const Trace over_heads = with_mistake(*ours, "softmax_over_heads", "test", "");
    double sum = 0;
    for (Index head = 0; head < heads; ++head) {
      CHECK(over_heads.value({weights, {0, head, 0, last}}) == 0);
      sum += over_heads.value({weights, {0, head, last, 0}});
    }
    CHECK(sum == doctest::Approx(1));
    const Trace over_queries = with_mistake(*ours, "softmax_over_queries", "test", "");
    CHECK(over_queries.value({weights, {0, 0, last, last}}) == doctest::Approx(1));  // no other query sees it
    CHECK(over_queries.value({weights, {0, 0, 0, last}}) < 1e-30);
  }

  TEST_CASE("work with a mistake, by its name") {
    const auto ours = compute_trace(rich_setup());
    const Trace wrong = with_mistake(*ours, "softmax_over_queries", "lecture", "mistake");
    const CheckReport report = check(*ours, handed_in(wrong));
    CHECK(report.first_difference == weights);
    CHECK(explained_by(report, "softmax_over_queries"));
    CHECK(std::ranges::none_of(handed_in(wrong), [](const GivenArray& array) { return array.name == "X"; }));
    CHECK_THROWS_WITH_AS(with_mistake(*ours, "softmax_over_quarks", "l.md", "mistake"),
                         doctest::Contains("l.md: mistake: found \"softmax_over_quarks\"; allowed: "), InputError);
    Setup open = rich_setup();
    open.mask = {};
    CHECK_THROWS_WITH_AS(with_mistake(*compute_trace(open), "mask_inverted", "l.md", "mistake"),
                         doctest::Contains("changes no number here"), InputError);
  }

  TEST_CASE("work with a mistake can be stopped") {
    const auto ours = compute_trace(rich_setup());
    std::stop_source source;
    CHECK_NOTHROW(with_mistake(*ours, "softmax_over_queries", "lecture", "mistake", source.get_token()));
    source.request_stop();
    CHECK_THROWS_AS(with_mistake(*ours, "softmax_over_queries", "lecture", "mistake", source.get_token()), Stopped);
  }

  TEST_CASE("positions that are missing and pairs of the other layout are found by the output alone") {
    const auto named = [](std::string_view name) { return *std::ranges::find(mistakes(), name, &Mistake::name); };
    const auto is_found = [&](Encoding encoding, std::string_view mistake, TensorId at) {
      Setup setup = testing::small_setup();
      setup.position.encoding = encoding;
      const auto ours = compute_trace(setup);
      const CheckReport report = check(*ours, arrays_of(with_mistake(*ours, named(mistake), at).value(), {output}));
      return explained_by(report, mistake);
    };
    CHECK(is_found(Encoding::one_hot, "position_missing", K));
    CHECK(is_found(Encoding::sinusoidal, "position_missing", V));
    CHECK(is_found(Encoding::rotary, "position_missing", Q_rotated));
    CHECK(is_found(Encoding::rotary, "rotary_other_layout", K_rotated));
    CHECK(is_found(Encoding::alibi, "position_missing", scores));
  }

  TEST_CASE("mistakes are found in tensors of which a part is tried first") {
    for (const Encoding encoding : {Encoding::none, Encoding::alibi}) {
      Setup setup = testing::small_setup();
      setup.position.encoding = encoding;
      setup.sizes = {.batch = 1, .query_length = 256, .key_length = {}, .d_model = 32, .heads = 16, .kv_heads = {}};
      setup.mask.kinds = {MaskKind::causal};
      const auto ours = compute_trace(setup);
      for (const Mistake& mistake : mistakes()) {
        for (const TensorId at : {scores, masked_scores, weights}) {
          if (std::ranges::find(mistake.at, at) == mistake.at.end()) continue;
          const auto wrong = with_mistake(*ours, mistake, at);
          if (!wrong) continue;
          CAPTURE(mistake.name);
          const CheckReport report = check(*ours, arrays_of(*wrong));
          if (!report.agrees) CHECK(explained_by(report, mistake.name));
        }
      }
    }
  }

  TEST_CASE("a second mistake further on is found too") {
    const auto ours = compute_trace(testing::small_setup());
    const auto named = [](std::string_view name) { return *std::ranges::find(mistakes(), name, &Mistake::name); };
    const Trace one = with_mistake(*ours, named("scale_missing"), scores).value();
    Trace both = with_mistake(one, named("output_bias_missing"), output).value();
    both[scores] = one[scores];
    for (const TensorId id : {masked_scores, weights, context, concat}) both[id] = one[id];
    Workspace workspace;
    Attempt attempt{one, output, output, Theirs{one[output]}, 0, workspace};
    both[output] = *named("output_bias_missing").replay(attempt);
    const CheckReport report = check(*ours, arrays_of(both));
    CHECK(report.first_difference == scores);
    CHECK(verdict_on(report, weights).step_agrees);
    CHECK_FALSE(verdict_on(report, weights).agrees);
    CHECK_FALSE(verdict_on(report, output).step_agrees);
    CHECK(explained_by(report, "scale_missing"));
    CHECK(explained_by(report, "output_bias_missing"));
  }

  TEST_CASE("the output alone is enough, and what explains equally is all named") {
    Setup setup = testing::small_setup();
    setup.sizes.heads = 8;  // d_head is 1
    setup.attention.scale = 0.3;
    const auto ours = compute_trace(setup);
    const auto missing = *std::ranges::find(mistakes(), "scale_missing", &Mistake::name);
    const CheckReport report = check(*ours, arrays_of(with_mistake(*ours, missing, scores).value(), {output}));
    CHECK(report.first_difference == output);
    CHECK(explained_by(report, "scale_missing"));
    CHECK(explained_by(report, "scale_d_head"));
    CHECK(report.diagnoses.front().tensor == scores);
  }

  TEST_CASE("mistakes in drawing") {
    const Setup setup = testing::small_setup();
    const auto ours = compute_trace(setup);
    const auto found = [&](std::vector<std::string> texts, GeneratorKind generator, std::vector<TensorId> given) {
      Setup other = setup;
      other.random = {.generator = generator, .draws = testing::draws(texts)};
      return check(*ours, arrays_of(*compute_trace(other), given));
    };
    std::vector<std::string> texts;
    for (const Draw& draw : setup.random.draws) texts.push_back(to_string(draw));
    auto seed = texts, order = texts, uniform = texts;
    seed[0] = "seed 77";
    std::rotate(order.begin() + 1, order.begin() + 3, order.end());
    uniform[1] = "X uniform";
    const std::vector<TensorId> all, outcome{output}, parameters{X, W_q, W_k, W_v, W_o};
    for (const auto& given : {all, parameters}) {
      CHECK(explained_by(found(seed, GeneratorKind::numpy, given), "other_seed"));
      CHECK(explained_by(found(order, GeneratorKind::numpy, given), "draw_order"));
      CHECK(explained_by(found(uniform, GeneratorKind::numpy, given), "rand_for_randn"));
      CHECK(explained_by(found(texts, GeneratorKind::torch, given), "other_generator"));
    }
    CHECK(explained_by(found(seed, GeneratorKind::numpy, outcome), "other_seed"));
    CHECK(explained_by(found(uniform, GeneratorKind::numpy, outcome), "rand_for_randn"));
  }

  TEST_CASE("another seed is found also where the tensor that is drawn first is given afterwards") {
    Setup setup = testing::small_setup();
    setup.values.set(X, {}, GivenNumbers(Tensor::zeros(Precision::float64, shape(X, setup))));
    Setup other = setup;
    other.random.draws[0] = SeedDraw{77};
    CHECK(explained_by(check(*compute_trace(setup), arrays_of(*compute_trace(other), {})), "other_seed"));
  }

  TEST_CASE("what seeds give is kept for further works, and finds the same") {
    const Setup setup = testing::small_setup();
    const auto ours = compute_trace(setup);
    SeedMemory seeds;
    const auto alone = std::make_shared<Threads>(1);
    std::vector<std::vector<GivenArray>> works;
    for (const std::int64_t seed : {77, 78, 9'999, 12'345}) {
      Setup other = setup;
      other.random.draws[0] = SeedDraw{seed};
      const auto theirs = compute_trace(other);
      works.push_back(arrays_of(*theirs, {output}));
      works.push_back(arrays_of(*theirs, {weights, output}));
      works.push_back(arrays_of(*theirs, {K, output}));
      works.push_back({{"Q", (*ours)[Q], {}}, {"scores", (*theirs)[scores], {}}});  // reads what is ours and drawn
      works.push_back({{"K", (*theirs)[K], {}}, {"V", (*ours)[V], {}}, {"scores", (*theirs)[scores], {}}});
    }
    for (const auto& work : works) {
      const CheckReport one = check(*ours, work), other = diagnose(*ours, work, {}, "mine.npz", alone, seeds);
      CHECK(one.first_difference == other.first_difference);
      REQUIRE(one.diagnoses.size() == other.diagnoses.size());
      for (std::size_t i = 0; i < one.diagnoses.size(); ++i) {
        CHECK(one.diagnoses[i].mistake == other.diagnoses[i].mistake);
        CHECK(one.diagnoses[i].words == other.diagnoses[i].words);
        CHECK(one.diagnoses[i].misfit == other.diagnoses[i].misfit);
      }
    }
    CHECK(explained_by(diagnose(*ours, works[0], {}, "mine.npz", alone, seeds), "other_seed"));
    CHECK(!explained_by(diagnose(*ours, works.back(), {}, "mine.npz", alone, seeds), "other_seed"));
  }

  TEST_CASE("what is refused, with what would be right") {
    const auto ours = compute_trace(testing::small_setup());
    const Trace& t = *ours;
    const std::string turned = refusal(t, {{"output", t[output].transposed(1, 2).contiguous(), {}}});
    CHECK(has(turned, "mine.npz"));
    CHECK(has(turned, "(1, 8, 4)"));
    CHECK(has(turned, "transpose(0, 2, 1) would fit"));
    CHECK(has(refusal(t, {{"scores", edited(t[Q], [](double number) { return number + 1; }), {}}}), "(1, 2, 4, 4)"));
    CHECK_FALSE(has(refusal(t, {{"output", Tensor::zeros(Precision::float64, {4, 2, 4}), {}}}), "reshape"));
    CHECK(has(refusal(t, {{"foo", Tensor::zeros(Precision::float64, {3}), {}}}), "at least one of X (1, 4, 8)"));
    CHECK(has(refusal(t, arrays_of(t), {{{"x", "output"}}, {}}), "--name"));
    CHECK(has(refusal(t, arrays_of(t), {{{"Q", "nothing"}}, {}}), "nothing"));
    const auto nan = [](double) { return std::numeric_limits<double>::quiet_NaN(); };
    CHECK(has(refusal(t, {{"K", edited(t[K], nan), {}}}), "NaN at K[0,0,0]"));
    CHECK(has(refusal(t, {{"output", edited(t[output], nan), {}}}), "NaN at output[0,0,0]"));
  }

  TEST_CASE("NaN of a softmax that overflows is a mistake, not a broken file") {
    Setup setup = testing::small_setup();
    setup.attention.scale = 400.0;
    const auto ours = compute_trace(setup);
    const auto overflow = *std::ranges::find(mistakes(), "softmax_overflow", &Mistake::name);
    const CheckReport report = check(*ours, arrays_of(with_mistake(*ours, overflow, weights).value()));
    CHECK(report.first_difference == weights);
    CHECK(explained_by(report, "softmax_overflow"));
  }

  TEST_CASE("batch items taken for positions") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 3;
    const auto ours = compute_trace(setup);
    Workspace workspace;
    Trace wrong = *ours;
    wrong.setup.sizes.batch = 4;
    wrong.setup.sizes.query_length = 3;
    for (const TensorId id : {Q, K, V}) wrong[id] = (*ours)[id].transposed(0, 1).contiguous();
    for (const TensorId id : {Q_heads, K_heads, V_heads, dot_products, scores, masked_scores, weights, context, concat})
      run_stage(wrong, id, workspace);
    for (const TensorId id : {Q, K, V, concat}) wrong[id] = wrong[id].transposed(0, 1).contiguous();
    wrong.setup = setup;
    run_stage(wrong, output, workspace);
    CHECK(check(*ours, arrays_of(wrong)).first_difference == Q_heads);
    CHECK(explained_by(check(*ours, arrays_of(wrong)), "batch_and_position_swapped"));
    CHECK(explained_by(check(*ours, arrays_of(wrong, {output})), "batch_and_position_swapped"));
    // As nn.MultiheadAttention gives them, its weights each head's or their mean: (query, batch, d_model), and weights
    // of a batch that has the positions' number.
    const Tensor mean = mean_over_heads(wrong[weights]);
    for (const Tensor& shown : {wrong[weights], mean.selected(1, 0).contiguous()}) {
      const CheckReport report = check(*ours, {{"attn_output_weights", shown, {}}, {"attn_output", wrong[output], {}}});
      REQUIRE(explained_by(report, "batch_first_forgotten"));
      const auto found = std::ranges::find(report.diagnoses, "batch_first_forgotten", &Diagnosis::mistake);
      CHECK(has(found->fix_torch, "batch_first=True"));
    }
  }

  TEST_CASE("a view in place of a transpose, at the split and at the concat, is one mistake seen in the output") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 2;
    const auto ours = compute_trace(setup);
    Workspace workspace;
    Trace wrong = *ours;
    const Shape split = (*ours)[Q_heads].shape(), joined = (*ours)[concat].shape();
    for (const auto& [heads, all] : {std::pair{Q_heads, Q}, {K_heads, K}, {V_heads, V}})
      wrong[heads] = reshaped((*ours)[all], split);
    run_through(wrong, dot_products, context, workspace);
    wrong[concat] = reshaped(wrong[context], joined);
    run_stage(wrong, output, workspace);
    const CheckReport report = check(*ours, arrays_of(wrong, {output}));
    REQUIRE(std::ranges::count_if(report.diagnoses, &Diagnosis::explains) == 1);
    CHECK(report.diagnoses.front().mistake == "split_without_transpose");
    CHECK(report.diagnoses.front().at == std::vector<TensorId>{Q_heads, K_heads, V_heads, concat});
  }

  TEST_CASE("variables that are assigned again: shares called scores, rotated queries, what is not projected yet") {
    Setup setup = testing::small_setup();
    setup.mask.kinds = {MaskKind::causal};
    setup.position.encoding = Encoding::rotary;
    const auto ours = compute_trace(setup);
    const auto wrong_by = [&](std::string_view name, TensorId at) {
      Trace wrong = *ours;
      return with_mistake(*ours, *std::ranges::find(mistakes(), name, &Mistake::name), at).value();
    };
    const auto noted = [](const CheckReport& report, const std::string& words) {
      return std::ranges::find(report.notes, words) != report.notes.end();
    };
    const Trace unmasked = wrong_by("mask_missing", masked_scores);
    CheckReport report = check(*ours, {{"score", unmasked[weights], {}}, {"out", unmasked[output], {}}});
    CHECK(report.first_difference == weights);
    CHECK(explained_by(report, "mask_missing"));
    CHECK(noted(report, "your score is read as our weights"));
    report = check(*ours, {{"score", (*ours)[weights], {}}, {"out", (*ours)[output], {}}});
    CHECK(noted(report, "your score is our weights: the numbers are the same"));
    // Beside weights, the scores are scores.
    report = check(*ours, {{"scores", unmasked[weights], {}}, {"weights", (*ours)[weights], {}}});
    CHECK(report.first_difference != weights);

    Trace turned = *ours;
    turned.setup.position.layout = PairLayout::interleaved;
    Workspace workspace;
    run_through(turned, Q_rotated, output, workspace);
    report = check(*ours, {{"q", turned[Q_rotated], {}},
                           {"k", turned[K_rotated], {}},
                           {"attn", turned[weights], {}},
                           {"out", turned[output], {}}});
    CHECK(report.first_difference == Q_rotated);
    CHECK(explained_by(report, "rotary_other_layout"));
    CHECK(noted(report, "your q is read as our Q_rotated"));

    const Trace unscaled = wrong_by("scale_missing", scores);
    report = check(*ours, {{"out", unscaled[concat], {}}});
    CHECK(report.first_difference == concat);
    CHECK(explained_by(report, "scale_missing"));
    CHECK(noted(report, "your out is read as our concat"));
    CHECK(check(*ours, {{"out", (*ours)[concat], {}}}).first_difference == output);
    CHECK(explained_by(check(*ours, {{"out", (*ours)[concat], {}}}), "output_projection_missing"));
  }

  TEST_CASE("a result that is still an input was not computed, whatever it equals") {
    const auto ours = compute_trace(testing::small_setup());
    CheckReport report = check(*ours, {{"weights", (*ours)[weights], {}}, {"output", (*ours)[X], {}}});
    CHECK(report.first_difference == output);
    report = check(*ours, {{"weights", (*ours)[weights], {}}, {"context", (*ours)[V_heads], {}}});
    CHECK(report.first_difference == context);
    // What is called queries may still be what they are made of.
    CHECK(check(*ours, {{"queries", (*ours)[X], {}}, {"weights", (*ours)[weights], {}}}).agrees);
  }

  TEST_CASE("a fused array is said to be its parts, whole or for each head") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 2;
    const auto ours = compute_trace(setup);
    const auto side_by_side = [&](std::vector<TensorId> parts) {
      Shape shape = (*ours)[parts.front()].shape();
      const Index columns = shape.back(0);
      shape[shape.rank() - 1] = columns * static_cast<Index>(parts.size());
      Tensor fused = Tensor::zeros(Precision::float64, shape);
      for (std::size_t i = 0; i < parts.size(); ++i)
        copy_numbers((*ours)[parts[i]], fused.narrowed(shape.rank() - 1, static_cast<Index>(i) * columns, columns));
      return fused;
    };
    for (const std::vector<TensorId>& parts : {std::vector{Q, K, V}, {Q_heads, K_heads, V_heads}}) {
      CheckReport report = check(*ours, {{"qkv", side_by_side(parts), {}}, {"out", (*ours)[output], {}}});
      CHECK(report.agrees);
      CHECK(report.unrecognised.empty());
      REQUIRE(report.notes.size() == 1);
      CHECK(has(report.notes.front(), "your qkv is our Q"));
      const Tensor other = edited(side_by_side(parts), [](double number) { return number + 1; });
      report = check(*ours, {{"qkv", other, {}}, {"out", (*ours)[output], {}}});
      CHECK(report.unrecognised == std::vector<std::string>{"qkv"});
    }
  }

  TEST_CASE("mistakes of modules that are shared or left out are named by the output alone") {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 2;
    setup.attention.soft_cap = 1;
    setup.attention.qk_norm = true;
    const auto ours = compute_trace(setup);
    Workspace workspace;
    const auto output_with = [&](std::string_view name, std::vector<TensorId> places) {
      Trace wrong = *ours;
      const Theirs nothing{wrong[output]};
      const Mistake& mistake = *std::ranges::find(mistakes(), name, &Mistake::name);
      for (const TensorInfo& tensor : all_tensors()) {
        if (!exists(tensor.id, setup) || is_drawn(tensor.id, setup) || is_gradient(tensor.id)) continue;
        Attempt attempt{wrong, tensor.id, tensor.id, nothing, 0, workspace};
        if (std::ranges::find(places, tensor.id) != places.end()) wrong[tensor.id] = mistake.replay(attempt).value();
        else run_stage(wrong, tensor.id, workspace);
      }
      return wrong[output];
    };
    for (const auto& [name, places] : {std::pair{"heads_shared", std::vector{Q_heads, K_heads, V_heads}},
                                       {"projection_missing", {Q, K, V}},
                                       {"projection_shared", {K, V}},
                                       {"qk_norm_missing", {Q_normed, K_normed}},
                                       {"soft_cap_missing", {capped_scores}},
                                       {"soft_cap_formula", {capped_scores}}}) {
      CAPTURE(name);
      CHECK(explained_by(check(*ours, {{"output", output_with(name, places), {}}}), name));
    }
  }

  TEST_CASE("work that is still all zeros is not taken for dropout") {
    const auto ours = compute_trace(testing::small_setup());
    const CheckReport report =
        check(*ours, {{"output", Tensor::zeros(Precision::float64, (*ours)[output].shape()), {}}});
    CHECK_FALSE(report.agrees);
    CHECK_FALSE(explained_by(report, "dropout_active"));
  }

  TEST_CASE("a mask that blocks what a causal one would is aligned otherwise, and not missing in the setup") {
    Setup setup = testing::small_setup();
    setup.attention.source = Source::cross;
    setup.sizes.query_length = 2;
    setup.sizes.key_length = 5;
    setup.random.draws.push_back(*parse_draw("Y normal"));
    setup.mask.kinds = {MaskKind::custom};
    setup.mask.blocked = {{0, 4}};
    const auto ours = compute_trace(setup);
    Setup other = setup;
    other.mask.blocked = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}};
    const CheckReport report = check(*ours, arrays_of(*compute_trace(other), {weights, output}));
    CHECK(explained_by(report, "mask_alignment"));
    CHECK_FALSE(explained_by(report, "mask_not_in_setup"));
  }

  TEST_CASE("an inverted mask is named whatever its rows are filled with that see no key") {
    Setup setup = testing::small_setup();
    setup.mask.kinds = {MaskKind::causal};
    const auto ours = compute_trace(setup);
    const Mask mask(setup);
    for (const double fill : {-std::numeric_limits<double>::infinity(), -1e9}) {
      Trace wrong = *ours;
      wrong[masked_scores] = reshaped((*ours)[scores], (*ours)[scores].shape());
      const Shape& shape = wrong[masked_scores].shape();
      for (Index i = 0; i < wrong[masked_scores].elements(); ++i)
        if (mask.visible(0, i / shape[3] % shape[2], i % shape[3])) wrong[masked_scores].writable<double>()[i] = fill;
      Workspace workspace;
      run_through(wrong, weights, output, workspace);
      CHECK(explained_by(check(*ours, arrays_of(wrong, {weights})), "mask_inverted"));
      CHECK(explained_by(check(*ours, arrays_of(wrong, {output})), "mask_inverted"));
    }
  }
}
