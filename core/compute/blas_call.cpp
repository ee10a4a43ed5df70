#include "core/compute/blas_call.hpp"

// Without OpenBLAS, as in a browser, products need no buffers.
#ifdef EIGEN_USE_BLAS

#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include <cblas.h>

namespace headlight {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;
/// A buffer takes 128 megabytes of address space. Other threads may ask for memory at the same moment, so that more
/// than that must be free: for a second buffer, much more, since the program can do without it.
constexpr std::size_t room_for_first = 256 * megabyte;
constexpr std::size_t room_for_another = 1024 * megabyte;

/// OpenBLAS has one set of buffers for the whole program, and so there is one count of them.
struct Buffers {
  std::mutex mutex;
  std::condition_variable one_is_free;
  unsigned there = 0;  ///< as many as calls have run at the same time
  unsigned in_use = 0;
};

Buffers& buffers() {
  static Buffers all;
  static const bool one_thread = (openblas_set_num_threads(1), true);
  static_cast<void>(one_thread);
  return all;
}

/// Nothing is written to it, so that it takes no memory.
bool has_room(std::size_t bytes) {
  const std::unique_ptr<void, decltype(&std::free)> room(std::malloc(bytes), &std::free);
  return room != nullptr;
}

/// A product that is too large to be done without a buffer: OpenBLAS takes one more now, as long as there is room. Its
/// numbers are in memory that the program has anyway. The lock must be held.
void take_one_more() {
  constexpr int size = 128;
  static double zeros[size * size];
  static double product[size * size];
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, zeros, size, zeros, size, 0, product,
              size);
}

}  // namespace

BlasCall::BlasCall() {
  Buffers& all = buffers();
  std::unique_lock lock(all.mutex);
  if (all.in_use == all.there) {
    if (has_room(all.there == 0 ? room_for_first : room_for_another)) {
      take_one_more();
      ++all.there;
    } else if (all.there == 0) {
      throw std::bad_alloc();
    } else {
      all.one_is_free.wait(lock, [&] { return all.in_use < all.there; });
    }
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

#endif
