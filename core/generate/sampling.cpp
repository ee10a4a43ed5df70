#include "core/generate/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/model/problem.hpp"

namespace headlight {
namespace {

/// Symbols from the largest score to the smallest. NaN, which has no place among numbers, comes last.
std::vector<std::size_t> ranked(const std::vector<double>& logits) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t symbol) {
    const double logit = logits[symbol];
    return std::isnan(logit) ? std::tuple(true, 0.0, symbol) : std::tuple(false, -logit, symbol);
  });
  return order;
}

void require_finite(const std::vector<double>& logits) {
  const auto odd = std::ranges::find_if_not(logits, [](double logit) { return std::isfinite(logit); });
  if (odd != logits.end())
    throw InputError({"", "logits", fmt::format("{}", *odd),
                      "finite numbers to choose a symbol by; somewhere below them numbers have become too large"});
}

double uniform(Generator& generator) {
  double number = 0;
  std::visit([&](auto& kind) { kind.uniform(std::span<double>(&number, 1)); }, generator);
  return number;
}

}  // namespace

std::vector<double> chances(const std::vector<double>& logits, const Sampling& sampling) {
  const std::vector<std::size_t> order = ranked(logits);
  std::vector<double> chances(logits.size());
  if (sampling.temperature == 0) {
    chances[order.front()] = 1;
    return chances;
  }
  const auto taken =
      sampling.top_k > 0 ? std::min(order.size(), static_cast<std::size_t>(sampling.top_k)) : order.size();
  const double largest = logits[order.front()] / sampling.temperature;
  for (std::size_t i = 0; i < taken; ++i)
    chances[order[i]] = std::exp(logits[order[i]] / sampling.temperature - largest);
  const double sum = std::accumulate(chances.begin(), chances.end(), 0.0);
  for (double& chance : chances) chance /= sum;
  return chances;
}

std::int64_t symbol_at(const std::vector<double>& chances, double drawn) {
  std::vector<double> ends(chances.size());
  std::partial_sum(chances.begin(), chances.end(), ends.begin());
  const auto at = std::ranges::upper_bound(ends, drawn * ends.back());
  return std::min(at - ends.begin(), std::ssize(ends) - 1);
}

std::int64_t chosen(const std::vector<double>& chances, const Sampling& sampling, double drawn) {
  return sampling.temperature == 0 ? std::ranges::max_element(chances) - chances.begin() : symbol_at(chances, drawn);
}

double number_drawn(GeneratorKind kind, std::int64_t seed, Index place) {
  Generator generator = seeded(kind, seed);
  double number = 0;
  for (Index i = 0; i <= place; ++i) number = uniform(generator);
  return number;
}

Author::Author(const ModelTrace& model, Writing writing, std::int64_t seed)
    : model_(model), writing_(std::move(writing)), generator_(seeded(model.first().setup.random.generator, seed)) {
  const Setup& setup = model.first().setup;
  require_writer(setup);
  const Index room = setup.token_count() - 1;
  if (std::ssize(writing_.prompt) >= room)
    throw InputError({"", "prompt", fmt::format("{} characters", writing_.prompt.size()),
                      fmt::format("fewer than {}: sizes.query_length = {} holds the line break before it, and what is "
                                  "written",
                                  room, setup.token_count())});
}

Written Author::next() {
  Writer writer(model_, writing_.cache);
  writer.read(0);
  for (const std::int64_t symbol : writing_.prompt) writer.read(symbol);
  Written written;
  while (writer.length() < writer.most()) {
    if (writing_.length && std::ssize(written.symbols) >= *writing_.length) {
      written.end = Written::End::length;
      return written;
    }
    const std::vector<double>& logits = writer.logits();
    require_finite(logits);
    const std::vector<double> now = chances(logits, writing_.sampling);
    const double drawn = writing_.sampling.temperature == 0 ? 0 : uniform(generator_);
    const std::int64_t symbol = chosen(now, writing_.sampling, drawn);
    written.chances.push_back(now[static_cast<std::size_t>(symbol)]);
    if (symbol == 0) {
      written.end = Written::End::line_break;
      return written;
    }
    written.symbols.push_back(symbol);
    writer.read(symbol);
  }
  return written;
}

}  // namespace headlight
