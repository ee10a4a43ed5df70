// What a head does in one text, as far as that can be measured by where words stand.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/model/tensor.hpp"

namespace headlight {

/// What a head's queries give to the key at one distance: to themselves, to the word before, or to the next one.
struct HeadHabit {
  Index distance = 0;          ///< of the key from the query: 0, -1 or 1
  double mean = 0;             ///< of the queries' weights at that distance
  std::vector<Index> queries;  ///< those that have such a key, from the one that gives most to the one that gives least

  /// "itself", "the word before it", "the next word"
  std::string_view words() const;
  /// Whether it says something about the head: words give at least three tenths to that key on average.
  bool is_clear() const { return mean >= 0.3; }
};

/// The habit with the largest mean. `weights` is (batch, head, query, key) of one sequence, whose queries are its keys.
/// None without a query.
std::optional<HeadHabit> habit_of(const Tensor& weights, Index batch, Index head);

/// Over how many keys a head spreads its attention: 2 to the power of a row's entropy in bits, as a mean over the rows
/// that have weights. 0 if there is none.
double spread_of(const Tensor& weights, Index batch, Index head);

}  // namespace headlight
