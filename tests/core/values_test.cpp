// Numbers that are given instead of drawn: read, checked, written, computed with, explained and put into scripts.
#include <cmath>
#include <fstream>
#include <limits>

#include <doctest/doctest.h>

#include "core/engine/engine.hpp"
#include "core/formats/arrays/npy.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/script/draw_code.hpp"
#include "core/formats/script/script.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/formats/values/array_reference.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/value_checks.hpp"
#include "core/stages/explain.hpp"
#include "tests/core/setups.hpp"
#include "tests/core/temporary_folder.hpp"

using namespace headlight;
using headlight::testing::TemporaryFolder;

namespace {

Tensor counting(const Shape& shape, double first = 0) {
  Tensor tensor = Tensor::uninitialized(Precision::float64, shape);
  for (Index i = 0; i < tensor.elements(); ++i) tensor.writable<double>()[i] = first + static_cast<double>(i);
  return tensor;
}

/// The default sizes: 4 tokens, d_model 8, 2 heads. `values` are the lines below [values].
std::string document(const std::string& values, const std::string& before = "") {
  return "version = 1\n" + before +
         "[random]\ndraws = [\"seed 0\", \"X uniform\", \"W_q uniform\", \"W_k uniform\"]\n[values]\n" + values;
}

Setup given(const std::string& values, const std::string& before = "") {
  return parse_setup(document(values, before), "lesson.toml");
}

std::vector<std::string> complaints(const std::string& text, const std::filesystem::path& folder = {}) {
  std::vector<std::string> messages;
  try {
    parse_setup(text, "lesson.toml", folder);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) messages.push_back(problem.message());
  }
  return messages;
}

/// The one complaint about these values, without the name of the document.
std::string complaint_about_values(const std::string& values, const std::string& before = "") {
  const auto messages = complaints(document(values, before));
  REQUIRE(messages.size() == 1);
  return messages[0].substr(messages[0].find(": ") + 2);
}

std::string rows(int count, const std::string& row) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + row;
  return "[" + text + "]";
}

const std::string eight = "[0, 1, 2, 3, 4, 5, 6, 7]";

}  // namespace

TEST_CASE("parts: NumPy's notation is read as NumPy reads it") {
  const std::vector<Index> extents{10, 4};
  const auto taken = [&](const char* text) {
    std::vector<Index> places;
    const auto ranges = ranges_of(parse_array_part(text).value(), extents).value();
    for (Index i = 0; i < ranges[0].count; ++i) places.push_back(ranges[0].first + i * ranges[0].step);
    return places;
  };
  using Places = std::vector<Index>;
  CHECK(taken("[3]") == Places{3});
  CHECK(taken("[-1, 2]") == Places{9});
  CHECK(taken("[2:5]") == Places{2, 3, 4});
  CHECK(taken("[ :2 , : ]") == Places{0, 1});
  CHECK(taken("[-2:]") == Places{8, 9});
  CHECK(taken("[1:8:3]") == Places{1, 4, 7});
  CHECK(taken("[::-4]") == Places{9, 5, 1});
  CHECK(taken("[2::-1]") == Places{2, 1, 0});
  CHECK(taken("[-100:100:5]") == Places{0, 5});
  CHECK(taken("[5:2]").empty());
  CHECK(taken("[...]").size() == 10);
  CHECK(taken("[..., 1:3]").size() == 10);
  CHECK(taken("[4, ..., 2]") == Places{4});
  CHECK(taken("[4, 2, ...]") == Places{4});
  CHECK_FALSE(ranges_of(*parse_array_part("[10]"), extents));
  CHECK_FALSE(ranges_of(*parse_array_part("[-11]"), extents));
  CHECK_FALSE(ranges_of(*parse_array_part("[0,0,0]"), extents));
  for (const char* text : {"", "[]", "[1", "1]", "[a]", "[1:2:0]", "[1:2:3:4]", "[1.5]", "[0,0,0,0,0]", "[,1]",
                           "[...,...]", "[....]", "[...:2]"})
    CHECK_MESSAGE(!parse_array_part(text), text);
  for (const char* text : {"[2,5]", "[0:4]", "[:,-3:]", "[::-1,2]", "[...,2]", "[0,0,0,...,0]"})
    CHECK(to_string(*parse_array_part(text)) == text);
}

