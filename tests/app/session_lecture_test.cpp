#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "app/session/actions/actions.hpp"
#include "app/session/checking.hpp"
#include "app/session/files/file_watch.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "core/setup/edits.hpp"
#include "lectures.hpp"

using namespace headlight;
using headlight::testing::in_lecture;
using headlight::testing::small_setup;
using headlight::testing::two_part_lecture;

namespace {

Setup warmer(Setup setup) {
  setup.attention.temperature *= 2;
  return setup;
}

}  // namespace

TEST_CASE("a lecture opens at a step with its part's setup, cell and view") {
  Session session = in_lecture(1);
  CHECK(session.setup() == small_setup());
  CHECK(session.cell() == Cell{TensorId::weights, {0, 1, 2, 3}});
  CHECK_FALSE(session.state().pinned);
  CHECK(session.display().view == View::heads);
  CHECK(session.lesson().step()->title == "Weights");
  CHECK(session.lesson().step_count() == 4);
  Lesson(session).go_to(2);
  CHECK(session.display().view == View::heads);
  CHECK(session.cell().tensor == TensorId::output);
}

TEST_CASE("a step with a mistake checks that work, and leaves the reader's own as it was") {
  Lecture lecture = two_part_lecture();
  lecture.steps[1].mistake = "scale_missing";
  Session session;
  CheckedWork own;
  own.tolerance.absolute = 0.5;
  Checking(session).set_work(own);
  REQUIRE(Lesson(session).open(lecture, 0).empty());
  CHECK(session.state().checking.work() == own);
  Lesson(session).go_to(1);
  CHECK(session.display().view == View::compare);
  REQUIRE(session.state().checking.work().given);
  CHECK(session.state().checking.work().shown);
  REQUIRE(session.state().checking.of_step);
  const auto& wrong = session.state().checking.of_step->trace;
  CHECK(wrong[TensorId::scores].at({0, 0, 0, 0}) == doctest::Approx(wrong[TensorId::dot_products].at({0, 0, 0, 0})));
  Setup other = session.setup();
  other.random.draws.front() = SeedDraw{77};
  REQUIRE(session.edit(other).empty());
  CHECK(session.state().checking.of_step->trace[TensorId::Q].at({0, 0, 0}) ==
        session.trace()[TensorId::Q].at({0, 0, 0}));
  Lesson(session).go_to(0);
  CHECK(session.state().checking.work() == own);
  CHECK(session.display().view != View::compare);
  Lesson(session).go_to(1);
  Checking(session).set_work(own);  // the reader's own takes its place
  CHECK(session.state().checking.work() == own);
  // It stays whatever is edited and undone, until another step is opened.
  REQUIRE(session.edit(with_seed(session.setup(), 78)).empty());
  CHECK(session.state().checking.work() == own);
  session.undo();
  CHECK(session.state().checking.work() == own);
  Lesson(session).go_to(0);
  Lesson(session).go_to(1);
  REQUIRE(session.state().checking.work().given);
  REQUIRE(run(*action_named("check.forget"), session));
  REQUIRE(session.edit(with_seed(session.setup(), 79)).empty());
  CHECK_FALSE(session.state().checking.work().given);
  CHECK(session.state().checking.of_step);  // the step's words are about it
  const Snapshot kept = snapshot_of(session);
  Session again;
  REQUIRE(Lesson(again).set_lectures({std::make_shared<const Lecture>(lecture)}).empty());
  REQUIRE(go_to(again, kept).empty());
  CHECK(again.state().checking.of_step);
  CHECK_FALSE(again.state().checking.work().given);
}

TEST_CASE("an outline opens when the rest of the lecture is here") {
  Lecture outline = two_part_lecture();
  outline.parts.clear();
  REQUIRE(outline.is_outline());
  Session session;
  Lesson(session).set_lectures({std::make_shared<const Lecture>(outline)});
  CHECK(Lesson(session).open(outline.id, 1).empty());
  CHECK(session.lesson().lecture() == nullptr);

  const auto requests = session.take_requests();
  REQUIRE(requests.size() == 1);
  const auto* wanted = std::get_if<WithTrainedLayer>(&requests.front());
  REQUIRE(wanted != nullptr);
  Lesson(session).set_lectures({std::make_shared<const Lecture>(two_part_lecture())});
  CHECK(wanted->act(session).empty());
  REQUIRE(session.lesson().lecture() != nullptr);
  CHECK(session.lesson().at.index == 1);
}

