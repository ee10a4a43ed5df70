// Expressions, live numbers, links and questions of lectures.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/engine/engine.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "core/lecture/check.hpp"
#include "core/lecture/live_text.hpp"
#include "core/lecture/pace.hpp"
#include "core/stages/explain.hpp"
#include "tests/core/lectures.hpp"

using namespace headlight;

namespace {

/// Two heads of two features over three words. The queries are X, the keys twice X.
const std::string front = R"lesson(+++
title = "A lesson"
goals = ["Say whom a word looks at"]
prerequisites = ["What a matrix product is"]
minutes = 20
[setup]
tokens = ["The", "cat", "sat"]
head_names = ["one", "two"]
[setup.sizes]
query_length = 3
d_model = 4
[setup.values]
X = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 2, 3, -4]]
W_q = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
W_k = [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2]]
+++
)lesson";

const std::string steps = R"lesson(
## First

```step
cell = "weights[0,0,1,2]"
```

Head one gives *cat* {weights[0,0,1,2]:.1%}, not `{x}` nor \{y} nor $\frac{a}{b}$.
[Take the scale away](set:attention.scale=none), [this cell](select:weights[0,0,1,0]),
[the heads](open:heads), [on](step:2), [masks](lecture:masks#2), [all back](reset:).

```question
ask = "Whom does {token(1)} look at?"
cells = "weights[0,0,1]"
answer = "argmax(weights[0,0,1])"
hint = "Both have a second feature."
right = "sat has more of it: {weights[0,0,1,answer]:.0%}."
wrong = { cat = "It gets {weights[0,0,1,guess]:.0%}.", other = "No." }
```

```python
weights = softmax(scores)
```

```notes
Wait for three hands. The answer is {key_token(argmax(weights[0,0,1]))}.
```

## Second

```step
set = ["attention.scale=none", 'mask.kinds=["causal"]']
compare = true
```

It was {was(max(weights[0,0,2])):.3f} and is {max(weights[0,0,2]):.3f}.

```question
ask = "What does twice the temperature do to the largest?"
choices = ["it grows", "it stays", "it shrinks"]
answer = "'it shrinks' if max(weights[0,0,2]) < was(max(weights[0,0,2])) else 'it grows'"
set = ["attention.temperature=2"]
```
)lesson";

Lecture lesson(const std::string& body = steps) {
  return parse_lecture(front + body, "lesson.md", "lesson", {"pipeline", "heads"});
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

Problem problem_with(const std::string& from, const std::string& to) {
  try {
    lesson(replaced(steps, from, to));
  } catch (const InputError& error) {
    REQUIRE_MESSAGE(error.problems().size() == 1, error.what());
    return error.problems().front();
  }
  FAIL("accepted: " << to);
  return {};
}

struct Calculator {
  ModelTrace model = compute_model(lesson().parts[0].setup);
  ModelTrace before = compute_model({});
  Scope scope() const { return {model, &before}; }

  double operator()(const std::string& text) const { return Expression(text).number(scope()); }
  std::string words(const std::string& text) const { return LiveNumber::parse(text).words(scope()); }
  std::string refused(const std::string& text) const {
    try {
      words(text);
    } catch (const InputError& error) {
      return error.problems().front().found;
    }
    return "accepted";
  }
};

}  // namespace

TEST_CASE("a step checks the work of somebody who makes a known mistake") {
  const std::string made = replaced(steps, "compare = true", "compare = true\nmistake = 'softmax_over_queries'");
  const Lecture good =
      lesson(replaced(made, "It was {", "{yours(sum(weights[0,0,1])):.3f} for {sum(weights[0,0,1]):.3f}, {"));
  CHECK(good.steps[1].mistake == "softmax_over_queries");
  const auto results = check_lessons(good);
  const auto row_sum = std::ranges::find(results, "yours(sum(weights[0,0,1])):.3f", &LessonResult::what);
  REQUIRE(row_sum != results.end());
  CHECK(row_sum->holds());
  CHECK(row_sum->words != "1.000");
  CHECK(std::ranges::all_of(results, &LessonResult::holds));

  CHECK(problem_with("compare = true", "compare = true\nmistake = 'softmax_over_quarks'").key == "mistake");
  CHECK_THROWS_WITH_AS(check_lessons(lesson(replaced(steps, "compare = true", "mistake = 'kv_heads_tiled'"))),
                       doctest::Contains("changes no number here"), InputError);
  const auto without = check_lessons(lesson(replaced(steps, "It was {", "{yours(sum(weights[0,0,1]))} {")));
  CHECK(std::ranges::any_of(without,
                            [](const LessonResult& one) { return one.found == "yours(...) without work to check"; }));
}

TEST_CASE("a step has more for who asks for it, and its numbers are checked like those of its words") {
  const std::string notes = "```notes\n";
  const auto with_more = [&](const std::string& words) { return "```more\n" + words + "\n```\n" + notes; };
  CHECK(lesson().steps[0].more.empty());
  const Lecture good = lesson(replaced(steps, notes, with_more("*cat* gets {weights[0,0,1,2]:.2%}.")));
  CHECK(good.steps[0].more.source == "*cat* gets {weights[0,0,1,2]:.2%}.");
  CHECK(good.steps[0].narration.source == lesson().steps[0].narration.source);
  const auto results = check_lessons(good);
  CHECK(std::ranges::all_of(results, &LessonResult::holds));
  CHECK(std::ranges::find(results, "weights[0,0,1,2]:.2%", &LessonResult::what) != results.end());
  CHECK(problem_with(notes, with_more("{weights[0,0,1,}")).source.starts_with("lesson.md:"));
  CHECK(problem_with(notes, with_more("Once.\n```\n```more\nTwice.")).found == "a second more block");
}

TEST_CASE("an expression computes as Python would") {
  const Calculator value;
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("-2 ** 2") == -4);
  CHECK(value("2 ** 3 ** 2") == 512);
  CHECK(value("7 // 2 + 7 % 4") == 6);
  CHECK(value("-7 // 2") == -4);
  CHECK(value("-7 % 4") == 1);
  CHECK(value("(1 + 2) * 3 - 4 / 8") == 8.5);
  CHECK(value("1 < 2 and not 2 <= 1 or 0") == 1);
  CHECK(value("3 if 1 == 2 else 4 if 0 else 5") == 5);
  CHECK(value("2e-1 + .5") == doctest::Approx(0.7));
  CHECK(value("'a' == \"a\"") == 1);
}

