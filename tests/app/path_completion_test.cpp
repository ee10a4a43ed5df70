#include <fstream>

#include <doctest/doctest.h>

#include "app/session/files/path_completion.hpp"
#include "tests/core/temporary_folder.hpp"

using namespace headlight;
using headlight::testing::TemporaryFolder;

namespace {

constexpr std::string_view endings[] = {".toml", ".md"};

std::vector<PathEntry> entries(const std::string& typed) { return entries_for(typed, "/home/me", endings); }

}  // namespace

TEST_CASE("a typed path lists the folders and the right files of its folder") {
  const TemporaryFolder folder;
  for (const char* name : {"b.toml", "a.md", "A2.toml", "picture.png", ".hidden.toml"}) std::ofstream(folder / name);
  for (const char* name : {"zoo", "Apples", ".git"}) std::filesystem::create_directory(folder / name);
  const std::string at = folder.path().string() + "/";
  CHECK(entries(at) == std::vector<PathEntry>{
                           {"Apples", true}, {"zoo", true}, {"a.md", false}, {"A2.toml", false}, {"b.toml", false}});
  CHECK(entries(at + "a") == std::vector<PathEntry>{{"Apples", true}, {"a.md", false}, {"A2.toml", false}});
  CHECK(entries(at + ".") == std::vector<PathEntry>{{".git", true}, {".hidden.toml", false}});
  CHECK(entries(at + "q").empty());
  CHECK(entries(at + "none/").empty());
}

TEST_CASE("a path is completed as far as all agree") {
  const std::vector<PathEntry> all{{"lessons", true}, {"lesson-1.toml", false}};
  CHECK(completed("/x/le", all) == "/x/lesson");
  CHECK(completed("le", all) == "lesson");
  CHECK(completed("/x/LESSONS", std::span(all).first(1)) == "/x/lessons/");
  CHECK(completed("/x/lesson-", std::span(all).last(1)) == "/x/lesson-1.toml");
  CHECK(completed("/x/q", {}) == "/x/q");
}

TEST_CASE("a tilde is the home folder") {
  CHECK(expanded("~/a.toml", "/home/me") == "/home/me/a.toml");
  CHECK(expanded("~", "/home/me") == "/home/me");
  CHECK(expanded("/x/~/a", "/home/me") == "/x/~/a");
}

TEST_CASE("a path from the root that is typed behind a folder counts alone") {
  CHECK(expanded("/home/me//tmp/a.toml", "/home/me") == "/tmp/a.toml");
  CHECK(expanded("//tmp/a.toml", "/home/me") == "/tmp/a.toml");
  CHECK(expanded("/home/me/a.toml", "/home/me") == "/home/me/a.toml");
}
