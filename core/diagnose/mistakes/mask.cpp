// Mistakes in hiding keys from queries.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/diagnose/mistakes/mistake.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// The scores in which the mask hides keys.
const Tensor& read_by_mask(const Trace& trace) { return left_of(stage_of(masked_scores), trace); }

/// The score of a key that is not seen.
constexpr double unseen = -std::numeric_limits<double>::infinity();

/// Which keys the queries of a batch item see: (query, key).
std::vector<std::vector<unsigned char>> visible_keys(const Setup& setup, Index batch) {
  const Mask mask(setup);
  std::vector<std::vector<unsigned char>> rows(static_cast<std::size_t>(setup.sizes.query_length));
  for (std::size_t query = 0; query < rows.size(); ++query)
    mask.visible_row(batch, static_cast<Index>(query), rows[query]);
  return rows;
}

/// A copy of a (batch, head, query, key) tensor in which `change(visible, query, key, number)` replaces each number;
/// `visible` is the mask of the batch item.
template <class Change>
Tensor changed(Attempt& attempt, const Tensor& from, Change&& change) {
  const Tensor source = from.contiguous();
  const Shape& shape = source.shape();
  Tensor result = attempt.workspace.tensor(source.precision(), shape);
  std::vector<std::vector<std::vector<unsigned char>>> masks;
  for (Index batch = 0; batch < shape[0]; ++batch) masks.push_back(visible_keys(attempt.setup(), batch));
  with_element_type(source.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Index grain = std::max<Index>(1, elements_per_task / shape[3]);
    attempt.workspace.ranges(source.elements() / shape[3], grain, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        const auto& visible = masks[static_cast<std::size_t>(row / shape[2] / shape[1])];
        const T* numbers = source.data<T>() + row * shape[3];
        T* to = result.writable<T>() + row * shape[3];
        for (Index key = 0; key < shape[3]; ++key)
          to[key] = static_cast<T>(
              change(visible, static_cast<std::size_t>(row % shape[2]), static_cast<std::size_t>(key), numbers[key]));
      }
    });
  });
  return result;
}

bool has_mask(const Attempt& attempt) { return !attempt.setup().mask.kinds.empty(); }

std::optional<Tensor> mask_missing(Attempt& attempt) {
  if (attempt.variant > 0 || !has_mask(attempt)) return std::nullopt;
  return read_by_mask(attempt.trace);
}

/// The scores where `sees(visible, query, key)`, else −inf.
template <class Sees>
std::optional<Tensor> masked(Attempt& attempt, Sees&& sees) {
  if (attempt.variant > 0 || !has_mask(attempt)) return std::nullopt;
  return changed(attempt, read_by_mask(attempt.trace),
                 [&](const auto& visible, std::size_t query, std::size_t key, auto score) {
                   return sees(visible, query, key) ? score : -std::numeric_limits<decltype(score)>::infinity();
                 });
}

std::optional<Tensor> mask_inverted(Attempt& attempt) {
  return masked(attempt, [](const auto& visible, std::size_t query, std::size_t key) { return !visible[query][key]; });
}

std::optional<Tensor> mask_transposed(Attempt& attempt) {
  if (attempt.setup().key_length() != attempt.setup().sizes.query_length) return std::nullopt;
  return masked(attempt, [](const auto& visible, std::size_t query, std::size_t key) { return visible[key][query]; });
}

std::optional<Tensor> mask_excludes_diagonal(Attempt& attempt) {
  return masked(attempt, [](const auto& visible, std::size_t query, std::size_t key) {
    return query != key && visible[query][key];
  });
}

/// A finite number in place of the hidden scores, or added to them.
struct Weakness {
  double number = 0;
  bool added = false;
};

Tensor weakly_masked(Attempt& attempt, Weakness weakness) {
  return changed(attempt, read_by_mask(attempt.trace),
                 [&](const auto& visible, std::size_t query, std::size_t key, auto score) {
                   using T = decltype(score);
                   if (visible[query][key]) return score;
                   return weakness.added ? score + static_cast<T>(weakness.number) : static_cast<T>(weakness.number);
                 });
}

/// A hidden key, and the visible key of the same query with the largest number in theirs.
struct Pair {
  Shape hidden;
  std::optional<Shape> visible;
};

