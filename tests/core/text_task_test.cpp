#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "core/engine/engine.hpp"
#include "core/random/sequences.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"

using namespace headlight;

namespace {

using Symbols = std::vector<std::int64_t>;

Symbols symbols(std::span<const std::int64_t> list) { return {list.begin(), list.end()}; }

Setup spelling(TextSplit split = TextSplit::lines) {
  Setup setup;
  setup.task = {.name = TaskName::text, .text = TaskText("ab\n\ncab"), .split = split};
  setup.sizes = {.batch = 2, .query_length = 4, .d_model = 4, .heads = 1};
  setup.mask.kinds = {MaskKind::causal};
  return setup;
}

std::vector<std::string> faults(const Setup& setup) {
  std::vector<std::string> all;
  for (const Problem& problem : problems(setup)) all.push_back(problem.message());
  return all;
}

}  // namespace

TEST_CASE("the symbols of a text are its characters in their order, after the line break") {
  const TaskText text("b\ta\r\nélan\rz\n");
  CHECK(text.text() == "b\ta\nélan\nz");
  CHECK(text.symbols() == 8);  // \n, \t, a, b, l, n, z, é
  CHECK(text.character(0) == "\n");
  CHECK(text.character(1) == "\t");
  CHECK(text.character(7) == "é");
  CHECK(text.lines() == 3);
  CHECK(symbols(text.line(1)) == Symbols{7, 4, 2, 5});
  CHECK(symbols(text.all()) == Symbols{3, 1, 2, 0, 7, 4, 2, 5, 0, 6});
  CHECK(*text.spelled("xa").unknown == "x");
  CHECK_THROWS_WITH(TaskText("a\xff"), doctest::Contains("a byte that is not UTF-8 at 1"));
  CHECK(TaskText("a\r\nb\n") == TaskText("a\nb"));
  CHECK(TaskText("a\nb").digest() != TaskText("a b").digest());
  CHECK(TaskText().empty());
}

TEST_CASE("letter frequencies are the surprise of somebody who knows nothing else") {
  // Lines ask for "a" and "b" once each and for two ends; a stream for "a", "b" and the break between them.
  CHECK(TaskText("a\nb").surprise_of_frequencies(TextSplit::lines) ==
        doctest::Approx(-0.5 * std::log(0.25) - 0.5 * std::log(0.5)));
  CHECK(TaskText("a\nb").surprise_of_frequencies(TextSplit::stream) == doctest::Approx(std::log(3)));
}

TEST_CASE("a line is asked character by character, up to its end") {
  const Setup setup = spelling();
  REQUIRE(faults(setup).empty());
  const Sequences all = continued(
      4, 0, {framed(setup.task.text.line(0)), framed(setup.task.text.line(1)), framed(setup.task.text.line(2))});
  CHECK(all.ones == Symbols{0, 1, 2, 0, 0, 0, 0, 0, 0, 3, 1, 2});
  CHECK(all.labels == Symbols{1, 2, 0, -1, 0, -1, -1, -1, 3, 1, 2, 0});
  CHECK(all.asked == 8);
}

TEST_CASE("a stream is asked everywhere") {
  const Setup setup = spelling(TextSplit::stream);  // a b \n \n c a b
  REQUIRE(faults(setup).empty());
  SequenceSource source(setup);
  const Sequences drawn = source.next(50);
  CHECK(drawn.asked == 200);
  const Symbols text = symbols(setup.task.text.all());
  std::vector<bool> begins(3);
  for (Index item = 0; item < 50; ++item) {
    const Symbols held(drawn.ones.begin() + item * 4, drawn.ones.begin() + item * 4 + 4);
    const auto at = std::ranges::search(text, held).begin() - text.begin();
    REQUIRE(at < 3);
    begins[static_cast<std::size_t>(at)] = true;
    for (Index i = 0; i < 4; ++i) CHECK(*drawn.labels_at(item, i) == text[static_cast<std::size_t>(at + i + 1)]);
  }
  CHECK(begins == std::vector<bool>{true, true, true});
}

TEST_CASE("texts are shown instead of drawn ones, and nothing is drawn for them") {
  Setup setup = spelling();
  setup.task.shown = {"b", "cabbac"};
  REQUIRE(faults(setup).empty());
  const ModelTrace shown = compute_model(setup);
  CHECK(shown.first().sequences->ones == Symbols{0, 2, 0, 0, 0, 3, 1, 2});
  CHECK(shown.first().sequences->labels == Symbols{2, 0, -1, -1, 3, 1, 2, 2});
  SequenceSource untouched(setup), source(setup);
  shown_sequences(setup, source);
  CHECK(untouched.next(3) == source.next(3));
  setup.task.shown.clear();
  SequenceSource drawn(setup);
  CHECK(shown_sequences(setup, drawn) == SequenceSource(setup).next(2));
}

TEST_CASE("a text that does not fit says why") {
  using Words = std::vector<std::string>;
  const auto with = [](auto&& edit) {
    Setup setup = spelling();
    edit(setup);
    return faults(setup);
  };
  CHECK(with([](Setup& s) { s.task.text = {}; }) ==
        Words{"task.file: found nothing; allowed: a file of text, or lines in task.text, with the task text"});
  CHECK(with([](Setup& s) { s.task.text = TaskText("\n\n"); }) ==
        Words{"task.text: found no character but line breaks; allowed: a text"});
  CHECK(with([](Setup& s) { s.task.split = TextSplit::stream, s.sizes.query_length = 7; }) ==
        Words{"task.text: found 7 characters; allowed: more than the 7 positions of a sequence"});
  CHECK(with([](Setup& s) { s.task.shown = {"ab"}; }) ==
        Words{"task.shown: found 1 text; allowed: one for each batch item: sizes.batch = 2"});
  CHECK(with([](Setup& s) { s.task.shown = {"ab", "bad"}; }) ==
        Words{"task.shown[1]: found \"d\"; allowed: characters that occur in the text"});
  CHECK(with([](Setup& s) { s.sizes.d_model = 3; }) ==
        Words{"sizes.d_model: found 3; allowed: at least 4, one for each of the text's characters; or "
              "embedding.learned and embedding.unembed"});
  CHECK(with([](Setup& s) { s.sizes.past = 1; }) ==
        Words{"sizes.past: found 1; allowed: 0 where the task's sequences are lines of a text"});
}

TEST_CASE("the text that is offered can be learned") {
  Setup setup = offered_setup(TaskName::text);
  REQUIRE(faults(setup).empty());
  const double letters = setup.task.corpus().surprise_of_frequencies(setup.task.split);
  setup.training.steps = 300;
  const std::vector<double> losses = compute_model(setup).first().learning->losses;
  CHECK(losses.front() > letters);
  CHECK(losses.back() < letters - 0.4);
}
