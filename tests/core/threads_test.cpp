#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/memory/blocks.hpp"

using namespace headlight;

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
