// A lesson in the window: a question is guessed and answered with the mouse and with the keys, a link is followed.
#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/state/step_words.hpp"
#include "app/ui/drawing/theme.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/view_table.hpp"
#include "app/views/story/question_card.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "legibility.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

const std::string in_window = R"lesson(+++
title = "A lesson"
goals = ["Say whom a word looks at"]
[setup]
tokens = ["The", "cat", "sat", "down"]
[setup.random]
draws = ["seed 0", "X uniform", "W_q uniform", "W_k uniform", "W_v uniform", "W_o uniform"]
+++
## Tries
```step
cell = "dot_products[0,1,2,0]"
```
The largest is {max(scores[0,1,2]):.3f}, of [this cell](select:scores[0,1,2,2]), divided by $\sqrt{d_{head}}$.

[Take the scale away](set:attention.scale=none)
## Asks
```step
cell = "dot_products[0,1,2,0]"
```
Whom?
```question
ask = "Which key suits the query of sat best?"
cells = "dot_products[0,1,2]"
answer = "argmax(dot_products[0,1,2])"
hint = "Compare columns."
right = "Its key is largest in all four."
wrong = "It gets {dot_products[0,1,2,guess]:.2f}."
```
```notes
Wait for hands.
```
)lesson";

Session opened(std::size_t step) {
  Session session;
  REQUIRE(Lesson(session).open(parse_lecture(in_window, "a.md", "a", lecture_views()), step).empty());
  return session;
}

bool shows(Scripted& person, const std::string& words) {
  const DisplayList drawing = person.surface.settled_drawing();
  return shows_text(drawing, {0, 0, drawing.width, drawing.height}, words);
}

Point result_cell(Scripted& person, int row, int column) {
  const Rect cells = person.item("result/cells");
  return {cells.x + cells.w * (static_cast<float>(column) + 0.5f) / 4,
          cells.y + cells.h * (static_cast<float>(row) + 0.5f) / 4};
}

}  // namespace

TEST_CASE("a click on a hidden cell answers, and a wrong answer gets its reason and a second try") {
  Scripted person(opened(1), 1280, 720);
  CHECK(shows(person, "Click its cell."));
  CHECK_FALSE(shows(person, "Its key is largest"));
  person.click_item("question/hint");
  CHECK(shows(person, "Compare columns."));
  person.click(result_cell(person, 2, 0));
  CHECK(person.session().lesson().answer_state().missed == 0);
  CHECK(shows(person, "The step asks about it."));
  Selecting(person.session()).release();
  CHECK_FALSE(person.session().lesson().answer_state().shown);
  CHECK(shows(person, "Not The"));
  CHECK(shows(person, "Try once more."));
  CHECK(shows(person, "It gets"));
  CHECK_FALSE(shows(person, "Its key is largest"));
  person.press(Key::enter);  // no second guess
  CHECK(person.session().lesson().answer_state().shown);
  CHECK(shows(person, "Its key is largest in all four."));
}

TEST_CASE("the way back to the lesson's numbers keeps what an answer has set, and with it the verdict") {
  for (const auto& [lecture, step] : {std::pair{"where", 12}, std::pair{"recall", 3}, std::pair{"block", 4}}) {
    CAPTURE(lecture);
    Session session = in_lesson(lecture_session(lecture, static_cast<std::size_t>(step) - 1));
    session.wait();
    Lesson(session).show_answer();
    session.wait();
    const auto right = answer_of(session);
    REQUIRE(right);
    Lesson(session).ask_again();
    session.wait();
    Lesson(session).guess(right);
    Lesson(session).check_guess();
    session.wait();
    Scripted person(std::move(session), 1280, 720);
    const auto verdict = [&] {
      const AskedQuestion& asked = *person.session().step_words()->question;
      return asked.answer_words + " / " + asked.guess_words + " / " + plain_text(asked.why);
    };
    const std::string before = verdict();
    REQUIRE(person.session().step_words()->question->guess_words.empty());
    CHECK_FALSE(person.session().changes().empty());
    CHECK_FALSE(shows(person, "Back to the lesson's numbers"));
    person.press({.key = Key::r, .ctrl = true, .shift = true});
    CHECK(verdict() == before);
    Setup sharper = person.session().setup();
    sharper.attention.temperature = 0.25;
    REQUIRE(person.session().edit(sharper).empty());
    person.session().wait();
    CHECK(shows(person, "Back to the lesson's numbers"));
    person.press({.key = Key::r, .ctrl = true, .shift = true});
    person.session().wait();
    CHECK(person.session().setup().attention.temperature != 0.25);
    CHECK(verdict() == before);
    CHECK_FALSE(shows(person, "Back to the lesson's numbers"));
    Lesson(person.session()).ask_again();
    person.session().wait();
    CHECK(person.session().changes().empty());
  }
}

