#include <doctest/doctest.h>
#include <fmt/format.h>

#include "../core/setups.hpp"
#include "app/session/actions/actions.hpp"
#include "app/session/checking.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"

using namespace headlight;
using headlight::testing::small_setup;

namespace {

bool same_numbers(const Trace& a, const Trace& b) {
  for (const TensorInfo& tensor : all_tensors()) {
    if (!identical(a[tensor.id], b[tensor.id])) return false;
  }
  return true;
}

Setup warmer(const Setup& setup, double temperature) {
  Setup edited = setup;
  edited.attention.temperature = temperature;
  return edited;
}

}  // namespace

TEST_CASE("a session starts with the trace of its setup and nothing to undo") {
  const Session session(small_setup());
  CHECK(session.setup() == small_setup());
  CHECK(same_numbers(session.trace(), *compute_trace(small_setup())));
  CHECK_FALSE(session.can_undo());
  CHECK_FALSE(session.can_redo());
  Setup wrong;
  wrong.sizes.heads = 3;
  CHECK_THROWS_AS(Session{wrong}, InputError);
}

TEST_CASE("an edit is computed at once, and undone and redone bit for bit") {
  Session session(small_setup());
  const auto start = session.state().trace;
  CHECK(session.edit(with_seed(session.setup(), 7)).empty());
  CHECK(session.edit(with_heads(session.setup(), 4)).empty());
  CHECK_FALSE(same_numbers(session.trace(), *start));
  const auto last = session.state().trace;
  session.undo();
  session.undo();
  CHECK_FALSE(session.can_undo());
  CHECK(session.setup() == start->setup);
  CHECK(same_numbers(session.trace(), *start));
  session.redo();
  session.redo();
  CHECK_FALSE(session.can_redo());
  CHECK(same_numbers(session.trace(), *last));
}

TEST_CASE("undo and redo say what they will do, in the words of the panel") {
  Session session(small_setup());
  const Setup start = session.setup();
  CHECK(session.undo_words().empty());
  CHECK(action_named("edit.undo")->title_now(session) == "Undo");
  REQUIRE(session.edit(with_seed(start, 7)).empty());
  CHECK(session.undo_words() == fmt::format("Seed {} → 7", setup_entry("seed")->shown(start)));
  const std::string heads = fmt::format("Heads {} → 1", start.sizes.heads);
  REQUIRE(session.edit(with_heads(session.setup(), 1)).empty());
  CHECK(session.undo_words() == heads);  // other sizes and the draws had to follow
  Setup two = warmer(session.setup(), 2);
  two.attention.dropout = 0.25;
  REQUIRE(session.edit(two).empty());
  CHECK(session.undo_words() == "Temperature 1.00 → 2.00 and 1 more");
  session.undo();
  CHECK(session.undo_words() == heads);
  CHECK(session.redo_words() == "Temperature 1.00 → 2.00 and 1 more");
  CHECK(action_named("edit.redo")->title_now(session) == "Redo: Temperature 1.00 → 2.00 and 1 more");
  REQUIRE(session.edit(warmer(session.setup(), 1.0001)).empty());
  CHECK(session.undo_words() == "Temperature 1 → 1.0001");  // rounded as in the panel they would be equal
}

TEST_CASE("an impossible setup is refused with its problems, and everything stays") {
  Session session(small_setup());
  const auto before = session.state().trace;
  Setup wrong = session.setup();
  wrong.sizes.heads = 3;
  const auto found = session.edit(wrong);
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "sizes.heads");
  CHECK(session.state().problems == found);
  CHECK(session.state().trace == before);
  CHECK_FALSE(session.can_undo());
  CHECK(session.edit(warmer(session.setup(), 2)).empty());
  CHECK(session.state().problems.empty());
}

TEST_CASE("a setup that is too large is refused before it is computed") {
  Session session(small_setup(), 100'000);
  const auto found = session.edit(with_query_length(session.setup(), 1000));
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "sizes");
  CHECK(session.setup() == small_setup());
}

