// The pictures of steps as a lecture's file describes them, what a question hides besides its cells, and words that are
// added to a sentence.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../picture_lesson.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/lecture/check.hpp"
#include "core/lecture/question.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

const std::string above_steps = picture_lesson.substr(0, picture_lesson.find("## One sentence"));

Lecture with_step(const std::string& block, const std::string& rest = "Words.") {
  return parse_lecture(above_steps + "## A step\n```step\n" + block + "\n```\n" + rest + "\n", "a.md", "a");
}

/// What is wrong with a step, one problem a line: "picture.kind: found; allowed".
std::string problems_of_step(const std::string& block, const std::string& rest = "Words.") {
  try {
    with_step(block, rest);
  } catch (const InputError& error) {
    std::string all;
    for (const Problem& problem : error.problems())
      all += problem.key + ": " + problem.found + "; " + problem.allowed + "\n";
    return all;
  }
  return {};
}

const std::string cell = "cell = \"weights[0,0,2,1]\"\n";

std::string problems_of_picture(const std::string& picture) { return problems_of_step(cell + "[picture]\n" + picture); }

bool mentions(const std::string& problems, const std::string& words) {
  return problems.find(words) != std::string::npos;
}

Setup bank() { return parse_lecture(picture_lesson, "a.md", "a").parts.front().setup; }

}  // namespace

TEST_CASE("a sentence shows all features, the weights and the blend, unless its step says otherwise") {
  const Lecture usual = with_step(cell + "[picture]\nkind = \"sentence\"");
  const auto& all = std::get<SentencePicture>(*usual.steps[0].picture);
  CHECK(all.features == std::vector<Index>{0, 1, 2, 3});
  CHECK(all.rows == std::vector{TensorId::weights});
  CHECK(all.blend);
  CHECK_FALSE(all.mirrored);

  const Lecture chosen = with_step(
      cell +
      "picture = { kind = \"sentence\", features = [\"money\", 0], rows = [\"scores\", \"weights\"], blend = false }");
  const auto& some = std::get<SentencePicture>(*chosen.steps[0].picture);
  CHECK(some.features == std::vector<Index>{1, 0});
  CHECK(some.rows == std::vector{TensorId::scores, TensorId::weights});
  CHECK_FALSE(some.blend);
  CHECK_FALSE(
      std::get<SentencePicture>(*with_step(cell + "[picture]\nkind = \"sentence\"\nrows = []").steps[0].picture).blend);
}

TEST_CASE("what is wrong with a picture is said with what is allowed") {
  CHECK(mentions(problems_of_picture("kind = \"film\""), "picture.kind: \"film\"; one of \"sentence\", \"mirror\""));
  CHECK(mentions(problems_of_picture(""), "picture.kind: none; one of"));
  CHECK(mentions(problems_of_step(cell + "picture = \"sentence\""), "picture: "));
  CHECK(
      mentions(problems_of_picture("kind = \"sentence\"\nfeatures = [\"waiter\"]"),
               "picture.features[0]: \"waiter\"; \"water\", \"money\", \"verb\", \"filler\" or an index from 0 to 3"));
  CHECK(mentions(problems_of_picture("kind = \"sentence\"\nfeatures = [4]"), "picture.features[0]: 4; "));
  CHECK(mentions(problems_of_picture("kind = \"sentence\"\nfeatures = [\"water\", 0]"), "0 again"));
  CHECK(mentions(problems_of_picture("kind = \"sentence\"\nrows = [\"weight\"]"), "picture.rows"));
  CHECK(mentions(problems_of_picture("kind = \"sentence\"\nrow = [\"weights\"]"), "picture.row"));
  CHECK(mentions(problems_of_picture("kind = \"mirror\""), "\"mirror\" in a step that sets nothing; it beside set"));
  CHECK(mentions(problems_of_step("cell = \"W_q[0,1]\"\n[picture]\nkind = \"sentence\""),
                 "a step about W_q; a cell with a query, as cell = \"weights[0,0,2,1]\""));
  CHECK(mentions(
      problems_of_step(cell + "set = [\"sizes.d_out=2\", \"values={}\"]\n[picture]\nkind = \"sentence\"\nblend = true"),
      "picture.blend: true; false, because the output has 2 features and the words have 4"));
  CHECK(
      mentions(problems_of_step(cell + "view = \"heads\"\n[picture]\nkind = \"sentence\""), "one of view and picture"));
}