TEST_CASE("what was said about an answer stays, whatever is undone or changed afterwards") {
  Session all = lecture_session();
  std::size_t judged = 0;
  for (const auto& lecture : all.lectures())
    for (std::size_t step = 0; step < lecture->steps.size(); ++step) {
      const auto& question = lecture->steps[step].question;
      if (!question || (question->set.empty() && step % 4 != 0)) continue;
      CAPTURE(lecture->id);
      CAPTURE(step + 1);
      Session session = in_lesson(lecture_session(lecture->id, step));
      session.wait();
      Lesson(session).guess(0);
      Lesson(session).show_answer();
      session.wait();
      const auto verdict = [&] {
        const AskedQuestion& asked = *session.step_words()->question;
        return asked.answer_words + " / " + asked.guess_words + " / " + plain_text(asked.why);
      };
      const std::string before = verdict();
      const StepMark mark = session.step_words()->question->mark();
      if (!question->set.empty()) {
        session.undo();
        session.wait();
        CHECK(verdict() == before);
      }
      Setup other = session.setup();
      other.attention.temperature = 7;
      if (!session.edit(other).empty()) continue;
      session.wait();
      REQUIRE(session.setup().attention.temperature == 7);
      CHECK(verdict() == before);
      CHECK(session.step_words()->question->mark() == mark);
      ++judged;
    }
  CHECK(judged > 40);
}

TEST_CASE("an answer that sets something leaves the layer of its step in sight") {
  for (const auto& [step, tensor] : {std::pair{8, TensorId::weights}, std::pair{9, TensorId::logits}}) {
    Session session = lecture_session("two-layers", static_cast<std::size_t>(step));
    REQUIRE_FALSE(session.lesson().question()->set.empty());
    REQUIRE(session.setup().layer == 1);
    Lesson(session).show_answer();
    session.wait();
    CHECK(session.setup().layer == 1);
    CHECK(session.selection().tensor == tensor);
  }
}

TEST_CASE("a question that is asked again is judged by the numbers of then") {
  Session session = in_lesson(lecture_session("meaning", 3));
  const auto answer = [&] { return session.step_words()->question->answer_words; };
  Lesson(session).show_answer();
  const std::string before = answer();
  Lesson(session).ask_again();
  Setup other = session.setup();
  other.tokens.clear();
  other.mask.kinds = {MaskKind::causal};
  REQUIRE(session.edit(other).empty());
  Lesson(session).show_answer();
  CHECK(answer() != before);
}

TEST_CASE("a step marks the rows that its answer has changed") {
  Scripted person(in_lesson(lecture_session("where", 11)), 1280, 720);
  const auto bars = [&] {
    std::size_t count = 0;
    for (const Drawn& drawn : person.surface.settled_drawing().drawn)
      if (const auto* const bar = std::get_if<BoxShape>(&drawn.shape))
        if (bar->width == 0 && bar->color == theme(ThemeName::dark).changed) ++count;
    return count;
  };
  CHECK(bars() == 0);
  Lesson(person.session()).show_answer();
  person.session().wait();
  CHECK(bars() == 4);
}

TEST_CASE(
    "where a step opens the inspector, it stands below the words if they leave it room, with where the number is "
    "from") {
  Scripted person(in_lesson(lecture_session("numpy-from-scratch", 3)), 1280, 720);
  const DisplayList drawing = person.surface.settled_drawing();
  CHECK(shows_text(drawing, {0, drawing.height / 3, drawing.width / 2, drawing.height}, "Where it comes from"));
}

TEST_CASE("a lesson proves that nothing is lost by keeping where it is about that, and the workbench always") {
  constexpr const char* proof = "kept = computed anew";
  Scripted person(in_lesson(lecture_session("generate", 0)), 1280, 720);
  CHECK_FALSE(shows(person, proof));
  person.session().edit_display([](Display& d) { d.mode = WindowMode::workbench; });
  person.surface.settle();
  CHECK(shows(person, proof));
  Scripted later(in_lesson(lecture_session("generate", 8)), 1280, 720);
  CHECK(shows(later, proof));
}

