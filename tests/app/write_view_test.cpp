// A model that writes, worked by a scripted person.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "app/session/display/display_entries.hpp"
#include "app/session/drafting.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/write/write_study.hpp"
#include "core/engine/engine.hpp"
#include "core/generate/sampling.hpp"
#include "core/setup/edits.hpp"
#include "legibility.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// Two layers that spell names of animals a little.
Setup speller(Index steps = 60) {
  Setup setup = offered_setup(TaskName::text);
  setup.sizes.batch = 2;
  setup.training.steps = steps;
  return setup;
}

Session writing_session(const Setup& setup = speller()) {
  Session session(setup);
  session.set_timed(false);
  session.show(View::write);
  session.forget_history();
  return session;
}

struct WritingPerson : Scripted {
  explicit WritingPerson(Session session = writing_session(), int width = 1280, int height = 720)
      : Scripted(std::move(session), width, height) {}

  std::string text() { return text_of(drafted(session()), session().setup()); }
  const Draft& draft() { return session().state().draft; }
  const Reading& reading() { return *app.memory().get<WriteStudy>().reading(); }
  bool shows(std::string_view words) {
    const DisplayList drawing = surface.settled_drawing();
    return shows_text(drawing, {0, 0, drawing.width, drawing.height}, words);
  }
};

/// What `headlight generate` writes first.
std::string first_written(const Setup& setup, std::string_view prompt, const Sampling& sampling, std::int64_t seed) {
  const TaskText& text = setup.task.corpus();
  Author author(compute_model(setup), {.prompt = text.spelled(prompt).symbols, .sampling = sampling}, seed);
  std::string written;
  for (const std::int64_t symbol : author.next().symbols) written += text.character(symbol);
  return written;
}

}  // namespace

TEST_CASE("Space writes letter by letter what generate writes with the same seed, temperature and top-k") {
  for (const Draft& draft : {Draft{}, Draft{.prompt = "ba", .sampling = {.temperature = 0.7, .top_k = 4}, .seed = 3},
                             Draft{.prompt = "c", .sampling = {.temperature = 0}}}) {
    CAPTURE(to_text(draft));
    WritingPerson person;
    Drafting(person.session()).set(draft);
    person.surface.settle();
    const std::string wanted =
        first_written(person.session().setup(), draft.prompt.value_or(""), draft.sampling, draft.seed);
    for (int i = 0; i < 12; ++i) person.press(Key::space);
    CHECK(person.text() == draft.prompt.value_or("") + wanted);
    CHECK_FALSE(drafted(person.session()).goes_on());
    Drafting(person.session()).set(draft);
    person.surface.settle();
    person.press(Key::enter);  // the same, to its end
    CHECK(person.text() == draft.prompt.value_or("") + wanted);
    CHECK(person.session().state().symbols_owed == 0);
    person.session().undo();
    CHECK(person.draft() == draft);  // is one step of undo
  }
}

TEST_CASE("what is kept grows by a letter, and is the same computed anew") {
  WritingPerson person;
  for (std::size_t letters = 0; letters < 4; ++letters) {
    const Reading& reading = person.reading();
    REQUIRE(reading.layers.size() == 2);
    for (const KeptBricks& kept : reading.layers) {
      CHECK(kept.keys.size() == letters + 1);
      CHECK(kept.values.size() == letters + 1);
      CHECK(kept.weights.shape() == Shape{4, static_cast<Index>(letters) + 1});
    }
    CHECK(reading.same);
    CHECK(person.shows("kept = computed anew"));
    CHECK(person.has_item(fmt::format("bricks/1/values/{}/brick", letters)));
    CHECK_FALSE(person.has_item(fmt::format("bricks/1/values/{}/brick", letters + 1)));
    person.press(Key::space);
  }
}

TEST_CASE("a brick has the numbers of all heads of its letter") {
  CHECK(brick_shape(4, 8) == Shape{4, 8});
  CHECK(brick_shape(1, 64) == Shape{8, 8});
  CHECK(brick_shape(2, 32) == Shape{8, 8});
  CHECK(brick_shape(12, 7) == Shape{12, 7});
  WritingPerson person;
  person.press(Key::space);
  const Reading& reading = person.reading();
  const Tensor keys = reading.writer->keys(1);  // (kv_head, length, d_head)
  for (Index head = 0; head < 4; ++head)
    for (Index feature = 0; feature < 8; ++feature)
      CHECK(reading.layers[1].keys[1].at({head, feature}) == keys.at({head, 1, feature}));
}

