// What a person does is on disk while they do it, from any number of windows.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "app/session/checking.hpp"
#include "app/session/lesson.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/shell/keeper.hpp"
#include "app/shell/session_files.hpp"
#include "core/formats/files.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/setup/edits.hpp"
#include "lectures.hpp"
#include "monkey.hpp"
#include "tests/core/full_disk.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

constexpr std::chrono::milliseconds no_pause(0);

MemoryFiles files_in(const TemporaryFolder& folder) {
  return {folder.path() / "config" / "settings.toml", folder.path() / "state" / "session.toml"};
}

/// Waits until the condition holds; false only after so long that it never will.
bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// A window that starts with what is on disk.
struct Restarted {
  Documents documents;
  Session session;

  explicit Restarted(const Snapshot& place) {
    documents.load_lectures(session);
    documents.resume(session, place);
  }
};

int rounds_asked_for() {
  const char* asked = std::getenv("HEADLIGHT_RANDOM_EVENTS");
  return asked ? std::atoi(asked) : 60;
}

KeptState state_of(std::string_view lecture, std::size_t step) {
  const Session session = lecture_session(lecture, step);
  return {{}, kept_snapshot(session)};
}

}  // namespace

TEST_CASE("whatever is done comes to disk by itself, and the next start finds exactly that") {
  const TemporaryFolder folder("keeper");
  const MemoryFiles files = files_in(folder);
  Setup mine = lecture_session().setup();
  mine.title = "My own";
  std::ofstream(folder.path() / "good.toml") << write_setup(mine);
  Scripted person(lecture_session());
  Monkey monkey(person, {folder.path() / "good.toml", folder.path() / "none.toml"}, 11);
  Keeper keeper(files, {}, std::make_shared<Threads>(), no_pause);
  run_and_remember(person.app, keeper, [&] {
    for (int i = 0; i < rounds_asked_for(); ++i) {
      CAPTURE(i);
      monkey.act();
      person.surface.frames(1);
      const KeptState now = kept_of(person.app);
      REQUIRE(comes_true([&] {
        return load_session(files.session).value == now.snapshot && load_settings(files.settings).value == now.settings;
      }));
      Restarted again(load_session(files.session).value);
      Snapshot found = kept_snapshot(again.session);
      if (const auto file = again.documents.setup_file(again.session)) found.setup_file = file->path.string();
      REQUIRE(found == now.snapshot);
    }
    return WindowState::closed;
  });
}

TEST_CASE("what is still being computed is kept as it was asked for") {
  Session session = lecture_session();
  session.compute_in_background(0);
  const Setup wanted = with_heads(session.setup(), 4);
  session.edit(wanted);
  REQUIRE(session.state().computing);
  CHECK(kept_snapshot(session).setup == wanted);
  Lesson(session).open("udl-12-2", 6);
  REQUIRE(session.state().computing);
  const Restarted again(kept_snapshot(session));
  session.wait();
  CHECK(kept_snapshot(again.session) == kept_snapshot(session));
  CHECK(again.session.lesson().lecture()->id == "udl-12-2");
  CHECK(again.session.lesson().at.index == 6);
}

TEST_CASE("a step that is still being computed is kept with its own view, and links to it have that") {
  Session session = lecture_session("bank", 3);
  REQUIRE(session.display().view == View::picture);
  session.compute_in_background(0);
  Lesson(session).open("numpy-from-scratch", 4);
  REQUIRE(session.state().computing);
  REQUIRE(session.display().view == View::picture);  // the step before still shows
  const Snapshot kept = kept_snapshot(session);
  const SharedLink link = link_of(session);
  session.wait();
  REQUIRE(session.display().view != View::picture);
  CHECK(kept.display.view == session.display().view);
  CHECK(to_text(link, "") == to_text(link_of(session), ""));
}

