// A scripted person in the frame of the window: what keys, clicks, drags and files do to the session and the picture.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <set>
#include <stdexcept>

#include <sys/stat.h>

#include <fmt/format.h>

#include "../picture_lesson.hpp"
#include "app/platform/pictures/png.hpp"
#include "app/session/checking.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/settings/settings.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "app/shell/keeper.hpp"
#include "app/shell/user_folders.hpp"
#include "app/ui/drawing/theme.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/map/pipeline_layout.hpp"
#include "app/views/overlays/command_palette.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "app/views/overlays/overlays.hpp"
#include "app/views/overlays/path_card.hpp"
#include "app/views/overlays/problems_card.hpp"
#include "app/views/window/present_view.hpp"
#include "captured.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"
#include "probe.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// Points inside the buttons at 1440 × 900, where the design puts them.
constexpr Point theme_button{1333, 22};
constexpr Point help_button{1409, 22};
/// On the card that asks for a path.
constexpr Point replace_button{958, 243};

void write_text(const std::filesystem::path& path, std::string_view text) { std::ofstream(path) << text; }

}  // namespace

namespace {

constexpr Chord plain(Key key) { return {.key = key}; }
constexpr Chord ctrl(Key key) { return {.key = key, .ctrl = true}; }
constexpr Chord shifted(Key key) { return {.key = key, .shift = true}; }

std::vector<Chord> repeated(std::vector<Chord> keys, std::size_t times) {
  std::vector<Chord> all;
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), keys.begin(), keys.end());
  return all;
}

/// What a person sees of keys: where they have led, and what they have changed.
struct Reached {
  std::size_t step;
  Selection selection;
  bool pinned;
  Setup setup;
  Display display;
  friend bool operator==(const Reached&, const Reached&) = default;
};
Reached reached(Session& session) {
  return {session.lesson().at.index, session.selection(), session.state().pinned, session.setup(), session.display()};
}

}  // namespace

TEST_CASE("a file is named after its title: small letters, and one dash for all that stands between words") {
  CHECK(file_name_for("Who looks -- at whom?") == "who-looks-at-whom");
  CHECK(file_name_for("  Überall: 2 × 2 ") == "Überall-2-×-2");
  CHECK(file_name_for("?!") == "setup");
}

TEST_CASE("quick keys that only move something share a frame, and Ctrl+Q waits for no more than that") {
  const std::vector<Chord> walks[] = {{plain(Key::right)},
                                      {plain(Key::down), plain(Key::down), plain(Key::up)},
                                      {plain(Key::page_down)},
                                      {plain(Key::period)},
                                      {plain(Key::right_bracket), plain(Key::left_bracket)}};
  for (const std::vector<Chord>& walk : walks) {
    CAPTURE(to_string(walk.front()));
    Scripted person(lecture_session());
    std::vector<Chord> keys = repeated(walk, 200 / walk.size());
    keys.push_back(ctrl(Key::q));
    CHECK(person.surface.keys_at_once(keys) <= 5);
    CHECK(person.surface.closed());
  }
  Scripted person(lecture_session());
  std::vector<Chord> letters = repeated({plain(Key::h), plain(Key::j), plain(Key::k), plain(Key::l)}, 50);
  letters.push_back(ctrl(Key::q));
  CHECK(person.surface.keys_at_once(letters) <= 205);  // a letter may change what the next one is for
  CHECK(person.surface.closed());
}

TEST_CASE("quick letters and digits that only change a setting share a frame, and each of them counts") {
  Scripted person(lecture_session());
  const Setup before = person.session().setup();
  const std::vector<Chord> settings[] = {
      {plain(Key::d)}, {plain(Key::m)}, {plain(Key::b)}, {plain(Key::a)}, {plain(Key::h)},
      {plain(Key::o)}, {plain(Key::r)}, {plain(Key::t)}, {plain(Key::y)}, {plain(Key::digit_1), plain(Key::digit_0)}};
  for (const std::vector<Chord>& keys : settings) {
    CAPTURE(to_string(keys.front()));
    CHECK(person.surface.keys_at_once(repeated(keys, 100)) <= 3);
  }
  CHECK(person.session().setup() != before);
  for (int each_of_d_m_b_and_a = 0; each_of_d_m_b_and_a < 400; ++each_of_d_m_b_and_a) person.session().undo();
  CHECK(person.session().setup() == before);
}

TEST_CASE("quick keys for a picture, of which nothing has changed in between, get one") {
  const TemporaryFolder folder("quick pictures");
  const auto pictures = [&] {
    return std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator());
  };
  Scripted person(lecture_session(), 640, 400, folder.path());
  CHECK(person.surface.keys_at_once(repeated({plain(Key::s)}, 200)) <= 3);
  CHECK(pictures() == 1);
  person.surface.keys_at_once(repeated({plain(Key::s), plain(Key::t)}, 3));
  CHECK(pictures() == 4);  // light and dark have one each time
}