TEST_CASE("a curve has a number to play and a line for each expression") {
  const Lecture lecture = parse_lecture(picture_lesson, "a.md", "a");
  const auto& curve = std::get<CurvePicture>(*lecture.steps[2].picture);
  CHECK(curve.play == "temperature=0.1..1e6");
  REQUIRE(curve.lines.size() == 4);
  CHECK(curve.lines[1].label == "river");
  CHECK(curve.lines[1].value.text() == "weights[0,0,2,1]");
  const std::string watch = "\nwatch = [\"max(weights[0,0,2])\"]";
  const Lecture named =
      with_step(cell + "[picture]\nkind = \"curve\"\nplay = \"W_q[0,1]\"\nlabels = [\"most\"]" + watch);
  CHECK(std::get<CurvePicture>(*named.steps[0].picture).lines[0].label == "most");
  CHECK(mentions(problems_of_picture("kind = \"curve\"\nplay = \"temperature=0..1\"" + watch),
                 "picture.play: \"temperature=0..1\""));
  CHECK(mentions(problems_of_picture("kind = \"curve\"\nplay = \"warmth=1..2\"" + watch),
                 "a number of the setup and its range"));
  CHECK(mentions(problems_of_picture("kind = \"curve\"\nplay = \"scores[0,0,0,0]\"" + watch),
                 "a number of the setup and its range"));
  CHECK(mentions(problems_of_picture("kind = \"curve\"\nplay = \"temperature\""),
                 "picture.watch: 0 expressions; 1 to 8"));
  CHECK(mentions(problems_of_picture("kind = \"curve\"\nplay = \"temperature\"\nwatch = [\"max(\"]"),
                 "picture.watch[0]: \"max(\""));
  CHECK(mentions(problems_of_picture("kind = \"curve\"\nplay = \"temperature\"\nlabels = [\"a\", \"b\"]" + watch),
                 "2 labels for 1 lines; one for each"));
}

TEST_CASE("a curve has a line for each of several setups, with a name for each") {
  const std::string start = "kind = \"curve\"\nplay = \"temperature=1..4\"\nwatch = [\"max(weights[0,0,2])\"]\n";
  const std::string setups = "setups = [\"attention.scale=none\", \"values.W_q[:]=0\"]\n";
  const Lecture lecture = with_step(cell + "[picture]\n" + start + setups + "labels = [\"unscaled\", \"even\"]");
  const auto& curve = std::get<CurvePicture>(*lecture.steps[0].picture);
  CHECK(curve.compares_setups());
  REQUIRE(curve.lines.size() == 2);
  CHECK(curve.lines[1].label == "even");
  CHECK(curve.lines[0].value.text() == curve.lines[1].value.text());
  CHECK(std::holds_alternative<NoScale>(curve.lines[0].setup->attention.scale));
  // Each line has a number of its own.
  const auto results = check_lessons(lecture);
  REQUIRE(results.size() == 2);
  CHECK(results[0].words != results[1].words);
  CHECK(results[1].words == "0.25");
  CHECK_FALSE(std::get<CurvePicture>(*with_step(cell + "[picture]\n" + start).steps[0].picture).compares_setups());

  CHECK(mentions(problems_of_picture(start + setups),
                 "1 expressions and 0 labels; one expression in watch, and a label"));
  CHECK(mentions(problems_of_picture(start + setups + "labels = [\"one\"]"), "1 labels for 2 lines; one for each"));
  CHECK(mentions(problems_of_picture(start + "setups = [\"sizes.heads=x\"]\nlabels = [\"one\"]"), "picture.setups[0]"));
}

TEST_CASE("a line of a curve must have a value in its step") {
  const std::string curve = cell + "[picture]\nkind = \"curve\"\nplay = \"temperature\"\nwatch = [\"";
  const auto results = check_lessons(with_step(curve + "max(weights[0,0,2])\", \"weights[0,0,9,0]\"]"));
  REQUIRE(results.size() == 2);
  CHECK(results[0].words == "0.4643");
  CHECK_FALSE(results[1].holds());
}

