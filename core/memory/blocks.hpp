// Memory for tensors, which is reused.
#pragma once

#include <cstddef>
#include <memory>

namespace headlight {

/// A new uninitialised block, aligned for any number type; large blocks are aligned to a cache line. For the largest
/// blocks it asks the system for huge pages, because the first touch of a page costs more than computing the numbers in
/// it.
std::shared_ptr<std::byte[]> new_block(std::size_t bytes);

/// Keeps large blocks after their last user has released them, and hands them out again for requests of the same size:
/// editing a setup asks for the same sizes over and over. Blocks may outlive the pool, and any thread may give them
/// back.
class BlockPool {
 public:
  /// The pool keeps at most `limit` bytes of unused blocks.
  explicit BlockPool(std::size_t limit);

  std::shared_ptr<std::byte[]> block(std::size_t bytes);
  std::size_t unused_bytes() const;
  /// Frees the blocks of every size that was not requested since the call before the last one.
  void forget_unused();

 private:
  class Shelf;
  std::shared_ptr<Shelf> shelf_;
};

/// The blocks of one computation. Small ones share a larger block of the pool, which lives as long as any of them; a
/// separate allocation for each would cost more than computing the numbers in it.
class Blocks {
 public:
  /// The pool must outlive this object.
  explicit Blocks(BlockPool& pool) : pool_(&pool) {}

  std::shared_ptr<std::byte[]> block(std::size_t bytes);
  /// Blocks of the same pool for a part of the computation. A copy would hand out the same memory a second time.
  Blocks apart() const { return Blocks(*pool_); }

 private:
  BlockPool* pool_;
  std::shared_ptr<std::byte[]> shared_;
  std::size_t used_ = 0;
};

}  // namespace headlight