TEST_CASE("in a lesson no letter changes the layer, the list of keys says so, and the workbench has them all") {
  Scripted person(in_lesson(lecture_session("bank", 2)), 1280, 720);
  Lesson(person.session()).show_answer();
  person.surface.settle();
  const Setup before = person.session().setup();
  for (auto key = static_cast<int>(Key::a); key <= static_cast<int>(Key::z); ++key)
    for (const bool shift : {false, true}) {
      const Chord chord{.key = static_cast<Key>(key), .shift = shift};
      CAPTURE(to_string(chord));
      if (chord == Chord{Key::w}) continue;  // the workbench
      person.press(chord);
      if (person.session().display().overlay != Overlay::none) person.press(Key::escape);
      CHECK(person.session().wanted() == before);
      CHECK_FALSE(person.session().display().painting);
    }
}

TEST_CASE("the list of keys is that of the lesson, or that of the workbench") {
  const auto listed = [](Scripted& person, const std::string& words) {
    person.press(Key::f1);
    const bool found = shows(person, words);
    person.press(Key::escape);
    return found;
  };
  Scripted lesson(in_lesson(lecture_session("bank", 2)), 1440, 900);
  Scripted workbench(lecture_session("bank", 2), 1440, 900);
  for (const char* const words :
       {"Biases on or off", "Roll another seed", "Causal mask", "Ablate or restore the head"}) {
    CAPTURE(words);
    CHECK_FALSE(listed(lesson, words));
    CHECK(listed(workbench, words));
  }
  CHECK(listed(lesson, "Undo"));
  workbench.press(Key::b);
  CHECK_FALSE(workbench.session().changes().empty());
}

TEST_CASE("after an answer in the picture by keyboard, Enter goes on") {
  Scripted person(in_lesson(lecture_session("bank", 2)), 1280, 720);
  const auto answered = [&] { return person.session().lesson().answer_state().shown; };
  for (int i = 0; i < 60 && !shows(person, "Enter chooses"); ++i) person.press(Key::tab);
  REQUIRE(shows(person, "Enter chooses"));
  for (int i = 0; i < 4 && !answered(); ++i) {
    person.press(Key::right);
    person.press(Key::enter);
  }
  REQUIRE(answered());
  REQUIRE(person.session().lesson().at.index == 2);
  person.press(Key::enter);
  CHECK(person.session().lesson().at.index == 3);
}

TEST_CASE("in a lesson Enter goes on from the view Write, too, and no button there claims it") {
  Session session = in_lesson(lecture_session("generate", 1));
  session.wait();
  session.show(View::write);
  Scripted writer(std::move(session), 1280, 720);
  Lesson(writer.session()).show_answer();
  writer.session().wait();
  writer.surface.settle();
  const Action& to_the_end = *action_named("write.on");
  CHECK(keys_now(to_the_end, writer.session()).empty());
  CHECK(action_now({Key::enter}, writer.session()) == action_named("step.next"));
  const auto set_mode = [&](WindowMode mode) { writer.session().edit_display([&](Display& d) { d.mode = mode; }); };
  set_mode(WindowMode::workbench);
  CHECK(keys_now(to_the_end, writer.session()) == "Enter");
  set_mode(WindowMode::lesson);
  writer.press(Key::enter);
  CHECK(writer.session().lesson().at.index == 2);
}

TEST_CASE("while presenting, a click and its button give a second try, and a remote control shows the answer at once") {
  Scripted person(opened(1), 1280, 720);
  person.press(Key::f5);
  Lesson(person.session()).guess(0);
  person.click_item("question/show");
  CHECK(shows(person, "Try once more."));
  CHECK_FALSE(person.session().lesson().answer_state().shown);
  person.press(Key::page_down);
  CHECK(person.session().lesson().answer_state().shown);
}