TEST_CASE("parts: two that share a number overlap") {
  const auto share = [](const char* a, const char* b) {
    const std::vector<Index> extents{10, 4};
    return overlap(*ranges_of(*parse_array_part(a), extents), *ranges_of(*parse_array_part(b), extents));
  };
  CHECK(share("[2]", "[2,1]"));
  CHECK_FALSE(share("[2,0]", "[2,1]"));
  CHECK_FALSE(share("[0:4]", "[4:]"));
  CHECK(share("[:,1]", "[5]"));
  CHECK(share("[::3]", "[::2]"));
  CHECK_FALSE(share("[::2]", "[1::2]"));
  CHECK(share("[::-2]", "[9]"));
  CHECK(share("[...,1]", "[5]"));
  CHECK_FALSE(share("[...,1]", "[5,0]"));
  CHECK_FALSE(share("[::-2]", "[8]"));
}

TEST_CASE("references: file, name, steps and digest are told apart") {
  const auto told = [](const char* text) {
    const auto reference = parse_array_reference(text);
    return reference
               ? reference->file.string() + "|" + reference->name + "|" + reference->steps + "|" + reference->digest
               : std::string("none");
  };
  CHECK(told("layer.npz:W_q") == "layer.npz|W_q||");
  CHECK(told("../a b/layer.npz:W_q.T") == "../a b/layer.npz|W_q|.T|");
  CHECK(told("m.safetensors:layers.3.k_proj.weight.T") == "m.safetensors|layers.3.k_proj.weight|.T|");
  CHECK(told("m.safetensors:c_attn[:, 768:1536].T") == "m.safetensors|c_attn|[:, 768:1536].T|");
  CHECK(told("t.csv") == "t.csv|||");
  CHECK(told("t.npy.T[0:4]#0123456789abcdef") == "t.npy||.T[0:4]|0123456789abcdef");
  CHECK(told("a.npz:b.npy:c") == "a.npz|b.npy:c||");
  for (const char* text : {"", "W_q", ".npz", "layer.pt:W_q", "layer.npz_W_q"})
    CHECK_MESSAGE(told(text) == "none", text);
}

TEST_CASE("values fill tensors, for every batch item where the batch is left out, and the draw takes nothing") {
  const Setup setup = given("X = " + rows(4, eight) + "\nb_v = " + eight + "\n", "sizes = { batch = 2 }\n");
  CHECK(exists(TensorId::b_v, setup));
  CHECK_FALSE(exists(TensorId::b_k, setup));
  const auto trace = compute_trace(setup);
  for (Index item : {0, 1}) CHECK((*trace)[TensorId::X].at({item, 3, 5}) == 5);
  CHECK((*trace)[TensorId::b_v].at({7}) == 7);
  // X is not drawn, so W_q gets the generator's first numbers.
  const Setup without =
      parse_setup("version = 1\nrandom = { draws = [\"seed 0\", \"W_q uniform\", \"W_k uniform\"] }\n", "w");
  const auto other = compute_trace(without);
  CHECK(identical((*trace)[TensorId::W_q], (*other)[TensorId::W_q]));
  CHECK(identical((*trace)[TensorId::W_k], (*other)[TensorId::W_k]));
}

TEST_CASE("values: a draw of several tensors is made as long as one of them is not given") {
  const auto trace_of = [](const std::string& values) {
    return compute_trace(
        parse_setup("version = 1\n[random]\ngenerator = \"torch\"\ndraws = [\"seed 0\", \"W_o linear\", "
                    "\"W_qkv xavier_uniform\", \"X normal\"]\n[values]\n" +
                        values,
                    "t"));
  };
  const auto drawn = trace_of("");
  const auto one = trace_of("W_k = " + rows(8, eight) + "\nW_o = " + rows(8, eight) + "\n");
  CHECK(identical((*one)[TensorId::W_q], (*drawn)[TensorId::W_q]));
  CHECK(identical((*one)[TensorId::b_o], (*drawn)[TensorId::b_o]));
  CHECK((*one)[TensorId::W_k].at({2, 3}) == 3);
  const auto both = trace_of("W_o = " + rows(8, eight) + "\nb_o = " + eight + "\n");
  CHECK_FALSE(identical((*both)[TensorId::W_q], (*drawn)[TensorId::W_q]));
}

