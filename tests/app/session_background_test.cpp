// A session that computes in the background: no edit waits for its numbers, which are the same as those of a session
// that waits.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

#include "../core/setups.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/setup/edits.hpp"
#include "lectures.hpp"
#include "tests/core/some_threads.hpp"

using namespace headlight;
using headlight::testing::small_setup;
using headlight::testing::some_threads;
using headlight::testing::two_part_lecture;

namespace {

Setup warmer(Setup setup, double temperature) {
  setup.attention.temperature = temperature;
  return setup;
}

/// A setup that the worker needs far longer to compute than the session needs for an edit.
Setup large_setup() {
  Setup setup = with_query_length(small_setup(), 1024);
  setup.sizes.batch = 2;
  return setup;
}

/// A session that computes even the smallest setup on the worker's thread.
Session background_session(const Setup& setup = small_setup()) {
  Session session(setup);
  session.compute_in_background(0);
  return session;
}

bool same_numbers(const Trace& a, const Trace& b) {
  for (const TensorInfo& tensor : all_tensors()) {
    if (a.has(tensor.id) != b.has(tensor.id)) return false;
    if (a.has(tensor.id) && !identical(a[tensor.id], b[tensor.id])) return false;
  }
  return true;
}

Lecture lecture_named(const std::string& id) {
  return read_lecture(std::filesystem::path(HEADLIGHT_LECTURES) / (id + ".md"));
}

}  // namespace

TEST_CASE("an edit returns before it is computed, and arrives bit for bit as it would have at once") {
  Session session = background_session();
  const auto before = session.state().trace;
  CHECK(session.edit(with_seed(session.wanted(), 7)).empty());
  CHECK(session.state().computing);
  CHECK(session.state().trace == before);
  CHECK(session.setup() == small_setup());
  CHECK(session.wanted() == with_seed(small_setup(), 7));
  const std::uint64_t revision = session.revision();
  session.wait();
  CHECK(session.revision() > revision);
  CHECK_FALSE(session.state().computing);
  CHECK(session.setup() == with_seed(small_setup(), 7));
  CHECK(same_numbers(session.trace(), *compute_trace(with_seed(small_setup(), 7))));
}

TEST_CASE("what is quick is computed at once also in the background") {
  Session session(small_setup());
  session.compute_in_background(3600);
  CHECK(session.edit(with_seed(session.wanted(), 7)).empty());
  CHECK_FALSE(session.state().computing);
  CHECK(session.setup() == with_seed(small_setup(), 7));
}

TEST_CASE("the newest edit wins, and the others never show") {
  Session session = background_session(large_setup());
  const auto start = session.state().trace;
  int waiting = 0;
  for (int i = 1; i <= 40; ++i) {
    CHECK(session.edit(warmer(session.wanted(), 1 + i * 0.01), "temperature").empty());
    session.take_in();
    if (session.state().computing) ++waiting;
    const double shown = session.setup().attention.temperature;
    CHECK(shown <= session.wanted().attention.temperature);
  }
  CHECK(waiting > 0);  // some edits returned before their numbers were there
  CHECK(session.wanted().attention.temperature == doctest::Approx(1.4));
  session.wait();
  CHECK(session.setup().attention.temperature == session.wanted().attention.temperature);
  CHECK(same_numbers(session.trace(), *compute_trace(session.wanted())));
  session.undo();  // one step of undo for the whole drag
  CHECK_FALSE(session.state().computing == (session.state().trace == start));
  session.wait();
  CHECK(session.setup() == large_setup());
  CHECK(same_numbers(session.trace(), *start));
  CHECK_FALSE(session.can_undo());
}

TEST_CASE("Esc goes back to the setup of the trace that is shown") {
  Session session = background_session();
  session.edit(with_seed(session.wanted(), 3));
  session.wait();
  const auto shown = session.state().trace;
  session.undo();
  session.wait();
  session.redo();
  session.wait();
  session.edit(with_seed(session.wanted(), 4));
  session.edit(with_heads(session.wanted(), 4));
  CHECK(session.wanted().sizes.heads == 4);
  session.stop_computing();
  CHECK_FALSE(session.state().computing);
  CHECK(session.wanted() == shown->setup);
  CHECK(session.setup() == shown->setup);
  session.wait();
  CHECK_FALSE(session.take_in());
  CHECK(session.setup() == shown->setup);
  session.undo();  // the history is unchanged, so this undoes the edit before
  session.wait();
  CHECK(session.setup() == small_setup());
  CHECK_FALSE(session.can_undo());
}

