#include <algorithm>
#include <filesystem>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/formats/arrays/printed_numbers.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "tests/core/refused.hpp"

using namespace headlight;
using headlight::testing::about;

namespace {

const std::string lecture_text = R"(+++
title = "Two heads"
source = "a notebook"
order = 2

[setup]
title = "Small"
tokens = ["a", "b"]
[setup.sizes]
query_length = 2
d_model = 4
[setup.random]
draws = ["seed 0", "X uniform", "b_q uniform"]

[[facts]]
tensor = "Q"
shape = [1, 2, 4]

[[facts]]
tensor = "X"
at = [0]
decimals = 3
values = """
[[0.549 0.715 0.603 0.545]
 [0.424 0.646 0.438 0.892]]
"""

[[facts]]
tensor = "output"
from = "library"
values = [[[1, 2.5, -3, 4e-2], [5, 6, 7, 8]]]
decimals = 2
not_reproducible = "printed without a seed"

[[parts]]
id = "cross"
title = "With a second input"
[parts.setup]
attention = { source = "cross" }
[[parts.facts]]
tensor = "Y"
shape = [1, 4, 8]
+++
<!-- a note to myself -->

## First step ##

```step
cell = "scores[0, 1, 0, 1]"
view = "heads"
```

It *begins* here.

- `one`

```text
## not a step
```

```python
scores = q @ k.T

masked = scores
```

And goes on.

## Second step
Nothing to point at.

## The end
```step
part = "cross"
tensor = "Y"
```
)";

std::vector<Problem> problems_of_lecture(const std::string& text) {
  try {
    parse_lecture(text, "lesson.md", "lesson", {"pipeline", "heads", "tokens"});
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

std::string replaced(const std::string& what, const std::string& by) {
  std::string text = lecture_text;
  const auto at = text.find(what);
  REQUIRE_MESSAGE(at != std::string::npos, what);
  return text.replace(at, what.size(), by);
}

/// The only problem of the lecture after replacing `what` with `by`.
Problem problem_with(const std::string& what, const std::string& by) {
  const auto found = problems_of_lecture(replaced(what, by));
  REQUIRE_MESSAGE(found.size() == 1, by);
  return found.front();
}

}  // namespace

TEST_CASE("a lecture is read: parts, facts and steps") {
  const Lecture lecture = parse_lecture(lecture_text, "lesson.md", "lesson");
  CHECK(lecture.id == "lesson");
  CHECK(lecture.title == "Two heads");
  CHECK(lecture.source == "a notebook");

  REQUIRE(lecture.parts.size() == 2);
  const Part& main = lecture.parts[0];
  CHECK(main.id == "main");
  CHECK(main.title == "Small");
  CHECK(main.setup.sizes.d_model == 4);
  REQUIRE(main.facts.size() == 3);
  CHECK(*main.facts[0].printed_shape == Shape{1, 2, 4});
  CHECK(main.facts[0].origin == FactOrigin::notebook);
  CHECK(main.facts[1].at == Shape{0});
  CHECK(main.facts[1].values_shape == Shape{2, 4});
  CHECK(main.facts[1].values[4] == 0.424);
  CHECK(main.facts[1].decimals == 3);
  CHECK(main.facts[2].origin == FactOrigin::library);
  CHECK(main.facts[2].values_shape == Shape{1, 2, 4});
  CHECK(main.facts[2].values == std::vector<double>{1, 2.5, -3, 0.04, 5, 6, 7, 8});
  CHECK(main.facts[2].not_reproducible == "printed without a seed");
  CHECK(lecture.parts[1].id == "cross");
  CHECK(lecture.parts[1].setup.is_cross());
  CHECK(lecture.parts[1].setup.title == "With a second input");

  REQUIRE(lecture.steps.size() == 3);
  const Step& first = lecture.steps[0];
  CHECK(first.title == "First step");
  CHECK(first.narration.source == "It *begins* here.\n\n- `one`\n\n```text\n## not a step\n```\n\n\nAnd goes on.");
  CHECK(first.code == "scores = q @ k.T\n\nmasked = scores");
  CHECK(first.look_at == Cell{TensorId::scores, {0, 1, 0, 1}});
  CHECK(first.view == "heads");
  CHECK(lecture.steps[1].look_at == first.look_at);
  CHECK(lecture.steps[1].view.empty());
  CHECK(lecture.steps[2].part == 1);
  CHECK(lecture.steps[2].look_at == Cell{TensorId::Y, {0, 0, 0}});
}

TEST_CASE("a lecture with Windows line ends and a byte order mark reads the same") {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : lecture_text) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const Lecture lecture = parse_lecture(text, "lesson.md", "lesson");
  const Lecture unix = parse_lecture(lecture_text, "lesson.md", "lesson");
  REQUIRE(lecture.steps.size() == unix.steps.size());
  CHECK(lecture.steps[0].code == unix.steps[0].code);
  CHECK(lecture.steps[0].narration.source == unix.steps[0].narration.source);
}

