#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/engine/engine.hpp"
#include "core/memory/blocks.hpp"
#include "setups.hpp"

using namespace headlight;

namespace {

/// Starts `left` threads, then fails to start more, as a system without resources does. Counts how often it was asked.
struct FewThreads {
  int left = 0;
  std::shared_ptr<std::atomic<int>> asked = std::make_shared<std::atomic<int>>(0);

  std::thread operator()(Threads::Work work) {
    ++*asked;
    if (left-- > 0) return std::thread(std::move(work));
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  }
};

/// The squares of 0 to count − 1, one task each. Each task yields, so that other threads can take some tasks too.
std::vector<Index> squares(Threads& threads, Index count) {
  std::vector<Index> found(static_cast<std::size_t>(count));
  threads.run(count, [&](Index i) {
    std::this_thread::yield();
    found[static_cast<std::size_t>(i)] = i * i;
  });
  return found;
}

}  // namespace

TEST_CASE("each task runs once, whatever the number of threads and tasks") {
  for (unsigned count : {1U, 2U, 5U}) {
    Threads threads(count);
    for (Index tasks : {0, 1, 2, 3, 100, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
      threads.run(tasks, [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& number : runs) CHECK(number == 1);
    }
  }
}

TEST_CASE("what a task throws comes out of the run, the other tasks do not begin, and the threads go on") {
  for (unsigned count : {1U, 2U, 5U}) {
    CAPTURE(count);
    Threads threads(count);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::atomic<Index> began = 0;
      const auto fail = [&](Index i) {
        ++began;
        if (i == 3) throw std::runtime_error("three");
      };
      constexpr Index many = 100'000'000;  // take a second, also where the thread that throws has to wait meanwhile
      CHECK_THROWS_WITH_AS(threads.run(many, fail), "three", std::runtime_error);
      CHECK(began >= 1);
      CHECK(began < many);
      const auto all_fail = [](Index i) {
        if (i % 2 == 0) throw std::bad_alloc();
        throw 42;
      };
      CHECK_THROWS(threads.run(100, all_fail));
      CHECK(squares(threads, 10).back() == 81);
    }
  }
}

TEST_CASE("memory that runs out on another thread is an exception of the caller") {
  Threads threads(2);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> other_came = false;
  // The caller's own task waits until the other thread has had its turn.
  const auto task = [&](Index) {
    if (std::this_thread::get_id() != caller) {
      other_came = true;
      throw std::bad_alloc();
    }
    while (!other_came) std::this_thread::yield();
  };
  CHECK_THROWS_AS(threads.run(2, task), std::bad_alloc);
}

TEST_CASE("where threads cannot start, those that there are do the work, down to the caller alone") {
  for (int left : {0, 1, 3}) {
    CAPTURE(left);
    FewThreads start{left};
    Threads threads(6, start);
    Threads enough(6);
    for (Index count : {2, 5, 100}) CHECK(squares(threads, count) == squares(enough, count));
    CHECK(*start.asked <= left + 1);  // after a failure no further start is tried
  }
}

TEST_CASE("numbers are the same bits where threads cannot start") {
  Setup setup = testing::small_setup();
  setup.sizes = {.batch = 2, .query_length = 200, .key_length = {}, .d_model = 256, .heads = 4, .kv_heads = {}};
  const auto expected = Engine(default_memory_limit, std::make_shared<Threads>(4)).compute(setup);
  for (int left : {0, 1}) {
    Engine engine(default_memory_limit, std::make_shared<Threads>(4, FewThreads{left}));
    const auto found = engine.compute(setup);
    for (const TensorInfo& tensor : all_tensors())
      if (expected->has(tensor.id)) CHECK(identical((*found)[tensor.id], (*expected)[tensor.id]));
  }
}

TEST_CASE("no more threads start than there are tasks") {
  FewThreads start{100};
  Threads threads(50, start);
  CHECK(squares(threads, 1).size() == 1);
  CHECK(*start.asked == 0);
  squares(threads, 4);
  CHECK(*start.asked == 3);
  squares(threads, 3);
  CHECK(*start.asked == 3);
}

TEST_CASE("several callers share the threads, and a task may have tasks of its own") {
  Threads threads(3);
  const std::vector<Index> expected = squares(threads, 200);
  std::vector<std::future<bool>> callers;
  for (int i = 0; i < 4; ++i) {
    callers.push_back(threads.beside([&] {
      for (int repeat = 0; repeat < 50; ++repeat)
        if (squares(threads, 200) != expected) return false;
      return true;
    }));
  }
  for (auto& caller : callers) CHECK(caller.get());
  std::atomic<Index> sum = 0;
  threads.run(10, [&](Index) { threads.run(10, [&](Index i) { sum += i; }); });
  CHECK(sum == 450);
}

TEST_CASE("jobs run beside the caller and beside each other, however few the threads for tasks") {
  Threads threads(1);
  std::promise<int> first, second;
  auto one = threads.beside([&] {
    second.set_value(2);
    return first.get_future().get();
  });
  auto two = threads.beside([&] { return second.get_future().get(); });
  CHECK(two.get() == 2);
  first.set_value(1);
  CHECK(one.get() == 1);
}

TEST_CASE("a job's thread is used again") {
  FewThreads start{100};
  Threads threads(1, start);
  for (int i = 0; i < 20; ++i) {
    CHECK(threads.beside([i] { return i; }).get() == i);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // until the thread is idle again
  }
  CHECK(*start.asked < 20);
}

TEST_CASE("what a job throws comes out where its result is asked for, and nowhere else") {
  Threads threads(2);
  CHECK_THROWS_AS(threads.beside([]() -> int { throw std::bad_alloc(); }).get(), std::bad_alloc);
  CHECK_THROWS_AS(threads.beside([] { throw 42; }).get(), int);
  threads.beside([] { throw 42; });  // nobody asks for its result
  CHECK(threads.beside([] { return 5; }).get() == 5);
}

/// Takes its time to go, and says on which thread it went.
struct Slow {
  explicit Slow(std::thread::id& thread) : gone_on(thread) {}
  Slow(const Slow&) = delete;
  Slow& operator=(const Slow&) = delete;
  ~Slow() {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gone_on = std::this_thread::get_id();
  }
  std::thread::id& gone_on;
};

TEST_CASE("what a job holds goes on the job's thread, before its result is there: who waits may destroy the threads") {
  Threads threads(1);
  std::thread::id gone_on;
  const auto went_first = [&](auto future) {
    future.wait();
    const std::thread::id by_now = std::exchange(gone_on, {});
    return by_now != std::thread::id() && by_now != std::this_thread::get_id();
  };
  const auto hold = [&] { return std::make_shared<const Slow>(gone_on); };
  CHECK(went_first(threads.beside([held = hold()] { return held != nullptr; })));
  CHECK(went_first(threads.beside([held = hold()] {})));
  CHECK(went_first(threads.beside([held = hold()]() -> int { throw std::runtime_error("x"); })));
}

TEST_CASE("where no thread can start, a job is done when beside() returns") {
  Threads threads(4, FewThreads{});
  int done = 0;
  const auto caller = std::this_thread::get_id();
  auto job = threads.beside([&] {
    CHECK(std::this_thread::get_id() == caller);
    threads.run(3, [&](Index) { ++done; });
    return done;
  });
  CHECK(done == 3);
  CHECK(job.get() == 3);
  CHECK_THROWS_AS(threads.beside([]() -> int { throw std::runtime_error("x"); }).get(), std::runtime_error);
}

TEST_CASE("jobs that are under way are finished before the threads end") {
  std::atomic<int> done = 0;
  {
    Threads threads(1);
    for (int i = 0; i < 5; ++i) {
      threads.beside([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++done;
      });
    }
  }
  CHECK(done == 5);
}

TEST_CASE("few cells are read by the caller alone") {
  FewThreads start{100};
  Threads threads(4, start);
  Index read = 0;
  threads.run_over(cells_worth_threads - 1, 10, [&](Index i) { read += i; });
  CHECK(read == 45);
  CHECK(*start.asked == 0);
  std::atomic<Index> shared = 0;
  threads.run_over(cells_worth_threads, 10, [&](Index i) { shared += i; });
  CHECK(shared == 45);
  CHECK(*start.asked == 3);
}

TEST_CASE("ranges cover everything once") {
  Workspace workspace;
  for (Index count : {0, 1, 9, 10, 11}) {
    Index next = 0;
    workspace.ranges(count, 5, [&](Index begin, Index end) {
      CHECK(begin == next);
      CHECK(end - begin <= 5);
      next = end;
    });
    CHECK(next == count);
  }
}

TEST_CASE("one thread alone stops between two tasks too") {
  std::stop_source source;
  const Progress progress{source.get_token(), {}};
  Workspace workspace(progress);
  Index last = 0;
  CHECK_THROWS_AS(workspace.each(10,
                                 [&](Index i) {
                                   last = i;
                                   if (i == 3) source.request_stop();
                                 }),
                  Stopped);
  CHECK(last == 3);
}

TEST_CASE("a pool gives a block again once nobody holds it, from any thread and after its own end") {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  auto pool = std::make_unique<BlockPool>(4 * bytes);
  auto first = pool->block(bytes);
  const std::byte* address = first.get();
  CHECK(pool->block(bytes).get() != address);
  std::thread([&] { first.reset(); }).join();
  auto again = pool->block(bytes), other = pool->block(bytes);
  CHECK((again.get() == address || other.get() == address));
  pool.reset();
  again.get()[0] = other.get()[bytes - 1] = std::byte{1};
}

TEST_CASE("a pool lets go of sizes that are asked for no more, and of what is over its limit") {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  BlockPool pool(bytes);
  const auto is_kept = [&](int rounds) {
    auto block = pool.block(bytes);
    block.get()[0] = std::byte{42};
    block.reset();
    for (int i = 0; i < rounds; ++i) pool.forget_unused();
    return pool.unused_bytes() == bytes;
  };
  CHECK(is_kept(0));
  CHECK(is_kept(2));
  CHECK_FALSE(is_kept(3));
  { const auto one = pool.block(bytes), two = pool.block(bytes); }
  CHECK(pool.unused_bytes() == bytes);
}