TEST_CASE("Esc brings back what could be redone") {
  Session session = background_session();
  session.edit(with_seed(session.wanted(), 3));
  session.wait();
  session.undo();
  session.wait();
  session.edit(with_seed(session.wanted(), 9));
  CHECK_FALSE(session.can_redo());
  session.stop_computing();
  CHECK(session.can_redo());
  session.redo();
  session.wait();
  CHECK(session.setup() == with_seed(small_setup(), 3));
}

TEST_CASE("every edit is a step of undo, also where a later one overtook it") {
  Session session = background_session(large_setup());
  session.edit(with_seed(session.wanted(), 1));
  session.edit(with_seed(session.wanted(), 2));
  session.undo();
  CHECK(session.wanted() == with_seed(large_setup(), 1));
  session.wait();
  CHECK(session.setup() == with_seed(large_setup(), 1));
  session.redo();
  session.wait();
  CHECK(session.setup() == with_seed(large_setup(), 2));
  session.undo();
  session.undo();
  session.wait();
  CHECK(session.setup() == large_setup());
  CHECK_FALSE(session.can_undo());
}

TEST_CASE("an undo of what is still on its way needs nothing computed") {
  Session session = background_session(large_setup());
  const auto start = session.state().trace;
  session.edit(with_seed(session.wanted(), 5));
  session.undo();
  CHECK_FALSE(session.state().computing);
  CHECK(session.state().trace == start);
  CHECK(session.wanted() == large_setup());
  CHECK(session.can_redo());
}

TEST_CASE("an impossible edit is refused at once, and what is on its way goes on") {
  Session session(small_setup(), 10'000'000);
  session.compute_in_background(0);
  session.edit(with_seed(session.wanted(), 5));
  Setup wrong = session.wanted();
  wrong.sizes.heads = 3;
  CHECK(session.edit(wrong).size() == 1);
  const auto found = session.edit(with_query_length(session.wanted(), 5000));
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "sizes");
  CHECK(session.state().problems == found);
  CHECK(session.state().computing);
  CHECK(session.wanted() == with_seed(small_setup(), 5));
  session.wait();
  CHECK(session.setup() == with_seed(small_setup(), 5));
}

TEST_CASE("a lecture opens with its facts compared, and says nothing about its notebook before") {
  Session session = background_session();
  CHECK(Lesson(session).open(lecture_named("numpy-from-scratch")).empty());
  CHECK(session.state().computing);
  CHECK(session.lesson().lecture() == nullptr);
  CHECK(badge_of(session).kind == Badge::Kind::none);
  session.wait();
  REQUIRE(session.lesson().lecture() != nullptr);
  CHECK(session.changes().empty());
  Session patient(small_setup());
  Lesson(patient).open(lecture_named("numpy-from-scratch"));
  CHECK(badge_of(session) == badge_of(patient));
  CHECK(badge_of(session).kind != Badge::Kind::none);

  const Badge matching = badge_of(session);
  session.edit(with_seed(session.wanted(), 99));
  CHECK(session.changes().size() == 1);
  CHECK(badge_of(session) == matching);  // still the badge of the numbers that are shown
  session.wait();
  CHECK(badge_of(session).kind == Badge::Kind::setup_differs);
  session.undo();
  session.wait();
  session.undo();
  session.wait();
  CHECK(session.lesson().lecture() == nullptr);
  session.redo();
  session.wait();
  REQUIRE(session.lesson().lecture() != nullptr);
  CHECK(badge_of(session) == matching);
}

TEST_CASE("a lecture that was overtaken before it opened is whole when it is returned to") {
  Session session = background_session();
  Lesson(session).open(lecture_named("numpy-from-scratch"));
  session.undo();
  CHECK(session.lesson().lecture() == nullptr);
  CHECK_FALSE(session.state().computing);
  session.redo();
  session.wait();
  REQUIRE(session.lesson().lecture() != nullptr);
  CHECK(badge_of(session).kind == Badge::Kind::matches);
}

TEST_CASE("an edit of a lecture that is still opening stays in that lecture") {
  Session session = background_session();
  Lesson(session).open(lecture_named("numpy-from-scratch"), 2);
  session.edit(with_seed(session.wanted(), 99));
  session.wait();
  REQUIRE(session.lesson().lecture() != nullptr);
  CHECK(session.lesson().at.index == 2);
  CHECK(session.changes().size() == 1);
  session.undo();
  session.wait();
  REQUIRE(session.lesson().lecture() != nullptr);
  CHECK(session.changes().empty());
}

