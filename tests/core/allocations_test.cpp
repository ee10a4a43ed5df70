// How often a computation allocates memory. These tests are a program of their own, because they replace operator new.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "core/engine/engine.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"
#include "setups.hpp"

namespace {

std::atomic<int> times = 0;
std::atomic<std::size_t> bytes = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++times;
  bytes += size;
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Not inlined, because the compiler warns of mismatched new and delete if it sees the inside of only one of the two.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

using namespace headlight;
using namespace headlight::testing;

namespace {

struct Asked {
  int times = 0;
  std::size_t bytes = 0;
};

/// Computes two setups in turn, ten times in all, and returns the allocations of the last computation.
Asked asked_by_edits(const Setup& one, const Setup& other) {
  Engine engine(default_memory_limit, std::make_shared<Threads>(2));
  Asked last;
  for (int turn = 0; turn < 10; ++turn) {
    times = 0;
    bytes = 0;
    engine.compute(turn % 2 == 0 ? one : other);
    last = {times, bytes};
  }
  return last;
}

}  // namespace

TEST_CASE("while the sizes stay, an edit asks for memory a few times, and for none to hold its numbers") {
  for (Index length : {4, 32, 128, 512}) {
    Setup setup = small_setup();
    setup.sizes = {.batch = 1, .query_length = length, .key_length = {}, .d_model = length, .heads = 4, .kv_heads = {}};
    Setup reseeded = setup, warmer = setup, masked = setup;
    reseeded.random.draws.front() = SeedDraw{1};
    warmer.attention.temperature = 2;
    masked.mask.kinds = {MaskKind::causal};
    for (const Setup& edited : {reseeded, warmer, masked}) {
      INFO(length, " tokens");
      const Asked asked = asked_by_edits(setup, edited);
      CHECK(asked.times > 0);
      // A few lists have an entry for each layer, and each large tensor allocates a record that counts its owners.
      CHECK(asked.times <= (length == 4 ? 16 : 30));
      CHECK(asked.bytes <=
            49152);  // a trace has a place for each tensor and gradient; at 512 tokens its numbers take 8 MB
    }
  }
}

TEST_CASE("a setup without problems is checked without asking for memory") {
  Setup setup;
  setup.sizes.kv_heads = 1;
  setup.attention.scale = 0.5;
  for (const MaskKind kind : {MaskKind::window, MaskKind::custom}) setup.mask.kinds.push_back(kind);
  setup.mask.blocked.emplace_back(0, 3);
  setup.random.draws.emplace_back(SeedDraw{});
  setup.random.draws.emplace_back(TensorDraw{.target = TensorId::W_q, .head = 1, .distribution = Distribution::normal});
  times = 0;
  CHECK(problems(setup).empty());
  CHECK(times == 0);
}

TEST_CASE("an edit of a single number draws nothing, and asks for memory only where it puts the number") {
  Setup one = small_setup();
  one.values.set(TensorId::X, *parse_array_part("[0,0,0]"), GivenNumbers::single(1));
  Setup other = one;
  other.values.set(TensorId::X, *parse_array_part("[0,0,0]"), GivenNumbers::single(2));
  const Asked asked = asked_by_edits(one, other);
  CHECK(asked.times <= 16);
  CHECK(asked.bytes <= 49152);
}

TEST_CASE("beside a setup that is valid, what a trained layer gives is not made again to check an edit") {
  const Setup valid = with_model({}, {.name = ModelName::sentence_encoder, .layer = 0, .text = "The keys"});
  Setup edited = valid;
  edited.values.set(TensorId::X, *parse_array_part("[0,0,0]"), GivenNumbers::single(1));
  times = 0;
  CHECK(problems(edited, {}, &valid).empty());
  CHECK(times <= 16);
  edited.values.set(TensorId::P, {}, *edited.values.whole(TensorId::X));
  CHECK(problems(edited, {}, &valid).size() == 1);
}