TEST_CASE("an expression reads the trace and reduces parts of it") {
  const Calculator value;
  CHECK(value("X[0,2,3]") == -4);
  CHECK(value("X[0,-1,1]") == 2);
  CHECK(value("sum(X[0,2])") == 1);
  CHECK(value("max(X)") == 3);
  CHECK(value("min(X[0,2], 7)") == -4);
  CHECK(value("argmin(X[0,2])") == 3);
  CHECK(value("argmax(X[0,:,1])") == 2);
  CHECK(value("norm(X[0,2,2:])") == 5);
  CHECK(value("mean(X[0,2,::2]) + std(X[0,2,::2])") == 3);
  CHECK(value("dot(Q[0,1], K[0,2])") == 4);
  CHECK(value("cos(X[0,1], X[0,1] * 3)") == doctest::Approx(1));
  CHECK(value("max(abs(X[0] - X[0] * 2))") == 4);
  CHECK(value("X[0,argmax(X[0,:,1]),1]") == 2);
  CHECK(value("entropy(weights[0,0,0] * 0 + 1 / 4)") == doctest::Approx(1.5));
  CHECK(value("scores[0,0,1,2]") == doctest::Approx(4 / std::sqrt(2)));
  CHECK(value("heads + d_head + d_model + query_length") == 11);
  CHECK(value("sum(diagonal(X[0,:,1:]))") == value("X[0,0,1] + X[0,1,2] + X[0,2,3]"));
  CHECK(value("max(diagonal(scores[0,0], 2))") == value("scores[0,0,0,2]"));
  CHECK(value("argmin(diagonal(scores[0,0], -1) - scores[0,0,2,1])") ==
        value("0 if scores[0,0,1,0] < scores[0,0,2,1] else 1"));
  CHECK(value("max(abs(X[0] @ W_q - Q[0]))") < 1e-12);
  CHECK(value("max(abs(X[0,1] @ W_q - Q[0,1]))") < 1e-12);
  CHECK(value("Q_heads[0,0,1] @ K_heads[0,0,2]") == doctest::Approx(value("dot_products[0,0,1,2]")));
  CHECK(value("2 * Q_heads[0,0,1] @ K_heads[0,0,2] / 4") == doctest::Approx(value("dot_products[0,0,1,2] / 2")));
  CHECK(value("scale") == doctest::Approx(1 / std::sqrt(2)));
  CHECK(value("was(d_model)") == 8);
  CHECK(value.words("token(2)") == "sat");
  CHECK(value.words("head_name(1)") == "two");
}

TEST_CASE("numbers are written by Python's format specs, in the type of words") {
  const Calculator value;
  CHECK(value.words("0.6149:.1%") == "61.5 %");
  CHECK(value.words("-2.5:.2f") == "−2.50");
  CHECK(value.words("-0.001:.2f") == "0.00");
  CHECK(value.words("12345.678:.2e") == "1.23e+04");
  CHECK(value.words("12345.678:.3g") == "1.23e+04");
  CHECK(value.words("5 * 2:d") == "10");
  CHECK(value.words("1000 * 1001 * 2001 / 6:,d") == "333,833,500");
  CHECK(value.words("-1234567.891:+,.1f") == "−1,234,567.9");
  CHECK(value.words("999:,d") == "999");
  CHECK(value.words("1000:,.0f") == "1,000");
  CHECK(value.words("3:+.1f") == "+3.0");
  CHECK(value.words("1 / 3") == "0.3333");
  CHECK(value.words("10 ** 400") == "∞");
  CHECK(value.words("max(X[0,:,1]):.1f") == "2.0");
}

TEST_CASE("an expression that has no value says what was found") {
  const Calculator value;
  CHECK(value.refused("weights[0,0,5,0]") == "weights[0,0,5,0]");
  CHECK(value.refused("weights[0,0,1]").starts_with("weights[0,0,1] of an array of shape (3,)"));
  CHECK(value.refused("argmax(X[0,0,1:])") == "argmax of numbers of which 3 are the same");
  CHECK(value.refused("Y[0,0,0]") == "Y");
  CHECK(value.refused("guess") == "guess");
  CHECK(value.refused("token(3)") == "token(3)");
  CHECK(value.refused("X[0] + X[0,0]") == "+ of shapes (3, 4) and (4,)");
  CHECK(value.refused("X[0] @ X[0]") == "@ of shapes (3, 4) and (3, 4)");
  CHECK(value.refused("2 @ X[0]") == "@ of shapes () and (3, 4)");
  CHECK(value.refused("diagonal(X[0], 4)") == "diagonal 4 of an array of shape (3, 4)");
  CHECK(value.refused("diagonal(X)").starts_with("diagonal 0 of an array of shape (1, 3, 4)"));
  CHECK(value.refused("1:d,") == "the format \"d,\"");
  CHECK(value.refused("X[0,0,0.5]") == "the index 0.5");
  CHECK(value.refused("wieghts[0]") == "\"wieghts\"");
  CHECK(value.refused("max(1") == "the end of \"max(1\"");
  CHECK(value.refused("1:.2x") == "the format \".2x\"");
  CHECK(value.refused("1 2") == "\"2\"");
  CHECK(value.refused(std::string(5000, '(')) == "an expression nested too deeply");
  CHECK(value.refused(std::string(5000, '-').append("1")) == "an expression nested too deeply");
}