/// The pair whose hidden key has the largest number in theirs; with a visible key, if it must have one. Of a large
/// tensor the first numbers tell enough.
std::optional<Pair> telling_pair(const Attempt& attempt, bool needs_visible) {
  const Tensor& theirs = attempt.theirs.values;
  const Shape& shape = theirs.shape();
  constexpr Index enough = Index{1} << 16;
  std::optional<Pair> best;
  double largest = unseen;
  for (Index batch = 0; batch < shape[0]; ++batch) {
    const auto visible = visible_keys(attempt.setup(), batch);
    for (Index row = 0; row < shape[1] * shape[2]; ++row) {
      if (best && row * shape[3] > enough) break;
      Shape at{batch, row / shape[2], row % shape[2], 0};
      std::array<Shape, 2> highest;
      std::array<double, 2> values{unseen, unseen};
      for (at[3] = 0; at[3] < shape[3]; ++at[3]) {
        const std::size_t seen = visible[static_cast<std::size_t>(at[2])][static_cast<std::size_t>(at[3])];
        const double value = theirs.at(at);
        if (!(value > values[seen])) continue;
        values[seen] = value;
        highest[seen] = at;
      }
      const bool sees = std::isfinite(values[1]);
      if (values[0] <= largest || !std::isfinite(values[0]) || (needs_visible && !sees)) continue;
      largest = values[0];
      best = Pair{highest[0], sees ? std::optional(highest[1]) : std::nullopt};
    }
  }
  return best;
}

/// The finite number, as read from their own numbers: masked scores show it, and the ratio of two weights is exp(number
/// − score).
std::vector<Weakness> named_weaknesses(const Attempt& attempt) {
  const bool in_weights = attempt.given == weights;
  if (!in_weights && attempt.given != masked_scores) return {};
  const auto pair = telling_pair(attempt, in_weights);
  if (!pair) return {};
  const auto score = [&](const Shape& at) { return read_by_mask(attempt.trace).at(at); };
  const Tensor& theirs = attempt.theirs.values;
  const double hidden = theirs.at(pair->hidden);
  const double number = in_weights ? score(*pair->visible) + std::log(hidden / theirs.at(*pair->visible)) : hidden;
  if (!std::isfinite(number)) return {};
  return {{number, false}, {number - score(pair->hidden), true}};
}

/// The number read from theirs, then numbers that people use.
std::vector<Weakness> weaknesses(const Attempt& attempt) {
  std::vector<Weakness> found = named_weaknesses(attempt);
  for (const double number : {0.0, -1.0, -2.0, -5.0, -10.0, -20.0, -50.0, -100.0, -1e3, -1e4, -1e5, -1e9, -1e10}) {
    found.push_back({number, false});
    found.push_back({number, true});
  }
  return found;
}

std::optional<Tensor> mask_too_weak(Attempt& attempt) {
  if (!has_mask(attempt)) return std::nullopt;
  const std::vector<Weakness> all = weaknesses(attempt);
  const bool fitted = attempt.given == masked_scores;  // nothing else can fit what was read off
  if (static_cast<std::size_t>(attempt.variant) >= (fitted ? std::min<std::size_t>(2, all.size()) : all.size()))
    return std::nullopt;
  return weakly_masked(attempt, all[static_cast<std::size_t>(attempt.variant)]);
}

/// Softmax of what is not masked; then hidden weights are set to zero, and the rest does not sum to 1. If masked scores
/// were handed over, softmax read those.
std::optional<Tensor> mask_after_softmax(Attempt& attempt) {
  if (attempt.variant > 1 || !has_mask(attempt)) return std::nullopt;
  const Tensor shares =
      attempt.softmax((attempt.variant == 0 ? read_by_mask(attempt.trace) : attempt[masked_scores]).contiguous());
  return changed(attempt, shares, [](const auto& visible, std::size_t query, std::size_t key, auto weight) {
    return visible[query][key] ? weight : decltype(weight){0};
  });
}

}  // namespace

std::vector<Mistake> mask_mistakes() {
  return {
      {.name = "mask_missing", .words = "no key is hidden", .at = {masked_scores}, .replay = mask_missing},
      {.name = "mask_inverted",
       .words = "the mask is inverted: what should be hidden is seen, and the other way round",
       .at = {masked_scores},
       .replay = mask_inverted},
      {.name = "mask_transposed",
       .words = "the mask is transposed: queries and keys are mixed up in it",
       .at = {masked_scores},
       .replay = mask_transposed},
      {.name = "mask_excludes_diagonal",
       .words = "the mask hides the diagonal too: no query sees its own position",
       .at = {masked_scores},
       .replay = mask_excludes_diagonal},
      {.name = "mask_too_weak",
       .words = "hidden scores get a finite number that softmax still sees, instead of −inf",
       .at = {masked_scores},
       .replay = mask_too_weak},
      {.name = "mask_after_softmax",
       .words =
           "the mask is applied after softmax: the weights of hidden keys are zeroed, and the others do not sum to 1",
       .at = {weights},
       .replay = mask_after_softmax,
       .mended = {masked_scores, weights}},
  };
}

}  // namespace headlight
