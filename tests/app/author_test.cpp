// Somebody writes a lecture in the window: from the present state, step by step, with undo, and saves it.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "app/session/author/authoring.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/view_table.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/lecture/lesson_check.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

const std::string text = R"lesson(+++
title = "A lesson"
[setup]
tokens = ["The", "cat"]
[setup.sizes]
query_length = 2
[setup.random]
draws = ["seed 0", "X normal"]
+++

<!-- a remark -->

## First

```step
cell = "X[0,0,0]"
```

Words.

```python
# ## no heading
```

## Second

More words.
)lesson";

Authoring begun() { return begun_writing("/somewhere/a.md", text); }

const Authoring& writing(Scripted& person) { return *person.session().state().authoring; }

/// Begins a lecture with the present setup, in a file of the folder.
std::filesystem::path begin_lecture(Scripted& person, const TemporaryFolder& folder) {
  const std::filesystem::path file = folder.path() / "mine.md";
  person.run("author.write");
  person.retype(file.string());
  person.press(Key::enter);
  REQUIRE(person.session().state().authoring);
  return file;
}

void type_at_end(Scripted& person, std::string_view words) {
  const Rect above = person.item("author.add");
  person.click({above.center().x, above.bottom() + 60});
  person.press({.key = Key::end, .ctrl = true});
  person.type(words);
}

}  // namespace

TEST_CASE("a draft is its file cut into steps, and is the file again") {
  const LectureDraft draft = draft_of(text);
  REQUIRE(draft.steps.size() == 2);
  CHECK(title_of(draft.steps[0]) == "First");
  CHECK(title_of(draft.steps[1]) == "Second");
  CHECK(text_of(draft) == text);
  CHECK(first_line(draft, 0) == 1);
  CHECK(first_line(draft, 1) == 13);
  CHECK(first_line(draft, 2) == 25);
  LectureDraft joined = draft;
  joined.steps[0] = "## First\n\nNo line break at its end";
  CHECK(draft_of(text_of(joined)).steps.size() == 2);
}

TEST_CASE("every step of writing is undone and redone, and typing is one step") {
  Authoring authoring = begun();
  CHECK_FALSE(authoring.changed());
  authoring = with_text(authoring, 1, "## First\n\nA");
  authoring = with_text(authoring, 1, "## First\n\nAb\n");
  authoring = with_step(authoring, "## Between\n\nWords.\n");
  CHECK(authoring.place == 2);
  CHECK(authoring.draft.steps.size() == 3);
  authoring = with_step_moved(authoring, -1);
  CHECK(title_of(authoring.draft.at(1)) == "Between");
  authoring = without_step(authoring);
  CHECK(lecture_of(authoring).steps.size() == 2);
  for (int i = 0; i < 4; ++i) authoring = undone(authoring);
  CHECK_FALSE(authoring.changed());
  CHECK(authoring.before.empty());
  for (int i = 0; i < 4; ++i) authoring = redone(authoring);
  CHECK(title_of(authoring.draft.at(1)) == "First");
  CHECK(authoring.draft.steps.size() == 2);
  CHECK(authoring.after.empty());
  authoring = without_step(without_step(authoring));
  CHECK(authoring.draft.steps.size() == 1);
}

TEST_CASE("a mistake is named with its line of the file, and the last lecture stays on the screen") {
  Session session;
  Authoring authoring = begun();
  Lesson(session).write(authoring);
  REQUIRE(session.lesson().lecture() != nullptr);
  Lesson(session).write(
      with_text(*session.state().authoring, 1, "## First\n\n```step\ncell = \"nothing[0]\"\n```\n\nWords.\n"));
  REQUIRE_FALSE(session.state().authoring->problems.empty());
  CHECK(line_of(session.state().authoring->problems.front()) == 16);
  CHECK(session.lesson().lecture()->steps[0].narration == "Words.");
  Lesson(session).write(with_text(*session.state().authoring, 1, "Words without a title."));
  CHECK(line_of(session.state().authoring->problems.front()) == 13);
  Lesson(session).write(undone(*session.state().authoring));
  CHECK(session.state().authoring->problems.empty());
  Lesson(session).write(with_text(*session.state().authoring, 2, "## Second\n\nOne.\n\n## Third\n\nTwo.\n"));
  CHECK(session.state().authoring->draft.steps.size() == 3);
  CHECK(session.lesson().lecture()->steps.size() == 3);
}

