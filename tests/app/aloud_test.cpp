// The window in words, for people who listen to it.
#include "app/views/aloud/aloud.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "app/lectures/library.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "core/formats/setup/setup_file.hpp"

using namespace headlight;

namespace {

/// The HTML as a tree. Everything in it is closed and escaped, so that a reader of XML takes it too.
pugi::xml_document read(const Session& session) {
  pugi::xml_document page;
  const std::string html = "<body>" + in_words(session) + "</body>";
  const auto result = page.load_string(html.c_str(), pugi::parse_default | pugi::parse_ws_pcdata);
  INFO(html);
  REQUIRE_MESSAGE(result, result.description());
  return page;
}

pugi::xml_node section(const pugi::xml_document& page, const std::string& id) {
  return page.child("body").find_child_by_attribute("section", "id", ("headlight-" + id).c_str());
}

/// All words below a node.
std::string words(const pugi::xml_node& node) {
  std::string text = node.value();
  for (const pugi::xml_node& child : node.children()) text += words(child);
  return text;
}

bool says(const pugi::xml_node& node, const std::string& text) { return words(node).find(text) != std::string::npos; }

std::vector<std::shared_ptr<const Lecture>> all_lectures() {
  std::vector<std::shared_ptr<const Lecture>> shared;
  for (Lecture& lecture : LectureLibrary().lectures())
    shared.push_back(std::make_shared<const Lecture>(std::move(lecture)));
  return shared;
}

Session with_lecture(const std::string& id, std::size_t step) {
  Session session;
  Lesson(session).set_lectures(all_lectures());
  REQUIRE(Lesson(session).open(id, step).empty());
  return session;
}

std::size_t cells_in(const pugi::xml_node& table) { return table.select_nodes(".//td[normalize-space()]").size(); }

}  // namespace

TEST_CASE("every step of every lecture reads as well-formed HTML, with its title, its words and its table") {
  Session session;
  Lesson(session).set_lectures(all_lectures());
  for (const auto& lecture : session.lectures()) {
    for (std::size_t i = 0; i < lecture->steps.size(); ++i) {
      CAPTURE(lecture->id);
      CAPTURE(i);
      REQUIRE(Lesson(session).open(lecture, i).empty());
      const auto page = read(session);
      CHECK(words(section(page, "step").child("h1")) == lecture->title);
      CHECK(section(page, "step").select_node(".//p"));
      CHECK(cells_in(section(page, "table").child("table")) >= 1);
      CHECK(cells_in(section(page, "table").child("table")) <= 400);
      CHECK(bool(section(page, "question")) == lecture->steps[i].question.has_value());
    }
  }
}

TEST_CASE("a question is told with its choices and what was answered, and hides its answer until then") {
  Session session;
  Lesson(session).set_lectures(all_lectures());
  std::size_t asked = 0;
  for (const auto& lecture : session.lectures())
    for (std::size_t i = 0; i < lecture->steps.size(); ++i) {
      const auto& question = lecture->steps[i].question;
      if (!question || question->kind != Question::Kind::choice) continue;
      CAPTURE(lecture->id);
      CAPTURE(i);
      REQUIRE(Lesson(session).open(lecture, i).empty());
      const auto before = read(session);
      CHECK(section(before, "question").select_nodes(".//ol/li").size() == question->choices.size());
      CHECK_FALSE(says(section(before, "question"), ", right"));
      Lesson(session).guess(static_cast<double>(session.step_words()->question->order[0]));
      CHECK(says(section(read(session), "question").child("ol").child("li"), ", your guess"));
      Lesson(session).show_answer();
      const auto after = read(session);
      CHECK(section(after, "question").select_nodes(".//li[contains(., ', right')]").size() <= 1);
      CHECK(says(section(after, "question"), session.step_words()->question->answer_words));
      ++asked;
    }
  CHECK(asked > 10);
}

TEST_CASE("a number that a question asks for is not told before the answer shows") {
  Session session;
  Lesson(session).set_lectures(all_lectures());
  std::size_t hidden = 0;
  for (const auto& lecture : session.lectures())
    for (std::size_t i = 0; i < lecture->steps.size(); ++i) {
      REQUIRE(Lesson(session).open(lecture, i).empty());
      if (!session.lesson().hides(cell_of(session.selection(), session.setup()), session.setup())) continue;
      CAPTURE(lecture->id);
      CAPTURE(i);
      const auto page = read(session);
      CHECK(says(section(page, "table"), "asked about"));
      CHECK_FALSE(says(section(page, "number"), " = "));
      Lesson(session).show_answer();
      const auto shown = read(session);
      CHECK_FALSE(says(section(shown, "table"), "asked about"));
      CHECK(says(section(shown, "number"), " = "));
      ++hidden;
    }
  CHECK(hidden > 3);
}