TEST_CASE("the last step says how it went, and the next lecture is one click or one key away") {
  Session session;
  auto first = parse_lecture(in_window, "a.md", "a", lecture_views());
  auto second = parse_lecture(in_window, "b.md", "b", lecture_views());
  second.title = "Another lesson";
  REQUIRE(Lesson(session)
              .set_lectures({std::make_shared<const Lecture>(first), std::make_shared<const Lecture>(second)})
              .empty());
  REQUIRE(Lesson(session).open("a", 1).empty());
  Scripted person(std::move(session), 1280, 720);
  CHECK_FALSE(shows(person, "Next: Another lesson"));  // it still asks
  Lesson(person.session()).guess(2);
  person.press(Key::enter);
  CHECK(shows(person, "You have seen 1 of 2 steps."));
  person.click_item("next-lecture");
  CHECK(person.session().lesson().lecture()->id == "b");
  CHECK(person.session().lesson().at.index == 0);
  Lesson(person.session()).go_to(1);
  Lesson(person.session()).show_answer();
  CHECK(shows(person, "You have seen all 2 steps."));
  CHECK_FALSE(shows(person, "Next:"));
  REQUIRE(Lesson(person.session()).open("a", 1).empty());
  person.press({.key = Key::page_down, .ctrl = true});
  CHECK(person.session().lesson().lecture()->id == "b");
}

TEST_CASE("what comes of the numbers on the screen waits for the answer") {
  Session session = opened(1);
  Selecting(session).select({TensorId::scores, 0, 1, 1, 0});
  Scripted person(std::move(session), 1280, 720);
  CHECK_FALSE(shows(person, "Where it goes"));
  Lesson(person.session()).show_answer();
  CHECK(shows(person, "Where it goes"));
}

TEST_CASE("while presenting, Enter shows the answer first and then steps; N shows the notes") {
  Scripted person(opened(1), 1280, 720);
  person.press(Key::f5);
  CHECK(shows(person, "Which key suits the query of sat best?"));
  person.press(Key::n);
  CHECK(shows(person, "Wait for hands."));
  person.press(Key::enter);
  CHECK(person.session().lesson().answer_state().shown);
  CHECK(person.session().lesson().at.index == 1);
  person.press(Key::left);
  CHECK(person.session().lesson().at.index == 0);
}

TEST_CASE("more about a step is on no slide until the speaker asks for it, and among the notes at once") {
  Scripted person(lecture_session("bank", 9), 1280, 720);
  Display display = person.session().display();
  display.presentation.presenting = true;
  person.session().set_display(display);
  person.surface.settle();
  const auto says = [&](std::string_view some) {
    return std::ranges::any_of(person.surface.settled_drawing().drawn, [&](const Drawn& drawn) {
      const auto* const text = std::get_if<TextShape>(&drawn.shape);
      return text != nullptr && text->text.find(some) != std::string::npos;
    });
  };
  const std::string first = "nobody";
  REQUIRE(plain_text(person.session().step_words()->more).find(first) != std::string::npos);
  CHECK_FALSE(says(first));
  person.press({.key = Key::y, .shift = true});
  CHECK(says(first));
  person.press({.key = Key::escape});
  CHECK_FALSE(says(first));
  CHECK(person.session().display().presentation.presenting);
  person.press({.key = Key::n});
  CHECK(says(first));
}

TEST_CASE("while presenting, Page Down alone shows the answer and then moves on, also at the last step") {
  Scripted person(opened(1), 1280, 720);
  person.press(Key::page_down);  // in the window it steps
  Scripted stage(opened(1), 1280, 720);
  stage.press(Key::f5);
  const std::size_t last = stage.session().lesson().step_count() - 1;
  stage.press(Key::page_down);
  CHECK(stage.session().lesson().answer_state().shown);
  CHECK(stage.session().lesson().at.index == 1);
  stage.press(Key::page_down);
  CHECK(stage.session().lesson().at.index == std::min<std::size_t>(2, last));
}

TEST_CASE("while presenting, playing takes the place of the code, and Escape ends it first") {
  Scripted stage(lecture_session("numpy-from-scratch", 3), 1280, 720);
  stage.press(Key::f5);
  const auto picture = [&] { return stage.item("result/cells"); };
  const Rect before = picture();
  stage.press({.key = Key::k, .ctrl = true});
  stage.type("Play with Temperature");
  stage.press(Key::enter);
  CHECK(stage.has_item("play/close"));
  CHECK(picture().w > 0.8f * before.w);  // perhaps a single row of it, but no smaller cells
  stage.press(Key::escape);
  CHECK_FALSE(stage.has_item("play/close"));
  CHECK(stage.session().display().presentation.presenting);
  CHECK(picture().h == before.h);
  stage.press(Key::escape);
  CHECK_FALSE(stage.session().display().presentation.presenting);
}

