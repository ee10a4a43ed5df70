#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include <unistd.h>

#include "app/session/actions/actions.hpp"
#include "app/session/checking.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/settings/settings.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "core/setup/edits.hpp"
#include "lectures.hpp"

using namespace headlight;
using headlight::testing::small_setup;
using headlight::testing::two_part_lecture;

namespace {

/// A folder of the test's own, removed at its end.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("headlight-settings-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// A key of so many parts that reading it would take more stack than there is.
std::string deep_key() {
  std::string text = "a";
  for (int part = 0; part < 200'000; ++part) text += ".a";
  return text + " = 1\n";
}

Session in_second_part() {
  Session session;
  Lesson(session).set_lectures({std::make_shared<Lecture>(two_part_lecture())});
  REQUIRE(Lesson(session).open("two-parts", 1).empty());
  return session;
}

Session start_again() {
  Session session;
  Lesson(session).set_lectures({std::make_shared<Lecture>(two_part_lecture())});
  return session;
}

Snapshot through_file(const Snapshot& memory) {
  const Folder folder;
  save(memory, folder / "session.toml");
  const auto loaded = load_session(folder / "session.toml");
  CHECK(loaded.message.empty());
  return loaded.value;
}

}  // namespace

TEST_CASE("settings come back as they were saved, in a folder that is made for them") {
  const Folder folder;
  const auto file = folder / "new/below/settings.toml";
  Settings settings;
  settings.appearance = {ThemeName::light, false, 1.5, ColourMap::safe, true, false, 300, 400, true};
  settings.appearance.class_monitor = "HDMI-1";
  settings.appearance.notes_size = NotesSize::large;
  settings.hint_seen = true;
  settings.maximised = true;
  settings.recent_files = {"/home/me/a \"quoted\".toml", "/home/me/ü.toml"};
  settings.marks["bank"] = {StepMark::seen};
  settings.modes = {{"bank", WindowMode::workbench}, {"masks", WindowMode::lesson}};
  save_changes({}, settings, file);
  const auto loaded = load_settings(file);
  CHECK(loaded.message.empty());
  CHECK(loaded.value == settings);
}

TEST_CASE("a first start has the defaults and nothing to say") {
  const auto loaded = load_settings("/nonexistent/settings.toml");
  CHECK(loaded.value == Settings{});
  CHECK(loaded.message.empty());
  CHECK(load_session({}).value == Snapshot{});
}

TEST_CASE("a damaged file is set aside and said so") {
  const Folder folder;
  const auto file = folder / "settings.toml";
  for (const std::string& damage : {std::string("theme = \"light"), std::string("\x89PNG\0\x01\xff", 7), deep_key()}) {
    std::ofstream(file, std::ios::binary) << damage;
    const auto loaded = load_settings(file);
    CHECK(loaded.value == Settings{});
    CHECK(loaded.message.starts_with("settings.toml is damaged ("));
    CHECK(loaded.message.ends_with("it is kept as settings.toml.damaged"));
    CHECK_FALSE(std::filesystem::exists(file));
    CHECK(read_bytes(folder / "settings.toml.damaged", 1 << 20) == damage);
  }
}

TEST_CASE("what this version does not know, or cannot use, is left out") {
  const Folder folder;
  const auto file = folder / "settings.toml";
  std::ofstream(file) << "theme = 3\nscale = 77.0\nsetup_width = -4\nhint_seen = true\nfuture = [1, { a = 2 "
                         "}]\nrecent_files = [1, \"a\"]\n";
  const auto loaded = load_settings(file);
  CHECK(loaded.message.empty());
  CHECK(loaded.value.appearance.theme == ThemeName::dark);
  CHECK(loaded.value.appearance.scale == largest_scale);
  CHECK(loaded.value.appearance.setup_width == narrowest_panel);
  CHECK(loaded.value.hint_seen);
  CHECK(loaded.value.recent_files == std::vector<std::string>{"a"});
}

TEST_CASE("where nothing can be written, saving says so and leaves nothing") {
  const Folder folder;
  std::ofstream(folder / "file") << "in the way";
  CHECK_THROWS_AS(save_changes({}, Settings{}, folder / "file/settings.toml"), InputError);
}

TEST_CASE("recent files are few, unique and the latest first") {
  Settings settings;
  for (int i = 0; i < 15; ++i) settings = with_recent_file(settings, "/f" + std::to_string(i));
  CHECK(settings.recent_files.size() == 10);
  settings = with_recent_file(settings, "/f8");
  CHECK(settings.recent_files.size() == 10);
  CHECK(settings.recent_files[0] == "/f8");
  CHECK(settings.recent_files[1] == "/f14");
}

TEST_CASE("the files stand where the XDG standard says") {
  std::map<std::string, std::string> variables;
  const Environment environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  CHECK(memory_files(environment).settings.empty());
  CHECK(memory_files(environment).session.empty());
  variables = {{"HOME", "/home/me"}, {"XDG_STATE_HOME", "relative"}};
  CHECK(memory_files(environment).settings == "/home/me/.config/headlight/settings.toml");
  CHECK(memory_files(environment).session == "/home/me/.local/state/headlight/session.toml");
  variables["XDG_CONFIG_HOME"] = "/config";
  variables["XDG_STATE_HOME"] = "/state";
  CHECK(memory_files(environment).settings == "/config/headlight/settings.toml");
  CHECK(memory_files(environment).session == "/state/headlight/session.toml");
}

TEST_CASE("the next start finds the lecture, the step, the edits and the cell again") {
  Session session = in_second_part();
  session.edit(with_seed(with_heads(session.setup(), 4), 5));
  Selecting(session).pin(Cell{TensorId::context, {0, 3, 2, 1}});
  session.show(View::tokens);
  session.set_display(with_head_hidden(session.display(), 1, true, 4));

  Session again = start_again();
  restore(again, through_file(kept_snapshot(session)));
  CHECK(again.lesson().lecture()->id == "two-parts");
  CHECK(again.lesson().at.index == 1);
  CHECK(again.setup() == session.setup());
  CHECK(again.changes() == session.changes());
  CHECK(again.cell() == session.cell());
  CHECK(again.state().pinned);
  CHECK(again.display() == session.display());
  CHECK_FALSE(again.can_undo());
}

namespace {
Tensor from_numbers(const Shape& shape, const std::vector<double>& numbers) { return tensor_of(shape, numbers); }
}  // namespace

TEST_CASE("the next start finds pasted arrays again, beside those of a file") {
  Session session = in_second_part();
  const Tensor exact = from_numbers({2, 3}, {1, 0.1, -2.5, 3e-7, 0, 1e30});
  const Tensor halves = from_numbers({2}, {0.05, 0.05});
  CheckedWork work = with_pasted({}, {{.name = "scores", .values = exact, .half_digits = {}},
                                      {.name = "", .values = from_numbers({2}, {1.5, 2}), .half_digits = halves}});
  work.shown = true;
  Checking(session).set_work(std::move(work));

  Session again = start_again();
  restore(again, through_file(kept_snapshot(session)));
  const CheckedWork& back = again.state().checking.work();
  REQUIRE(back.given);
  REQUIRE(back.given->arrays.size() == 2);
  CHECK(back.shown);
  CHECK(back.given->title == "2 pasted arrays");
  CHECK(back.given->arrays[0].name == "scores");
  CHECK(back.given->arrays[0].values.shape() == Shape{2, 3});
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 3; ++j) CHECK(back.given->arrays[0].values.at({i, j}) == exact.at({i, j}));
  CHECK(back.given->arrays[0].half_digits.empty());
  CHECK(back.given->arrays[1].half_digits.at({1}) == 0.05);
  // And once more, from what was restored.
  Session third = start_again();
  restore(third, through_file(kept_snapshot(again)));
  CHECK(third.state().checking.work().given->arrays.size() == 2);
}