TEST_CASE("values: parts come after everything else") {
  const auto plain = compute_trace(given(""));
  const auto trace =
      compute_trace(given("\"W_q[2,5]\" = 0.25\n\"W_q[0, ::-1]\" = " + eight + "\n\"W_k[-2:]\" = " + eight +
                          "\n\"b_k[3]\" = 1\nW_v = " + rows(8, eight) + "\n\"W_v[:, 0]\" = -1\n"));
  CHECK((*trace)[TensorId::W_q].at({2, 5}) == 0.25);
  CHECK((*trace)[TensorId::W_q].at({0, 1}) == 6);
  CHECK((*trace)[TensorId::W_q].at({2, 6}) == (*plain)[TensorId::W_q].at({2, 6}));
  CHECK((*trace)[TensorId::W_k].at({6, 4}) == 4);
  CHECK((*trace)[TensorId::W_k].at({7, 4}) == 4);
  CHECK((*trace)[TensorId::b_k].at({3}) == 1);
  CHECK((*trace)[TensorId::b_k].at({2}) == 0);
  CHECK((*trace)[TensorId::W_v].at({4, 0}) == -1);
  CHECK((*trace)[TensorId::W_v].at({4, 1}) == 1);
}

TEST_CASE("values are rounded to the setup's precision, and are as they were when it changes back") {
  Setup setup = given("b_q = [0.1, 0, 0, 0, 0, 0, 0, 0]\n");
  setup.attention.precision = Precision::float32;
  CHECK((*compute_trace(setup))[TensorId::b_q].at({0}) == static_cast<double>(0.1F));
  setup.attention.precision = Precision::float64;
  CHECK((*compute_trace(setup))[TensorId::b_q].at({0}) == 0.1);
}

TEST_CASE("values: the engine recomputes what a value changed, and nothing where the numbers are equal") {
  Engine engine;
  const std::string values = "W_v = " + rows(8, eight) + "\n";
  const auto first = engine.compute(given(values));
  engine.compute(given(values));  // read anew: other memory, the same numbers
  CHECK(engine.recomputed().empty());
  const auto second = engine.compute(given(values + "\"W_v[2,5]\" = 0.25\n"));
  CHECK(engine.recomputed().front() == TensorId::W_v);
  CHECK(std::ranges::find(engine.recomputed(), TensorId::weights) == engine.recomputed().end());
  CHECK((*second)[TensorId::X].same_window((*first)[TensorId::X]));
  CHECK_FALSE(identical((*second)[TensorId::context], (*first)[TensorId::context]));
}

