// Own numbers, by a scripted person: cells dragged and typed over, arrays pasted and dropped, and all of it taken back.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "app/session/edits/own_numbers.hpp"
#include "app/session/selecting.hpp"
#include "app/session/studies/comparison.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/layers_card.hpp"
#include "app/views/overlays/path_card.hpp"
#include "app/views/overlays/problems_card.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "core/formats/arrays/npy.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/files.hpp"
#include "core/setup/edits.hpp"
#include "legibility.hpp"
#include "probe.hpp"
#include "tests/core/setups.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

const Cell first_of_x{TensorId::X, {0, 0, 0}};
const Cell first_of_q{TensorId::Q, {0, 0, 0}};

struct NumbersDesk : Scripted {
  TemporaryFolder folder{"numbers"};

  NumbersDesk() : Scripted(lecture_session(), 1440, 900) {
    session().show(View::pipeline);
    Selecting(session()).select_tensor(TensorId::Q);
    surface.settle();
  }
  double value(const Cell& cell) { return session().trace().value(cell); }
  /// The middle of a cell of X, which is the left operand.
  Point at(Index row, Index column) {
    const Rect r = item("left/cells");
    return r.min() + Point{r.w * (static_cast<float>(column) + 0.5f) / 8, r.h * (static_cast<float>(row) + 0.5f) / 4};
  }
  /// Takes the first cell, drags it to the right and holds it there.
  void take_and_drag() {
    surface.move_mouse(at(0, 0));
    surface.frames(2);
    surface.press_mouse();
    surface.frames(1);
    for (float x = 5; x <= 45; x += 10) {
      surface.move_mouse(at(0, 0) + Point{x, 0});
      surface.frames(1);
    }
  }
  void paste(const std::string& text) {
    session().request(CopyText{text});
    surface.settle();
    press({.key = Key::v, .ctrl = true});
  }
};

std::string printed(Index rows, Index columns, double first) {
  std::string text = "[";
  for (Index row = 0; row < rows; ++row) {
    text += row == 0 ? "[" : ",\n [";
    for (Index column = 0; column < columns; ++column)
      text += (column == 0 ? "" : ", ") + std::to_string(first + static_cast<double>(row * columns + column));
    text += "]";
  }
  return text + "]";
}

}  // namespace

TEST_CASE("a cell that is dragged sideways changes, everything answers, and it is one step of undo") {
  NumbersDesk person;
  const double was = person.value(first_of_x), answer = person.value(first_of_q);
  person.surface.drag(person.at(0, 0), person.at(0, 0) + Point{60, 3}, 15);
  person.surface.settle();
  const double now = person.value(first_of_x);
  CHECK(now > was + 0.3);
  CHECK(now < was + 0.8);
  CHECK(now == doctest::Approx(std::round(now * 100) / 100));
  CHECK(person.value(first_of_q) != answer);
  CHECK(is_changed(person.session().setup(), original_values(person.session()), first_of_x));
  CHECK(person.session().selection().tensor == TensorId::Q);  // the product stays in view
  person.press({.key = Key::z, .ctrl = true});
  CHECK(person.value(first_of_x) == was);
  CHECK(person.value(first_of_q) == answer);
  CHECK(person.session().setup().values.empty());
}

TEST_CASE("a cell that is held where it was dragged to draws nothing more until the mouse moves on") {
  NumbersDesk person;
  const double was = person.value(first_of_x);
  person.take_and_drag();
  person.surface.settle();
  const double held = person.value(first_of_x);
  CHECK(held != was);
  CHECK(std::isinf(person.surface.next_frame_in()));
  person.surface.move_mouse(person.at(0, 0) + Point{60, 0});
  person.surface.settle();
  CHECK(person.value(first_of_x) > held);
  person.surface.release_mouse();
  person.surface.settle();
}

TEST_CASE("Escape while dragging brings the old number back, and leaves nothing to undo") {
  NumbersDesk person;
  const double was = person.value(first_of_x);
  const bool before = person.session().can_undo();
  person.take_and_drag();
  person.surface.frames(2);
  CHECK(person.value(first_of_x) != was);
  person.surface.key(Key::escape);
  person.surface.frames(2);
  CHECK(person.value(first_of_x) == was);
  person.surface.release_mouse();
  person.surface.settle();
  CHECK(person.value(first_of_x) == was);
  CHECK(person.session().can_undo() == before);
}

