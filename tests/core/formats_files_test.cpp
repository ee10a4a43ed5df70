#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/formats/arrays/array_file.hpp"
#include "core/formats/arrays/npy.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/arrays/safetensors.hpp"
#include "core/formats/diagnose/given_arrays.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "tests/core/full_disk.hpp"
#include "tests/core/refused.hpp"
#include "tests/core/temporary_folder.hpp"

using namespace headlight;
using headlight::testing::FullDisk;
using headlight::testing::problem_of;
using headlight::testing::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

mode_t mode(const fs::path& path) {
  struct stat status{};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

}  // namespace

TEST_CASE("a file is read whole") {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\xFFz", 5);
  write_file(folder / "bytes", bytes);
  CHECK(read_bytes(folder / "bytes", 5) == bytes);
  write_file(folder / "text", "\xEF\xBB\xBFh\xC3\xA9");
  CHECK(read_text(folder / "text") == "h\xC3\xA9");
  write_file(folder / "empty", "");
  CHECK(read_text(folder / "empty").empty());
}

TEST_CASE("a path from the root needs no folder that the program runs in") {
  const fs::path before = fs::current_path();
  const TemporaryFolder folder;
  const fs::path gone = folder / "gone";
  fs::create_directory(gone);
  fs::current_path(gone);
  CHECK(from_root("a/../b.csv") == fs::current_path() / "b.csv");
  CHECK(folder_of("b.csv") == fs::current_path());
  fs::remove(gone);
  CHECK(from_root("a/../b.csv") == "b.csv");
  CHECK(from_root("/a/./b.csv") == "/a/b.csv");
  CHECK(folder_of("b.csv") == "");
  fs::current_path(before);
}

TEST_CASE("what an ended writer left is removed by the next one, and nothing else") {
  const TemporaryFolder folder;
  const fs::path left = folder / ".f.csv.headlight-4194999-0";
  const fs::path held = folder / ".f.csv.headlight-4194999-1";
  const std::vector<fs::path> others{folder / ".g.csv.headlight-4194999-0",
                                     folder / ".f.csv.old",
                                     folder / ".f.csv.2026-11",
                                     folder / ".f.csv.4194999-0",
                                     folder / ".f.csv.headlight-1-2.bak",
                                     folder / ".f.csv.headlight"};
  for (const fs::path& file : others) write_file(file, "half");
  for (const fs::path& file : {left, held}) write_file(file, "half");
  const int writer = ::open(held.c_str(), O_WRONLY | O_CLOEXEC);
  REQUIRE(::flock(writer, LOCK_EX | LOCK_NB) == 0);
  write_file(folder / "f.csv", "whole");
  CHECK_FALSE(fs::exists(left));
  CHECK(fs::exists(held));
  for (const fs::path& file : others) CHECK(fs::exists(file));
  ::close(writer);
  write_file(folder / "f.csv", "whole");
  CHECK_FALSE(fs::exists(held));
  CHECK(read_text(folder / "f.csv") == "whole");
}

TEST_CASE("what cannot be read is named") {
  const TemporaryFolder folder;
  const fs::path missing = folder / "missing.toml";
  CHECK(problem_of([&] { read_text(missing); }) ==
        Problem{missing.string(), "", "no such file", "the path of a file that exists"});
  CHECK(problem_of([&] { read_text(folder.path()); }).found == "a folder");
  write_file(folder / "large", std::string(2048, 'x'));
  CHECK(problem_of([&] { read_bytes(folder / "large", 1024); }).message() ==
        (folder / "large").string() + ": found a file of 2.0 KiB; allowed: up to 1.0 KiB");
  CHECK(problem_of([&] { read_text("/dev/zero", 1024); }) == Problem{"/dev/zero", "", "a device", "a file"});
  CHECK(problem_of([&] { read_text(folder / "large/inside"); }).found == "Not a directory");
}