TEST_CASE("after Set as A the compare view shows A, and the work is still there") {
  Session session = in_second_part();
  Checking(session).set_work(
      with_pasted({}, {{.name = "scores", .values = from_numbers({1}, {1}), .half_digits = {}}}));
  REQUIRE(session.state().checking.work().shown);
  run(*action_named("compare.pin"), session);
  CHECK_FALSE(session.state().checking.work().shown);
  CHECK(session.state().checking.work().given);
  CHECK_FALSE(session.state().checking.reference.empty());
}

TEST_CASE("a picture's notes open its setup and its selection, with the lecture or without") {
  Session session = in_second_part();
  session.edit(with_seed(with_heads(session.setup(), 4), 5));
  Selecting(session).select_head(3);
  Selecting(session).pin(Cell{TensorId::X, {0, 2, 1}});
  session.show(View::heads);
  const PictureNotes notes = picture_notes(session);
  for (bool with_lectures : {true, false}) {
    Session again = with_lectures ? start_again() : Session();
    restore(again, remembered_by(notes, "picture.png"));
    CHECK(again.setup() == session.setup());
    CHECK(again.selection() == session.selection());
    CHECK(again.display().view == View::heads);
    CHECK(again.state().pinned);
  }
  PictureNotes setup_alone = notes;
  setup_alone.erase("Session");
  CHECK(remembered_by(setup_alone, "picture.png").setup == session.setup());
  CHECK_THROWS_WITH_AS(remembered_by({}, "picture.png"), doctest::Contains("picture.png"), InputError);
  for (const std::string& damage : {std::string("cell = "), deep_key()}) {
    setup_alone["Session"] = damage;
    CHECK_THROWS_WITH_AS(remembered_by(setup_alone, "picture.png"), doctest::Contains("picture.png"), InputError);
  }
}