TEST_CASE("while a lecture opens, a drag shows none of its states without the lecture") {
  Session session = background_session();
  // The worker waits after each outcome until it has been taken in, so that none is missed.
  std::counting_semaphore<> made(0), taken(0);
  session.set_wake([&] {
    made.release();
    taken.acquire();
  });
  const auto look = [&] {
    session.take_in();
    CHECK((session.lesson().lecture() != nullptr || session.setup() == small_setup()));
  };
  Lesson(session).open(lecture_named("numpy-from-scratch"));
  made.acquire();
  session.edit(warmer(session.wanted(), 2), "temperature");
  taken.release();
  made.acquire();  // a state of the drag, which goes on before anybody looks
  session.edit(warmer(session.wanted(), 3), "temperature");
  look();
  taken.release();
  while (session.state().computing) {
    made.acquire();
    look();
    taken.release();
  }
  session.set_wake({});
  CHECK(session.lesson().lecture() != nullptr);
  CHECK(session.setup().attention.temperature == 3);
  session.undo();
  session.wait();
  CHECK(session.lesson().lecture() != nullptr);
  CHECK(session.changes().empty());
}

TEST_CASE("numbers of a step that take long to compute are dashes until another thread has computed them") {
  const Lecture lecture = parse_lecture(R"(+++
title = "A large one"
[setup.sizes]
query_length = 2
d_model = 400
[setup.random]
draws = ["seed 0", "X normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal"]
+++

## S

Of {query_length} tokens {sum(W_q @ W_k):.3f}.

```question
ask = "More than {sum(W_k @ W_q):.3f}?"
choices = ["yes", "no"]
answer = "1 if sum(W_k @ W_q) < sum(W_k @ W_q) + 1 else 0"
right = "It is {sum(W_q @ W_q):.3f}."
```
)",
                                        "large.md", "large");
  Session patient;
  REQUIRE(Lesson(patient).open(lecture).empty());
  Session session;
  REQUIRE(Lesson(session).open(lecture).empty());
  session.compute_in_background(3600);
  const auto narration = [](const Session& of) { return plain_text(of.step_words()->narration); };
  const auto all = [&] {
    while (session.words_wait()) {
      session.take_in();
      session.step_words();
      std::this_thread::yield();
    }
  };
  CHECK(narration(session) == "Of 2 tokens –.");
  CHECK(session.words_wait());
  const std::uint64_t revision = session.revision();
  all();
  CHECK(session.revision() > revision);
  CHECK(narration(session) == narration(patient));
  CHECK(narration(session).find("–") == std::string::npos);
  CHECK(plain_text(session.step_words()->question->ask) == plain_text(patient.step_words()->question->ask));

  // The mark of an answer waits for it.
  Lesson(session).guess(1);
  Lesson(session).show_answer();
  CHECK(session.words_wait());
  CHECK_FALSE(session.step_words()->question->answer);
  CHECK(session.state().marks->at("large").at(0) == StepMark::seen);
  session.edit(warmer(session.setup(), 2));  // meanwhile the answer is about another state
  all();
  CHECK(session.step_words()->question->answer == 1);
  CHECK(session.state().marks->at("large").at(0) == StepMark::first_try);
  CHECK(narration(session) == narration(patient));
}

TEST_CASE("no step of the program's lectures has numbers that take longer than a frame") {
  for (const auto& entry : std::filesystem::directory_iterator(HEADLIGHT_LECTURES)) {
    if (entry.path().extension() != ".md" || entry.path().stem() == "README") continue;
    Session session;
    REQUIRE(Lesson(session).open(read_lecture(entry.path())).empty());
    session.compute_in_background(3600);
    for (std::size_t step = 0; step < session.lesson().step_count(); ++step) {
      Lesson(session).go_to(step);
      session.wait();
      CAPTURE(entry.path().stem().string());
      CAPTURE(step);
      REQUIRE(session.step_words());
      CHECK_FALSE(session.words_wait());
      if (!session.lesson().asks()) continue;
      Lesson(session).show_answer();
      session.wait();
      REQUIRE(session.step_words());
      CHECK_FALSE(session.words_wait());
    }
  }
}