TEST_CASE("what is wrong with a lecture is named with its line") {
  CHECK(problems_of_lecture("")[0].found == "an empty file");
  CHECK(problems_of_lecture("# A lecture\n")[0].found == "no front matter");
  CHECK(problems_of_lecture("+++\ntitle = 3\n")[0].message() ==
        "lesson.md:1: found front matter without an end; allowed: a second line of +++");
  CHECK(problem_with("title = \"Two heads\"", "title = \"\"").found == "nothing");
  CHECK(problem_with("shape = [1, 2, 4]", "shape = [1, 2, ").source.starts_with("lesson.md:"));
  CHECK(problem_with("<!-- a note to myself -->", "Welcome!").found == "text before the first step (\"Welcome!\")");

  const Problem cell = problem_with("scores[0, 1, 0, 1]", "scores[0, 2, 0, 1]");
  CHECK(cell.key == "cell");
  CHECK(cell.source == "lesson.md:49");
  CHECK(problem_with("view = \"heads\"", "view = \"head\"").allowed == "one of \"pipeline\", \"heads\", \"tokens\"");
  CHECK(problem_with("part = \"cross\"\ntensor = \"Y\"", "part = \"crass\"").allowed == "one of \"main\", \"cross\"");
  CHECK(problem_with("part = \"cross\"\n", "").key == "tensor");
  CHECK(problem_with("tensor = \"Y\"\n```", "tensor = \"Z\"\n```").found == "\"Z\"");
  CHECK(problem_with("tensor = \"Y\"\n```", "tensor = \"Y\"\ntensr = 1\n```").source == "lesson.md:76");
  CHECK(problem_with("part = \"cross\"\n", "part = \"cross\"\ncell = \"Y[0,0,0]\"\n").key == "tensor");
  CHECK(problem_with("```text", "```step\ntensor = \"X\"\n```\n```text").found == "a step block inside the text");
  CHECK(problem_with("And goes on.", "```python\n2\n```").found == "a second python block");
  CHECK(problem_with("tensor = \"Y\"\n```\n", "tensor = \"Y\"\n").found == "a fenced block without an end");
  CHECK(problem_with("## Second step", "##").found == "a step without a title");
  for (const std::string_view unseen : {"\v", "\f", "&nbsp;", "&#32;", "&#11;", "\u00A0", "\u200E", "[](link)"}) {
    CAPTURE(unseen);
    CHECK(problem_with("## Second step", fmt::format("## {}", unseen)).found == "a step without a title");
  }
  for (const std::string_view unseen : {" ", "&nbsp;", "\u00A0", "[](link)"})
    CHECK(problem_with("\"Two heads\"", fmt::format("'{}'", unseen)).found == "nothing");
  std::string lines;
  for (int line = 0; line < 2'001; ++line) lines += "[a\n";
  CHECK(problem_with("And goes on.", lines).found == "more than 2000 lines without a blank one between them");
  CHECK(problem_with("And goes on.", "```python\n" + lines + "```").allowed ==
        "up to 2000 from one blank line to the next, in paragraphs and in blocks");
}

TEST_CASE("a step chooses its rows, its rounding and its labels") {
  const std::string view = "view = \"heads\"\n";
  const auto with = [&](const std::string& keys) {
    return parse_lecture(replaced(view, view + keys), "lesson.md", "lesson", {"pipeline", "heads", "tokens"});
  };
  const MatrixChoices chosen =
      with("rows = \"0:1\"\ndecimals = 3\nlabels = { rows = \"positions\", columns = [\"one\", \"two\"] }\n")
          .steps[0]
          .matrix;
  CHECK(chosen.rows->first == 0);
  CHECK(chosen.rows->count == 1);
  CHECK(chosen.decimals == 3);
  CHECK(chosen.row_words == AxisWords{AxisWords::Kind::positions});
  CHECK(chosen.column_words == AxisWords{AxisWords::Kind::own, {"one", "two"}});
  CHECK(with("rows = 0\n").steps[0].matrix.rows->count == 1);
  CHECK(with("rows = \"-2:\"\n").steps[0].matrix.rows->count == 2);
  CHECK(with("labels = { columns = \"words\" }\n").steps[0].matrix.column_words.kind == AxisWords::Kind::words);
  CHECK(with("alone = true\n").steps[0].matrix.alone);
  CHECK_FALSE(chosen.alone);
  CHECK(problem_with(view, view + "alone = 1\n").key == "alone");
  CHECK(with("marks_changed = true\n").steps[0].matrix.marks_changed);
  CHECK_FALSE(chosen.marks_changed);
  CHECK(with("rows = 0\n").steps[1].matrix == MatrixChoices{});  // they are its own

  const auto problem = [&](const std::string& keys) { return problem_with(view, view + keys); };
  const Problem outside = problem("rows = \"2:3\"\n");
  CHECK(outside.key == "rows");
  CHECK(outside.source == "lesson.md:51");
  CHECK(outside.found == "\"2:3\"");
  CHECK(outside.allowed == "rows that follow each other, as \"1:3\", or one row, as 2; scores has 2 rows");
  CHECK(problem("rows = \"::-1\"\n").key == "rows");
  CHECK(problem("rows = \"0:1, 0:1\"\n").key == "rows");
  CHECK(problem("rows = true\n").found == "true");
  CHECK(problem("rows = 1\n").found == "1, without row 0 of the step's cell scores[0,1,0,1]");
  CHECK(problem("decimals = 7\n").allowed == "a whole number from 0 to 6");
  CHECK(problem("decimals = 1.5\n").key == "decimals");
  CHECK(problem("labels = \"words\"\n").key == "labels");
  CHECK(problem("labels = { column = \"words\" }\n").key == "labels.column");
  CHECK(problem("labels = { columns = \"letters\" }\n").allowed == "\"words\", \"positions\", or a list of 2 texts");
  CHECK(problem("labels = { columns = [\"one\"] }\n").key == "labels.columns");
  CHECK(problem("labels = { columns = [\"one\", 2] }\n").key == "labels.columns");
  CHECK(problem_with(view, "tensor = \"b_q\"\nlabels = { rows = \"positions\" }\n").key == "tensor");
  const std::string cell = "cell = \"scores[0, 1, 0, 1]\"\n";
  CHECK(problem_with(cell, "cell = \"b_q[0]\"\nlabels = { rows = \"positions\" }\n").allowed ==
        "nothing, because b_q has a single row");
  CHECK(problem_with(cell, "cell = \"Q[0,0,0]\"\nlabels = { columns = \"words\" }\n").found ==
        "\"words\", but the setup names none");
}

TEST_CASE("a step asks for the reader's own code") {
  const std::string view = "view = \"heads\"\n";
  const auto practice_in = [&](const std::string& key) {
    std::string text = replaced(view, view + key);
    text.replace(text.find("```python"), 9, "```text");
    return parse_lecture(text, "lesson.md", "lesson", {"pipeline", "heads", "tokens"}).steps[0].practice;
  };
  CHECK_FALSE(practice_in("").has_value());
  const auto both = practice_in("practice = [\"dot_products\", \"weights\"]\n");
  REQUIRE(both);
  CHECK(both->from == TensorId::dot_products);
  CHECK(both->to == TensorId::weights);
  const auto one = practice_in("practice = [\"weights\"]\n");
  REQUIRE(one);
  CHECK(one->from == TensorId::weights);
  CHECK(one->to == TensorId::weights);
  for (const char* const wrong :
       {"[]", "[\"weights\", \"scores\"]", "[\"W_q\"]", "[\"no\"]", "[\"Q\", \"K\", \"V\"]", "[\"grad_scores\"]"}) {
    CAPTURE(wrong);
    const Problem problem = problem_with(view, view + "practice = " + wrong + "\n");
    CHECK(problem.key == "practice");
    CHECK(problem.source == "lesson.md:51");
  }
  // Code would be the solution.
  CHECK(problem_with(view, view + "practice = [\"weights\"]\n").found == "a python block beside practice");
}

TEST_CASE("what is wrong with a lecture's facts is named") {
  CHECK(problem_with("at = [0]", "at = [1]").key == "facts[1].at");
  CHECK(problem_with("at = [0]", "at = [0, 0]").allowed == "4 numbers: (4,) of X (1, 2, 4)");
  CHECK(problem_with("decimals = 3\n", "").key == "facts[1].decimals");
  CHECK(problem_with("decimals = 3\n", "decimals = 99\n").found == "99");
  CHECK(problem_with("0.424 0.646", "0.424 0.6l6").found == "\"0.6l6\"");
  CHECK(problem_with("0.424 0.646", "0.424").found == "rows of 4 and 3 entries");
  CHECK(problem_with("[5, 6, 7, 8]", "[5, 6, 7, true]").found == "\"true\"");
  CHECK(problem_with("[5, 6, 7, 8]", "5").key == "facts[2].values");
  CHECK(problem_with("shape = [1, 2, 4]", "shape = [1, 2, 4, 5, 6]").key == "facts[0].shape");
  CHECK(problem_with("shape = [1, 2, 4]", "shape = [1, 2, 0]").key == "facts[0].shape");
  CHECK(problem_with("shape = [1, 2, 4]", "").found == "neither shape nor values");
  CHECK(problem_with("at = [0]", "at = [0]\nshape = [2, 4]").found == "values beside a shape");
  CHECK(problem_with("tensor = \"Q\"", "tensor = \"b_k\"").key == "facts[0].tensor");
  CHECK(problem_with("tensor = \"Q\"", "").found == "none");
  CHECK(problem_with("from = \"library\"", "from = \"book\"").allowed == "one of \"notebook\", \"library\"");
  CHECK(problem_with("\"printed without a seed\"", "\"\"").found == "no reason");
  const auto found = problems_of_lecture(replaced("id = \"cross\"", "id = \"main\""));
  CHECK(about(found, "parts[0].id").found == "\"main\"");
}

TEST_CASE("all the problems of a lecture are named at once") {
  std::string text = replaced("title = \"Two heads\"\n", "");
  for (const auto& [what, by] : {std::pair{"d_model = 4", "d_model = 5"},
                                 {"tensor = \"Y\"\nshape", "tensor = \"y\"\nshape"},
                                 {"source = \"cross\"", "sauce = \"cross\""},
                                 {"view = \"heads\"", "view = 3"},
                                 {"order = 2", "order = \"2\""}}) {
    text.replace(text.find(what), std::string(what).size(), by);
  }
  const auto found = problems_of_lecture(text);
  CHECK(about(found, "title").message() == "lesson.md: title: found none; allowed: the title of the lecture");
  CHECK(about(found, "order").found == "\"2\"");
  CHECK(about(found, "setup.sizes.heads").source == "lesson.md:8");
  CHECK(about(found, "parts[0].setup.attention.sauce").found == "an unknown key");
  CHECK(about(found, "parts[0].facts[0].tensor").found == "\"y\"");
  CHECK(about(found, "view").found == "3");
  CHECK(found.size() == 6);
}

TEST_CASE("the smallest lecture") {
  const Lecture lecture = parse_lecture("+++\ntitle = \"T\"\n[setup]\n+++\n## S\n", "lesson.md", "lesson");
  CHECK(lecture.steps.size() == 1);
  CHECK(lecture.steps[0].look_at == Cell{TensorId::X, {0, 0, 0}});
  CHECK(lecture.parts[0].setup.title == "T");
  CHECK(problems_of_lecture("+++\ntitle = \"T\"\n[setup]\n+++\n")[0].found == "no steps");
  CHECK(problems_of_lecture("+++\ntitle = \"T\"\n+++\n## S\n")[0].key == "setup");
}

TEST_CASE("the lecture that the guide for lecturers shows is one") {
  const std::string guide = read_text(HEADLIGHT_LECTURES "/README.md");
  const std::string opening = "````markdown\n";
  const auto begin = guide.find(opening) + opening.size();
  const Lecture lecture = parse_lecture(guide.substr(begin, guide.find("````", begin) - begin), "README.md", "guide");
  CHECK(lecture.title == "Two words");
  CHECK(lecture.steps.size() == 1);
}

TEST_CASE("printed numbers are read as NumPy and PyTorch print them") {
  CHECK(parse_printed("[1,2,3]").values == std::vector<double>{1, 2, 3});
  CHECK(parse_printed("[[1,2],\n [-3,4]]").values == std::vector<double>{1, 2, -3, 4});
  CHECK_THROWS_WITH(parse_printed("[0,5 -0,25]"), "\"0,5\"; did you mean 0.5?");
  CHECK_THROWS_WITH(parse_printed("1,25 2\n3 4"), "\"1,25\"; did you mean 1.25?");
  CHECK_THROWS_WITH(parse_printed("[[0.1 0.2 ... 0.3 0.4]]"),
                    doctest::Contains("np.set_printoptions(threshold=np.inf)"));
  CHECK_THROWS_WITH(parse_printed("tensor([1., ..., 2.])"),
                    doctest::Contains("torch.set_printoptions(profile=\"full\")"));
  CHECK(parse_printed("[1. 2.5 -3.e-01]").values == std::vector<double>{1, 2.5, -0.3});
  CHECK(parse_printed("[[1, 2],\n [3, 4]]").shape == Shape{2, 2});
  CHECK(parse_printed("1 2 3\n4 5 6\n").shape == Shape{2, 3});
  CHECK(parse_printed("7").shape == Shape{1});
  CHECK(parse_printed("tensor([[[1., 2.]],\n\n        [[3., -inf]]], grad_fn=<ViewBackward0>)").shape ==
        Shape{2, 1, 2});
  CHECK(parse_printed("array([[1, 2]], dtype=float32)").values.size() == 2);
  for (const char* text : {"", "[]", "[[1, 2], [3]]", "[1, [2]]", "[[1], 2]", "[[1, 2]", "[1]]", "[1] 2", "[[[[[1]]]]]",
                           "1 2 ... 3", "[[], [1]]", "[[1], [[2]]]", "tensor()", "tensor(1)"}) {
    CHECK_THROWS_AS_MESSAGE(parse_printed(text), std::invalid_argument, text);
  }
}

TEST_CASE("damaged lectures and setups are read or refused, never crashed on") {
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = lecture_text;
    if (below(4) == 0) text.resize(below(text.size()));
    for (auto edits = below(6); edits > 0 && !text.empty(); --edits) {
      const auto at = below(text.size());
      switch (below(4)) {
        case 0: text[at] = static_cast<char>(below(256)); break;
        case 1: text[at] = "[]{}\"'=#\n+`~.,0-"[below(16)]; break;
        case 2: text.erase(at, below(20)); break;
        default: text.insert(at, text.substr(below(text.size()), below(40))); break;
      }
    }
    try {
      parse_lecture(text, "damaged.md", "damaged");
    } catch (const InputError& error) {
      CHECK(!error.problems().empty());
      ++refused;
    }
    try {
      parse_setup(text, "damaged.toml");
    } catch (const InputError&) {}
  }
  CHECK(refused > 1000);
}