TEST_CASE("a picture's notes open what was compared, and the colours it had") {
  Session session = in_second_part();
  Checking(session).set_reference();
  session.edit(with_heads(session.setup(), 4));
  session.show(View::compare);
  Display display = session.display();
  display.heatmap(TensorId::scores) = {
      .colour_map = ColourMap::magma, .range = RangeKind::fixed, .low = -1.5, .high = 2};
  display.heatmap(TensorId::weights).per_head = true;
  display.heads = {HeadOrder::peak, {1, 3}};
  session.set_display(display);
  Selecting(session).pin(Cell{TensorId::scores, {0, 3, 2, 1}});
  for (bool in_background : {false, true}) {
    Session again;
    if (in_background) again.compute_in_background(0);
    CHECK(go_to(again, remembered_by(picture_notes(session), "picture.png")).empty());
    while (again.state().computing) again.wait();
    CHECK(again.setup() == session.setup());
    REQUIRE_FALSE(again.state().checking.reference.empty());
    CHECK(again.state().checking.reference.first().setup == session.state().checking.reference.first().setup);
    CHECK(again.display() == session.display());
    CHECK(again.cell() == session.cell());
    restore(again, kept_snapshot(session));
    while (again.state().computing) again.wait();
    CHECK_FALSE(again.can_undo());
  }
}

TEST_CASE("how things are shown reads back from its text") {
  Display display;
  CHECK(display_settings(display).empty());
  display.heatmap(TensorId::X) = {
      .colour_map = ColourMap::viridis, .range = RangeKind::min_max, .logarithmic = true, .mean = true};
  display.heatmap(TensorId::weights) = {.range = RangeKind::fixed, .low = 0.1, .high = 1.0 / 3};
  display.heads = {HeadOrder::entropy, {0, 2, 11}};
  display.tokens = {0.2, false};
  const auto settings = display_settings(display);
  CHECK(with_display_settings({}, settings) == display);
  CHECK(std::count(settings.begin(), settings.end(), "hidden_heads=0,2,11") == 1);
  CHECK(std::count(settings.begin(), settings.end(), "X.range=min_max") == 1);
  display.appearance.setup_folded = true;
  display.appearance.inspector_width = 300.5;
  CHECK(with_display_settings({}, window_settings(display)).appearance == display.appearance);
}

TEST_CASE("what was said to a lecture's questions is there after the next start") {
  Lecture asking = two_part_lecture();
  std::vector<WordsProblem> problems;
  Question question;
  question.choices = {read_live_label("yes", problems), read_live_label("no", problems)};
  question.answer = Expression("0");
  for (Step& step : asking.steps) step.question = question;
  asking.steps[1].question->set = {"attention.temperature=3"};
  asking.steps[1].question->changed_setup = asking.setup_of(asking.steps[1]);
  const auto lectures = {std::make_shared<const Lecture>(asking)};
  Session session;
  Lesson(session).set_lectures(lectures);
  REQUIRE(Lesson(session).open("two-parts").empty());
  Lesson(session).guess(1);
  Lesson(session).show_answer();
  Lesson(session).go_to(1);
  Lesson(session).guess(0);
  Lesson(session).show_hint();
  Lesson(session).show_answer();

  Session again;
  Lesson(again).set_lectures(lectures);
  restore(again, through_file(kept_snapshot(session)));
  CHECK(again.lesson().at.index == 1);
  CHECK(again.lesson().answer_state() == AnswerState{0.0, true, false});  // it has set something: perhaps not here
  Lesson(again).go_to(0);
  CHECK(again.lesson().answer_state().guess == 1.0);
  CHECK(again.lesson().answer_state().shown);
  Lesson(again).open("two-parts");
  CHECK(again.lesson().asks());
}

TEST_CASE("the setup is remembered only where it is the person's own") {
  Session session = in_second_part();
  CHECK_FALSE(kept_snapshot(session).setup.has_value());
  Lesson(session).close();
  CHECK(kept_snapshot(session).setup == small_setup());
  Session again;
  restore(again, through_file(kept_snapshot(session)));
  CHECK(again.setup() == small_setup());
}

TEST_CASE("what is gone is left out") {
  Snapshot memory = kept_snapshot(in_second_part());
  memory.cell = "scores[9,9,9,9]";
  memory.step = 99;
  Session again = start_again();
  restore(again, memory);
  CHECK(again.lesson().at.index == 3);
  memory.lecture = "gone";
  Session without;
  restore(without, memory);
  CHECK(without.lesson().lecture() == nullptr);
  CHECK(without.setup() == Setup{});
}

TEST_CASE("who presented presents again, in full screen") {
  Session session = in_second_part();
  Display display = with_presenting(session.display(), true);
  display.presentation.pointer_circle = true;
  session.set_display(display);
  CHECK(window_settings(display) == std::vector<std::string>{"presenting=true", "pointer_circle=true"});
  Session again = start_again();
  restore(again, through_file(kept_snapshot(session)));
  CHECK(again.display().presentation == display.presentation);
  display.presentation.full_screen = false;  // F11 while presenting
  session.set_display(display);
  restore(again, through_file(kept_snapshot(session)));
  CHECK(again.display().presentation.presenting);
  CHECK_FALSE(again.display().presentation.full_screen);
}

TEST_CASE("the projector preset is not remembered") {
  Display display;
  display.appearance.scale = 1.25;
  CHECK(lasting_appearance(with_projector(display, true)) == display.appearance);
  CHECK(lasting_appearance(display) == display.appearance);
}
