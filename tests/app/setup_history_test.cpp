// What undo and redo go through, without a session.
#include <doctest/doctest.h>

#include <memory>

#include "app/session/selecting.hpp"
#include "app/session/state/setup_history.hpp"
#include "core/engine/engine.hpp"
#include "lectures.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

HistoryEntry titled(std::string title) {
  HistoryEntry entry;
  entry.setup.title = std::move(title);
  return entry;
}

SetupHistory begun() {
  SetupHistory history;
  history.visit(titled("a"));
  return history;
}

}  // namespace

TEST_CASE("a gesture is one step, and none if it ends where it began") {
  SetupHistory history = begun();
  for (const char* title : {"b", "c", "d"}) history.record(titled(title), "drag");
  CHECK(history.before().setup.title == "a");
  CHECK(history.continues("drag"));
  CHECK_FALSE(history.continues("paint"));
  history.record(titled("a"), "drag");
  CHECK_FALSE(history.can_undo());
  history.record(titled("e"), "drag");
  history.end_gesture();
  history.record(titled("f"), "drag");
  CHECK(history.before().setup.title == "e");
  history.record(titled("g"), {});
  history.record(titled("h"), {});
  CHECK(history.before().setup.title == "g");
}

TEST_CASE("undo finds the step where the setup was last shown, in the newest version of its lecture") {
  const auto lecture = std::make_shared<const Lecture>(two_part_lecture());
  const LectureStep first = step_of(lecture, 0);
  const LectureStep last = step_of(lecture, 99);
  CHECK(last.index == lecture->steps.size() - 1);
  CHECK(first.is_unchecked());
  CHECK(in_same_setup(first, {first.lecture, 0}));
  CHECK_FALSE(in_same_setup(first, last));  // they were opened one after the other
  CHECK_FALSE(in_same_setup(first, {first.lecture, last.index}));
  CHECK(in_same_setup({}, {}));

  SetupHistory history = begun();
  history.remember({titled("a").setup, first});
  CHECK_FALSE(history.can_undo());
  history.record({Setup{}, {first.lecture, last.index}}, {});
  Lecture shorter = *lecture;
  shorter.steps.resize(1);
  const auto next = step_of(std::make_shared<const Lecture>(shorter), 0).lecture;
  history.replace_lecture(first.lecture, next);
  CHECK(history.before().step.lecture == next);
  history.undo();
  CHECK(history.after().step.lecture == next);
  CHECK(history.after().step.index == 0);
}

TEST_CASE("every edit in the history begins like a sentence") {
  const auto lecture = std::make_shared<const Lecture>(two_part_lecture());
  const LectureStep first = step_of(lecture, 0);
  SetupHistory history = begun();
  Setup warm;
  warm.attention.temperature = 2;
  history.record({warm, {}}, {});
  history.visit({warm, first});
  history.visit({warm, {first.lecture, lecture->steps.size() - 1}});
  history.visit({Setup{}, {}});
  const std::vector<std::string> words = history.words();
  REQUIRE(words.size() == 5);
  CHECK(words[1].starts_with("T"));
  CHECK(words[2] == "Open \"" + lecture->title + "\"");
  CHECK(words[3] == "Step " + std::to_string(lecture->steps.size()));
  CHECK(words[4] == "Open a setup");
}

TEST_CASE("a walk through the trace ends at what is drawn, and at the output") {
  const auto trace = compute_trace(small_setup());
  Cell cell{TensorId::output, {0, 1, 2}};
  CHECK_FALSE(downstream_of(*trace, cell));
  int steps = 0;
  while (const auto source = upstream_of(*trace, cell)) {
    CHECK(source->tensor < cell.tensor);
    cell = *source;
    ++steps;
  }
  CHECK(steps > 3);
  CHECK(info(cell.tensor).can_be_drawn());
  CHECK(upstream_of(*trace, {TensorId::weights, {0, 1, 2, 3}}) == Cell{TensorId::masked_scores, {0, 1, 2, 3}});
  CHECK(downstream_of(*trace, {TensorId::scores, {0, 1, 2, 3}}) == Cell{TensorId::masked_scores, {0, 1, 2, 3}});
}
