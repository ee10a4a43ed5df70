#include <algorithm>
#include <fstream>
#include <limits>

#include <doctest/doctest.h>

#include "core/formats/setup/setup_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "tests/core/refused.hpp"
#include "tests/core/setups.hpp"
#include "tests/core/temporary_folder.hpp"

using namespace headlight;
using headlight::testing::about;
using headlight::testing::everything;
using headlight::testing::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::vector<Problem> problems_of(std::string_view text) {
  try {
    parse_setup(text, "lesson.toml");
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

std::vector<Problem> override_problems(const Setup& base, const std::vector<std::string>& assignments) {
  try {
    with_overrides(base, assignments);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

}  // namespace

TEST_CASE("a setup file that says only its version is the default setup") {
  CHECK(parse_setup("version = 1\n", "lesson.toml") == Setup{});
}

TEST_CASE("every key of a setup file is read") {
  const Setup setup = parse_setup(R"(version = 1
title = "A title"
tokens = ["a", "b", "c"]
key_tokens = ["k", "l"]
[sizes]
batch = 2
query_length = 3
key_length = 2
d_model = 8
heads = 4
kv_heads = 2
[attention]
source = "cross"
token_axis = "columns"
weight_layout = "out_in"
scale = 2
temperature = 3
dropout = 0
precision = "float32"
[mask]
kinds = ["custom", "padding"]
valid_lengths = [2, 1]
window = 4
blocked = [[2, 1]]
[random]
generator = "torch"
draws = ["seed 4", "X normal", "b_q[3] uniform"]
)",
                                  "lesson.toml");
  CHECK(setup.title == "A title");
  CHECK(setup.tokens == std::vector<std::string>{"a", "b", "c"});
  CHECK(setup.key_tokens == std::vector<std::string>{"k", "l"});
  CHECK(setup.sizes == Sizes{.batch = 2, .query_length = 3, .key_length = 2, .d_model = 8, .heads = 4, .kv_heads = 2});
  CHECK(setup.attention == Attention{.source = Source::cross,
                                     .token_axis = TokenAxis::columns,
                                     .weight_layout = WeightLayout::out_in,
                                     .scale = 2.0,
                                     .temperature = 3.0,
                                     .precision = Precision::float32,
                                     .ablated_heads = {}});
  CHECK(setup.mask == MaskSettings{{MaskKind::custom, MaskKind::padding}, {2, 1}, 4, {{2, 1}}});
  CHECK(setup.random.generator == GeneratorKind::torch);
  REQUIRE(setup.random.draws.size() == 3);
  CHECK(to_string(setup.random.draws[2]) == "b_q[3] uniform");
}

TEST_CASE("a written setup reads back equal, to the last bit") {
  CHECK(parse_setup(write_setup(Setup{}), "written") == Setup{});
  CHECK(parse_setup(write_setup(everything()), "written") == everything());

  Setup setup = everything();
  for (const double scale : {1.0, 1e300, 5e-324, -0.0, 1.0 / 7.0, 123456789012345680.0}) {
    setup.attention.scale = scale;
    const Setup read = parse_setup(write_setup(setup), "written");
    CHECK(std::get<double>(read.attention.scale) == scale);
    CHECK(std::signbit(std::get<double>(read.attention.scale)) == std::signbit(scale));
  }
  setup.sizes.query_length = 200;
  setup.mask.kinds.clear();
  setup.mask.blocked.clear();
  setup.tokens.clear();
  for (Index i = 0; i < 200; ++i) {
    setup.tokens.push_back("word " + std::to_string(i));
    setup.mask.blocked.emplace_back(i, i);
  }
  CHECK(parse_setup(write_setup(setup), "written") == setup);
}

TEST_CASE("random setups survive being written") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Setup setup = testing::random_setup(seed);
    CHECK_MESSAGE(parse_setup(write_setup(setup), "written") == setup, seed);
  }
}

TEST_CASE("a written setup leaves out what has no say") {
  const std::string text = write_setup(Setup{});
  for (const char* key : {"kv_heads", "key_length", "valid_lengths", "blocked", "window =", "tokens"}) {
    CHECK_MESSAGE(text.find(key) == std::string::npos, key);
  }
}