TEST_CASE("a lecture that cannot be opened changes nothing") {
  Session session = in_lecture(1);
  const SessionState before = session.state();
  Lecture wrong = two_part_lecture();
  wrong.parts[1].setup.sizes.heads = 3;
  CHECK(Lesson(session).open(wrong).size() == 1);
  wrong.steps.clear();
  CHECK(Lesson(session).open(wrong).size() == 1);
  const auto unknown = Lesson(session).open("nowhere");
  REQUIRE(unknown.size() == 1);
  CHECK(unknown[0].found == "nowhere");
  CHECK(session.state() == before);
}

TEST_CASE("edits stay while the part does, and the lecture says what differs") {
  Session session = in_lecture();
  CHECK(session.changes().empty());
  session.edit(warmer(session.setup()));
  Lesson(session).step_by(1);
  CHECK(session.setup().attention.temperature == 2);
  REQUIRE(session.changes().size() == 1);
  CHECK(session.changes()[0] == Change{"attention.temperature", "1", "2", true});
  // They are found by the edit, not where the user asks for them.
  const Change* const found = session.changes().data();
  Selecting(session).hover(Cell{TensorId::scores, {0, 0, 1, 1}});
  session.show(View::heads);
  CHECK_FALSE(words_folded(session));
  CHECK(badge_of(session).kind == Badge::Kind::setup_differs);
  CHECK(session.changes().data() == found);
  Lesson(session).go_to(3);
  CHECK(session.changes().empty());
  CHECK(session.lesson().part()->id == "second");
}

TEST_CASE("undo after another part's step brings the edits and their part back") {
  Session session = in_lecture();
  session.edit(warmer(session.setup()));
  Lesson(session).go_to(2);
  Lesson(session).go_to(3);
  session.undo();
  CHECK(session.lesson().part()->id == "main");
  CHECK(session.lesson().at.index == 2);
  CHECK(session.setup().attention.temperature == 2);
  session.undo();
  CHECK(session.changes().empty());
  CHECK(session.lesson().at.index == 2);
  session.undo();
  CHECK(session.lesson().lecture() == nullptr);
  CHECK(session.setup() == Setup{});
  session.redo();
  session.redo();
  session.redo();
  CHECK(session.lesson().part()->id == "second");
  CHECK(session.changes().empty());
}

TEST_CASE("steps stop at both ends") {
  Session session = in_lecture();
  CHECK_FALSE(can_step(session, -1));
  Lesson(session).step_by(-1);
  CHECK(session.lesson().at.index == 0);
  Lesson(session).go_to(99);
  CHECK(session.lesson().at.index == 0);
  Lesson(session).go_to(3);
  CHECK_FALSE(can_step(session, 1));
  Lesson(session).close();
  CHECK(session.lesson().lecture() == nullptr);
  CHECK(session.lesson().part() == nullptr);
}

TEST_CASE("without a lecture steps go through the forward pass") {
  Session session(small_setup());
  Lesson(session).step_by(1);
  CHECK(session.selection().tensor == TensorId::W_q);
  Lesson(session).step_by(-1);
  CHECK_FALSE(can_step(session, -1));
}

TEST_CASE("playing stops at an open question, and does not begin there") {
  Lecture lecture = two_part_lecture();
  Question question;
  question.kind = Question::Kind::choice;
  std::vector<WordsProblem> problems;
  question.choices = {read_live_label("yes", problems), read_live_label("no", problems)};
  question.answer = Expression("0");
  lecture.steps[1].question = question;
  Session session;
  REQUIRE(Lesson(session).open(lecture).empty());
  Lesson(session).set_playing(true);
  for (int second = 0; second < 100; ++second) Lesson(session).advance(1);
  CHECK(session.lesson().at.index == 1);
  CHECK_FALSE(session.lesson().playing);
  Lesson(session).set_playing(true);
  CHECK_FALSE(session.lesson().playing);
  CHECK(session.state().notice.find("question") != std::string::npos);
  Lesson(session).show_answer();
  Lesson(session).set_playing(true);
  for (int second = 0; second < 100; ++second) Lesson(session).advance(1);
  CHECK(session.lesson().at.index == 3);
}

TEST_CASE("playing steps on as time passes and stops at the end") {
  Session session = in_lecture();
  Lesson(session).set_playing(true);
  Lesson(session).advance(0.5);
  CHECK(session.lesson().at.index == 0);
  for (int second = 0; second < 100; ++second) Lesson(session).advance(1);
  CHECK(session.lesson().at.index == 3);
  CHECK_FALSE(session.lesson().playing);
  Lesson(session).set_playing(true);
  CHECK_FALSE(session.lesson().playing);
}