TEST_CASE("a named pipe, on which reading would wait, is refused; a pipe without a name is read") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(problem_of([&] { read_text(folder / "pipe"); }).found == "a named pipe");
  CHECK(problem_of([&] { read_npy(folder / "pipe"); }).found == "a named pipe");
  CHECK(problem_of([&] { read_npz(folder / "pipe"); }).found == "a named pipe");
  CHECK(problem_of([&] { SafetensorsFile{folder / "pipe"}; }).found == "a named pipe");
  CHECK(problem_of([&] { read_given_arrays(folder / "pipe"); }).found == "a named pipe");

  int ends[2]{};
  REQUIRE(::pipe(ends) == 0);
  const fs::path nameless = "/dev/fd/" + std::to_string(ends[0]);
  REQUIRE(::write(ends[1], "piped", 5) == 5);
  ::close(ends[1]);
  CHECK(problem_of([&] { read_text(nameless, 4); }).found == "a file of more than 4 B");
  ::close(ends[0]);
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "piped", 5) == 5);
  ::close(ends[1]);
  for (int again = 0; again < 3; ++again) CHECK(read_text("/dev/fd/" + std::to_string(ends[0])) == "piped");
  ::close(ends[0]);
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "1 2\n3 4\n", 8) == 8);
  ::close(ends[1]);
  const auto arrays = read_given_arrays("/dev/fd/" + std::to_string(ends[0]));
  REQUIRE(arrays.size() == 1);
  CHECK(arrays[0].values.shape() == Shape{2, 2});
  ::close(ends[0]);
}

namespace {

/// A pipe that these bytes come through.
class Piped {
 public:
  explicit Piped(const std::string& bytes) {
    REQUIRE(::pipe(ends_) == 0);
    writer_ = std::thread([this, bytes] {
      for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t count = ::write(ends_[1], bytes.data() + at, bytes.size() - at);
        if (count < 0) break;
        at += static_cast<std::size_t>(count);
      }
      ::close(ends_[1]);
    });
  }
  ~Piped() {
    writer_.join();
    ::close(ends_[0]);
  }
  Piped(const Piped&) = delete;
  Piped& operator=(const Piped&) = delete;

  fs::path path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2]{};
  std::thread writer_;
};

}  // namespace

TEST_CASE("arrays that come through a pipe are read as from a file, and more than once") {
  const TemporaryFolder folder;
  const Tensor numbers = Tensor::zeros(Precision::float64, {300, 200});
  write_npz(folder / "a.npz", std::vector<NamedTensor>{{"X", numbers}});
  {
    const Piped pipe(read_bytes(folder / "a.npz", largest_piped));
    CHECK(ending_of(pipe.path()) == ".npz");
    CHECK(list_arrays(pipe.path()).size() == 1);
    CHECK(read_array(pipe.path(), "X").shape() == numbers.shape());
    CHECK(is_passing(pipe.path()));
    CHECK_FALSE(is_passing(folder / "a.npz"));
  }
  std::string array = npy_header(Precision::float64, {3});
  array.append(24, '\0');
  {
    const Piped pipe(array);
    CHECK(ending_of(pipe.path()) == ".npy");
    CHECK(read_array(pipe.path(), "").shape() == Shape{3});
    CHECK(read_given_arrays(pipe.path()).at(0).values.shape() == Shape{3});
  }
  const std::string header = R"({"W":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  std::string model(1, static_cast<char>(header.size()));
  model.append(7, '\0').append(header).append(8, '\0');
  {
    const Piped pipe(model);
    CHECK(ending_of(pipe.path()) == ".safetensors");
    CHECK(list_arrays(pipe.path()).size() == 1);
    CHECK(read_array(pipe.path(), "W").shape() == Shape{2});
  }
}

TEST_CASE("nothing is written to a named pipe that nobody reads, and waiting is for readers alone") {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(problem_of([&] { write_file(pipe, "x"); }).found == "a named pipe that nobody reads");
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  write_file(pipe, "x");
  char got = 0;
  CHECK(::read(reader, &got, 1) == 1);
  CHECK(got == 'x');
  ::close(reader);
}

TEST_CASE("a pipe whose writer is slow is read to its end") {
  int ends[2]{};
  REQUIRE(::pipe(ends) == 0);
  std::thread writer([&] {
    for (const char letter : std::string("slow")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      CHECK(::write(ends[1], &letter, 1) == 1);
    }
    ::close(ends[1]);
  });
  CHECK(read_text("/dev/fd/" + std::to_string(ends[0])) == "slow");
  writer.join();
  ::close(ends[0]);
}

