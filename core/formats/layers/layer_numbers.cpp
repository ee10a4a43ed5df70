#include "core/formats/layers/layer_numbers.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/layers/captured.hpp"
#include "core/formats/values/array_reference.hpp"
#include "core/text/numbers.hpp"

namespace headlight {

GivenNumbers given_numbers(const StoredArray& array, const std::string& steps, double added, ArrayFiles& files) {
  const GivenNumbers numbers =
      read_given({.file = array.file, .name = array.info.name, .steps = steps, .digest = {}}, {}, files);
  if (added == 0) return numbers;
  const Tensor& from = numbers.tensor();
  Tensor sum = Tensor::uninitialized(from.precision(), from.shape());
  with_element_type(from.precision(), [&](auto zero) {
    using T = decltype(zero);
    std::transform(from.data<T>(), from.data<T>() + from.elements(), sum.writable<T>(),
                   [&](T number) { return number + static_cast<T>(added); });
  });
  return GivenNumbers(sum);
}

void require_few(const std::set<const StoredArray*>& arrays, const Problem& where, std::int64_t limit) {
  double bytes = 0;
  for (const StoredArray* const array : arrays)
    if (array != nullptr) bytes += sizeof(float) * static_cast<double>(Shape(array->info.extents).elements());
  if (bytes <= static_cast<double>(limit)) return;
  throw InputError({where.source, where.key,
                    fmt::format("{} {} of numbers", where.found, format_bytes(static_cast<std::int64_t>(bytes))),
                    fmt::format("up to {}", format_bytes(limit))});
}

MaskSettings captured_mask(const StoredArray& mask, const Setup& setup, bool causal, ArrayFiles& files,
                           std::int64_t limit) {
  const Shape wanted{setup.sizes.batch, setup.sizes.query_length, setup.key_length()};
  if (!std::ranges::equal(mask.info.extents, wanted)) {
    throw InputError(
        {mask.file.string(), mask.info.name,
         fmt::format("shape ({}{})", fmt::join(mask.info.extents, ", "), mask.info.extents.size() == 1 ? "," : ""),
         fmt::format("shape {}, (batch, query, key)", wanted.to_string())});
  }
  auto masks = masks_that_hide(files.at(mask.file).read(mask.info.name, limit, {}), causal);
  if (!masks) {
    throw InputError({mask.file.string(), mask.info.name, "batch items with different masks",
                      "the same mask for all of them, but for keys that are left out at the end; or a file with one "
                      "batch item, captured alone"});
  }
  return *std::move(masks);
}

}  // namespace headlight
