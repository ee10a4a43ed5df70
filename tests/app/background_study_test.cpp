// Long computations run on another thread: no frame waits for them, and their results are the same as at once.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "app/session/checking.hpp"
#include "app/session/selecting.hpp"
#include "app/views/base/later.hpp"
#include "app/views/compare/compare_study.hpp"
#include "app/views/heads/attention_links.hpp"
#include "app/views/heads/head_study.hpp"
#include "app/views/tensors/effect_study.hpp"
#include "core/setup/edits.hpp"
#include "tests/core/setups.hpp"
#include "tests/core/some_threads.hpp"

namespace headlight {
namespace {

using testing::some_threads;

constexpr auto patience = std::chrono::seconds(60);

/// Calls `ask` until it returns something, for at most a minute.
template <class Ask>
auto asked_until(const Ask& ask) {
  const auto end = std::chrono::steady_clock::now() + patience;
  auto found = ask();
  while (!found && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    found = ask();
  }
  return found;
}

/// Too many cells to compute within a frame.
constexpr Index many_cells = most_cells_in_a_frame + 1;

Session background_session(std::shared_ptr<Threads> threads = std::make_shared<Threads>()) {
  Session session(testing::small_setup(), default_memory_limit, std::move(threads));
  session.compute_in_background(0);
  return session;
}

TEST_CASE("later: at once where nobody minds, and once for each key") {
  Session patient(testing::small_setup());
  Session quick = background_session();
  for (auto [session, cells] : {std::pair{&patient, many_cells}, std::pair{&quick, Index{1}}}) {
    Later<int, int> later;
    int worked = 0;
    const auto ask = [&](int key) {
      return later.of(*session, key, cells, [&, key](Threads&, const std::stop_token&) {
        ++worked;
        return 10 * key;
      });
    };
    REQUIRE(ask(3));
    CHECK(*ask(3) == 30);
    CHECK(*ask(3) == 30);
    CHECK(worked == 1);
    CHECK(*ask(4) == 40);
    CHECK(*ask(3) == 30);
    CHECK(worked == 3);
  }
}

TEST_CASE("later: nobody waits for what is worked out beside the frames, nor for what was stopped") {
  Session session = background_session();
  std::atomic<bool> may_end = false;
  std::atomic<int> started = 0;
  std::atomic<int> stopped = 0;
  Later<int, int> later;
  const auto ask = [&](int key) {
    return later.of(session, key, many_cells, [&, key](Threads&, const std::stop_token& stop) {
      ++started;
      while (!may_end) std::this_thread::yield();
      if (stop.stop_requested()) ++stopped;
      return 10 * key;
    });
  };
  CHECK(ask(1) == nullptr);
  CHECK(ask(1) == nullptr);
  CHECK(ask(2) == nullptr);
  CHECK(ask(3) == nullptr);
  CHECK(ask(1) == nullptr);  // its first computation was stopped, so it has no result yet
  may_end = true;
  const int* const found = asked_until([&] { return ask(1); });
  REQUIRE(found);
  CHECK(*found == 10);
  CHECK(started == 2);
  CHECK(stopped == 1);
}

TEST_CASE("later: what fails is said once, is not tried again, and ends nothing") {
  Session session = background_session();
  Later<int, int> later;
  std::atomic<int> worked = 0;
  Index cells = many_cells;
  SUBCASE("beside the frames") {}
  SUBCASE("within a frame") { cells = 1; }
  const auto ask = [&](int key) {
    return later.of(session, key, cells, [&, key](Threads&, const std::stop_token&) -> int {
      ++worked;
      if (key == 1) throw std::bad_alloc();
      if (key == 2) throw 42;
      return key;
    });
  };
  const auto said = [&](int key) {
    session.notify("");
    return *asked_until([&]() -> std::optional<std::string> {
      CHECK(ask(key) == nullptr);
      return session.state().notice.empty() ? std::nullopt : std::optional(session.state().notice);
    });
  };
  CHECK(said(1) == "Not computed: not enough free memory");
  session.notify("");
  for (int i = 0; i < 10; ++i) CHECK(ask(1) == nullptr);
  CHECK(session.state().notice.empty());
  CHECK(worked == 1);
  CHECK(said(2) == "Not computed: internal error");
  const int* const found = asked_until([&] { return ask(3); });
  REQUIRE(found);
  CHECK(*found == 3);
}

TEST_CASE("later: where no thread can start, there is nothing to wait for") {
  Session session = background_session(std::make_shared<Threads>(4, [](const Threads::Work&) -> std::thread {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  }));
  Later<int, int> later;
  const int* const found = later.of(session, 3, many_cells, [](Threads& threads, const std::stop_token&) {
    int sum = 0;
    threads.run(4, [&](Index i) { sum += static_cast<int>(i); });
    return sum;
  });
  REQUIRE(found);
  CHECK(*found == 6);
}

TEST_CASE("what a number changes in a layer that learns is worked out beside the frames") {
  int jobs = 0;
  const auto threads = std::make_shared<Threads>(1, [&](Threads::Work work) {
    ++jobs;
    return std::thread(std::move(work));
  });
  Setup setup = testing::learning_setup();
  setup.training.steps = 400;
  Session session(setup, default_memory_limit, threads);
  const Cell given{TensorId::W_q, {0, 0}};
  session.edit(with_number(session.setup(), given, 2));
  session.compute_in_background();
  jobs = 0;
  EffectStudy study;
  const NumberEffects* const found = asked_until([&] { return study.of(session, given); });
  REQUIRE(found);
  CHECK(jobs == 1);
  CHECK(found->before->setup == setup);
}

/// A session that compares two states of 600 tokens.
Session compared_session() {
  Session session(with_query_length(testing::small_setup(), 600));
  Checking(session).set_reference();
  Setup warm = session.setup();
  warm.attention.temperature = 3;
  session.edit(warm);
  Selecting(session).select_tensor(TensorId::weights);
  return session;
}

// That no frame waits for them is tested above, with work that lasts as long as the test wants: these may be quick.
TEST_CASE("in the background heads, links and comparisons come later and are the same") {
  Session patient = compared_session();
  Session session = compared_session();
  // A single matrix is small enough for a frame; all pairs of heads, or all tensors, are not.
  REQUIRE(session.trace()[TensorId::weights].elements() < 1'000'000);
  session.compute_in_background();

  HeadStudies at_once;
  HeadStudies later;
  const HeadSimilarities* wanted = at_once.similarities(patient, 0, TensorId::weights);
  REQUIRE(wanted);
  const HeadSimilarities* const found = asked_until([&] { return later.similarities(session, 0, TensorId::weights); });
  REQUIRE(found);
  CHECK(found->distances == wanted->distances);
  CHECK(found->between(0, 1) == wanted->between(0, 1));
  CHECK(found->between(0, 0) == 1);

  CompareStudy study_at_once;
  CompareStudy study_later;
  const auto& all = study_at_once.of(patient);
  REQUIRE(asked_until([&] { return study_later.of(session).front().measured; }));
  const auto& same = study_later.of(session);
  REQUIRE(same.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(same[i].measured);
    CHECK(same[i].equal == all[i].equal);
    CHECK(same[i].largest == all[i].largest);
    CHECK(same[i].where == all[i].where);
  }
  const Slice* const difference = study_later.difference(session);  // a single matrix, so its result is there at once
  REQUIRE(difference);
  const Trace& a = session.state().checking.reference.first();
  for (Index query : {0, 7, 599})
    for (Index key : {0, 300, 599})
      CHECK(difference->value(query, key) == session.trace().value({TensorId::weights, {0, 0, query, key}}) -
                                                 a.value({TensorId::weights, {0, 0, query, key}}));

  LinkFinder finder;
  const LinkRequest request{session.trace().version, TensorId::weights, 0, {0, 1}, 0.01};
  const AttentionLinks links = finder.of(session, request);
  CHECK(links.ready);
  CHECK(finder.last().above == links.above);
}

TEST_CASE("who has all the time in the world is told at once: pictures do not depend on how busy the machine is") {
  Session session = compared_session();
  session.compute_in_background(0);
  session.compute_in_background(std::numeric_limits<double>::infinity());
  CHECK_FALSE(session.in_background());
  CompareStudy study;
  CHECK(study.of(session).front().measured);
  CHECK(study.difference(session));
  HeadStudies heads;
  CHECK(heads.similarities(session, 0, TensorId::weights));
  session.edit(with_seed(session.wanted(), 5));
  CHECK_FALSE(session.state().computing);
}

TEST_CASE("links of equal size: the first ones are kept, on however many threads they are looked for") {
  Session session(with_query_length(testing::small_setup(), 700));
  Trace trace = session.trace();
  Tensor even = Tensor::uninitialized(Precision::float64, trace[TensorId::weights].shape());
  for (Index i = 0; i < even.elements(); ++i) even.writable<double>()[i] = 1.0 / 700;
  trace[TensorId::weights] = even;
  const AttentionLinks found = find_links(some_threads(), trace, {trace.version, TensorId::weights, 0, {1}, 0.001});
  CHECK(found.above == 700 * 700);
  REQUIRE(found.links.size() == most_links);
  for (const AttentionLink& link : found.links) {
    CHECK(link.head == 1);
    CHECK(link.query * 700 + link.key < static_cast<Index>(most_links));
  }
}

}  // namespace
}  // namespace headlight
