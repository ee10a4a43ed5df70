// Mistakes in hiding keys from queries.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/model/mask.hpp"
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

/// How a row is filled in which a query sees no key: with −inf, or with a finite number, so that all keys get the same
/// share.
enum class BlindRow { infinite, even };

/// The scores where `sees(batch, head, query, key)`, else −inf.
template <class Sees>
Tensor hidden_where_not(Attempt& attempt, Sees&& sees, BlindRow blind) {
  const Tensor from = read_by_mask(attempt.trace).contiguous();
  const Shape& shape = from.shape();
  const Tensor* const theirs = attempt.handed_over(masked_scores);
  Tensor result = attempt.workspace.tensor(from.precision(), shape);
  with_element_type(from.precision(), [&](auto zero) {
    using T = decltype(zero);
    attempt.workspace.ranges(
        from.elements() / shape[3], std::max<Index>(1, elements_per_task / shape[3]), [&](Index begin, Index end) {
          for (Index row = begin; row < end; ++row) {
            const Index query = row % shape[2], head = row / shape[2] % shape[1], item = row / shape[2] / shape[1];
            T* const to = result.writable<T>() + row * shape[3];
            bool sees_one = false;
            for (Index key = 0; key < shape[3]; ++key) {
              const bool seen = sees(item, head, query, key);
              sees_one |= seen;
              to[key] = seen ? from.data<T>()[row * shape[3] + key] : static_cast<T>(unseen);
            }
            if (sees_one || blind == BlindRow::infinite) continue;
            const double fill = theirs != nullptr ? theirs->at({item, head, query, 0}) : 0;
            std::fill_n(to, shape[3], static_cast<T>(fill));
          }
        });
  });
  return result;
}

/// Which of two ways a variant is in: every other one fills rows evenly.
BlindRow blind_row_of(const Attempt& attempt) { return attempt.variant % 2 == 0 ? BlindRow::infinite : BlindRow::even; }

/// The scores where `sees(mask, batch item, query, key)`, else −inf, in two of the variants.
template <class Sees>
std::optional<Tensor> masked(Attempt& attempt, Sees&& sees, int first_variant = 0) {
  if (attempt.variant > first_variant + 1 || !has_mask(attempt)) return std::nullopt;
  const Mask mask(attempt.setup());
  return hidden_where_not(
      attempt, [&](Index item, Index, Index query, Index key) { return sees(mask, item, query, key); },
      blind_row_of(attempt));
}

std::optional<Tensor> mask_inverted(Attempt& attempt) {
  return masked(attempt,
                [](const Mask& mask, Index item, Index query, Index key) { return !mask.visible(item, query, key); });
}

std::optional<Tensor> mask_transposed(Attempt& attempt) {
  if (attempt.setup().key_length() != attempt.setup().sizes.query_length) return std::nullopt;
  return masked(attempt,
                [](const Mask& mask, Index item, Index query, Index key) { return mask.visible(item, key, query); });
}

/// The key at the query's own position; where there are more keys, also the one with the same number.
std::optional<Tensor> mask_excludes_diagonal(Attempt& attempt) {
  const Index past = attempt.setup().past();
  const bool same_number = attempt.variant > 1 && past > 0;
  return masked(
      attempt,
      [&](const Mask& mask, Index item, Index query, Index key) {
        return (same_number ? 0 : past) + query != key && mask.visible(item, query, key);
      },
      same_number ? 2 : 0);
}

Setup without(const Setup& setup, MaskKind kind) {
  Setup other = setup;
  std::erase(other.mask.kinds, kind);
  return other;
}

/// One of several masks is left out.
std::optional<Tensor> mask_part_missing(Attempt& attempt) {
  const auto& kinds = attempt.setup().mask.kinds;
  const auto n = static_cast<std::size_t>(attempt.variant / 2);
  if (kinds.size() < 2 || n >= kinds.size()) return std::nullopt;
  attempt.said = fmt::format(": \"{}\"", to_string(kinds[n]));
  const Mask mask(without(attempt.setup(), kinds[n]));
  return hidden_where_not(
      attempt, [&](Index item, Index, Index query, Index key) { return mask.visible(item, query, key); },
      blind_row_of(attempt));
}

/// One key more on each side than the window has, or one less: counted without the query itself, or with it.
std::optional<Tensor> window_off_by_one(Attempt& attempt) {
  Setup other = attempt.setup();
  const bool wider = attempt.variant < 2;
  if (attempt.variant > 3 || !other.mask.has(MaskKind::window)) return std::nullopt;
  other.mask.window = std::max<Index>(other.mask.window + (wider ? 1 : -1), 0);
  attempt.said = fmt::format(": {} keys on each side instead of {}", other.mask.window, attempt.setup().mask.window);
  const Mask mask(other);
  return hidden_where_not(
      attempt, [&](Index item, Index, Index query, Index key) { return mask.visible(item, query, key); },
      blind_row_of(attempt));
}