TEST_CASE("a gesture is one step of undo") {
  Session session(small_setup());
  for (double temperature : {1.1, 1.3, 1.7}) session.edit(warmer(session.setup(), temperature), "temperature");
  session.end_gesture();
  for (double temperature : {1.8, 2.5}) session.edit(warmer(session.setup(), temperature), "temperature");
  session.edit(with_seed(session.setup(), 3), "seed");
  session.undo();
  CHECK(session.setup().attention.temperature == 2.5);
  session.undo();
  CHECK(session.setup().attention.temperature == 1.7);
  session.undo();
  CHECK(session.setup().attention.temperature == 1);
  CHECK_FALSE(session.can_undo());
}

TEST_CASE("a gesture that comes back to where it began leaves no step, and can go on") {
  Session session(small_setup());
  session.edit(warmer(session.setup(), 2), "temperature");
  session.edit(warmer(session.setup(), 1), "temperature");
  CHECK_FALSE(session.can_undo());
  session.edit(warmer(session.setup(), 3), "temperature");
  session.edit(warmer(session.setup(), 4), "temperature");
  session.undo();
  CHECK(session.setup() == small_setup());
  CHECK_FALSE(session.can_undo());
}

TEST_CASE("painting a mask is one step of undo") {
  Session session(small_setup());
  for (Index key : {0, 1, 2}) session.edit(with_blocked(session.setup(), 1, key, true), "paint");
  session.end_gesture();
  CHECK(session.setup().mask.blocked.size() == 3);
  CHECK(session.trace().value({TensorId::weights, {0, 0, 1, 3}}) == 1);
  session.undo();
  CHECK(session.setup() == small_setup());
}

TEST_CASE("undo in the middle of a gesture ends it") {
  Session session(small_setup());
  session.edit(warmer(session.setup(), 2), "temperature");
  session.edit(warmer(session.setup(), 3), "temperature");
  session.undo();
  session.edit(warmer(session.setup(), 4), "temperature");
  session.undo();
  CHECK(session.setup() == small_setup());
}

TEST_CASE("an edit after undo forgets what could be redone") {
  Session session(small_setup());
  session.edit(warmer(session.setup(), 2));
  session.undo();
  session.edit(warmer(session.setup(), 3));
  CHECK_FALSE(session.can_redo());
  session.undo();
  CHECK(session.setup().attention.temperature == 1);
}

TEST_CASE("a temperature edit keeps what was computed before the scores") {
  Session session(small_setup());
  const auto before = session.state().trace;
  session.edit(warmer(session.setup(), 2));
  CHECK(session.trace()[TensorId::dot_products].same_window((*before)[TensorId::dot_products]));
  CHECK(session.recomputed().front() == TensorId::scores);
}

TEST_CASE("a hidden head computes nothing") {
  Session session(with_heads(small_setup(), 4));
  const auto before = session.state().trace;
  session.set_display(with_head_hidden(session.display(), 2, true, 4));
  CHECK(session.display().heads.hides(2));
  CHECK(session.state().trace == before);
  CHECK_FALSE(session.state().computing);
}

TEST_CASE("the revision rises when something changed and only then") {
  Session session(small_setup());
  auto revision = session.revision();
  const auto rose = [&] { return session.revision() != std::exchange(revision, session.revision()); };
  session.edit(session.setup());
  CHECK_FALSE(rose());
  session.edit(warmer(session.setup(), 2));
  CHECK(rose());
  Selecting(session).hover(Cell{TensorId::scores, {0, 0, 1, 1}});
  CHECK(rose());
  Selecting(session).hover(Cell{TensorId::scores, {0, 0, 1, 1}});
  CHECK_FALSE(rose());
  Selecting(session).hover({});
  CHECK(rose());
  session.show(View::pipeline);
  CHECK_FALSE(rose());
  session.show(View::heads);
  CHECK(rose());
  session.set_display(session.display());
  CHECK_FALSE(rose());
  session.undo();
  CHECK(rose());
  session.undo();
  CHECK_FALSE(rose());
}