TEST_CASE("each key goes back to the lecture's value, or all at once") {
  Session session = in_lecture();
  session.edit(with_heads(warmer(with_seed(session.setup(), 5)), 4));
  CHECK(session.changes().size() == 3);
  CHECK(Lesson(session).reset("attention.temperature").empty());
  CHECK(session.changes().size() == 2);
  CHECK(Lesson(session).reset("sizes.heads").empty());
  CHECK(Lesson(session).reset("random.draws[0]").empty());
  CHECK(session.changes().empty());
  session.edit(with_query_length(with_sentence(session.setup(), "a b c"), 7));
  CHECK(Lesson(session).reset().empty());
  CHECK(session.changes().empty());
}

TEST_CASE("a reset adapts what depends on the key, and says where that is impossible") {
  Session session = in_lecture();
  session.edit(with_sentence(session.setup(), "a b c"));
  CHECK(Lesson(session).reset("sizes.query_length").empty());
  CHECK(session.setup().tokens.size() == 4);
  session.edit(with_heads(with_d_model(session.setup(), 9), 3));
  const auto found = Lesson(session).reset("sizes.heads");
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "sizes.heads");
  CHECK(session.setup().sizes.heads == 3);
}

TEST_CASE("the badge says what matches, how closely, and over how many values") {
  Session session = in_lecture(2);
  const Badge output = badge_of(session);
  CHECK(output.kind == Badge::Kind::matches);
  CHECK(output.values == 32);
  CHECK(output.tensors == std::vector{TensorId::output});
  REQUIRE(output.largest_difference.has_value());
  CHECK(*output.largest_difference > 0);
  CHECK(*output.largest_difference <= 0.0005);
  CHECK(output.text.starts_with("output matches the notebook: max |Δ| "));
  Lesson(session).go_to(0);
  CHECK(badge_of(session).kind == Badge::Kind::matches);
  CHECK(badge_of(session).values == 0);
  CHECK(badge_of(session).text == "Q: shape as the notebook printed");
  Lesson(session).go_to(1);  // weights were not printed: the badge is about the output, which was
  CHECK(badge_of(session).tensors == std::vector{TensorId::output});
}

TEST_CASE("the badge never claims a match for another setup") {
  Session session = in_lecture(2);
  session.edit(warmer(session.setup()));
  CHECK(badge_of(session).kind == Badge::Kind::setup_differs);
  CHECK(badge_of(session).text.find("match") == std::string::npos);
  session.undo();
  CHECK(badge_of(session).kind == Badge::Kind::matches);
  session.edit(with_sentence(session.setup(), "other words same length"));
  CHECK(badge_of(session).kind == Badge::Kind::matches);
  Lesson(session).close();
  CHECK(badge_of(session).kind == Badge::Kind::none);
}

TEST_CASE("the badge says when nobody can reproduce what was printed") {
  Session session = in_lecture(3);
  CHECK(badge_of(session).kind == Badge::Kind::not_reproducible);
  CHECK(badge_of(session).note == "printed without a seed");
  CHECK_FALSE(badge_of(session).largest_difference.has_value());
}

TEST_CASE("the badge says when a printed digit differs, or the library agrees where the notebook cannot") {
  Lecture lecture = two_part_lecture();
  lecture.parts[0].facts[0].values[5] += 0.01;
  Fact library = headlight::testing::printed_output(lecture.parts[1].setup, 4);
  library.origin = FactOrigin::library;
  lecture.parts[1].facts.push_back(library);
  Session session;
  REQUIRE(Lesson(session).open(lecture, 2).empty());
  CHECK(badge_of(session).kind == Badge::Kind::differs);
  CHECK(badge_of(session).text == "differs from the notebook: output");
  Lesson(session).go_to(3);
  CHECK(badge_of(session).kind == Badge::Kind::matches);
  CHECK(badge_of(session).origin == FactOrigin::library);
  CHECK(badge_of(session).text.starts_with("output matches NumPy: "));
  CHECK(badge_of(session).note.find("printed without a seed") != std::string::npos);
}

TEST_CASE("a shape that holds does not vouch for digits that nobody can reproduce") {
  Lecture lecture = two_part_lecture();
  Fact shape = lecture.parts[0].facts[1];
  shape.tensor = TensorId::output;
  lecture.parts[1].facts.push_back(shape);
  Session session;
  REQUIRE(Lesson(session).open(lecture, 3).empty());
  CHECK(badge_of(session).kind == Badge::Kind::not_reproducible);
}

