#include <doctest/doctest.h>

#include <string>

#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "core/formats/packed_text.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/setup/edits.hpp"
#include "lectures.hpp"
#include "tests/core/temporary_folder.hpp"

using namespace headlight;
using headlight::testing::small_setup;
using headlight::testing::two_part_lecture;

namespace {

Session with_lectures() {
  Session session;
  Lesson(session).set_lectures({std::make_shared<Lecture>(two_part_lecture())});
  return session;
}

Session after(const std::string& link) {
  Session session = with_lectures();
  CHECK(go_to(session, read_link(link)).empty());
  return session;
}

std::string message_of(const std::string& link) {
  try {
    read_link(link);
  } catch (const InputError& error) {
    return error.problems().front().message();
  }
  return {};
}

}  // namespace

TEST_CASE("a link to a step names the lecture and the step alone") {
  Session session = with_lectures();
  REQUIRE(Lesson(session).open("two-parts", 1).empty());
  CHECK(to_text(link_of(session)) == "headlight.html#lecture=two-parts&step=2");
  const Session opened = after("https://example.org/a/b.html#lecture=two-parts&step=2");
  CHECK(opened.lesson().lecture()->id == "two-parts");
  CHECK(opened.lesson().at.index == 1);
  CHECK(opened.setup() == session.setup());
}

TEST_CASE("the theme of a link may be what the machine prefers") {
  CHECK_FALSE(after("#lecture=two-parts&theme=light").display().appearance.theme_follows);
  CHECK(after("#lecture=two-parts&theme=auto").display().appearance.theme_follows);
  SharedLink link = read_link("#lecture=two-parts&theme=auto&embed=heads");
  CHECK(to_text(link, "") == "#lecture=two-parts&step=1&theme=auto&embed=heads");
}

TEST_CASE("a changed setup, a view, a pinned cell and a head come back from a link") {
  Session session = with_lectures();
  REQUIRE(Lesson(session).open("two-parts").empty());
  REQUIRE(session.edit(with_overrides(session.setup(), {"attention.temperature=2.5", "title=50 % & more = \"ü\""}))
              .empty());
  session.show(View::heads);
  Selecting(session).pin(parse_cell("weights[0,1,1,0]", session.setup()));
  const std::string link = to_text(link_of(session));
  CHECK(link.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=&#.[],") ==
        std::string::npos);
  const Session opened = after(link);
  CHECK(opened.setup() == session.setup());
  CHECK(opened.display().view == View::heads);
  CHECK(opened.state().pinned);
  CHECK(opened.selection() == session.selection());
  CHECK(opened.lesson().lecture() != nullptr);
}

TEST_CASE("a link holds the numbers of arrays that came from files") {
  Setup setup = small_setup();
  Tensor numbers = Tensor::zeros(Precision::float64, {setup.sizes.d_model, setup.sizes.d_model});
  numbers.writable<double>()[3] = 0.1;
  setup.values.set(TensorId::W_q, {}, GivenNumbers(numbers, ArraySource{"/nowhere/layer.npz", "W_q", ""}));
  const SharedLink link = read_link(to_text({.setup = setup}));
  REQUIRE(link.setup->values.whole(TensorId::W_q) != nullptr);
  CHECK(link.setup->values.whole(TensorId::W_q)->tensor().at(Shape{0, 3}) == 0.1);
  CHECK_FALSE(link.setup->values.whole(TensorId::W_q)->source());
}

TEST_CASE("a link keeps the layer of a value, and holds the text that came from a file") {
  Setup setup = offered_setup(TaskName::text);
  setup.task.file = TaskText("anna\notto", "/nowhere/words.txt");
  setup.task.text = {};
  setup.values.set({TensorId::W_q, *parse_array_part("[0,0]"), GivenNumbers::single(2), 1});
  const SharedLink link = read_link(to_text({.setup = setup}));
  REQUIRE(link.setup->values.entries().size() == 1);
  CHECK(link.setup->values.entries().front().layer == 1);
  CHECK(link.setup->task.text.text() == "anna\notto");
  CHECK(link.setup->task.file.empty());
}