TEST_CASE("stepping in a lecture does not disturb an edit, and calls off another part") {
  Session session(small_setup());
  Lesson(session).open(lecture_named("numpy-from-scratch"));
  session.compute_in_background(0);
  session.edit(with_seed(session.wanted(), 99));
  Lesson(session).step_by(1);
  CHECK(session.lesson().at.index == 1);
  CHECK(session.state().computing);
  session.wait();
  CHECK(session.lesson().at.index == 1);
  CHECK(session.changes().size() == 1);
  Lesson(session).reset();
  session.wait();

  Lesson(session).go_to(13);  // another part
  CHECK(session.state().computing);
  CHECK(session.lesson().at.index == 1);
  Lesson(session).go_to(2);
  CHECK_FALSE(session.state().computing);
  CHECK(session.lesson().at.index == 2);
  CHECK(session.changes().empty());
  Lesson(session).go_to(session.lesson().step_count() - 1);
  session.wait();
  CHECK(session.lesson().at.index == session.lesson().step_count() - 1);
  CHECK(session.changes().empty());
  CHECK(session.selection().tensor == session.lesson().step()->look_at.tensor);
}

TEST_CASE("what a step is compared with, and the work that it checks, are computed in the background too") {
  Lecture lecture = two_part_lecture();
  lecture.steps[1].mistake = "scale_missing";
  lecture.steps[2].set = {"attention.temperature=2"};
  lecture.steps[2].changed_setup = warmer(small_setup(), 2);
  lecture.steps[2].compare = true;
  Session session;
  REQUIRE(Lesson(session).open(lecture).empty());
  session.compute_in_background(0);

  Lesson(session).go_to(1);  // the same setup, but work with a mistake
  CHECK(session.state().computing);
  CHECK(session.lesson().at.index == 0);
  session.wait();
  CHECK(session.lesson().at.index == 1);
  REQUIRE(session.state().checking.of_step);
  CHECK(session.display().view == View::compare);

  session.edit(warmer(small_setup(), 2));
  session.wait();
  const auto mistaken = session.state().checking.of_step;
  REQUIRE(mistaken);
  CHECK(mistaken->trace.setup == session.setup());
  Lesson(session).go_to(2);  // what it sets is set already, but nothing has computed the setup without it
  CHECK(session.state().computing);
  CHECK(session.lesson().at.index == 1);
  session.wait();
  CHECK(session.lesson().at.index == 2);
  CHECK_FALSE(session.state().checking.of_step);
  REQUIRE_FALSE(session.state().checking.reference.empty());
  CHECK(session.state().checking.reference.first().setup == small_setup());
  CHECK(same_numbers(session.state().checking.reference.first(), *compute_trace(small_setup())));
}

TEST_CASE("a worker that stops makes no work with a mistake") {
  const auto right = compute_trace(small_setup());
  Step step;
  step.mistake = "scale_missing";
  std::stop_source source;
  const auto made = work_with_mistake(&step, *right, source.get_token());
  REQUIRE(made);
  CHECK(made->mistake == "scale_missing");
  source.request_stop();
  CHECK_THROWS_AS(work_with_mistake(&step, *right, source.get_token()), Stopped);
}

TEST_CASE("an edit that is under way survives stepping on to a step that needs more than its setup") {
  Lecture lecture = two_part_lecture();
  lecture.steps[1].mistake = "scale_missing";
  Session session;
  REQUIRE(Lesson(session).open(lecture).empty());
  session.compute_in_background(0);
  session.edit(warmer(small_setup(), 3));
  Lesson(session).go_to(1);
  Lesson(session).go_to(2);
  session.wait();
  CHECK(session.lesson().at.index == 2);
  CHECK(session.setup() == warmer(small_setup(), 3));
  CHECK_FALSE(session.state().checking.of_step);
  session.undo();
  session.wait();
  CHECK(session.setup() == small_setup());
}