TEST_CASE("a lecture that changes on disk takes the place of the old one, and keeps the person's edits") {
  Session session;
  auto first = std::make_shared<Lecture>(two_part_lecture());
  REQUIRE(Lesson(session).set_lectures({first}).empty());
  REQUIRE(Lesson(session).open("two-parts", 1).empty());

  auto second = std::make_shared<Lecture>(*first);
  second->steps[1].title = "Weights, better";
  second->parts[0].setup.attention.temperature = 3;
  REQUIRE(Lesson(session).set_lectures({second}).empty());
  CHECK(session.lesson().step()->title == "Weights, better");
  CHECK(session.setup().attention.temperature == 3);

  session.edit(with_seed(session.setup(), 5));
  auto third = std::make_shared<Lecture>(*second);
  third->steps.resize(1);
  REQUIRE(Lesson(session).set_lectures({third}).empty());
  CHECK(session.lesson().at.index == 0);
  CHECK(first_seed(session.setup()) == 5);
  REQUIRE(Lesson(session).set_lectures({}).empty());
  CHECK(session.lesson().lecture() != nullptr);
}

TEST_CASE("undo finds the new version of a lecture that changed on disk") {
  Session session;
  auto first = std::make_shared<Lecture>(two_part_lecture());
  Lesson(session).set_lectures({first});
  REQUIRE(Lesson(session).open("two-parts", 2).empty());
  session.edit(with_seed(session.setup(), 5));
  Lesson(session).go_to(3);
  auto second = std::make_shared<Lecture>(*first);
  second->title = "Better";
  second->steps.erase(second->steps.begin() + 1);
  REQUIRE(Lesson(session).set_lectures({second}).empty());
  session.undo();
  CHECK(session.lesson().lecture()->title == "Better");
  CHECK(first_seed(session.setup()) == 5);
  session.undo();
  CHECK(session.lesson().lecture()->title == "Better");
  CHECK(session.setup() == small_setup());
  CHECK(session.lesson().at.index < session.lesson().step_count());
}

TEST_CASE("a lecture that becomes unusable on disk leaves the old one open") {
  Session session;
  auto lecture = std::make_shared<Lecture>(two_part_lecture());
  Lesson(session).set_lectures({lecture});
  REQUIRE(Lesson(session).open("two-parts", 1).empty());
  const SessionState before = session.state();
  auto broken = std::make_shared<Lecture>(*lecture);
  broken->steps.clear();
  CHECK(Lesson(session).set_lectures({broken}).size() == 1);
  CHECK(session.state() == before);
}

TEST_CASE("restarting a lecture takes its setup back, and undo brings the edits again") {
  Session session = in_lecture(1);
  session.forget_history();
  CHECK_FALSE(session.can_undo());
  Lesson(session).restart();
  CHECK(session.lesson().at.index == 0);
  CHECK_FALSE(session.can_undo());
  session.edit(warmer(session.setup()));
  Lesson(session).restart();
  CHECK(session.changes().empty());
  session.undo();
  CHECK(session.setup().attention.temperature == 2);
  session.undo();
  CHECK(session.lesson().lecture() != nullptr);
  CHECK_FALSE(session.can_undo());
}

TEST_CASE("every step of every lecture of the house can be walked, and no badge lies") {
  std::vector<std::shared_ptr<const Lecture>> lectures;
  for (const auto& file : lecture_files(HEADLIGHT_LECTURES))
    lectures.push_back(std::make_shared<Lecture>(read_lecture(file)));
  REQUIRE(lectures.size() >= 5);
  Session session;
  Lesson(session).set_lectures(lectures);
  for (const auto& lecture : lectures) {
    CAPTURE(lecture->id);
    REQUIRE(Lesson(session).open(lecture->id).empty());
    for (std::size_t at = 0; at < lecture->steps.size(); ++at) {
      Lesson(session).go_to(at);
      CAPTURE(lecture->steps[at].title);
      CHECK(session.cell() == lecture->steps[at].look_at);
      CHECK(session.changes().empty());
      const Badge badge = badge_of(session);
      // Nothing was printed of a setup that the step itself changes.
      if (lecture->steps[at].changed_setup) {
        CHECK(badge.kind == Badge::Kind::none);
        continue;
      }
      CHECK((badge.kind == Badge::Kind::matches || badge.kind == Badge::Kind::not_reproducible));
      CHECK_FALSE(badge.text.empty());
    }
  }
}

TEST_CASE("watched files are noticed when they change, appear and go") {
  const auto folder = std::filesystem::temp_directory_path() / "headlight-watch";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto a = folder / "a.md", b = folder / "b.md";
  std::ofstream(a) << "one";
  FileWatch watch({a, b});
  CHECK(watch.poll().empty());
  std::ofstream(a) << "longer";
  std::ofstream(b) << "new";
  CHECK(watch.poll() == std::vector{a, b});
  CHECK(watch.poll().empty());
  std::filesystem::remove(a);
  CHECK(watch.poll() == std::vector{a});
  std::filesystem::remove_all(folder);
}