TEST_CASE("a number is typed over the pinned cell: it answers at once, Enter keeps it, Escape takes it back") {
  NumbersDesk person;
  const double was = person.value(first_of_x);
  const Index head = person.session().selection().head;
  person.click(person.at(0, 0));
  REQUIRE(person.session().state().pinned);
  REQUIRE(person.session().selection().tensor == TensorId::X);
  person.type("2");
  CHECK(person.session().selection().head == head);
  person.type(".5");
  CHECK(person.value(first_of_x) == 2.5);
  person.press(Key::enter);
  CHECK(person.value(first_of_x) == 2.5);
  person.press({.key = Key::z, .ctrl = true});
  CHECK(person.value(first_of_x) == was);

  person.type("-3");
  CHECK(person.value(first_of_x) == -3);
  person.press(Key::escape);
  CHECK(person.value(first_of_x) == was);
  CHECK(person.session().setup().values.empty());
}

TEST_CASE("what is typed by a finger names no key that the keyboard of a phone lacks") {
  for (const bool by_finger : {false, true}) {
    CAPTURE(by_finger);
    NumbersDesk person;
    person.click(person.at(0, 0));
    if (by_finger) person.surface.use_finger();
    person.run("cell.type");
    const auto says = [&](const char* words) {
      return shows_text(person.surface.settled_drawing(), {0, 0, 1440, 900}, words);
    };
    CHECK(says("Enter keeps it"));
    CHECK(says("Esc undoes it") != by_finger);
  }
}

TEST_CASE("a decimal comma is a point, and a text that isn't a number stays to be corrected") {
  NumbersDesk person;
  const double was = person.value(first_of_x);
  person.click(person.at(0, 0));
  person.type("0,12345");
  CHECK(person.value(first_of_x) == 0.12345);
  person.press(Key::enter);
  CHECK(person.value(first_of_x) == 0.12345);
  person.press({.key = Key::z, .ctrl = true});
  person.type("1.234,5");
  CHECK(person.value(first_of_x) == was);
  person.press(Key::enter);
  CHECK(person.value(first_of_x) == was);
  person.retype("1234.5");
  person.press(Key::enter);
  CHECK(person.value(first_of_x) == 1234.5);
  person.press({.key = Key::z, .ctrl = true});
  // Other texts are refused with what is allowed, in as many lines as they take, and Enter takes none of them.
  person.type("87,1,2");
  const auto says = [&](const char* words) {
    return shows_text(person.surface.settled_drawing(), {0, 0, 1440, 900}, words);
  };
  CHECK(says("\"87,1,2\" is not a number; allowed: digits with one point or comma, as in 0.5 or 1e-3"));
  CHECK_FALSE(says("did you mean"));
  for (const char* text : {"-", "1e", "1e-"}) {
    CAPTURE(std::string(text));
    person.retype(text);
    CHECK_FALSE(says("is not a number"));  // it may become -1 or 1e-3, but not once Enter is pressed
  }
  for (const char* text : {"1.2.3", "1e", "-", "--5", "0x10", "\u0663", "\u00bd"}) {
    CAPTURE(std::string(text));
    person.retype(text);
    person.press(Key::enter);
    CHECK(person.value(first_of_x) == was);
    CHECK(says("is not a number"));
  }
  person.retype(" 5 ");
  person.press(Key::enter);
  CHECK(person.value(first_of_x) == 5);
  person.press({.key = Key::z, .ctrl = true});
  person.type("7..");
  person.click({720, 890});
  CHECK(person.value(first_of_x) == was);
  CHECK(person.session().setup().values.empty());
}

TEST_CASE("what a number by hand changes stands beside it: before, after, and a way there") {
  NumbersDesk person;
  const std::string link = "effect output";
  person.click(person.at(0, 0));
  CHECK_FALSE(person.has_item(link));
  const std::shared_ptr<const Trace> before = person.session().state().trace;
  person.type("2.5");
  person.press(Key::enter);
  const auto effects =
      number_effects(person.session().threads(), before->setup, person.session().trace(), default_memory_limit);
  REQUIRE(effects.most.size() > 8);
  CHECK(effects.most.front().cell.tensor == TensorId::Q);
  for (const NumberEffect& effect : effects.most) {
    CAPTURE(to_string(effect.cell));
    CHECK(effect.before == before->value(effect.cell));
    CHECK(effect.after == person.value(effect.cell));
    CHECK(effect.before != effect.after);
  }
  person.click_item(link);
  CHECK(person.session().selection().tensor == TensorId::output);
  CHECK_FALSE(person.has_item(link));  // the output is not given by hand
}