TEST_CASE("an expression may be as long as a file, and nests no more deeply for it") {
  const Calculator value;
  constexpr int terms = 40'000;
  std::string sum = "1";
  std::string all = "1";
  for (int i = 1; i < terms; ++i) {
    sum += "+1";
    all += " and 1";
  }
  CHECK(value(sum) == terms);
  CHECK(value.words(sum + ":d") == "40000");
  CHECK(value(all) == 1);
  std::string parts = "X";
  for (int i = 0; i < 20'000; ++i) parts += "[:]";
  CHECK(value("max(" + parts + ")") == 3);
  parts += "[0][2][3]";
  CHECK(value(parts) == -4);
  CHECK(value.refused(parts + "[0]") == "an array[0]");
}

TEST_CASE("a tensor in an expression is the trace's own, and no part of it is copied") {
  const Calculator value;
  const Tensor& X = value.model.first()[TensorId::X];
  CHECK(std::get<Tensor>(Expression("X").value(value.scope())).same_window(X));
  CHECK(std::get<Tensor>(Expression("X[0, ::2][:, 1:]").value(value.scope())).shares_block(X));
  const auto& was = value.before.first()[TensorId::weights];
  CHECK(std::get<Tensor>(Expression("was(weights)").value(value.scope())).same_window(was));
  CHECK(std::get<Tensor>(Expression("X if 1 else Q").value(value.scope())).same_window(X));
}

TEST_CASE("what is not needed for the result is not evaluated") {
  const Calculator value;
  CHECK(value("1 or Y[0,0,0]") == 1);
  CHECK(value("0 and Y[0,0,0]") == 0);
  CHECK(value("2 or 0") == 1);
  CHECK(value("1 if heads == 2 or Y[0,0,0] else Y[0,0,0]") == 1);
  CHECK(value("Y[0,0,0] if 0 else (3 if 1 else Y[0,0,0]) + 1") == 4);
  CHECK(value.refused("was(was(d_model))") == "was(...) without a state before");
  CHECK(value("was(d_model) + d_model") == 12);
  CHECK(value.refused("was(1, 2)") == "was of 2 values");
}

TEST_CASE("live numbers are filled in outside of code, math and links") {
  const Calculator value;
  const Scope scope = value.scope();
  const auto words = [&](std::string_view markdown) { return plain_text(filled(read_live_text(markdown), scope)); };
  CHECK(words("a {X[0,2,2]:d} b") == "a 3 b");
  const Markdown braces = filled(read_live_text("`{X}` ``a`{b}`` $\\frac{1}{2}$ \\{c} [d](set:random={a=1})"), scope);
  CHECK(plain_text(braces) == "{X} a`{b}  {c} d");
  CHECK(braces.front().spans.back().link == "set:random={a=1}");
  CHECK(words("{token(0)} {'}'}") == "The }");
  CHECK(words("gone: {Y[0,0,0]}") == "gone: –");
  std::vector<WordsProblem> problems;
  CHECK(filled_label(read_live_label("{'a_b'} *c*", problems), scope) == "a_b *c*");
  CHECK(problems.empty());
}

TEST_CASE("a live number is a word of its text, whatever it says") {
  const Calculator value;
  const Markdown markdown = filled(
      read_live_text("**{X[0,2,3]:.1f}**, *{'*_['}* and [{token(1)} {d_model}](select:X)\n\n- {heads}. {'# no'}\n"),
      value.scope());
  REQUIRE(markdown.size() == 2);
  CHECK(plain_text(markdown) == "−4.0, *_[ and cat 4\n• 2. # no");
  const auto& spans = markdown[0].spans;
  REQUIRE(spans.size() == 5);
  CHECK(spans[0].kind == SpanKind::strong);
  CHECK(spans[2].text == "*_[");
  CHECK(spans[2].kind == SpanKind::emphasis);
  CHECK(spans[4].text == "cat 4");
  CHECK(spans[4].link == "select:X");
  CHECK(markdown[1].kind == BlockKind::list_item);
  CHECK_THROWS_AS(read_live_text("{wights}"), InputError);
}

TEST_CASE("links are found in Markdown and read") {
  const auto links = read_live_text("[a *b*](<set:sizes.heads=1; title=x>) and [c](step:2)").links;
  REQUIRE(links.size() == 2);
  CHECK(links[0].words == "a b");
  const auto link = parse_link(links[0].target);
  REQUIRE(link);
  CHECK(link->kind == Link::Kind::set);
  CHECK(link->assignments() == std::vector<std::string>{"sizes.heads=1", "title=x"});
  CHECK(parse_link("https://example.org")->kind == Link::Kind::page);
  CHECK(!parse_link("jump:5"));
}

TEST_CASE("a lesson is read: what it sets, asks and notes") {
  const Lecture lecture = lesson();
  CHECK(lecture.goals == std::vector<std::string>{"Say whom a word looks at"});
  CHECK(lecture.minutes == 20);
  const Step& first = lecture.steps[0];
  CHECK(first.notes.source.starts_with("Wait for three hands"));
  REQUIRE(first.question);
  CHECK(first.question->kind == Question::Kind::cell);
  CHECK(cells_of(*first.question, lecture.setup_of(first)).size() == 3);
  CHECK(choice_at(*first.question, {TensorId::weights, {0, 0, 1, 2}}, lecture.setup_of(first)) == 2);
  CHECK(!choice_at(*first.question, {TensorId::weights, {0, 0, 2, 2}}, lecture.setup_of(first)));
  const Step& second = lecture.steps[1];
  CHECK(second.compare);
  CHECK(lecture.setup_of(second).mask.kinds.size() == 1);
  CHECK(std::holds_alternative<NoScale>(lecture.setup_of(second).attention.scale));
  REQUIRE(second.question);
  CHECK(second.question->changed_setup->attention.temperature == 2);
}

TEST_CASE("a link reads no file before somebody clicks on it, and none outside of the lecture's folder") {
  const auto folder = std::filesystem::temp_directory_path() / "headlight-lesson-files";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "lessons");
  write_file(folder / "secret.csv", "1,2,3,4\n");
  write_file(folder / "lessons" / "broken.csv", "these are not numbers");
  std::filesystem::create_symlink(folder / "secret.csv", folder / "lessons" / "linked.csv");
  const auto read = [&](const std::string& body) {
    return parse_lecture(front + body, "lesson.md", "lesson", {}, folder / "lessons");
  };
  const auto with_link = [](const std::string& file) { return "\n## S\n\n[Try](<set:values.b_q=\"" + file + "\">)\n"; };
  const auto with_set = [](const std::string& file) {
    return "\n## S\n\n```step\nset = ['values.b_q=\"" + file + "\"']\n```\n";
  };
  CHECK(read(with_link("broken.csv")).steps.size() == 1);
  for (const std::string& file : {std::string("../secret.csv"), (folder / "secret.csv").string(),
                                  std::string("linked.csv"), std::string("/proc/self/environ.csv")}) {
    CAPTURE(file);
    for (const std::string& body : {with_link(file), with_set(file)}) {
      try {
        read(body);
        FAIL("accepted");
      } catch (const InputError& error) {
        const Problem& problem = error.problems().front();
        CHECK(problem.source.starts_with("lesson.md:"));
        CHECK(problem.message().find("values.b_q") != std::string::npos);
        CHECK(problem.found.find(file) != std::string::npos);
        CHECK(problem.allowed == "a file in " + (folder / "lessons").string());
      }
    }
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("what is wrong with a lesson is named with its line") {
  const Problem number = problem_with("{weights[0,0,1,2]:.1%}", "{wights[0]}");
  CHECK(number.source == "lesson.md:24");
  CHECK(number.found == "\"wights\"");
  CHECK(problem_with("{weights[0,0,1,2]:.1%}", "{1").found == "{ without its }");
  const std::string sum = "1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1";
  const Problem long_one = problem_with("{weights[0,0,1,2]:.1%}", "{" + sum + "+1+1(" + sum + "}");
  CHECK(long_one.key.ends_with("live number {" + sum + "+…}"));
  CHECK(long_one.found == "\"(" + sum + "\"");
  CHECK(problem_with("(step:2)", "(step: 2)").found == "[on](step: 2)");
  CHECK(problem_with("(step:2)", "(step:3)").allowed == "step:1 to step:2");
  CHECK(problem_with("(step:2)", "(step:3)").source == "lesson.md:26");
  CHECK(problem_with("(open:heads)", "(open:haeds)").found == "\"open:haeds\"");
  CHECK(problem_with("scale=none)", "scale=nothing)").source == "lesson.md:25");
  CHECK(problem_with("(reset:)", "(go)").found == "\"go\"");
  CHECK(problem_with("select:weights[0,0,1,0]", "select:weights[0,0,9,0]").source == "lesson.md:25");
  CHECK(problem_with("cells = \"weights[0,0,1]\"\n", "").found == "nothing to choose from");
  CHECK(problem_with("cells = \"weights[0,0,1]\"", "cells = \"weights[0,0,9]\"").key == "cells");
  CHECK(problem_with("cells = \"weights[0,0,1]\"", "cells = \"weights[0,0,1,0]\"").key == "cells");
  CHECK(problem_with("cells = \"weights[0,0,1]\"", "rows = \"weights[0,0,1]\"").key == "rows");
  CHECK(problem_with("answer = \"argmax(weights[0,0,1])\"\n", "").key == "answer");
  CHECK(problem_with("argmax(weights[0,0,1])\"", "argmax(\"").key == "answer");
  CHECK(problem_with("cat = \"It", "dog = \"It").key == "wrong.dog");
  CHECK(problem_with("{weights[0,0,1,guess]:.0%}", "{gues}").source == "lesson.md:34");
  CHECK(problem_with("scale=none\",", "scale=nothing\",").key == "set");
  CHECK(problem_with("set = [\"attention.scale=none\", 'mask.kinds=[\"causal\"]']\n", "").key == "compare");
  CHECK(problem_with("temperature=2", "temperature=0").key == "set");
  CHECK(problem_with("\"it stays\", ", "\"it grows\", ").key == "choices");
  CHECK(problem_with("hint = \"Both", "hnit = \"Both").found == "an unknown key");
}

TEST_CASE("every question of a lesson has one computed answer, every live number a value") {
  const auto results = check_lessons(lesson());
  const auto count = [&](LessonResult::Kind kind) {
    return std::count_if(results.begin(), results.end(),
                         [&](const LessonResult& r) { return r.kind == kind && r.holds(); });
  };
  CHECK(count(LessonResult::Kind::question) == 2);
  // weights, the key of the notes, the token asked about, the right words, one wrong guess, was and is
  CHECK(count(LessonResult::Kind::live_number) == 7);
  CHECK(static_cast<std::size_t>(count(LessonResult::Kind::question) + count(LessonResult::Kind::live_number)) ==
        results.size());
  CHECK(std::any_of(results.begin(), results.end(), [](const auto& r) { return r.words == "sat"; }));
  CHECK(std::any_of(results.begin(), results.end(), [](const auto& r) { return r.words == "it shrinks"; }));
}

TEST_CASE("each live number is evaluated in the state that its words are about: before the answer, or after it") {
  const auto refused = [](const std::string& from, const std::string& to) {
    std::string what;
    for (const LessonResult& result : check_lessons(lesson(replaced(steps, from, to))))
      if (!result.holds()) what += result.what + "; ";
    return what;
  };
  const std::string sets = "set = [\"attention.temperature=2\"]";
  const std::string alibi = "set = [\"position.encoding=alibi\"]";
  const std::string one_head = "set = [\"sizes.heads=1\", \"head_names=['one']\"]";
  const auto with = [&](const std::string& set, const std::string& words) { return refused(sets, set + "\n" + words); };
  CHECK(with(sets, "").empty());
  // Only the state after the answer has position biases, and only the state before it has a second head.
  CHECK(with(alibi, "right = \"{position_bias[0,0,1]:.1f}\"").empty());
  CHECK(with(alibi, "hint = \"{position_bias[0,0,1]:.1f}\"") == "position_bias[0,0,1]:.1f; ");
  CHECK(with(alibi, "wrong = \"{position_bias[0,0,1]:.1f}\"").empty());
  CHECK(with(one_head, "hint = \"{weights[0,1,0,0]:.1f}\"").empty());
  CHECK(with(one_head, "right = \"{weights[0,1,0,0]:.1f}\"") == "weights[0,1,0,0]:.1f; ");
  CHECK(with(one_head, "wrong = \"{weights[0,1,0,0]:.1f}\"") == "weights[0,1,0,0]:.1f; ");
  CHECK(refused(sets, one_head + "\nhint = \"\"").empty());
  std::string choice = replaced(steps, sets, one_head);
  choice = replaced(choice, "\"it stays\"", "\"{weights[0,1,0,0]:.1f}\"");
  std::string what;
  for (const LessonResult& result : check_lessons(lesson(choice)))
    if (!result.holds()) what += result.what + "; ";
  CHECK(what == "weights[0,1,0,0]:.1f; ");  // a label is shown after the answer too
}

TEST_CASE("choices are shuffled by the titles of lecture and step, and a scale keeps its order") {
  const auto orders = [](std::string_view title, std::string_view more) {
    const std::string text = fmt::format(R"lesson(+++
title = "{}"
[setup]
sizes = {{ query_length = 3 }}
+++
## One
```question
ask = "How many positions?"
choices = ["1", "2", "3", "4", "5"]
answer = "'3'"
{}
```
## Two
```question
ask = "How many positions?"
choices = ["1", "2", "3", "4", "5"]
answer = "2"
```
)lesson",
                                         title, more);
    std::vector<std::vector<std::size_t>> all;
    for (const Step& step : parse_lecture(text, "shuffled.md", "shuffled", {"pipeline"}).steps)
      all.push_back(order_of(*step.question, 5));
    return all;
  };
  const std::vector<std::size_t> written{0, 1, 2, 3, 4};
  const auto shuffled = orders("Shuffled", "");
  CHECK(shuffled == orders("Shuffled", ""));
  CHECK(shuffled[0] != shuffled[1]);
  CHECK(shuffled != orders("Another", ""));
  for (std::vector<std::size_t> order : shuffled) {
    CHECK(order != written);
    std::ranges::sort(order);
    CHECK(order == written);
  }
  CHECK(orders("Shuffled", "in_order = true")[0] == written);
  CHECK(orders("Shuffled", "in_order = true")[1] == shuffled[1]);
  // The same with every compiler: this order was computed by an implementation in Python.
  CHECK(shuffled_order(5, "a\nb") == std::vector<std::size_t>{1, 3, 0, 2, 4});
}

TEST_CASE("a question asks for the cells that it hides, and for those that its answer reads") {
  const auto asks = [](const std::string& answer, const Cell& cell) {
    Question question;
    question.kind = Question::Kind::choice;
    question.answer = Expression(answer);
    return asks_for(question, cell, lesson().parts[0].setup);
  };
  const Cell cell{TensorId::weights, {0, 1, 2, 0}};
  CHECK(asks("100 * weights[0,1,2,0]", cell));
  CHECK(asks("max(weights[0,-1])", cell));
  CHECK(asks("weights[0,1,-1,0]", cell));
  CHECK(asks("sum(weights[0,1,:,0:1])", cell));
  CHECK(asks("std(weights)", cell));
  CHECK(asks("'a' if min(weights[0,heads - 1]) > 0 else 'b'", cell));  // computed: it may be any
  CHECK_FALSE(asks("weights[0,1,2,1]", cell));
  CHECK_FALSE(asks("sum(weights[0,1,:,1:])", cell));
  CHECK_FALSE(asks("scores[0,1,2,0]", cell));
  CHECK_FALSE(asks("was(weights[0,1,2,0])", cell));
  CHECK_FALSE(asks("sqrt(d_head)", cell));
  const Question hides = *lesson().steps[0].question;
  CHECK(asks_for(hides, {TensorId::weights, {0, 0, 1, 2}}, lesson().parts[0].setup));
  CHECK_FALSE(asks_for(hides, {TensorId::weights, {0, 0, 2, 2}}, lesson().parts[0].setup));
}

TEST_CASE("a dash in a sentence is found, because it looks like a number that is missing") {
  const auto found = [](const std::string& words) {
    std::string refused;
    for (const LessonResult& result : check_lessons(lesson(replaced(steps, "It was {", words + "{"))))
      if (!result.holds()) refused += result.what + result.found;
    return refused;
  };
  CHECK(found("Columns 0–3. ").empty());
  CHECK(found("One word – the last – is ").find("One word – the last") != std::string::npos);
}

TEST_CASE("a question without exactly one answer is found") {
  const auto answer_problem = [](const std::string& from, const std::string& to) {
    std::string found;
    for (const LessonResult& result : check_lessons(lesson(replaced(steps, from, to))))
      if (!result.holds()) {
        CHECK(result.line == 28);
        found += result.found;
      }
    return found;
  };
  CHECK(answer_problem("argmax(weights[0,0,1])\"", "argmax(X[0,0] * 0)\"") ==
        "argmax of numbers of which 4 are the same");
  CHECK(answer_problem("argmax(weights[0,0,1])\"", "3\"") == "3 is 3");
  CHECK(answer_problem("argmax(weights[0,0,1])\"", "'dog'\"") == "\"dog\"");
  CHECK(answer_problem("argmax(weights[0,0,1])\"", "weights[0,0,1]\"") == "weights[0,0,1] is an array");
}

TEST_CASE("a head is called by its name, and counted where it has none") {
  Setup setup = lesson().parts[0].setup;
  CHECK(head_words(1, setup) == "two");
  CHECK(label_on_axis(TensorId::weights, 1, 1, setup).main() == "two");
  setup.head_names.clear();
  CHECK(head_words(1, setup) == "head 1");
  CHECK(label_on_axis(TensorId::weights, 1, 1, setup).main() == "head 1");
}

TEST_CASE("the columns of answers are called by the symbols of the task") {
  Setup setup;
  setup.task.name = TaskName::previous_and_first;
  setup.task.symbols = 5;
  const AxisLabel second = label_on_axis(TensorId::probabilities, 2, 7, setup);
  CHECK(second.token == "c");
  CHECK(second.index == "d7");
  CHECK(label_on_axis(gradient_of(TensorId::logits), 2, 4, setup).main() == "e");
}

TEST_CASE("what has no name is called as in the picture, and by its place too") {
  const std::string asked = R"lesson(
## Features
```question
ask = "Where is sat's query largest?"
cells = "Q[0,2,1:]"
answer = "'d2' if Q[0,2,2] > Q[0,2,1] else '1'"
wrong = { d1 = "Not the second.", "3" = "There is nothing.", other = "No." }
```
## Both
```question
ask = "Where?"
cells = "Q[0,0:2,0:2]"
answer = "argmax(Q[0,0:2,0:2] + 0)"
wrong = { "cat, d1" = "By its label.", "0, 1" = "By its place." }
```
)lesson";
  const Lecture lecture = lesson(asked);
  const ModelTrace model = compute_model(lecture.parts[0].setup);
  const Scope scope{model};
  const Question& features = *lecture.steps[0].question;
  CHECK(labels_of(features, scope) == std::vector<std::string>{"d1", "d2", "d3"});
  CHECK(words_for_wrong(features, 0, model.first().setup).source == "Not the second.");
  CHECK(words_for_wrong(features, 2, model.first().setup).source == "There is nothing.");
  CHECK(words_for_wrong(features, 1, model.first().setup).source == "No.");
  const double q1 = model.value({TensorId::Q, {0, 2, 1}});
  const double q2 = model.value({TensorId::Q, {0, 2, 2}});
  CHECK(answer_of(features, scope) == (q2 > q1 ? 1 : 0));
  const Question& both = *lecture.steps[1].question;
  CHECK(labels_of(both, scope) == std::vector<std::string>{"The, d0", "The, d1", "cat, d0", "cat, d1"});
  CHECK(words_for_wrong(both, 3, model.first().setup).source == "By its label.");
  CHECK(words_for_wrong(both, 1, model.first().setup).source == "By its place.");
  CHECK(words_for_wrong(both, 0, model.first().setup).empty());
}

