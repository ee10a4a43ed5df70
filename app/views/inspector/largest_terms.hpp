// The terms of a long sum that are worth a row of their own.
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/explanation.hpp"

namespace headlight {

/// How many of a long sum are shown.
inline constexpr std::size_t most_terms_shown = 8;

/// The terms with a row of their own; the rest are added up in one row. The terms must outlive it.
struct LargestTerms {
  std::vector<const Term*> shown;
  std::size_t rest = 0;
  double rest_sum = 0;
};

/// All terms of a short sum in their order; of a long one the `most` largest, or if `all` is true all, the largest
/// first. No single term is left for the row of the rest.
LargestTerms largest_terms(const std::vector<Term>& terms, std::size_t most = most_terms_shown, bool all = false);

}  // namespace headlight
