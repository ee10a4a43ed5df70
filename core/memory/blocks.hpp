// Memory for tensors, used again.
#pragma once

#include <cstddef>
#include <memory>

namespace headlight {

/// A block of its own, uninitialised, aligned for any number; large ones to a cache line. The largest ask the system
/// for huge pages: the first touch of a page costs more than computing the numbers in it.
std::shared_ptr<std::byte[]> new_block(std::size_t bytes);

/// Keeps large blocks that nobody holds any more and gives them out again for the same size, because the edits of one
/// setup need the same sizes over and over. Blocks may outlive the pool and be given back from any thread.
class BlockPool {
 public:
  /// `limit` bytes at most lie unused here.
  explicit BlockPool(std::size_t limit);

  std::shared_ptr<std::byte[]> block(std::size_t bytes);
  std::size_t unused_bytes() const;
  /// Frees what has not been asked for since the time before last: sizes that are gone.
  void forget_unused();

 private:
  class Shelf;
  std::shared_ptr<Shelf> shelf_;
};

/// The blocks of one computation. Small ones lie side by side in a block of the pool, which lives as long as any of
/// them: an allocation for each would cost more than computing the numbers in it.
class Blocks {
 public:
  /// The pool must outlive it.
  explicit Blocks(BlockPool& pool) : pool_(&pool) {}

  std::shared_ptr<std::byte[]> block(std::size_t bytes);

 private:
  BlockPool* pool_;
  std::shared_ptr<std::byte[]> shared_;
  std::size_t used_ = 0;
};

}  // namespace headlight