TEST_CASE("a question about rows and one about a number judge guesses") {
  const std::string asked = R"lesson(
## Rows
```question
ask = "Which row is the largest?"
rows = "scores[0,0]"
answer = "argmax(scores[0,0,:,2])"
wrong = "Not {token(guess)}."
```
## Number
```question
ask = "How large is its largest score?"
within = 0.01
answer = "max(scores[0,0])"
wrong = "{'Too small' if guess < answer else 'Too large'}"
```
)lesson";
  const Lecture lecture = lesson(asked);
  const ModelTrace model = compute_model(lecture.parts[0].setup);
  const Scope scope{model};
  const Question& rows = *lecture.steps[0].question;
  CHECK(labels_of(rows, scope) == std::vector<std::string>{"The", "cat", "sat"});
  CHECK(answer_of(rows, scope) == 2);
  CHECK(choice_at(rows, {TensorId::scores, {0, 0, 1, 2}}, model.first().setup) == 1);
  CHECK(plain_text(filled(words_for_wrong(rows, 1, model.first().setup), {model, nullptr, 1})) == "Not cat.");
  const Question& number = *lecture.steps[1].question;
  const double answer = answer_of(number, scope);
  CHECK(answer == doctest::Approx(8 / std::sqrt(2)));
  CHECK(is_right(number, answer + 0.009, answer));
  CHECK(!is_right(number, answer + 0.02, answer));
  CHECK(plain_text(filled(words_for_wrong(number, 9, model.first().setup), {model, nullptr, 9, answer})) ==
        "Too large");
  CHECK_FALSE(gives_away(number, words_for_wrong(number, 9, model.first().setup), {model, nullptr, 9, answer}));
  for (const char* telling : {"It is {answer:.2f}.", "It is {max(scores[0,0]):.2f}.", "Half of {100 * answer / 100}."})
    CHECK(gives_away(number, read_live_text(telling), {model, nullptr, 9, answer}));
  CHECK(gives_away(rows, read_live_text("*{token(answer)}* has more."), {model, nullptr, 1, 2}));
  CHECK_FALSE(gives_away(rows, read_live_text("*{token(guess)}* has less."), {model, nullptr, 1, 2}));
}