/// A causal mask and a window, if the first query is at this position. Other masks stay.
struct Aligned {
  Mask others;
  bool causal = true;
  std::optional<Index> window = std::nullopt;
  Index first = 0;

  bool visible(Index item, Index query, Index key) const {
    return others.visible(item, query, key) && (!causal || key <= query + first) &&
           (!window || std::abs(query + first - key) <= *window);
  }
};

/// Our mask in parts, if it can be told where its first query is: at 0 (top left) or at the last positions.
std::optional<Aligned> aligned_mask(const Setup& setup) {
  const Index queries = setup.sizes.query_length, keys = setup.key_length();
  const Mask own(setup);
  std::vector<Aligned> candidates;
  if (setup.mask.has(MaskKind::causal) || setup.mask.has(MaskKind::window)) {
    const Mask others(without(without(setup, MaskKind::causal), MaskKind::window));
    candidates.push_back({others, setup.mask.has(MaskKind::causal),
                          setup.mask.has(MaskKind::window) ? std::optional(setup.mask.window) : std::nullopt});
  }
  if (setup.mask.has(MaskKind::custom)) candidates.push_back({Mask(without(setup, MaskKind::custom))});
  for (Aligned& candidate : candidates) {
    for (const Index first : {Index{0}, keys - queries}) {
      candidate.first = first;
      bool same = true;
      for (Index item = 0; item < setup.sizes.batch && same; ++item)
        for (Index query = 0; query < queries && same; ++query)
          for (Index key = 0; key < keys && same; ++key)
            same = own.visible(item, query, key) == candidate.visible(item, query, key);
      if (same) return candidate;
    }
  }
  return std::nullopt;
}

/// Later keys are hidden, where the setup hides none of them; a custom mask may be causal too.
std::optional<Tensor> mask_not_in_setup(Attempt& attempt) {
  Setup& setup = attempt.trace.setup;
  if (attempt.variant > 0 || setup.mask.has(MaskKind::causal) || setup.sizes.query_length < 2) return std::nullopt;
  if (setup.mask.has(MaskKind::custom) && aligned_mask(setup)) return std::nullopt;
  setup.mask.kinds.push_back(MaskKind::causal);
  return attempt.computed();
}

/// With more keys than queries, or fewer: the first query is at position 0 instead of the last ones, or the reverse.
std::optional<Tensor> mask_alignment(Attempt& attempt) {
  const Setup& setup = attempt.setup();
  const Index longer = setup.key_length() - setup.sizes.query_length;
  if (attempt.variant > 1 || longer == 0 || !has_mask(attempt)) return std::nullopt;
  auto mask = aligned_mask(setup);
  if (!mask) return std::nullopt;
  attempt.said = mask->first == 0 ? ": at the bottom right instead of the top left"
                                  : ": at the top left instead of the bottom right";
  mask->first = longer - mask->first;
  return hidden_where_not(
      attempt, [&](Index item, Index, Index query, Index key) { return mask->visible(item, query, key); },
      blind_row_of(attempt));
}

/// A batch item's padding hides the keys of another one: of the next, of the first, in reverse, or where heads and
/// batch items are one axis, in the order of (heads, batch) instead of (batch, heads), or the reverse.
std::optional<Tensor> mask_of_another_item(Attempt& attempt) {
  const Setup& setup = attempt.setup();
  const Index batch = setup.sizes.batch, heads = setup.sizes.heads;
  if (batch == 1 || !setup.mask.has(MaskKind::padding)) return std::nullopt;
  const Index way = attempt.variant / 2;
  if (way >= 2 * batch + 2) return std::nullopt;
  const auto item_of = [&](Index item, Index head) {
    if (way == 0) return (item * heads + head) % batch;
    if (way == 1) return batch - 1 - item;
    if (way == 2) return (head * batch + item) / heads;
    if (way < 3 + batch) return way - 3;
    return (item + way - 2 - batch) % batch;
  };
  const Mask mask(setup);
  return hidden_where_not(
      attempt,
      [&](Index item, Index head, Index query, Index key) { return mask.visible(item_of(item, head), query, key); },
      blind_row_of(attempt));
}

/// The rows of padded queries are hidden too, not only the columns of padded keys.
std::optional<Tensor> padded_queries_hidden(Attempt& attempt) {
  const Setup& setup = attempt.setup();
  const Index past = setup.past();
  if (attempt.variant > 1 || !setup.mask.has(MaskKind::padding) ||
      setup.key_length() != past + setup.sizes.query_length)
    return std::nullopt;
  Setup only = setup;
  only.mask.kinds = {MaskKind::padding};
  const Mask mask(setup), padding(only);
  return hidden_where_not(
      attempt,
      [&](Index item, Index, Index query, Index key) {
        return mask.visible(item, query, key) && padding.visible(item, query, past + query);
      },
      blind_row_of(attempt));
}

