// Questions of earlier lectures that come up again before a lecture.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/session/settings/settings.hpp"
#include "app/session/state/review.hpp"
#include "app/session/state/step_words.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

using Lectures = std::vector<std::shared_ptr<const Lecture>>;

/// So many lectures of the course, "l0", "l1", ..., each with three questions in its steps 1, 2 and 3.
Lectures course_of(std::size_t count) {
  Lectures lectures;
  for (std::size_t i = 0; i < count; ++i) {
    Lecture lecture;
    lecture.id = "l" + std::to_string(i);
    lecture.list_position.group = LectureGroup::course;
    lecture.parts.emplace_back();
    lecture.steps.resize(5);
    for (const std::size_t step : {1u, 2u, 3u}) lecture.steps[step].question.emplace();
    lectures.push_back(std::make_shared<const Lecture>(std::move(lecture)));
  }
  return lectures;
}

/// All that comes before a place answered at the first try.
LectureMarks all_right(const Lectures& lectures, std::size_t before) {
  LectureMarks marks;
  for (std::size_t i = 0; i < before; ++i)
    marks[lectures[i]->id] = {StepMark::seen, StepMark::first_try, StepMark::first_try, StepMark::first_try,
                              StepMark::seen};
  return marks;
}

std::vector<std::string> lectures_of(const std::vector<ReviewItem>& items) {
  std::vector<std::string> ids;
  for (const ReviewItem& item : items) ids.push_back(item.lecture);
  return ids;
}

/// A person who has answered all questions of the first two lectures, one of them wrong.
struct Returning : Scripted {
  static Session begun() {
    Session session = lecture_session("meaning");
    LectureMarks marks;
    for (const auto& lecture : session.lectures()) {
      if (lecture->id != "bank" && lecture->id != "meaning") continue;
      for (const Step& step : lecture->steps)
        marks[lecture->id].push_back(step.question ? StepMark::first_try : StepMark::seen);
    }
    marks["bank"][5] = StepMark::shown;
    Lesson(session).add_marks(marks);
    return in_lesson(std::move(session));
  }
  Returning() : Scripted(begun(), 1280, 720) {}

  std::string words() {
    std::string all;
    for (const Drawn& drawn : surface.settled_drawing().drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape)) all += text->text + " ";
    return all;
  }
  bool shows(const std::string& some) { return words().find(some) != std::string::npos; }
  std::string lecture() { return session().lesson().lecture()->id; }
};

}  // namespace

TEST_CASE("what was missed comes up first, then one question each from one, two and four lectures before") {
  const Lectures lectures = course_of(7);
  LectureMarks marks = all_right(lectures, 6);
  const auto asked = [&](const Reviews& reviews) { return questions_before(*lectures[6], lectures, marks, reviews); };
  CHECK(lectures_of(asked({})) == std::vector<std::string>{"l5", "l4", "l2"});
  marks["l1"][2] = StepMark::shown;
  CHECK(asked({})[0] == ReviewItem{"l1", 2});
  CHECK(lectures_of(asked({})) == std::vector<std::string>{"l1", "l5", "l4"});
  // Right this time, it waits like the others; and wrong once more, it comes first.
  CHECK(lectures_of(asked({{"l1", {{2, {1, false}}}}})) == std::vector<std::string>{"l5", "l4", "l2"});
  CHECK(asked({{"l4", {{3, {2, true}}}}, {"l1", {{2, {1, false}}}}})[0] == ReviewItem{"l4", 3});
  // The one that came up least often, and of those the one that took two tries.
  marks["l5"][3] = StepMark::second_try;
  const Reviews once{{"l1", {{2, {1, false}}}}};
  CHECK(asked(once)[0] == ReviewItem{"l5", 3});
  CHECK(asked({{"l1", {{2, {1, false}}}}, {"l5", {{3, {1, false}}}}})[0] == ReviewItem{"l5", 1});
}