TEST_CASE("a cell to be found is chosen like others, and shows its number") {
  const std::string asked = R"lesson(
## Finds
```step
cell = "weights[0,0,1,2]"
```
```question
ask = "Which score is the largest?"
find = "scores[0,0]"
hides = ["weights"]
answer = "argmax(scores[0,0])"
wrong = { "cat, sat" = "A row too high.", "0, 1" = "By its indices.", other = "No." }
```
)lesson";
  const Lecture lecture = lesson(asked);
  const ModelTrace model = compute_model(lecture.parts[0].setup);
  const Question& question = *lecture.steps[0].question;
  CHECK(question.kind == Question::Kind::find);
  CHECK(answer_of(question, {model}) == 8);
  CHECK(labels_of(question, {model}).at(5) == "cat, sat");
  CHECK(words_for_wrong(question, 5, model.first().setup).source == "A row too high.");
  CHECK(words_for_wrong(question, 1, model.first().setup).source == "By its indices.");
  CHECK(words_for_wrong(question, 0, model.first().setup).source == "No.");
  const Cell score{TensorId::scores, {0, 0, 2, 1}};
  CHECK(choice_at(question, score, model.first().setup) == 7);
  CHECK(asks_for(question, score, model.first().setup));
  CHECK_FALSE(hides(question, score, model.first().setup));
  CHECK(hides(question, {TensorId::weights, {0, 0, 2, 1}}, model.first().setup));
  CHECK(marked_parts_of(question, TensorId::scores, model.first().setup).size() == 1);
  CHECK(hidden_parts_of(question, TensorId::scores, model.first().setup).empty());
  const auto refused = [&](const std::string& from, const std::string& to) {
    try {
      lesson(replaced(asked, from, to));
    } catch (const InputError& error) {
      return error.problems().front();
    }
    return Problem{};
  };
  CHECK(refused("find = \"scores[0,0]\"", "find = \"scores[0,9]\"").key == "find");
  CHECK(refused("find = \"scores[0,0]\"", "find = \"scores[0,0]\"\nwithin = 1").found == "within and find");
  const Problem picture = refused("0,0,1,2]\"\n", "0,0,1,2]\"\npicture = { kind = \"sentence\" }\n");
  CHECK(picture.key == "find");
  CHECK(picture.allowed == "find in a step that shows a view");
}