TEST_CASE("quick keys do what slow ones do, in their order") {
  const std::vector<Chord> keys{plain(Key::right),
                                plain(Key::left),
                                plain(Key::up),
                                plain(Key::down),
                                plain(Key::page_down),
                                plain(Key::page_up),
                                plain(Key::home),
                                plain(Key::end),
                                plain(Key::period),
                                plain(Key::comma),
                                shifted(Key::period),
                                plain(Key::right_bracket),
                                plain(Key::left_bracket),
                                plain(Key::p),
                                plain(Key::enter),
                                plain(Key::escape),
                                plain(Key::h),
                                plain(Key::a),
                                plain(Key::k),
                                plain(Key::n),
                                plain(Key::m),
                                plain(Key::o),
                                plain(Key::r),
                                plain(Key::w),
                                plain(Key::y),
                                plain(Key::t),
                                plain(Key::digit_1),
                                plain(Key::tab),
                                plain(Key::j),
                                ctrl(Key::z),
                                ctrl(Key::digit_2),
                                plain(Key::f5),
                                plain(Key::b)};
  std::mt19937 random(4);
  for (int round = 0; round < 12; ++round) {
    std::vector<Chord> typed;
    std::string names;
    for (int i = 0; i < 14; ++i) {
      const Chord& key = keys[random() % keys.size()];
      typed.insert(typed.end(), 1 + random() % 3, key);
      names += to_string(key) + ' ';
    }
    CAPTURE(names);
    const std::string_view lecture = round % 2 == 0 ? "numpy-from-scratch" : "bank";
    Scripted slow(lecture_session(lecture, 1)), quick(lecture_session(lecture, 1));
    for (const Chord& key : typed) {
      slow.surface.keys_at_once({&key, 1});
      slow.surface.settle();
    }
    quick.surface.keys_at_once(typed);
    quick.surface.settle();
    CHECK(reached(quick.session()) == reached(slow.session()));
  }
}

TEST_CASE("arrows and a presenter's keys step through the lecture") {
  Scripted person(lecture_session());
  person.press(Key::right);
  CHECK(person.session().lesson().at.index == 1);
  person.press(Key::page_down);
  CHECK(person.session().lesson().at.index == 2);
  person.press(Key::left);
  person.press(Key::page_up);
  CHECK(person.session().lesson().at.index == 0);
  person.press(Key::end);
  CHECK(person.session().lesson().at.index == person.session().lesson().step_count() - 1);
}

TEST_CASE("playing goes on by itself and stops at the end") {
  Scripted person(lecture_session(), 640, 400);
  const std::size_t steps = person.session().lesson().step_count();
  Lesson(person.session()).go_to(steps - 2);
  if (person.session().lesson().asks()) Lesson(person.session()).show_answer();  // it would wait for one
  person.surface.key(Key::space);
  REQUIRE(person.session().lesson().playing);
  person.surface.wait(12);
  CHECK(person.session().lesson().at.index == steps - 1);
  CHECK_FALSE(person.session().lesson().playing);
}

TEST_CASE("the bar's buttons change theme, view and step") {
  Scripted person(lecture_session());
  const Image dark = person.surface.picture();
  person.click(theme_button);
  CHECK(person.session().display().appearance.theme == ThemeName::light);
  CHECK(person.surface.picture().at(700, 860).r > 200);  // below the picture, beside the formula
  CHECK(dark.at(700, 860).r < 40);
  person.click(help_button);
  CHECK(person.session().display().overlay == Overlay::shortcuts);
  person.press(Key::escape);
  CHECK(person.session().display().overlay == Overlay::none);
}

TEST_CASE("a click on any thumbnail of the map selects that tensor and that head") {
  for (const char* lecture : {"udl-12-2", "valid-lengths"}) {
    CAPTURE(lecture);
    Scripted person(lecture_session(lecture));
    const PipelineLayout map = pipeline_layout(layout_of(person).map, person.session().setup(), 0);
    for (const MapTensor& tensor : map.tensors) {
      CAPTURE(name(tensor.id));
      const MapThumb& last = tensor.thumbs.back();
      person.surface.click(last.rect.center());
      CHECK(person.session().selection().tensor == tensor.id);
      if (info(tensor.id).has_heads()) CHECK(person.session().selection().head == last.head);
    }
  }
}

TEST_CASE("a phase's heading selects what the phase computes") {
  Scripted person(lecture_session());
  const PipelineLayout map = pipeline_layout(layout_of(person).map, person.session().setup(), 0);
  for (const MapPhase& phase : map.phases) {
    person.surface.click({phase.text_x + 6, map.heading_baseline - 4});
    CHECK(person.session().selection().tensor == phase.tensors.back());
  }
}

TEST_CASE("panels fold to rails and open again, by key and by rail") {
  Scripted person(lecture_session());
  person.press({.key = Key::b, .ctrl = true});
  CHECK(layout_of(person).setup.w == rail_width);
  person.press({.key = Key::b, .ctrl = true});
  CHECK(layout_of(person).setup.w == 280);
  person.press({.key = Key::i, .ctrl = true});
  REQUIRE(layout_of(person).inspector.w == rail_width);
  const Rect rail = layout_of(person).inspector;
  person.click({rail.x + 24, rail.y + 24});
  CHECK(layout_of(person).inspector.w == 340);
}

