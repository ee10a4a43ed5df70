// The page of a sentence: a trained layer as a page of its own, with one head, one word and one question.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/selecting.hpp"
#include "app/session/sentence.hpp"
#include "app/session/studies/head_habit.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/setup/own_sentence.hpp"
#include "app/views/window/start_page.hpp"
#include "legibility.hpp"
#include "scripted.hpp"

using namespace headlight;
using headlight::testing::lecture_session;
using headlight::testing::Scripted;
using headlight::testing::shows_text;
using headlight::testing::text_complaints;

namespace {

constexpr std::string_view long_sentence =
    "My sister, who lives in a very small house near the old river, lost the key to her new bicycle because the bag "
    "that she carried every day had a hole in it, and nobody in the whole street could help her.";

/// Somebody who has typed a sentence on the first page, or none.
struct Reader : Scripted {
  explicit Reader(std::string_view sentence = {}, int wide = 1366, int high = 768, ThemeName theme = ThemeName::dark)
      : Scripted(themed(theme), wide, high) {
    run("file.start");
    if (!sentence.empty()) type(sentence);
    if (wide >= 700 && high >= 450) {
      click_item("page/go");
    } else {
      app.memory().opened<StartPage>().reset();  // its door is further down
      REQUIRE(open_in_trained_layer(session(), std::string(sentence)).empty());
      surface.settle();
    }
  }
  static Session themed(ThemeName theme) {
    Session session = lecture_session();
    session.edit_display([&](Display& d) { d.appearance.theme = theme; });
    return session;
  }
  bool shows(const std::string& words) {
    const DisplayList drawing = surface.settled_drawing();
    return shows_text(drawing, {0, 0, drawing.width, drawing.height}, words);
  }
  Cell cell() { return session().cell(); }
  const Trace& trace() { return session().trace(); }
  std::string word(Index at) { return session().setup().tokens[static_cast<std::size_t>(at)]; }
  void look(Index query, std::string_view row) { click_item(std::to_string(query) + "/" + std::string(row)); }
  std::vector<Rect> bands() {
    std::vector<Rect> found;
    for (const Drawn& drawn : surface.settled_drawing().drawn)
      if (const auto* const path = std::get_if<PathShape>(&drawn.shape);
          path && path->points.size() == 50)  // of a ribbon
        found.push_back(bounds_of(drawn.shape));
    return found;
  }
  bool has_below(std::string_view scope) {
    return std::ranges::any_of(surface.items(), [&](const PlacedItem& item) { return item.path.starts_with(scope); });
  }
};

std::string percent(double share) { return std::to_string(static_cast<int>(100 * share + 0.5)) + "%"; }

}  // namespace

TEST_CASE("a sentence opens in the trained layer as a page, on a telling head, with one word chosen") {
  Reader reader;
  CHECK(on_sentence_page(reader.session()));
  CHECK(reader.session().setup().has_model());
  for (const char* scope : {"top bar", "setup", "map", "right", "status"}) CHECK_FALSE(reader.has_below(scope));
  // No word gives another one more in any head.
  const Cell chosen = reader.cell();
  REQUIRE(reader.session().state().pinned);
  CHECK(chosen.index[2] != chosen.index[3]);
  CHECK(reader.trace().value(chosen) > 0.6);
  CHECK(reader.shows("of its attention to " + reader.word(chosen.index[3])));
  CHECK(reader.shows(percent(reader.trace().value(chosen))));
  CHECK(reader.shows("Why does it look there?"));
  CHECK(reader.shows("In this text, a word gives"));
  CHECK_FALSE(reader.shows("weights["));
  CHECK_FALSE(reader.shows("Random numbers"));
  const auto aloud = reader.app.new_words();
  REQUIRE(aloud);
  CHECK(aloud->find("of its attention to " + reader.word(chosen.index[3])) != std::string::npos);
  std::size_t controls = 0;  // without the words themselves
  for (const PlacedItem& item : reader.surface.items())
    controls += !item.path.ends_with("/looks") && !item.path.ends_with("/at") && !item.path.ends_with("cells");
  CHECK(controls <= 16);
}