TEST_CASE("a cell and a tensor are taken back for themselves") {
  NumbersDesk person;
  const double was = person.value(first_of_x);
  Session& session = person.session();
  const Cell other{TensorId::X, {0, 1, 2}};
  session.edit(with_number(with_number(session.setup(), first_of_x, 4), other, 5));
  Selecting(session).pin(first_of_x);
  person.surface.settle();
  CHECK(person.value(first_of_x) == 4);
  CHECK(person.has_item("reset number"));
  person.press(Key::backspace);
  CHECK(person.value(first_of_x) == was);
  CHECK(person.value(other) == 5);
  CHECK_FALSE(person.has_item("reset number"));
  person.run("values.reset_tensor");
  CHECK(session.setup().values.empty());
}

TEST_CASE("the cells that a number by hand reaches are marked while everything is about it") {
  NumbersDesk person;
  Session& session = person.session();
  const Cell given{TensorId::X, {0, 1, 2}};
  session.edit(with_number(session.setup(), given, person.value(given) + 1));
  const auto marked = [&] {
    int dots = 0;
    const Rect result = person.item("result/cells").outset(4);
    for (const Drawn& drawn : person.surface.settled_drawing().drawn)
      if (const auto* const dot = std::get_if<CircleShape>(&drawn.shape))
        dots += dot->radius == 3.5f && result.contains(dot->center);
    return dots;
  };
  person.surface.move_mouse(person.at(1, 2));
  person.surface.settle();
  REQUIRE(session.cell() == given);
  CHECK(marked() == 8);  // its row of Q, and no other
  person.surface.move_mouse(person.at(2, 2));
  CHECK(marked() == 0);
}

TEST_CASE("what was changed is marked in the picture and in the map, as far as it reaches") {
  NumbersDesk person;
  person.surface.move_mouse({20, 890});
  const Image before = person.surface.settled_picture();
  Session& session = person.session();
  // The same number: only the marks can differ.
  session.edit(with_number(session.setup(), {TensorId::W_q, {2, 3}}, session.trace().value({TensorId::W_q, {2, 3}})));
  const Image after = person.surface.settled_picture();
  CHECK(pixels_off(before, after, person.item("right/cells").outset(6)) > 10);
  CHECK(pixels_off(before, after, person.item("left/cells")) == 0);
  const auto all = reached(session.setup(), original_values(session));
  CHECK(all[index_of(TensorId::W_q)]);
  CHECK(all[index_of(TensorId::output)]);
  CHECK_FALSE(all[index_of(TensorId::K)]);
  CHECK_FALSE(all[index_of(TensorId::X)]);
}

TEST_CASE("a printed array is pasted onto the selected tensor; another shape is refused with what would fit") {
  NumbersDesk person;
  Session& session = person.session();
  Selecting(session).select_tensor(TensorId::W_q);
  person.surface.settle();
  person.paste(printed(8, 8, 1));
  REQUIRE(session.setup().values.whole(TensorId::W_q) != nullptr);
  CHECK(person.value({TensorId::W_q, {0, 1}}) == 2);
  CHECK(person.app.memory().get<ProblemsCard>().problems.empty());
  const Setup before = session.setup();
  person.paste(printed(2, 8, 1));
  CHECK(session.setup() == before);
  REQUIRE_FALSE(person.app.memory().get<ProblemsCard>().problems.empty());
  CHECK(person.app.memory().get<ProblemsCard>().problems.front().allowed.find("(8, 8)") != std::string::npos);
  person.press(Key::escape);
  person.paste("no numbers");
  CHECK(session.setup() == before);
  CHECK_FALSE(person.app.memory().get<ProblemsCard>().problems.empty());
}

TEST_CASE(
    "a printed matrix as large as the head on the screen is that head; where there is one head, it stays unnamed") {
  const GivenArray printed{.name = {}, .values = Tensor::zeros(Precision::float64, {4, 4}), .half_digits = {}};
  const auto taken = [&](Index heads) {
    Setup setup = testing::small_setup();
    setup.sizes.batch = 1;
    setup.sizes.heads = heads;
    setup.sizes.query_length = 4;
    Session session(setup);
    Selecting(session).select({TensorId::scores, 0, heads - 1, 0, 0});
    return as_shown_head(session, printed);
  };
  const auto of_two = taken(2);
  REQUIRE(of_two);
  CHECK(of_two->name == "scores");
  CHECK(of_two->values.shape() == Shape{1, 2, 4, 4});
  CHECK(of_two->values.at({0, 0, 1, 0}) != 0);
  CHECK(of_two->values.at({0, 1, 1, 0}) == 0);
  CHECK_FALSE(taken(1));  // nothing else of its size is on the screen, but it may be another tensor: numbers decide
}

