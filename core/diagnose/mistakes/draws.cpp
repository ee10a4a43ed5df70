#include "core/diagnose/mistakes/draws.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/diagnose/arrays/layout.hpp"
#include "core/model/shapes.hpp"
#include "core/random/draws.hpp"
#include "core/random/fill.hpp"
#include "core/setup/validity.hpp"

namespace headlight {
namespace {

bool is_seed(const Draw& draw) { return std::holds_alternative<SeedDraw>(draw); }

std::string list_of(const std::vector<Draw>& draws) {
  std::vector<std::string> texts;
  for (const Draw& draw : draws) texts.push_back(to_string(draw));
  return fmt::format("{}", fmt::join(texts, ", "));
}

WrongDraws ordered(Setup setup, std::vector<Draw> draws) {
  std::string words = "the tensors are drawn in another order: " + list_of(draws);
  setup.random.draws = std::move(draws);
  return {"draw_order", std::move(words), std::move(setup)};
}

// Uniform for normal, and the other way round.

bool flip(TensorDraw& draw) {
  Distribution& kind = draw.distribution;
  if (kind != Distribution::uniform && kind != Distribution::normal) return false;
  kind = kind == Distribution::uniform ? Distribution::normal : Distribution::uniform;
  return true;
}

/// In a draw of all layers, all that is drawn in each.
bool flip(Draw& draw) {
  if (auto* const tensor = std::get_if<TensorDraw>(&draw)) return flip(*tensor);
  auto* const of_layers = std::get_if<LayerDraws>(&draw);
  bool flipped = false;
  if (of_layers == nullptr) return flipped;
  for (PlainDraw& one : of_layers->draws)
    if (auto* const tensor = std::get_if<TensorDraw>(&one)) flipped |= flip(*tensor);
  return flipped;
}

void add_flips(const Setup& setup, std::vector<WrongDraws>& all) {
  WrongDraws every{"rand_for_randn", "uniform and normal are swapped in every draw", setup};
  std::size_t flips = 0;
  for (std::size_t i = 0; i < setup.random.draws.size(); ++i) {
    WrongDraws one{"rand_for_randn", "", setup};
    if (!flip(one.setup.random.draws[i])) continue;
    flip(every.setup.random.draws[i]);
    one.words = fmt::format("\"{}\" is drawn instead of \"{}\"", to_string(one.setup.random.draws[i]),
                            to_string(setup.random.draws[i]));
    all.push_back(std::move(one));
    ++flips;
  }
  if (flips > 1) all.push_back(std::move(every));
}

// Another generator, or the same in another precision.

void add_generators(const Setup& setup, std::vector<WrongDraws>& all) {
  for (std::size_t kind = 0; kind < setup_words<GeneratorKind>.size(); ++kind) {
    Setup other = setup;
    other.random.generator = static_cast<GeneratorKind>(kind);
    if (other == setup || !problems(other).empty()) continue;
    std::string words = fmt::format("the numbers are drawn by \"{}\" instead of \"{}\"",
                                    to_string(other.random.generator), to_string(setup.random.generator));
    all.push_back({"other_generator", std::move(words), std::move(other)});
  }
  if (setup.random.generator != GeneratorKind::torch) return;
  // PyTorch takes more random bits for a float64 than for a float32.
  Setup other = setup;
  Precision& precision = other.attention.precision;
  precision = precision == Precision::float32 ? Precision::float64 : Precision::float32;
  std::string words = fmt::format("the numbers are drawn in {}, which gives different numbers from {}",
                                  to_string(precision), to_string(setup.attention.precision));
  all.push_back({"other_generator", std::move(words), std::move(other)});
}

// Another order. Seeds stay where they are in the list.

std::vector<std::size_t> indices_of_tensors(const Setup& setup) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < setup.random.draws.size(); ++i)
    if (!is_seed(setup.random.draws[i])) indices.push_back(i);
  return indices;
}

/// The draws with those at `places` in the order `order` (indices into `places`).
std::vector<Draw> reordered(const Setup& setup, const std::vector<std::size_t>& indices,
                            const std::vector<std::size_t>& order) {
  std::vector<Draw> draws = setup.random.draws;
  for (std::size_t i = 0; i < indices.size(); ++i) draws[indices[i]] = setup.random.draws[indices[order[i]]];
  return draws;
}