TEST_CASE("values: what is wrong is told with the key, and with what would fit") {
  CHECK(complaint_about_values("W_q = " + rows(4, eight)) ==
        "values.W_q: found shape (4, 8); allowed: shape (8, 8); or set sizes.d_model = 4 and sizes.d_head = 4");
  CHECK(complaint_about_values("W_k = " + rows(4, eight), "sizes = { kv_heads = 1 }\n") ==
        "values.W_k: found shape (4, 8); allowed: shape (8, 4); \".T\" would make it fit");
  CHECK(complaint_about_values("W_q = " + rows(16, eight)) ==
        "values.W_q: found shape (16, 8); allowed: shape (8, 8); \"[0:8]\" would make it fit");
  CHECK(complaint_about_values("W_q = [" + rows(8, eight) + "]") ==
        "values.W_q: found shape (1, 8, 8); allowed: shape (8, 8); \"[0]\" would make it fit");
  CHECK(complaint_about_values("X = " + rows(3, eight)) ==
        "values.X: found shape (3, 8); allowed: shape (1, 4, 8), or (4, 8) for all batch items; or set "
        "sizes.query_length = 3");
  CHECK(complaint_about_values("X = " + rows(8, "[1, 2, 3, 4]")) ==
        "values.X: found shape (8, 4); allowed: shape (1, 4, 8), or (4, 8) for all batch items; \".T\" would make it "
        "fit; or set sizes.query_length = 8 and sizes.d_model = 4");
  CHECK(complaint_about_values("b_q = [1, 2, 3]") ==
        "values.b_q: found shape (3,); allowed: shape (8,); or set sizes.d_model = 3 and sizes.heads = 1");
  CHECK(complaint_about_values("b_q = 1") == "values.b_q: found one number; allowed: shape (8,)");
  CHECK(complaint_about_values("\"W_v[2,8]\" = 1") ==
        "values.\"W_v[2,8]\": found a part outside; allowed: a part of W_v, which has shape (8, 8)");
  CHECK(complaint_about_values("\"W_v[2:2]\" = 1") ==
        "values.\"W_v[2:2]\": found a part without numbers; allowed: a part of W_v, which has shape (8, 8)");
  CHECK(complaint_about_values("\"W_v[2]\" = [1, 2]") ==
        "values.\"W_v[2]\": found shape (2,); allowed: one number, or shape (8,)");
  CHECK(complaint_about_values("\"W_v[2]\" = 1\n\"W_v[:,3]\" = 1") ==
        "values.\"W_v[:,3]\": found a part that shares numbers with W_v[2]; allowed: parts that do not overlap");
  CHECK(complaint_about_values("\"W_v[2]\" = 1\n\"W_v[ 2 ]\" = 1").find("the same part twice") != std::string::npos);
  CHECK(complaint_about_values("b_q = [1, 2, nan, 4, 5, 6, 7, 8]") ==
        "values.b_q: found nan at [2]; allowed: finite numbers");
  CHECK(complaint_about_values("\"b_q[2]\" = inf") == "values.\"b_q[2]\": found inf; allowed: a finite number");
  CHECK(complaint_about_values("Y = " + rows(4, eight)) ==
        "values.Y: found a value; allowed: Y only with attention.source = \"cross\"");
  CHECK(complaint_about_values("\"L1.W_q\" = 1") == "values.\"L1.W_q\": found layer 1; allowed: a layer from L0 to L0");
  CHECK(complaint_about_values("\"L999999999999.W_q\" = 1") ==
        "values.\"L999999999999.W_q\": found layer 999999999999; allowed: a layer from L0 to L127");
  CHECK(complaint_about_values("Q = 1").starts_with("values.Q: found an unknown key; allowed: W_E, X, Y, P, W_q,"));
  CHECK(complaint_about_values("\"W_q[a]\" = 1").starts_with("values.\"W_q[a]\": found an unknown key"));
  CHECK(
      complaint_about_values("b_q = true").starts_with("values.b_q: found true; allowed: a number, lists of numbers"));
  CHECK(complaint_about_values("b_q = [1, \"x\"]") == "values.b_q[1]: found \"x\"; allowed: a number");
  CHECK(complaint_about_values("W_q = [[1, 2], [3]]") ==
        "values.W_q[1]: found 1 entries; allowed: 2, as in the lists before");
  CHECK(complaint_about_values("W_q = [[1], 2]") ==
        "values.W_q[1]: found a number; allowed: a list, like the entry before it");
  CHECK(complaint_about_values("W_q = [1, [2]]") ==
        "values.W_q[1]: found a list; allowed: a number, like the entry before it");
  CHECK(complaint_about_values("W_q = [[[[[1]]]]]").find("lists five deep") != std::string::npos);
  CHECK(complaint_about_values("W_q = []").find("an empty list") != std::string::npos);
  CHECK(complaint_about_values("W_q = \"W_q\"").find("an array of a file, such as \"layer.npz:W_q\"") !=
        std::string::npos);
  CHECK(complaints(document("b_q = true\nQ = 1\nW_v = [1]\n\"b_v[9]\" = 1\n")).size() == 4);
  CHECK(complaints(document("b_q = true\n"))[0].starts_with("lesson.toml:5: "));
  CHECK(complaints(document("\"b_v[9]\" = 1\n"))[0].starts_with("lesson.toml:5: "));
}