TEST_CASE("an order is computed, and a guess is an arrangement") {
  const std::string asked = R"lesson(
## Orders
```question
ask = "Order them, the smallest first."
order = ["a", "b", "c"]
answer = ["d_model", "1", "scores[0,0,0,0]"]
wrong = { a = "The largest first?", other = "No." }
```
)lesson";
  const Lecture lecture = lesson(asked);
  const ModelTrace model = compute_model(lecture.parts[0].setup);
  const Question& question = *lecture.steps[0].question;
  Scope scope{model};  // 4, 1 and 2 / sqrt(2)
  const double answer = answer_of(question, scope);
  scope.answer = answer;
  CHECK(arrangement_of(answer, 3) == std::vector<std::size_t>{1, 2, 0});
  CHECK(words_of_choice(question, answer, scope) == "b, c, a");
  CHECK(is_right(question, guess_of({1, 2, 0}), answer));
  CHECK_FALSE(is_right(question, guess_of({1, 0, 2}), answer));
  CHECK(words_for_wrong(question, guess_of({0, 1, 2}), model.first().setup).source == "The largest first?");
  CHECK(words_for_wrong(question, guess_of({2, 1, 0}), model.first().setup).source == "No.");
  CHECK(asks_for(question, {TensorId::scores, {0, 0, 0, 0}}, model.first().setup));
  CHECK_FALSE(std::ranges::is_sorted(question.order));
  std::vector<std::size_t> firsts;
  for (const double guess : wrong_guesses(question, scope)) {
    CHECK_FALSE(is_right(question, guess, answer));
    firsts.push_back(arrangement_of(guess, 3).front());
  }
  CHECK(firsts == std::vector<std::size_t>{0, 1, 2});
  for (std::size_t count = 3; count <= 6; ++count) {
    std::vector<std::size_t> arrangement(count);
    for (std::size_t i = 0; i < count; ++i) arrangement[i] = (2 * i + 1) % count;
    CHECK(arrangement_of(guess_of(arrangement), count) == arrangement);
  }
  const auto refused = [&](const std::string& from, const std::string& to) {
    try {
      lesson(replaced(asked, from, to));
    } catch (const InputError& error) {
      return error.problems().front();
    }
    return Problem{};
  };
  CHECK(refused("\"d_model\", ", "").allowed == "a list of 3, one for each of what is ordered");
  CHECK(refused("\"a\", ", "").allowed == "3 to 6 different texts");
  CHECK(refused("\"d_model\"", "\"d_model +\"").key == "answer");
  CHECK(refused("a = \"The", "d = \"The").key == "wrong.d");
  const auto judged = [&](const std::string& from, const std::string& to) {
    return check_lessons(lesson(replaced(asked, from, to))).front();
  };
  CHECK(judged("ask", "ask").words == "b, c, a");
  CHECK(judged("\"d_model\"", "\"1\"").allowed == "numbers that all differ");
  std::string offered;
  for (const std::size_t item : question.order) offered += fmt::format("{}", item);
  const auto place = [&](char item) { return offered.find(item); };
  const std::string sizes = fmt::format("[\"{}\", \"{}\", \"{}\"]", place('0'), place('1'), place('2'));
  CHECK(
      judged("[\"d_model\", \"1\", \"scores[0,0,0,0]\"]", sizes).found.starts_with("it is offered in the right order"));
}