TEST_CASE("while presenting, the palette offers only what works there") {
  Scripted stage(lecture_session("numpy-from-scratch", 4), 1280, 720);
  const auto offered = [&](const std::string& text) {
    stage.press({.key = Key::k, .ctrl = true});
    stage.type(text);
    const bool offers = !shows(stage, "No matches");
    stage.press(Key::escape);
    return offers;
  };
  CHECK(offered("random.draws"));
  CHECK(offered("Setup panel"));
  stage.press(Key::f5);
  CHECK_FALSE(offered("random.draws"));
  CHECK_FALSE(offered("Setup panel"));
  CHECK(offered("Encoding: rotary"));
}

TEST_CASE("words keep their numbers, links select, and a button tries and takes back") {
  Scripted person(opened(0), 1280, 720);
  CHECK(shows(person, "Say whom a word looks at"));
  const auto& trace = person.session().trace();
  double largest = 0;
  for (Index key = 0; key < 4; ++key) largest = std::max(largest, trace.value({TensorId::scores, {0, 1, 2, key}}));
  CHECK(shows(person, to_string(largest, {'f', 3}) + ","));
  person.click_item("button");
  CHECK(std::holds_alternative<NoScale>(person.session().setup().attention.scale));
  CHECK(shows(person, to_string(largest, {'f', 3}) + ","));
  person.click_item("button");
  CHECK(person.session().changes().empty());
  person.click_item("link");
  CHECK(person.session().cell() == Cell{TensorId::scores, {0, 1, 2, 2}});
}

TEST_CASE("no answer changes what a step has said, and no sentence lacks a number") {
  Session all = lecture_session();
  std::size_t changed = 0;
  for (const auto& lecture : all.lectures())
    for (std::size_t step = 0; step < lecture->steps.size(); ++step) {
      if (!lecture->steps[step].question) continue;
      CAPTURE(lecture->id);
      CAPTURE(step + 1);
      Session session = lecture_session(lecture->id, step);
      const StepWords before = *session.step_words();
      for (const double guess : {0.0, 1.0}) {
        Lesson(session).guess(guess);
        Lesson(session).show_answer();
        const StepWords after = *session.step_words();
        REQUIRE(after.question->shown);
        CHECK(plain_text(after.narration) == plain_text(before.narration));
        CHECK(plain_text(after.question->ask) == plain_text(before.question->ask));
        CHECK(after.question->choices == before.question->choices);
        for (const Markdown& text : {after.narration, after.question->ask, after.question->why})
          CHECK(plain_text(text).find(" –") == std::string::npos);
        changed += session.changes().empty() ? 0U : 1U;
        Lesson(session).ask_again();
      }
    }
  CHECK(changed > 20);
}

TEST_CASE("an edit by hand leaves the words of the step, and the answer is about the edit") {
  Session session = lecture_session("numpy-from-scratch", 5);
  const auto step = [&] { return plain_text(session.step_words()->narration); };
  const std::string before = step();
  Setup sharper = session.setup();
  sharper.attention.temperature = 0.25;
  REQUIRE(session.edit(sharper).empty());
  CHECK(step() == before);
  Lesson(session).go_to(6);
  const std::string next = step();
  CHECK(session.setup().attention.temperature == 0.25);
  session.undo();
  CHECK(step() == next);
}

TEST_CASE("a guess may have a decimal comma, and a text that isn't a number isn't a guess") {
  Session all = lecture_session();
  for (const auto& lecture : all.lectures())
    for (std::size_t step = 0; step < lecture->steps.size(); ++step) {
      const auto& question = lecture->steps[step].question;
      if (!question || question->kind != Question::Kind::number || question->is_percentage()) continue;
      CAPTURE(lecture->id);
      CAPTURE(step + 1);
      Scripted person(lecture_session(lecture->id, step), 1440, 900);
      const auto guess = [&] { return person.session().lesson().answer_state().guess; };
      for (float left = 80; left < 440 && !guess(); left += 40)  // past the hint
        for (const float up : {0.0f, 40.0f}) {
          if (guess()) continue;
          const Rect show = person.item("show");  // the field is left of it, or above; a hint may move it
          person.click({show.x - left, show.center().y - up});
          if (person.app.memory().get<QuestionMemory>().typed.empty()) person.type("1");
        }
      REQUIRE(guess());
      person.retype("1,916");
      CHECK(guess() == 1.916);
      person.type(".2");
      CHECK_FALSE(guess());
      CHECK(shows(person, "did you mean 1916.2?"));
      for (const char* text : {"87,1,2", "\u00bd", "\u0663", "--5"}) {
        CAPTURE(std::string(text));
        person.retype(text);
        CHECK_FALSE(guess());
        CHECK(shows(person, "\"" + std::string(text) + "\" is not a number; allowed: digits with one point or comma"));
      }
      person.retype("12x");
      CHECK_FALSE(guess());
      // Enter keeps no such text: the field keeps the keyboard, and the next letters press no keys of the app.
      const Index head = person.session().selection().head;
      person.press(Key::enter);
      person.type("7");
      CHECK(person.app.memory().get<QuestionMemory>().typed == "7");
      CHECK(person.session().selection().head == head);
      person.retype("2,5");
      CHECK(guess() == 2.5);
      CHECK_FALSE(person.session().lesson().answer_state().shown);
      return;
    }
  FAIL("no lecture asks for a number");
}