TEST_CASE("a step whose state to compare with can't be computed says so, and the session lives on") {
  Lecture lecture = two_part_lecture();
  lecture.parts[0].setup = with_query_length(small_setup(), 512);
  lecture.steps[1].set = {"sizes.query_length=4"};
  lecture.steps[1].changed_setup = small_setup();
  for (const bool in_background : {false, true}) {
    Session session(small_setup(), 4 << 20);
    if (in_background) session.compute_in_background(0);
    Lesson(session).open(lecture, 3);
    session.wait();
    REQUIRE(session.lesson().at.index == 3);
    Lesson(session).go_to(1);
    session.wait();
    REQUIRE(session.state().problems.size() == 1);
    CHECK(session.state().problems[0].found.find("MiB") != std::string::npos);
    CHECK(session.lesson().at.index == 3);
    CHECK(session.edit(with_seed(session.wanted(), 7)).empty());
    session.wait();
    CHECK(session.setup() == with_seed(lecture.parts[1].setup, 7));
  }
}

TEST_CASE("a setup of its own closes the lecture when it arrives") {
  Session session(small_setup());
  Lesson(session).open(lecture_named("udl-12-2"));
  session.compute_in_background(0);
  CHECK(session.open_setup(with_seed(small_setup(), 8)).empty());
  CHECK(session.lesson().lecture() != nullptr);
  session.wait();
  CHECK(session.lesson().lecture() == nullptr);
  CHECK(session.setup() == with_seed(small_setup(), 8));
  session.undo();
  session.wait();
  CHECK(session.lesson().lecture() != nullptr);
}

TEST_CASE("a sleeping window is woken when there is something to take in") {
  Session session = background_session();
  std::promise<void> woken;
  session.set_wake([&] { woken.set_value(); });
  session.edit(with_seed(session.wanted(), 7));
  woken.get_future().wait();
  CHECK(session.take_in());
  CHECK_FALSE(session.take_in());
  CHECK(session.setup() == with_seed(small_setup(), 7));
  session.set_wake({});
}

TEST_CASE("what is to be done in the new state waits for it, and is called off with it") {
  Session session = background_session();
  int acted = 0;
  session.when_shown([&](Session&) { ++acted; });
  CHECK(acted == 1);
  session.edit(with_heads(session.wanted(), 4));
  session.when_shown([&](Session& shown) {
    ++acted;
    Selecting(shown).select_head(3);
  });
  CHECK(acted == 1);
  session.wait();
  CHECK(acted == 2);
  CHECK(session.selection().head == 3);
  session.edit(with_seed(session.wanted(), 5));
  session.when_shown([&](Session&) { ++acted; });
  session.stop_computing();
  session.wait();
  CHECK(acted == 2);
}

TEST_CASE("a session can end while it computes") {
  std::atomic<int> woken = 0;
  for (int i = 0; i < 5; ++i) {
    Session session = background_session(large_setup());
    session.set_wake([&] { ++woken; });
    session.edit(with_seed(session.wanted(), 7));
    CHECK(session.state().computing);
  }
  CHECK(woken <= 5);
}

namespace {

/// Starts every thread that it is asked for. If `instead` is set, calls that first; it may throw, as a failing start
/// does.
struct Starts {
  std::shared_ptr<std::function<void()>> instead = std::make_shared<std::function<void()>>();

  std::thread operator()(Threads::Work work) const {
    if (*instead) (*instead)();
    return std::thread(std::move(work));
  }
};

[[noreturn]] void no_thread() {
  throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
}

}  // namespace

TEST_CASE("where no thread can start, an edit is computed before it returns, and is taken in like any other") {
  Starts starts;
  *starts.instead = no_thread;
  Session session(small_setup(), default_memory_limit, std::make_shared<Threads>(4, starts));
  session.compute_in_background(0);
  int woken = 0;
  session.set_wake([&] { ++woken; });
  CHECK(session.edit(with_seed(session.wanted(), 7)).empty());
  CHECK(woken == 1);
  CHECK(session.state().computing);
  CHECK(session.take_in());
  CHECK_FALSE(session.state().computing);
  CHECK(same_numbers(session.trace(), *compute_trace(with_seed(small_setup(), 7))));
  session.edit(large_setup());
  session.wait();
  CHECK(same_numbers(session.trace(), *compute_trace(large_setup())));
  session.undo();
  session.wait();
  CHECK(session.setup() == with_seed(small_setup(), 7));
}

