#include "core/random/fill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <type_traits>

namespace headlight {
namespace {

/// How many float64 numbers are drawn at a time before they are rounded to float32 or compared with the dropout.
constexpr std::size_t chunk = 1024;

template <class Kind>
concept OfNumpy = std::is_same_v<Kind, NumpyRandom> || std::is_same_v<Kind, NumpyRng>;

/// In the precision of the numbers, as PyTorch multiplies a tensor by a number.
template <class T>
void multiply(std::span<T> values, double factor) {
  if (factor == 1) return;
  for (T& value : values) value *= static_cast<T>(factor);
}

void draw(OfNumpy auto& generator, const Fill& fill, std::span<double> values) {
  if (fill.kind == Fill::Kind::normal) generator.normal(values);
  else generator.uniform(values);
  multiply(values, fill.factor);
}

void draw(OfNumpy auto& generator, const Fill& fill, std::span<float> values) {
  std::array<double, chunk> buffer;
  while (!values.empty()) {
    const auto part = std::span(buffer).first(std::min(chunk, values.size()));
    draw(generator, fill, part);
    std::transform(part.begin(), part.end(), values.begin(), [](double value) { return static_cast<float>(value); });
    values = values.subspan(part.size());
  }
}

template <class T>
void draw(TorchRandom& generator, const Fill& fill, std::span<T> values) {
  if (fill.kind == Fill::Kind::normal) generator.normal(values);
  else generator.uniform(values, fill.from, fill.to);
  multiply(values, fill.factor);
}

/// Fills long tensors in parts, with a chance to cancel between two of them. PyTorch makes normal numbers in blocks of
/// 16, so the length of a part is a multiple of 16, and the last part is never shorter than a block.
template <class Kind, class T>
void draw_in_parts(Kind& generator, const Fill& fill, std::span<T> values, const Workspace& workspace) {
  constexpr std::size_t part = std::size_t{1} << 20;
  for (; values.size() > 2 * part; values = values.subspan(part)) {
    draw(generator, fill, values.first(part));
    workspace.go_on();
  }
  draw(generator, fill, values);
}

void decide(TorchRandom& generator, double dropout, std::span<unsigned char> kept) {
  generator.bernoulli(kept, 1 - dropout);
}

void decide(OfNumpy auto& generator, double dropout, std::span<unsigned char> kept) {
  std::array<double, chunk> numbers;
  while (!kept.empty()) {
    const auto part = std::span(numbers).first(std::min(chunk, kept.size()));
    generator.uniform(part);
    std::transform(part.begin(), part.end(), kept.begin(),
                   [&](double number) { return static_cast<unsigned char>(number >= dropout); });
    kept = kept.subspan(part.size());
  }
}

}  // namespace

Generator seeded(GeneratorKind kind, std::int64_t seed) {
  switch (kind) {
    case GeneratorKind::torch: return Generator(std::in_place_type<TorchRandom>, seed);
    case GeneratorKind::numpy_rng: return Generator(std::in_place_type<NumpyRng>, static_cast<std::uint64_t>(seed));
    case GeneratorKind::numpy: break;
  }
  return Generator(std::in_place_type<NumpyRandom>, static_cast<std::uint32_t>(seed));
}

Tensor filled(Generator& generator, const Fill& fill, Workspace& workspace) {
  Tensor tensor = workspace.tensor(fill.precision, fill.shape);
  with_element_type(fill.precision, [&](auto zero) {
    using T = decltype(zero);
    const std::span<T> values(tensor.writable<T>(), static_cast<std::size_t>(tensor.elements()));
    std::visit([&](auto& kind) { draw_in_parts(kind, fill, values, workspace); }, generator);
  });
  return tensor;
}

Kept kept_by_dropout(Generator& generator, std::size_t count, double dropout) {
  Kept kept(count);
  std::visit([&](auto& kind) { decide(kind, dropout, kept); }, generator);
  return kept;
}

// The same operations in the same order as in PyTorch, because the last bit of the bound enters every drawn number.

double linear_weight_bound(Index inputs) {
  const double slope = std::sqrt(5.0);
  const double gain = std::sqrt(2.0 / (1.0 + slope * slope));
  const double deviation = gain / std::sqrt(static_cast<double>(inputs));
  return std::sqrt(3.0) * deviation;
}

double linear_bias_bound(Index inputs) { return 1.0 / std::sqrt(static_cast<double>(inputs)); }

double xavier_uniform_bound(Index inputs, Index outputs) {
  const double deviation = std::sqrt(2.0 / static_cast<double>(inputs + outputs));
  return std::sqrt(3.0) * deviation;
}

}  // namespace headlight
