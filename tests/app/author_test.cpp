// A lecture is begun from what is on the screen, goes on in the person's own editor, and takes what is shown as a step.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/shell/editor.hpp"
#include "app/view_table.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/problems_card.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/lecture/check.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// Begins a lecture with the present setup, in a file of the folder.
std::filesystem::path begin_lecture(Scripted& person, const TemporaryFolder& folder) {
  const std::filesystem::path file = folder.path() / "mine.md";
  person.run("file.start_lecture");
  person.retype(file.string());
  person.press(Key::enter);
  REQUIRE(person.session().lesson().lecture() != nullptr);
  REQUIRE(person.session().lesson().lecture()->id == "mine");
  return file;
}

void make_program(const std::filesystem::path& file, const std::string& script = "") {
  std::ofstream(file) << "#!/bin/sh\n" << script;
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

}  // namespace

TEST_CASE(
    "what is shown becomes a step of the lecture's file as it is then, also where another program has changed it") {
  const TemporaryFolder folder("author");
  Scripted person(lecture_session("numpy-from-scratch", 4), 1280, 720);
  const std::filesystem::path file = begin_lecture(person, folder);
  Setup other = person.session().setup();
  other.attention.temperature = 2;
  REQUIRE(person.session().edit(other).empty());
  person.session().show(View::heads);
  Selecting(person.session()).pin({TensorId::weights, {0, 1, 2, 0}});
  person.surface.settle();

  const std::string elsewhere = read_text(file) + "\n## Second step\n\nWritten by another program.\n";
  write_file(file, elsewhere);
  person.run("file.add_step");
  const std::string text = read_text(file);
  CHECK(text.starts_with(elsewhere));
  const Lecture saved = read_lecture(file, lecture_views());
  REQUIRE(saved.steps.size() == 3);
  CHECK(saved.steps[1].title == "Second step");
  const Step& added = saved.steps[2];
  CHECK(added.look_at == Cell{TensorId::weights, {0, 1, 2, 0}});
  CHECK(added.view == "heads");
  CHECK(saved.setup_of(added) == other);
  for (const LessonResult& result : check_lessons(saved, {}, std::make_shared<Threads>(1))) CHECK(result.holds());
  REQUIRE(person.session().lesson().step_count() == 3);
  CHECK(person.session().lesson().at.index == 2);
  CHECK(person.session().setup() == other);
}

TEST_CASE("a step is added to the part of the lecture that it was made from") {
  const TemporaryFolder folder("author-parts");
  const std::filesystem::path file = folder.path() / "parts.md";
  write_file(file,
             "+++\ntitle = 'Parts'\n[setup]\n[[parts]]\nid = 'b'\n[parts.setup]\nsizes = { heads = 1 }\n+++\n"
             "## One\n\n## Two\n```step\npart = 'b'\n```");
  Scripted person(lecture_session());
  person.documents.open(person.session(), file);
  const Setup first = person.session().setup();
  person.run("file.add_step");
  const Lecture saved = read_lecture(file, lecture_views());
  REQUIRE(saved.steps.size() == 3);
  CHECK(saved.steps[2].part == 0);
  CHECK(saved.steps[2].set.empty());
  CHECK(saved.setup_of(saved.steps[2]) == first);
}

TEST_CASE("a file that is no lecture any more is left as it is, and the window says what is wrong with it") {
  const TemporaryFolder folder("author-wrong");
  Scripted person(lecture_session("numpy-from-scratch", 4), 1280, 720);
  const std::filesystem::path file = begin_lecture(person, folder);
  const std::string broken = read_text(file) + "\n## Half a step\n\n```step\ncell = \"nothing[0]\"\n```\n";
  write_file(file, broken);
  person.run("file.add_step");
  CHECK(read_text(file) == broken);
  REQUIRE_FALSE(person.app.memory().get<ProblemsCard>().problems.empty());
  CHECK(person.app.memory().get<ProblemsCard>().problems.front().message().find("nothing[0]") != std::string::npos);
}

TEST_CASE("a lecture of the program's own has no file to add a step to or to open") {
  Scripted person(lecture_session("numpy-from-scratch", 4));
  person.editor = "/bin/true";
  for (const char* action : {"file.add_step", "file.edit_lecture"}) {
    person.session().notify("");
    person.run(action);
    CHECK(person.session().state().notice.find("has no file") != std::string::npos);
  }
  Lesson(person.session()).close();
  CHECK_FALSE(action_named("file.add_step")->enabled(person.session()));
}

TEST_CASE("the lecture's file opens in the person's own editor, or the window says that there is none") {
  const TemporaryFolder folder("author-editor");
  Scripted person(lecture_session("numpy-from-scratch", 4), 1280, 720);
  const std::filesystem::path file = begin_lecture(person, folder);
  person.run("file.edit_lecture");
  CHECK(person.session().state().notice.starts_with("No editor found. Set VISUAL"));
  CHECK(person.session().state().notice.find(file.string()) != std::string::npos);

  const std::filesystem::path opened = folder.path() / "opened";
  make_program(folder.path() / "edit", "printf %s \"$1\" >" + opened.string() + ".part; mv " + opened.string() +
                                           ".part " + opened.string() + "\n");
  person.editor = (folder.path() / "edit").string();
  person.run("file.edit_lecture");
  CHECK(person.session().state().notice.starts_with("Opened mine.md in "));
  for (int tries = 0; tries < 1000 && !std::filesystem::exists(opened); ++tries) ::usleep(10'000);
  CHECK(read_text(opened) == file.string());
}

TEST_CASE("an editor is the first of VISUAL, EDITOR and the desktop's that is installed") {
  const TemporaryFolder folder("editors");
  std::map<std::string, std::string> variables{{"PATH", "/nowhere:" + folder.path().string()}};
  const Environment environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  using Words = std::vector<std::string>;
  CHECK(editor_command(environment, "/a b.md").empty());
  make_program(folder.path() / "xdg-open");
  CHECK(editor_command(environment, "/a b.md") == Words{"xdg-open", "/a b.md"});
  make_program(folder.path() / "nano");
  variables["EDITOR"] = "nano";
  CHECK(editor_command(environment, "/a b.md") == Words{"xdg-open", "/a b.md"});  // there is no terminal for it
  make_program(folder.path() / "x-terminal-emulator");
  CHECK(editor_command(environment, "/a b.md") == Words{"x-terminal-emulator", "-e", "nano", "/a b.md"});
  variables["VISUAL"] = "missing";
  CHECK(editor_command(environment, "/a b.md") == Words{"x-terminal-emulator", "-e", "nano", "/a b.md"});
  make_program(folder.path() / "code");
  variables["VISUAL"] = "code --wait";
  CHECK(editor_command(environment, "/a b.md") == Words{"code", "--wait", "/a b.md"});
}