TEST_CASE("a row of weights is drawn in shares, and compared share by share") {
  const std::string asked = R"lesson(
## Draws
```question
ask = "Draw the row of cat."
draw = "weights[0,0,1]"
within = 0.05
wrong = { The = "Too much for The.", other = "No." }
```
)lesson";
  const Lecture lecture = lesson(asked);
  const ModelTrace model = compute_model(lecture.parts[0].setup);
  const Question& question = *lecture.steps[0].question;
  const std::vector<double> row = row_to_draw(question, model);
  REQUIRE(row.size() == 3);
  const double answer = answer_of(question, {model});
  for (std::size_t i = 0; i < 3; ++i) CHECK(row_of(answer, 3)[i] == doctest::Approx(row[i]).epsilon(0.02).scale(1));
  CHECK(hides(question, {TensorId::weights, {0, 0, 1, 2}}, model.first().setup));
  CHECK(asks_for(question, {TensorId::weights, {0, 0, 1, 2}}, model.first().setup));
  CHECK_FALSE(choice_at(question, {TensorId::weights, {0, 0, 1, 2}}, model.first().setup));
  CHECK(is_right(question, guess_of_row(row), answer));
  CHECK(is_right(question, guess_of_row(with_share(row, 0, row[0] + 0.04)), answer));
  CHECK_FALSE(is_right(question, guess_of_row(with_share(row, 0, row[0] + 0.1)), answer));
  CHECK(words_for_wrong(question, guess_of_row({0.6, 0.2, 0.2}), model.first().setup).source == "Too much for The.");
  CHECK(words_for_wrong(question, guess_of_row({0.2, 0.2, 0.6}), model.first().setup).source == "No.");
  CHECK(words_of_choice(question, guess_of_row({0.5, 0.3, 0.2}), {model}) == "The 50 %, cat 30 %, sat 20 %");
  // Steps of 2 % that are always 1 together, also of the longest row.
  for (const std::vector<double>& shares : {std::vector<double>{1, 0, 0},
                                            {1 / 3., 1 / 3., 1 / 3.},
                                            {0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125}}) {
    double all = 0;
    const std::vector<double> kept = row_of(guess_of_row(shares), shares.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      all += kept[i];
      CHECK(std::abs(kept[i] - shares[i]) < 0.02);
    }
    CHECK(all == doctest::Approx(1));
  }
  CHECK(with_share({0.5, 0.5, 0}, 0, 0.2) == std::vector<double>{0.2, 0.8, 0});
  CHECK(with_share({1, 0, 0}, 0, 0.5) == std::vector<double>{0.5, 0.25, 0.25});
  CHECK(with_share({0.5, 0.5, 0}, 2, 7) == std::vector<double>{0, 0, 1});
  const auto refused = [&](const std::string& to) {
    try {
      lesson(replaced(asked, "draw = \"weights[0,0,1]\"", to));
    } catch (const InputError& error) {
      return error.problems().front();
    }
    return Problem{};
  };
  for (const char* part : {"draw = \"scores[0,0,1]\"", "draw = \"weights[0,0]\"", "draw = \"weights[0,0,1,0:2]\""})
    CHECK(refused(part).allowed == "a row of weights, of 3 to 8 keys");
  CHECK(refused("draw = \"weights[0,0,9]\"").key == "draw");
  CHECK(refused("draw = \"weights[0,0,1]\"\nanswer = \"1\"").allowed == "none: the row is the answer");
  CHECK(check_lessons(lecture).front().holds());
}

TEST_CASE("a row that is too long to be drawn, and a guess that is no number, have digits all the same") {
  // Thirteen keys, as after a change of the tokens: 51 to the power of 13 is more than a whole number can hold.
  std::vector<double> shares(13);
  shares.front() = 1;
  CHECK(guess_of_row(shares) > 0x1p64);
  CHECK(row_of(guess_of_row(shares), 13).size() == 13);
  for (const double share : row_of(std::numeric_limits<double>::quiet_NaN(), 3)) CHECK(share == 0);
  for (const double share : row_of(-1, 3)) CHECK(share == 0);
}

TEST_CASE("an answer is shown with the digits that matter, and a guess with those that were typed") {
  Question question;
  question.kind = Question::Kind::number;
  const auto shown = [&](double within, double answer, const char* format = nullptr) {
    question.within = within;
    question.format.reset();
    if (format != nullptr) question.format = parse_live_format(format);
    return words_of_number(question, answer);
  };
  CHECK(shown(2, 33.1929) == "33");
  CHECK(shown(0.5, 33.1929) == "33");
  CHECK(shown(0.05, 33.1929) == "33.2");
  CHECK(shown(0.04, 33.1929) == "33.19");
  CHECK(shown(0.01, -0.123456) == "−0.12");
  CHECK(shown(0, 333833500) == "333833500");
  CHECK(shown(0, 0.125) == "0.125");
  CHECK(shown(1e6, 333833500) == "333833500");
  CHECK(shown(0.02, 0.331929, ".0%").starts_with("33"));
  CHECK(shown(0.02, 0.331929, ".0%").ends_with("%"));
  CHECK(words_of_typed(question, 0.344) == "34.4 %");
  CHECK(typed_guess(question, shown(0.02, 0.331929, ".0%")) == 0.33);
  CHECK(typed_guess(question, "34.4 %") == doctest::Approx(0.344));
  CHECK_FALSE(typed_guess(question, "%"));
  CHECK_FALSE(typed_guess(question, "half"));
  CHECK(shown(0.1, 2.25, ".2f") == "2.25");
  CHECK(typed_guess(question, "12%") == 12);
  CHECK(typed_guess(question, "1,5") == 1.5);
  CHECK(shown(0, 500500, ",d") == "500,500");
  CHECK(typed_guess(question, "500,500") == 500500);
  CHECK(typed_guess(question, "500,5") == 500.5);
  CHECK(typed_guess(question, "1,234,567") == 1234567);
  CHECK_FALSE(typed_guess(question, "1,2,3"));
}

TEST_CASE("a format belongs to a number, and shows an answer that is right") {
  const std::string asked = R"lesson(
## Number
```question
ask = "How large is the share?"
within = 0.001
format = ".0%"
answer = "1 / 7"
```
)lesson";
  const auto results = check_lessons(lesson(asked));
  REQUIRE(results.size() == 1);
  CHECK(results.front().found.find("shows as 14") != std::string::npos);
  CHECK(check_lessons(lesson(replaced(asked, "0.001", "0.005"))).front().holds());
  CHECK_THROWS_AS(lesson(replaced(asked, ".0%", "%%")), InputError);
  CHECK_THROWS_AS(lesson(replaced(asked, "within = 0.001", "choices = [\"a\", \"b\"]")), InputError);
}

TEST_CASE("steps without minutes share what the others leave of the lecture's") {
  const Pace even = pace_of(lesson());
  CHECK(even.starts == std::vector<double>{0, 10});
  CHECK(even.end == 20);
  const Pace given = pace_of(lesson(replaced(steps, "cell = \"weights", "minutes = 2.5\ncell = \"weights")));
  CHECK(given.starts == std::vector<double>{0, 2.5});
  CHECK(given.end == 20);
  CHECK(given.total == 20);
  const std::string both = replaced(replaced(steps, "cell = \"weights", "minutes = 2.5\ncell = \"weights"),
                                    "compare = true", "compare = true\nminutes = 4");
  const Pace short_of_it = pace_of(lesson(both));
  CHECK(short_of_it.end == 6.5);
  CHECK(short_of_it.total == 20);  // the rest is for questions
  const auto without = [](const std::string& body) {
    return parse_lecture(replaced(front, "minutes = 20\n", "") + body, "lesson.md", "lesson", {"pipeline", "heads"});
  };
  CHECK(pace_of(without(both)).total == 6.5);
  CHECK(pace_of(without(steps)).empty());
}