TEST_CASE("a lecture is begun with what is on the screen, told step by step, and saved") {
  const TemporaryFolder folder("author");
  Scripted person(lecture_session("numpy-from-scratch", 4), 1280, 720);
  const std::filesystem::path file = begin_lecture(person, folder);
  CHECK(person.session().lesson().lecture()->id == "mine");
  person.press({.key = Key::end, .ctrl = true});  // the text has the keyboard at once
  person.type(" The largest is {max(X):.3f}.");
  CHECK(person.session().lesson().lecture()->steps[0].narration.find("The largest is {max(X):.3f}.") !=
        std::string::npos);
  CHECK(writing(person).changed());

  Setup other = person.session().setup();
  other.attention.temperature = 2;
  REQUIRE(person.session().edit(other).empty());
  person.session().show(View::heads);
  Selecting(person.session()).pin({TensorId::weights, {0, 1, 2, 0}});
  person.surface.settle();
  person.click_item("author.add");
  REQUIRE(person.session().lesson().lecture()->steps.size() == 2);
  const Step& added = person.session().lesson().lecture()->steps[1];
  CHECK(added.look_at == Cell{TensorId::weights, {0, 1, 2, 0}});
  CHECK(added.view == "heads");
  CHECK(person.session().lesson().lecture()->setup_of(added) == other);
  CHECK(person.session().lesson().at.index == 1);

  type_at_end(person, " Warm.");
  person.press({.key = Key::s, .ctrl = true});
  CHECK_FALSE(writing(person).changed());
  const Lecture saved = read_lecture(file, lecture_views());
  CHECK(saved.steps.size() == 2);
  CHECK(saved.steps[1].narration == "Say here what there is to see.\n Warm.");
  for (const LessonResult& result : check_lessons(saved, {}, std::make_shared<Threads>(1))) CHECK(result.holds());

  person.click_item("author.up");
  CHECK(person.session().lesson().lecture()->steps[0].title == "A new step");
  person.click_item("author.delete");
  CHECK(person.session().lesson().lecture()->steps.size() == 1);
  person.click_item("author.undo");
  person.click_item("author.undo");
  CHECK_FALSE(writing(person).changed());
  person.click_item("author.done");
  CHECK_FALSE(person.session().state().authoring);
  CHECK(read_text(file) == text_of(draft_of(read_text(file))));
}

TEST_CASE("what is typed in a mistaken step is marked beside its line, and stays after Escape") {
  const TemporaryFolder folder("author-wrong");
  Scripted person(lecture_session("numpy-from-scratch", 4), 1280, 720);
  begin_lecture(person, folder);
  type_at_end(person, "\n```step\n```\n");
  REQUIRE_FALSE(writing(person).problems.empty());
  CHECK(person.session().lesson().lecture()->id == "mine");
  person.press(Key::escape);
  CHECK_FALSE(writing(person).problems.empty());
  person.click_item("author.undo");
  CHECK(writing(person).problems.empty());
}

TEST_CASE("a long line goes on in the next row, and is one line to the caret, to undo and to the clipboard") {
  const TemporaryFolder folder("author-rows");
  Scripted person(lecture_session("numpy-from-scratch", 4), 1280, 720);
  begin_lecture(person, folder);
  const std::string prose =
      "Éin long line of prose that nobody wants to read by scrolling it from the left to the right.";
  person.press({.key = Key::end, .ctrl = true});
  person.type("\n" + prose);
  const auto told = [&] { return person.session().lesson().lecture()->steps[0].narration; };
  const std::string before = told();
  REQUIRE(before.ends_with("\n" + prose));
  const auto rows_shown = [&] {
    const DisplayList drawing = person.surface.settled_drawing();
    int rows = 0;
    for (const Drawn& drawn : drawing.drawn)
      if (const auto* text = std::get_if<TextShape>(&drawn.shape); text && !text->text.empty())
        rows += text->style == TextStyle::code && prose.find(text->text) != std::string::npos && text->text.size() > 8;
    return rows;
  };
  CHECK(rows_shown() >= 2);

  person.press(Key::home);  // of the last row
  person.press(Key::backspace);
  const std::string joined = told();
  CHECK(joined.size() + 1 == before.size());
  CHECK(joined.ends_with("right."));
  person.press({.key = Key::z, .ctrl = true});
  CHECK(told() == before);
  person.press({.key = Key::y, .ctrl = true});
  CHECK(told() == joined);
  person.press({.key = Key::z, .ctrl = true});
  CHECK(told() == before);

  person.press(Key::end);
  person.press(Key::up);
  person.type("!");
  CHECK(told().size() == before.size() + 1);
  CHECK_FALSE(told().ends_with("!"));
  person.press(Key::backspace);
  CHECK(told() == before);

  person.press({.key = Key::end, .ctrl = true});
  person.press({.key = Key::up, .shift = true});
  person.press({.key = Key::c, .ctrl = true});
  const std::string copied = person.surface.clipboard();
  CHECK(copied.size() > 8);
  CHECK(prose.find(copied) != std::string::npos);
  person.press({.key = Key::x, .ctrl = true});
  CHECK(told() + copied == before);
  person.press({.key = Key::v, .ctrl = true});
  CHECK(told() == before);
}
