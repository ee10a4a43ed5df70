#include "app/views/inspector/largest_terms.hpp"

#include <algorithm>
#include <cmath>

namespace headlight {

LargestTerms largest_terms(const std::vector<Term>& terms, std::size_t most, bool all) {
  LargestTerms result;
  for (const Term& term : terms) result.shown.push_back(&term);
  const bool cut = !all && terms.size() > most + 1;
  if (!cut && terms.size() <= most) return result;
  std::stable_sort(result.shown.begin(), result.shown.end(),
                   [](const Term* a, const Term* b) { return std::abs(a->value) > std::abs(b->value); });
  if (!cut) return result;
  for (std::size_t i = most; i < result.shown.size(); ++i) result.rest_sum += result.shown[i]->value;
  result.rest = result.shown.size() - most;
  result.shown.resize(most);
  return result;
}

}  // namespace headlight
