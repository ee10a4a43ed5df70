// What a query takes from each word: its shares, the words' numbers, and what they add up to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/lecture/lecture.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct Blend {
  std::vector<std::string> words;
  std::size_t query = 0;                     ///< which of the words asks
  std::vector<std::string> features;         ///< the names of the rows
  std::vector<double> shares;                ///< of each word; they add up to 1
  std::vector<std::vector<double>> numbers;  ///< for each feature, of each word
  std::vector<double> sums;                  ///< for each feature: the shares times the numbers

  /// The feature that is clearly the largest in the blend, if there is one.
  std::optional<std::size_t> mostly() const;

  friend bool operator==(const Blend&, const Blend&) = default;
};

/// The words' own numbers, from which values are made: X or Y, with positions added where they are.
TensorId numbers_of_words(const Trace& trace);

/// The blend of a query in these features, where the output is nothing but the values, weighed by one head, and the
/// values are the words' own numbers; else none.
std::optional<Blend> blend_of(const Trace& trace, Index batch, Index query, const std::vector<Index>& features);

/// At this share of the way from one to the other, which has as many words and features.
Blend blend_between(const Blend& from, const Blend& to, double share);

}  // namespace headlight
