#include "core/diagnose/arrays/matching.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/diagnose/arrays/layout.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"
#include "core/text/characters.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// Whether a number of the array is such that `holds`.
template <class Holds>
bool any_number(const Tensor& array, Holds&& holds) {
  const Tensor flat = array.contiguous();
  return with_element_type(flat.precision(), [&](auto zero) {
    using T = decltype(zero);
    return std::any_of(flat.data<T>(), flat.data<T>() + flat.elements(),
                       [&](T number) { return holds(static_cast<double>(number)); });
  });
}

bool holds_nan(const Tensor& contiguous, Workspace& workspace) {
  std::atomic<bool> found = false;
  with_element_type(contiguous.precision(), [&](auto zero) {
    using T = decltype(zero);
    workspace.ranges(contiguous.elements(), elements_per_task, [&](Index begin, Index end) {
      const T* const numbers = contiguous.data<T>();
      std::int64_t count = 0;
      for (Index i = begin; i < end; ++i) count += std::isnan(numbers[i]);
      if (count > 0) found = true;
    });
  });
  return found;
}

bool is_share(const Tensor& array) {
  return !any_number(array, [](double number) { return number < -1e-9 || number > 1 + 1e-6; });
}

/// Whether a softmax may have made the array: along its last axis, or the one before, the shares sum to 1, or to 0
/// where everything is hidden.
bool are_softmax_rows(const Tensor& array) {
  if (array.shape().rank() < 2 || !is_share(array)) return false;
  constexpr double printed = 0.02;  // many shares that are rounded
  const Tensor flat = converted(array, Precision::float64).contiguous();
  const Index keys = flat.shape().back(0), queries = flat.shape().back(1);
  const auto sum_to_1 = [&](Index count, Index summed, Index step, Index next) {
    for (Index block = 0; block < flat.elements(); block += queries * keys) {
      for (Index i = 0; i < count; ++i) {
        double sum = 0;
        for (Index k = 0; k < summed; ++k) sum += flat.data<double>()[block + i * next + k * step];
        if (sum != 0 && std::abs(sum - 1) > printed) return false;
      }
    }
    return true;
  };
  return flat.elements() > 0 && (sum_to_1(queries, keys, 1, keys) || sum_to_1(keys, queries, keys, 1));
}

/// Dropout leaves zeros, and makes the other shares larger than they were; scores have negative numbers, too.
bool is_dropped_share(const Tensor& array) {
  return any_number(array, [](double number) { return number == 0; }) &&
         !any_number(array, [](double number) { return number < 0; });
}

bool hides(const Tensor& array) {
  return any_number(array, [](double number) { return number < -1e8; });
}

std::string label(const GivenArray& array) { return array.name.empty() ? "an array without a name" : array.name; }

/// The array and its printed digits, read in a layout; none if the shape does not allow it.
std::optional<Theirs> read_in(const GivenArray& array, TensorId id, const Setup& setup, const ArrayLayout& layout) {
  const auto values = read_as(array.values, id, setup, layout);
  if (!values) return std::nullopt;
  return Theirs{*values, array.half_digits.empty() ? Tensor{} : *read_as(array.half_digits, id, setup, layout)};
}

/// How many arrays suggest a layout, weights or all others: those that are ours in it, then those that fit.
std::size_t votes(const Trace& ours, std::span<const GivenArray> arrays, const ArrayLayout& layout, bool of_weights,
                  const Tolerance& tolerance, Workspace& workspace) {
  std::size_t count = 0;
  for (const GivenArray& array : arrays) {
    for (const TensorId id : tensors_called(array.name)) {
      if (!exists(id, ours.setup) || (info(id).kind == TensorKind::weight) != of_weights) continue;
      const auto theirs = read_in(array, id, ours.setup, layout);
      if (!theirs) continue;
      const bool same = compare(id, *theirs, ours[id], tolerance, 0, workspace).agrees();
      count += 1 + (same ? arrays.size() * tensor_count : 0);
      break;
    }
  }
  return count;
}

/// An array as a tensor, and the axes that it had if they are not those of the names table.
struct Reading {
  Theirs theirs;
  std::string axes = {};
  bool transposed = false;
};

