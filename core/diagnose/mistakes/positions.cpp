// Mistakes in telling positions: other angles, other slopes, or positions that begin elsewhere.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/model/positions.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// How somebody turns queries and keys.
struct Turning {
  Setup setup;                           ///< its positions, and where they are counted from
  PairLayout pairs = PairLayout::half;   ///< which features are turned together
  PairLayout angles = PairLayout::half;  ///< of which of them the angles are
  Index features = 0;                    ///< how many of a head's are turned, the first ones
  double base = 10000;
  double exponent = 1;  ///< the angle of pair k is position / base^(2k/features · exponent)
  double sign = 1;
  Index offset = 0;  ///< added to every position
  std::string words = {};
};

Turning own_turning(const Setup& setup) {
  return {.setup = setup,
          .pairs = setup.position.layout,
          .angles = setup.position.layout,
          .features = turned_features(setup),
          .base = setup.position.base};
}

/// (batch, head, position, d_head) -> (batch, head, position, d_head); `axis` counts the positions.
Tensor turned(const Tensor& heads, Axis axis, const Turning& turning) {
  const Tensor from = heads.contiguous();
  const Shape& shape = from.shape();
  const Index width = shape[3], half = turning.features / 2;
  Tensor result = Tensor::uninitialized(from.precision(), shape);
  const auto pair_at = [&](Index feature, PairLayout layout) {
    return layout == PairLayout::half ? feature % half : feature / 2;
  };
  with_element_type(from.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index row = 0; row < from.elements() / width; ++row) {
      const Index item = row / shape[2] / shape[1];
      const Index position = position_on(axis, item, row % shape[2], turning.setup) + turning.offset;
      const T* x = from.data<T>() + row * width;
      T* to = result.writable<T>() + row * width;
      std::copy_n(x, width, to);
      for (Index feature = 0; feature < turning.features; ++feature) {
        const bool first = turning.pairs == PairLayout::half ? feature < half : feature % 2 == 0;
        const Index step = turning.pairs == PairLayout::half ? half : 1,
                    other = first ? feature + step : feature - step;
        const double share =
            static_cast<double>(2 * pair_at(feature, turning.angles)) / static_cast<double>(turning.features);
        const double angle =
            turning.sign * static_cast<double>(position) / std::pow(turning.base, share * turning.exponent);
        const T cosine = static_cast<T>(std::cos(angle)), sine = static_cast<T>(std::sin(angle));
        to[feature] = x[feature] * cosine + (first ? -x[other] : x[other]) * sine;
      }
    }
  });
  return result;
}

std::vector<Turning> wrong_turnings(const Setup& setup) {
  const Turning own = own_turning(setup);
  std::vector<Turning> all;
  const auto add = [&](std::string words, const std::function<void(Turning&)>& change) {
    Turning wrong = own;
    change(wrong);
    wrong.words = std::move(words);
    all.push_back(std::move(wrong));
  };
  const auto features = static_cast<double>(own.features), width = static_cast<double>(setup.d_head());
  add("they turn the other way", [](Turning& t) { t.sign = -1; });
  for (const Index other : {setup.d_head(), setup.d_head() / 2, setup.d_head() / 4})
    if (other != own.features && other >= 2 && other % 2 == 0)
      add(fmt::format("{} features of each head turn instead of {}", other, own.features),
          [&](Turning& t) { t.features = other; });
  if (own.features != setup.d_head())
    add("the exponent is over d_head instead of the features that turn",
        [&](Turning& t) { t.exponent = features / width; });
  const double whole = features / static_cast<double>(setup.sizes.d_model);
  if (whole != 1) add("the exponent is over d_model instead of d_head", [&](Turning& t) { t.exponent = whole; });
  add("the exponent is k/d_head instead of 2k/d_head", [](Turning& t) { t.exponent = 0.5; });
  add("the exponent is 4k/d_head instead of 2k/d_head", [](Turning& t) { t.exponent = 2; });
  add("the exponent has the wrong sign", [](Turning& t) { t.exponent = -1; });
  for (const double base : {10000.0, 500000.0, 1000000.0, 1000.0, 100.0, 10.0, 2.0, 5000.0, 20000.0, 50000.0, 100000.0,
                            200000.0, 250000.0, 500.0, 5000000.0, 8000000.0, 10000000.0})
    if (base != own.base)
      add(fmt::format("the base is {:.8g} instead of {:.8g}", base, own.base), [&](Turning& t) { t.base = base; });
  if (own.features > 2) {
    const PairLayout other = own.pairs == PairLayout::half ? PairLayout::interleaved : PairLayout::half;
    add("pairs and angles follow different layouts", [&](Turning& t) { t.angles = other; });
    add("pairs and angles follow different layouts", [&](Turning& t) { t.pairs = other; });
  }
  return all;
}

/// The axis that counts the rows of queries or keys.
Axis rows_of(TensorId id) { return info(id).axes[2]; }

const Tensor& before_rotation(Attempt& attempt) { return attempt[left_operand(stage_of(attempt.at), attempt.setup())]; }

