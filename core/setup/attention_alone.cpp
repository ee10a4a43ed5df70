// Attention alone: what a setup may say beside weights of which nothing else is known.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/mask.hpp"
#include "core/setup/checks.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "core/setup/value_checks.hpp"

namespace headlight {
namespace {

/// The keys that speak of the weights. Everything else would change how they were computed.
constexpr std::array<std::string_view, 17> keys_of_weights{"title",
                                                           "tokens",
                                                           "key_tokens",
                                                           "head_names",
                                                           "sizes.batch",
                                                           "sizes.query_length",
                                                           "sizes.heads",
                                                           "sizes.key_length",
                                                           "attention.source",
                                                           "attention.token_axis",
                                                           "attention.precision",
                                                           "mask.kinds",
                                                           "mask.window",
                                                           "mask.valid_lengths",
                                                           "mask.blocked",
                                                           "random.draws",
                                                           "values"};
/// Those of them that neither the sizes nor the zeros of the weights decide.
constexpr std::array<std::string_view, 7> free_keys{
    "title", "tokens", "key_tokens", "head_names", "attention.token_axis", "attention.precision", "values"};

/// The first index, in row-major order, of a weight for which `is_wrong` holds.
std::optional<Shape> first_where(const Tensor& weights, auto&& is_wrong) {
  const Tensor rows = weights.contiguous();
  const Shape& extents = rows.shape();
  return with_element_type(rows.precision(), [&](auto zero) -> std::optional<Shape> {
    using T = decltype(zero);
    const T* const first = rows.data<T>();
    for (Index offset = 0; offset < rows.elements(); ++offset) {
      if (!is_wrong(offset, static_cast<double>(first[offset]))) continue;
      Shape index = extents;
      for (int axis = extents.rank() - 1; axis >= 0; --axis) {
        index[axis] = offset % extents[axis];
        offset /= extents[axis];
      }
      return index;
    }
    return std::nullopt;
  });
}

void require_none(Findings& findings, const GivenNumbers& given, std::string_view allowed, auto&& is_wrong) {
  const auto found = first_where(given.tensor(), is_wrong);
  if (!found) return;
  findings.add("values.weights",
               fmt::format("{:.6g} at [{}]", given.tensor().at(std::span(found->begin(), found->end())),
                           fmt::join(found->begin(), found->end(), ",")),
               std::string(allowed));
}

/// Whether the mask hides the key of a weight from its query, by the weight's place in row-major order. The weights may
/// leave out the batch.
class HiddenPairs {
 public:
  explicit HiddenPairs(const Setup& setup) : setup_(setup), mask_(setup) {}

  bool operator()(Index offset) const {
    const Index keys = setup_.key_length(), queries = setup_.sizes.query_length;
    const Index item = offset / keys / queries / setup_.sizes.heads;
    return !mask_.visible(item, offset / keys % queries, offset % keys);
  }

 private:
  const Setup& setup_;
  Mask mask_;
};

}  // namespace

bool is_decided_by_weights(std::string_view key) { return std::ranges::find(free_keys, key) == free_keys.end(); }
bool speaks_of_weights(std::string_view key) {
  return std::ranges::find(keys_of_weights, key) != keys_of_weights.end();
}

void check_attention_alone(Findings& findings, const Setup& setup) {
  if (!setup.has_attention_alone()) return;
  for (const SetupKey& key : setup_keys()) {
    findings.require(
        speaks_of_weights(key.name) || key.is_default(setup), key.name, [&] { return key.text(setup); },
        [&] {
          return fmt::format("{}, its default: values.weights gives the weights, and nothing before them is known",
                             key.text(Setup{}));
        });
  }
  const GivenNumbers& weights = *setup.values.whole(TensorId::weights);
  if (!has_sizes(setup) || weights.first_not_finite() || misfit(setup, TensorId::weights, {}, weights.tensor().shape()))
    return;
  require_none(findings, weights, "numbers of at least 0, as after a softmax", [](Index, double w) { return w < 0; });
  if (setup.mask.kinds.empty()) return;
  // A setup whose masks are wrong themselves has problems already.
  if (setup.mask.has(MaskKind::padding) && std::ssize(setup.mask.valid_lengths) != setup.sizes.batch) return;
  const HiddenPairs is_hidden(setup);
  require_none(findings, weights, "0 where the mask hides the key from the query",
               [&](Index offset, double w) { return w != 0 && is_hidden(offset); });
}

}  // namespace headlight
