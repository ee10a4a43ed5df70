#include "core/memory/blocks.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include <sanitizer/asan_interface.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace headlight {
namespace {

/// The size of a cache line, which is also that of the widest vector register.
constexpr std::size_t line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
/// Smaller blocks are not pooled: the standard allocator is faster for them, and sharing a larger block faster still.
constexpr std::size_t smallest_pooled = std::size_t{8} << 10;
constexpr std::size_t shared_by_small = std::size_t{64} << 10;

std::align_val_t alignment(std::size_t bytes) { return std::align_val_t{bytes < 2 * huge_page ? line : huge_page}; }

std::byte* allocate(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(::operator new[](bytes, alignment(bytes)));
#ifdef __linux__
  // madvise only gives advice; if it fails, the block uses small pages.
  if (bytes >= 2 * huge_page) madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  return memory;
}

void release(std::byte* memory, std::size_t bytes) { ::operator delete[](memory, alignment(bytes)); }

}  // namespace

std::shared_ptr<std::byte[]> new_block(std::size_t bytes) {
  if (bytes < smallest_pooled) return std::make_shared_for_overwrite<std::byte[]>(bytes);
  return {allocate(bytes), [bytes](std::byte* memory) { release(memory, bytes); }};
}

/// The free blocks of a pool, by size.
class BlockPool::Shelf {
 public:
  explicit Shelf(std::size_t limit) : limit_(limit) {}
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;
  ~Shelf() {
    for (const Block& block : blocks_) release(block.memory, block.bytes);
  }

  /// A free block of exactly this size; null if there is none.
  std::byte* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto fits = [&](const Block& block) { return block.bytes == bytes; };
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), fits);
    if (found == blocks_.end()) return nullptr;
    std::byte* memory = found->memory;
    blocks_.erase(found);
    bytes_ -= bytes;
    return memory;
  }

  void put(std::byte* memory, std::size_t bytes) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (bytes_ + bytes <= limit_) {
        try {
          blocks_.push_back({memory, bytes});
          bytes_ += bytes;
          return;
        } catch (const std::bad_alloc&) {  // no memory for the list: the block is freed instead
        }
      }
    }
    release(memory, bytes);
  }

  std::size_t bytes() {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

  void grow_older() {
    std::vector<Block> old;
    {
      const std::lock_guard lock(mutex_);
      const auto is_young = [](const Block& block) { return block.age < 2; };
      const auto first = std::stable_partition(blocks_.begin(), blocks_.end(), is_young);
      old.assign(first, blocks_.end());
      blocks_.erase(first, blocks_.end());
      for (Block& block : blocks_) ++block.age;
      for (const Block& block : old) bytes_ -= block.bytes;
    }
    for (const Block& block : old) release(block.memory, block.bytes);
  }

 private:
  struct Block {
    std::byte* memory;
    std::size_t bytes;
    int age = 0;
  };
  std::mutex mutex_;
  std::vector<Block> blocks_;
  std::size_t bytes_ = 0;
  std::size_t limit_;
};

BlockPool::BlockPool(std::size_t limit) : shelf_(std::make_shared<Shelf>(limit)) {}

std::shared_ptr<std::byte[]> BlockPool::block(std::size_t bytes) {
  if (bytes < smallest_pooled) return new_block(bytes);
  std::byte* memory = shelf_->take(bytes);
  if (memory == nullptr) memory = allocate(bytes);
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
  return {memory, [bytes, shelf = shelf_](std::byte* given) { shelf->put(given, bytes); }};
}

std::shared_ptr<std::byte[]> Blocks::block(std::size_t bytes) {
  if (bytes >= smallest_pooled) return pool_->block(bytes);
  if (shared_ == nullptr || used_ + bytes > shared_by_small) {
    shared_ = pool_->block(shared_by_small);
    used_ = 0;
    ASAN_POISON_MEMORY_REGION(shared_.get(), shared_by_small);
  }
  std::byte* memory = shared_.get() + used_;
  used_ += (bytes / line + 1) * line;  // leaves at least one unused byte between blocks
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
  return {shared_, memory};
}

std::size_t BlockPool::unused_bytes() const { return shelf_->bytes(); }

void BlockPool::forget_unused() { shelf_->grow_older(); }

}  // namespace headlight