TEST_CASE("arrays that are too large for a link are refused with a number") {
  Setup setup = small_setup();
  setup.sizes.d_model = 256;
  setup.sizes.heads = 2;
  Tensor numbers = Tensor::zeros(Precision::float64, {256, 256});
  for (Index i = 0; i < numbers.elements(); ++i) numbers.writable<double>()[i] = 1 / static_cast<double>(i + 3);
  setup.values.set(TensorId::W_q, {}, GivenNumbers(numbers));
  CHECK_THROWS_WITH_AS(to_text({.setup = setup}), doctest::Contains("at most 32000"), InputError);
}

TEST_CASE("lines of Python show a lecture by its id, and a changed setup by its text") {
  Session session = with_lectures();
  REQUIRE(Lesson(session).open("two-parts", 1).empty());
  CHECK(python_lines(session) == "import headlight\nheadlight.show(\"two-parts\", step=2)\n");
  Setup setup = session.setup();
  setup.title = "\"\"\"in\\n \"quotes\"";
  setup.values.set({TensorId::W_q, *parse_array_part("[0,0]"), GivenNumbers::single(2)});
  REQUIRE(session.edit(setup).empty());
  Selecting(session).pin(parse_cell("weights[0,1,1,0]", session.setup()));
  const std::string lines = python_lines(session);
  const std::string begin = "import headlight\nheadlight.show(r\"\"\"\n", end = "\"\"\", cell=\"weights[0,1,1,0]\")\n";
  REQUIRE(lines.starts_with(begin));
  REQUIRE(lines.ends_with(end));
  const std::string text = lines.substr(begin.size(), lines.size() - begin.size() - end.size());
  CHECK(text.find("\"\"\"") == std::string::npos);
  CHECK(parse_setup(text, "the lines") == setup);
}

TEST_CASE("lines of Python hold the numbers of arrays, and no more than a cell should") {
  Setup setup = small_setup();
  Tensor numbers = Tensor::zeros(Precision::float64, {setup.sizes.d_model, setup.sizes.d_model});
  numbers.writable<double>()[3] = 0.1;
  setup.values.set(TensorId::W_q, {}, GivenNumbers(numbers, ArraySource{"/nowhere/layer.npz", "W_q", ""}));
  CHECK(python_lines(Session(setup)).find("0.1") != std::string::npos);
  CHECK(python_lines(Session(setup)).find("nowhere") == std::string::npos);
  setup = small_setup();
  setup.sizes.d_model = 256;
  setup.sizes.heads = 2;
  numbers = Tensor::zeros(Precision::float64, {256, 256});
  for (Index i = 0; i < numbers.elements(); ++i) numbers.writable<double>()[i] = 1 / static_cast<double>(i + 3);
  setup.values.set(TensorId::W_q, {}, GivenNumbers(numbers));
  CHECK_THROWS_WITH_AS(python_lines(Session(setup)), doctest::Contains("at most 1000000"), InputError);
}

TEST_CASE("a bad link says what is wrong with it") {
  CHECK(message_of("#view=heads").find("neither a lecture nor a setup") != std::string::npos);
  CHECK(message_of("#lecture=x&viev=heads").find("viev") != std::string::npos);
  CHECK(message_of("#lecture=x&view=head").find("pipeline") != std::string::npos);
  CHECK(message_of("#lecture=x&step=0").find("from 1 on") != std::string::npos);
  CHECK(message_of("#lecture=x&step=2b").find("2b") != std::string::npos);
  for (const std::string key : {"step", "view", "head", "theme", "embed"}) {
    CAPTURE(key);
    CHECK(message_of("#lecture=x&" + key + "=").find("found nothing") != std::string::npos);
  }
  CHECK(message_of("#lecture=x&theme=blue").find("dark or light") != std::string::npos);
  CHECK(message_of("#lecture=%4").find("hexadecimal") != std::string::npos);
  const std::string whole = packed_text(write_setup(small_setup()));
  CHECK(message_of("#setup=" + whole).empty());
  CHECK(message_of("#setup=" + whole.substr(0, whole.size() / 2)).find("the whole link") != std::string::npos);
  CHECK(message_of("#setup=" + whole + "!").find("the whole link") != std::string::npos);
  CHECK(message_of("#setup=" + packed_text("version = 1\nheads = 3\n")).find("heads") != std::string::npos);
  CHECK(is_link("#lecture=x"));
  CHECK(is_link("#utm_source=mail"));
  CHECK_FALSE(is_link("notes#1.toml"));
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder / "a#step=1.toml";
  CHECK(is_link(file));
  write_file(file, "version = 1\n");
  CHECK_FALSE(is_link(file));
}