TEST_CASE("a talk is behind or ahead of its plan only outside of the step's own minutes") {
  const Pace pace = pace_of(lesson());
  CHECK(pace.behind(0, 4) == 0);
  CHECK(pace.behind(0, 12.5) == 2.5);
  CHECK(pace.behind(1, 4) == -6);
  CHECK(pace.behind(1, 21) == 1);
  CHECK(pace.behind(7, 21) == 0);
}

TEST_CASE("minutes that cannot be are named with their line and what is allowed") {
  const auto with_minutes = [](const std::string& minutes) {
    return problem_with("compare = true", "compare = true\nminutes = " + minutes);
  };
  const Problem none = with_minutes("0");
  CHECK(none.source == "lesson.md:50");
  CHECK(none.key == "minutes");
  CHECK(none.found == "0");
  CHECK(none.allowed == "how many minutes the step takes, above 0 and up to 1000");
  CHECK(with_minutes("-2").found == "-2");
  CHECK(with_minutes("nan").key == "minutes");
  CHECK(with_minutes("1001").found == "1001");
  CHECK(with_minutes("\"two\"").key == "minutes");
  CHECK(with_minutes("21").allowed == "no more than the 20 minutes of the lecture");
  CHECK(with_minutes("20").allowed == "less than the 20 minutes of the lecture, because 1 of its steps share the rest");
  const std::string one = replaced(steps, "compare = true", "compare = true\nminutes = 3");
  try {
    parse_lecture(replaced(front, "minutes = 20\n", "") + one, "lesson.md", "lesson", {"pipeline", "heads"});
    FAIL("accepted");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems().front().found == "none");
    CHECK(error.problems().front().source == "lesson.md:17");
  }
}

namespace {

const std::string large_lesson = R"lesson(+++
title = "A large one"
[setup.sizes]
query_length = 2
d_model = 700
[setup.random]
draws = ["seed 0", "X normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal"]
+++
)lesson";

/// What check_lessons finds wrong with a step whose words are these.
std::vector<LessonResult> faults_of(const std::string& words, const std::string& front_matter = front) {
  std::vector<LessonResult> faults;
  for (const LessonResult& result :
       check_lessons(parse_lecture(front_matter + "\n## S\n\n" + words + "\n", "lesson.md", "lesson")))
    if (!result.holds()) faults.push_back(result);
  return faults;
}

}  // namespace

TEST_CASE("what Python can't compute has no value, and what no number can hold is no answer") {
  for (const char* words : {"{0/0}", "{1/0}", "{1 // 0}", "{1 % 0}", "{0 ** -1}", "{(-2) ** 0.5}", "{log(0)}",
                            "{log(-1)}", "{sqrt(-1)}", "{max(weights / (heads - 2))}", "{cos(X[0,0] * 0, X[0,0])}",
                            "{10 ** 400}", "{1e308 * 10 - 1e308 * 10}", "{exp(1000)}", "{-exp(1000)}"}) {
    CAPTURE(words);
    const auto faults = faults_of(words);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == LessonResult::Kind::live_number);
    CHECK_FALSE(faults[0].allowed.empty());
  }
  for (const char* words :
       {"{0/1}", "{0 ** 0}", "{(-2) ** 3}", "{1 if heads == 2 else 1/0}", "{sqrt(0)}", "{exp(-1000)}"}) {
    CAPTURE(words);
    CHECK(faults_of(words).empty());
  }
  // The mask hides keys with −∞, which is an answer.
  const std::string masked = replaced(front, "[setup.values]", "[setup.mask]\nkinds = [\"causal\"]\n[setup.values]");
  CHECK(faults_of("{masked_scores[0,0,0,1]}", masked).empty());
  CHECK(faults_of("{min(masked_scores[0,0,0])}", masked).empty());
  CHECK(faults_of("{-min(masked_scores[0,0,0])}", masked).size() == 1);
}

TEST_CASE("every step is computed, also one without numbers or a question") {
  const std::string overflows = replaced(front, "[setup.values]", "[setup.attention]\nscale = 1e308\n[setup.values]");
  const auto faults = faults_of("Nothing but words.", overflows);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == LessonResult::Kind::step);
  CHECK(faults[0].what == "S");
  CHECK(faults[0].found.find("scores") != std::string::npos);
  // One that needs too much memory is named, whatever its words are.
  const std::string set = "```step\nset = [\"sizes.query_length=200000\"]\n```\n\nOnly words.";
  try {
    faults_of(set, large_lesson);
    FAIL("computed");
  } catch (const InputError& error) {
    CHECK(error.problems().front().source == "lesson, step 1, \"S\"");
  }
}

TEST_CASE("large products are computed, and the work of a step has an end") {
  CHECK(faults_of("{sum(W_q @ W_k)} {max(X[0] @ W_q @ X[0,1])} {X[0,0] @ X[0,1]}", large_lesson).empty());
  std::string words;
  for (int i = 0; i < 20; ++i) words += "{sum(W_q @ W_k)} ";
  const auto faults = faults_of(words, large_lesson);
  REQUIRE(faults.size() == 1);  // a number that failed before is not reported again
  CHECK(faults[0].found == "more than the numbers of a step may compute");
  // All its texts count together.
  std::string question = "```question\nask = \"Which?\"\nanswer = \"0\"\nchoices = [";
  for (int i = 0; i < 9; ++i) question += "\"" + std::to_string(i) + ": {sum(W_q @ W_k)}\", ";
  const auto of_choices = faults_of(question + "]\n```", large_lesson);
  REQUIRE(of_choices.size() == 1);
  CHECK(of_choices[0].found == "more than the numbers of a step may compute");
}

TEST_CASE("text that was meant as a link is quoted alone and with its line, however much stands beside it") {
  const std::vector<std::string_view> views;
  const auto problems_of = [&](const std::string& words) {
    std::vector<WordsProblem> problems;
    read_live_text(words, {.setup = nullptr, .step_count = 1, .views = views}, problems);
    return problems;
  };
  const auto two = problems_of("So [a](set:title=x y)\nor\n[b](set:title=z y), {1");
  REQUIRE(two.size() == 3);
  CHECK(two[0].line == 2);
  CHECK(two[0].problem.found == "{ without its }");
  CHECK(two[1].line == 0);
  CHECK(two[1].problem.found == "[a](set:title=x y)");
  CHECK(two[2].line == 2);
  CHECK(two[2].problem.found == "[b](set:title=z y)");
  // Beginnings without an end, and ends without a beginning.
  std::string many = "[a";
  for (int i = 0; i < 2000; ++i) many += "](set:title=x y";
  std::size_t quoted = 0;
  for (const WordsProblem& each : problems_of(many + ")")) quoted += each.problem.found.size();
  CHECK(quoted <= many.size());
  // A brace in a link's target is a brace, also where the parentheses around it don't close.
  CHECK(problems_of("[a](step:1 ( {").size() == 1);
  CHECK(problems_of("[a](https://x.org/{y})").empty());
  CHECK(problems_of("[a](https://x.org/(z){y})").empty());
}
