// A layer that learns, in the window: a scripted person trains, scrubs, asks what heads are worth and turns round.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/studies/head_statistics.hpp"
#include "app/session/studies/learning.hpp"
#include "app/session/trainer.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "learner.hpp"
#include "legibility.hpp"

using namespace headlight;
using namespace headlight::testing;

TEST_CASE("the layers of the design learn to the very same numbers") {
  Session learn(learn_setup());
  const Verdict verdict = verdict_of(learn.trace());
  CHECK(std::abs(verdict.loss - 0.5357) < 5e-5);
  CHECK(verdict.right == 91);
  CHECK(verdict.asked == 112);
  const auto prices = head_prices(learn.model_trace(), 0);
  CHECK(std::abs(prices[0].without.loss - verdict.loss - 0.88) < 5e-3);
  CHECK(std::abs(prices[1].without.loss - 1.69) < 5e-3);
  Session back(backward_setup());
  CHECK(std::abs(verdict_of(back.trace()).loss - 1.2350) < 5e-5);
  CHECK(std::abs(back.trace().value({gradient_of(TensorId::V_heads), {0, 1, 2, 1}}) + 0.120920701) < 5e-10);
}

TEST_CASE("the places of a task are called by the symbols that the shown sequence holds, unless tokens are named") {
  Session session(learn_setup(0));
  const Sequences& sequences = *session.trace().sequences;
  for (const Index item : {0, 3}) {
    Selecting(session).select_batch(item);
    for (Index place = 0; place < 8; ++place) {
      const std::string held = held_words(sequences, item, place, session.setup().task);
      for (const bool last : {false, true}) CHECK(axis_label(TensorId::weights, last, place, session).token == held);
      CHECK(axis_label(TensorId::X, false, place, session).token == held);
      CHECK(axis_label(TensorId::W_q, false, place, session).token !=
            axis_label(TensorId::X, false, place, session).index);
    }
  }
  CHECK(label_on_axis(TensorId::weights, 3, 2, session.setup()).token.empty());
  CHECK(axis_labels(theme(ThemeName::dark), TensorId::weights, true, session, {}).repeats);
  Setup named = session.setup();
  named.tokens = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"};
  session.edit(named);
  CHECK(axis_label(TensorId::weights, true, 2, session).token == "t2");
  CHECK_FALSE(axis_labels(theme(ThemeName::dark), TensorId::weights, true, session, {}).repeats);
}

TEST_CASE("the answers that a step asks for are hidden in Learn until they show, and so are the prices of the heads") {
  Session session = lecture_session("learning", 1);  // asks about probabilities[0,3]
  session.set_timed(false);
  session.show(View::learn);
  REQUIRE(session.lesson().asks());
  Scripted person(std::move(session), 1440, 900);
  const auto texts = [&](const auto& fits) {
    std::size_t count = 0;
    for (const Drawn& drawn : person.surface.settled_drawing().drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape)) count += fits(text->text) ? 1u : 0u;
    return count;
  };
  const auto share = [](const std::string& text) { return text.ends_with(" %") && text.size() <= 5; };
  const auto price = [](const std::string& text) {  // "+0.45"
    return text.size() == 5 && (text[0] == '+' || text[0] == '-') && text[2] == '.';
  };
  const auto covered = [](const std::string& text) { return text == "?"; };
  CHECK(texts(covered) == 2);
  const std::size_t shares = texts(share);
  CHECK(texts(price) == 0);
  Lesson(person.session()).show_answer();
  CHECK(texts(covered) == 0);
  CHECK(texts(share) >= shares + 1);
  CHECK(texts(price) > 0);
}

TEST_CASE("a person trains by step, plays, stops and resets, and undo takes each back") {
  Learner person(learn_setup(0));
  person.click_item("timeline/once");
  person.click_item("timeline/once");
  CHECK(trained_steps(person.session()) == 2);
  person.click_item("timeline/back");
  CHECK(trained_steps(person.session()) == 1);
  const Rect train = person.item("timeline/train");
  person.surface.click(train.center());
  person.surface.frames(2);
  CHECK(person.session().state().training.playing);
  person.surface.wait(1);
  const Index reached = trained_steps(person.session());
  CHECK(reached > 5);
  person.surface.click(train.center());
  person.surface.settle();
  CHECK_FALSE(person.session().state().training.playing);
  const Index stopped = trained_steps(person.session());
  person.surface.wait(1);
  CHECK(trained_steps(person.session()) == stopped);
  person.press({.key = Key::z, .ctrl = true});
  CHECK(trained_steps(person.session()) == 1);
  person.press({.key = Key::y, .ctrl = true});
  CHECK(trained_steps(person.session()) == stopped);
  person.click_item("timeline/reset");
  CHECK(trained_steps(person.session()) == 0);
}