TEST_CASE("a lecture and a setup from files are open again at the next start, and saving writes there") {
  const TemporaryFolder folder("resume");
  const std::filesystem::path file = folder.path() / "mine.md";
  Documents documents;
  Session session;
  documents.load_lectures(session);
  documents.start_lecture(session, file);
  const std::filesystem::path setup = folder.path() / "mine.toml";
  documents.save_setup(session, setup);
  Snapshot place = kept_snapshot(session);
  place.lecture_file = file.string();
  place.setup_file = setup.string();

  Restarted again(place);
  REQUIRE(again.session.lesson().lecture() != nullptr);
  CHECK(again.session.lesson().lecture()->id == "mine");
  REQUIRE(again.documents.setup_file(again.session).has_value());
  CHECK(again.documents.setup_file(again.session)->path == setup);
  CHECK_FALSE(again.documents.setup_file(again.session)->differs);

  std::filesystem::remove(file);
  std::filesystem::remove(setup);
  Restarted without(place);
  CHECK(without.session.lesson().lecture() == nullptr);
  CHECK_FALSE(without.documents.setup_file(without.session).has_value());
  CHECK(without.session.state().notice.find("mine") != std::string::npos);
}

TEST_CASE("arrays that were being checked are checked again at the next start, read anew") {
  const TemporaryFolder folder("resume-work");
  const std::filesystem::path file = folder.path() / "mine.txt";
  write_file(file, "att = [[1.0, 0.0], [0.0, 1.0]]");
  Documents documents;
  Session session;
  documents.check(session, file);
  CheckedWork work = with_name(session.state().checking.work(), "att", "weights");
  work.tolerance.absolute = 0.5;
  Checking(session).set_work(work);
  const Snapshot place = kept_snapshot(session);
  CHECK(place.work.file == file.string());

  Restarted again(place);
  CHECK(again.session.state().checking.work().shown);
  CHECK(again.session.state().checking.work().names == work.names);
  CHECK(again.session.state().checking.work().tolerance == work.tolerance);
  REQUIRE(again.session.state().checking.work().given);
  CHECK(again.session.state().checking.work().given->arrays.front().name == "att");
  CHECK(again.documents.watches());
  CHECK(kept_snapshot(again.session) == place);

  std::filesystem::remove(file);
  const Restarted without(place);
  CHECK_FALSE(without.session.state().checking.work().given);
  REQUIRE_FALSE(without.session.state().checking.work().problems.empty());
  CHECK(without.session.state().checking.work().problems.front().message().find("mine.txt") != std::string::npos);
}

TEST_CASE("many changes at once leave the last one") {
  const TemporaryFolder folder("last one");
  const MemoryFiles files = files_in(folder);
  Keeper keeper(files, {}, std::make_shared<Threads>());
  KeptState state = state_of("udl-12-2", 0);
  for (std::size_t step = 0; step < 11; ++step) {
    state.snapshot.step = step;
    keeper.keep(state);
  }
  CHECK(comes_true([&] { return load_session(files.session).value == state.snapshot; }));
  state.snapshot.step = 3;
  keeper.finish(state);
  CHECK(load_session(files.session).value.step == 3);
}

TEST_CASE("what cannot be kept is said once, and kept as soon as it can be") {
  const TemporaryFolder folder("refused");
  const MemoryFiles files = files_in(folder);
  std::ofstream(folder.path() / "state") << "in the way";
  Keeper keeper(files, {}, std::make_shared<Threads>(), no_pause);
  KeptState state = state_of("udl-12-2", 1);
  keeper.keep(state);
  std::string problem;
  CHECK(comes_true([&] { return !(problem = keeper.take_problem()).empty(); }));
  CHECK(problem.find("session.toml") != std::string::npos);
  state.snapshot.step = 2;
  keeper.keep(state);
  state.settings.hint_seen = true;  // its file can be written
  keeper.keep(state);
  CHECK(comes_true([&] { return load_settings(files.settings).value.hint_seen; }));
  CHECK(keeper.take_problem().empty());
  CHECK_THROWS(keeper.finish(state));
  std::filesystem::remove(folder.path() / "state");
  Keeper later(files, state.settings, std::make_shared<Threads>(), no_pause);
  later.finish(state);
  CHECK(load_session(files.session).value == state.snapshot);
}

TEST_CASE("what could not be kept is tried again, and nobody has to do anything for that") {
  const TemporaryFolder folder("again");
  const MemoryFiles files = files_in(folder);
  std::ofstream(folder.path() / "state") << "in the way";
  Keeper keeper(files, {}, std::make_shared<Threads>(), no_pause);
  const KeptState state = state_of("udl-12-2", 1);
  keeper.keep(state);
  CHECK(comes_true([&] { return !keeper.take_problem().empty(); }));
  std::filesystem::remove(folder.path() / "state");
  CHECK(comes_true([&] { return load_session(files.session).value == state.snapshot; }));
  CHECK(keeper.take_problem().empty());
  std::filesystem::remove_all(folder.path() / "state");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK_FALSE(std::filesystem::exists(files.session));  // what is kept is not written again
}

