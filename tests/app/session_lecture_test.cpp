#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "app/session/edits/setup_edits.hpp"
#include "app/session/files/file_watch.hpp"
#include "app/session/session.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "lectures.hpp"

using namespace headlight;
using headlight::testing::small_setup;
using headlight::testing::two_part_lecture;

namespace {

Session in_lecture(std::size_t step = 0) {
  Session session;
  REQUIRE(session.open_lecture(two_part_lecture(), step).empty());
  return session;
}

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
  CHECK(session.step()->title == "Weights");
  CHECK(session.step_count() == 4);
  session.go_to_step(2);
  CHECK(session.display().view == View::heads);
  CHECK(session.cell().tensor == TensorId::output);
}

TEST_CASE("a step with a mistake checks that work, and leaves the reader's own as it was") {
  Lecture lecture = two_part_lecture();
  lecture.steps[1].mistake = "scale_missing";
  Session session;
  CheckedWork own;
  own.tolerance.absolute = 0.5;
  session.set_work(own);
  REQUIRE(session.open_lecture(lecture, 0).empty());
  CHECK(session.work() == own);
  session.go_to_step(1);
  CHECK(session.display().view == View::compare);
  REQUIRE(session.work().given);
  CHECK(session.work().shown);
  REQUIRE(session.state().mistaken);
  const auto& wrong = session.state().mistaken->trace;
  CHECK(wrong[TensorId::scores].at({0, 0, 0, 0}) == doctest::Approx(wrong[TensorId::dot_products].at({0, 0, 0, 0})));
  Setup other = session.setup();
  other.random.draws.front() = SeedDraw{77};
  REQUIRE(session.edit(other).empty());
  CHECK(session.state().mistaken->trace[TensorId::Q].at({0, 0, 0}) == session.trace()[TensorId::Q].at({0, 0, 0}));
  session.go_to_step(0);
  CHECK(session.work() == own);
  CHECK(session.display().view != View::compare);
  session.go_to_step(1);
  session.set_work(own);  // the reader's own takes its place
  CHECK(session.work() == own);
}

TEST_CASE("a lecture that cannot be opened changes nothing") {
  Session session = in_lecture(1);
  const SessionState before = session.state();
  Lecture wrong = two_part_lecture();
  wrong.parts[1].setup.sizes.heads = 3;
  CHECK(session.open_lecture(wrong).size() == 1);
  wrong.steps.clear();
  CHECK(session.open_lecture(wrong).size() == 1);
  const auto unknown = session.open_lecture("nowhere");
  REQUIRE(unknown.size() == 1);
  CHECK(unknown[0].found == "nowhere");
  CHECK(session.state() == before);
}

TEST_CASE("edits stay while the part does, and the lecture says what differs") {
  Session session = in_lecture();
  CHECK(session.changes().empty());
  session.edit(warmer(session.setup()));
  session.step_by(1);
  CHECK(session.setup().attention.temperature == 2);
  REQUIRE(session.changes().size() == 1);
  CHECK(session.changes()[0] == Change{"attention.temperature", "1", "2", true});
  // They are found by the edit, not where somebody asks for them.
  const Change* const found = session.changes().data();
  session.hover(Cell{TensorId::scores, {0, 0, 1, 1}});
  session.show(View::heads);
  CHECK(session.words_folded());
  CHECK(session.badge().kind == Badge::Kind::setup_differs);
  CHECK(session.changes().data() == found);
  session.go_to_step(3);
  CHECK(session.changes().empty());
  CHECK(session.part()->id == "second");
}

TEST_CASE("undo after another part's step brings the edits and their part back") {
  Session session = in_lecture();
  session.edit(warmer(session.setup()));
  session.go_to_step(2);
  session.go_to_step(3);
  session.undo();
  CHECK(session.part()->id == "main");
  CHECK(session.state().step == 2);
  CHECK(session.setup().attention.temperature == 2);
  session.undo();
  CHECK(session.changes().empty());
  CHECK(session.state().step == 2);
  session.undo();
  CHECK(session.lecture() == nullptr);
  CHECK(session.setup() == Setup{});
  session.redo();
  session.redo();
  session.redo();
  CHECK(session.part()->id == "second");
  CHECK(session.changes().empty());
}

TEST_CASE("steps stop at both ends") {
  Session session = in_lecture();
  CHECK_FALSE(session.can_step(-1));
  session.step_by(-1);
  CHECK(session.state().step == 0);
  session.go_to_step(99);
  CHECK(session.state().step == 0);
  session.go_to_step(3);
  CHECK_FALSE(session.can_step(1));
  session.close_lecture();
  CHECK(session.lecture() == nullptr);
  CHECK(session.part() == nullptr);
}

