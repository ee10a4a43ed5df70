#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include "app/platform/child_process.hpp"
#include "app/platform/machine_error.hpp"

using namespace headlight;

namespace {

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

int wait_for(ChildProcess& child, std::string* said = nullptr) {
  for (;;) {
    const auto code = child.ended();
    if (said != nullptr) *said += child.read_errors();
    if (code) return *code;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

TEST_CASE("a program's words and its code come back") {
  ChildProcess child(shell("echo out; echo 'one two' >&2; exit 7"));
  std::string said;
  CHECK(wait_for(child, &said) == 7);
  CHECK(said == "one two\n");
  CHECK(child.ended() == 7);
}

// Skipped here: the next test runs it in a copy of this program, because it deletes its own executable.
TEST_CASE("a program whose file is gone starts itself" * doctest::skip()) {
  std::filesystem::remove(std::filesystem::read_symlink("/proc/self/exe"));
  ChildProcess child({this_program(), "--version"});
  REQUIRE(wait_for(child) == 0);
}

TEST_CASE("a program that was replaced or removed while it runs is started once more all the same") {
  const auto copy = std::filesystem::temp_directory_path() / ("headlight-test-gone-" + std::to_string(::getpid()));
  std::filesystem::copy_file("/proc/self/exe", copy);
  ChildProcess child({copy.string(), "--no-skip", "--test-case=a program whose file is gone starts itself"});
  CHECK(wait_for(child) == 0);
  CHECK_FALSE(std::filesystem::exists(copy));
  std::filesystem::remove(copy);
}

TEST_CASE("arguments arrive as they are") {
  ChildProcess child({"/bin/sh", "-c", "printf '%s|' \"$@\" >&2", "name", "a b", "", "$HOME", "'"});
  std::string said;
  CHECK(wait_for(child, &said) == 0);
  CHECK(said == "a b||$HOME|'|");
}

TEST_CASE("a program that is asked to end ends, and one that nobody wants any more too") {
  ChildProcess child(shell("sleep 100"));
  CHECK_FALSE(child.ended());
  child.terminate();
  CHECK(wait_for(child) == 128 + 15);
  { const ChildProcess forgotten(shell("sleep 100")); }
}

TEST_CASE("a program that ignores the request to end is killed a second later, and nobody waits for it") {
  ChildProcess stubborn(shell("trap '' TERM; echo ready >&2; while :; do sleep 0.1; done"));
  std::string said;
  while (said.empty()) said += stubborn.read_errors();
  stubborn.terminate();
  CHECK_FALSE(stubborn.ended());
  CHECK(wait_for(stubborn) == 128 + 9);
  { const ChildProcess forgotten(shell("trap '' TERM; while :; do sleep 0.1; done")); }
}

TEST_CASE("what cannot be started says so") { CHECK_THROWS_AS(ChildProcess({"/none/such"}), MachineError); }