class Matching {
 public:
  Matching(const Trace& ours, std::span<const GivenArray> arrays, const ArrayLayout& layout, const Tolerance& tolerance,
           const Roundings& rounding, const std::string& source, Workspace& workspace)
      : ours_(ours),
        setup_(ours.setup),
        arrays_(arrays),
        tolerance_(tolerance),
        rounding_(rounding),
        source_(source),
        workspace_(workspace),
        layout_(layout),
        done_(arrays.size()),
        misfits_(arrays.size()) {}

  Matches run(const Naming& by_hand, Evidence evidence) {
    evidence_ = evidence;
    for (const auto& [theirs, name] : by_hand) take_by_hand(theirs, name);
    if (evidence != Evidence::names) take_by_numbers();
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      if (tensor_named(arrays_[i].name)) take_by_name(i);
    for (std::size_t i = 0; i < arrays_.size(); ++i) take_by_name(i);
    take_by_value();
    for (std::size_t i = 0; i < arrays_.size(); ++i) take_by_shape(i);
    return finish();
  }

 private:
  bool is_free(TensorId id) const { return exists(id, setup_) && !taken_[index_of(id)]; }

  std::optional<Theirs> read_in(const GivenArray& array, TensorId id, const ArrayLayout& layout) const {
    return headlight::read_in(array, id, setup_, layout);
  }

  bool agrees(const Theirs& theirs, TensorId id) const {
    return compare(id, theirs, ours_[id], tolerance_, 0, workspace_).agrees();
  }

  std::optional<Theirs> read(const GivenArray& array, TensorId id) const {
    const ArrayLayout other{!layout_.token_columns && setup_.attention.token_axis == TokenAxis::columns,
                            !layout_.weights_out_in};
    const auto first = read_in(array, id, layout_), second = read_in(array, id, other);
    // People often keep a weight the other way round. If it equals ours that way, that is how they keep it.
    const bool turned =
        first && second && info(id).kind == TensorKind::weight && !agrees(*first, id) && agrees(*second, id);
    return first && !turned ? first : second;
  }

  /// "attn" may be the weights, the scores, or what comes of them. What holds no shares, and is called by one letter or
  /// has the shape of a head's context too, is known by its numbers alone.
  bool is_vague(const GivenArray& array) const {
    const std::vector<TensorId> named = tensors_called(array.name);
    if (named.size() < 2 || named.front() != weights) return false;
    if (is_share(array.values) || is_dropped_share(array.values)) return false;
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    return std::ranges::count_if(array.name, is_letter) == 1 ||
           (exists(context, setup_) && read(array, context).has_value());
  }

  bool is_named(std::size_t i) const { return !tensors_called(arrays_[i].name).empty() && !is_vague(arrays_[i]); }

  /// All ways to read an array as a tensor, likeliest first.
  std::vector<Reading> readings(const GivenArray& array, TensorId id) const {
    std::vector<Reading> all;
    if (auto plain = read(array, id)) all.push_back({std::move(*plain)});
    const auto digits =
        array.half_digits.empty() ? std::vector<Arranged>{} : arrangements(array.half_digits, id, setup_);
    std::size_t i = 0;
    for (Arranged& arranged : arrangements(array.values, id, setup_)) {
      all.push_back({Theirs{std::move(arranged.values), digits.empty() ? Tensor{} : digits[i].values}, arranged.axes,
                     arranged.transposed});
      ++i;
    }
    if (auto mean = read_averaged(array, id)) all.push_back(std::move(*mean));
    return all;
  }

  /// nn.MultiheadAttention returns the mean of its heads' weights: (batch, query, key), or (query, key).
  std::optional<Reading> read_averaged(const GivenArray& array, TensorId id) const {
    if (id != weights || setup_.sizes.heads == 1) return std::nullopt;
    const Shape& ours = shape(weights, setup_);
    const Shape whole{ours[0], ours[2], ours[3]}, single{ours[2], ours[3]}, mean{ours[0], 1, ours[2], ours[3]};
    if (array.values.shape() != whole && array.values.shape() != mean &&
        !(ours[0] == 1 && array.values.shape() == single))
      return std::nullopt;
    Theirs theirs{reshaped(array.values, mean),
                  array.half_digits.empty() ? Tensor{} : reshaped(array.half_digits, mean)};
    theirs.averaged = true;
    return Reading{std::move(theirs)};
  }