TEST_CASE("all the problems of a setup file are named at once, with their lines") {
  const auto found = problems_of(R"(version = 2
titel = "x"
tokens = ["a", 3, "c", "d"]
[sizes]
batch = "two"
heads = 3
haeds = 4
[attention]
source = "crossed"
scale = true
temperature = 0
[mask]
kinds = ["casual", "padding"]
valid_lengths = [1, 2, 3]
blocked = [[0, 1], [0, 1, 2], [0, "x"]]
[random]
draws = ["sede 0", "X uniform", "X gaussian", "W_q[7] normal", 4]
[masks]
)");
  CHECK(about(found, "version").message() == "lesson.toml:1: version: found 2; allowed: 1");
  CHECK(about(found, "titel").source == "lesson.toml:2");
  CHECK(about(found, "titel").found == "an unknown key");
  CHECK(about(found, "tokens[1]").found == "3");
  CHECK(about(found, "sizes.batch").found == "\"two\"");
  CHECK(about(found, "sizes.batch").allowed == "a whole number");
  CHECK(about(found, "sizes.heads").allowed == "a divisor of sizes.d_model = 8");
  CHECK(about(found, "sizes.heads").source == "lesson.toml:6");
  CHECK(about(found, "sizes.haeds").allowed.find("kv_heads") != std::string::npos);
  CHECK(about(found, "attention.source").allowed == "one of \"self\", \"cross\"");
  CHECK(about(found, "attention.scale").found == "true");
  CHECK(about(found, "attention.temperature").found == "0");
  CHECK(about(found, "mask.kinds[0]").allowed == "one of \"causal\", \"padding\", \"window\", \"custom\"");
  CHECK(about(found, "mask.blocked[1]").found == "a list of 3");
  CHECK(about(found, "mask.blocked[2]") != Problem{});
  CHECK(about(found, "random.draws[0]").found == "\"sede 0\"");
  CHECK(about(found, "random.draws[2]").found == "\"X gaussian\"");
  CHECK(about(found, "random.draws[3]").found == "W_q[7] normal");
  CHECK(about(found, "random.draws[4]").source == "lesson.toml:17");
  CHECK(about(found, "masks").source == "lesson.toml:18");
  // These two are no problems of their own: sizes.batch could not be read, so the number of valid lengths is unknown;
  // and "sede 0" was meant as a seed.
  CHECK(about(found, "mask.valid_lengths") == Problem{});
  CHECK(about(found, "random.draws[1]") == Problem{});
  CHECK(found.size() == 17);
}

TEST_CASE("a size that follows others is left out by their names") {
  Setup setup;
  setup.sizes.d_head = 3;
  setup.sizes.kv_heads = 1;
  CHECK_FALSE(with_overrides(setup, {"sizes.d_head=sizes.d_model / sizes.heads"}).sizes.d_head);
  CHECK_FALSE(with_overrides(setup, {"sizes.kv_heads=sizes.heads"}).sizes.kv_heads);
  CHECK_THROWS_AS(with_overrides(setup, {"sizes.kv_heads=sizes.d_model"}), InputError);
}

TEST_CASE("no two sizes that are none end the program, each beside the other") {
  constexpr Index least = std::numeric_limits<Index>::min(), most = std::numeric_limits<Index>::max();
  const std::vector<std::string> sizes{"batch", "query_length", "key_length", "d_model", "heads", "kv_heads", "d_head",
                                       "d_out", "d_source",     "past",       "layers",  "d_mlp", "symbols"};
  for (const char* source : {"self", "cross"})
    for (const std::string& one : sizes)
      for (const std::string& other : sizes)
        for (const Index wrong : {least, Index{-1}, Index{0}, most})
          for (const Index beside : {least, Index{-1}, Index{0}, Index{2}, most}) {
            if (one == other || (one == "past" && wrong == 0)) continue;
            const std::string text =
                fmt::format("version = 1\nsizes = {{{} = {}, {} = {}}}\nattention.source = \"{}\"\n", one, wrong, other,
                            beside, source);
            INFO(text);
            CHECK_FALSE(problems_of(text).empty());
            CHECK_FALSE(override_problems(
                            Setup{}, {fmt::format("sizes.{}={}", one, wrong), fmt::format("sizes.{}={}", other, beside),
                                      fmt::format("attention.source={}", source)})
                            .empty());
          }
}

TEST_CASE("a whole section of the wrong type is one problem") {
  const auto found = problems_of("version = 1\nsizes = 3\nmask = [1]\ntokens = \"a b\"\n");
  REQUIRE(found.size() == 3);
  CHECK(about(found, "sizes").allowed == "a table: [sizes]");
  CHECK(about(found, "mask").found == "a list of 1");
  CHECK(about(found, "tokens").found == "\"a b\"");
}