std::vector<std::vector<std::size_t>> likely_orders(std::size_t count) {
  constexpr std::size_t few = 5;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> all;
  if (count <= few) {
    while (std::ranges::next_permutation(order).found) all.push_back(order);
    return all;
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j) continue;
      auto moved = order;
      moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(i));
      moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(j), i);
      all.push_back(std::move(moved));
      if (j < i + 2) continue;
      all.push_back(order);
      std::swap(all.back()[i], all.back()[j]);
    }
  }
  return all;
}

// What was handed over, against what a draw gives.

/// The part of a tensor that a draw fills.
Tensor part(const Tensor& tensor, TensorId id, const std::optional<Index>& head, const Setup& setup) {
  if (!head) return tensor;
  return tensor.narrowed(*info(id).block_axis(), *head * setup.d_head(), setup.d_head());
}

/// The tensor that a draw fills first, with the head.
Region region_of(const TensorDraw& draw) {
  const auto* id = std::get_if<TensorId>(&draw.target);
  return {id == nullptr ? TensorId::W_q : *id, draw.head};
}

const Match* find(std::span<const Match> matches, TensorId id) {
  const auto found = std::ranges::find(matches, id, &Match::tensor);
  return found == matches.end() ? nullptr : &*found;
}

/// Whether a trace holds all the draws that were handed over.
bool are_given(const Trace& trace, std::span<const Match> given, const Tolerance& tolerance, Workspace& workspace) {
  return std::ranges::all_of(given, [&](const Match& match) {
    return trace.has(match.tensor) &&
           compare(match.tensor, match.theirs, trace[match.tensor], tolerance, 0, workspace).agrees();
  });
}

/// The draw of one tensor of this layer; null for a seed, for another layer's and for one of all layers.
const TensorDraw* own_draw(const Draw& draw, const Setup& setup) {
  const auto* const own = std::get_if<TensorDraw>(&draw);
  return own != nullptr && own->layer == setup.layer ? own : nullptr;
}

bool fills(const TensorDraw& draw, const Region& region) {
  return draws_into(draw, region.id) && (!draw.head || !region.head || *draw.head == *region.head);
}

/// Whether a draw fills some of the same numbers of this layer.
bool overlap(const Draw& draw, const Region& region, const Setup& setup) {
  if (const TensorDraw* const own = own_draw(draw, setup)) return fills(*own, region);
  const auto* const of_layers = std::get_if<LayerDraws>(&draw);
  return of_layers != nullptr && std::ranges::any_of(of_layers->draws, [&](const PlainDraw& one) {
           const auto* const tensor = std::get_if<TensorDraw>(&one);
           return tensor != nullptr && fills(*tensor, region);
         });
}

/// Tries the draws one after the other in each place, and steps back if the arrays that were handed over rule one out.
class OrderSearch {
 public:
  OrderSearch(const Setup& setup, std::span<const Match> given, const Tolerance& tolerance)
      : setup_(setup), given_(given), tolerance_(tolerance), indices_(indices_of_tensors(setup)) {
    prefix_ = setup;
    prefix_.attention.dropout = 0;
    left_ = indices_;
  }

  std::optional<WrongDraws> run() {
    if (!choose(0)) return std::nullopt;
    return ordered(setup_, found_);
  }

 private:
  static constexpr int most_attempts = 3000;

  bool choose(std::size_t n) {
    if (n == indices_.size()) {
      found_ = setup_.random.draws;
      for (std::size_t i = 0; i < n; ++i) found_[indices_[i]] = setup_.random.draws[chosen_[i]];
      return found_ != setup_.random.draws && gives_all(found_);
    }
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (++attempts_ > most_attempts) return false;
      const std::size_t draw = left_[i];
      chosen_.push_back(draw);
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(i));
      if (fits() && choose(n + 1)) return true;
      left_.insert(left_.begin() + static_cast<std::ptrdiff_t>(i), draw);
      chosen_.pop_back();
    }
    return false;
  }

  bool gives_all(const std::vector<Draw>& draws) {
    Trace trace;
    trace.setup = prefix_;
    trace.setup.random.draws = draws;
    cache_ = fill_drawn(trace, cache_, workspace_);
    return are_given(trace, given_, tolerance_, workspace_);
  }

  /// Whether the last draw gives what was handed over; also true if that is unknown.
  bool fits() {
    const TensorDraw* const last = own_draw(setup_.random.draws[chosen_.back()], setup_);
    if (last == nullptr || last->distribution == Distribution::zeros) return true;
    const Region region = region_of(*last);
    const Match* match = find(given_, region.id);
    if (match == nullptr) return true;
    for (const std::size_t later : left_)
      if (overlap(setup_.random.draws[later], region, setup_)) return true;
    prefix_.random.draws.assign(
        setup_.random.draws.begin(),
        setup_.random.draws.begin() + static_cast<std::ptrdiff_t>(indices_[chosen_.size() - 1]) + 1);
    for (std::size_t i = 0; i < chosen_.size(); ++i)
      prefix_.random.draws[indices_[i]] = setup_.random.draws[chosen_[i]];
    Trace trace;
    trace.setup = prefix_;
    cache_ = fill_drawn(trace, cache_, workspace_);
    if (!trace.has(region.id)) return true;
    Theirs theirs{part(match->theirs.values, region.id, region.head, setup_)};
    if (!match->theirs.half_digits.empty())
      theirs.half_digits = part(match->theirs.half_digits, region.id, region.head, setup_);
    return compare(region.id, theirs, part(trace[region.id], region.id, region.head, setup_), tolerance_, 0, workspace_)
        .agrees();
  }

  const Setup& setup_;
  std::span<const Match> given_;
  const Tolerance& tolerance_;
  std::vector<std::size_t> indices_, left_, chosen_;
  std::vector<Draw> found_;
  Setup prefix_;
  DrawCache cache_;
  Workspace workspace_;
  int attempts_ = 0;
};