TEST_CASE("an array of other sizes is offered with the sizes that it needs, in one step of undo") {
  NumbersDesk person;
  Session& session = person.session();
  const Setup before = session.setup();
  Selecting(session).select_tensor(TensorId::X);
  person.surface.settle();
  person.paste(printed(3, 6, 1));
  CHECK(session.setup() == before);
  REQUIRE(person.app.memory().get<ProblemsCard>().offer);
  CHECK(person.app.memory().get<ProblemsCard>().offer->words == "Set query_length 3 and d_model 6");
  CHECK(person.app.memory().get<ProblemsCard>().problems.front().allowed.find(
            "sizes.query_length = 3 and sizes.d_model = 6") != std::string::npos);
  person.click_item("offer");
  CHECK(person.app.memory().get<ProblemsCard>().problems.empty());
  CHECK(session.setup().sizes.query_length == 3);
  CHECK(session.setup().sizes.d_model == 6);
  CHECK(person.value({TensorId::X, {0, 2, 5}}) == 18);
  session.undo();
  person.surface.settle();
  CHECK(session.setup() == before);

  // Not where something else that is given says otherwise, and not again for what is wrong in another way.
  Selecting(session).select_tensor(TensorId::W_q);
  person.surface.settle();
  person.paste(printed(8, 8, 1));
  Selecting(session).select_tensor(TensorId::X);
  person.surface.settle();
  person.paste(printed(3, 6, 1));
  CHECK_FALSE(person.app.memory().get<ProblemsCard>().problems.empty());
  CHECK_FALSE(person.app.memory().get<ProblemsCard>().offer);
}

TEST_CASE("the attention layers of a model are listed, and one of them becomes the setup") {
  NumbersDesk person;
  Session& session = person.session();
  const auto file = person.folder.path() / "model.npz";
  const Tensor packed = Tensor::zeros(Precision::float32, {24, 8}), square = Tensor::zeros(Precision::float32, {8, 8});
  write_npz(file, std::vector<NamedTensor>{{"layers.0.self_attn.in_proj_weight", packed},
                                           {"layers.0.self_attn.out_proj.weight", square},
                                           {"layers.1.self_attn.in_proj_weight", packed},
                                           {"layers.1.self_attn.out_proj.weight", square}});
  person.surface.drop({file});
  person.surface.settle();
  REQUIRE(person.app.memory().opened<LayersCard>());
  CHECK(person.app.memory().opened<LayersCard>()->model.layers.size() == 2);
  person.press(Key::enter);  // nobody knows how many heads there are
  CHECK_FALSE(person.app.memory().get<ProblemsCard>().problems.empty());
  person.press(Key::escape);
  REQUIRE(person.app.memory().opened<LayersCard>());
  write_file(person.folder.path() / "config.json", "{\"num_heads\": 4}");
  person.press(Key::escape);
  CHECK_FALSE(person.app.memory().opened<LayersCard>());

  person.app.memory().get<FilesMemory>().chosen = ChosenPath{PathPurpose::open, file};
  person.surface.settle();
  REQUIRE(person.app.memory().opened<LayersCard>());
  person.press(Key::down);
  person.press(Key::enter);
  CHECK_FALSE(person.app.memory().opened<LayersCard>());
  CHECK(session.setup().sizes.heads == 4);
  REQUIRE(session.setup().values.whole(TensorId::W_k)->source());
  CHECK(session.setup().values.whole(TensorId::W_k)->source()->name == "layers.1.self_attn.in_proj_weight");
}