TEST_CASE("on a narrow surface one key opens the panel that had no room, and the other one makes room") {
  Scripted person(lecture_session(), 900, 700);
  REQUIRE(layout_of(person, 900, 700).setup_folded);
  REQUIRE_FALSE(layout_of(person, 900, 700).inspector_folded);
  person.press({.key = Key::b, .ctrl = true});
  CHECK_FALSE(layout_of(person, 900, 700).setup_folded);
  CHECK(layout_of(person, 900, 700).inspector_folded);
}

TEST_CASE("an edge drags its panel wider, a double click and a drag to nothing fold it") {
  Scripted person(lecture_session());
  person.surface.drag({280, 700}, {340, 700});
  CHECK(layout_of(person).setup.w == doctest::Approx(340).epsilon(0.02));
  person.surface.drag({1100, 700}, {1000, 700});
  CHECK(layout_of(person).inspector.w == doctest::Approx(440).epsilon(0.02));
  person.surface.drag({1000, 700}, {1400, 700});
  CHECK(layout_of(person).inspector_folded);
  person.surface.double_click({339.5f, 700});
  CHECK(layout_of(person).setup_folded);
}

TEST_CASE("the palette finds a tensor, a lecture, a step and a command, by letters and Enter") {
  Scripted person(lecture_session());
  const auto find = [&](std::string_view letters) {
    person.press({.key = Key::k, .ctrl = true});
    REQUIRE(person.session().display().overlay == Overlay::palette);
    person.type(letters);
    person.press(Key::enter);
    CHECK(person.session().display().overlay == Overlay::none);
  };
  find("masked_sc");
  CHECK(person.session().selection().tensor == TensorId::masked_scores);
  find("Light or dark");
  CHECK(person.session().display().appearance.theme == ThemeName::light);
  find("Valid lengths");
  CHECK(person.session().lesson().lecture()->id == "valid-lengths");
  find("causal");
  CHECK(person.session().setup().mask.has(MaskKind::causal));
  find("Trained layer: Sentence");
  CHECK(person.session().setup().has_model());
}

TEST_CASE("the palette leads to a control, also in a folded panel") {
  Scripted person(lecture_session(), 1440, 900);
  person.press({.key = Key::b, .ctrl = true});
  REQUIRE(layout_of(person, 1440, 900).setup_folded);
  person.press({.key = Key::k, .ctrl = true});
  person.type("temperature");
  person.press(Key::enter);
  CHECK_FALSE(layout_of(person, 1440, 900).setup_folded);
  const Rect slider = person.item("attention.temperature/track");
  CHECK(layout_of(person, 1440, 900).setup.contains(slider.center()));
}

TEST_CASE("letters that are typed into the palette press no keys of the app") {
  Scripted person(lecture_session());
  person.press({.key = Key::k, .ctrl = true});
  const Setup before = person.session().setup();
  for (Key key : {Key::m, Key::b, Key::d, Key::t, Key::space, Key::s}) person.surface.key(key);
  CHECK(person.session().setup() == before);
  CHECK(person.session().display().appearance.theme == ThemeName::dark);
  CHECK_FALSE(person.session().lesson().playing);
  person.press(Key::escape);
  CHECK(person.session().display().overlay == Overlay::none);
}

TEST_CASE("who types at once is understood: no letter is lost, and none presses a key of the app") {
  Scripted person(lecture_session());
  const Setup before = person.session().setup();
  person.surface.key({.key = Key::k, .ctrl = true});
  for (const auto& [key, letter] : {std::pair{Key::t, "t"}, {Key::m, "m"}, {Key::c, "c"}, {Key::b, "b"}}) {
    person.surface.key(key);
    person.surface.type(letter);
  }
  person.surface.settle();
  person.surface.type("x");
  person.surface.settle();
  CHECK(person.app.memory().get<PaletteMemory>().text == "tmcbx");
  CHECK(person.session().setup() == before);
  CHECK(person.session().state().checking.reference.empty());
  CHECK(person.session().display().appearance.theme == ThemeName::dark);
}

TEST_CASE("somebody's work is in the words where it is checked, and not where two states are compared") {
  Scripted person(lecture_session());
  constexpr const char* empty = "Nothing to check yet";
  const auto said = [&] {
    person.surface.settle();
    return person.app.new_words().value_or("");
  };
  Checking(person.session()).set_reference();
  person.session().show(View::compare);
  const std::string compared = said();
  CHECK_FALSE(compared.empty());
  CHECK(compared.find(empty) == std::string::npos);
  CheckedWork work;
  work.shown = true;
  Checking(person.session()).set_work(work);
  CHECK(said().find(empty) != std::string::npos);
}

TEST_CASE("why a file was refused is in the words, once, until its card is closed") {
  Scripted person(lecture_session());
  person.app.new_words();
  person.surface.drop({"/nowhere/odd.toml"});
  person.surface.settle();
  const auto words = person.app.new_words();
  REQUIRE(words);
  CHECK(words->find("/nowhere/odd.toml") != std::string::npos);
  CHECK_FALSE(person.app.new_words());
  person.press(Key::escape);
  const auto later = person.app.new_words();
  REQUIRE(later);
  CHECK(later->find("odd.toml") == std::string::npos);
}