TEST_CASE("a click on a symbol writes it, in the list and on the strip of the die") {
  WritingPerson person;
  const auto symbol_of = [&](std::string_view character) {
    return person.session().setup().task.corpus().spelled(character).symbols.front();
  };
  const Rect panel = layout_of(person, 1280, 720).inspector;
  REQUIRE(person.scroll_to(fmt::format("chances/{}/symbol", symbol_of("z")), {panel.x, panel.y, panel.w, 300}));
  person.click_item(fmt::format("chances/{}/symbol", symbol_of("z")));
  CHECK(person.text() == "z");
  person.click_item("next");
  CHECK(person.text().size() == 2);
  person.press(Key::backspace);
  CHECK(person.text() == "z");
  CHECK(person.session().undo_words().starts_with("Take “"));
  const auto chances_now = chances(person.reading().writer->logits(), {});
  const auto likeliest = std::ranges::max_element(chances_now) - chances_now.begin();
  person.click_item(fmt::format("{}/share", likeliest));
  CHECK(person.text() == "z" + person.session().setup().task.corpus().character(likeliest));
  person.session().undo();
  person.session().undo();
  CHECK(person.text().size() == 2);
  person.session().redo();
  CHECK(person.text() == "z");
}

TEST_CASE("a lesson has temperature and top-k beside the chances, and hides these where its step asks for them") {
  const auto pupil = [](std::size_t step) { return WritingPerson(in_lesson(lecture_session("generate", step))); };
  WritingPerson writing = pupil(3);
  REQUIRE(writing.session().display().view == View::write);
  CHECK(writing.shows("85.9 %"));
  writing.click_item("top-k/plus");
  CHECK(writing.shows("100.0 %"));
  writing.click_item("greedy");
  CHECK(writing.draft().sampling.temperature == 0);
  writing.click_item("write.another");
  CHECK(drafted(writing.session()).written() == 0);
  // A question about something else leaves the chances in sight; one about them doesn't.
  CHECK(pupil(4).shows("85.9 %"));
  WritingPerson asked = pupil(1);
  CHECK_FALSE(asked.shows("91.7 %"));
  Lesson(asked.session()).show_answer();
  CHECK(asked.shows("91.7 %"));
}

TEST_CASE("buttons do what the keys do") {
  WritingPerson person;
  person.click_item("write.next");
  CHECK(drafted(person.session()).written() == 1);
  person.click_item("write.back");
  CHECK(drafted(person.session()).written() == 0);
  person.click_item("write.on");
  CHECK_FALSE(drafted(person.session()).goes_on());
  CHECK(person.shows(drafted(person.session()).ended ? "The text has ended" : "The window is full"));
  const std::int64_t seed = person.draft().seed;
  person.click_item("write.another");
  CHECK(person.text().empty());
  CHECK(person.draft().seed == seed + 1);
  person.press(Key::space);
  person.press({.key = Key::enter, .shift = true});
  CHECK(person.draft().seed == seed + 2);
  person.click_item("die");
  CHECK(person.draft().seed == seed + 3);
}

TEST_CASE("temperature, top-k, seed and beginning are set by mouse and keyboard, and undone") {
  WritingPerson person;
  person.press(Key::space);
  const std::string before = person.text();
  person.click_item("greedy");
  CHECK(person.draft().sampling.temperature == 0);
  CHECK(person.shows("not rolled"));
  person.click_item("greedy");
  CHECK(person.draft().sampling.temperature == 1);
  const Rect track = person.item("temperature/track");
  person.surface.drag(track.center(), {track.x + 4, track.center().y});
  person.surface.settle();
  CHECK(person.draft().sampling.temperature < 0.3);
  person.session().undo();
  CHECK(person.draft().sampling.temperature == 1);  // the drag is one step
  person.click_item("top-k/plus");
  CHECK(person.draft().sampling.top_k == 1);
  person.click_item("roll");
  CHECK(person.draft().seed == 1);
  CHECK(person.text() == before);  // what is written stays
  person.click_item("prompt");
  person.retype("tig");
  CHECK(person.text() == "tig");
  person.retype("ti9");
  CHECK(person.shows("The model's text has no “9”"));
  CHECK(person.text() == "tig");  // as before
  person.press(Key::escape);
}