TEST_CASE("a dropped file of arrays gives them to the tensors of those names, or to the selected one") {
  NumbersDesk person;
  Session& session = person.session();
  const auto file = person.folder.path() / "layer.npz";
  const Tensor zeros = Tensor::zeros(Precision::float64, {8, 8});
  write_npz(file, std::vector<NamedTensor>{{"W_v", zeros}, {"W_o", zeros}});
  person.surface.drop({file});
  person.surface.settle();
  CHECK(person.value({TensorId::W_v, {3, 3}}) == 0);
  CHECK(person.value({TensorId::output, {0, 1, 1}}) == 0);
  REQUIRE(session.setup().values.whole(TensorId::W_v)->source());
  CHECK(session.display().view == View::pipeline);

  const auto single = person.folder.path() / "some.npy";
  write_npy(single, zeros);
  Selecting(session).select_tensor(TensorId::W_k);
  person.surface.settle();
  person.surface.drop({single});
  person.surface.settle();
  CHECK(person.value({TensorId::W_k, {3, 3}}) == 0);

  // What is called like a computed tensor is the user's work.
  write_npz(file, std::vector<NamedTensor>{{"W_v", zeros}, {"output", session.trace()[TensorId::output]}});
  person.surface.drop({file});
  person.surface.settle();
  CHECK(session.display().view == View::compare);
  CHECK(session.state().checking.work().given);
}

TEST_CASE("the setup panel lists what is given, and takes it back") {
  NumbersDesk person;
  Session& session = person.session();
  CHECK_FALSE(person.has_item("reset values"));
  session.edit(with_number(session.setup(), {TensorId::W_v, {2, 5}}, 0.25));
  person.surface.settle();
  const Rect panel = layout_of(person, 1440, 900).setup;
  REQUIRE(person.scroll_to("values/W_v[2,5]/reset", panel));
  person.click_item("values/W_v[2,5]/reset");
  CHECK(session.setup().values.empty());
}

TEST_CASE("a number inside a part that is given already changes in that part") {
  NumbersDesk person;
  Session& session = person.session();
  Setup setup = session.setup();
  setup.values.set(TensorId::W_q, *parse_array_part("[0:2]"), GivenNumbers::single(7));
  REQUIRE(session.edit(setup).empty());
  REQUIRE(session.edit(with_number(session.setup(), {TensorId::W_q, {1, 3}}, 9)).empty());
  CHECK(session.setup().values.entries().size() == 1);
  CHECK(person.value({TensorId::W_q, {1, 3}}) == 9);
  CHECK(person.value({TensorId::W_q, {1, 2}}) == 7);
  CHECK(person.value({TensorId::W_q, {0, 3}}) == 7);
}

TEST_CASE("named features and heads stand on the axes and the cards") {
  NumbersDesk person;
  Session& session = person.session();
  Setup setup = session.setup();
  setup.features = {"det", "adj", "noun", "verb", "pos 0", "pos 1", "pos 2", "pos 3"};
  setup.head_names = {"previous token", "adjective → noun"};
  REQUIRE(session.edit(setup).empty());
  person.surface.settle();
  CHECK(axis_label(TensorId::X, true, 1, session).token == "adj");
  CHECK(axis_label(TensorId::W_q, false, 2, session).token == "noun");
  CHECK(axis_label(TensorId::output, true, 7, session).token == "pos 3");
  CHECK(axis_label(TensorId::Q, true, 1, session).token.empty());
}

TEST_CASE("numbers that overflow are said in the status bar, and its words lead to the first of them") {
  NumbersDesk person;
  const Setup usual = person.session().setup();
  CHECK_FALSE(person.has_item("status/overflow"));
  Setup setup = usual;
  setup.attention.scale = 1e308;
  REQUIRE(person.session().edit(setup).empty());
  person.surface.settle();
  person.click_item("status/overflow");
  CHECK(person.session().selection().tensor == TensorId::scores);
  REQUIRE(person.session().edit(usual).empty());
  person.surface.settle();
  CHECK_FALSE(person.has_item("status/overflow"));
}

TEST_CASE("a dropped file that promises more than it holds is refused at once") {
  NumbersDesk person;
  const std::filesystem::path file = person.folder.path() / "attentions.npz";
  write_npz(file, std::vector<NamedTensor>{{"attentions", Tensor::zeros(Precision::float32, {1, 1, 1, 1})}});
  std::string bytes = read_bytes(file, 1 << 20);
  const std::string shape = "(1, 1, 1, 1), }         ", promise = "(1000000000, 1, 1, 1), }";
  REQUIRE(bytes.find(shape) != std::string::npos);
  write_file(file, bytes.replace(bytes.find(shape), shape.size(), promise));
  person.surface.drop({file});
  person.surface.settle();
  const auto& problems = person.app.memory().get<ProblemsCard>().problems;
  REQUIRE_FALSE(problems.empty());
  CHECK(problems.front().found == "an array that ends early");
}