TEST_CASE("a link that is followed shows what it can, and says what it leaves out") {
  const auto follow = [](Session& session, const std::string& link) { return go_near(session, follow_link(link)); };
  Session session = with_lectures();
  CHECK(follow(session, "#lecture=two-parts&step=2&utm_source=mail&view=sideways") ==
        "Left out of the link: utm_source (an unknown key), view (sideways)");
  CHECK(session.lesson().at.index == 1);
  CHECK(follow(session, "#lecture=two-parts&step=3") == "");
  CHECK(session.lesson().at.index == 2);
  CHECK(follow(session, "#lecture=two-parts&amp;step=2") == "");
  CHECK(session.lesson().at.index == 1);
  CHECK(follow(session, "#lecture=two-parts&step=99") == "Left out of the link: step (there are 4)");
  CHECK(session.lesson().at.index == 3);
  CHECK(follow(session, "#lecture=mine&theme=light") == "Left out of the link: lecture (mine isn't here)");
  CHECK(session.lesson().at.index == 3);
  CHECK(session.display().appearance.theme == ThemeName::light);
  CHECK(follow(session, "#view=heads") == "");
  CHECK(session.display().view == View::heads);
  CHECK(follow(session, "#lecture=two-parts&step=1&embed=learn").starts_with("Left out of the link: embed"));
  CHECK(session.lesson().at.index == 0);
  CHECK(follow(session, "#setup=damaged").starts_with("Left out of the link: setup"));
  CHECK(session.lesson().at.index == 0);
  CHECK(follow(session, "#step=3") == "Left out of the link: step (of no lecture)");
  CHECK(follow(session, "#lecture=two-parts&setup=damaged&cell=weights[0,0,99,0]")
            .ends_with(", cell (weights[0,0,99,0])"));
  CHECK(session.lesson().at.index == 0);
  CHECK(follow(session, "#" + std::string(500, 'x') + "=1").size() < 120);
}

TEST_CASE("a link to one figure shows its view without panels, and is the same link again") {
  for (const std::string figure : {"pipeline", "heads", "tokens", "heatmap"}) {
    CAPTURE(figure);
    const Session opened = after("#lecture=two-parts&step=2&embed=" + figure);
    CHECK(opened.display().embedded != Embedded::none);
    CHECK(to_text(link_of(opened), "") == "#lecture=two-parts&step=2&embed=" + figure);
    if (figure != "heatmap") CHECK(opened.display().view == view_named(figure));
  }
  CHECK(after("#lecture=two-parts&step=2").display().embedded == Embedded::none);
  CHECK(message_of("#lecture=two-parts&embed=head").find("pipeline, heads, tokens, heatmap or learn") !=
        std::string::npos);
  Session session = with_lectures();
  const auto problems = go_to(session, read_link("#lecture=two-parts&embed=learn"));
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().message().find("without a task") != std::string::npos);
}

TEST_CASE("packed text is read back, however long, and nothing longer than allowed") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * i % 977);
  for (const std::string& each : {std::string(), std::string("a"), std::string("\0\xFF", 2), text})
    CHECK(unpacked_text(packed_text(each)) == each);
  CHECK_FALSE(unpacked_text(packed_text(text), 1000));
  CHECK_FALSE(unpacked_text("A"));
}

TEST_CASE("a link and a session file return to the layer, whether a cell is pinned in it or not") {
  const Setup setup = offered_setup(TaskName::induction);
  const std::string text = to_text({.setup = setup, .layer = 1});
  CHECK(text.find("&layer=1") != std::string::npos);
  Session linked;
  REQUIRE(go_to(linked, read_link(text)).empty());
  CHECK(linked.setup().layer == 1);
  CHECK_THROWS_AS(read_link("#lecture=bank&layer=-1"), InputError);

  Session session(setup);
  session.look_at_layer(1);
  Selecting(session).select({.tensor = TensorId::weights, .head = 1, .row = 9, .column = 3});
  const Snapshot kept = snapshot_in(toml_of(snapshot_of(session)), "session");
  CHECK(kept == snapshot_of(session));
  Session again;
  REQUIRE(go_to(again, kept).empty());
  CHECK(again.cell() == Cell{TensorId::weights, {0, 1, 9, 3}, 1});
  CHECK_FALSE(again.state().pinned);
  CHECK(toml_of(snapshot_of(Session(setup))).find("layer") == nullptr);  // as earlier versions wrote it
}