  bool is_same(const Reading& reading, TensorId id) const {
    return compare(id, reading.theirs, ours_[id], tolerance_, rounding_[index_of(id)], workspace_).agrees();
  }

  /// The first reading in which the array is ours.
  std::optional<Reading> same_reading(const GivenArray& array, TensorId id) const {
    for (Reading& reading : readings(array, id))
      if (is_same(reading, id)) return std::move(reading);
    return std::nullopt;
  }

  /// Arrays under known names that are ours: first those that are what their name says, then those that are another
  /// tensor. Where several are the same numbers, the nearest one after the named tensor is the likeliest. What is
  /// called a result and equals what the scores are made of is no other name: it was not computed.
  void take_by_numbers() {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (done_[i] || !is_named(i)) continue;
      bool taken = false;
      for (const TensorId id : meanings(arrays_[i])) {
        auto reading = same_reading(arrays_[i], id);
        if (!reading) continue;
        take(i, id, std::move(*reading), KnownBy::name);
        taken = true;
        break;
      }
      if (!taken) others.push_back(i);
    }
    for (const std::size_t i : others) {
      const TensorId named = tensors_called(arrays_[i].name).front();
      std::vector<TensorId> order;
      for (const TensorInfo& tensor : all_tensors()) {
        const bool is_before_all = named >= scores && tensor.id < dot_products;
        if (!is_gradient(tensor.id) && !is_aside(tensor.id) && is_free(tensor.id) && !is_before_all)
          order.push_back(tensor.id);
      }
      std::ranges::stable_partition(order, [&](TensorId id) { return id > named; });
      for (const TensorId id : order) {
        auto reading = same_reading(arrays_[i], id);
        if (!reading) continue;
        take(i, id, std::move(*reading), KnownBy::value, false, true);
        break;
      }
    }
  }

  void take(std::size_t i, TensorId id, Theirs theirs, KnownBy by, bool is_exchanged = false) {
    take(i, id, Reading{std::move(theirs)}, by, is_exchanged);
  }

  void take(std::size_t i, TensorId id, Reading reading, KnownBy by, bool is_exchanged = false, bool renamed = false) {
    Theirs& theirs = reading.theirs;
    theirs.values = theirs.values.contiguous();
    if (!theirs.half_digits.empty()) theirs.half_digits = theirs.half_digits.contiguous();
    theirs.has_nan = holds_nan(theirs.values, workspace_);
    theirs.all_nan = theirs.has_nan && !any_number(theirs.values, [](double number) { return !std::isnan(number); });
    matches_.push_back({id, label(arrays_[i]), arrays_[i].values.shape(), std::move(theirs), by, is_exchanged,
                        std::move(reading.axes), reading.transposed, renamed});
    taken_[index_of(id)] = true;
    done_[i] = true;
  }

  /// In the first reading in which it is ours, or else in the first one. Names let an array that fits as it stands
  /// stand: with as many heads as positions, heads that were cut without a transpose are ours in another layout.
  bool take_if_it_fits(std::size_t i, TensorId id, KnownBy by, bool renamed = false) {
    std::vector<Reading> all = readings(arrays_[i], id);
    if (all.empty()) return false;
    const bool is_called_so = by == KnownBy::name || by == KnownBy::hand;
    const bool stands = is_called_so && evidence_ == Evidence::names && all.front().axes.empty();
    const auto same = all.size() == 1 || stands
                          ? all.begin()
                          : std::ranges::find_if(all, [&](const Reading& one) { return is_same(one, id); });
    take(i, id, std::move(same == all.end() ? all.front() : *same), by, false, renamed);
    return true;
  }

  bool take_exchanged(std::size_t i, TensorId id, KnownBy by) {
    const auto other = exchanged(setup_);
    if (!other || info(id).kind != TensorKind::computed) return false;
    const Shape whole = shape(id, *other);
    Theirs theirs{arrays_[i].values, arrays_[i].half_digits};
    if (theirs.values.shape() != whole) {
      if (id != weights || theirs.values.shape() != Shape{whole[0], whole[2], whole[3]}) return false;
      const Shape mean{whole[0], 1, whole[2], whole[3]};
      theirs.values = reshaped(theirs.values, mean);
      if (!theirs.half_digits.empty()) theirs.half_digits = reshaped(theirs.half_digits, mean);
      theirs.averaged = true;
    }
    take(i, id, std::move(theirs), by, true);
    return true;
  }

  std::string names_of_arrays() const {
    std::vector<std::string> names;
    for (const GivenArray& array : arrays_)
      names.push_back(fmt::format("{} {}", label(array), array.values.shape().to_string()));
    return first_names(names);
  }

  std::string names_of_tensors() const {
    std::vector<std::string> names;
    for (const TensorInfo& tensor : all_tensors()) {
      if (exists(tensor.id, setup_))
        names.push_back(fmt::format("{} {}", tensor.name, shape(tensor.id, setup_).to_string()));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void take_by_hand(const std::string& theirs, const std::string& name) {
    const std::string key = fmt::format("--name {}={}", theirs, name);
    const auto array = std::ranges::find(arrays_, theirs, &GivenArray::name);
    if (array == arrays_.end()) throw InputError({source_, key, theirs, "one of its arrays: " + names_of_arrays()});
    const auto id = tensor_named(name);
    if (!id || !exists(*id, setup_))
      throw InputError({source_, key, name, "a tensor of the setup: " + names_of_tensors()});
    if (taken_[static_cast<std::size_t>(*id)])
      throw InputError({source_, key, name + " a second time", "each tensor once"});
    const auto i = static_cast<std::size_t>(array - arrays_.begin());
    if (!take_if_it_fits(i, *id, KnownBy::hand) && !take_exchanged(i, *id, KnownBy::hand))
      refuse_shape(arrays_[i], *id);
  }

  /// What else a name of somebody's code may hold: a variable that was assigned again, or was not yet.
  std::optional<TensorId> assigned_later(const GivenArray& array, const std::vector<TensorId>& named) const {
    if (named.empty()) return std::nullopt;
    const TensorId first = named.front();
    if ((first == scores || first == masked_scores) && are_softmax_rows(array.values) && !is_any_called_weights())
      return weights;
    if (evidence_ == Evidence::rotated && (first == Q || first == Q_heads))
      return exists(Q_rotated, setup_) ? Q_rotated : Q_normed;
    if (evidence_ == Evidence::rotated && (first == K || first == K_heads))
      return exists(K_rotated, setup_) ? K_rotated : K_normed;
    if (evidence_ == Evidence::unprojected && first == output) return concat;
    return std::nullopt;
  }

  bool is_any_called_weights() const {
    return std::ranges::any_of(arrays_, [](const GivenArray& array) {
      const std::vector<TensorId> named = tensors_called(array.name);
      return !named.empty() && named.front() == weights;
    });
  }

  /// The tensors that the name may mean, in the order in which they are tried.
  std::vector<TensorId> meanings(const GivenArray& array) const {
    if (is_vague(array)) return {};
    std::vector<TensorId> ids = tensors_called(array.name);
    if (const auto later = assigned_later(array, ids)) ids.insert(ids.begin(), *later);
    std::erase_if(ids, [&](TensorId id) { return !is_free(id); });
    const auto drop = [&](TensorId id) { std::erase(ids, id); };
    if (ids.size() > 1 && std::ranges::find(ids, masked_scores) != ids.end()) {
      const bool shares = ids.front() == weights && (is_share(array.values) || is_dropped_share(array.values));
      if (!shares) drop(weights);
      if (!shares && hides(array.values)) drop(scores);
    }
    return ids;
  }

  void take_by_name(std::size_t i) {
    if (done_[i]) return;
    const std::vector<TensorId> ids = meanings(arrays_[i]);
    for (const TensorId id : ids)
      if (take_if_it_fits(i, id, KnownBy::name)) return;
    for (const TensorId id : ids)
      if (take_exchanged(i, id, KnownBy::name)) return;
    if (!ids.empty() && !arrays_[i].called_by_file) misfits_[i] = ids.front();
  }

  std::string shape_wanted(const GivenArray& array, TensorId id) const {
    const std::string hint = hint_for(array.values.shape(), id, setup_);
    return shape(id, setup_).to_string() + (hint.empty() ? "" : "; " + hint);
  }

  [[noreturn]] void refuse_shape(const GivenArray& array, TensorId id) const {
    throw InputError({source_, fmt::format("{} (taken for {})", label(array), name(id)),
                      array.values.shape().to_string(), shape_wanted(array, id)});
  }

  bool says_nothing(std::size_t i) const { return !done_[i] && (arrays_[i].called_by_file || !is_named(i)); }

  /// The free tensors that the array can be, in the order of the stages.
  std::vector<TensorId> that_fit(auto&& accepts) const {
    std::vector<TensorId> fitting;
    for (const TensorInfo& tensor : all_tensors())
      if (is_free(tensor.id) && accepts(tensor.id)) fitting.push_back(tensor.id);
    return fitting;
  }

  void doubt(std::size_t i, std::optional<TensorId> taken_for, std::vector<TensorId> candidates, KnownBy by) {
    doubts_.push_back({label(arrays_[i]), taken_for, std::move(candidates), by});
  }

  /// An array that equals only one tensor leaves fewer to choose from for the others, so it comes first.
  void take_by_value() {
    std::vector<std::vector<TensorId>> equal(arrays_.size());
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      if (says_nothing(i) || (!done_[i] && misfits_[i]))
        equal[i] = that_fit([&](TensorId id) { return same_reading(arrays_[i], id).has_value(); });
    const auto take_one = [&](bool with_doubt) {
      for (std::size_t i = 0; i < arrays_.size(); ++i) {
        std::erase_if(equal[i], [&](TensorId id) { return !is_free(id); });
        if (done_[i] || equal[i].empty() || (equal[i].size() > 1 && !with_doubt)) continue;
        const bool is_output = arrays_.size() == 1 && std::ranges::find(equal[i], output) != equal[i].end();
        const TensorId id = is_output ? output : equal[i].front();
        if (equal[i].size() > 1) doubt(i, id, equal[i], KnownBy::value);
        take_if_it_fits(i, id, KnownBy::value, misfits_[i].has_value());
        return true;
      }
      return false;
    };
    while (take_one(false) || take_one(true)) {}
  }

  /// Shapes don't decide: an array that is none of ours and whose name says nothing is the output if there is nothing
  /// else to go by, and what a softmax made is the weights. Of another one we say what it may be.
  void take_by_shape(std::size_t i) {
    if (!says_nothing(i)) return;
    const GivenArray& array = arrays_[i];
    const bool is_alone = arrays_.size() == 1;
    const bool are_weights = is_alone ? is_share(array.values) : are_softmax_rows(array.values);
    std::vector<TensorId> fitting =
        that_fit([&](TensorId id) { return !is_gradient(id) && read(array, id).has_value(); });
    if (fitting.empty() && are_weights && is_free(weights) && take_if_it_fits(i, weights, KnownBy::shape)) return;
    const auto fits = [&](TensorId id) { return std::ranges::find(fitting, id) != fitting.end(); };
    if (fits(weights) && are_weights) std::erase_if(fitting, [](TensorId id) { return !info(id).probability; });
    std::optional<TensorId> likeliest;
    if (is_alone && fits(output)) likeliest = output;
    else if (fits(weights) && are_weights) likeliest = weights;
    else if (is_alone && fitting.size() == 1 && info(fitting.front()).kind == TensorKind::computed)
      likeliest = fitting.front();
    if (fitting.size() > (likeliest ? 1 : 0)) doubt(i, likeliest, fitting, KnownBy::shape);
    if (likeliest) take_if_it_fits(i, *likeliest, KnownBy::shape);
  }

  [[noreturn]] void ask_about(const Doubt& doubt) const {
    std::vector<std::string_view> names;
    for (const TensorId id : doubt.candidates) names.push_back(name(id));
    throw InputError(
        {source_, doubt.yours, fmt::format("the shape of {}", fmt::join(names, ", ")),
         fmt::format("a name that says which of them it is (--name '{}={}')", doubt.yours, names.front())});
  }

  /// "Q, K and V", where those are the numbers of a fused array along its last axis; else empty.
  std::string parts_side_by_side(const Tensor& array) const {
    for (const auto& parts : {std::vector{Q, K, V}, {K, V}, {Q_heads, K_heads, V_heads}, {K_heads, V_heads}}) {
      Index from = 0;
      bool same = true;
      for (const TensorId id : parts) {
        if (!exists(id, setup_)) return {};
        const Shape& ours = shape(id, setup_);
        const int last = ours.rank() - 1;
        same = same && array.shape().rank() == ours.rank() && from + ours[last] <= array.shape()[last];
        if (!same) break;
        const Tensor part = array.narrowed(last, from, ours[last]).contiguous();
        from += ours[last];
        same = part.shape() == ours && is_same({Theirs{part}}, id);
      }
      if (!same || from != array.shape().back(0)) continue;
      std::vector<std::string_view> names;
      for (const TensorId part : parts) names.push_back(name(part));
      return listed(names, " and ");
    }
    return {};
  }

  Matches finish() {
    Matches result{std::move(matches_), std::move(doubts_), {}, {}};
    std::ranges::sort(result.matches, {}, &Match::tensor);
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (done_[i]) continue;
      if (const std::string parts = parts_side_by_side(arrays_[i].values); !parts.empty() && !result.matches.empty())
        result.notes.push_back(
            fmt::format("your {} is our {} side by side: the numbers are the same", label(arrays_[i]), parts));
      else result.unrecognised.push_back(label(arrays_[i]));
    }
    for (std::size_t i = 0; i < arrays_.size() && !result.matches.empty(); ++i) {
      if (done_[i] || !misfits_[i]) continue;
      result.notes.push_back(fmt::format("{} is left out: its shape is {}, and {} has {}", label(arrays_[i]),
                                         arrays_[i].values.shape().to_string(), name(*misfits_[i]),
                                         shape_wanted(arrays_[i], *misfits_[i])));
    }
    for (const GivenArray& array : arrays_) {
      const std::vector<TensorId> ids = result.matches.empty() ? meanings(array) : std::vector<TensorId>{};
      if (!ids.empty()) refuse_shape(array, ids.front());
    }
    if (result.matches.empty() && !result.doubts.empty()) ask_about(result.doubts.front());
    if (result.matches.empty())
      throw InputError({source_, "", names_of_arrays(), "arrays of the setup, at least one of " + names_of_tensors()});
    return result;
  }

  const Trace& ours_;
  const Setup& setup_;
  std::span<const GivenArray> arrays_;
  const Tolerance& tolerance_;
  const Roundings& rounding_;
  const std::string& source_;
  Workspace& workspace_;
  const ArrayLayout& layout_;
  Evidence evidence_ = Evidence::names;
  std::vector<bool> done_;
  std::vector<std::optional<TensorId>> misfits_;  ///< what the name means where the shape forbids it
  std::array<bool, tensor_count> taken_{};
  std::vector<Match> matches_;
  std::vector<Doubt> doubts_;
};

}  // namespace

