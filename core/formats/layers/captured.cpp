#include "core/formats/layers/captured.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "core/formats/arrays/array_file.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

/// What the batch items have in common, for each query and key.
enum class Hidden : std::uint8_t {
  any,  ///< in all batch items the key is left out anyway
  no,
  yes,
};

class CommonMask {
 public:
  CommonMask(const Tensor& hidden, bool causal) : hidden_(hidden), causal_(causal) {
    pairs_.assign(static_cast<std::size_t>(queries() * keys()), Hidden::any);
    for (Index item = 0; item < hidden.shape()[0] && agrees_; ++item) add(item);
  }

  bool agrees() const { return agrees_; }

  /// The masks that the pairs ask for, the simplest that do.
  MaskSettings masks() const {
    MaskSettings masks;
    masks.valid_lengths = lengths_;
    if (std::ranges::any_of(lengths_, [&](Index length) { return length < keys(); }))
      masks.kinds.push_back(MaskKind::padding);
    else masks.valid_lengths.clear();
    masks.window = window();
    for (const bool causal : {false, true}) {
      for (const bool window : {false, true}) {
        if (!is(causal, window ? masks.window : keys() + queries())) continue;
        if (causal) masks.kinds.push_back(MaskKind::causal);
        if (window) masks.kinds.push_back(MaskKind::window);
        if (!window) masks.window = MaskSettings{}.window;
        return masks;
      }
    }
    masks.window = MaskSettings{}.window;
    masks.kinds.push_back(MaskKind::custom);
    each([&](Index query, Index key, Hidden hidden) {
      if (hidden == Hidden::yes) masks.blocked.emplace_back(query, key);
    });
    return masks;
  }

 private:
  Index queries() const { return hidden_.shape()[1]; }
  Index keys() const { return hidden_.shape()[2]; }
  bool hides(Index item, Index query, Index key) const {
    return (causal_ && key > query) || hidden_.at({item, query, key}) != 0;
  }

  /// The keys up to the last one that any query sees.
  Index valid_length(Index item) const {
    for (Index key = keys() - 1; key >= 0; --key)
      for (Index query = 0; query < queries(); ++query)
        if (!hides(item, query, key)) return key + 1;
    return 0;
  }

  void add(Index item) {
    lengths_.push_back(valid_length(item));
    for (Index query = 0; query < queries(); ++query) {
      for (Index key = 0; key < lengths_.back(); ++key) {
        Hidden& pair = pairs_[static_cast<std::size_t>(query * keys() + key)];
        const Hidden here = hides(item, query, key) ? Hidden::yes : Hidden::no;
        agrees_ &= pair == Hidden::any || pair == here;
        pair = here;
      }
    }
  }

  void each(auto&& body) const {
    for (Index query = 0; query < queries(); ++query)
      for (Index key = 0; key < keys(); ++key) body(query, key, pairs_[static_cast<std::size_t>(query * keys() + key)]);
  }

  static Index distance(Index query, Index key) { return query < key ? key - query : query - key; }

  /// How far the farthest key is that a query sees.
  Index window() const {
    Index farthest = 0;
    each([&](Index query, Index key, Hidden hidden) {
      if (hidden == Hidden::no) farthest = std::max(farthest, distance(query, key));
    });
    return farthest;
  }

  bool is(bool causal, Index window) const {
    bool same = true;
    each([&](Index query, Index key, Hidden hidden) {
      const bool would = (causal && key > query) || distance(query, key) > window;
      same &= hidden == Hidden::any || would == (hidden == Hidden::yes);
    });
    return same;
  }

  const Tensor& hidden_;
  bool causal_;
  bool agrees_ = true;
  std::vector<Index> lengths_;
  std::vector<Hidden> pairs_;
};

}  // namespace

bool is_note_of_capture(std::string_view array) {
  constexpr std::array notes{captured::keys_from,     captured::values_from,  captured::heads,        captured::mask,
                             captured::mask_per_head, captured::added_scores, captured::add_zero_attn};
  return std::ranges::find(notes, array) != notes.end();
}

std::optional<Index> captured_heads(const NamedArrays& model) {
  const StoredArray* const array = model.find("", captured::heads);
  if (array == nullptr) return std::nullopt;
  const Tensor numbers = read_array(array->file, array->info.name);
  const double heads = numbers.shape().rank() == 0 ? numbers.at({}) : 0;
  if (heads >= 1 && heads <= static_cast<double>(largest_size)) return static_cast<Index>(heads);
  throw InputError({array->file.string(), array->info.name,
                    numbers.shape().rank() == 0 ? fmt::format("{}", heads) : "shape " + numbers.shape().to_string(),
                    "one whole number of at least 1"});
}

std::optional<MaskSettings> masks_that_hide(const Tensor& hidden, bool causal) {
  const CommonMask common(hidden, causal);
  if (!common.agrees()) return std::nullopt;
  return common.masks();
}

}  // namespace headlight