TEST_CASE("the time axis goes to the step that is clicked, and a drag along it is one step of undo") {
  Learner person(learn_setup(60));
  person.click(person.step_at(20));
  CHECK(std::abs(trained_steps(person.session()) - 20) <= 1);
  person.session().forget_history();
  person.surface.drag(person.step_at(20), person.step_at(45));
  person.surface.settle();
  CHECK(std::abs(trained_steps(person.session()) - 45) <= 2);
  person.press({.key = Key::z, .ctrl = true});
  CHECK(std::abs(trained_steps(person.session()) - 20) <= 1);
  CHECK_FALSE(person.session().can_undo());
  person.click(person.step_at(100));  // beyond what has been made: it is trained up to there
  CHECK(std::abs(trained_steps(person.session()) - 100) <= 1);
}

TEST_CASE("a head is ablated in its place, for the price that stands there") {
  Learner person(learn_setup());
  const HeadPrice price = head_prices(person.session().model_trace(), 0)[1];
  person.click_item("1/ablate");
  CHECK(person.session().setup().is_ablated(1));
  CHECK(verdict_of(person.session().trace()).loss == doctest::Approx(price.without.loss).epsilon(1e-12));
  person.click_item("1/ablate");
  CHECK(std::abs(verdict_of(person.session().trace()).loss - 0.5357) < 5e-5);
}

TEST_CASE("a weight that is changed in the middle of the training goes on from there") {
  Learner person(learn_setup(50), View::pipeline);
  const double other = person.session().trace().value({TensorId::W_q, {0, 0}});
  Selecting(person.session()).pin({TensorId::W_q, {2, 5}});
  person.surface.settle();
  person.type("1");
  person.press(Key::enter);
  CHECK(person.session().setup().training.steps == 0);
  CHECK(person.session().trace().value({TensorId::W_q, {2, 5}}) == 1);
  CHECK(person.session().trace().value({TensorId::W_q, {0, 0}}) == other);
  person.press({.key = Key::z, .ctrl = true});
  CHECK(trained_steps(person.session()) == 50);
}

TEST_CASE("the window turns round by the switch of the map, and cells are those of what it shows") {
  Learner person(learn_setup());
  const Point cell = person.item("1/cells").center();
  person.surface.move_mouse(cell);
  person.surface.frames(3);
  CHECK(person.session().cell().tensor == TensorId::weights);
  person.click_item("map/direction/backward");
  CHECK(person.session().selection().tensor == gradient_of(TensorId::weights));
  CHECK(person.session().display().view == View::learn);
  person.surface.move_mouse(cell);
  person.surface.frames(3);
  CHECK(person.session().cell().tensor == gradient_of(TensorId::weights));
  person.surface.move_mouse({4, 300});
  person.click_item("map/V_heads/1/thumb");
  CHECK(person.session().selection().tensor == gradient_of(TensorId::V_heads));
  CHECK(person.session().display().view == View::pipeline);
  person.press(Key::g);
  CHECK(person.session().selection().tensor == TensorId::V_heads);
}

TEST_CASE("every gradient has its picture, and what comes back through a product is one") {
  for (const Index batch : {Index{1}, Index{3}}) {
    Setup setup = backward_setup();
    setup.sizes.batch = batch;
    Learner person(setup, View::pipeline, 1024, 640);
    for (const TensorInfo& tensor : all_tensors()) {
      if (!tensor.is_gradient() || !exists(tensor.id, setup)) continue;
      CAPTURE(tensor.name);
      Selecting(person.session()).select_tensor(tensor.id);
      person.surface.settle();
      CHECK(person.session().selection().tensor == tensor.id);
    }
  }
}