TEST_CASE("what was written becomes the shown text, and each brick a number that is explained") {
  Setup setup = speller();
  WritingPerson person(writing_session(setup));
  Session& session = person.session();
  Drafting(session).set({.prompt = "tiger"});
  person.surface.settle();
  const std::vector<double> logits = person.reading().writer->logits();
  const Reading before = person.reading();
  person.click_item("write.explain");
  CHECK(session.setup().task.shown == std::vector<std::string>{"tiger"});
  CHECK(person.text() == "tiger");
  // The model is the one that wrote: what it has learnt stays to the last bit.
  CHECK(person.reading().writer->logits() == logits);
  for (std::size_t symbol = 0; symbol < logits.size(); ++symbol)
    CHECK(session.model_trace().last().value({TensorId::logits, {0, 5, static_cast<Index>(symbol)}, 1}) ==
          logits[symbol]);

  const Rect brick = person.item("bricks/1/keys/3/brick");
  person.click({brick.x + brick.w * 2.5f / 8, brick.y + brick.h * 1.5f / 4});  // head 1, feature 2
  CHECK(session.display().view == View::pipeline);
  const Cell cell{TensorId::K_heads, {0, 1, 3, 2}, 1};
  CHECK(session.cell() == cell);
  CHECK(session.trace_of(cell).value(cell) == before.writer->keys(1).at({1, 3, 2}));
  session.show(View::write);
  session.look_at_layer(0);
  Selecting(session).select_head(2);
  person.surface.settle();
  person.click_item("4/look");
  CHECK(session.cell() == Cell{TensorId::weights, {0, 2, 5, 4}, 0});
  // Another text with the same model: nothing is learnt anew.
  session.show(View::write);
  Drafting(session).set({.prompt = "camel"});
  person.run("write.explain");
  CHECK(session.setup().task.shown == std::vector<std::string>{"camel"});
  session.undo();
  session.undo();
  session.undo();
  CHECK(session.setup() == setup);
  CHECK(session.setup().training.steps == 60);
}

TEST_CASE("a text that is shown is where the writing begins, and another one that is shown is not learnt anew") {
  Setup setup = speller();
  setup.sizes.batch = 1;
  setup.task.shown = {"cat"};
  WritingPerson person(writing_session(setup));
  CHECK(person.text() == "cat");
  const Tensor learned = person.session().trace()[TensorId::W_q];
  person.press(Key::space);
  CHECK(person.text().starts_with("cat"));
  Drafting(person.session()).set({.prompt = "dog"});
  person.run("write.explain");
  CHECK(person.session().setup().training.steps == 60);
  CHECK(person.session().trace()[TensorId::W_q].same_window(learned));
  CHECK(identical(compute_model(person.session().setup()).first()[TensorId::W_q], learned));
}

TEST_CASE("what was written is in the link, in the session file and in the command of an export") {
  WritingPerson person;
  Session& session = person.session();
  const Draft draft{.prompt = "ca, t", .written = "ri", .sampling = {.temperature = 0.25, .top_k = 3}, .seed = 17};
  CHECK(draft_in(to_text(draft)) == draft);
  CHECK(draft_in(to_text(Draft{.written = "x"})) == Draft{.written = "x"});
  for (const char* damaged : {"", "1,2,3", "a,0,1,0,x", "0,-1,1,0,x", "0,0,-1,0,x", "0,0,nan,0,x", "0,0,1,-2,x"})
    CHECK_FALSE(draft_in(damaged));
  Draft kept = draft;
  kept.prompt = "cat";
  Drafting(session).set(kept);
  Session followed;
  REQUIRE(go_to(followed, read_link(to_text(link_of(session)))).empty());
  CHECK(followed.state().draft == kept);
  CHECK(followed.display().view == View::write);
  const TomlTable table = toml_of(snapshot_of(session));
  Session restored;
  restore(restored, snapshot_in(table, "here"));
  CHECK(restored.state().draft == kept);
  CHECK_FALSE(restored.can_undo());
}