TEST_CASE("values: beside the setup before an edit, the same problems are found as without it") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto with = [](Setup setup, TensorId id, const char* part, const Tensor& numbers) {
    setup.values.set(id, *part == '\0' ? ArrayPart{} : *parse_array_part(part), GivenNumbers(numbers));
    return setup;
  };
  int good = 0, bad = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Setup drawn = testing::random_setup(seed);
    drawn = with(drawn, TensorId::W_q, "[0,0]", counting({}));
    const Setup valid = with(drawn, TensorId::X, "", counting(shape(TensorId::X, drawn)));
    REQUIRE(problems(valid).empty());
    std::vector<Setup> edits{valid, drawn};
    edits.push_back(with(valid, TensorId::W_q, "[0,0]", counting({}, 7)));
    edits.push_back(with(valid, TensorId::W_q, "[0,0]", counting({}, infinity)));
    edits.push_back(with(valid, TensorId::X, "", counting(shape(TensorId::X, drawn), infinity)));
    edits.push_back(with(valid, TensorId::X, "", counting({1})));
    edits.push_back(with(valid, TensorId::X, "[0,0,0]", counting({}, 7)));
    edits.push_back(with(valid, TensorId::W_q, "[0,:]", counting({}, 7)));
    edits.push_back(with(valid, TensorId::scores, "", counting({1})));
    edits.push_back(with(valid, TensorId::weights, "", counting({1, 1, 1, 1})));
    for (const bool edits_more : {false, true}) {
      for (Setup edited : edits) {
        if (edits_more) ++edited.sizes.d_model;
        CHECK(problems(edited, "here", &valid) == problems(edited, "here"));
        ++(problems(edited).empty() ? good : bad);
      }
    }
  }
  CHECK(good > 200);
  CHECK(bad > 400);
}

TEST_CASE("values: weights that are given alone are checked at each edit") {
  const Setup valid = parse_setup(
      "version = 1\n[sizes]\nheads = 1\nquery_length = 2\n[values]\nweights = [[[[0.5, 0.5], [0.25, 0.75]]]]\n",
      "lesson.toml");
  Setup edited = valid;
  edited.values.set(TensorId::weights, {}, GivenNumbers(counting({1, 1, 2, 2}, -1)));
  CHECK(problems(edited, {}, &valid) == problems(edited));
  CHECK_FALSE(problems(edited).empty());
}

TEST_CASE("values: the sizes under which arrays would fit") {
  const auto changes = [](const Setup& setup, std::vector<ArrayForTensor> arrays) {
    const auto sizes = fitting_sizes(setup, arrays);
    if (!sizes) return std::string("none");
    std::string text;
    for (const auto& [size, value] : changed_sizes(setup, *sizes)) text += fmt::format("{} {} ", size, value);
    return text;
  };
  using enum TensorId;
  const Setup self = given("");
  const Setup cross = given("", "attention = { source = \"cross\" }\n");
  CHECK(changes(self, {{X, {4, 8}}}).empty());
  CHECK(changes(self, {{X, {2, 3, 6}}}) == "batch 2 query_length 3 d_model 6 ");
  CHECK(changes(self, {{X, {3, 6}}, {W_q, {6, 6}}, {b_o, {6}}}) == "query_length 3 d_model 6 ");
  CHECK(changes(self, {{X, {3, 6}}, {W_q, {8, 8}}}) == "none");
  CHECK(changes(self, {{W_q, {6, 8}}}) == "d_model 6 d_head 4 ");
  CHECK(changes(self, {{W_k, {8, 4}}}) == "kv_heads 1 ");
  CHECK(changes(self, {{W_k, {12, 4}}}) == "d_model 12 heads 3 kv_heads 1 ");
  CHECK(changes(self, {{W_k, {9, 9}}}) == "d_model 9 heads 1 ");
  CHECK(changes(self, {{W_k, {8, 3}}}) == "none");
  CHECK(changes(cross, {{Y, {5, 8}}}) == "key_length 5 ");
  CHECK(changes(cross, {{X, {2, 8}}, {Y, {1, 5, 8}}}) == "query_length 2 key_length 5 ");
  CHECK(changes(self, {{P, {6, 8}}}) == "query_length 6 ");
  CHECK(changes(cross, {{P, {6, 8}}}) == "none");
  CHECK(changes(self, {{X, {0, 8}}}) == "none");
  CHECK(changes(self, {{X, {8}}}) == "none");
}

