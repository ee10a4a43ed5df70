#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/engine/engine.hpp"
#include "core/formats/arrays/csv.hpp"
#include "core/formats/arrays/npy.hpp"
#include "core/formats/arrays/number_table.hpp"
#include "core/formats/arrays/tensor_slice.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"
#include "tests/core/temporary_folder.hpp"

using namespace headlight;
using headlight::testing::TemporaryFolder;

namespace {

Setup small() {
  Setup setup;
  setup.tokens = {"The", "cat, \"sat\"", "a|b_c"};
  setup.sizes = {.batch = 2, .query_length = 3, .key_length = {}, .d_model = 4, .heads = 2, .kv_heads = {}};
  setup.mask.kinds = {MaskKind::causal};
  for (const char* draw :
       {"seed 0", "X normal", "W_q normal", "W_k normal", "W_v uniform", "W_o uniform", "b_q normal"})
    setup.random.draws.push_back(*parse_draw(draw));
  return setup;
}

LabelledNumbers numbers(const Trace& trace, std::string_view slice) {
  return numbers_of(trace, parse_tensor_slice(slice, trace.setup));
}

std::string refusal(std::string_view slice) {
  try {
    parse_tensor_slice(slice, small());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

/// The given numbers as a slice with the given labels.
LabelledNumbers with_values(std::vector<double> values, std::vector<std::string> rows,
                            std::vector<std::string> columns) {
  LabelledNumbers result;
  result.name = "scores[0,0]";
  const Shape shape{static_cast<Index>(rows.size()), static_cast<Index>(columns.size())};
  result.values = Tensor::zeros(Precision::float64, shape);
  std::copy(values.begin(), values.end(), result.values.writable<double>());
  result.axes = {{"query", std::move(rows), true}, {"key", std::move(columns), true}};
  return result;
}

}  // namespace

TEST_CASE("slices are read as they are written") {
  const Setup setup = small();
  for (const char* text : {"weights", "weights[0,1]", "weights[:,1]", "weights[1,1,2,0]", "X[1]", "W_q[3]", "b_q[2]"})
    CHECK(to_string(parse_tensor_slice(text, setup)) == text);
  CHECK(to_string(parse_tensor_slice(" weights [ 0 , : , 2 , : ] ", setup)) == "weights[0,:,2]");
  CHECK(parse_tensor_slice("weights[:,:]", setup) == parse_tensor_slice("weights", setup));
}

TEST_CASE("what is no slice of the setup is refused with what would be") {
  for (const char* text : {"", "weight", "Y", "b_k", "weights[", "weights[]", "weights[0", "weights[0,1,2,0,0]",
                           "weights[2]", "weights[0,-1]", "weights[x]", "weights[0.5]", "weights]0[", "weights[0]0"})
    CHECK_MESSAGE(!refusal(text).empty(), text);
  CHECK(refusal("weights[2]").find("weights[batch,head,query,key] inside its shape (2, 2, 3, 3)") != std::string::npos);
  CHECK(refusal("Y").find("one of X, W_q") != std::string::npos);
}

TEST_CASE("a slice is the window of the trace, with the labels of the axes that are left") {
  const auto trace = compute_trace(small());
  const LabelledNumbers head = numbers(*trace, "weights[1,:,2]");
  CHECK(head.values.shape() == Shape{2, 3});
  CHECK(head.values.at({1, 0}) == trace->value({TensorId::weights, {1, 1, 2, 0}}));
  CHECK(head.axes[0].name == "head");
  CHECK(head.axes[0].labels == std::vector<std::string>{"0", "1"});
  CHECK_FALSE(head.axes[0].tokens);
  CHECK(head.axes[1].labels == small().tokens);
  CHECK(head.axes[1].tokens);
  const Index hidden[] = {0, 1};
  CHECK(numbers(*trace, "weights[0,0]").masked(hidden));
  CHECK_FALSE(numbers(*trace, "scores[0,0]").masked(hidden));
}

TEST_CASE("a table of two axes has the tokens at its edges") {
  const auto trace = compute_trace(small());
  const auto text = lines(csv_text(numbers(*trace, "weights[0,1]")));
  REQUIRE(text.size() == 4);
  CHECK(text[0] == "query,The,\"cat, \"\"sat\"\"\",a|b_c");
  CHECK(text[1] == "The,1,0,0");
  CHECK(text[2].starts_with("\"cat, \"\"sat\"\"\",0."));
}

TEST_CASE("a table of one axis is one row") {
  const auto trace = compute_trace(small());
  const auto text = lines(csv_text(numbers(*trace, "weights[0,1,0]")));
  CHECK(text == std::vector<std::string>{",The,\"cat, \"\"sat\"\"\",a|b_c", "\"weights[0,1,0]\",1,0,0"});
  CHECK(lines(csv_text(numbers(*trace, "b_q")))[0] == ",0,1,2,3");
}

TEST_CASE("more axes and none make the long form, in row-major order") {
  const auto trace = compute_trace(small());
  const auto text = lines(csv_text(numbers(*trace, "weights[1]")));
  REQUIRE(text.size() == 1 + 2 * 3 * 3);
  CHECK(text[0] == "head,query,query_token,key,key_token,value");
  CHECK(text[1] == "0,0,The,0,The,1");
  CHECK(text[2] == "0,0,The,1,\"cat, \"\"sat\"\"\",0");
  CHECK(text[10].starts_with("1,0,The,0,The,"));
  CHECK(lines(csv_text(numbers(*trace, "weights[1,0,0,0]"))) == std::vector<std::string>{"value", "1"});
}

TEST_CASE("every number of a CSV reads back as the same number, in both precisions") {
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    Setup setup = small();
    setup.attention.precision = precision;
    setup.attention.temperature = 0.1;
    const auto trace = compute_trace(setup);
    for (const TensorInfo& tensor : all_tensors()) {
      if (!trace->has(tensor.id)) continue;
      LabelledNumbers whole = numbers(*trace, tensor.name);
      // In the long form, for any rank, each line ends with its number.
      const auto text = lines(csv_text(whole));
      std::vector<double> read;
      for (std::size_t i = 1; i < text.size(); ++i) {
        std::istringstream fields(text[i].substr(whole.rank() > 2 ? text[i].rfind(',') + 1 : text[i].find(',') + 1));
        for (std::string field; std::getline(fields, field, ',');)
          read.push_back(precision == Precision::float32 ? static_cast<double>(std::strtof(field.c_str(), nullptr))
                                                         : std::strtod(field.c_str(), nullptr));
      }
      const Tensor flat = trace->tensors[static_cast<std::size_t>(tensor.id)].contiguous();
      REQUIRE(static_cast<Index>(read.size()) == flat.elements());
      for (std::size_t i = 0; i < read.size(); ++i) {
        const double number =
            precision == Precision::float32 ? static_cast<double>(flat.data<float>()[i]) : flat.data<double>()[i];
        CHECK(read[i] == number);
      }
    }
  }
}

TEST_CASE("files of numbers hold the same as the text, and nothing else is left in the folder") {
  const TemporaryFolder folder;
  const auto trace = compute_trace(small());
  const LabelledNumbers slice = numbers(*trace, "masked_scores[:,1]");
  write_csv(folder / "a.csv", slice);
  CHECK(read_text(folder / "a.csv") == csv_text(slice));
  write_npy(folder / "a.npy", slice.values);
  CHECK(identical(read_npy(folder / "a.npy"), slice.values));
  const LabelledNumbers one = numbers(*trace, "X[0,1,2]");
  write_npy(folder / "one.npy", one.values);
  CHECK(identical(read_npy(folder / "one.npy"), one.values));
  CHECK(folder.entries() == 3);
  CHECK_THROWS_AS(write_csv(folder / "none/a.csv", slice), InputError);
}

TEST_CASE("a Markdown table is rounded, escaped, and marks what is masked") {
  const auto trace = compute_trace(small());
  const auto text = lines(number_table(numbers(*trace, "weights[0,1]"), TableLanguage::markdown));
  REQUIRE(text.size() == 7);
  CHECK(text[0] == "| query | The | cat, \"sat\" | a\\|b\\_c |");
  CHECK(text[1] == "| :-- | --: | --: | --: |");
  CHECK(text[2] == "| The | 1.000 | – | – |");
  CHECK(text[6] == "– is masked.");
}

TEST_CASE("a LaTeX table needs no package and escapes what LaTeX would take for itself") {
  const std::vector<std::string> labels{"50% & $1", "a_b^c~{d}\\#"};
  const auto text = lines(number_table(with_values({0.5, -0.25, 1.0, -0.00001}, labels, labels), TableLanguage::latex));
  REQUIRE(text.size() == 7);
  CHECK(text[0] == "% scores[0,0]");
  CHECK(text[1] == "\\begin{tabular}{l|rr}");
  CHECK(text[2] ==
        "  query & 50\\% \\& \\$1 & a\\_b\\textasciicircum{}c\\textasciitilde{}\\{d\\}\\textbackslash{}\\# \\\\");
  CHECK(text[4] == "  50\\% \\& \\$1 & $0.500$ & $-0.250$ \\\\");
  CHECK(text[5].ends_with("& $1.000$ & $0.000$ \\\\"));
  CHECK(text[6] == "\\end{tabular}");
}

TEST_CASE("digits are those of the largest number, for all alike") {
  const std::vector<std::string> row{"a"};
  const std::vector<std::string> columns{"x", "y"};
  const auto cells = [&](std::vector<double> values, int digits) {
    return lines(number_table(with_values(std::move(values), row, columns), TableLanguage::markdown, digits))[2];
  };
  CHECK(cells({0.4132, 0.00051}, 4) == "| a | 0.4132 | 0.0005 |");
  CHECK(cells({12.3456, -1}, 4) == "| a | 12.35 | -1.00 |");
  CHECK(cells({123456, 2}, 3) == "| a | 123456 | 2 |");
  CHECK(cells({1.5e-12, 2e-13}, 3) == "| a | 1.50e-12 | 2.00e-13 |");
  CHECK(cells({0, 0}, 2) == "| a | 0.0 | 0.0 |");
  CHECK(cells({0.1 + 0.2, 0.5}, 17) == "| a | 0.30000000000000004 | 0.50000000000000000 |");
  const double endless = std::numeric_limits<double>::infinity();
  CHECK(cells({-endless, std::nan("")}, 4) == "| a | -inf | NaN |");
  CHECK(lines(number_table(with_values({1.5e-12, -endless}, row, columns), TableLanguage::latex, 3))[4] ==
        "  a & $1.50 \\cdot 10^{-12}$ & $-\\infty$ \\\\");
}

TEST_CASE("a table of three axes is refused with what would be one") {
  const auto trace = compute_trace(small());
  CHECK_THROWS_AS(number_table(numbers(*trace, "weights[0]"), TableLanguage::markdown), InputError);
  CHECK_THROWS_AS(number_table(numbers(*trace, "X[0,0,0]"), TableLanguage::latex), InputError);
}

namespace {

/// A weight between two tokens, in each kind of table.
std::vector<std::string> tables_with(const std::string& token) {
  const LabelledNumbers matrix = with_values({0.5, 0.5}, {token}, {token, "b"});
  Setup setup = small();
  setup.tokens = {token, token, token};
  return {csv_text(matrix), csv_text(numbers(*compute_trace(setup), "weights[0]")),
          number_table(matrix, TableLanguage::markdown), number_table(matrix, TableLanguage::latex)};
}

}  // namespace

TEST_CASE("no token reaches a terminal with control characters") {
  for (const char* token : {"\x1B]0;x\x07",
                            "\xC2\x9B"
                            "2J",
                            "\u202Egnp.exe", "\u2066", "a\rb", "\x9B[2J"}) {
    for (const std::string& table : tables_with(token)) {
      CAPTURE(table);
      CHECK(table == printable_lines(table));
    }
  }
  CHECK(tables_with("\u202E")[0].starts_with("query,\\u202E,b\n\\u202E,0.5"));
}

TEST_CASE("no token becomes a formula in a spreadsheet") {
  for (const std::string token : {"=1+1", "+1", "-1", "@SUM(1)", "=", "-", "\t=1", "＝1", "＋1", "－1", "＠1"}) {
    CAPTURE(token);
    const auto matrix = lines(csv_text(with_values({0.5, -0.5}, {token}, {token, "b"})));
    CHECK(matrix == std::vector<std::string>{fmt::format("query,'{},b", token), fmt::format("'{},0.5,-0.5", token)});
    Setup setup = small();
    setup.tokens = {token, "b", "c"};
    CHECK(lines(csv_text(numbers(*compute_trace(setup), "scores[0]")))[1].find(
              fmt::format(",0,'{},0,'{},", token, token)) != std::string::npos);
  }
  CHECK(lines(csv_text(with_values({0.5}, {"=a,\"b\""}, {"c"})))[1] == "\"'=a,\"\"b\"\"\",0.5");
  CHECK(lines(csv_text(with_values({0.5}, {" =1"}, {"c"})))[1] == "' =1,0.5");
  CHECK(csv_text(with_values({0.5}, {"\n=1"}, {"c"})).find("\n\"'\n=1\",0.5") != std::string::npos);
  CHECK(lines(csv_text(with_values({0.5}, {"a;=1"}, {"c"})))[1] == "\"a;=1\",0.5");
  CHECK(lines(csv_text(with_values({-std::nan("")}, {"b"}, {"c"})))[1] == "b,nan");  // "-nan" would be one too
  for (const std::string token : {"a=1", "'a", "1", "…", "é", "(-1)"})
    CHECK(lines(csv_text(with_values({0.5}, {token}, {"c"})))[1] == token + ",0.5");
}
