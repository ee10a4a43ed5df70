#include "app/session/studies/head_habit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace headlight {

std::string_view HeadHabit::words() const {
  return distance == 0 ? "itself" : distance < 0 ? "the word before it" : "the next word";
}

std::optional<HeadHabit> habit_of(const Tensor& weights, Index batch, Index head) {
  const Index queries = weights.shape()[2], keys = weights.shape()[3];
  std::optional<HeadHabit> best;
  for (const Index distance : std::array<Index, 3>{0, -1, 1}) {
    const auto share = [&](Index query) { return weights.at({batch, head, query, query + distance}); };
    HeadHabit habit{distance, 0, {}};
    for (Index query = 0; query < queries; ++query) {
      if (query + distance < 0 || query + distance >= keys) continue;
      habit.queries.push_back(query);
      habit.mean += share(query);
    }
    if (habit.queries.empty()) continue;
    habit.mean /= static_cast<double>(habit.queries.size());
    if (best && habit.mean <= best->mean) continue;
    std::ranges::stable_sort(habit.queries, std::greater{}, share);
    best = std::move(habit);
  }
  return best;
}

double spread_of(const Tensor& weights, Index batch, Index head) {
  double sum = 0;
  Index rows = 0;
  for (Index query = 0; query < weights.shape()[2]; ++query) {
    double bits = 0, total = 0;
    for (Index key = 0; key < weights.shape()[3]; ++key) {
      const double share = weights.at({batch, head, query, key});
      total += share;
      if (share > 0) bits -= share * std::log2(share);
    }
    if (!(total > 0)) continue;
    sum += std::exp2(bits);
    ++rows;
  }
  return rows == 0 ? 0 : sum / static_cast<double>(rows);
}

}  // namespace headlight