TEST_CASE("values are read from files beside the setup, and the file that has changed is told") {
  const TemporaryFolder folder;
  write_npz(folder / "layer.npz", std::vector<NamedTensor>{{"W_q", counting({8, 8})}, {"packed", counting({8, 24})}});
  write_file(folder / "x.csv", "1,2,3,4,5,6,7,8\n0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0\n9,9,9,9,9,9,9,9\n");
  const std::string text = document(
      "W_q = \"layer.npz:W_q.T\"\nW_k = \"layer.npz:packed[:, 8:16]\"\nX = \"x.csv\"\n\"b_v[0:4]\" = "
      "\"x.csv[3,0:4]\"\n");
  write_file(folder / "lesson.toml", text);
  const Setup setup = read_setup(folder / "lesson.toml");
  const auto trace = compute_trace(setup);
  CHECK((*trace)[TensorId::W_q].at({1, 0}) == 1);
  CHECK((*trace)[TensorId::W_k].at({1, 0}) == 32);
  CHECK((*trace)[TensorId::X].at({0, 0, 7}) == 8);
  CHECK((*trace)[TensorId::b_v].at({3}) == 9);
  CHECK((*trace)[TensorId::b_v].at({4}) == 0);

  SUBCASE("a written setup names them from its own folder, or from the root") {
    const std::string beside = write_setup(setup, folder.path());
    CHECK(beside.find("W_q = \"layer.npz:W_q.T#") != std::string::npos);
    CHECK(parse_setup(beside, "beside", folder.path()) == setup);
    CHECK(parse_setup(write_setup(setup), "anywhere") == setup);
    CHECK(write_setup(setup, folder / "deeper").find("\"../layer.npz:W_q.T#") != std::string::npos);
  }
  SUBCASE("those that were taken along are beside the document") {
    const TemporaryFolder other;
    const std::string written = write_setup(setup);
    std::filesystem::rename(folder / "layer.npz", other / "layer.npz");
    CHECK(complaints(written, other.path()).empty());  // x.csv is still where it was
    std::filesystem::rename(folder / "x.csv", other / "x.csv");
    const Setup taken_along = parse_setup(written, "taken along", other.path());
    CHECK(identical((*compute_trace(taken_along))[TensorId::output], (*trace)[TensorId::output]));
    CHECK(write_setup(taken_along, other.path()).find("\"x.csv#") != std::string::npos);
    CHECK(complaints(text, folder.path()).size() == 4);  // written by hand: taken at their word
    write_file(other / "x.csv", "1\n");
    CHECK(complaints(written, other.path()).front().find("x.csv") != std::string::npos);
  }
  SUBCASE("a lecture's are beside the lecture") {
    const std::string begun = write_lecture_start(setup, {TensorId::X, {0, 0, 0}}, "heads", folder.path());
    CHECK(begun.find("W_q = \"layer.npz:W_q.T#") != std::string::npos);
    write_file(folder / "lesson.md", begun);
    CHECK(read_lecture(folder / "lesson.md").parts.front().setup.values == setup.values);
    write_file(folder / "own.md", "+++\ntitle = \"T\"\n[setup.values]\nX = \"x.csv\"\n+++\n## S\n");
    CHECK(read_lecture(folder / "own.md").parts.front().setup.values.has(TensorId::X));
  }
  SUBCASE("other numbers than those that were written about") {
    const std::string written = write_setup(setup, folder.path());
    write_file(folder / "x.csv", "1,2,3,4,5,6,7,8\n0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,1\n9,9,9,9,9,9,9,9\n");
    const auto messages = complaints(written, folder.path());
    REQUIRE(messages.size() == 1);
    CHECK(messages[0].find("values.X: found \"x.csv\": the file has changed (now #") != std::string::npos);
    CHECK(complaints(text, folder.path()).empty());  // written by hand, without a digest
    CHECK(parse_setup(text, "t", folder.path()) != setup);
    // What is known is not read again.
    CHECK(with_overrides(setup, {"attention.temperature=2"}).values == setup.values);
  }
  SUBCASE("files that are missing, or hold something else") {
    const auto said = [&](const std::string& reference) {
      const auto messages = complaints(document("W_q = \"" + reference + "\"\n"), folder.path());
      REQUIRE(messages.size() == 1);
      return messages[0].substr(messages[0].find("found"));
    };
    CHECK(said("none.npz:W_q") == "found \"none.npz:W_q\": no such file; allowed: the path of a file that exists");
    CHECK(said("layer.npz:W_x") == "found \"layer.npz:W_x\": no such array; allowed: one of W_q, packed");
    CHECK(said("layer.npz:packed") == "found shape (8, 24); allowed: shape (8, 8); \"[:, 0:8]\" would make it fit");
    CHECK(said("layer.npz:W_q[9]") ==
          "found \"layer.npz:W_q[9]\": the part [9] of shape (8, 8); allowed: a part inside the array");
    write_file(folder / "broken.npz", "PK");
    CHECK(said("broken.npz:W_q").find("a damaged archive") != std::string::npos);
    write_file(folder / "words.csv", "1,2\n3,x\n");
    CHECK(said("words.csv") == "found \"words.csv\": line 2, column 2: \"x\"; allowed: a number");
  }
}