TEST_CASE("a click on a word and on another one says how much the first gives to the second, and keeps the first") {
  Reader reader;
  for (const Index query : {Index{4}, Index{9}, Index{1}}) {
    reader.look(query, "looks");
    CAPTURE(query);
    const Cell first = reader.cell();
    CHECK(first.index[2] == query);
    for (Index key = 0; key < 13; ++key)  // it begins with the word that gets most
      CHECK(reader.trace().value({TensorId::weights, {0, first.index[1], query, key}}) <= reader.trace().value(first));
    for (const Index key : {Index{0}, Index{4}, Index{7}}) {
      reader.look(key, "at");
      CHECK(reader.cell().index[1] == first.index[1]);
      CHECK(reader.cell().index[2] == query);
      CHECK(reader.cell().index[3] == key);
      CHECK(reader.shows(reader.word(query) + " gives"));
      CHECK(reader.shows("of its attention to " + (query == key ? "itself" : reader.word(key))));
    }
  }
}

TEST_CASE("only the chosen word has lines, and the whole row adds up in them") {
  Reader reader;
  const auto of_row = [&] {
    const Cell at = reader.cell();
    std::size_t count = 0;
    for (Index key = 0; key < 13; ++key)
      count += reader.trace().value({TensorId::weights, {0, at.index[1], at.index[2], key}}) >= 0.002;
    return count;
  };
  CHECK(reader.bands().size() == of_row());
  reader.look(1, "looks");
  CHECK(reader.bands().size() == of_row());
}

TEST_CASE("the way into the sum opens beside the page, by its button and by Enter, and the word stays chosen") {
  Reader reader;
  const Cell before = reader.cell();
  reader.click_item("sum");
  CHECK(reader.has_item("explanation/close"));
  // The products of the query and the key are the sum, and not the softmax above them.
  CHECK(reader.cell() == Cell{TensorId::dot_products, before.index});
  CHECK(reader.shows("Where it comes from"));
  CHECK(on_sentence_page(reader.session()));
  reader.press(Key::escape);
  CHECK_FALSE(reader.has_item("explanation/close"));
  CHECK(reader.cell() == before);
  CHECK(reader.session().state().pinned);
  reader.press(Key::enter);
  CHECK(reader.has_item("explanation/close"));
  reader.click_item("explanation/close");
  CHECK(reader.cell() == before);
}

TEST_CASE("another head keeps the word, and says what is measured of it") {
  Reader reader;
  const Index query = reader.cell().index[2];
  for (Index head = 0; head < reader.session().setup().sizes.heads; ++head) {
    reader.click_item(std::to_string(head) + "/head");
    CHECK(reader.cell().index[1] == head);
    CHECK(reader.cell().index[2] == query);
    CHECK(reader.shows("In head " + std::to_string(head)));
    const auto habit = habit_of(reader.trace()[TensorId::weights], 0, head);
    REQUIRE(habit);
    if (!habit->is_clear()) continue;
    CHECK(reader.shows(percent(habit->mean)));
    CHECK(reader.shows("the one that fits least"));  // a guess comes with its exception
    reader.click_item("2/example");
    CHECK(reader.cell().index[2] == habit->queries.back());
    reader.look(query, "looks");
  }
}