TEST_CASE("what found no room on the disk is kept once there is some") {
  const TemporaryFolder folder("full");
  const MemoryFiles files = files_in(folder);
  Keeper keeper(files, {}, std::make_shared<Threads>(), no_pause);
  const KeptState state = state_of("udl-12-2", 1);
  {
    const FullDisk disk(10);
    keeper.keep(state);
    CHECK(comes_true([&] { return !keeper.take_problem().empty(); }));
    CHECK_FALSE(std::filesystem::exists(files.session));
  }
  CHECK(comes_true([&] { return load_session(files.session).value == state.snapshot; }));
}

TEST_CASE("a program that holds the lock of the settings keeps nobody from writing them") {
  const TemporaryFolder folder("stuck");
  const MemoryFiles files = files_in(folder);
  std::filesystem::create_directories(files.settings.parent_path());
  const auto stuck = FileLock::if_free(files.settings);
  REQUIRE(stuck);
  Keeper keeper(files, {}, std::make_shared<Threads>(), no_pause);
  KeptState state = state_of("udl-12-2", 1);
  state.settings.hint_seen = true;
  const auto begin = std::chrono::steady_clock::now();
  keeper.keep(state);
  state.settings.appearance.scale = 1.5;
  keeper.finish(state);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
  CHECK(load_settings(files.settings).value == state.settings);
}

TEST_CASE("two windows share their settings: each writes what was changed in it") {
  const TemporaryFolder folder("two windows");
  const MemoryFiles files = files_in(folder);
  const MemoryFiles other_files{files.settings, folder.path() / "state" / "session-2.toml"};
  const auto threads = std::make_shared<Threads>();
  Keeper one(files, {}, threads, no_pause);
  Keeper two(other_files, {}, threads, no_pause);
  KeptState first = state_of("udl-12-2", 1);
  KeptState second = state_of("valid-lengths", 2);

  first.settings.appearance.theme = ThemeName::light;
  first.settings = with_recent_file(first.settings, "/a.toml");
  one.keep(first);
  second.settings.appearance.setup_width = 400;
  second.settings.export_choices.digits = 7;
  second.settings = with_recent_file(second.settings, "/b.toml");
  two.keep(second);
  const auto both = [&](const std::vector<std::string>& recent, ThemeName theme) {
    const Settings found = load_settings(files.settings).value;
    std::vector<std::string> sorted = found.recent_files;
    std::sort(sorted.begin(), sorted.end());
    return sorted == recent && found.appearance.theme == theme && found.appearance.setup_width == 400 &&
           found.export_choices.digits == 7;
  };
  CHECK(comes_true([&] { return both({"/a.toml", "/b.toml"}, ThemeName::light); }));
  second.settings = with_recent_file(second.settings, "/c.toml");
  two.finish(second);
  CHECK(both({"/a.toml", "/b.toml", "/c.toml"}, ThemeName::light));
  CHECK(load_settings(files.settings).value.recent_files.front() == "/c.toml");
  first.settings.appearance.theme = ThemeName::dark;
  one.finish(first);
  CHECK(both({"/a.toml", "/b.toml", "/c.toml"}, ThemeName::dark));
  CHECK(load_session(files.session).value == first.snapshot);
  CHECK(load_session(other_files.session).value == second.snapshot);
}

TEST_CASE("two windows add to what was seen of the lectures, and one forgets only what it is told to") {
  const TemporaryFolder folder("two readers");
  const auto file = folder.path() / "settings.toml";
  Settings known;
  known.marks["meaning"] = {StepMark::seen, StepMark::first_try};
  known.marks["scale"] = {StepMark::seen};
  save_changes({}, known, file);
  CHECK(load_settings(file).value == known);
  Settings one = known, two = known;
  one.marks["meaning"].push_back(StepMark::second_try);
  one.marks["masks"] = {StepMark::none, StepMark::none, StepMark::shown};
  one.marks.erase("scale");
  two.marks["masks"] = {StepMark::seen};
  two.marks["meaning"] = {StepMark::seen, StepMark::first_try, StepMark::none, StepMark::seen};
  save_changes(known, one, file);
  CHECK(load_settings(file).value == one);
  save_changes(known, two, file);
  const LectureMarks found = load_settings(file).value.marks;
  CHECK(found.at("meaning") == std::vector{StepMark::seen, StepMark::first_try, StepMark::second_try, StepMark::seen});
  CHECK(found.at("masks") == std::vector{StepMark::seen, StepMark::none, StepMark::shown});
  std::ofstream(file) << "[lectures.meaning]\n0 = \"seen\"\n1 = \"seen\"\n2 = \"well\"\n3 = 4\n1000001 = \"seen\"\n";
  CHECK(load_settings(file).value.marks.at("meaning") == std::vector{StepMark::seen});
}

