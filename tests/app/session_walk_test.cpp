// A random walk through a session: actions, edits, selections, undo and redo in any order.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "app/session/actions/actions.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"
#include "lectures.hpp"

using namespace headlight;

namespace {

Setup with_batch(const Setup& setup, Index batch) {
  Sizes sizes = setup.sizes;
  sizes.batch = batch;
  return resized(setup, sizes);
}

Setup with_kv_heads(const Setup& setup, Index kv_heads) {
  Sizes sizes = setup.sizes;
  sizes.kv_heads = kv_heads;
  return resized(setup, sizes);
}

class Walker {
 public:
  explicit Walker(unsigned seed) : random_(seed) {}

  void take_a_step(Session& session) {
    switch (pick(0, 9)) {
      case 0:
      case 1:
      case 2: act(session); break;
      case 3:
      case 4:
      case 5: edit(session); break;
      case 6: Selecting(session).hover(any_cell(session.setup())); break;
      case 7: Selecting(session).pin(any_cell(session.setup())); break;
      case 8: pick(0, 1) == 0 ? session.undo() : session.redo(); break;
      default: Selecting(session).select({any_tensor(), pick(-1, 3), pick(-1, 9), pick(-1, 9), pick(-1, 9)}); break;
    }
  }

 private:
  Index pick(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random_); }
  TensorId any_tensor() { return static_cast<TensorId>(pick(0, static_cast<Index>(tensor_count) - 1)); }

  /// A random cell, often just outside the tensor.
  Cell any_cell(const Setup& setup) {
    Cell cell{any_tensor(), {}};
    for (Axis axis : info(cell.tensor).axis_list()) cell.index.push_back(pick(0, extent(axis, setup)));
    return cell;
  }

  void act(Session& session) {
    const auto& action = actions()[static_cast<std::size_t>(pick(0, static_cast<Index>(actions().size()) - 1))];
    run(action, session);
  }

  Setup edited(const Setup& setup) {
    switch (pick(0, 17)) {
      case 0: return with_batch(setup, pick(-1, 3));
      case 1: return with_query_length(setup, pick(-1, 9));
      case 2: return with_key_length(setup, pick(-1, 9));
      case 3: return with_d_model(setup, pick(-1, 24));
      case 4: return with_heads(setup, pick(-1, 9));
      case 5: return with_kv_heads(setup, pick(-1, 9));
      case 6:
        return with_sentence(
            setup, std::vector{"", "one", "one two three", "a b c d e f g"}[static_cast<std::size_t>(pick(0, 3))]);
      case 7: return with_source(setup, pick(0, 1) == 0 ? Source::self : Source::cross);
      case 8: return with_generator(setup, static_cast<GeneratorKind>(pick(0, 2)));
      case 9: return with_seed(setup, pick(0, 5));
      case 10: return with_distribution(setup, any_tensor_that_is_drawn(), static_cast<Distribution>(pick(0, 4)));
      case 11: return with_biases(setup, pick(0, 1) == 0);
      case 12: return with_mask_kind(setup, static_cast<MaskKind>(pick(0, 3)), pick(0, 1) == 0);
      case 13: return with_blocked(setup, pick(-1, 9), pick(-1, 9), pick(0, 1) == 0);
      case 14: return with_dropout(setup, static_cast<double>(pick(-1, 4)) / 4);
      case 15:
        return with_encoding(setup,
                             static_cast<Encoding>(pick(0, static_cast<Index>(setup_words<Encoding>.size()) - 1)));
      case 16: return with_ablated(setup, pick(0, setup.sizes.heads - 1), pick(0, 1) == 0);
      default: return with_attention(setup);
    }
  }

  Setup with_attention(Setup setup) {
    setup.attention.temperature = static_cast<double>(pick(0, 4)) / 2;
    setup.attention.precision = pick(0, 1) == 0 ? Precision::float32 : Precision::float64;
    setup.attention.token_axis = pick(0, 1) == 0 ? TokenAxis::rows : TokenAxis::columns;
    return setup;
  }

  TensorId any_tensor_that_is_drawn() {
    return drawn_tensors()[static_cast<std::size_t>(pick(0, static_cast<Index>(drawn_tensors().size()) - 1))];
  }

  void edit(Session& session) {
    const std::string gestures[] = {"", "drag", "paint"};
    session.edit(edited(session.setup()), gestures[pick(0, 2)]);
    if (pick(0, 3) == 0) session.end_gesture();
  }

  std::mt19937 random_;
};

void check_sound(const Session& session) {
  REQUIRE(problems(session.setup()).empty());
  REQUIRE(fitting(session.selection(), session.setup()) == session.selection());
  REQUIRE(contains(session.setup(), session.cell()));
  REQUIRE((!session.state().hovered || contains(session.setup(), *session.state().hovered)));
  REQUIRE(fitting(session.display(), session.setup().sizes.heads) == session.display());
  if (session.lesson().lecture() != nullptr) REQUIRE(session.lesson().at.index < session.lesson().step_count());
}

void check_identical(const Trace& a, const Trace& b) {
  REQUIRE(a.setup == b.setup);
  for (const TensorInfo& tensor : all_tensors()) REQUIRE_MESSAGE(identical(a[tensor.id], b[tensor.id]), tensor.name);
}

}  // namespace

TEST_CASE("thousands of random presses leave a sound session that undoes to its start") {
  for (unsigned seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    Session session(headlight::testing::small_setup());
    const auto start = session.state().trace;
    Lesson(session).set_lectures({std::make_shared<Lecture>(headlight::testing::two_part_lecture())});
    if (seed % 2 == 1) REQUIRE(Lesson(session).open("two-parts").empty());
    Walker walker(seed);
    for (int i = 0; i < 2000; ++i) {
      walker.take_a_step(session);
      session.take_requests();
      check_sound(session);
    }
    const auto end = session.state().trace;
    check_identical(*end, *compute_trace(session.setup()));
    int steps = 0;
    for (; session.can_undo(); ++steps) session.undo();
    CHECK(steps > 20);
    check_sound(session);
    check_identical(session.trace(), *start);
  }
}

TEST_CASE("edits through the helpers are refused only for what a person must decide") {
  std::mt19937 random(1);
  int refused = 0;
  Session session(headlight::testing::small_setup());
  for (int i = 0; i < 3000; ++i) {
    const auto pick = [&](Index high) { return std::uniform_int_distribution<Index>(0, high)(random); };
    Setup next = session.setup();
    switch (pick(6)) {
      case 0: next = with_heads(next, pick(9)); break;
      case 1: next = with_d_model(next, pick(24)); break;
      case 2: next = with_query_length(next, pick(9)); break;
      case 3: next = with_batch(next, pick(3)); break;
      case 4: next = with_source(next, pick(1) == 0 ? Source::self : Source::cross); break;
      case 5: next = with_mask_kind(next, static_cast<MaskKind>(pick(3)), pick(1) == 0); break;
      default: next = with_kv_heads(next, pick(9)); break;
    }
    if (!session.edit(next).empty()) ++refused;
  }
  CHECK(refused == 0);
}