TEST_CASE("without a lecture steps go through the forward pass") {
  Session session(small_setup());
  session.step_by(1);
  CHECK(session.selection().tensor == TensorId::W_q);
  session.step_by(-1);
  CHECK_FALSE(session.can_step(-1));
}

TEST_CASE("playing steps on as time passes and stops at the end") {
  Session session = in_lecture();
  session.set_playing(true);
  session.advance(0.5);
  CHECK(session.state().step == 0);
  for (int second = 0; second < 100; ++second) session.advance(1);
  CHECK(session.state().step == 3);
  CHECK_FALSE(session.state().playing);
  session.set_playing(true);
  CHECK_FALSE(session.state().playing);
}

TEST_CASE("each key goes back to the lecture's value, or all at once") {
  Session session = in_lecture();
  session.edit(with_heads(warmer(with_seed(session.setup(), 5)), 4));
  CHECK(session.changes().size() == 3);
  CHECK(session.reset_to_lecture("attention.temperature").empty());
  CHECK(session.changes().size() == 2);
  CHECK(session.reset_to_lecture("sizes.heads").empty());
  CHECK(session.reset_to_lecture("random.draws[0]").empty());
  CHECK(session.changes().empty());
  session.edit(with_query_length(with_sentence(session.setup(), "a b c"), 7));
  CHECK(session.reset_to_lecture().empty());
  CHECK(session.changes().empty());
}

TEST_CASE("a reset adapts what depends on the key, and says where that is impossible") {
  Session session = in_lecture();
  session.edit(with_sentence(session.setup(), "a b c"));
  CHECK(session.reset_to_lecture("sizes.query_length").empty());
  CHECK(session.setup().tokens.size() == 4);
  session.edit(with_heads(with_d_model(session.setup(), 9), 3));
  const auto found = session.reset_to_lecture("sizes.heads");
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "sizes.heads");
  CHECK(session.setup().sizes.heads == 3);
}

TEST_CASE("the badge says what matches, how closely, and over how many values") {
  Session session = in_lecture(2);
  const Badge output = session.badge();
  CHECK(output.kind == Badge::Kind::matches);
  CHECK(output.values == 32);
  CHECK(output.tensors == std::vector{TensorId::output});
  REQUIRE(output.largest_difference.has_value());
  CHECK(*output.largest_difference > 0);
  CHECK(*output.largest_difference <= 0.0005);
  CHECK(output.text.starts_with("output matches the notebook: max |Δ| "));
  session.go_to_step(0);
  CHECK(session.badge().kind == Badge::Kind::matches);
  CHECK(session.badge().values == 0);
  CHECK(session.badge().text == "Q: shape as the notebook printed");
  session.go_to_step(1);  // weights were not printed: the badge is about the output, which was
  CHECK(session.badge().tensors == std::vector{TensorId::output});
}

TEST_CASE("the badge never claims a match for another setup") {
  Session session = in_lecture(2);
  session.edit(warmer(session.setup()));
  CHECK(session.badge().kind == Badge::Kind::setup_differs);
  CHECK(session.badge().text.find("match") == std::string::npos);
  session.undo();
  CHECK(session.badge().kind == Badge::Kind::matches);
  session.edit(with_sentence(session.setup(), "other words same length"));
  CHECK(session.badge().kind == Badge::Kind::matches);
  session.close_lecture();
  CHECK(session.badge().kind == Badge::Kind::none);
}

TEST_CASE("the badge says when nobody can reproduce what was printed") {
  Session session = in_lecture(3);
  CHECK(session.badge().kind == Badge::Kind::not_reproducible);
  CHECK(session.badge().note == "printed without a seed");
  CHECK_FALSE(session.badge().largest_difference.has_value());
}

TEST_CASE("the badge says when a printed digit differs, or the library agrees where the notebook cannot") {
  Lecture lecture = two_part_lecture();
  lecture.parts[0].facts[0].values[5] += 0.01;
  Fact library = headlight::testing::printed_output(lecture.parts[1].setup, 4);
  library.origin = FactOrigin::library;
  lecture.parts[1].facts.push_back(library);
  Session session;
  REQUIRE(session.open_lecture(lecture, 2).empty());
  CHECK(session.badge().kind == Badge::Kind::differs);
  CHECK(session.badge().text == "differs from the notebook: output");
  session.go_to_step(3);
  CHECK(session.badge().kind == Badge::Kind::matches);
  CHECK(session.badge().origin == FactOrigin::library);
  CHECK(session.badge().text.starts_with("output matches NumPy: "));
  CHECK(session.badge().note.find("printed without a seed") != std::string::npos);
}