TEST_CASE("the words about one gradient stay with it") {
  Scripted person(lecture_session("learning", 4), 1280, 720);
  REQUIRE(person.session().selection().tensor == gradient_of(TensorId::W_o));
  CHECK_FALSE(shows(person, "Back to step 5"));
  Selecting(person.session()).select_tensor(gradient_of(TensorId::X));
  CHECK(shows(person, "Back to step 5"));
}

TEST_CASE("every lecture begins with what it is for") {
  Session all = lecture_session();
  for (const auto& lecture : all.lectures()) {
    CAPTURE(lecture->id);
    Scripted person(lecture_session(lecture->id), 1440, 900);
    CHECK(shows(person, "Afterwards you can"));
    for (const std::string& goal : lecture->goals) CHECK(shows(person, plain_text(parse_markdown(goal))));
  }
}

TEST_CASE("a line of code that is too long goes on further right") {
  const std::string long_code = "one = attention(queries, keys, values)\n\n" + std::string("other = attention(") +
                                std::string(12, 'q') + ", " + std::string(40, 'k') + ", " + std::string(40, 'v') +
                                ")\n";
  Session session;
  const std::string with_code = in_window + "## Codes\nWords.\n```python\n" + long_code + "```\n";
  REQUIRE(Lesson(session).open(parse_lecture(with_code, "a.md", "a", lecture_views()), 2).empty());
  Scripted person(std::move(session), 1280, 720);
  const auto left_of = [&](const std::string& words) {
    for (const Drawn& drawn : person.surface.settled_drawing().drawn)
      if (const auto* row = std::get_if<TextShape>(&drawn.shape); row && row->text.starts_with(words))
        return row->baseline.x;
    FAIL("not on the screen: " << words);
    return 0.0f;
  };
  CHECK(left_of("one = ") == left_of("other = "));
  CHECK(left_of("vvvv") > left_of("other = ") + 8);
}

TEST_CASE("a picture of shapes says the transposed shape, and not the one that is asked") {
  const auto at_step = [](std::size_t step) {
    return Scripted(in_lesson(lecture_session("shapes", step - 1)), 1280, 720);
  };
  const auto asked_shapes = [](Scripted& person) {
    return std::ranges::count_if(person.surface.settled_drawing().drawn, [](const Drawn& drawn) {
      const auto* words = std::get_if<TextShape>(&drawn.shape);
      return words != nullptr && words->text == "?";
    });
  };
  Scripted product = at_step(4);
  CHECK(shows(product, "K_headsᵀ"));
  CHECK(shows(product, "(32, 8, 64, 10)"));
  CHECK(asked_shapes(product) == 0);
  Scripted asked = at_step(5);
  CHECK(asked_shapes(asked) == 1);
  Lesson(asked.session()).show_answer();
  asked.session().wait();
  CHECK(asked_shapes(asked) == 0);
}

TEST_CASE("the map of a large layer says every shape") {
  Scripted person(lecture_session("shapes", 4), 1280, 720);
  person.session().show(View::pipeline);
  person.surface.settle();
  std::size_t shapes = 0;
  for (const Drawn& drawn : person.surface.settled_drawing().drawn)
    if (const auto* words = std::get_if<TextShape>(&drawn.shape))
      shapes += words->text.starts_with('(') && words->baseline.y < 160 ? 1U : 0U;
  CHECK(shapes == 12);
}