TEST_CASE("the lectures of a folder come by list and order, then by name") {
  const auto folder = std::filesystem::temp_directory_path() / "headlight_lecture_files";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "folder.md");
  const auto with_order = [](const char* order) { return replaced("order = 2", order); };
  write_file(folder / "b.md", with_order(""));
  write_file(folder / "a.md", with_order(""));
  write_file(folder / "second.md", with_order("order = 2"));
  write_file(folder / "first.md", with_order("order = 1.5"));
  write_file(folder / "notebook.md", with_order("group = \"notebook\""));
  write_file(folder / "course.md", with_order("group = \"course\"\norder = 3"));
  write_file(folder / "broken.md", "+++");
  for (const char* other : {"README.md", ".hidden.md", "notes.txt"}) write_file(folder / other, lecture_text);
  std::vector<std::string> names;
  for (const auto& path : lecture_files(folder)) names.push_back(path.filename().string());
  CHECK(names ==
        std::vector<std::string>{"course.md", "notebook.md", "first.md", "second.md", "a.md", "b.md", "broken.md"});
  CHECK(read_lecture(folder / "first.md").id == "first");
  CHECK(read_lecture(folder / "first.md").list_position == ListPosition{LectureGroup::own, 1.5});
  CHECK(read_lecture(folder / "course.md").list_position == ListPosition{LectureGroup::course, 3});
  std::filesystem::remove_all(folder);
  CHECK_THROWS_AS(lecture_files(folder), InputError);
}
