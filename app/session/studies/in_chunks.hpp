// Works through a long row of numbers in pieces, on all processors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/compute/threads.hpp"
#include "core/model/shape.hpp"

namespace headlight {

/// How many numbers make a piece that is worth a thread.
inline constexpr Index chunk_size = Index{1} << 18;

/// Calls `work(begin, end)` for each piece of [0, count) and returns the results in order. The pieces do not depend on
/// the number of processors, so neither does the sum of the results.
template <class Result, class Work>
std::vector<Result> in_chunks(Index count, const Work& work) {
  const auto chunks = static_cast<std::size_t>((count + chunk_size - 1) / chunk_size);
  std::vector<Result> results(chunks);
  Threads threads;
  threads.run(static_cast<Index>(chunks), [&](Index i) {
    const Index begin = i * chunk_size;
    results[static_cast<std::size_t>(i)] = work(begin, std::min(begin + chunk_size, count));
  });
  return results;
}

}  // namespace headlight