TEST_CASE("looking at a tensor stays in a view that shows it, and opens the pipeline from one that does not") {
  Session session(small_setup());
  const auto view_after = [&](View view, TensorId tensor) {
    session.show(view);
    Selecting(session).look_at(tensor);
    CHECK(session.selection().tensor == tensor);
    return session.display().view;
  };
  CHECK(view_after(View::heads, TensorId::K_heads) == View::heads);
  CHECK(view_after(View::heads, TensorId::W_q) == View::pipeline);
  CHECK(view_after(View::tokens, TensorId::weights) == View::tokens);
  CHECK(view_after(View::tokens, TensorId::scores) == View::pipeline);
  CHECK(view_after(View::compare, TensorId::X) == View::compare);
  CHECK(view_after(View::pipeline, TensorId::X) == View::pipeline);
}

TEST_CASE("hovering previews, a click pins, escape lets go") {
  Session session(small_setup());
  const Cell hovered{TensorId::scores, {0, 0, 1, 1}};
  const Cell pinned{TensorId::weights, {0, 1, 2, 3}};
  Selecting(session).hover(hovered);
  CHECK(session.cell() == hovered);
  CHECK(session.selection() == Selection{});
  Selecting(session).pin(pinned);
  CHECK(session.cell() == pinned);
  CHECK(session.state().hovered == hovered);
  Selecting(session).release();
  CHECK(session.cell() == hovered);
  Selecting(session).hover({});
  CHECK(session.cell() == pinned);
}

TEST_CASE("cells that do not exist are neither hovered nor pinned") {
  Session session(small_setup());
  const auto revision = session.revision();
  Selecting(session).hover(Cell{TensorId::scores, {0, 0, 1, 9}});
  Selecting(session).hover(Cell{TensorId::Y, {0, 0, 0}});
  Selecting(session).hover(Cell{TensorId::scores, {0}});
  Selecting(session).pin(Cell{TensorId::scores, {0, 2, 0, 0}});
  CHECK(session.revision() == revision);
}

TEST_CASE("the selection fits after any edit") {
  Session session(with_query_length(small_setup(), 8));
  const Cell corner{TensorId::weights, {0, 1, 7, 7}};
  Selecting(session).pin(corner);
  Selecting(session).hover(corner);
  session.edit(with_query_length(session.setup(), 3));
  CHECK(session.cell() == Cell{TensorId::weights, {0, 1, 2, 2}});
  CHECK_FALSE(session.state().hovered.has_value());
  Selecting(session).pin(Cell{TensorId::b_o, {5}});
  session.edit(with_biases(session.setup(), false));
  CHECK(session.selection().tensor == TensorId::W_o);
}

TEST_CASE("pinned cells are walked back and forward") {
  Session session(small_setup());
  const Cell a{TensorId::scores, {0, 0, 1, 1}};
  const Cell b{TensorId::X, {0, 2, 3}};
  CHECK_FALSE(session.pins().can_go_back());
  Selecting(session).pin(a);
  Selecting(session).pin(b);
  Selecting(session).release();
  Selecting(session).go_back();
  CHECK(session.cell() == a);
  CHECK(session.state().pinned);
  CHECK_FALSE(session.pins().can_go_back());
  Selecting(session).go_forward();
  CHECK(session.cell() == b);
  Selecting(session).go_back();
  Selecting(session).pin(Cell{TensorId::Q, {0, 0, 0}});
  CHECK_FALSE(session.pins().can_go_forward());
}

TEST_CASE("a number is walked up to what made it and down to what it makes") {
  Session session(small_setup());
  Selecting(session).pin(Cell{TensorId::weights, {0, 1, 2, 3}});
  CHECK(Selecting(session).walk_upstream());
  CHECK(session.cell().tensor == TensorId::masked_scores);
  CHECK(session.cell().index == Shape{0, 1, 2, 3});
  Selecting(session).go_back();
  CHECK(Selecting(session).walk_downstream());
  CHECK(session.cell().tensor == TensorId::context);
  CHECK(session.cell().index[2] == 2);
  Selecting(session).pin(Cell{TensorId::output, {0, 0, 0}});
  CHECK_FALSE(Selecting(session).walk_downstream());
  Selecting(session).pin(Cell{TensorId::X, {0, 0, 0}});
  CHECK_FALSE(Selecting(session).walk_upstream());
}