TEST_CASE("in slices an edit takes several frames, says how far it is, and Esc stops it between any two") {
  Session session(small_setup());
  session.compute_in_background(0, 0.0);  // each slice ends as soon as it may
  int woken = 0;
  session.set_wake([&] { ++woken; });
  const Setup next = with_query_length(small_setup(), 64);
  const auto expected = compute_trace(next);
  session.edit(next);
  int slices = 0;
  for (double before = 0; session.state().computing; ++slices) {
    REQUIRE(woken == slices + 1);
    CHECK(session.progress() >= before);
    before = session.progress();
    session.take_in();
  }
  CHECK(slices > 5);
  CHECK(same_numbers(session.trace(), *expected));

  for (int stopped_after = 0; stopped_after < 4; ++stopped_after) {
    CAPTURE(stopped_after);
    session.edit(with_seed(next, 7));
    for (int slice = 0; slice < stopped_after; ++slice) session.take_in();
    REQUIRE(session.state().computing);
    session.stop_computing();
    CHECK_FALSE(session.take_in());
    CHECK_FALSE(session.state().computing);
    CHECK(same_numbers(session.trace(), *expected));
  }
  session.edit(with_seed(next, 7));
  session.take_in();
  session.edit(with_seed(next, 8));  // instead of the one that has begun
  session.wait();
  CHECK(same_numbers(session.trace(), *compute_trace(with_seed(next, 8))));
}

TEST_CASE("in slices a lecture opens with its facts compared") {
  Session in_slices(small_setup());
  in_slices.compute_in_background(0, 0.0);
  Session at_once(small_setup());
  for (Session* const session : {&in_slices, &at_once}) {
    Lesson(*session).open(lecture_named("numpy-from-scratch"));
    while (session->state().computing) session->take_in();
  }
  CHECK(badge_of(in_slices).kind != Badge::Kind::none);
  CHECK(badge_of(in_slices) == badge_of(at_once));
  CHECK(same_numbers(in_slices.trace(), at_once.trace()));
}

TEST_CASE("whatever is thrown while an edit is computed becomes a problem of that edit, and the next one is computed") {
  for (bool background : {true, false}) {
    CAPTURE(background);
    Starts starts;
    const auto threads = std::make_shared<Threads>(2, starts);
    Session session(small_setup(), default_memory_limit, threads);
    if (background) session.compute_in_background(0);
    const auto frames = std::this_thread::get_id();
    const auto said = [&](const std::function<void()>& happens, double temperature) {
      // In the background only the threads of the engine fail to start: they are started by the worker, while the
      // worker itself is started by this thread.
      *starts.instead = [&] {
        if (!background || std::this_thread::get_id() != frames) happens();
      };
      session.edit(warmer(large_setup(), temperature));
      session.wait();
      *starts.instead = nullptr;
      CHECK_FALSE(session.state().computing);
      CHECK(session.wanted() == small_setup());
      CHECK(session.state().trace->setup == small_setup());
      REQUIRE(session.state().problems.size() == 1);
      return session.state().problems.front().message();
    };
    CHECK(said([] { throw 42; }, 2).find("internal error") != std::string::npos);
    CHECK(said([] { throw std::logic_error("seven is not eight"); }, 3).find("seven is not eight") !=
          std::string::npos);
    session.edit(warmer(large_setup(), 4));
    session.wait();
    CHECK(session.state().problems.empty());
    CHECK(same_numbers(session.trace(), *compute_trace(warmer(large_setup(), 4))));
  }
}

TEST_CASE("who no longer works in the background may do so while something is on its way") {
  Session session = background_session(large_setup());
  for (int seed = 1; seed < 4; ++seed) {
    session.compute_in_background(0);
    session.edit(with_seed(session.wanted(), 10 + seed));
    session.compute_in_background(std::numeric_limits<double>::infinity());
    session.edit(with_seed(session.wanted(), seed));
    CHECK_FALSE(session.state().computing);
    CHECK(session.setup() == with_seed(large_setup(), seed));
  }
}