TEST_CASE("the tab of Learn comes with a task and goes with it") {
  Learner person(learn_setup(0));
  CHECK(person.session().display().view == View::learn);
  person.session().edit(with_task(person.session().wanted(), TaskName::none));
  person.surface.settle();
  CHECK(person.session().display().view == View::pipeline);
  CHECK_FALSE(person.has_item("map/direction/backward"));
  person.press({.key = Key::k, .ctrl = true});
  person.type("learn: first symbol");
  person.press(Key::enter);
  CHECK(person.session().setup().task.name == TaskName::first);
  person.session().show(View::learn);
  person.surface.settle();
  CHECK(person.session().display().view == View::learn);
  CHECK(person.has_item("timeline/train"));
}

TEST_CASE("a rate that explodes is said where it happened") {
  Setup wild = learn_setup(0);
  wild.training.optimizer = OptimizerKind::sgd;
  wild.training.learning_rate = 1e200;
  Learner person(wild);
  person.surface.click(person.item("timeline/train").center());
  person.surface.wait(1);
  person.surface.settle();
  CHECK_FALSE(person.session().state().training.playing);
  REQUIRE(person.session().state().course->exploded_at);
  CHECK(trained_steps(person.session()) == *person.session().state().course->exploded_at - 1);
}

TEST_CASE("the course is taken away as an animation over the steps") {
  Learner person(learn_setup(80));
  person.click_item("timeline/take away");
  REQUIRE(person.app.memory().opened<ExportDialog>());
  CHECK(person.app.memory().opened<ExportDialog>()->choices.frames == "training.steps=0..80/40");
}

TEST_CASE("Learn has the price of each head of each layer, and a click on one shows that head") {
  Setup setup = offered_setup(TaskName::induction);
  setup.sizes.batch = 8;
  setup.sizes.layers = 3;
  setup.training.steps = 5;
  Learner person(setup);
  Session& session = person.session();
  const auto prices = all_head_prices(session.model_trace());
  REQUIRE(prices.size() == 3);
  const auto drawing = person.surface.settled_drawing();
  const double loss = verdict_of(session.model_trace().last()).loss;
  for (Index layer = 0; layer < 3; ++layer)
    for (Index head = 0; head < 2; ++head) {
      const Rect cell = person.item(fmt::format("price {}.{}/cell", layer, head));
      const double change = prices[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)].without.loss - loss;
      CHECK(shows_text(drawing, cell.outset(7), fmt::format("{:+.2f}", change)));
    }
  for (const auto& [layer, head] : {std::pair<Index, Index>{2, 1}, {0, 0}, {1, 1}}) {
    person.click_item(fmt::format("price {}.{}/cell", layer, head));
    CHECK(session.setup().layer == layer);
    CHECK(session.selection().head == head);
    CHECK(session.display().view == View::learn);
    // The answers are the model's, whichever layer is shown.
    CHECK(shows_text(person.surface.settled_drawing(), {0, 0, 1280, 720},
                     fmt::format("{} of {} right", verdict_of(session.model_trace().last()).right, 32)));
  }
}

TEST_CASE("Learn shows the score of induction over the training") {
  Setup setup = offered_setup(TaskName::induction);
  setup.sizes.batch = 8;
  setup.training.steps = 4;
  Learner person(setup);
  Session& session = person.session();
  const auto& kept = session.state().course->kept;
  const auto found = best_prefixes(session.model_trace(), kept);
  REQUIRE(found.size() == kept.size());
  REQUIRE(found.size() == 5);
  const auto now = best_prefix(session.model_trace());
  REQUIRE(now);
  CHECK(found.back().match == doctest::Approx(now->match).epsilon(1e-12));
  CHECK(found.back().layer == now->layer);
  CHECK(found.back().head == now->head);
  for (Index layer = 0; layer < 2; ++layer)
    for (Index head = 0; head < 2; ++head)
      CHECK(prefix_match(*session.trace().sequences, session.model_trace().at(layer)[TensorId::weights], head) <=
            now->match);
  CHECK(found.front().match != now->match);
  const std::string words =
      fmt::format("prefix match of L{}, head {}: {:.0f} %", now->layer, now->head, 100 * now->match);
  CHECK(shows_text(person.surface.settled_drawing(), {0, 0, 1280, 720}, words));
  CHECK_FALSE(best_prefix(Session(offered_setup(TaskName::previous)).model_trace()));
}