/// What the draw fills from the generator first: enough numbers that the first of them is right.
std::optional<Fill> first_fill(const TensorDraw& draw, const Setup& setup) {
  if (draw.distribution == Distribution::zeros) return std::nullopt;
  const Region region = region_of(draw);
  const Shape shape = region_shape(region, setup);
  // PyTorch makes normal numbers in blocks of 16, and the last block may overlap the one before.
  const Index numbers = std::min<Index>(shape.elements(), 64);
  Fill fill{.precision = setup.attention.precision, .shape = {shape.elements() > 64 ? 64 : numbers}};
  const auto within = [&](double bound) {
    fill.from = -bound;
    fill.to = bound;
  };
  if (draw.distribution == Distribution::normal) fill.kind = Fill::Kind::normal;
  if (draw.distribution == Distribution::linear || draw.distribution == Distribution::linear_no_bias)
    within(linear_weight_bound(shape[0]));
  if (draw.distribution == Distribution::xavier_uniform) {
    const bool packed = std::holds_alternative<PackedQkv>(draw.target);
    within(packed ? xavier_uniform_bound(setup.sizes.d_model, 3 * setup.sizes.d_model)
                  : xavier_uniform_bound(shape[0], shape[1]));
  }
  return fill;
}

/// Where the n-th seed is in the list of draws.
std::optional<std::size_t> index_of_seed(const Setup& setup, std::size_t nth) {
  for (std::size_t i = 0; i < setup.random.draws.size(); ++i)
    if (is_seed(setup.random.draws[i]) && nth-- == 0) return i;
  return std::nullopt;
}

double first_number(const Tensor& tensor) {
  return tensor.at(Shape(std::vector<Index>(static_cast<std::size_t>(tensor.shape().rank()), 0)));
}

/// The first number that is drawn after a seed, if it was handed over.
struct FirstNumber {
  Fill fill;
  double wanted = 0;
  double half_digit = 0;

  bool fits(const Setup& setup, std::int64_t seed, const Tolerance& tolerance, Workspace& workspace) const {
    Generator generator = seeded(setup.random.generator, seed);
    const double found = filled(generator, fill, workspace).at({0});
    const double allowed = tolerance.absolute + tolerance.relative * std::abs(found) + half_digit;
    return std::abs(found - wanted) <= allowed * (1 + 1e-9);
  }
};

std::optional<FirstNumber> first_draw_after_seed(const Setup& setup, std::size_t nth, std::span<const Match> given) {
  const auto& draws = setup.random.draws;
  std::size_t next = index_of_seed(setup, nth).value_or(std::size_t(-1)) + 1;
  const auto draws_nothing = [](const Draw& draw) {
    const auto* const tensor = std::get_if<TensorDraw>(&draw);
    return tensor != nullptr && tensor->distribution == Distribution::zeros;
  };
  while (next < draws.size() && draws_nothing(draws[next])) ++next;
  const TensorDraw* const draw = next < draws.size() ? own_draw(draws[next], setup) : nullptr;
  if (draw == nullptr) return std::nullopt;
  const Region region = region_of(*draw);
  if (setup.values.has(region.id)) return std::nullopt;  // its first number may be a given one
  for (std::size_t later = next + 1; later < draws.size(); ++later)
    if (overlap(draws[later], region, setup)) return std::nullopt;
  const Match* match = find(given, region.id);
  const auto fill = first_fill(*draw, setup);
  if (match == nullptr || !fill) return std::nullopt;
  const auto first = [&](const Tensor& tensor) {
    return tensor.empty() ? 0 : first_number(part(tensor, region.id, region.head, setup));
  };
  return FirstNumber{*fill, first(match->theirs.values), first(match->theirs.half_digits)};
}