TEST_CASE("values: setups are equal where their numbers are, and differ where one bit does") {
  CHECK(given("b_q = " + eight) == given("b_q = " + eight));
  CHECK(given("b_q = " + eight) != given("b_q = [0, 1, 2, 3, 4, 5, 6, 8]"));
  CHECK(given("\"b_q[0]\" = 0") != given("\"b_q[0]\" = -0.0"));
  CHECK(given("b_q = " + eight) != given(""));
}

TEST_CASE("values: --set gives, replaces and takes away, and is what differences are made of") {
  const Setup base = given("b_q = " + eight + "\n\"W_v[2,5]\" = 1\n");
  const Setup set = with_overrides(base, {"values.W_v[2,5]=0.25", "values.X[0,1]=" + eight, "values.b_q[-1]=5"});
  CHECK(set.values.entries().size() == 4);
  CHECK((*compute_trace(set))[TensorId::W_v].at({2, 5}) == 0.25);
  CHECK((*compute_trace(set))[TensorId::b_q].at({7}) == 5);
  CHECK((*compute_trace(set))[TensorId::X].at({0, 1, 6}) == 6);
  CHECK(with_overrides(base, {"values.X=" + rows(4, eight)}).values.whole(TensorId::X) != nullptr);
  CHECK(with_overrides(base, {"values={}"}).values.empty());
  CHECK(overrides_between(base, with_overrides(base, {"values.W_v[2,5]=0.25"})) ==
        std::vector<std::string>{"values.W_v[2,5]=0.25"});
  for (const auto& [from, to] :
       {std::pair{base, set}, {set, base}, {Setup{}, base}, {base, given("")}, {base, Setup{}}})
    CHECK(with_overrides(from, overrides_between(from, to)) == to);
  try {
    with_overrides(base, {"values.W_v[2,5]=x", "values.b_q=[1]"});
    FAIL("nothing was refused");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 2);
    CHECK(error.problems()[0].source == "--set values.W_v[2,5]=x");
    CHECK(error.problems()[1].source == "--set values.b_q=[1]");
  }
}