TEST_CASE("beside an unknown key all those of its section are named, also what the file leaves out") {
  CHECK(problems_of("version = 1\nmask.knids = []\n")[0].allowed ==
        "kinds, valid_lengths, window, blocked, align, padding_side");
  const auto beside_values = problems_of("version = 1\nfoo = 1\n[values]\nX = 1\n");
  CHECK(about(beside_values, "foo").allowed.find("values, values") == std::string::npos);
}

TEST_CASE("a number that is found is told apart from the whole number that is wanted") {
  const auto found = problems_of("version = 1.0\nsizes.heads = 2.0\n");
  REQUIRE(found.size() == 2);
  CHECK(about(found, "version").found == "1.0");
  CHECK(about(found, "sizes.heads").message() == "lesson.toml:2: sizes.heads: found 2.0; allowed: a whole number");
}

TEST_CASE("a syntax error names its line and column") {
  const auto found = problems_of("version = 1\n[sizes\nheads = 2\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].source.starts_with("lesson.toml:2:"));
  CHECK(found[0].found.starts_with("a syntax error"));
  CHECK(problems_of("version = 1\nversion = 1\n")[0].source.starts_with("lesson.toml:2:"));
}

TEST_CASE("an empty file lacks its version, a binary one is no text") {
  CHECK(problems_of("")[0].message() == "lesson.toml: version: found none; allowed: version = 1");
  CHECK(problems_of("# nothing but a comment\n")[0].key == "version");
  CHECK(problems_of(std::string_view("\x89PNG\r\n\x1a\n\0\0", 10))[0].allowed == "text in UTF-8");
  CHECK(problems_of(std::string_view("version = 1\n\0", 13))[0].found == "the byte 0x00 in line 2");
}

TEST_CASE("absurdly deep documents are refused, not crashed on") {
  std::string dotted = "a";
  for (int i = 0; i < 200'000; ++i) dotted += ".a";
  CHECK_FALSE(problems_of(dotted + " = 1\n").empty());
  CHECK_FALSE(problems_of("[" + dotted + "]\n").empty());
  std::string four_thousand = dotted.substr(0, 8001);
  CHECK_FALSE(problems_of(four_thousand + " = 1\n").empty());
  CHECK_FALSE(problems_of(dotted.substr(0, 19'999) + " = 1\n").empty());
  const std::string nine_thousand = dotted.substr(0, 17'999);
  CHECK_FALSE(problems_of("[" + nine_thousand + "]\n" + nine_thousand + " = 1\n").empty());
  CHECK(problems_of("a" + dotted.substr(1, 250) + " = 1\n")[0].found == "values nested 101 deep");
  CHECK_FALSE(problems_of("a = " + std::string(100'000, '[')).empty());
  std::string tables = "a = ";
  for (int i = 0; i < 100'000; ++i) tables += "{a=";
  CHECK_FALSE(problems_of(tables).empty());
  CHECK_FALSE(problems_of("a = 1\nb = {" + dotted + " = 1}\n").empty());
  CHECK_FALSE(problems_of("\"=\"." + dotted + " = 1\n").empty());
}

TEST_CASE("dots are parts of a key only outside of strings and comments") {
  std::string dots, quoted;
  for (int i = 0; i < 20'000; ++i) {
    dots += ". ";
    quoted += ".'='.\"\\\"=\"";
  }
  Setup setup;
  setup.title = dots;
  CHECK(parse_setup(write_setup(setup), "written") == setup);
  for (const std::string quotes : {"\"", "'", "\"\"\"", "'''"})
    CHECK(parse_setup("version = 1\n# " + dots + "\ntitle = " + quotes + dots + quotes + "\n", "x").title == dots);
  for (const std::string& key : {"a" + quoted, "a = {b" + quoted, "title = \"\"\"x\"\"\"\"\na" + quoted}) {
    const std::vector<Problem> found = problems_of("version = 1\n" + key + " = 1\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].found == "a key of thousands of parts");
    CHECK(found[0].source == (key.starts_with("title") ? "lesson.toml:3" : "lesson.toml:2"));
  }
}

TEST_CASE("overrides replace keys of the file") {
  const Setup setup = with_overrides(
      Setup{}, {"sizes.heads=4", "attention.precision=float32", "mask.kinds=[\"causal\"]", "title=Hello there",
                "attention.temperature = 2", "random.draws=[\"seed 1\", 'X normal']"});
  CHECK(setup.sizes.heads == 4);
  CHECK(setup.attention.precision == Precision::float32);
  CHECK(setup.mask.kinds == std::vector{MaskKind::causal});
  CHECK(setup.title == "Hello there");
  CHECK(setup.attention.temperature == 2.0);
  CHECK(setup.random.draws.size() == 2);
  CHECK(with_overrides(everything(), {}) == everything());
  CHECK(with_overrides(everything(), {"version=1"}) == everything());
  CHECK(with_overrides(setup, {"random.draws[0]=seed 7"}).random.draws[0] == Draw{SeedDraw{7}});
  CHECK(with_overrides(setup, {"title="}).title.empty());
  CHECK(with_overrides(setup, {"title=\"1\""}).title == "1");
  CHECK(with_overrides(setup, {"title=3\nx=4"}).title == "3\nx=4");
  CHECK(with_overrides(setup, {"attention={dropout = 0.5}"}).attention ==
        Attention{.dropout = 0.5, .ablated_heads = {}});
}

TEST_CASE("overrides hold together in any order") {
  const std::vector<std::string> assignments{"sizes.d_model=9", "sizes.heads=3", "mask.window=2",
                                             "mask={kinds=[\"window\"]}"};
  const Setup forward = with_overrides(Setup{}, assignments);
  CHECK(forward.sizes.d_model == 9);
  CHECK(forward.mask == MaskSettings{.kinds = {MaskKind::window}, .valid_lengths = {}, .window = 2, .blocked = {}});
  CHECK(with_overrides(Setup{}, {assignments.rbegin(), assignments.rend()}) == forward);
}

TEST_CASE("a part that is assigned leaves the rest of its value, and a place that is missing is one problem") {
  const Setup base = with_overrides(Setup{}, {"mask.blocked=[[0,1],[1,2]]", "values.X[0,0]=2", "sizes.heads=4"});
  const Setup changed = with_overrides(base, {"mask.blocked[1]=[3,0]", "values.X[0,1]=3"});
  CHECK(changed.mask.blocked == std::vector<std::pair<Index, Index>>{{0, 1}, {3, 0}});
  CHECK(changed.values.entries().size() == 2);
  CHECK(changed.sizes == base.sizes);
  CHECK(with_overrides(changed, {"values={}", "mask={}"}) == with_overrides(Setup{}, {"sizes.heads=4"}));
  try {
    with_overrides(Setup{}, {"mask.blocked[0]=[0,0]"});
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(error.problems().size() == 1);
    CHECK(error.problems().front().found == "no such place in the setup");
  }
}

TEST_CASE("labels follow overridden sizes unless they are overridden themselves") {
  Setup base;
  base.tokens = {"The", "cat", "sat", "down"};
  CHECK(with_overrides(base, {"sizes.query_length=2"}).tokens == std::vector<std::string>{"The", "cat"});
  CHECK(with_overrides(base, {"sizes.query_length=6"}).tokens.size() == 6);
  CHECK(with_overrides(base, {"sizes.query_length=2", "tokens=[\"a\",\"b\"]"}).tokens ==
        std::vector<std::string>{"a", "b"});
  const auto found = override_problems(base, {"tokens=[\"a\",\"b\"]", "sizes.query_length=3"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].source == "--set tokens=[\"a\",\"b\"]");

  Setup cross = base;
  cross.attention.source = Source::cross;
  cross.sizes.key_length = 2;
  cross.key_tokens = {"k", "l"};
  CHECK(with_overrides(cross, {"sizes.key_length=3"}).key_tokens == std::vector<std::string>{"k", "l", "2"});
  CHECK(with_overrides(cross, {"attention.source=self", "sizes.key_length=4"}).key_tokens.empty());
}

TEST_CASE("a mask is not adapted to overridden sizes") {
  Setup base;
  base.mask = {.kinds = {MaskKind::padding}, .valid_lengths = {3}, .window = 1, .blocked = {}};
  const auto found = override_problems(base, {"sizes.batch=2"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "mask.valid_lengths");
  CHECK(found[0].source == "--set sizes.batch=2");
}

TEST_CASE("the assignments between two setups make the one of the other") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const Setup from = headlight::testing::random_setup(seed);
    Setup to = headlight::testing::random_setup(seed + 1);
    if (seed % 3 == 0) to.title = R"(true "or" \not)";
    CHECK(with_overrides(from, overrides_between(from, to)) == to);
    CHECK(overrides_between(to, to).empty());
  }
  Setup from;
  from.random.draws = {SeedDraw{0}, *parse_draw("X uniform")};
  from.tokens = {"The", "cat", "sat", "down"};
  Setup to = from;
  to.random.draws.front() = SeedDraw{7};
  to.attention.temperature = 0.25;
  to.mask.kinds = {MaskKind::causal};
  CHECK(overrides_between(from, to) ==
        std::vector<std::string>{"attention.temperature=0.25", "mask.kinds=[\"causal\"]", "random.draws[0]=seed 7"});
  to = from;
  to.tokens.clear();
  CHECK(overrides_between(from, to) == std::vector<std::string>{"tokens=[]"});
}

TEST_CASE("all the problems of overrides are named, each with its assignment") {
  const auto found = override_problems(
      Setup{}, {"sizes.heads=x", "sizes.haeds=2", "attention.precision=float16", "nonsense", "=3", "title.a=3",
                "random.draws[9]=seed 1", "version=2", "a..b=1", "foo.bar=1", "title=3"});
  CHECK(about(found, "sizes.heads").message() ==
        "--set sizes.heads=x: sizes.heads: found \"x\"; allowed: a whole number");
  CHECK(about(found, "sizes.haeds").source == "--set sizes.haeds=2");
  CHECK(about(found, "attention.precision").allowed == "one of \"float32\", \"float64\"");
  CHECK(about(found, "title.a").source == "--set title.a=3");
  CHECK(about(found, "random.draws[9]") != Problem{});
  CHECK(about(found, "version").message() == "--set version=2: version: found 2; allowed: 1");
  CHECK(about(found, "foo").source == "--set foo.bar=1");
  CHECK(about(found, "title").source == "--set title=3");
  CHECK(std::count_if(found.begin(), found.end(), [](const Problem& problem) { return problem.key.empty(); }) == 3);
  CHECK(found.size() == 11);
  CHECK(override_problems(Setup{}, {"title=caf\xE9"})[0].allowed == "text in UTF-8");
}

TEST_CASE("labels do not follow sizes that no window can show") {
  Setup base;
  base.tokens = {"The", "cat", "sat", "down"};
  CHECK(with_overrides(base, {"sizes.query_length=1000000000"}).tokens.empty());
}

namespace {

constexpr std::string_view spelling = R"(version = 1
[sizes]
query_length = 4
[mask]
kinds = ["causal"]
[task]
name = "text"
)";

std::string refusal_of(const std::string& document, const fs::path& folder) {
  try {
    parse_setup(document, "spelling.toml", folder);
  } catch (const InputError& error) {
    return error.problems().front().message();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("the text of a task is a file beside the setup, whose digest tells whether it has changed") {
  const TemporaryFolder folder;
  const fs::path words = folder.path() / "words.txt";
  std::ofstream(words) << "anna\notto\n";
  const Setup setup = parse_setup(std::string(spelling) + "file = \"words.txt\"\n", "spelling.toml", folder.path());
  CHECK(setup.task.file.text() == "anna\notto");
  CHECK(setup.symbols() == 5);

  const std::string written = write_setup(setup, folder.path());
  CHECK(written.find("file = \"words.txt#" + setup.task.file.digest() + "\"") != std::string::npos);
  CHECK(written.find("symbols") == std::string::npos);
  CHECK(parse_setup(written, "written.toml", folder.path()) == setup);
  CHECK(with_overrides(setup, {"sizes.heads=2"}).task == setup.task);

  std::ofstream(words) << "anna\nhannah\n";
  CHECK(refusal_of(written, folder.path()).find("the file has changed") != std::string::npos);
  CHECK(refusal_of(std::string(spelling) + "file = \"no.txt\"\n", folder.path()).find("\"no.txt\": no such file") !=
        std::string::npos);
  std::ofstream(words) << "an\xffna\n";
  CHECK(refusal_of(std::string(spelling) + "file = \"words.txt\"\n", folder.path()).find("UTF-8") != std::string::npos);
}

TEST_CASE("the text of a task can be in the setup itself, line by line") {
  const Setup setup = parse_setup(std::string(spelling) + "text = [\"anna\", \"otto\"]\n", "spelling.toml");
  CHECK(setup.task.text.lines() == 2);
  CHECK(parse_setup(write_setup(setup), "written.toml") == setup);
  CHECK(parse_setup(std::string(spelling) + "text = \"anna\\notto\"\n", "spelling.toml") == setup);
  CHECK(refusal_of(std::string(spelling) + "text = [\"a\"]\nfile = [\"b\"]\n", {}).find("task.file") !=
        std::string::npos);
}
