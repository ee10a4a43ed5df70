// Processes a long range of numbers in pieces, on all processors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/compute/threads.hpp"
#include "core/model/shape.hpp"

namespace headlight {

/// Calls `work(begin, end)` for each piece of [0, count) and returns the results in order. The pieces do not depend on
/// the number of processors, so neither does the sum of the results.
template <class Result, class Work>
std::vector<Result> in_chunks(Threads& threads, Index count, const Work& work) {
  constexpr Index size = cells_worth_threads;
  const auto chunks = static_cast<std::size_t>((count + size - 1) / size);
  std::vector<Result> results(chunks);
  threads.run(static_cast<Index>(chunks), [&](Index i) {
    const Index begin = i * size;
    results[static_cast<std::size_t>(i)] = work(begin, std::min(begin + size, count));
  });
  return results;
}

}  // namespace headlight