TEST_CASE("values: an explanation says that a number was given, and by which value") {
  const TemporaryFolder folder;
  write_npz(folder / "layer.npz", std::vector<NamedTensor>{{"W_v", counting({8, 8})}});
  const Setup setup =
      parse_setup(document("W_v = \"layer.npz:W_v\"\n\"W_v[2,5]\" = 0.25\n"), "lesson.toml", folder.path());
  const auto trace = compute_trace(setup);
  const Explanation whole = explain(*trace, {TensorId::W_v, {1, 0}});
  CHECK(whole.formula == "W_v is given, not drawn");
  CHECK(whole.note == "W_v in the setup's values: from layer.npz:W_v");
  CHECK(whole.value == 8);
  const Explanation part = explain(*trace, {TensorId::W_v, {2, 5}});
  CHECK(part.formula == "W_v[2,5] is given, not drawn");
  CHECK(part.note == "W_v[2,5] in the setup's values");
  CHECK(explain(*trace, {TensorId::W_q, {2, 5}}).formula == "W_q is drawn: \"W_q uniform\"");
}

TEST_CASE("values in scripts: written out, loaded from their file, or taken from the trace") {
  const TemporaryFolder folder;
  write_npz(folder / "layer.npz", std::vector<NamedTensor>{{"W", counting({64, 64})}});
  write_npy(folder / "row.npy", counting({64}));
  const std::string sizes = "sizes = { batch = 2, query_length = 2, d_model = 64 }\n";
  const Setup setup = parse_setup(document("W_q = \"layer.npz:W.T\"\nb_q = \"row.npy\"\n\"W_q[0,::-2]\" = 1\nX = " +
                                               rows(2, rows(64, "1.5")) + "\n",
                                           sizes),
                                  "lesson.toml", folder.path());
  const std::string numpy = script(setup, Framework::numpy);
  const auto has = [&](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(numpy, "W_q = np.load(\"" + (folder / "layer.npz").string() + "\")[\"W\"].T.astype(np.float64)  # "));
  CHECK(has(numpy, "W_q[0, 1:64:2] = 1.0\n"));
  CHECK(has(numpy, "X = np.broadcast_to(np.array([\n    [1.5, 1.5, "));
  CHECK(has(numpy, "(batch, query_length, d_model)).copy()"));
  CHECK_FALSE(has(numpy, "np.random.rand(batch"));
  CHECK_FALSE(has(numpy, "trace[\""));
  CHECK(has(script(setup, Framework::torch), "b_q = torch.from_numpy(np.array([0.0, 1.0, "));

  const Setup large = given("W_q = " + rows(64, rows(64, "0.5")), "sizes = { d_model = 64 }\n");
  CHECK(has(script(large, Framework::torch), "W_q = torch.from_numpy(trace[\"W_q\"])"));
  CHECK(has(script(large, Framework::numpy), "come from the trace"));
  CHECK(draw_code(given("\"b_q[0]\" = 2"), TensorId::b_q, 0) == "b_q[0] = 2.0\n");
}

TEST_CASE("features and head names have one for each, and follow the sizes") {
  const Setup setup = parse_setup(
      "version = 1\nfeatures = [\"a\", \"b\"]\nhead_names = [\"previous\"]\nsizes = { d_model = 2, heads = 1 }\n", "t");
  CHECK(setup.feature_label(1) == "b");
  CHECK(setup.head_label(0) == "previous");
  CHECK(Setup{}.feature_label(1) == "1");
  CHECK(parse_setup(write_setup(setup), "written") == setup);
  CHECK(complaints("version = 1\nfeatures = [\"a\"]\n") ==
        std::vector<std::string>{
            "lesson.toml:2: features: found 1 labels; allowed: none, or one per feature: sizes.d_model = 8"});
  CHECK(complaints("version = 1\nhead_names = [\"a\"]\n") ==
        std::vector<std::string>{
            "lesson.toml:2: head_names: found 1 labels; allowed: none, or one per head: sizes.heads = 2"});
  CHECK(with_overrides(setup, {"sizes.d_model=3"}).features == std::vector<std::string>{"a", "b", "2"});
}

TEST_CASE("values count in the memory estimate where the trace cannot use them as they are") {
  const Setup setup = given("W_v = " + rows(8, eight));
  const auto plain = estimate_memory(given("")).total_bytes;
  CHECK(estimate_memory(setup).total_bytes == plain);
  Setup single = setup;
  single.attention.precision = Precision::float32;
  CHECK(estimate_memory(single).total_bytes == plain / 2 + 8 * 8 * 8);
}