TEST_CASE("a shape that holds does not vouch for digits that nobody can reproduce") {
  Lecture lecture = two_part_lecture();
  Fact shape = lecture.parts[0].facts[1];
  shape.tensor = TensorId::output;
  lecture.parts[1].facts.push_back(shape);
  Session session;
  REQUIRE(session.open_lecture(lecture, 3).empty());
  CHECK(session.badge().kind == Badge::Kind::not_reproducible);
}

TEST_CASE("a lecture that changes on disk takes the place of the old one, and keeps the person's edits") {
  Session session;
  auto first = std::make_shared<Lecture>(two_part_lecture());
  REQUIRE(session.set_lectures({first}).empty());
  REQUIRE(session.open_lecture("two-parts", 1).empty());

  auto second = std::make_shared<Lecture>(*first);
  second->steps[1].title = "Weights, better";
  second->parts[0].setup.attention.temperature = 3;
  REQUIRE(session.set_lectures({second}).empty());
  CHECK(session.step()->title == "Weights, better");
  CHECK(session.setup().attention.temperature == 3);

  session.edit(with_seed(session.setup(), 5));
  auto third = std::make_shared<Lecture>(*second);
  third->steps.resize(1);
  REQUIRE(session.set_lectures({third}).empty());
  CHECK(session.state().step == 0);
  CHECK(first_seed(session.setup()) == 5);
  REQUIRE(session.set_lectures({}).empty());
  CHECK(session.lecture() != nullptr);
}

TEST_CASE("undo finds the new version of a lecture that changed on disk") {
  Session session;
  auto first = std::make_shared<Lecture>(two_part_lecture());
  session.set_lectures({first});
  REQUIRE(session.open_lecture("two-parts", 2).empty());
  session.edit(with_seed(session.setup(), 5));
  session.go_to_step(3);
  auto second = std::make_shared<Lecture>(*first);
  second->title = "Better";
  second->steps.erase(second->steps.begin() + 1);
  REQUIRE(session.set_lectures({second}).empty());
  session.undo();
  CHECK(session.lecture()->title == "Better");
  CHECK(first_seed(session.setup()) == 5);
  session.undo();
  CHECK(session.lecture()->title == "Better");
  CHECK(session.setup() == small_setup());
  CHECK(session.state().step < session.step_count());
}

TEST_CASE("a lecture that becomes unusable on disk leaves the old one open") {
  Session session;
  auto lecture = std::make_shared<Lecture>(two_part_lecture());
  session.set_lectures({lecture});
  REQUIRE(session.open_lecture("two-parts", 1).empty());
  const SessionState before = session.state();
  auto broken = std::make_shared<Lecture>(*lecture);
  broken->steps.clear();
  CHECK(session.set_lectures({broken}).size() == 1);
  CHECK(session.state() == before);
}

TEST_CASE("restarting a lecture takes its setup back, and undo brings the edits again") {
  Session session = in_lecture(1);
  session.forget_history();
  CHECK_FALSE(session.can_undo());
  session.restart_lecture();
  CHECK(session.state().step == 0);
  CHECK_FALSE(session.can_undo());
  session.edit(warmer(session.setup()));
  session.restart_lecture();
  CHECK(session.changes().empty());
  session.undo();
  CHECK(session.setup().attention.temperature == 2);
  session.undo();
  CHECK(session.lecture() != nullptr);
  CHECK_FALSE(session.can_undo());
}

TEST_CASE("every step of every lecture of the house can be walked, and no badge lies") {
  std::vector<std::shared_ptr<const Lecture>> lectures;
  for (const auto& file : lecture_files(HEADLIGHT_LECTURES))
    lectures.push_back(std::make_shared<Lecture>(read_lecture(file)));
  REQUIRE(lectures.size() >= 5);
  Session session;
  session.set_lectures(lectures);
  for (const auto& lecture : lectures) {
    CAPTURE(lecture->id);
    REQUIRE(session.open_lecture(lecture->id).empty());
    for (std::size_t at = 0; at < lecture->steps.size(); ++at) {
      session.go_to_step(at);
      CAPTURE(lecture->steps[at].title);
      CHECK(session.cell() == lecture->steps[at].look_at);
      CHECK(session.changes().empty());
      const Badge badge = session.badge();
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
