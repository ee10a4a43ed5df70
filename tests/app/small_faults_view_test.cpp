// Small things that people met in their first hour: counts that agree, words that are whole, digits that stay.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/selecting.hpp"
#include "app/session/state/marks.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/heads/why_words.hpp"
#include "app/views/overlays/path_card.hpp"
#include "core/setup/edits.hpp"
#include "legibility.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

std::vector<TextShape> drawn_texts(Scripted& person) {
  std::vector<TextShape> texts;
  for (const Drawn& drawn : person.surface.settled_drawing().drawn)
    if (const auto* const text = std::get_if<TextShape>(&drawn.shape)) texts.push_back(*text);
  return texts;
}

bool is_said(Scripted& person, std::string_view words) {
  return std::ranges::any_of(drawn_texts(person),
                             [&](const TextShape& text) { return text.text.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("the panel and the badge count the same changes") {
  Scripted person(lecture_session("numpy-from-scratch", 3), 1440, 900);
  Setup setup = person.session().setup();
  setup.attention.temperature = 2;
  person.session().edit(setup);
  person.surface.settle();
  CHECK(is_said(person, "1 changed"));
  CHECK(badge_of(person.session()).text.ends_with("in 1 setting"));
  setup.mask.kinds = {MaskKind::causal};
  setup.attention.soft_cap = 30;
  person.session().edit(with_seed(setup, 7));
  person.surface.settle();
  const std::size_t count = person.session().changes().size();
  REQUIRE(count > 2);
  CHECK(is_said(person, fmt::format("{} changed", count)));
  CHECK(badge_of(person.session()).text.ends_with(fmt::format("in {} settings", count)));
}

TEST_CASE("what was seen of a lecture is said as one says it") {
  CHECK(words_of(LectureProgress{.steps = 1, .seen = 1}).find("all 1") == std::string::npos);
  CHECK(words_of(LectureProgress{.steps = 3, .seen = 3}) == "You have seen all 3 steps.");
}

TEST_CASE("no title has asterisks, in any lecture") {
  const Session session = lecture_session();
  for (const auto& lecture : session.lectures()) {
    CHECK(lecture->title.find('*') == std::string::npos);
    for (const Step& step : lecture->steps) {
      CAPTURE(step.title);
      CHECK(step.title.find('*') == std::string::npos);
    }
  }
}

TEST_CASE("what softmax did to a number is whole in the last column, too") {
  for (const int wide : {1280, 1440}) {
    Scripted person(lecture_session("numpy-from-scratch", 5), wide, 800);
    const Index last = person.session().setup().key_length() - 1;
    for (const Index column : {Index{0}, last}) {
      Selecting(person.session()).select_tensor(TensorId::weights);
      Selecting(person.session()).pin({TensorId::weights, {0, 0, 1, column}});
      person.surface.settle();
      const DisplayList drawing = person.surface.settled_drawing();
      for (const std::string& complaint : text_complaints(drawing, {0, 0, drawing.width, drawing.height}, 11))
        if (complaint.find("exp") != std::string::npos) FAIL_CHECK(complaint);
    }
  }
}

TEST_CASE("the digits of a matrix stay, whatever else is clicked in it") {
  Scripted person(lecture_session("numpy-from-scratch", 3), 1440, 900);
  Selecting(person.session()).select_tensor(TensorId::dot_products);
  const auto digits_after = [&](Index row, Index column) {
    Selecting(person.session()).pin({TensorId::dot_products, {0, 0, row, column}});
    person.surface.settle();
    const Rect cells = person.item("result/cells");
    std::multiset<std::string> found;
    for (const TextShape& text : drawn_texts(person))
      if (cells.contains({text.baseline.x + text.width / 2, text.baseline.y - 4})) found.insert(text.text);
    return found;
  };
  const auto before = digits_after(0, 0);
  REQUIRE(before.size() >= 16);
  for (Index row = 0; row < 4; ++row)
    for (Index column = 0; column < 4; ++column) CHECK(digits_after(row, column) == before);
}

TEST_CASE("the selected word has its label beside many heads, where others have no room") {
  Setup setup;
  std::string words;
  for (int i = 0; i < 60; ++i) words += fmt::format("word{} ", i);
  setup = with_sentence(with_heads(setup, 2), words);
  Session session;
  REQUIRE(session.open_setup(setup).empty());
  Scripted person(std::move(session), 1280, 720);
  person.session().show(View::heads);
  for (const Index query : {Index{1}, Index{7}, Index{37}, Index{58}}) {
    CAPTURE(query);
    Selecting(person.session()).pin({TensorId::weights, {0, 0, query, 3}});
    person.surface.settle();
    bool beside = false;
    for (const TextShape& text : drawn_texts(person)) beside |= text.text.starts_with(fmt::format("word{}", query));
    CHECK(beside);
  }
}

TEST_CASE("who saves types over the name alone, and the ending stays") {
  const TemporaryFolder folder("name");
  Scripted person(lecture_session(), 1280, 720, Folders{folder.path()});
  person.press({.key = Key::s, .ctrl = true});
  REQUIRE(person.app.memory().opened<PathPrompt>());
  person.type("mine");
  CHECK(person.app.memory().opened<PathPrompt>()->text.ends_with("/mine.headlight.toml"));
}
