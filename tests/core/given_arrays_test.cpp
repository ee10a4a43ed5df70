// Arrays that the user hands over, as files and as printouts; and what is said about them.
#include "core/formats/diagnose/given_arrays.hpp"

#include <fstream>
#include <stdexcept>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/diagnose/next_step.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/arrays/npy.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/diagnose/notebook_arrays.hpp"
#include "core/formats/diagnose/printed_arrays.hpp"
#include "core/formats/diagnose/report_text.hpp"
#include "core/model/problem.hpp"
#include "setups.hpp"
#include "temporary_folder.hpp"

using namespace headlight;

TEST_SUITE("given arrays") {
  TEST_CASE("a printout of several arrays, with their names") {
    const auto arrays = parse_printed_arrays(
        "Q = [[1.5, 2.25]\n [3., 4.]]\n\nattn scores: tensor([[1., 2.]], dtype=torch.float64)\n"
        "X =\narray([[1, 2], [3, 4]])\n[[0.5]]");
    REQUIRE(arrays.size() == 4);
    CHECK(arrays[0].name == "Q");
    CHECK(arrays[0].values.shape() == Shape{2, 2});
    CHECK(arrays[0].values.at({0, 1}) == 2.25);
    CHECK(arrays[1].name == "attn scores");
    CHECK(arrays[2].name == "X");
    CHECK(arrays[3].name.empty());
  }

  TEST_CASE("what a notebook has printed, with the names that its code says") {
    const auto cell = [](const nlohmann::json& source, const nlohmann::json& text) {
      const nlohmann::json output{{"output_type", "stream"}, {"name", "stdout"}, {"text", text}};
      return nlohmann::json{{"cell_type", "code"}, {"source", source}, {"outputs", nlohmann::json::array({output})}};
    };
    nlohmann::json result = cell("x = 1\nweights", nullptr);
    result["outputs"] = {
        {{"output_type", "execute_result"}, {"data", {{"text/plain", {"array([[0.5,\n", " 0.5]])"}}}}}};
    const nlohmann::json cells{cell("print(scores)", "[[9. 9.]]"),
                               cell("print(scores)", "[[1. 2.]]"),
                               cell("print('Q', Q); print(K)", "Q [[1.]]\n[[2.]]\n"),
                               cell("print(a, b)", "[[3.]] [[4.]]"),
                               cell("long", "[[1. ... 2.]]"),
                               cell("print(1)", "1"),
                               {{"cell_type", "markdown"}, {"source", "[1, 2]"}},
                               result};
    const auto arrays = parse_notebook(nlohmann::json{{"cells", cells}}.dump(), "a.ipynb");
    std::vector<std::string> names;
    for (const GivenArray& array : arrays) names.push_back(array.name);
    CHECK(names == std::vector<std::string>{"scores", "Q", "", "", "", "weights"});
    CHECK(arrays[0].values.at({0, 1}) == 2);
    CHECK(arrays.back().values.shape() == Shape{1, 2});
    for (const char* bad : {"{}", "[]", "{\"cells\": 3}", "{\"cells\": [null, {\"outputs\": [3]}]}", "no JSON"})
      CHECK_THROWS_AS(parse_notebook(bad, "a.ipynb"), InputError);
  }

  TEST_CASE("names in what a session prints, with prompts, calls and shapes") {
    const auto name = [](const char* text) {
      const auto arrays = parse_printed_arrays(text);
      return arrays.size() == 1 ? arrays[0].name : fmt::format("{} arrays", arrays.size());
    };
    CHECK(name(">>> print(ctx)\n[[1. 2.]]") == "ctx");
    CHECK(name("In [5]: out\nOut[5]: \narray([[1., 2.]])") == "out");
    CHECK(name("scores shape: (1, 2)\n[[1. 2.]]") == "scores");
    CHECK(name("scores: torch.Size([1, 2])\ntensor([[1., 2.]])") == "scores");
    CHECK(name("scores.shape = (1, 2)\n[[1. 2.]]") == "scores");
    CHECK(name("weights[0]:\n[[1. 2.]]") == "weights[0]");
    const auto two =
        parse_printed_arrays("In [1]: Q\nOut[1]: array([[1.]], dtype=float32)\n\nIn [2]: K\nOut[2]: array([[2.]])");
    REQUIRE(two.size() == 2);
    CHECK(two[0].name == "Q");
    CHECK(two[1].name == "K");
  }

  TEST_CASE("what other programs print: R, MATLAB, Octave, Julia, pandas, Mathematica and an old PyTorch") {
    struct Printout {
      const char* text;
      const char* name;
    };
    // All are the same two rows of three numbers.
    for (const auto& [text, name] : {
             Printout{"output\n        [,1]   [,2]  [,3]\n[1,]  1.5000 -2.250 0.125\n[2,]  4.0000  5.500 6.000\n",
                      "output"},
             Printout{"> output\n      [,1]   [,2]\n[1,]  1.5 -2.250\n[2,]  4.0  5.500\n      [,3]\n[1,] 0.125\n[2,] "
                      "6.000\n",
                      "output"},
             Printout{"output =\n\n    1.5000   -2.2500    0.1250\n    4.0000    5.5000    6.0000\n", "output"},
             Printout{"output =\n\n   1.0e+03 *\n\n    0.0015   -0.00225    0.000125\n    0.0040    0.0055    0.0060\n",
                      "output"},
             Printout{
                 "output =\n\n  Columns 1 through 2\n\n   1.5 -2.25\n   4.0 5.5\n\n  Column 3\n\n   0.125\n   6.0\n",
                 "output"},
             Printout{"2\u00d73 Matrix{Float64}:\n 1.5  -2.25  0.125\n 4.0   5.5   6.0\n", ""},
             Printout{"output = [1.5 -2.25 0.125; 4.0 5.5 6.0]", "output"},
             Printout{
                 "          0         1         2\n0  1.500000 -2.250000  0.125000\n1  4.000000  5.500000  6.000000\n",
                 ""},
             Printout{"       a     b  \\\nThe  1.5 -2.25   \ncat  4.0  5.50   \n\n         c  \nThe  0.125  \ncat  "
                      "6.000  \n\n"
                      "[2 rows x 3 columns]\n",
                      ""},
             Printout{"output = {{1.5, -2.25, 1.25*^-1}, {4., 5.5, 6.}}", "output"},
             Printout{"\n 1.5000 -2.2500  0.1250\n 4.0000  5.5000  6.0000\n[torch.FloatTensor of size 2x3]\n", ""},
             Printout{
                 "| q | k0 | k1 | k2 |\n|---|---:|---|---|\n| The | 1.5 | -2.25 | 0.125 |\n| cat | 4.0 | 5.5 | 6 |\n",
                 ""},
             Printout{"| 1.5 | -2.25 | 0.125 |\n| 4.0 | 5.5 | 6 |", ""},
             Printout{"Q = \\begin{pmatrix} 1.5 & -2.25 & 0.125 \\\\ 4.0 & 5.5 & 6 \\end{pmatrix}", "Q"},
             Printout{"\\begin{tabular}{lrrr}\n\\hline\nq & a & b & c \\\\\n\\hline\nThe & 1.5 & -2.25 & 0.125 \\\\\n"
                      "cat & 4.0 & 5.5 & 6 \\\\\n\\end{tabular}",
                      ""},
             Printout{"> [[1.5, -2.25, 0.125],\n>  [4.0, 5.5, 6.0]]", ""},
             Printout{"w = [[150%, -225%, 12.5%], [400%, 550%, 600%]]", "w"},
             Printout{"150 % -225 % 12.5 %\n400 % 550 % 600 %", ""},
         }) {
      INFO(text);
      const auto arrays = parse_printed_arrays(text);
      REQUIRE(arrays.size() == 1);
      CHECK(arrays[0].name == name);
      REQUIRE(arrays[0].values.shape() == Shape{2, 3});
      Index flat = 0;
      for (const double number : {1.5, -2.25, 0.125, 4.0, 5.5, 6.0}) {
        CHECK(arrays[0].values.at({flat / 3, flat % 3}) == doctest::Approx(number));
        ++flat;
      }
    }
  }

  TEST_CASE("LaTeX that breaks off in a brace is no array") {
    for (const char* text : {"[\\begin{pmatrix\\end{", "{\\begin{pmatrix", "[1\\begin{pmatrix}[c 1 & 2 \\end{pmatrix",
                             "{\\begin{tabular}{l 1 & 2 \\end{tabular"}) {
      INFO(text);
      CHECK_THROWS_AS(parse_printed_arrays(text), std::invalid_argument);
    }
    CHECK(parse_printed_arrays("[\\begin{matrix}[c] 1.5 & 2 \\end{matrix").at(0).values.shape() == Shape{1, 2});
  }

  TEST_CASE("slices of arrays with three axes are put where their program counts them") {
    const auto of_r =
        parse_printed_arrays(", , 1\n\n     [,1] [,2]\n[1,]  1.0  2.0\n\n, , 2\n\n     [,1] [,2]\n[1,]  3.0  4.0\n");
    REQUIRE(of_r.size() == 1);
    CHECK(of_r[0].values.shape() == Shape{1, 2, 2});
    CHECK(of_r[0].values.at({0, 1, 0}) == 2);
    CHECK(of_r[0].values.at({0, 0, 1}) == 3);
    const auto of_torch = parse_printed_arrays(
        "\n(0 ,.,.) = \n  1.0  2.0\n\n(1 ,.,.) = \n  3.0  4.0\n[torch.FloatTensor of size 2x1x2]\n");
    REQUIRE(of_torch.size() == 1);
    CHECK(of_torch[0].values.shape() == Shape{2, 1, 2});
    CHECK(of_torch[0].values.at({1, 0, 0}) == 3);
    CHECK(parse_printed_arrays("b\n[1] 1.5 2.5\n[3] 3.5\n").at(0).values.shape() == Shape{3});
  }

  TEST_CASE("a printout of float16 is compared as float16") {
    const auto half =
        parse_printed_arrays("w = tensor([[ 9.0234, -0.7964]], device='cuda:0', dtype=torch.float16)\nv = [1.5]");
    CHECK(half.at(0).half_digits.at({0, 0}) == doctest::Approx(0.00005 + 0.0078125 / 2));
    CHECK(half.at(0).half_digits.at({0, 1}) == doctest::Approx(0.00005 + 0.00048828125 / 2));
    CHECK(half.at(1).half_digits.at({0}) == doctest::Approx(0.05));
    const auto brain = parse_printed_arrays("tensor([1.5000], dtype=torch.bfloat16)");
    CHECK(brain.at(0).half_digits.at({0}) == doctest::Approx(0.00005 + 0.0078125 / 2));
  }

  TEST_CASE("a zero doesn't stand for large numbers, whatever exponent or factor is written at it") {
    for (const std::string zero : {"0e5", "0e300", "-0.0E+400", "0.0e-2147483648", "0e-99999999999"}) {
      CAPTURE(zero);
      CHECK(parse_printed_arrays("w = [" + zero + ", 2.5]").at(0).half_digits.at({0}) <= 0.5);
      CHECK(parse_printed_arrays("w = [" + zero + ", " + zero + "]").at(0).half_digits.at({1}) <= 0.5);
    }
    CHECK(parse_printed_arrays("w = [0.e+00, 1.e+05]").at(0).half_digits.at({1}) == doctest::Approx(50'000));
    CHECK(parse_printed_arrays("1e+30 *\n[0., 0.]").at(0).half_digits.at({0}) == 0.5);
    CHECK(parse_printed_arrays("1e+30 *\n[0., 1e-31]").at(0).half_digits.at({0}) == 0.5);
    CHECK(parse_printed_arrays("1e+05 *\n[0.0, 1.2]").at(0).half_digits.at({0}) == doctest::Approx(5'000));
    CHECK(parse_printed_arrays("1e-02 *\n[0.0, 0.2]").at(0).half_digits.at({0}) == doctest::Approx(0.0005));
  }

  TEST_CASE("a printout of more arrays than anybody prints is refused before they are made") {
    const auto printout = [](int count, std::string_view each) {
      std::string text;
      for (int i = 0; i < count; ++i) text += each;
      return text;
    };
    CHECK(parse_printed_arrays(printout(10'000, "[1]\n")).size() == 10'000);
    for (const std::string_view each : {"[1]\n", "\\begin{a}1\\end{a}\n"})
      CHECK_THROWS_WITH_AS(parse_printed_arrays(printout(10'001, each)), "more than 10000 arrays",
                           std::invalid_argument);
  }

  TEST_CASE("a printout in percent keeps its digits, and a remark about percent changes nothing") {
    CHECK(parse_printed_arrays("w = [12.5%, 50%]").at(0).half_digits.at({0}) == doctest::Approx(0.0005));
    CHECK(parse_printed_arrays("# 100% right\nw = [12.5, 50.0]").at(0).values.at({0}) == 12.5);
    CHECK(parse_printed_arrays("{'Q': [[1., 2.]]}").at(0).values.shape() == Shape{1, 2});
  }

  TEST_CASE("a factor above the numbers, scalars in lists, minus signs set in type") {
    for (const char* text : {"Q = tensor(1e-02 *\n       [[1.5000, -2.2500]])", "Q\n1e-02 *\n[[1.5000 -2.2500]]"}) {
      const auto arrays = parse_printed_arrays(text);
      REQUIRE(arrays.size() == 1);
      CHECK(arrays[0].name == "Q");
      CHECK(arrays[0].values.at({0, 1}) == doctest::Approx(-0.0225));
      CHECK(arrays[0].half_digits.at({0, 1}) == doctest::Approx(0.0000005));
    }
    const auto list = parse_printed_arrays("[np.float64(1.5), tensor(-2.2500), \u22123.0]").at(0);
    CHECK(list.values.shape() == Shape{3});
    CHECK(list.values.at({1}) == -2.25);
    CHECK(list.values.at({2}) == -3);
    CHECK(list.half_digits.at({0}) == doctest::Approx(0.00005));
  }

  TEST_CASE("cells of a spreadsheet, with decimal points and with decimal commas") {
    for (const char* text : {"1.5\t-2.25\n3\t4", "1,5\t-2,25\n3\t4", "1,5;-2,25\r\n3;4\r\n"}) {
      const GivenArray array = parse_printed_arrays(text).at(0);
      CAPTURE(text);
      CHECK(array.values.shape() == Shape{2, 2});
      CHECK(array.values.at({0, 1}) == -2.25);
      CHECK(array.half_digits.at({1, 0}) == doctest::Approx(0.005));
    }
    CHECK(parse_printed_arrays("1,5\n3,4").at(0).values.shape() == Shape{2, 2});
  }

  TEST_CASE("half a unit of the last digit") {
    const auto digits = [](const char* text) { return parse_printed_arrays(text).at(0).half_digits; };
    CHECK(digits("[0.125 3.   ]").at({1}) == doctest::Approx(0.0005));
    CHECK(digits("[1.25e-03 4.00e+02]").at({0}) == doctest::Approx(0.000005));
    CHECK(digits("[1.25e-03 4.00e+02]").at({1}) == doctest::Approx(0.5));
    CHECK(digits("[1. 2.]").at({0}) == doctest::Approx(0.5));
    CHECK(digits("[1 2]").empty());
  }

  TEST_CASE("text without brackets is one array; text without numbers is none") {
    CHECK(parse_printed_arrays("1.0 2.0\n3.0 4.0\n").at(0).values.shape() == Shape{2, 2});
    CHECK_THROWS_AS(parse_printed_arrays("hello"), std::invalid_argument);
    CHECK_THROWS_AS(parse_printed_arrays("[[1. 2. ... 3.]]"), std::invalid_argument);
    CHECK_THROWS_AS(parse_printed_arrays("Q = [[1. 2.]"), std::invalid_argument);
  }

  TEST_CASE("files are told apart by what is in them; one array is called like its file") {
    const testing::TemporaryFolder folder;
    const Tensor tensor = Tensor::zeros(Precision::float32, {2, 3});
    const std::vector<NamedTensor> two{{"a", tensor}, {"b", tensor}};
    write_npz(folder / "mine.txt", two);
    write_npy(folder / "output.npz", tensor);
    std::ofstream(folder / "weights.txt") << "[[0.5 0.5]]";
    CHECK(read_given_arrays(folder / "mine.txt").at(1).name == "b");
    CHECK(read_given_arrays(folder / "output.npz").at(0).name == "output");
    CHECK(read_given_arrays(folder / "weights.txt").at(0).name == "weights");
    CHECK(read_given_arrays(folder / "weights.txt").at(0).called_by_file);
    CHECK_FALSE(read_given_arrays(folder / "mine.txt").at(0).called_by_file);
    std::ofstream(folder / "two.txt") << "[1. 2.]\n\n[3. 4.]";
    CHECK(read_given_arrays(folder / "two.txt").at(1).name == "array 2");
    CHECK_THROWS_AS(read_given_arrays(folder / "none.npz"), InputError);
    std::ofstream(folder / "object.pkl") << "\x80\x04K\x01.";
    CHECK_THROWS_AS(read_given_arrays(folder / "object.pkl"), InputError);
  }

  TEST_CASE("what a capture notes beside the layer's tensors is left out, and kept of any other file") {
    const testing::TemporaryFolder folder;
    const Tensor tensor = Tensor::zeros(Precision::float32, {2, 3});
    const std::vector<NamedTensor> notes{
        {"mask", tensor}, {"added_scores", tensor}, {"h.0.attn.in_proj_weight", tensor}};
    std::vector<NamedTensor> arrays{{"X", tensor}, {"h.0.attn.out_proj.weight", tensor}};
    arrays.insert(arrays.end(), notes.begin(), notes.end());
    write_npz(folder / "mine.npz", arrays);
    CHECK(read_given_arrays(folder / "mine.npz").size() == 5);
    arrays.push_back({"num_heads", Tensor::zeros(Precision::float64, {})});
    write_npz(folder / "capture.npz", arrays);
    const std::vector<GivenArray> read = read_given_arrays(folder / "capture.npz");
    REQUIRE(read.size() == 2);
    CHECK(read[0].name == "X");
    CHECK(read[1].name == "h.0.attn.out_proj.weight");
  }

  TEST_CASE("a report has the keys that programs read, and fixes in the library's words") {
    const Setup setup = testing::small_setup();
    CheckReport report{
        .agrees = false, .first_difference = TensorId::scores, .tensors = {}, .diagnoses = {}, .unrecognised = {"foo"}};
    report.tensors.push_back({.tensor = TensorId::scores,
                              .yours = "att",
                              .shape = {1, 2, 4, 4},
                              .max_abs = 1.0 / 0.0,
                              .cells_off = 3,
                              .agrees = false,
                              .step_agrees = false});
    Diagnosis diagnosis;
    diagnosis.tensor = TensorId::scores;
    diagnosis.mistake = "scale_missing";
    diagnosis.explains = true;
    diagnosis.at = {TensorId::scores};
    report.diagnoses.push_back(diagnosis);
    const auto json = nlohmann::json::parse(report_json(report, setup));
    CHECK(json.size() == 7);
    CHECK(json["first_difference"] == "scores");
    CHECK(json["tensors"][0].size() == 7);
    CHECK(json["tensors"][0]["max_abs"] == "inf");
    CHECK(json["diagnoses"][0].size() == 6);
    CHECK(json["diagnoses"][0]["tensors"] == nlohmann::json{"scores"});
    CHECK(json["diagnoses"][0]["fix"] == "scores = dot_products / d_head**0.5");
    CHECK(json["unrecognised"][0] == "foo");
    CHECK(fix_of(diagnosis, setup, Framework::torch) == "scores = dot_products / d_head**0.5");
    diagnosis.at = {TensorId::weights};
    CHECK(fix_of(diagnosis, setup, Framework::torch) == "weights = torch.softmax(masked_scores, dim=-1)");
    diagnosis.draws = setup.random.draws;
    CHECK(fix_of(diagnosis, setup, Framework::numpy).find("np.random.seed(0)") != std::string::npos);
    CHECK(report_text(report, setup).find("scale_missing") != std::string::npos);
  }

  TEST_CASE("a report without an explanation is short, and says what to hand over next") {
    const Setup setup = testing::small_setup();
    const auto verdict = [](TensorId id, bool agrees) {
      return TensorVerdict{.tensor = id, .yours = std::string(name(id)), .agrees = agrees, .step_agrees = agrees};
    };
    CheckReport report;
    report.agrees = false;
    report.first_difference = TensorId::output;
    report.tensors = {verdict(TensorId::output, false)};
    for (const char* mistake : {"scale_missing", "weight_transposed", "bias_missing", "scale_missing"}) {
      report.diagnoses.emplace_back();
      report.diagnoses.back().mistake = mistake;
      report.diagnoses.back().misfit = static_cast<double>(report.diagnoses.size());
    }
    CHECK(report_text(report, setup) ==
          "The first difference is in output (yours: output).\n"
          "None of 3 known mistakes explains it; scale_missing comes closest, and leaves 1 (--json lists them).\n\n"
          "Next, hand over your scores as well: it shows whether the difference begins before it or after.\n");
    CHECK(nlohmann::json::parse(report_json(report, setup))["hand_over"] == nlohmann::json{"scores"});
    report.diagnoses.front().explains = true;
    CHECK(nlohmann::json::parse(report_json(report, setup))["hand_over"].empty());
    CHECK(report_text(report, setup).find("None of") == std::string::npos);
  }

  TEST_CASE("what to hand over next divides what is between the agreeing tensors and the first difference") {
    using enum TensorId;
    const Setup setup = testing::small_setup();
    const auto next = [&](std::vector<TensorId> agreeing, TensorId first) {
      CheckReport report;
      for (const TensorId id : agreeing) report.tensors.push_back({.tensor = id});
      report.tensors.push_back({.tensor = first, .agrees = false});
      report.first_difference = first;
      return next_step(report, setup);
    };
    CHECK(next({}, output).hand_over == std::vector{scores});
    CHECK(next({scores}, output).hand_over == std::vector{weights});
    CHECK(next({weights}, output).hand_over == std::vector{context});
    CHECK(next({weights, context}, output).in_this_step);
    CHECK(next({weights, concat}, output).in_this_step);
    CHECK(next({}, scores).hand_over == std::vector{Q, K});
    CHECK(next({Q, K}, scores).hand_over == std::vector{dot_products});
    CHECK(next({}, dot_products).hand_over == std::vector{Q, K});
    CHECK(next({Q}, dot_products).hand_over == std::vector{K});
    CHECK(next({Q, K}, dot_products).in_this_step);
    CHECK(next({}, Q).hand_over == std::vector{X, W_q, b_q});
    CHECK(next({X, W_q, b_q}, Q).hand_over.empty());
  }
}