TEST_CASE("the selected number is told with its place, its terms and where it goes") {
  Session session(
      parse_setup("version = 1\ntokens = [\"The\", \"<b>\", \"sat & so\"]\n[sizes]\nquery_length = 3\nd_model = 4\n"
                  "heads = 2\n[mask]\nkinds = [\"causal\"]\n",
                  "test"));
  Selecting(session).pin({TensorId::weights, {0, 1, 2, 1}});
  const auto page = read(session);
  const auto number = section(page, "number");
  CHECK(says(number.child("h2"), "weights[0,1,2,1] = 0."));
  CHECK(says(number, "query sat & so q2, key <b> k1"));
  CHECK(says(number, "It goes into"));
  CHECK(number.child("table"));
  const auto table = section(page, "table").child("table");
  CHECK(says(table.child("caption"), "weights[0,1]: 3 rows, 3 columns"));
  CHECK(cells_in(table) == 9);
  CHECK(table.select_nodes(".//td[.='masked']").size() == 3);
  CHECK(table.select_nodes(".//th[@scope='col'][.='sat & so k2']").size() == 1);
}

TEST_CASE("the equation is told in words of its own where it isn't the step's, any other view in those of the step") {
  Session session = with_lecture("numpy-from-scratch", 2);
  const std::string title = session.lesson().step()->title;
  Selecting(session).select_tensor(TensorId::W_o);
  session.show(View::pipeline);
  CHECK_FALSE(says(section(read(session), "step"), title));
  session.show(View::heads);
  CHECK(says(section(read(session), "step"), title));
}

TEST_CASE("of a large matrix the numbers nearest to the selected one are told") {
  Setup setup;
  setup.sizes.query_length = 100;
  setup.sizes.d_model = 8;
  setup.sizes.heads = 1;
  setup.tokens.clear();
  Session session(setup);
  Selecting(session).pin({TensorId::weights, {0, 0, 99, 50}});
  const auto page = read(session);
  CHECK(says(section(page, "table"), "rows 80 to 99 of 100, columns 40 to 59 of 100"));
  CHECK(cells_in(section(page, "table").child("table")) == 400);
}

TEST_CASE("a step with code has it as it is written, and what the window says is told once") {
  Session session = with_lecture("numpy-from-scratch", 2);
  const auto page = read(session);
  CHECK(says(section(page, "code").child("pre"), session.lesson().step()->code.substr(0, 10)));
  CHECK_FALSE(section(page, "notice"));
  session.notify("Copied <it>");
  CHECK(words(section(read(session), "notice").child("p")) == "Copied <it>");
}

TEST_CASE("more about a step is told once it is asked for") {
  Session session = with_lecture("bank", 2);
  Lesson(session).show_answer();
  CHECK_FALSE(section(read(session), "more"));
  session.show_over(Over::more);
  CHECK(says(section(read(session), "more"), "That makes 2"));
}

TEST_CASE("the first page is told: what comes next, what else there is, and the lectures with what was seen of them") {
  Session session;
  Lesson(session).set_lectures(all_lectures());
  const auto read_start = [](const Session& of) {
    pugi::xml_document page;
    const std::string html = "<body>" + start_in_words(of) + "</body>";
    REQUIRE(page.load_string(html.c_str(), pugi::parse_default | pugi::parse_ws_pcdata));
    return page;
  };
  const auto fresh = read_start(session);
  const auto start = section(fresh, "start");
  CHECK(says(start, "Start: Which bank?"));
  CHECK(says(start, "Try your sentence"));
  CHECK(says(start, "Check my layer"));
  CHECK(start.select_nodes(".//ol/li").size() == session.lectures().size());
  CHECK(says(start, "Which bank?: what attention does to a word. 11 steps."));
  REQUIRE(Lesson(session).open("bank", 0).empty());
  for (int i = 0; i < 3; ++i) Lesson(session).step_by(1);
  const auto begun = read_start(session);
  CHECK(says(section(begun, "start"), "Continue at step 5"));
  CHECK(says(section(begun, "start"), "Step 5 of 11: Blend."));
  CHECK(says(section(begun, "start"), "4 of 11 steps"));
}