TEST_CASE("progress begins at nothing and never falls") {
  Session session = background_session(large_setup());
  session.edit(with_seed(session.wanted(), 7));
  double before = 0;
  while (!session.take_in()) {
    const double now = session.progress();
    CHECK(now >= before);
    CHECK(now <= 1);
    before = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_CASE("a gesture shows what it passes through, however fast it goes on, and is one step of undo") {
  Session session = background_session(with_query_length(small_setup(), 128));
  const Setup start = session.setup();
  double temperature = 1;
  bool passed = false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!passed && std::chrono::steady_clock::now() < end) {
    temperature += 0.001;
    session.edit(warmer(start, temperature), "temperature");
    session.take_in();
    passed = session.state().computing && session.setup() != start;
  }
  REQUIRE(passed);
  CHECK(session.setup() != session.wanted());
  CHECK(session.summary().statistics.size() > 10);

  SUBCASE("to its end") {
    session.wait();
    CHECK(session.setup() == warmer(start, temperature));
    CHECK_FALSE(session.state().computing);
    session.undo();
    session.wait();
    CHECK(session.setup() == start);
    CHECK_FALSE(session.can_undo());
  }
  SUBCASE("to where it was stopped") {
    const Setup shown = session.setup();
    session.stop_computing();
    CHECK(session.setup() == shown);
    CHECK(session.wanted() == shown);
    session.undo();
    session.wait();
    CHECK(session.setup() == start);
    CHECK_FALSE(session.can_undo());
  }
}

TEST_CASE("what is worked out beside a trace are its tensors' statistics, those of unchanged tensors once") {
  Session session = background_session();
  for (double temperature : {2.0, 3.0}) {
    session.edit(warmer(small_setup(), temperature));
    session.wait();
    for (const TensorInfo& tensor : all_tensors()) {
      if (!session.trace().has(tensor.id)) continue;
      CAPTURE(tensor.name);
      const auto& known = session.summary().statistics;
      const auto found = std::find_if(known.begin(), known.end(), [&](const KnownStatistics& one) {
        return one.tensor.same_window(session.trace()[tensor.id]);
      });
      REQUIRE(found != known.end());
      CHECK(found->statistics ==
            tensor_statistics(some_threads(), session.trace()[tensor.id], tensor.id == TensorId::masked_scores));
    }
  }
}

namespace {

/// The pyramid for one head's slice; null if there is none.
const Pyramid* pyramid_of(const Session& session, TensorId tensor, Index batch, Index head) {
  const auto& all = *session.summary().pyramids;
  Slice slice = slice_of(session.trace(), tensor, batch, head);
  for (const KnownMultiples& one : session.summary().multiples)  // pictures of many weights show these
    if (one.weights.same_window(session.trace()[tensor]))
      slice.values = one.multiples.selected(1, head).selected(0, batch);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Pyramid& one) { return one.slice().same_window(slice); });
  return found != all.end() ? &*found : nullptr;
}

/// The address of the pyramid's blocks of 2 × 2 cells: the same for copies of one pyramid.
const void* blocks_of(Pyramid pyramid) {
  Threads threads(1);
  return &pyramid.level<double>(1, 1, threads);
}

}  // namespace

TEST_CASE("the pyramids of large slices come with the trace, those of unchanged tensors are kept") {
  Setup setup = with_query_length(small_setup(), 300);
  setup.sizes.batch = 2;
  setup.mask.kinds = {MaskKind::causal};
  Session session = background_session(setup);
  Selecting(session).select_batch(1);
  session.edit(warmer(setup, 2));
  session.wait();
  for (const TensorId tensor : {TensorId::dot_products, TensorId::scores, TensorId::masked_scores, TensorId::weights}) {
    for (Index head : {0, 1}) {
      REQUIRE(pyramid_of(session, tensor, 1, head));
      CHECK(pyramid_of(session, tensor, 1, head)->cells_read() == 300 * 300);
      CHECK_FALSE(pyramid_of(session, tensor, 0, head));  // this batch item is not shown
    }
  }
  CHECK_FALSE(pyramid_of(session, TensorId::X, 1, 0));  // X is too small to need one
  const void* const before = blocks_of(*pyramid_of(session, TensorId::dot_products, 1, 0));

  session.edit(warmer(setup, 3));
  session.wait();
  REQUIRE(pyramid_of(session, TensorId::weights, 1, 0));
  REQUIRE(pyramid_of(session, TensorId::dot_products, 1, 0));
  CHECK(blocks_of(*pyramid_of(session, TensorId::dot_products, 1, 0)) == before);

  session.compute_in_background(60);  // from here on edits are computed at once, without the worker and its pyramids
  session.edit(warmer(setup, 4));
  REQUIRE_FALSE(session.state().computing);
  REQUIRE(pyramid_of(session, TensorId::dot_products, 1, 0));
  CHECK(blocks_of(*pyramid_of(session, TensorId::dot_products, 1, 0)) == before);
  CHECK_FALSE(pyramid_of(session, TensorId::weights, 1, 0));
  CHECK(session.edit(small_setup()).empty());
  CHECK(session.summary().pyramids->empty());  // the old ones are not kept in memory
  CHECK(session.summary().statistics.empty());
}