namespace {

/// The window on a lecture whose first step has these keys too.
Scripted with_keys(const std::string& keys, bool presenting) {
  const std::string cell = "cell = \"dot_products[0,1,2,0]\"\n";
  std::string lecture = in_window;
  lecture.insert(lecture.find(cell) + cell.size(), keys);
  Session session;
  REQUIRE(Lesson(session).open(parse_lecture(lecture, "a.md", "a", lecture_views())).empty());
  session.set_timed(false);
  session.set_display(with_presenting(session.display(), presenting));
  return Scripted(std::move(session), 1280, 720);
}

/// The numbers that stand in a picture's cells.
std::vector<std::string> numbers_in(Scripted& person, std::string_view picture) {
  const DisplayList drawing = person.surface.settled_drawing();
  const Rect cells = person.item(picture);
  std::vector<std::string> numbers;
  for (const Drawn& drawn : drawing.drawn)
    if (const auto* const words = std::get_if<TextShape>(&drawn.shape);
        words != nullptr && cells.contains({words->baseline.x + 2, words->baseline.y - 2}))
      numbers.push_back(words->text);
  return numbers;
}

}  // namespace

TEST_CASE("a step's rows are the only ones until somebody asks for all, in the window and on its slide") {
  for (const bool presenting : {false, true}) {
    CAPTURE(presenting);
    Scripted all = with_keys("", false);
    CHECK(numbers_in(all, "result/cells").size() == 16);
    Scripted some = with_keys("rows = \"1:3\"\n", presenting);
    CHECK(numbers_in(some, "result/cells").size() == 8);
    CHECK(numbers_in(some, "left/cells").size() == 8);
    Lesson(some.session()).go_to(1);  // the same matrix, whole
    some.surface.settle();
    CHECK(numbers_in(some, "result/cells").size() == 16);
  }
  Scripted heads = with_keys("rows = 2\nview = \"heads\"\n", false);
  CHECK(numbers_in(heads, "0/cells/cells").size() == 4);
  Scripted person = with_keys("rows = \"1:3\"\n", false);
  const Point middle = person.item("result/cells").center();
  person.click(middle);
  person.click(middle);  // a double click
  CHECK(numbers_in(person, "result/cells").size() == 16);
}

TEST_CASE("a step's decimals are those of its pictures") {
  for (const bool presenting : {false, true}) {
    CAPTURE(presenting);
    Scripted person = with_keys("decimals = 1\n", presenting);
    for (const char* picture : {"left/cells", "right/cells", "result/cells"})
      for (const std::string& number : numbers_in(person, picture)) {
        CAPTURE(number);
        CHECK(number.size() - number.find('.') == 2);
      }
  }
}

TEST_CASE("a step shows its tensor alone, and in larger cells") {
  Scripted all = with_keys("", false);
  const Rect among = all.item("result/cells");
  Scripted person = with_keys("alone = true\n", false);
  CHECK_FALSE(person.has_item("left/cells"));
  std::optional<Rect> alone;
  for (const PlacedItem& item : person.surface.items())
    if (item.path.starts_with("centre") && item.path.ends_with("/cells")) alone = item.rect;
  REQUIRE(alone);
  CHECK(alone->h > among.h);
  Selecting(person.session()).select_tensor(TensorId::K);  // of other tensors the step says nothing
  person.surface.settle();
  CHECK(person.has_item("left/cells"));
}

TEST_CASE("a step names the rows and columns of its matrix") {
  Scripted person =
      with_keys("labels = { columns = [\"one\", \"two\", \"three\", \"four\"], rows = \"positions\" }\n", false);
  const Rect cells = person.item("result/cells");
  const DisplayList drawing = person.surface.settled_drawing();
  const Rect above{cells.x, cells.y - 50, cells.w, 50};
  const Rect left{cells.x - 90, cells.y, 90, cells.h};
  CHECK(shows_text(drawing, above, "onetwothreefour"));
  CHECK_FALSE(shows_text(drawing, above, "k0"));
  CHECK(shows_text(drawing, left, "q1"));
  CHECK_FALSE(shows_text(drawing, left, "cat"));
}

TEST_CASE("a token that is called like its place stands there once") {
  const Session session = lecture_session("valid-lengths");
  CHECK(axis_label(TensorId::X, false, 1, session).main() == "x1");
  CHECK(axis_label(TensorId::X, false, 1, session).token.empty());
  CHECK(axis_label(TensorId::Q, false, 1, session).token == "x1");
}