TEST_CASE("arrows are the rows of one tensor, or of queries and keys") {
  const Lecture lecture = parse_lecture(picture_lesson, "a.md", "a");
  const auto& turned = std::get<ArrowsPicture>(*lecture.steps[3].picture);
  CHECK(turned.tensors == std::vector{TensorId::Q_rotated, TensorId::K_rotated});
  CHECK(turned.pair == std::array<Index, 2>{0, 1});
  CHECK(turned.rows.empty());
  const Lecture words =
      with_step(cell + "[picture]\nkind = \"arrows\"\ntensors = [\"X\"]\npair = [\"money\", \"water\"]\nkeys = [1, 3]");
  const auto& named = std::get<ArrowsPicture>(*words.steps[0].picture);
  CHECK(named.pair == std::array<Index, 2>{1, 0});
  CHECK(named.rows == std::vector<Index>{1, 3});
  CHECK(std::get<ArrowsPicture>(*with_step(cell + "picture = { kind = \"arrows\" }").steps[0].picture).tensors ==
        std::vector{TensorId::Q_heads, TensorId::K_heads});
  CHECK(mentions(problems_of_picture("kind = \"arrows\"\ntensors = [\"W_q\"]"),
                 "picture.tensors: [W_q]; one with a row"));
  CHECK(mentions(problems_of_picture("kind = \"arrows\"\ntensors = [\"K_heads\", \"Q_heads\"]"), "picture.tensors"));
  CHECK(mentions(problems_of_picture("kind = \"arrows\"\npair = [0]"), "1 features; two, as [0, 1]"));
  CHECK(mentions(problems_of_picture("kind = \"arrows\"\npair = [0, 4]"), "picture.pair[1]: 4"));
  CHECK(mentions(problems_of_picture("kind = \"arrows\"\nkeys = [4]"), "picture.keys[0]: 4; a position from 0 to 3"));
}

TEST_CASE("boxes with shapes need no more than their tensor") {
  const Lecture lecture = parse_lecture(picture_lesson, "a.md", "a");
  CHECK(std::holds_alternative<ShapesPicture>(*lecture.steps[4].picture));
  CHECK(mentions(problems_of_picture("kind = \"shapes\"\nrows = [\"weights\"]"), "picture.rows"));
}

TEST_CASE("a question hides what its step names, in every place where the numbers are the same") {
  const Lecture lecture = parse_lecture(picture_lesson, "a.md", "a");
  const Step& step = lecture.steps[1];
  const Question& question = *step.question;
  const Setup& setup = lecture.setup_of(step);
  CHECK(hides(question, {TensorId::weights, {0, 0, 2, 3}}, setup));
  CHECK_FALSE(hides(question, {TensorId::weights, {0, 0, 1, 3}}, setup));
  CHECK(hides(question, {TensorId::output, {0, 2, 0}}, setup));
  CHECK_FALSE(hides(question, {TensorId::context, {0, 0, 2, 0}}, setup));
  for (const TensorId tensor : {TensorId::weights, TensorId::output}) {
    const auto parts = hidden_parts_of(question, tensor, setup);
    REQUIRE(parts.size() == 1);
    CHECK(shape_of(parts.front()) == Shape{4});
  }
  CHECK(hidden_parts_of(question, TensorId::X, setup).empty());
  CHECK(cells_of(question, setup).empty());  // nothing to choose from but its choices

  const std::string asks = "```question\nask = \"?\"\nwithin = 0\nanswer = \"1\"\nhides = [\"HIDDEN\"]\n```";
  const auto hiding = [&](const std::string& part) {
    std::string text = asks;
    return problems_of_step(cell, "Words.\n" + text.replace(text.find("HIDDEN"), 6, part));
  };
  CHECK(hiding("scores") == "");
  CHECK(mentions(hiding("weight[0]"), "hides: \"weight[0]\"; a part of a tensor"));
  CHECK(mentions(hiding("weights[0,0,4]"), "hides: \"weights[0,0,4]\"; indices inside weights (1, 1, 4, 4)"));
  const Lecture scores = with_step(cell, "Words.\n" + std::string(asks).replace(asks.find("HIDDEN"), 6, "scores"));
  CHECK(hides(*scores.steps[0].question, {TensorId::masked_scores, {0, 0, 0, 0}}, bank()));
}

TEST_CASE("the lecture of the pictures holds what it claims") {
  for (const LessonResult& result : check_lessons(parse_lecture(picture_lesson, "a.md", "a"))) {
    CAPTURE(result.what);
    CHECK(result.found == "");
  }
}