TEST_CASE("arrows choose in the palette and a click beside it closes it") {
  Scripted person(lecture_session());
  person.press({.key = Key::k, .ctrl = true});
  person.press(Key::down);
  person.press(Key::down);
  CHECK(person.app.memory().get<PaletteMemory>().row == 2);
  CHECK(person.session().lesson().at.index == 0);
  person.click({20, 880});
  CHECK(person.session().display().overlay == Overlay::none);
}

TEST_CASE("a long computation leaves the screen as it is, draws now and then, and Escape stops it") {
  Session session = lecture_session();
  session.compute_in_background(0);
  Scripted person(std::move(session));
  const Setup before = person.session().setup();
  person.press(Key::m);
  CHECK(person.session().wanted().mask.has(MaskKind::causal));
  person.session().wait();
  person.surface.frames(2);
  CHECK(person.session().setup().mask.has(MaskKind::causal));
  CHECK(person.surface.next_frame_in() > 3600);

  Setup large = person.session().setup();
  large.sizes.query_length = 2048;
  large.tokens.clear();
  REQUIRE(person.session().edit(large).empty());
  person.surface.frames(3);
  REQUIRE(person.session().state().computing);
  CHECK(person.surface.next_frame_in() == doctest::Approx(0.1));
  const Setup shown = person.session().setup();
  CHECK(shown.mask.has(MaskKind::causal));
  CHECK(shown.sizes == before.sizes);
  person.surface.key(Key::escape);
  CHECK_FALSE(person.session().state().computing);
  CHECK(person.session().wanted() == shown);
  CHECK_FALSE(person.app.changed_outside());
}

TEST_CASE("a dropped setup opens, is remembered as recent, and a broken one is refused in a card and changes nothing") {
  const TemporaryFolder folder("drop");
  const auto good = folder.path() / "mine.toml";
  const auto bad = folder.path() / "broken.toml";
  Setup mine = lecture_session().setup();
  mine.title = "Mine";
  mine.sizes.heads = 4;
  write_text(good, write_setup(mine));
  write_text(bad, "[sizes]\nheads = 3\nfoo = 1\n");
  Scripted person(lecture_session());

  person.surface.drop({good});
  person.surface.settle();
  CHECK(person.session().setup().sizes.heads == 4);
  CHECK(person.session().lesson().lecture() == nullptr);
  CHECK(person.app.title() == "mine.toml · Headlight");
  CHECK(person.app.memory().get<FilesMemory>().recent == std::vector<std::string>{good.string()});

  const Setup before = person.session().setup();
  for (const auto& file : {bad, folder.path() / "none.toml", folder.path() / "picture.xyz"}) {
    CAPTURE(file.string());
    person.surface.drop({file});
    person.surface.settle();
    CHECK(person.session().setup() == before);
    CHECK_FALSE(person.app.memory().get<ProblemsCard>().problems.empty());
    person.press(Key::escape);
    CHECK(person.app.memory().get<ProblemsCard>().problems.empty());
  }
  person.press({.key = Key::z, .ctrl = true});
  CHECK(person.session().setup().sizes.heads == 2);
}

TEST_CASE("what is opened over a refused file's card ends it and takes the keys") {
  const TemporaryFolder folder("over the card");
  const auto good = folder.path() / "mine.toml";
  Setup mine = lecture_session().setup();
  mine.sizes.heads = 4;
  write_text(good, write_setup(mine));
  Scripted person(lecture_session());
  const auto refuse = [&] {
    person.surface.drop({folder.path() / "none.toml"});
    person.surface.settle();
    REQUIRE(person.has_item("problems/close"));
  };

  refuse();
  person.press({.key = Key::o, .ctrl = true});
  CHECK_FALSE(person.has_item("problems/close"));
  person.retype(good.string());
  person.press(Key::enter);
  CHECK_FALSE(person.app.memory().opened<PathPrompt>());
  CHECK(person.session().setup().sizes.heads == 4);
  CHECK(person.app.memory().get<ProblemsCard>().problems.empty());

  refuse();
  person.press({.key = Key::e, .ctrl = true});
  person.press(Key::escape);
  CHECK_FALSE(person.app.memory().opened<ExportDialog>());
  CHECK(person.app.memory().get<ProblemsCard>().problems.empty());

  // The palette answers, and what it did not end is there again.
  refuse();
  person.press({.key = Key::k, .ctrl = true});
  person.type("W_q");
  person.press(Key::enter);
  CHECK(person.session().display().overlay == Overlay::none);
  CHECK(person.session().selection().tensor == TensorId::W_q);
  CHECK(person.has_item("problems/close"));
}

TEST_CASE("an open setup and lecture follow their files while somebody edits them") {
  const TemporaryFolder folder("watch");
  const auto file = folder.path() / "mine.toml";
  Setup mine = lecture_session().setup();
  write_text(file, write_setup(mine));
  Scripted person(lecture_session());
  person.surface.drop({file});
  person.surface.settle();
  CHECK_FALSE(person.app.changed_outside());
  mine.sizes.heads = 8;
  write_text(file, write_setup(mine) + "# longer, in case both were written within one tick of the clock\n");
  CHECK(person.app.changed_outside());
  CHECK(person.session().setup().sizes.heads == 8);
  write_text(file, "sizes = 3\n");
  CHECK(person.app.changed_outside());
  CHECK_FALSE(person.app.memory().get<ProblemsCard>().problems.empty());
  CHECK(person.session().setup().sizes.heads == 8);
}