TEST_CASE("what a later version wrote into the settings stays there") {
  const TemporaryFolder folder("later version");
  const auto file = folder.path() / "settings.toml";
  std::ofstream(file) << "future = [1, 2]\ntheme = \"light\"\n[export]\nalso = true\n";
  const Settings known = load_settings(file).value;
  Settings mine = known;
  mine.appearance.scale = 1.5;
  save_changes(known, mine, file);
  const std::string text = read_text(file);
  CHECK(text.find("future = [1, 2]") != std::string::npos);
  CHECK(text.find("also = true") != std::string::npos);
  CHECK(load_settings(file).value == mine);
}

TEST_CASE("every window has a place of its own, and a start finds the one that was left last") {
  const TemporaryFolder folder("places");
  const auto first = folder.path() / "state" / "session.toml";
  const auto second = folder.path() / "state" / "session-2.toml";
  const auto write = [](const SessionFile& place, std::string_view words, int minutes) {
    std::ofstream(place.file) << words;
    std::filesystem::last_write_time(
        place.file, std::filesystem::file_time_type::clock::now() + std::chrono::minutes(minutes - 100));
  };
  {
    const SessionFile one = take_session_file(first, Start::go_on);
    CHECK(one.file == first);
    write(one, "one", 1);
    const SessionFile two = take_session_file(first, Start::go_on);
    CHECK(two.file == second);
    write(two, "two", 2);
    CHECK(take_session_file(first, Start::go_on).file == folder.path() / "state" / "session-3.toml");
  }
  const SessionFile last = take_session_file(first, Start::go_on);
  CHECK(last.file == second);
  CHECK(take_session_file(first, Start::go_on).file == first);
}

TEST_CASE("a start with a lecture of its own takes no place away") {
  const TemporaryFolder folder("afresh");
  const auto first = folder.path() / "session.toml";
  for (int start = 0; start < most_session_files + 3; ++start) {
    const SessionFile place = take_session_file(first, Start::afresh);
    CHECK(place.file == first);
    CHECK_FALSE(std::filesystem::exists(first));
    std::ofstream(first) << start;
    std::filesystem::last_write_time(first,
                                     std::filesystem::file_time_type::clock::now() + std::chrono::minutes(start - 100));
  }
  std::vector<int> kept;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (entry.path().extension() == ".toml") kept.push_back(std::stoi(read_text(entry.path())));
  std::sort(kept.begin(), kept.end());
  REQUIRE(kept.size() == most_session_files);
  for (int i = 0; i < most_session_files; ++i)
    CHECK(kept[static_cast<std::size_t>(i)] == i + 3);  // the oldest are gone
  CHECK(take_session_file({}, Start::go_on).file.empty());
}

TEST_CASE("more windows than places that are kept get places too") {
  const TemporaryFolder folder("many windows");
  const auto first = folder.path() / "session.toml";
  std::vector<SessionFile> open;
  for (int i = 0; i < most_session_files + 2; ++i) {
    open.push_back(take_session_file(first, i % 2 == 0 ? Start::go_on : Start::afresh));
    std::ofstream(open.back().file) << i;
  }
  for (int i = 0; i < most_session_files + 2; ++i)
    CHECK(read_text(open[static_cast<std::size_t>(i)].file) == std::to_string(i));
}

TEST_CASE("a place whose setup cannot be read is set aside, so that it is not lost") {
  const TemporaryFolder folder("unreadable");
  const auto file = folder.path() / "session.toml";
  std::ofstream(file) << "lecture = \"udl-12-2\"\nsetup = \"version = 1\\nheads = 0\"\n";
  const auto loaded = load_session(file);
  CHECK(loaded.value.lecture == "udl-12-2");
  CHECK(loaded.message.find("session.toml.damaged") != std::string::npos);
  CHECK(std::filesystem::exists(folder.path() / "session.toml.damaged"));
}