TEST_CASE("a word is put after the last one with its row, and all that was there keeps its numbers") {
  const Setup before = bank();
  const Setup after =
      with_overrides(before, {"tokens += {today = [0, 0, 0, 1.5]}", "tokens+={\"don't\" = [1, 2, 3, 4]}"});
  CHECK(after.tokens == std::vector<std::string>{"the", "river", "bank", "flooded", "today", "don't"});
  CHECK(after.sizes.query_length == 6);
  const auto was = compute_trace(before);
  const auto now = compute_trace(after);
  for (Index row = 0; row < 4; ++row)
    for (Index feature = 0; feature < 4; ++feature)
      CHECK(now->value({TensorId::X, {0, row, feature}}) == was->value({TensorId::X, {0, row, feature}}));
  CHECK(now->value({TensorId::X, {0, 4, 3}}) == 1.5);
  CHECK(now->value({TensorId::X, {0, 5, 2}}) == 3);

  SUBCASE("in every item of a batch, given with or without its axis") {
    Setup batch = with_overrides(before, {"sizes.batch=2"});
    CHECK(compute_trace(with_overrides(batch, {"tokens += {x = [9, 0, 0, 0]}"}))->value({TensorId::X, {1, 4, 0}}) == 9);
    batch = with_overrides(batch, {"values.X=[[[1,1,1,1],[1,1,1,1],[1,1,1,1],[1,1,1,1]],"
                                   "[[2,2,2,2],[2,2,2,2],[2,2,2,2],[2,2,2,2]]]"});
    const auto longer = compute_trace(with_overrides(batch, {"tokens += {x = [9, 0, 0, 0]}"}));
    for (const Index item : {0, 1}) {
      CHECK(longer->value({TensorId::X, {item, 4, 0}}) == 9);
      CHECK(longer->value({TensorId::X, {item, 3, 3}}) == static_cast<double>(item + 1));
    }
  }
  SUBCASE("where X is drawn: with a row of its own, or drawn like the others") {
    const Setup drawn = with_overrides(before, {"values={}", "random.draws=[\"seed 3\", \"X uniform\"]"});
    const auto shorter = compute_trace(drawn);
    const auto given = compute_trace(with_overrides(drawn, {"tokens += {x = [9, 8, 7, 6]}"}));
    const auto longer = compute_trace(with_overrides(drawn, {"tokens += x"}));
    CHECK(given->value({TensorId::X, {0, 4, 1}}) == 8);
    CHECK(longer->value({TensorId::X, {0, 4, 1}}) > 0);
    for (const auto& trace : {given, longer})
      CHECK(trace->value({TensorId::X, {0, 3, 3}}) == shorter->value({TensorId::X, {0, 3, 3}}));
  }
  SUBCASE("other assignments are made afterwards") {
    const Setup both =
        with_overrides(before, {"mask.kinds=[\"causal\"]", "tokens[4]=later", "tokens += {now = [0, 0, 0, 0]}"});
    CHECK(both.tokens.back() == "later");
    CHECK(both.mask.kinds == std::vector{MaskKind::causal});
  }
}

TEST_CASE("what cannot be put after the last word is refused") {
  const auto refused = [](const std::string& assignment) {
    try {
      with_overrides(bank(), {assignment});
    } catch (const InputError& error) {
      return error.problems().front().source + ": " + error.problems().front().found + "; " +
             error.problems().front().allowed;
    }
    return std::string();
  };
  CHECK(refused("tokens += {mat = [0, 1]}") ==
        "--set tokens += {mat = [0, 1]}: a row of 2 for \"mat\"; 4 numbers, one for each feature of X");
  CHECK(mentions(refused("tokens += mat"),
                 "no row of X for \"mat\"; 4 numbers, one for each feature of X, because X is given"));
  CHECK(mentions(refused("tokens += {a = [0,0,0,0], b = [0,0,0,0]}"),
                 "tokens += {mat = [0, 1, 0, 2]}: a word, and its row of X"));
  CHECK(mentions(refused("tokens += {a = 3}"), "a word, and its row of X"));
  CHECK(refused("tokens += ") == "--set tokens += : \"\"; tokens += {mat = [0, 1, 0, 2]}: a word, and its row of X");
  CHECK(mentions(refused("tokens += {\"\" = [0, 1, 0, 2]}"), "a word, and its row of X"));
  CHECK(mentions(refused("tokens += [\"\"]"), "a word, and its row of X"));
  CHECK(mentions(refused("features += {a = [1]}"), "+= after \"features\""));
}
