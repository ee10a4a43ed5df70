#include "core/compute/blas_call.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include <cblas.h>

namespace headlight {
namespace {

/// OpenBLAS has one set of buffers for the whole program, and so there is one count of them.
struct Buffers {
  std::mutex mutex;
  std::condition_variable one_is_free;
  unsigned there = 0;  ///< as many as calls have gone on at the same time
  unsigned in_use = 0;
};

Buffers& buffers() {
  static Buffers all;
  static const bool one_thread = (openblas_set_num_threads(1), true);
  static_cast<void>(one_thread);
  return all;
}

/// Twice what OpenBLAS asks for on this kind of processor, because somebody else may take of it meanwhile. Address
/// space alone: nothing is written to it.
bool room_for_a_buffer() {
  constexpr std::size_t bytes = std::size_t{256} << 20;
  const std::unique_ptr<void, decltype(&std::free)> room(std::malloc(bytes), &std::free);
  return room != nullptr;
}

}  // namespace

BlasCall::BlasCall() {
  Buffers& all = buffers();
  std::unique_lock lock(all.mutex);
  if (all.in_use == all.there) {
    if (room_for_a_buffer()) ++all.there;
    else if (all.there == 0) throw std::bad_alloc();
    else all.one_is_free.wait(lock, [&] { return all.in_use < all.there; });
  }
  ++all.in_use;
}

BlasCall::~BlasCall() {
  Buffers& all = buffers();
  {
    const std::lock_guard lock(all.mutex);
    --all.in_use;
  }
  all.one_is_free.notify_one();
}

}  // namespace headlight