/// A query that sees no key gives all of them the same share, as after a large negative number in place of −inf.
std::optional<Tensor> mask_filled_then_uniform(Attempt& attempt) {
  if (attempt.variant > 0 || blind_queries(attempt.setup()).empty()) return std::nullopt;
  const Mask mask(attempt.setup());
  return hidden_where_not(
      attempt, [&](Index item, Index, Index query, Index key) { return mask.visible(item, query, key); },
      BlindRow::even);
}

double largest_score(const Tensor& tensor) {
  const Tensor all = converted(tensor, Precision::float64).contiguous();
  double largest = 0;
  for (Index i = 0; i < all.elements(); ++i)
    if (std::isfinite(all.data<double>()[i])) largest = std::max(largest, std::abs(all.data<double>()[i]));
  return largest;
}

/// A large negative number is added in float32, which has no digits left for the score: where the key is hidden, or to
/// all, and taken away again where it is seen.
std::optional<Tensor> scores_swallowed(Attempt& attempt) {
  // A number that leaves the scores their digits swallows nothing.
  constexpr double share_lost = 1e-5 / std::numeric_limits<float>::epsilon();
  const double largest = largest_score(read_by_mask(attempt.trace));
  std::vector<float> numbers{-1e9F, -1e4F, -1e5F, -1e6F, -1e7F, -1e8F, -1e10F, -1e12F, -1e30F};
  std::erase_if(numbers, [&](float number) { return std::abs(number) < share_lost * largest; });
  // Added where the key is hidden, it only swallows the scores of a query that sees no key.
  const bool has_blind = !blind_queries(attempt.setup()).empty();
  const auto n = static_cast<std::size_t>(has_blind ? attempt.variant / 2 : attempt.variant);
  if (!has_mask(attempt) || n >= numbers.size()) return std::nullopt;
  const bool to_all = !has_blind || attempt.variant % 2 == 1;
  attempt.said = fmt::format(" ({:g})", numbers[n]);
  return changed(attempt, read_by_mask(attempt.trace),
                 [&](const auto& visible, std::size_t query, std::size_t key, auto score) {
                   using T = decltype(score);
                   volatile float sum = static_cast<float>(score);
                   if (visible[query][key] && !to_all) return score;
                   sum = sum + numbers[n];
                   if (visible[query][key]) sum = sum - numbers[n];
                   return static_cast<T>(sum);
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
  const bool in_weights = attempt.handed_over(weights) != nullptr;
  if (!in_weights && attempt.handed_over(masked_scores) == nullptr) return {};
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
      {.name = "mask_not_in_setup",
       .words = "later keys are hidden, but this setup has no causal mask: is it the setup that lacks one?",
       .at = {masked_scores},
       .replay = mask_not_in_setup,
       .fix_numpy = "masked_scores = scores  # or give the setup a mask: --set 'mask.kinds=[\"causal\"]'",
       .fix_torch = "masked_scores = scores  # or give the setup a mask: --set 'mask.kinds=[\"causal\"]'"},
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
      {.name = "mask_part_missing",
       .words = "one of the masks is left out",
       .at = {masked_scores},
       .replay = mask_part_missing},
      {.name = "window_off_by_one",
       .words = "the window is counted otherwise, with the query itself or without it",
       .at = {masked_scores},
       .replay = window_off_by_one},
      {.name = "mask_alignment",
       .words = "the mask is aligned at the other corner",
       .at = {masked_scores},
       .replay = mask_alignment},
      {.name = "mask_of_another_item",
       .words = "the padding of another batch item hides the keys",
       .at = {masked_scores},
       .replay = mask_of_another_item},
      {.name = "padded_queries_hidden",
       .words = "the rows of padded queries are hidden too, so that they see no key",
       .at = {masked_scores},
       .replay = padded_queries_hidden},
      {.name = "mask_filled_then_uniform",
       .words = "hidden scores get a finite number, so a query that sees no key gives all the same weight",
       .at = {masked_scores},
       .replay = mask_filled_then_uniform},
      {.name = "scores_swallowed",
       .words = "a large negative number is added to the scores in float32, which swallows them",
       .at = {masked_scores},
       .replay = scores_swallowed},
      {.name = "mask_too_weak",
       .words = "hidden scores get a finite number that softmax still sees, instead of −inf",
       .at = {masked_scores},
       .replay = mask_too_weak,
       .fitted = true},
      {.name = "mask_after_softmax",
       .words =
           "the mask is applied after softmax: the weights of hidden keys are zeroed, and the others do not sum to 1",
       .at = {weights},
       .replay = mask_after_softmax,
       .mended = {masked_scores, weights}},
  };
}

}  // namespace headlight