/// If the first number is unknown, seeds are tried on all numbers if there are no more than these.
constexpr Index most_numbers_for_seeds = 20'000;

Index numbers_drawn(const Setup& setup) {
  Index count = 0;
  for (const TensorId id : drawn_tensors())
    if (exists(id, setup) && is_drawn(id, setup)) count += shape(id, setup).elements();
  return count;
}

}  // namespace

std::vector<WrongDraws> likely_draws(const Setup& setup) {
  std::vector<WrongDraws> all;
  add_flips(setup, all);
  add_generators(setup, all);
  const std::vector<std::size_t> indices = indices_of_tensors(setup);
  for (const auto& order : likely_orders(indices.size()))
    all.push_back(ordered(setup, reordered(setup, indices, order)));
  for (const std::size_t index : indices) {
    const auto* const of_layers = std::get_if<LayerDraws>(&setup.random.draws[index]);
    if (of_layers == nullptr) continue;
    for (const auto& order : likely_orders(of_layers->draws.size())) {
      std::vector<Draw> draws = setup.random.draws;
      for (std::size_t i = 0; i < order.size(); ++i)
        std::get<LayerDraws>(draws[index]).draws[i] = of_layers->draws[order[i]];
      all.push_back(ordered(setup, std::move(draws)));
    }
  }
  return all;
}

std::optional<WrongDraws> order_that_fits(const Setup& setup, std::span<const Match> drawn,
                                          const Tolerance& tolerance) {
  return OrderSearch(setup, drawn, tolerance).run();
}

std::size_t seeds_in(const Setup& setup) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ranges::count_if(setup.random.draws, is_seed)));
}

WrongDraws with_seed(const Setup& setup, std::size_t nth, std::int64_t seed) {
  WrongDraws wrong{"other_seed", "", setup};
  auto& draws = wrong.setup.random.draws;
  const auto index = index_of_seed(setup, nth);
  if (index) draws[*index] = SeedDraw{seed};
  else draws.insert(draws.begin(), SeedDraw{seed});
  wrong.words = index ? fmt::format("\"seed {}\" instead of \"{}\"", seed, to_string(setup.random.draws[*index]))
                      : fmt::format("\"seed {}\" instead of none", seed);
  return wrong;
}

std::vector<WrongDraws> seeds_that_fit(const Setup& setup, std::span<const Match> drawn, const Tolerance& tolerance,
                                       Threads& threads) {
  std::vector<WrongDraws> found;
  for (std::size_t nth = 0; nth < seeds_in(setup); ++nth) {
    std::array<unsigned char, seeds_tried> fits{};
    const auto first = first_draw_after_seed(setup, nth, drawn);
    if (!first && numbers_drawn(setup) > most_numbers_for_seeds) continue;
    constexpr Index seeds_per_task = 100;
    threads.run(seeds_tried / seeds_per_task, [&](Index task) {
      Workspace workspace;
      for (Index seed = task * seeds_per_task; seed < (task + 1) * seeds_per_task; ++seed) {
        const auto all_fit = [&] {
          return are_given(headlight::drawn(with_seed(setup, nth, seed), setup), drawn, tolerance, workspace);
        };
        fits[static_cast<std::size_t>(seed)] = first ? first->fits(setup, seed, tolerance, workspace) : all_fit();
      }
    });
    for (std::int64_t seed = 0; seed < seeds_tried; ++seed)
      if (fits[static_cast<std::size_t>(seed)]) found.push_back(with_seed(setup, nth, seed));
  }
  return found;
}

Trace drawn(const WrongDraws& wrong, const Setup& like) {
  Workspace workspace;
  Trace trace;
  trace.setup = wrong.setup;
  fill_drawn(trace, {}, workspace);
  for (const TensorId id : drawn_tensors())
    if (trace.has(id))
      trace[id] = trace[id].precision() == like.attention.precision ? trace[id]
                                                                    : converted(trace[id], like.attention.precision);
  return trace;
}

}  // namespace headlight