bool same_matches(const Matches& a, const Matches& b) {
  return std::ranges::equal(a.matches, b.matches, [](const Match& one, const Match& other) {
    return one.tensor == other.tensor && one.yours == other.yours && one.axes == other.axes &&
           one.theirs.averaged == other.theirs.averaged &&
           (one.theirs.values.same_window(other.theirs.values) || identical(one.theirs.values, other.theirs.values));
  });
}

std::vector<ArrayLayout> likely_layouts(const Trace& ours, std::span<const GivenArray> arrays,
                                        const Tolerance& tolerance, Workspace& workspace) {
  const auto choices = [&](bool is_setups, bool of_weights) {
    if (!is_setups) return std::vector<bool>{false};
    const auto count = [&](bool turned) {
      return votes(ours, arrays, {turned, turned}, of_weights, tolerance, workspace);
    };
    const std::size_t turned = count(true), as_named = count(false);
    if (turned == as_named) return std::vector<bool>{true, false};
    return std::vector<bool>{turned > as_named};
  };
  std::vector<ArrayLayout> layouts;
  const Attention& attention = ours.setup.attention;
  for (const bool columns : choices(attention.token_axis == TokenAxis::columns, false))
    for (const bool out_in : choices(attention.weight_layout == WeightLayout::out_in, true))
      layouts.push_back({columns, out_in});
  return layouts;
}