TEST_CASE("what a head does is measured: means, examples and the exception are those of the numbers") {
  Reader reader;
  const Tensor& weights = reader.trace()[TensorId::weights];
  for (Index head = 0; head < weights.shape()[1]; ++head) {
    const auto habit = habit_of(weights, 0, head);
    REQUIRE(habit);
    double best = 0;
    for (const Index distance : {Index{-1}, Index{0}, Index{1}}) {
      double sum = 0;
      Index count = 0;
      for (Index query = 0; query < 13; ++query)
        if (query + distance >= 0 && query + distance < 13) {
          sum += weights.at({0, head, query, query + distance});
          ++count;
        }
      best = std::max(best, sum / static_cast<double>(count));
    }
    CHECK(habit->mean == doctest::Approx(best));
    for (std::size_t i = 1; i < habit->queries.size(); ++i)
      CHECK(weights.at({0, head, habit->queries[i - 1], habit->queries[i - 1] + habit->distance}) >=
            weights.at({0, head, habit->queries[i], habit->queries[i] + habit->distance}));
    CHECK(spread_of(weights, 0, head) >= 1);
    CHECK(spread_of(weights, 0, head) <= 13);
  }
}

TEST_CASE("random weights are the second choice, and say on the picture that they mean nothing") {
  Reader reader("the cat sat");
  reader.click_item("random");
  CHECK(on_sentence_page(reader.session()));
  CHECK_FALSE(reader.session().setup().has_model());
  CHECK(reader.session().setup().tokens == std::vector<std::string>{"the", "cat", "sat"});
  CHECK(reader.shows("Random weights: they mean nothing about these words"));
  CHECK(reader.shows("Random numbers: in head"));
  CHECK_FALSE(reader.shows("In this text, a word gives"));
  reader.click_item("trained");
  CHECK(reader.session().setup().has_model());
  CHECK(reader.session().setup().model.text == "the cat sat");
  CHECK_FALSE(reader.shows("they mean nothing about these words"));
}

TEST_CASE("another sentence is a click or typed into its field, and always has a chosen word") {
  Reader reader;
  const std::string text = reader.session().setup().model.text;
  reader.click_item("sentence/another");
  CHECK(reader.session().setup().model.text != text);
  CHECK(reader.trace().value(reader.cell()) > 0.4);
  reader.click({reader.item("sentence/another").x - 60, reader.item("sentence/another").center().y});
  reader.retype("The key");
  CHECK(reader.session().setup().tokens == std::vector<std::string>{"The", "key"});
  CHECK(reader.session().state().pinned);
  reader.type("s \xE2\x98\x83");
  CHECK(reader.shows("not in the vocabulary"));
  reader.press(Key::escape);
  CHECK(on_sentence_page(reader.session()));
  Reader random("to be");
  random.click_item("random");
  random.click({random.item("sentence/another").x - 60, random.item("sentence/another").center().y});
  random.retype("or not to be");
  CHECK(random.session().setup().tokens.size() == 4);
  CHECK(on_sentence_page(random.session()));
}

TEST_CASE("the workbench is one click away, and the same words wait on the page") {
  Reader reader;
  reader.look(1, "looks");
  const Cell before = reader.cell();
  reader.click_item("workbench");
  CHECK(reader.has_below("top bar"));
  CHECK(reader.cell() == before);
  reader.click_item("top bar/lesson");
  CHECK(on_sentence_page(reader.session()));
  CHECK(reader.cell() == before);
  reader.press(Key::w);
  CHECK(reader.has_below("top bar"));
  reader.press(Key::w);
  CHECK(on_sentence_page(reader.session()));
  // What is opened afterwards is no sentence.
  Lesson(reader.session()).open("valid-lengths");
  CHECK_FALSE(on_sentence_page(reader.session()));
  reader.surface.settle();
  CHECK(reader.has_below("top bar"));
  reader.run("edit.undo");
  CHECK(reader.session().setup().has_model());
}

TEST_CASE("a layer that was changed says so, and comes back as it was trained") {
  Reader reader;
  CHECK(is_as_trained(reader.session()));
  CHECK_FALSE(reader.has_item("as trained"));
  Setup colder = reader.session().setup();
  colder.attention.temperature = 0.5;
  reader.session().edit(colder);
  reader.surface.settle();
  reader.click_item("as trained");
  CHECK(is_as_trained(reader.session()));
  CHECK(on_sentence_page(reader.session()));
}