TEST_CASE("a lecturer's folder is read beside the built-in lectures, and again when it changes") {
  const TemporaryFolder folder("lectures");
  const auto text = [](std::string_view title) {
    return std::string("+++\ntitle = \"") + std::string(title) +
           "\"\nsource = \"a test\"\n[setup]\nrandom = { draws = [\"seed 0\", \"X uniform\"] }\n+++\n\n## One\n"
           "```step\ncell = \"X[0,0,0]\"\n```\nWords.\n";
  };
  write_text(folder.path() / "own.md", text("First title"));
  Documents documents(folder.path());
  Session session;
  CHECK(documents.load_lectures(session).empty());
  Session without;
  Documents().load_lectures(without);
  REQUIRE(session.lectures().size() == without.lectures().size() + 1);
  Lesson(session).open("own");
  CHECK(session.lesson().lecture()->title == "First title");
  CHECK_FALSE(documents.reload(session));
  write_text(folder.path() / "own.md", text("A second and longer title"));
  CHECK(documents.reload(session));
  CHECK(session.lesson().lecture()->title == "A second and longer title");
  write_text(folder.path() / "own.md", "+++\nno lecture\n");
  CHECK_THROWS_AS(documents.reload(session), InputError);
  CHECK(session.lesson().lecture()->title == "A second and longer title");
}

TEST_CASE("a watched file that becomes a named pipe keeps nobody waiting") {
  const TemporaryFolder folder("becomes a pipe");
  const auto setup = folder.path() / "own.toml", work = folder.path() / "mine.txt";
  write_text(setup, write_setup(lecture_session().setup()));
  write_text(work, "weights = [[1.0]]");
  Documents documents;
  Session session;
  documents.open(session, setup);
  documents.check(session, work);
  for (const auto& file : {setup, work}) {
    std::filesystem::remove(file);
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  }
  CHECK_THROWS_WITH_AS(documents.reload(session), doctest::Contains("a named pipe"), InputError);
  CHECK_THROWS_WITH_AS(documents.save_setup(session, setup), doctest::Contains("a named pipe"), InputError);
  documents.check(session, work);
  REQUIRE_FALSE(session.state().checking.work().problems.empty());
  CHECK(session.state().checking.work().problems.front().found == "a named pipe");
}

TEST_CASE("a screenshot is the picture on the surface, with the setup inside") {
  const TemporaryFolder folder("pictures");
  Scripted person(lecture_session(), 1440, 900, folder.path() / "new folder");
  const Image shown = person.surface.picture();
  person.surface.key(Key::f12);
  const auto files = std::filesystem::directory_iterator(folder.path() / "new folder");
  REQUIRE(begin(files) != end(files));
  const auto path = begin(files)->path();
  PngText words;
  const Image kept = read_png(path, &words);
  CHECK(kept == shown);
  CHECK(parse_setup(words.at("Setup"), "the picture") == person.session().setup());
  CHECK(person.session().state().notice == "Screenshot: " + path.string());
}

TEST_CASE("a dropped picture opens what it shows, and one without a setup is refused in a card") {
  const TemporaryFolder folder("dropped picture");
  Scripted first(lecture_session("udl-12-2", 3), 1440, 900, folder.path() / "kept");
  Selecting(first.session()).select_head(1);
  Selecting(first.session()).pin(Cell{TensorId::X, {0, 2, 1}});
  first.session().show(View::heads);
  first.surface.settle();
  first.surface.key(Key::f12);
  const auto kept = std::filesystem::directory_iterator(folder.path() / "kept")->path();

  Scripted person(lecture_session());
  person.surface.drop({kept});
  person.surface.settle();
  CHECK(person.session().setup() == first.session().setup());
  CHECK(person.session().lesson().lecture()->id == "udl-12-2");
  CHECK(person.session().selection() == first.session().selection());
  CHECK(person.session().state().pinned);
  CHECK(person.session().display().view == View::heads);
  CHECK(person.app.memory().get<FilesMemory>().recent == std::vector<std::string>{kept.string()});

  write_png(folder.path() / "plain.png", Image(2, 2));
  person.surface.drop({folder.path() / "plain.png"});
  person.surface.settle();
  REQUIRE_FALSE(person.app.memory().get<ProblemsCard>().problems.empty());
  CHECK(person.app.memory().get<ProblemsCard>().problems.front().found == "a picture without a setup");
  CHECK(person.session().setup() == first.session().setup());
  person.press(Key::escape);
  person.press({.key = Key::z, .ctrl = true});
  CHECK(person.session().setup() == lecture_session().setup());
}