Matches match(const Trace& ours, std::span<const GivenArray> arrays, const ArrayLayout& layout, Evidence evidence,
              const Naming& by_hand, const Tolerance& tolerance, const Roundings& rounding, const std::string& source,
              Workspace& workspace) {
  return Matching(ours, arrays, layout, tolerance, rounding, source, workspace).run(by_hand, evidence);
}

namespace {

using enum TensorId;

struct Family {
  std::vector<TensorId> tensors;
  std::vector<std::string_view> names;  ///< in lower case, letters and digits only
};

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {{X}, {"x", "input", "inputs", "embedding", "embeddings", "emb", "xq", "queryinput"}},
      {{Y}, {"memory", "encoderoutput", "source", "xkv", "kvinput", "keyinput"}},
      {{P},
       {"pe", "pos", "position", "positions", "posenc", "posencoding", "positionalencoding", "posemb", "posembedding",
        "positionembedding", "positionembeddings", "positionalembedding", "wpe"}},
      {{X_plus_P}, {"xplusp", "xp", "xpos", "xpe", "xwithpos", "xwithpositions", "embeddedinput"}},
      {{Y_plus_P}, {"yplusp", "yp", "ypos", "ype", "memorypos", "ywithpositions"}},
      {{W_q}, {"wq", "wquery", "wqueries", "qweight", "queryweight", "qproj", "qprojweight", "weightq", "omegaq"}},
      {{W_k}, {"wk", "wkey", "wkeys", "kweight", "keyweight", "kproj", "kprojweight", "weightk", "omegak"}},
      {{W_v}, {"wv", "wvalue", "wvalues", "vweight", "valueweight", "vproj", "vprojweight", "weightv", "omegav"}},
      {{W_o},
       {"wo", "wout", "woutput", "oweight", "outweight", "outputweight", "oproj", "oprojweight", "outproj",
        "outprojweight", "weighto", "wc", "omegac"}},
      {{b_q}, {"bq", "bquery", "qbias", "querybias", "qprojbias", "biasq", "betaq"}},
      {{b_k}, {"bk", "bkey", "kbias", "keybias", "kprojbias", "biask", "betak"}},
      {{b_v}, {"bv", "bvalue", "vbias", "valuebias", "vprojbias", "biasv", "betav"}},
      {{b_o},
       {"bo", "bout", "boutput", "obias", "outbias", "outputbias", "oprojbias", "outprojbias", "biaso", "betac"}},
      {{Q, Q_heads}, {"q", "query", "queries", "qs", "querystates", "querylayer", "hookq"}},
      {{K, K_heads}, {"k", "key", "keys", "ks", "keystates", "keylayer", "hookk"}},
      {{V, V_heads}, {"v", "value", "values", "vs", "valuestates", "valuelayer", "hookv"}},
      {{Q_heads, Q}, {"qheads", "qhead", "qh", "qsplit", "qperhead", "queryheads", "queriesperhead", "multiheadq"}},
      {{K_heads, K}, {"kheads", "khead", "kh", "ksplit", "kperhead", "keyheads", "keysperhead", "multiheadk"}},
      {{V_heads, V}, {"vheads", "vhead", "vh", "vsplit", "vperhead", "valueheads", "valuesperhead", "multiheadv"}},
      {{Q_rotated},
       {"qrotated", "qrot", "qrope", "qr", "rotatedq", "rotatedqueries", "queryrotated", "qembed", "hookrotq"}},
      {{K_rotated}, {"krotated", "krot", "krope", "kr", "rotatedk", "rotatedkeys", "keyrotated", "kembed", "hookrotk"}},
      {{position_bias}, {"positionbias", "posbias", "alibi", "alibibias", "linearbias", "relativebias"}},
      {{dot_products},
       {"dotproducts", "dotproduct", "dots", "dot", "qk", "qkt", "rawscores", "rawattnscores", "products",
        "unscaledscores", "matmulqk"}},
      {{scores, masked_scores},
       {"scores", "score", "attnscores", "attscores", "attentionscores", "scaledscores", "logits", "attnlogits",
        "energy", "energies", "similarity", "sim", "affinity", "affinities", "scaledattentionlogits", "s"}},
      {{masked_scores},
       {"maskedscores", "scoresmasked", "maskedattnscores", "maskedattentionscores", "maskedlogits", "masked",
        "presoftmaxattn", "hookattnscores"}},
      {{weights, scores, masked_scores},
       {"att", "attn", "attention", "attentions", "wei", "attnmatrix", "attentionmatrix", "a"}},
      {{weights},
       {"weights",       "weight",    "attnweights",      "attweights", "attentionweights",  "probs",   "prob",
        "probabilities", "attnprobs", "attentionprobs",   "attnweight", "attnoutputweights", "attnmap", "attentionmap",
        "attentionmaps", "pattern",   "attentionpattern", "pattn",      "postsoftmaxattn",   "softmax", "alpha",
        "alphas",        "p",         "hookpattern"}},
      {{dropped_weights},
       {"droppedweights", "weightsdropped", "droppedattn", "attndropped", "droppedprobs", "weightsafterdropout",
        "dropout"}},
      {{context, concat},
       {"context", "contexts", "ctx", "headoutput", "headoutputs", "headsout", "headsoutput", "heads", "attended",
        "scaledattention", "z", "contextheads", "hookz"}},
      {{concat, context},
       {"concat", "concatenated", "cat", "merged", "joined", "combined", "contextlayer", "concatheads", "headsconcat",
        "concatattention"}},
      {{output, Y}, {"y"}},
      {{output, concat, context}, {"contextvec", "contextvecs"}},  // what comes last keeps the name
      {{output},
       {"hookattnout", "output", "outputs", "out", "o", "result", "attnoutput", "attentionoutput", "attnout",
        "attentionout", "mhaoutput", "mha", "final"}},
  };
  return all;
}