TEST_CASE("the page can be read at every size, in both themes, with short and long sentences") {
  for (const auto& [wide, high] :
       {std::pair{1366, 768}, std::pair{1280, 720}, std::pair{1024, 600}, std::pair{800, 600}, std::pair{640, 360},
        std::pair{360, 640}, std::pair{1920, 1080}})
    for (const std::string_view sentence : {std::string_view{}, std::string_view{"Yes"}, long_sentence}) {
      const ThemeName theme = wide % 3 == 0 ? ThemeName::light : ThemeName::dark;
      CAPTURE(wide);
      CAPTURE(sentence);
      Reader reader(sentence, wide, high, theme);
      REQUIRE(on_sentence_page(reader.session()));
      const DisplayList drawing = reader.surface.settled_drawing();
      const float scale = static_cast<float>(wide) / drawing.width;
      for (const Drawn& drawn : drawing.drawn)
        if (const auto* const text = std::get_if<TextShape>(&drawn.shape); text && text->script == Script::normal) {
          CAPTURE(text->text);
          CHECK(text_size(text->style) * scale >= 14.99f);
        }
      // Words of a long sentence are cut at the page's edge, where more of them follow.
      const bool scrolls = reader.has_item("after") || wide < 760 || high < 430;
      if (!scrolls)
        for (const std::string& complaint : text_complaints(drawing, {0, 0, drawing.width, drawing.height}, 12.5f))
          if (complaint.find(sentence.empty() ? "The animal did" : sentence.substr(0, 8)) == std::string::npos)
            FAIL_CHECK(complaint);
      if (high >= 430 && wide >= 760) CHECK(reader.has_item("sum"));
    }
}

TEST_CASE("the buttons that move the words are beside them, for a mouse and for a finger") {
  for (const auto& [wide, high] : {std::pair{640, 360}, std::pair{360, 640}, std::pair{1280, 720}}) {
    CAPTURE(wide);
    Reader reader(long_sentence, wide, high);
    REQUIRE(reader.has_item("after"));
    for (int i = 0; i < 30 && reader.item("before").h > 0 && !reader.has_item("0/looks"); ++i)
      reader.click_item("before");
    CHECK(reader.item("after").right() <= reader.item("0/looks").x);
  }
}

TEST_CASE("a word beyond the edge comes into view by the buttons, and one that is chosen by itself") {
  Reader reader(long_sentence, 1280, 720);
  REQUIRE(reader.has_item("after"));
  const Index last = reader.session().setup().key_length() - 1;
  for (int i = 0; i < 8 && !reader.has_item("0/looks"); ++i) reader.click_item("before");
  reader.look(0, "looks");
  CHECK_FALSE(reader.has_item(std::to_string(last) + "/at"));
  for (int i = 0; i < 8 && !reader.has_item(std::to_string(last) + "/at"); ++i) reader.click_item("after");
  reader.look(last, "at");
  CHECK(reader.cell().index[2] == 0);
  CHECK(reader.cell().index[3] == last);
  Selecting(reader.session()).pin({TensorId::weights, {0, 0, 0, 0}});
  reader.surface.settle();
  CHECK(reader.has_item("0/at"));
}

TEST_CASE("the factors of the sum behind a share are whole, negative ones too") {
  Reader reader("The dog chased the cat because it was angry");
  reader.click_item("sum");
  const Rect panel{0, 0, 480, 768};
  reader.surface.move_mouse(panel.center());
  reader.surface.frames(2);
  for (int i = 0; i < 12; ++i) reader.surface.wheel(-1);
  std::size_t negative = 0;
  for (const Drawn& drawn : reader.surface.settled_drawing().drawn)
    if (const auto* const text = std::get_if<TextShape>(&drawn.shape); text && panel.contains(text->baseline)) {
      CAPTURE(text->text);
      const bool is_number = text->text.find_first_of("0123456789") != std::string::npos;
      if (is_number) CHECK(text->text.find("…") == std::string::npos);
      negative += text->text.starts_with("−") ? 1U : 0U;
    }
  CHECK(negative >= 2);
}
