#include "core/diagnose/seed_memory.hpp"

#include <utility>

#include "core/diagnose/mistakes/draws.hpp"

namespace headlight {
namespace {

/// With the tensor in memory of its own: that of a computation is shared by all of its tensors.
SeedMemory::Given apart(const SeedMemory::Given& given) {
  Tensor copy = Tensor::uninitialized(given.tensor.precision(), given.tensor.shape());
  copy_numbers(given.tensor, copy);
  return {std::move(copy), given.rounding};
}

}  // namespace

std::shared_ptr<const std::vector<SeedMemory::Given>> SeedMemory::all(const Key& key, const Of& of) {
  constexpr Index most_cells = 1024;  // of a tensor: 80 MB for all seeds
  constexpr std::size_t most_kept = 4;
  const std::scoped_lock lock(mutex_);  // the others wait for it, as it is just what they need
  if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
  if (kept_.size() == most_kept) return nullptr;
  std::vector<Given> all{apart(of(0))};
  if (all.front().tensor.elements() > most_cells) return nullptr;
  for (std::int64_t seed = 1; seed < seeds_tried; ++seed) all.push_back(apart(of(seed)));
  return kept_.emplace(key, std::make_shared<const std::vector<Given>>(std::move(all))).first->second;
}

}  // namespace headlight