TEST_CASE("a seed from elsewhere that the generator doesn't take counts as 0") {
  Setup setup = speller(0);
  setup.random.generator = GeneratorKind::numpy;
  setup.random.draws.clear();
  for (const char* draw : {"seed 0", "W_E normal", "P normal", "L*: W_q normal, W_k normal, W_v normal", "W_U normal"})
    setup.random.draws.push_back(*parse_draw(draw));
  WritingPerson person(writing_session(setup));
  Drafting(person.session()).set({.seed = -7});
  person.press(Key::enter);
  CHECK(person.text() == first_written(setup, "", {}, 0));
}

TEST_CASE("a text belongs to the model that it was written with") {
  WritingPerson person;
  Drafting(person.session()).set({.prompt = "tiger"});
  REQUIRE(person.session().open_setup(speller(0)).empty());
  CHECK(person.session().state().draft == Draft{});
  person.session().undo();
  person.surface.settle();
  CHECK(person.text() == "tiger");
  // Symbols that another text doesn't have are no part of it.
  Setup other = speller(0);
  other.task.text = TaskText("abba\nbaba");
  person.session().edit(other);
  person.surface.settle();
  CHECK(person.text().empty());
  person.press(Key::space);
  CHECK(drafted(person.session()).read.size() + (drafted(person.session()).ended ? 1 : 0) == 2);
}

TEST_CASE("a model that cannot write says why, and without a text there is no view") {
  Session other(offered_setup(TaskName::previous));
  other.show(View::write);
  CHECK(other.display().view == View::pipeline);
  CHECK(other.state().notice.find("choose the task text") != std::string::npos);
  WritingPerson person;
  Setup open = person.session().setup();
  open.mask.kinds.clear();
  person.session().edit(open);
  CHECK(person.shows("This model cannot write"));
  CHECK(person.shows("a position sees the answer"));
  person.press(Key::space);
  CHECK(person.session().state().draft == Draft{});
}

TEST_CASE("nothing is cut off or covered in any window, and all of it is read aloud") {
  for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1366, 768}, std::pair{1440, 900},
                                      std::pair{1024, 600}, std::pair{390, 844}, std::pair{844, 390}})
    for (const char* prompt : {"", "tig", "crocodile"}) {
      CAPTURE(width);
      CAPTURE(height);
      CAPTURE(prompt);
      WritingPerson person(writing_session(), width, height);
      Drafting(person.session()).set({.prompt = prompt});
      const DisplayList drawing = person.surface.settled_drawing();
      for (const std::string& complaint :
           text_complaints(drawing, {0, 0, static_cast<float>(width), static_cast<float>(height)}, 10))
        FAIL_CHECK(complaint);
    }
  WritingPerson person;
  Drafting(person.session()).set({.prompt = "tige"});
  person.surface.settle();
  const std::string words = person.app.new_words().value_or("");
  CHECK(words.find("headlight-writing") != std::string::npos);
  CHECK(words.find("The text: tige") != std::string::npos);
}

TEST_CASE("many layers and long texts have room: rows scroll, and the last letters are in sight") {
  Setup setup = speller(0);
  setup.sizes.layers = 8;
  setup.sizes.query_length = 64;
  WritingPerson person(writing_session(setup));
  std::string text;
  while (text.size() < 50) text += "ant";
  Drafting(person.session()).set({.prompt = text});
  person.surface.settle();
  CHECK(person.has_item("50/letter"));
  CHECK_FALSE(person.has_item("0/letter"));
  const Rect centre = layout_of(person, 1280, 720).centre;
  CHECK_FALSE(person.has_item("bricks/7/values/50/brick"));
  REQUIRE(person.scroll_to("bricks/7/values/50/brick", {centre.x, centre.y + 100, centre.w, 200}));
}

TEST_CASE("a large model reads beside the frames") {
  Setup setup = speller(0);
  setup.sizes.d_model = 256;
  setup.sizes.query_length = 24;
  Session session = writing_session(setup);
  session.compute_in_background();
  WritingPerson person(std::move(session));
  Drafting(person.session()).set({.prompt = "hippopotamushippopotamu"});
  person.surface.frames(1);
  const auto symbols = drafted(person.session()).read;
  CHECK_FALSE(person.app.memory().get<WriteStudy>().is_of(person.session(), symbols));
  for (int i = 0; i < 2000 && !person.app.memory().get<WriteStudy>().is_of(person.session(), symbols); ++i)
    person.surface.wait(0.05);
  CHECK(person.app.memory().get<WriteStudy>().is_of(person.session(), symbols));
  CHECK(person.reading().same);
}
