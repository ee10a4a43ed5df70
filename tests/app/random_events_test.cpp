// Random input must not crash the app: keys, clicks, drags, wheel turns, window sizes, and dropped files.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "core/formats/setup/setup_file.hpp"
#include "core/setup/validity.hpp"
#include "monkey.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// The number of events. HEADLIGHT_RANDOM_EVENTS can ask for more than an ordinary run has time for.
int events_asked_for() {
  const char* asked = std::getenv("HEADLIGHT_RANDOM_EVENTS");
  return asked ? std::atoi(asked) : 1500;
}

/// HEADLIGHT_RANDOM_SEED can ask for other events.
unsigned seed_asked_for() {
  const char* asked = std::getenv("HEADLIGHT_RANDOM_SEED");
  return asked ? static_cast<unsigned>(std::atoi(asked)) : 7;
}

/// With `in_background` the worker computes while frames are drawn; otherwise each frame waits for the numbers.
void survive_random_events(bool in_background) {
  const TemporaryFolder folder("events");
  Setup mine = lecture_session().setup();
  mine.sizes.heads = 4;
  std::ofstream(folder.path() / "good.toml") << write_setup(mine);
  std::ofstream(folder.path() / "bad.toml") << "[sizes]\nheads = 3\n";
  std::ofstream(folder.path() / "bytes.md") << std::string("\0\xff\xfe", 3);

  Session session(mine, std::int64_t{32} << 20);
  if (in_background) session.compute_in_background(0);
  Documents().load_lectures(session);
  const std::shared_ptr<const Trace> start = session.state().trace;
  Scripted person(std::move(session), 1280, 720);
  Monkey monkey(person,
                {folder.path() / "good.toml", folder.path() / "bad.toml", folder.path() / "bytes.md",
                 folder.path() / "none.toml"},
                seed_asked_for());
  for (int i = 0; i < events_asked_for(); ++i) {
    CAPTURE(i);
    monkey.act();
    REQUIRE(problems(person.session().setup()).empty());
    REQUIRE(contains(person.session().setup(), person.session().cell()));
  }
  constexpr double as_long_as_it_takes = 600;
  person.session().wait(as_long_as_it_takes);
  while (person.session().can_undo()) {
    person.session().undo();
    person.session().wait(as_long_as_it_takes);
  }
  REQUIRE(person.session().setup() == start->setup);
  for (const TensorInfo& tensor : all_tensors()) {
    CAPTURE(tensor.name);
    REQUIRE(person.session().trace().has(tensor.id) == start->has(tensor.id));
    if (start->has(tensor.id)) CHECK(identical(person.session().trace()[tensor.id], (*start)[tensor.id]));
  }
}

}  // namespace

TEST_CASE("random events never make an invalid setup, and undo leads back to the start bit for bit") {
  survive_random_events(false);
}

TEST_CASE("random events while the worker computes: no invalid setup, and undo leads back to the start bit for bit") {
  survive_random_events(true);
}