std::string letters_and_digits(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte)) text += static_cast<char>(std::tolower(byte));
  }
  return text;
}

/// "my_scores" and "student_scores" are scores.
std::string_view without_owner(std::string_view name) {
  for (const std::string_view owner : {"student", "self", "mine", "our", "my"})
    if (name.size() > owner.size() && name.starts_with(owner)) return name.substr(owner.size());
  return name;
}

const Family* family_of(std::string_view name) {
  const auto found = std::ranges::find_if(
      families(), [&](const Family& family) { return std::ranges::find(family.names, name) != family.names.end(); });
  return found == families().end() ? nullptr : &*found;
}

/// The family of a name, or of its end: "layers.0.attn.q_proj.weight" counts as "q_proj.weight". The part after the
/// last point alone is not enough: every module has a weight.
const Family* family_of_path(std::string_view name) {
  const std::string all = letters_and_digits(name);
  const std::string_view last = name.substr(name.rfind('.') + 1);
  for (std::string_view plain = all;;) {  // a name may have very many parts, so none is read again
    if (const Family* family = family_of(plain)) return family;
    if (const Family* family = family_of(without_owner(plain))) return family;
    if (last.starts_with("hook_"))
      return family_of(letters_and_digits(last));  // as in TransformerLens: blocks.0.attn.hook_pattern
    const auto point = name.find('.');
    if (point == std::string_view::npos || name.find('.', point + 1) == std::string_view::npos) return nullptr;
    plain.remove_prefix(letters_and_digits(name.substr(0, point)).size());
    name.remove_prefix(point + 1);
  }
}

}  // namespace

std::vector<TensorId> tensors_called(std::string_view name) {
  std::vector<TensorId> tensors;
  if (const auto exact = tensor_named(name)) tensors.push_back(*exact);
  const Family* const family = family_of_path(name);
  if (family == nullptr) return tensors;
  for (const TensorId id : family->tensors)
    if (std::ranges::find(tensors, id) == tensors.end()) tensors.push_back(id);
  return tensors;
}

}  // namespace headlight