TEST_CASE("the setup is saved under a name that is asked for once, and the title says when it differs") {
  const TemporaryFolder folder("save");
  Scripted person(lecture_session());
  person.press({.key = Key::s, .ctrl = true});
  REQUIRE(person.app.memory().opened<PathPrompt>());
  CHECK(person.app.memory().opened<PathPrompt>()->text.ends_with("from-scratch-in-numpy.headlight.toml"));
  person.retype((folder.path() / "mine").string());
  person.press(Key::enter);
  CHECK_FALSE(person.app.memory().opened<PathPrompt>());
  CHECK(read_setup(folder.path() / "mine.toml") == person.session().setup());
  CHECK(person.app.title() == "mine.toml · Headlight");

  person.press(Key::m);
  CHECK(person.app.title() == "mine.toml* · Headlight");
  person.press({.key = Key::s, .ctrl = true});
  CHECK_FALSE(person.app.memory().opened<PathPrompt>());
  CHECK(read_setup(folder.path() / "mine.toml").mask.has(MaskKind::causal));
  CHECK(person.app.title() == "mine.toml · Headlight");
  CHECK_FALSE(person.app.changed_outside());

  // The setup file belongs to the lecture that was open before, so the title no longer names it.
  Lesson(person.session()).open("udl-12-2");
  CHECK(person.app.title().find("mine.toml") == std::string::npos);
  person.press({.key = Key::s, .ctrl = true});
  CHECK(person.app.memory().opened<PathPrompt>());
}

TEST_CASE("a file is written again only with what was opened from it: another start asks, and undo returns to it") {
  const TemporaryFolder folder("starts");
  const auto file = folder.path() / "setup.toml";
  const Setup saved = with_seed(Setup{}, 7);
  write_text(file, write_setup(saved, folder.path()));
  const std::vector<std::pair<const char*, std::function<void(Session&)>>> ways{
      {"another setup", [](Session& session) { session.open_setup(with_sentence(Setup{}, "a new sentence")); }},
      {"a lecture", [](Session& session) { Lesson(session).open("bank"); }},
      {"a link", [](Session& session) { go_to(session, link_of(lecture_session("masks"))); }},
      {"a picture", [](Session& session) { go_to(session, snapshot_of(Session(with_seed(Setup{}, 9)))); }},
  };
  for (const auto& [name, open] : ways) {
    CAPTURE(name);
    Scripted person(lecture_session());
    person.app.open(file);
    person.surface.settle();
    CHECK(person.app.title().starts_with("setup.toml"));
    open(person.session());
    person.surface.settle();
    CHECK(person.app.title().find("setup.toml") == std::string::npos);
    person.press({.key = Key::s, .ctrl = true});
    CHECK(person.app.memory().opened<PathPrompt>());
    person.press(Key::escape);
    CHECK(read_setup(file) == saved);
    while (person.session().can_undo() && !(person.session().setup() == saved)) person.session().undo();
    person.surface.settle();
    CHECK(person.app.title().starts_with("setup.toml"));
    person.session().redo();
    person.surface.settle();
    CHECK(person.app.title().find("setup.toml") == std::string::npos);
  }
}

TEST_CASE("a name that exists is replaced only when a person says so twice") {
  const TemporaryFolder folder("replace");
  write_text(folder.path() / "old.toml", "old");
  Scripted person(lecture_session());
  person.press({.key = Key::s, .ctrl = true, .shift = true});
  person.retype((folder.path() / "old.toml").string());
  person.press(Key::enter);
  REQUIRE(person.app.memory().opened<PathPrompt>());
  CHECK(read_text(folder.path() / "old.toml") == "old");
  person.click(replace_button);
  CHECK_FALSE(person.app.memory().opened<PathPrompt>());
  CHECK(read_setup(folder.path() / "old.toml") == person.session().setup());
}