namespace {

/// Exchanges two files again and again, as long as the object is there.
class Exchange {
 public:
  Exchange(const fs::path& a, const fs::path& b)
      : thread_([this, a, b] {
          while (!ended_) ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
        }) {}
  ~Exchange() {
    ended_ = true;
    thread_.join();
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

 private:
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a named pipe that takes a file's place keeps no reader waiting") {
  const TemporaryFolder folder;
  const fs::path file = folder / "file", pipe = folder / "pipe";
  const std::pair<std::string, void (*)(const fs::path&)> readers[] = {
      {"text", [](const fs::path& path) { read_text(path); }},
      {"npy", [](const fs::path& path) { read_npy(path); }},
      {"npz", [](const fs::path& path) { read_npz(path); }},
      {"safetensors", [](const fs::path& path) { SafetensorsFile{path}; }},
      {"given arrays", [](const fs::path& path) { read_given_arrays(path); }},
  };
  write_npz(file, std::vector<NamedTensor>{{"X", Tensor::zeros(Precision::float64, {2})}});
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const auto& [name, read] : readers) {
    CAPTURE(name);
    std::future<void> reading;
    {
      const Exchange exchange(file, pipe);
      reading = std::async(std::launch::async, [&] {
        for (int i = 0; i < 2000; ++i) problem_of([&] { read(file); });
      });
      CHECK(reading.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
    }
    // A reader that still waits goes on when somebody opens the pipe to write.
    for (const fs::path& path : {file, pipe}) ::close(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  }
}

TEST_CASE("bytes that are no UTF-8 text are named with their line") {
  for (const char* good :
       {"", "plain\n", "\xC3\xA9", "\xE2\x88\x92", "\xF0\x9F\x92\xA1", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"}) {
    CHECK_NOTHROW(require_text(good, "s"));
  }
  for (const char* bad : {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xF8\x88\x80\x80", "\xFF", "\xE2\x88", "\xF0\x8F\x80\x80"}) {
    CHECK_THROWS_AS_MESSAGE(require_text(bad, "s"), InputError, bad);
  }
  CHECK(problem_of([] { require_text("a\nb\xFF", "s"); }).found == "the byte 0xFF in line 2");
}

TEST_CASE("a file is replaced in one step") {
  const TemporaryFolder folder;
  const fs::path path = folder / "file.toml";
  write_file(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  {
    FileWriter writer(path);
    writer.append("ne");
    CHECK(read_text(path) == "old");
    writer.append("w");
    writer.commit();
  }
  CHECK(read_text(path) == "new");
  CHECK(mode(path) == 0600);
  CHECK(folder.entries() == 1);
}

TEST_CASE("a writer that does not commit leaves nothing behind") {
  const TemporaryFolder folder;
  const fs::path path = folder / "file.toml";
  write_file(path, "old");
  { FileWriter(path).append("half"); }
  CHECK(read_text(path) == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a new file has the permissions of any new file") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(0027);
  write_file(folder / "new", "x");
  ::umask(before);
  CHECK(mode(folder / "new") == 0640);
}

TEST_CASE("when the disk is full the old file stays, and nothing beside it") {
  const TemporaryFolder folder;
  const std::vector<NamedTensor> tensors{{"X", Tensor::zeros(Precision::float64, {100, 100})}};
  write_file(folder / "old.toml", "old");
  write_file(folder / "old.npz", "old");
  {
    const FullDisk disk(4096);
    CHECK(problem_of([&] { write_file(folder / "old.toml", std::string(10'000, 'x')); }).found ==
          "cannot write: File too large");
    CHECK(problem_of([&] { write_npz(folder / "old.npz", tensors); }).found.find("cannot write: ") == 0);
    CHECK(problem_of([&] { write_npz(folder / "new.npz", tensors); }).source == (folder / "new.npz").string());
  }
  CHECK(read_text(folder / "old.toml") == "old");
  CHECK(read_text(folder / "old.npz") == "old");
  CHECK(folder.entries() == 2);
}

TEST_CASE("a link is followed and stays a link") {
  const TemporaryFolder folder;
  write_file(folder / "real", "old");
  fs::create_symlink("real", folder / "link");
  write_file(folder / "link", "new");
  CHECK(read_text(folder / "real") == "new");
  CHECK(fs::is_symlink(folder / "link"));
}

TEST_CASE("what cannot be written is named, and nothing is left behind") {
  const TemporaryFolder folder;
  const fs::path nowhere = folder / "nowhere/file";
  CHECK(problem_of([&] { write_file(nowhere, "x"); }).source == nowhere.string());
  CHECK(problem_of([&] { write_file(folder.path(), "x"); }).found == "a folder");
  CHECK(problem_of([&] { write_file("", "x"); }).allowed != "");
  CHECK(problem_of([] { write_file("/dev/full", "x"); }).found == "cannot write: No space left on device");
  CHECK_NOTHROW(write_file("/dev/null", "x"));
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(folder.entries() == 0);
}