TEST_CASE("from any cell the walk upstream ends at something drawn") {
  Session session(small_setup());
  Selecting(session).pin(Cell{TensorId::output, {0, 3, 5}});
  int steps = 0;
  while (Selecting(session).walk_upstream()) REQUIRE(++steps < 30);
  CHECK(steps > 4);
  const TensorId end = session.cell().tensor;
  CHECK((end == TensorId::X || session.setup().fills(end)));
}

TEST_CASE("stepping through heads skips the hidden ones and goes around") {
  Session session(with_heads(small_setup(), 4));
  session.set_display(with_head_hidden(session.display(), 1, true, 4));
  Selecting(session).step_head(1);
  CHECK(session.selection().head == 2);
  Selecting(session).step_head(1);
  Selecting(session).step_head(1);
  CHECK(session.selection().head == 0);
  Selecting(session).step_head(-1);
  CHECK(session.selection().head == 3);
}

TEST_CASE("one head always stays visible, also when there are fewer") {
  Session session(with_heads(small_setup(), 2));
  Display display = with_head_hidden(session.display(), 0, true, 2);
  display = with_head_hidden(display, 1, true, 2);
  CHECK(display.heads.hidden == std::vector<Index>{0});
  session.set_display(display);
  session.edit(with_heads(session.setup(), 1));
  CHECK(session.display().heads.hidden.empty());
}

TEST_CASE("display options come into their range") {
  Display display;
  display.appearance.scale = 1.4;
  display.tokens.threshold = 7;
  display.heatmap(TensorId::scores).low = 3;
  display.heatmap(TensorId::scores).high = 2;
  display.heads.hidden = {5, 1, 1, -3};
  display = fitting(display, 4);
  CHECK(display.appearance.scale == 1.4);
  CHECK(display.tokens.threshold == 1);
  CHECK(display.heatmap(TensorId::scores) == HeatmapOptions{});
  CHECK(display.heads.hidden == std::vector<Index>{1});
  for (const auto& [given, fits] : {std::pair(0.1, 0.8), {7.0, 3.0}, {std::nan(""), 1.0}}) {
    display.appearance.scale = given;
    CHECK(fitting(display, 4).appearance.scale == fits);
  }
  display.appearance.inspector_width = std::nan("");
  CHECK(fitting(display, 4).appearance.inspector_width == Appearance{}.inspector_width);
  CHECK(next_scale(3, 1) == 3);
  CHECK(next_scale(1, 1) == 1.1);
  CHECK(next_scale(1.4, 1) == 1.5);
  CHECK(next_scale(1.4, -1) == 1.25);
  CHECK(next_scale(1, -1) == 0.9);
  CHECK(next_scale(0.8, -1) == 0.8);
}

TEST_CASE("presenting changes nothing else, and asking twice changes nothing at all") {
  const Display display;
  const Display presenting = with_presenting(display, true);
  CHECK(with_presenting(presenting, true) == presenting);
  CHECK(with_presenting(presenting, false) == display);
  CHECK(presenting.appearance == display.appearance);
}

TEST_CASE("the projector preset goes back to what was before") {
  Display display;
  display.appearance.inspector_folded = true;
  display.appearance.scale = 1.25;
  const Display projector = with_projector(display, true);
  CHECK(projector.appearance.theme == ThemeName::light);
  CHECK(projector.appearance.scale == 1.5);
  CHECK(projector.appearance.setup_folded);
  CHECK(with_projector(projector, true) == projector);
  CHECK(with_projector(projector, false) == display);
}

TEST_CASE("state A stays while the setup changes") {
  Session session(small_setup());
  Checking(session).set_reference();
  const auto a = session.state().checking.reference;
  session.edit(warmer(session.setup(), 2));
  CHECK(session.state().checking.reference == a);
  CHECK(a.first().setup == small_setup());
  Checking(session).clear_reference();
  CHECK(session.state().checking.reference.empty());
}

TEST_CASE("requests are handed over once") {
  Session session(small_setup());
  session.request(TakeScreenshot{});
  session.request(CopyText{"1"});
  CHECK(session.take_requests() == std::vector<Request>{TakeScreenshot{}, CopyText{"1"}});
  CHECK(session.take_requests().empty());
}