TEST_CASE("what cannot be saved is said in a card, and nothing is left") {
  const TemporaryFolder folder("refused");
  Scripted person(lecture_session());
  for (const std::string& path : {(folder.path() / "none/mine.toml").string(), std::string("/proc/mine.toml")}) {
    person.press({.key = Key::s, .ctrl = true});
    person.retype(path);
    person.press(Key::enter);
    CHECK_FALSE(person.app.memory().get<ProblemsCard>().problems.empty());
    person.press(Key::escape);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK(person.app.title().find("mine.toml") == std::string::npos);
}

TEST_CASE("a setup becomes the beginning of a lecture, which opens and follows its file") {
  const TemporaryFolder folder("begin");
  Scripted person(lecture_session("udl-12-2", 4));
  person.press(Key::m);
  person.session().show(View::heads);
  Selecting(person.session()).pin(Cell{TensorId::weights, {0, 1, 2, 0}});
  const Setup setup = person.session().setup();
  person.run("file.start_lecture");
  person.retype((folder.path() / "own.md").string());
  person.press(Key::enter);
  REQUIRE(person.session().lesson().lecture() != nullptr);
  CHECK(person.session().lesson().lecture()->id == "own");
  CHECK(person.session().setup() == setup);
  CHECK(person.session().cell() == Cell{TensorId::weights, {0, 1, 2, 0}});
  CHECK(person.session().display().view == View::heads);
  CHECK(person.session().lesson().lecture()->steps.size() == 1);
}

TEST_CASE("Tab completes a path, the arrows choose in the folder, and Enter goes in and opens") {
  const TemporaryFolder folder("completion");
  std::filesystem::create_directories(folder.path() / "lessons");
  write_text(folder.path() / "lessons" / "one.toml", write_setup(lecture_session("valid-lengths").setup()));
  write_text(folder.path() / "notes.txt", "");
  Scripted person(lecture_session());
  person.press({.key = Key::o, .ctrl = true});
  person.retype((folder.path() / "le").string());
  person.press(Key::tab);
  CHECK(person.app.memory().opened<PathPrompt>()->text == (folder.path() / "lessons").string() + "/");
  CHECK(person.app.memory().opened<PathPrompt>()->entries == std::vector<PathEntry>{{"one.toml", false}});
  person.press(Key::down);
  person.press(Key::enter);
  CHECK_FALSE(person.app.memory().opened<PathPrompt>());
  CHECK(person.session().setup() == lecture_session("valid-lengths").setup());
  CHECK(person.app.title() == "one.toml · Headlight");

  // When the card opens again, it offers the file before anything is typed, and the text starts with its folder.
  person.press({.key = Key::o, .ctrl = true});
  CHECK(person.app.memory().opened<PathPrompt>()->text == (folder.path() / "lessons").string() + "/");
  person.press(Key::escape);
  CHECK_FALSE(person.app.memory().opened<PathPrompt>());
}

TEST_CASE("the row that the arrows choose is in sight, clear of the faded ends of the list") {
  const TemporaryFolder folder("long list");
  for (int i = 0; i < 40; ++i) std::filesystem::create_directories(folder.path() / fmt::format("folder {:02}", i));
  Scripted person(lecture_session());
  const auto bar = [&](int row, std::string_view name) {
    const Rect r = person.item(fmt::format("{}/{}", row, name));
    return person.surface.settled_picture().at(static_cast<int>(r.x) + 1, static_cast<int>(r.center().y));
  };
  const Color lamp = theme(ThemeName::dark).lamp;
  const auto walk = [&](std::string_view name, int first) {
    for (int row = first; row < 25; ++row) person.press(Key::down);
    CHECK(bar(24, name) == lamp);
    for (int row = 24; row > 3; --row) person.press(Key::up);
    CHECK(bar(3, name) == lamp);
  };

  person.press({.key = Key::o, .ctrl = true});
  person.retype(folder.path().string() + "/");
  walk("choice", 0);
  person.press(Key::escape);
  person.press({.key = Key::k, .ctrl = true});
  walk("row", 1);
}

TEST_CASE("names of kept files never take another file's place") {
  const TemporaryFolder folder("names");
  const auto first = free_name(folder.path(), 1'000'000'000, ".png");
  write_text(first, "x");
  const auto second = free_name(folder.path(), 1'000'000'000, ".png");
  CHECK(first != second);
  CHECK(second.filename().string().ends_with("-2.png"));
}

TEST_CASE("the folders of pictures, documents and downloads are the desktop's own") {
  const TemporaryFolder home("home");
  const auto environment = [&](const char* name) -> const char* {
    return std::string_view(name) == "HOME" ? home.path().c_str() : nullptr;
  };
  CHECK(pictures_folder(environment) == home.path() / "Pictures");
  std::filesystem::create_directories(home.path() / ".config");
  write_text(home.path() / ".config/user-dirs.dirs",
             "# words\nXDG_MUSIC_DIR=\"$HOME/M\"\nXDG_PICTURES_DIR=\"$HOME/Bilder\"\n");
  CHECK(pictures_folder(environment) == home.path() / "Bilder");
  CHECK(documents_folder(environment) == home.path() / "Documents");
  write_text(home.path() / ".config/user-dirs.dirs",
             "XDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"\nXDG_DOWNLOAD_DIR=\"/srv/in\"\n");
  CHECK(documents_folder(environment) == home.path() / "Dokumente");
  CHECK(downloads_folder(environment) == "/srv/in");
}

TEST_CASE("numbers, rows and matrices go to the clipboard") {
  Scripted person(lecture_session("numpy-from-scratch", 4));
  person.press({.key = Key::c, .ctrl = true});
  const double value = std::stod(person.surface.clipboard());
  CHECK(value == person.session().trace().value(person.session().cell()));
}

TEST_CASE("the interface scales with Ctrl and stays a whole layout") {
  Scripted person(lecture_session());
  person.press({.key = Key::equal, .ctrl = true});
  CHECK(person.app.look().ui_scale == 1.1f);
  person.press({.key = Key::digit_0, .ctrl = true});
  CHECK(person.app.look().ui_scale == 1);
  person.press({.key = Key::f5, .shift = true});
  CHECK(person.app.look().ui_scale == 1.5f);
  CHECK(person.app.look().theme == ThemeName::light);
}

TEST_CASE("presenting fits the slide to the screen, and leaves the window as it was") {
  Scripted person(lecture_session("numpy-from-scratch", 3), 1280, 720);
  const SurfaceLook before = person.app.look();
  person.click_item("present");
  CHECK(person.app.look().full_screen);
  CHECK(person.app.look().fitted == slide_size);
  CHECK_FALSE(person.has_item("present"));  // no bar
  CHECK(person.item("steps/3/step").right() ==
        doctest::Approx(4 * slide_size.x / static_cast<float>(person.session().lesson().step_count())));
  person.click_item("steps/4/step");
  CHECK(person.session().lesson().at.index == 4);
  person.press(Key::page_down);
  CHECK(person.session().lesson().at.index == 5);
  person.press(Key::escape);
  CHECK(person.app.look() == before);
  CHECK(person.has_item("present"));
}

TEST_CASE("on a slide a cell lights under the mouse, and a click pins it") {
  Scripted person(lecture_session("numpy-from-scratch", 3), 1280, 720);
  person.press(Key::f5);
  const Rect cells = person.item("result/cells");
  person.surface.move_mouse(cells.center());
  person.surface.settle();
  REQUIRE(person.session().state().hovered.has_value());
  const Cell cell = *person.session().state().hovered;
  person.click(cells.center());
  CHECK(person.session().state().pinned);
  CHECK(person.session().cell() == cell);
}

TEST_CASE("a black screen is black, and the circle follows the pointer") {
  Scripted person(lecture_session(), 640, 360);
  person.press(Key::f5);
  person.surface.move_mouse({320, 180});
  const Image plain = person.surface.settled_picture();
  person.press(Key::c);
  const Image circled = person.surface.settled_picture();
  CHECK(circled.at(320 + 24, 180) != plain.at(320 + 24, 180));
  CHECK(circled.at(500, 5) == plain.at(500, 5));
  person.press(Key::b);
  const Image black = person.surface.settled_picture();
  for (int x = 0; x < 640; x += 40) CHECK(black.at(x, 40) == Color{0, 0, 0, 255});
}

TEST_CASE("when nothing happens, nothing asks for a frame") {
  const Captured model(3);
  for (View view : all_views) {
    // The view of a task needs one, and that of a model too.
    Scripted person(info(view).of_text   ? Session(offered_setup(TaskName::text))
                    : info(view).of_task ? lecture_session("learning", 11)
                                         : lecture_session(),
                    960, 600);
    if (info(view).of_model) person.surface.drop({model.path()});
    if (info(view).of_step) Lesson(person.session()).open(parse_lecture(picture_lesson, "a.md", "a"));
    person.session().show(view);
    person.surface.settle();
    person.surface.wait(1);
    CAPTURE(to_string(view));
    CHECK(std::isinf(person.surface.next_frame_in()));
  }
}

TEST_CASE("where a frame throws, everything is kept on disk all the same") {
  const TemporaryFolder folder("frame throws");
  const MemoryFiles files{folder.path() / "config" / "settings.toml", folder.path() / "state" / "session.toml"};
  Outside outside;
  outside.setup_file = [&](const Session& session) -> std::optional<Documents::SetupFile> {
    if (session.display().view == View::tokens) throw std::runtime_error("a fault in a frame");
    return std::nullopt;
  };
  HeadlightApp app(lecture_session("udl-12-2", 2), std::move(outside));
  app.memory().get<FilesMemory>().recent = {"/a/b.toml"};
  Offscreen surface(app, 640, 400);
  surface.settle();
  const auto work = [&] {
    surface.key({.key = Key::digit_3, .ctrl = true});
    surface.key({.key = Key::s, .ctrl = true});
    surface.settle();
    return WindowState::closed;
  };
  Keeper keeper(files, {}, std::make_shared<Threads>());
  CHECK_THROWS_WITH_AS(run_and_remember(app, keeper, work), "a fault in a frame", std::runtime_error);
  CHECK(load_settings(files.settings).value.recent_files == std::vector<std::string>{"/a/b.toml"});
  const Snapshot kept = load_session(files.session).value;
  CHECK(kept.lecture == "udl-12-2");
  CHECK(kept.step == 2);
  CHECK(kept.display.view == View::tokens);
}

TEST_CASE("settings that cannot be kept do not keep the session from being") {
  const TemporaryFolder folder("settings refused");
  write_text(folder.path() / "config", "a file where a folder should be");
  const MemoryFiles files{folder.path() / "config" / "settings.toml", folder.path() / "state" / "session.toml"};
  HeadlightApp app(lecture_session("udl-12-2", 2));
  app.memory().get<FilesMemory>().recent = {"/a/b.toml"};
  Keeper keeper(files, {}, std::make_shared<Threads>());
  CHECK_THROWS(run_and_remember(app, keeper, [] { return WindowState::closed; }));
  CHECK(load_session(files.session).value.lecture == "udl-12-2");
}

TEST_CASE("closing the window and Ctrl+Q end the app") {
  Scripted closed(lecture_session(), 640, 400);
  closed.surface.close();
  CHECK(closed.surface.closed());
  Scripted quit(lecture_session(), 640, 400);
  quit.surface.key({.key = Key::q, .ctrl = true});
  CHECK(quit.surface.closed());
}

TEST_CASE("every action runs from every view and leaves a valid setup") {
  for (const char* lecture : {"numpy-from-scratch", "valid-lengths"}) {
    Scripted person(lecture_session(lecture), 720, 400);
    for (View view : all_views) {
      for (const Action& action : actions()) {
        if (action.id == "quit") continue;
        CAPTURE(action.id);
        person.session().show(view);
        run(action, person.session());
        person.surface.frames(1);
        CHECK(problems(person.session().setup()).empty());
      }
    }
  }
}
