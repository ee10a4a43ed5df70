#include "app/session/studies/head_patterns.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/studies/key_shares.hpp"
#include "core/model/mask.hpp"

namespace headlight {
namespace {

constexpr double least_share = 0.6;
constexpr double least_even_share = 0.9;

/// A number for what each position of a batch item holds, the same where they hold the same; empty where nobody knows.
std::vector<std::int64_t> symbols_of(const Trace& trace, Index item) {
  std::vector<std::int64_t> symbols;
  if (trace.sequences != nullptr) {
    const Sequences& sequences = *trace.sequences;
    for (Index position = 0; position < sequences.length; ++position)
      symbols.push_back(
          sequences.ones[static_cast<std::size_t>((item * sequences.length + position) * sequences.held)]);
  } else if (!trace.setup.is_cross()) {
    const auto& tokens = trace.setup.tokens;
    for (const std::string& token : tokens) symbols.push_back(std::ranges::find(tokens, token) - tokens.begin());
  }
  return symbols;
}

/// The shares of all patterns, summed over the queries that count.
class Sums {
 public:
  explicit Sums(const Trace& trace) : trace_(trace), mask_(trace.setup), visible_(keys(), 1) {}

  void add_item(const Tensor& weights, Index item) {
    symbols_ = symbols_of(trace_, item);
    KeyShares row = empty_shares(trace_.setup.key_length());
    for (Index query = 0; query < weights.shape()[0]; ++query) {
      if (trace_.sequences != nullptr && !trace_.sequences->asks(item, query)) continue;
      if (!read_shares(weights, query, row)) continue;
      mask_.visible_row(item, query, visible_);
      if (std::ranges::count(visible_, 1) >= 2) add_query(row, static_cast<std::size_t>(query));
    }
  }

  std::optional<FoundPattern> found() const {
    FoundPattern best;
    for (const HeadPattern each :
         {HeadPattern::previous, HeadPattern::first, HeadPattern::same_symbol, HeadPattern::diagonal})
      if (share(each) > best.share) best = {each, share(each)};
    if (best.share >= least_share) return best;
    if (share(HeadPattern::even) >= least_even_share) return FoundPattern{HeadPattern::even, share(HeadPattern::even)};
    return std::nullopt;
  }

 private:
  struct Sum {
    double shares = 0;
    Index queries = 0;
  };

  std::size_t keys() const { return static_cast<std::size_t>(trace_.setup.key_length()); }

  void add_query(const KeyShares& row, std::size_t query) {
    ++queries_;
    if (query > 0) add_keys(HeadPattern::previous, row, [&](std::size_t key) { return key + 1 == query; });
    add_keys(HeadPattern::first, row, [](std::size_t key) { return key == 0; });
    add_keys(HeadPattern::diagonal, row, [&](std::size_t key) { return key == query; });
    if (!symbols_.empty()) {
      add_keys(HeadPattern::same_symbol, row,
               [&](std::size_t key) { return key != query && symbols_[key] == symbols_[query]; });
    }
    const double even = 1 / static_cast<double>(std::ranges::count(visible_, 1));
    double shared = 0;
    for (std::size_t key = 0; key < keys(); ++key) shared += visible_[key] != 0 ? std::min(row[key], even) : 0;
    add(HeadPattern::even, shared);
  }

  template <class Names>
  void add_keys(HeadPattern pattern, const KeyShares& row, Names&& names) {
    double given = 0;
    bool any = false;
    for (std::size_t key = 0; key < keys(); ++key) {
      if (visible_[key] == 0 || !names(key)) continue;
      given += row[key];
      any = true;
    }
    if (any) add(pattern, given);
  }

  void add(HeadPattern pattern, double share) {
    Sum& sum = sums_[static_cast<std::size_t>(pattern)];
    sum.shares += share;
    ++sum.queries;
  }

  double share(HeadPattern pattern) const {
    const Sum& sum = sums_[static_cast<std::size_t>(pattern)];
    return 3 * sum.queries >= queries_ && sum.queries > 0 ? sum.shares / static_cast<double>(sum.queries) : 0;
  }

  const Trace& trace_;
  Mask mask_;
  std::vector<unsigned char> visible_;
  std::vector<std::int64_t> symbols_;
  std::array<Sum, head_patterns.size()> sums_{};
  Index queries_ = 0;
};

}  // namespace

std::optional<FoundPattern> found_pattern(const Trace& trace, TensorId tensor, Index head,
                                          const std::stop_token& stop) {
  Sums sums(trace);
  for (Index item = 0; item < trace.setup.sizes.batch; ++item) {
    if (stop.stop_requested()) return std::nullopt;
    sums.add_item(trace[tensor].selected(0, item).selected(0, head).contiguous(), item);
  }
  return sums.found();
}

std::string short_words(const FoundPattern& found) {
  return fmt::format("{} {:.0f} %", head_patterns[static_cast<std::size_t>(found.pattern)], 100 * found.share);
}

std::string sentence_of(const FoundPattern& found) {
  const auto goes_to = [&](std::string_view where) {
    return fmt::format("{:.0f} % of the attention goes to {}", 100 * found.share, where);
  };
  switch (found.pattern) {
    case HeadPattern::previous: return goes_to("the position before the query");
    case HeadPattern::first: return goes_to("the first position");
    case HeadPattern::same_symbol: return goes_to("other positions that hold the same as the query");
    case HeadPattern::diagonal: return goes_to("the query's own position");
    case HeadPattern::even: break;
  }
  return fmt::format("{:.0f} % of the attention is as if every key that a query sees had the same share",
                     100 * found.share);
}

}  // namespace headlight