/// The values are turned as well.
std::optional<Tensor> values_rotated(Attempt& attempt) {
  if (attempt.variant > 0 || attempt.setup().position.encoding != Encoding::rotary) return std::nullopt;
  return turned(attempt.computed(), rows_of(attempt.at), own_turning(attempt.setup()));
}

std::optional<Tensor> rotary_angles(Attempt& attempt) {
  const std::vector<Turning> all = wrong_turnings(attempt.setup());
  const auto n = static_cast<std::size_t>(attempt.variant);
  if (n >= all.size()) return std::nullopt;
  attempt.said = ": " + all[n].words;
  return turned(before_rotation(attempt), rows_of(attempt.at), all[n]);
}

/// Where positions may begin: near 0, or where the queries are the last positions.
std::vector<Index> offsets(const Setup& setup) {
  std::vector<Index> all{1, -1, 2, -2};
  const Index longer = setup.key_length() - setup.sizes.query_length;
  for (const Index offset : {longer, -longer, Index{3}, Index{4}, Index{5}, Index{6}, Index{7}, Index{8}, Index{16}})
    if (offset != 0 && std::ranges::find(all, offset) == all.end()) all.push_back(offset);
  return all;
}

/// The table of positions from `offset` on.
std::optional<Tensor> table_from(Attempt& attempt, Index offset) {
  const Tensor own = attempt.computed();
  const Index rows = own.shape()[0], width = own.shape()[1];
  std::vector<double> cells;
  const Setup& setup = attempt.setup();
  for (Index i = 0; i < rows; ++i) {
    for (Index feature = 0; feature < width; ++feature) {
      const Index position = i + offset;
      if (setup.position.encoding == Encoding::one_hot) {
        cells.push_back(feature == width - rows + position ? 1 : 0);
        continue;
      }
      const double angle = position_angle(position, feature / 2, width, setup.position.base);
      cells.push_back(feature % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return converted(tensor_of(own.shape(), cells), own.precision());
}

/// −slope · |past + i + offset − j|, (head, query, key)
Tensor bias_of(const Tensor& own, const std::vector<double>& slopes, Index first) {
  const Shape& shape = own.shape();
  std::vector<double> cells;
  for (Index head = 0; head < shape[0]; ++head)
    for (Index query = 0; query < shape[1]; ++query)
      for (Index key = 0; key < shape[2]; ++key)
        cells.push_back(0 -
                        slopes[static_cast<std::size_t>(head)] * static_cast<double>(std::abs(first + query - key)));
  return converted(tensor_of(shape, cells), own.precision());
}

std::vector<double> own_slopes(Index heads) {
  std::vector<double> slopes;
  for (Index head = 0; head < heads; ++head) slopes.push_back(alibi_slope(head, heads));
  return slopes;
}

/// The setup with the positions counted from the other first token, where padding on the left makes that another one.
std::optional<Setup> counted_otherwise(const Setup& setup) {
  Setup other = setup;
  other.position.from =
      setup.position.from == PositionOrigin::start ? PositionOrigin::first_real : PositionOrigin::start;
  if (positions_skip_padding(setup) == positions_skip_padding(other)) return std::nullopt;
  return other;
}

/// Where padding is on the left: the positions count it, or they don't.
Tensor counted_from(Attempt& attempt, const Setup& other) {
  attempt.said =
      other.position.from == PositionOrigin::start ? ": padding counts too" : ": at the first token that isn't padding";
  if (attempt.at == X_plus_P || attempt.at == Y_plus_P) {
    attempt.trace.setup = other;
    return attempt.computed();
  }
  if (attempt.at != Q_rotated && attempt.at != K_rotated) return attempt.computed();
  Turning turning = own_turning(other);
  return turned(before_rotation(attempt), rows_of(attempt.at), turning);
}

std::optional<Tensor> position_offset(Attempt& attempt) {
  const Setup& setup = attempt.setup();
  auto n = static_cast<std::size_t>(attempt.variant);
  if (const auto other = counted_otherwise(setup)) {
    if (n == 0) return counted_from(attempt, *other);
    --n;
  }
  const std::vector<Index> all = offsets(setup);
  if (n >= all.size() || attempt.at == X_plus_P || attempt.at == Y_plus_P) return std::nullopt;
  const Index offset = all[n], first = attempt.at == P || attempt.at == K_rotated ? 0 : setup.past();
  attempt.said = fmt::format(" at {} instead of {}", first + offset, first);
  if (attempt.at == P) {
    if (setup.position.encoding == Encoding::learned) return std::nullopt;
    return table_from(attempt, offset);
  }
  if (attempt.at == position_bias) return bias_of(attempt.computed(), own_slopes(setup.sizes.heads), first + offset);
  Turning turning = own_turning(setup);
  turning.offset = offset;
  return turned(before_rotation(attempt), rows_of(attempt.at), turning);
}

/// Slopes that people use instead, each head's own.
std::vector<std::vector<double>> wrong_slopes(Index heads) {
  const double count = static_cast<double>(heads);
  const std::vector<double> own = own_slopes(heads);
  std::vector<std::vector<double>> all;
  const auto add = [&](const std::function<double(double head)>& slope) {
    std::vector<double> slopes;
    for (Index head = 0; head < heads; ++head) slopes.push_back(slope(static_cast<double>(head)));
    const auto same = [&](const std::vector<double>& other) {
      return std::ranges::equal(slopes, other, [](double a, double b) { return std::abs(a - b) < 1e-9; });
    };
    if (!same(own) && std::ranges::none_of(all, same)) all.push_back(std::move(slopes));
  };
  double power = 1;
  while (2 * power <= count) power *= 2;
  add([&](double head) { return std::exp2(-8 * head / count); });
  add([&](double head) { return std::exp2(-8 * (head + 1) / count); });
  add([&](double head) { return std::exp2(-8 * (count - head) / count); });
  add([](double head) { return std::exp2(-(head + 1)); });
  add([](double head) { return std::exp2(-head); });
  add([&](double head) { return std::exp2(-8 * (head + 1) / power); });
  add([&](double head) { return std::exp2(-8 * (head + 1) / (power < count ? 2 * power : power)); });
  add([](double head) { return 1 / (head + 1); });
  add([](double) { return 1.0; });
  add([&](double head) { return -own[static_cast<std::size_t>(head)]; });
  add([&](double head) { return own[static_cast<std::size_t>(heads - 1 - static_cast<Index>(head))]; });
  add([](double) { return 0.5; });
  std::vector<double> sorted = own;
  std::ranges::sort(sorted, std::greater());
  add([&](double head) { return sorted[static_cast<std::size_t>(head)]; });
  return all;
}

/// Each head's slope as their numbers show it: what they add to a score is −slope · distance, and maybe a constant in
/// each row. Empty where they show none.
std::vector<double> shown_slopes(Attempt& attempt, const Tensor& own_bias) {
  const Setup& setup = attempt.setup();
  const Tensor* theirs = attempt.handed_over(position_bias);
  Tensor without;
  if (theirs == nullptr) {
    theirs = attempt.handed_over(scores);
    if (theirs == nullptr) theirs = attempt.handed_over(masked_scores);
    if (theirs == nullptr || setup.attention.soft_cap > 0) return {};
    Trace plain = attempt.trace;
    plain[position_bias] = Tensor::zeros(own_bias.precision(), own_bias.shape());
    without = stage_of(scores).compute(plain, attempt.workspace);
  }
  const Shape& shape = own_bias.shape();
  std::vector<double> slopes;
  for (Index head = 0; head < shape[0]; ++head) {
    double both = 0, squares = 0;
    for (Index query = 0; query < shape[1]; ++query) {
      double mean = 0, distance = 0, count = 0;
      std::vector<std::array<double, 2>> row;
      for (Index key = 0; key < shape[2]; ++key) {
        const double added = without.empty() ? theirs->at({head, query, key})
                                             : theirs->at({0, head, query, key}) - without.at({0, head, query, key});
        if (!std::isfinite(added) || std::abs(added) > 1e4) continue;
        row.push_back({added, static_cast<double>(std::abs(setup.past() + query - key))});
        mean += added, distance += row.back()[1], count += 1;
      }
      for (const auto& [added, steps] : row) {
        both += (added - mean / count) * (steps - distance / count);
        squares += (steps - distance / count) * (steps - distance / count);
      }
    }
    if (squares == 0) return {};
    slopes.push_back(-both / squares);
  }
  return slopes;
}

std::optional<Tensor> alibi_slopes(Attempt& attempt) {
  const std::vector<std::vector<double>> all = wrong_slopes(attempt.setup().sizes.heads);
  const auto n = static_cast<std::size_t>(attempt.variant);
  if (n > all.size()) return std::nullopt;
  const Tensor own = attempt.computed();
  const std::vector<double> slopes = n < all.size() ? all[n] : shown_slopes(attempt, own);
  if (slopes.empty()) return std::nullopt;
  attempt.said = fmt::format(": the first head's slope is {:.6g} instead of {:.6g}", slopes.front(),
                             alibi_slope(0, attempt.setup().sizes.heads));
  return bias_of(own, slopes, attempt.setup().past());
}

}  // namespace

std::vector<Mistake> position_mistakes() {
  return {
      {.name = "position_offset",
       .words = "the positions begin elsewhere",
       .at = {P, X_plus_P, Y_plus_P, Q_rotated, K_rotated, position_bias},
       .replay = position_offset},
      {.name = "rotary_angles",
       .words = "queries or keys are turned by other angles",
       .at = {Q_rotated, K_rotated},
       .replay = rotary_angles},
      {.name = "values_rotated",
       .words = "the values are turned too, and not only queries and keys",
       .at = {V_heads},
       .replay = values_rotated},
      {.name = "alibi_slopes", .words = "the heads have other slopes", .at = {position_bias}, .replay = alibi_slopes},
  };
}

}  // namespace headlight