TEST_CASE("only questions that were answered come up, three at most, and only before a lecture of the course") {
  const Lectures lectures = course_of(3);
  CHECK(questions_before(*lectures[0], lectures, all_right(lectures, 3), {}).empty());
  CHECK(questions_before(*lectures[2], lectures, {}, {}).empty());
  CHECK(questions_before(*lectures[1], lectures, {{"l0", {StepMark::seen, StepMark::seen, StepMark::shown}}}, {}) ==
        std::vector<ReviewItem>{{"l0", 2}});
  const auto all = questions_before(*lectures[1], lectures, all_right(lectures, 3), {});
  CHECK(all == std::vector<ReviewItem>{{"l0", 1}, {"l0", 2}, {"l0", 3}});
  Lecture own = *lectures[2];
  own.list_position.group = LectureGroup::own;
  CHECK(questions_before(own, lectures, all_right(lectures, 2), {}).empty());
}

TEST_CASE("a lecture begins with a review, which counts, ends in the lecture and comes once") {
  Returning person;
  person.run("lecture.next");
  REQUIRE(review_of(person.session()) != nullptr);
  CHECK(person.lecture() == "bank");
  CHECK(person.session().lesson().at.index == 5);
  CHECK(person.shows("Before From scratch in NumPy: a question from Which bank?"));
  CHECK(person.shows(" / 3"));
  CHECK_FALSE(person.shows(" / 11"));
  CHECK(person.session().lesson().asks());
  // A wrong answer is noted, and the question's mark in its own lecture stays.
  Lesson(person.session()).show_answer();
  person.surface.settle();
  CHECK(person.session().state().reviews->at("bank").at(5) == Reviewed{1, true});
  CHECK(person.session().state().marks->at("bank")[5] == StepMark::shown);
  person.press(Key::right);
  CHECK(person.lecture() == "meaning");
  CHECK_FALSE(can_step(person.session(), -1));
  person.press(Key::right);  // nobody has to answer
  CHECK(person.session().state().reviews->size() == 1);
  person.press(Key::right);
  CHECK(person.lecture() == "numpy-from-scratch");
  CHECK(person.session().lesson().at.index == 0);
  CHECK(review_of(person.session()) == nullptr);
}

TEST_CASE("a review can be skipped, and leaving it ends it") {
  Returning person;
  person.run("lecture.next");
  person.click_item("lesson/skip");
  CHECK(person.lecture() == "numpy-from-scratch");
  CHECK(review_of(person.session()) == nullptr);
  Lesson(person.session()).open("bank", 5);
  person.session().wait();
  CHECK(review_of(person.session()) == nullptr);
  // A lecture that is begun goes on without one.
  Lesson(person.session()).open("numpy-from-scratch", 1);
  Lesson(person.session()).begin("numpy-from-scratch");
  person.session().wait();
  CHECK(person.lecture() == "numpy-from-scratch");
  CHECK(review_of(person.session()) == nullptr);
}

TEST_CASE("how questions were answered again is kept beside the marks, and windows add to it") {
  TemporaryFolder folder("reviews");
  const std::filesystem::path file = folder.path() / "settings.toml";
  Settings settings;
  settings.marks["bank"] = {StepMark::seen, StepMark::first_try};
  settings.modes["bank"] = WindowMode::lesson;
  settings.reviews["bank"] = {{1, {2, false}}, {5, {1, true}}};
  save_changes({}, settings, file);
  CHECK(load_settings(file).value.reviews == settings.reviews);
  CHECK(load_settings(file).value.marks == settings.marks);
  Settings other;
  other.reviews["bank"] = {{7, {1, false}}};
  save_changes({}, other, file);
  CHECK(load_settings(file).value.reviews.at("bank").size() == 3);
  CHECK(joined({{"a", {{0, {1, true}}}}}, {{"a", {{0, {2, false}}}}}).at("a").at(0) == Reviewed{2, false});
}
