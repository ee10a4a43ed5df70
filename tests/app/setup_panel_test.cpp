// A scripted person works every control of the setup panel.
#include <set>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include "app/platform/surfaces/offscreen.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/shell/headlight_app.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/setup/setup_memory.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "tests/app/lectures.hpp"

namespace headlight {
namespace {

Session opened_lecture() {
  Session session;
  Lesson(session).open(testing::two_part_lecture());
  session.forget_history();
  return session;
}

/// A window tall enough for the whole panel, with an unchanged lecture.
struct Desk {
  HeadlightApp app{opened_lecture()};
  Offscreen surface{app, 1440, 1700};

  Desk() { surface.settle(); }
  Session& session() { return app.session(); }
  const Setup& setup() { return app.session().setup(); }
  const SetupPanelMemory& memory() { return app.memory().get<SetupPanelMemory>(); }
  void click(Point at) {
    surface.click(at);
    surface.frames(3);
  }
  /// The middle of an item, by the end of its path of ids: "sizes.batch/plus".
  Point at(std::string_view item) {
    const auto found = surface.item(item);
    if (!found) throw std::runtime_error(std::string(item) + " is nowhere on the screen");
    return found->center();
  }
  void click(std::string_view item) { click(at(item)); }
  /// Clicks one of `count` words that are side by side.
  void choose(std::string_view item, int word, int count) {
    const Rect r = surface.item(item).value();
    click({r.x + r.w * (static_cast<float>(word) + 0.5f) / static_cast<float>(count), r.center().y});
  }
  /// Opens a list and clicks its line.
  void pick(std::string_view item, int line) {
    click(item);
    click(std::to_string(line) + "/row");
  }
  /// Types into a text field.
  void write(Point at, std::string_view text) {
    click(at);
    surface.key(Chord{Key::a, true, false, false});
    surface.type(text);
    surface.key(Key::enter);
    surface.frames(3);
  }
  /// Types a slider's value, after Ctrl+click.
  void write_exactly(Point at, std::string_view text) {
    surface.hold_ctrl(true);
    surface.click(at);
    surface.hold_ctrl(false);
    surface.frames(3);
    surface.type(text);
    surface.key(Key::enter);
    surface.frames(4);
  }
  /// Whether one step of undo brings the lecture's setup back.
  bool one_step_back() {
    session().undo();
    return session().changes().empty() && !session().can_undo();
  }
};

TEST_CASE("setup panel: tokens come from a sentence, and one step takes it back") {
  Desk desk;
  desk.write(desk.at("tokens/add"), "I like green tea a lot");
  CHECK(desk.setup().tokens == std::vector<std::string>{"I", "like", "green", "tea", "a", "lot"});
  CHECK(desk.setup().sizes.query_length == 6);
  CHECK(desk.memory().sentence_key.empty());
  CHECK(desk.one_step_back());
}

TEST_CASE("setup panel: a sentence counts once it is whole, and Escape leaves everything as it was") {
  Desk desk;
  const Setup before = desk.setup();
  desk.click("tokens/add");
  desk.surface.key(Chord{Key::a, true, false, false});
  desk.surface.type("half a");
  desk.surface.frames(3);
  CHECK(desk.setup() == before);
  desk.surface.key(Key::escape);
  desk.surface.frames(4);
  CHECK(desk.setup() == before);
  CHECK_FALSE(desk.memory().refusal);
  CHECK_FALSE(desk.session().can_undo());
}

TEST_CASE("setup panel: a size that given numbers hold says so in a sentence, and offers to draw them") {
  Desk desk;
  Setup given = desk.setup();
  const Shape shape = headlight::shape(TensorId::X, given);
  given.values.set(TensorId::X, {}, GivenNumbers(Tensor::zeros(Precision::float64, shape)));
  desk.session().open_setup(given);
  desk.surface.settle();
  desk.click("sizes.d_model");
  CHECK(desk.setup() == given);
  REQUIRE(desk.memory().refusal);
  CHECK(desk.memory().refusal->why == "X is given, number by number, for the present sizes.");
  CHECK(desk.session().state().problems.empty());
  desk.click("draw instead");
  CHECK(desk.setup().sizes.d_model > given.sizes.d_model);
  CHECK(desk.setup().values.empty());
  CHECK(desk.setup().fills(TensorId::X));
}

TEST_CASE("setup panel: cross-attention by its choice or by the link between the lengths") {
  Desk desk;
  desk.choose("attention.source", 1, 2);
  CHECK(desk.setup().is_cross());
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.click("link");
  CHECK(desk.setup().is_cross());
}

TEST_CASE("setup panel: wherever Tab leads, what is there is said: its name, what it is, and its state") {
  Desk desk;
  const auto said = [&] {
    constexpr std::string_view section = "<section id=\"headlight-focus\"";
    const std::string words = desk.app.new_words().value_or("");
    const auto begin = words.find(section);
    if (begin == std::string::npos) return std::string();
    const auto text = words.find("<p>", begin) + 3;
    return words.substr(text, words.find("</p>", text) - text);
  };
  std::set<std::string> heard;
  std::string last;
  for (int stop = 0; stop < 70; ++stop) {
    desk.surface.key(Key::tab);
    desk.surface.settle();
    const std::string now = said();
    INFO("after ", last);
    CHECK(now.find(", ") != std::string::npos);
    heard.insert(last = now);
  }
  CHECK(heard.contains("Query length, number, 4"));
}

TEST_CASE("setup panel: steppers of sizes") {
  Desk desk;
  desk.click("sizes.batch/plus");
  CHECK(desk.setup().sizes.batch == 2);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.click("sizes.query_length/plus");
  CHECK(desk.setup().sizes.query_length == 5);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.click("sizes.key_length/plus");  // in self-attention a new key length is a new query length too
  CHECK(desk.setup().sizes.query_length == 5);
  CHECK(desk.one_step_back());
  desk.surface.settle();
}

TEST_CASE("setup panel: + and - of d_model keep the heads") {
  Desk desk;
  desk.choose("sizes.heads", 2, 4);
  REQUIRE(desk.setup().sizes.heads == 4);
  desk.surface.settle();
  desk.click("sizes.d_model/plus");
  CHECK(desk.setup().sizes.d_model == 12);
  desk.click("sizes.d_model/minus");
  desk.click("sizes.d_model/minus");
  CHECK(desk.setup().sizes.d_model == 4);
  desk.click("sizes.d_model/minus");  // the fewest features that four heads can share
  CHECK(desk.setup().sizes.d_model == 4);
  CHECK(desk.setup().sizes.heads == 4);
}

TEST_CASE("setup panel: a size that has to follow says what it was, and a click on that undoes the change") {
  Desk desk;
  desk.choose("sizes.heads", 2, 4);
  desk.surface.settle();
  const Setup before = desk.setup();
  CHECK_FALSE(desk.surface.item("sizes.heads/was"));
  desk.write_exactly(desk.at("sizes.d_model/value"), "10");
  REQUIRE(desk.setup().sizes.d_model == 10);
  CHECK(desk.setup().sizes.heads == 2);
  desk.click("sizes.heads/was");
  CHECK(desk.setup() == before);
  CHECK_FALSE(desk.surface.item("sizes.heads/was"));
}

TEST_CASE("setup panel: heads are divisors") {
  Desk desk;
  desk.choose("sizes.heads", 2, 4);
  CHECK(desk.setup().sizes.heads == 4);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.choose("sizes.kv_heads", 0, 2);
  CHECK(desk.setup().kv_heads() == 1);
}

TEST_CASE("setup panel: an impossible size is explained at its control and not applied") {
  Desk desk;
  const auto type_batch = [&](std::string_view text) {
    desk.surface.double_click(desk.at("sizes.batch/value"));
    desk.surface.frames(3);
    desk.surface.type(text);
    desk.surface.key(Key::enter);
    desk.surface.wait(0.5);
  };
  for (const char* text : {"0", "many", "900000000"}) {
    type_batch(text);
    CHECK(desk.setup().sizes.batch == 1);
    REQUIRE(desk.memory().refusal);
    CHECK(desk.memory().refusal->key == "sizes.batch");
    CHECK(desk.memory().refusal->why.find(text) != std::string::npos);
  }
  CHECK_FALSE(desk.session().can_undo());
  type_batch("3");
  CHECK(desk.setup().sizes.batch == 3);
  CHECK_FALSE(desk.memory().refusal);
}

TEST_CASE("setup panel: generator, seed and dice") {
  Desk desk;
  desk.choose("random.generator", 2, 3);
  CHECK(desk.setup().random.generator == GeneratorKind::numpy_rng);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.choose("random.generator", 1, 3);
  CHECK(desk.setup().random.generator == GeneratorKind::torch);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.write(desk.at("seed"), "4711");
  CHECK(first_seed(desk.setup()) == 4711);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.write(desk.at("seed"), "-1");
  CHECK(desk.memory().refusal);
  CHECK(first_seed(desk.setup()) != -1);
}

TEST_CASE("setup panel: the dice give another seed each time") {
  Desk desk;
  const auto before = first_seed(desk.setup());
  desk.click("seed/die");
  CHECK(first_seed(desk.setup()) != before);
  CHECK(desk.one_step_back());
}

TEST_CASE("setup panel: distributions and biases") {
  Desk desk;
  desk.pick("X", 2);
  CHECK(distribution_of(desk.setup(), TensorId::X) == Distribution::zeros);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.pick("W", 0);
  for (TensorId id : {TensorId::W_q, TensorId::W_k, TensorId::W_v, TensorId::W_o})
    CHECK(distribution_of(desk.setup(), id) == Distribution::uniform);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.click("biases");
  CHECK_FALSE(has_biases(desk.setup()));
  CHECK(desk.one_step_back());
}

TEST_CASE("setup panel: the draws are lines that can be written") {
  Desk desk;
  desk.click("draws");
  desk.write(desk.at("random.draws[1]"), "X uniform");
  CHECK(to_string(desk.setup().random.draws[1]) == "X uniform");
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.write(desk.at("random.draws[1]"), "X gauss");
  CHECK(to_string(desk.setup().random.draws[1]) == "X normal");
  REQUIRE(desk.memory().refusal);
  CHECK(desk.memory().refusal->key == "random.draws[1]");
}

TEST_CASE("setup panel: a draw is made later") {
  Desk desk;
  desk.click("draws");
  desk.click("1/down");
  CHECK(to_string(desk.setup().random.draws[1]) == "W_q normal");
  CHECK(to_string(desk.setup().random.draws[2]) == "X normal");
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.click("0/down");  // refused: a seed cannot come after the draws that it seeds
  CHECK(desk.session().changes().empty());
  CHECK(desk.memory().refusal);
}

TEST_CASE("setup panel: a draw is left out") {
  Desk desk;
  desk.click("draws");
  const std::size_t count = desk.setup().random.draws.size();
  desk.click("1/away");
  CHECK(desk.setup().random.draws.size() == count - 1);
  CHECK_FALSE(desk.setup().fills(TensorId::X));
  CHECK(desk.one_step_back());
}

TEST_CASE("setup panel: mask kinds combine, and None takes all of them off") {
  Desk desk;
  desk.click("Causal");
  desk.click("Window");
  CHECK(desk.setup().mask.kinds == std::vector{MaskKind::causal, MaskKind::window});
  desk.click("Causal");
  CHECK(desk.setup().mask.kinds == std::vector{MaskKind::window});
  desk.click("mask.window/plus");
  CHECK(desk.setup().mask.window == 2);
  desk.click("None");
  CHECK(desk.setup().mask.kinds.empty());
}

TEST_CASE("setup panel: valid lengths") {
  Desk desk;
  desk.click("Pad");
  CHECK(desk.setup().mask.valid_lengths == std::vector<Index>{3});
  desk.click("mask.valid_lengths[0]/minus");
  CHECK(desk.setup().mask.valid_lengths == std::vector<Index>{2});
}

TEST_CASE("setup panel: a stroke of the brush hides keys, and is one step of undo") {
  Desk desk;
  desk.click("Paint");
  const Rect grid = desk.surface.item("grid").value();
  const float pitch = grid.w / static_cast<float>(desk.setup().key_length());
  const auto cell = [&](int query, int key) {
    return grid.min() + Point{static_cast<float>(key) + 0.5f, static_cast<float>(query) + 0.5f} * pitch;
  };
  desk.surface.drag(cell(0, 1), cell(0, 3), 2);
  desk.surface.frames(2);
  const std::vector<std::pair<Index, Index>> row{{0, 1}, {0, 2}, {0, 3}};
  CHECK(desk.setup().mask.blocked == row);
  desk.surface.drag(cell(0, 2), cell(0, 2));  // a stroke that starts on a hidden cell makes cells visible
  desk.surface.frames(2);
  CHECK_FALSE(is_blocked(desk.setup(), 0, 2));
  desk.session().undo();
  CHECK(desk.setup().mask.blocked == row);
  desk.session().undo();
  CHECK(desk.setup().mask.blocked.empty());
  CHECK(desk.setup().mask.has(MaskKind::custom));
}

TEST_CASE("setup panel: scale") {
  Desk desk;
  desk.click("attention.scale/first word");
  CHECK(desk.setup().attention.scale == Scale{NoScale{}});
  desk.write(desk.at("attention.scale"), "0.25");
  CHECK(desk.setup().attention.scale == Scale{0.25});
  desk.write(desk.at("attention.scale"), "lots");
  CHECK(desk.setup().attention.scale == Scale{0.25});
  CHECK(desk.memory().refusal);
  desk.click("attention.scale/first word");
  CHECK(desk.setup().attention.scale == Scale{InverseSqrtDHead{}});
}

TEST_CASE("setup panel: a drag of the temperature is one step, and a number can be typed") {
  Desk desk;
  const Point knob = desk.at("attention.temperature/track");
  desk.surface.drag(knob, knob + Point{33, 0}, 6);
  desk.surface.frames(2);
  CHECK(desk.setup().attention.temperature > 1.5);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.write_exactly(desk.at("attention.temperature/track"), "0.0125");
  CHECK(desk.setup().attention.temperature == 0.0125);
  CHECK(desk.one_step_back());
}

TEST_CASE("setup panel: an impossible temperature or dropout is explained and not applied") {
  Desk desk;
  desk.write_exactly(desk.at("attention.temperature/track"), "0");
  CHECK(desk.setup().attention.temperature == 1);
  REQUIRE(desk.memory().refusal);
  CHECK(desk.memory().refusal->key == "attention.temperature");
  desk.surface.wait(0.5);
  Desk other;
  other.write_exactly(other.at("attention.dropout/track"), "1");
  CHECK(other.setup().attention.dropout == 0);
  REQUIRE(other.memory().refusal);
  CHECK(other.memory().refusal->key == "attention.dropout");
}

TEST_CASE("setup panel: dropout") {
  Desk desk;
  desk.write_exactly(desk.at("attention.dropout/track"), "0.5");
  CHECK(desk.setup().attention.dropout == 0.5);
  CHECK(desk.one_step_back());
}

TEST_CASE("setup panel: an encoding of the positions, with what belongs to it") {
  Desk desk;
  const auto choose = [&](Encoding encoding) {
    desk.pick("position.encoding", static_cast<int>(encoding));
    return desk.setup().position.encoding == encoding;
  };
  CHECK(choose(Encoding::rotary));
  desk.write(desk.at("position.base"), "500");
  CHECK(desk.setup().position.base == 500);
  desk.write(desk.at("position.base"), "-1");
  CHECK(desk.setup().position.base == 500);
  REQUIRE(desk.memory().refusal);
  CHECK(desk.memory().refusal->key == "position.base");
  CHECK(choose(Encoding::learned));
  CHECK(desk.setup().fills(TensorId::P));
  CHECK(choose(Encoding::none));
  CHECK_FALSE(desk.setup().fills(TensorId::P));
}

TEST_CASE("setup panel: heads are ablated by their numbers") {
  Desk desk;
  desk.write(desk.at("attention.ablated_heads"), "1");
  CHECK(desk.setup().attention.ablated_heads == std::vector<LayerHead>{1});
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.write(desk.at("attention.ablated_heads"), "99");
  CHECK(desk.setup().attention.ablated_heads.empty());
  REQUIRE(desk.memory().refusal);
  CHECK(desk.memory().refusal->key == "attention.ablated_heads");
}

TEST_CASE("setup panel: conventions and title") {
  Desk desk;
  desk.choose("attention.token_axis", 1, 2);
  CHECK(desk.setup().attention.token_axis == TokenAxis::columns);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.choose("attention.weight_layout", 1, 2);
  CHECK(desk.setup().attention.weight_layout == WeightLayout::out_in);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.choose("attention.precision", 0, 2);
  CHECK(desk.setup().attention.precision == Precision::float32);
  CHECK(desk.one_step_back());
  desk.surface.settle();
  desk.write(desk.at("title"), "Mine");
  CHECK(desk.setup().title == "Mine");
  CHECK(desk.one_step_back());
}

TEST_CASE("setup panel: a changed value goes back to the lecture's, alone or with all others") {
  Desk desk;
  desk.click("sizes.batch/plus");
  desk.click("sizes.batch/reset");
  CHECK(desk.session().changes().empty());
  desk.click("sizes.batch/plus");
  desk.click("attention.scale/first word");
  CHECK(desk.session().changes().size() == 2);
  desk.click("reset all");
  CHECK(desk.session().changes().empty());
}

TEST_CASE("setup panel: the rail opens the panel at its section") {
  Desk desk;
  desk.session().edit_display([](Display& d) { d.appearance.setup_folded = true; });
  desk.surface.settle();
  desk.click("Position");
  CHECK_FALSE(desk.session().display().appearance.setup_folded);
  CHECK_FALSE(desk.memory().asked_for);
}

/// A number of the panel by the item of its field, how it is read, and what the first steps upwards make of it.
struct EditedValue {
  std::string_view item;
  double (*read)(const Setup&);
  double one_up;
  double two_up;
};

const EditedValue edited_values[] = {
    {"sizes.batch/value", [](const Setup& s) { return static_cast<double>(s.sizes.batch); }, 2, 3},
    {"sizes.query_length/value", [](const Setup& s) { return static_cast<double>(s.sizes.query_length); }, 5, 6},
    {"seed", [](const Setup& s) { return static_cast<double>(first_seed(s).value_or(-1)); }, 0, 0},
    {"attention.temperature/value", [](const Setup& s) { return s.attention.temperature; }, 1.05, 1.1},
    {"attention.dropout/value", [](const Setup& s) { return s.attention.dropout; }, 0.05, 0.1},
};

TEST_CASE(
    "setup panel: every number is typed after one click, which selects it; Enter and Tab take it, Escape does not") {
  for (const EditedValue& value : edited_values) {
    CAPTURE(value.item);
    for (const Key key : {Key::enter, Key::tab, Key::escape}) {
      Desk desk;
      const double before = value.read(desk.setup());
      desk.click(value.item);
      desk.surface.type(value.item == "attention.dropout/value" ? "0.5" : "7");  // replaces what was selected
      desk.surface.key(key);
      desk.surface.frames(4);
      const double typed = value.item == "attention.dropout/value" ? 0.5 : 7;
      CHECK(value.read(desk.setup()) == (key == Key::escape ? before : typed));
      CHECK(desk.session().can_undo() == (key != Key::escape));
      CHECK_FALSE(desk.memory().refusal);
    }
  }
}

TEST_CASE("setup panel: ↑ ↓ and the wheel step a number that is being typed, and Escape brings it back in one piece") {
  for (const EditedValue& value : edited_values) {
    CAPTURE(value.item);
    Desk desk;
    const double before = value.read(desk.setup());
    const double one_up = value.item == "seed" ? before + 1 : value.one_up;
    const double two_up = value.item == "seed" ? before + 2 : value.two_up;
    desk.click(value.item);
    desk.surface.key(Key::up);
    desk.surface.frames(2);
    CHECK(value.read(desk.setup()) == doctest::Approx(one_up));
    desk.surface.wheel(1);
    desk.surface.frames(2);
    CHECK(value.read(desk.setup()) == doctest::Approx(two_up));
    desk.surface.key(Key::down);
    desk.surface.frames(2);
    CHECK(value.read(desk.setup()) == doctest::Approx(one_up));
    desk.surface.key(Key::escape);
    desk.surface.frames(4);
    CHECK(value.read(desk.setup()) == before);
    desk.click(value.item);
    desk.surface.key(Key::up);
    desk.surface.key(Key::up);
    desk.surface.key(Key::enter);
    desk.surface.frames(4);
    CHECK(value.read(desk.setup()) == doctest::Approx(two_up));
    desk.session().undo();
    CHECK(value.read(desk.setup()) == before);
  }
}

TEST_CASE("setup panel: the wheel over a number scrolls, unless Ctrl is held") {
  for (const EditedValue& value : edited_values) {
    CAPTURE(value.item);
    Desk desk;
    const double before = value.read(desk.setup());
    desk.surface.move_mouse(desk.at(value.item));
    desk.surface.frames(2);
    desk.surface.wheel(1);
    desk.surface.frames(2);
    CHECK(value.read(desk.setup()) == before);
    desk.surface.hold_ctrl(true);
    desk.surface.wheel(1);
    desk.surface.hold_ctrl(false);
    desk.surface.frames(2);
    CHECK(value.read(desk.setup()) > before);
    CHECK(desk.one_step_back());
  }
}

TEST_CASE("setup panel: a drag changes a number in one step of undo, and Escape ends it with the number as it was") {
  for (const EditedValue& value : edited_values) {
    CAPTURE(value.item);
    Desk desk;
    const double before = value.read(desk.setup());
    const Point number = desk.at(value.item);
    desk.surface.drag(number, {number.x + 33, number.y}, 6);
    desk.surface.frames(3);
    CHECK(value.read(desk.setup()) > before);
    CHECK(desk.one_step_back());
    desk.surface.settle();
    desk.surface.move_mouse(desk.at(value.item));
    desk.surface.frames(2);
    desk.surface.press_mouse();
    desk.surface.frames(1);
    desk.surface.move_mouse({number.x + 30, number.y});
    desk.surface.frames(2);
    CHECK(value.read(desk.setup()) > before);
    desk.surface.key(Key::escape);
    desk.surface.move_mouse({number.x + 50, number.y});
    desk.surface.frames(2);
    desk.surface.release_mouse();
    desk.surface.frames(4);
    CHECK(value.read(desk.setup()) == before);
  }
}

TEST_CASE("setup panel: Escape in a field takes back what was typed, and lets go of no pinned cell") {
  Desk desk;
  Selecting(desk.session()).pin();
  desk.click(desk.at("title"));
  desk.surface.type("Mine");
  CHECK(desk.setup().title == "Mine");
  desk.surface.key(Key::escape);
  desk.surface.frames(4);
  CHECK(desk.setup().title != "Mine");
  CHECK(desk.session().state().pinned);
}

TEST_CASE("setup panel: nothing is drawn while nothing happens") {
  Desk desk;
  CHECK(desk.surface.next_frame_in() > 1);
}

}  // namespace
}  // namespace headlight
