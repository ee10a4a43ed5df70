#include "core/setup/value_checks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/cell.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/checks.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

Shape turned(Shape shape) {
  if (shape.rank() >= 2) std::swap(shape[shape.rank() - 1], shape[shape.rank() - 2]);
  return shape;
}

/// Whether numbers of this shape fill `wanted`: they are it, or its last axes.
bool fills(const Shape& numbers, const Shape& wanted, int fewest_axes) {
  if (numbers.rank() > wanted.rank() || numbers.rank() < fewest_axes) return false;
  return std::equal(numbers.begin(), numbers.end(), wanted.end() - numbers.rank());
}

/// The first part that a split along an axis gives, as it is written: "[0:768]", "[:, 0:768]"; empty where the shape is
/// no multiple of `wanted` along that axis.
std::string split(const Shape& shape, const Shape& wanted, int axis) {
  if (shape.rank() != wanted.rank() || wanted[axis] == 0 || shape[axis] % wanted[axis] != 0) return {};
  Shape part = shape;
  part[axis] = wanted[axis];
  if (!(part == wanted)) return {};
  std::string before;
  for (int i = 0; i < axis; ++i) before += ":, ";
  return fmt::format("[{}0:{}]", before, wanted[axis]);
}

std::string allowed_shape(const Shape& found, const Shape& wanted, bool repeats) {
  std::string text = "shape " + wanted.to_string();
  if (repeats) {
    Shape rest;
    for (int axis = 1; axis < wanted.rank(); ++axis) rest.push_back(wanted[axis]);
    text += fmt::format(", or {} for all batch items", rest.to_string());
    if (const std::string how = remedy(found, rest); !how.empty() && remedy(found, wanted).empty())
      return text + fmt::format("; \"{}\" would make it fit", how);
  }
  const std::string how = remedy(found, wanted);
  return how.empty() ? text : text + fmt::format("; \"{}\" would make it fit", how);
}

std::string words_of(const Shape& shape) {
  return shape.rank() == 0 ? std::string("one number") : "shape " + shape.to_string();
}

/// "; or set sizes.d_model = 6"; empty where no sizes make numbers of this shape fit.
std::string fitting_words(const Setup& setup, TensorId tensor, const Shape& numbers) {
  const std::array arrays{ArrayForTensor{tensor, numbers}};
  const auto sizes = fitting_sizes(setup, arrays);
  if (!sizes) return {};
  // Heads of another width would make nearly anything fit. Where something simpler does, only that is said.
  const bool widens = sizes->d_head != setup.sizes.d_head || sizes->d_out != setup.sizes.d_out ||
                      sizes->d_source != setup.sizes.d_source;
  if (widens && !remedy(numbers, shape(tensor, setup)).empty()) return {};
  std::vector<std::string> changes;
  for (const auto& [size, value] : changed_sizes(setup, *sizes))
    changes.push_back(fmt::format("sizes.{} = {}", size, value));
  return fmt::format("; or set {}", listed(changes, " and "));
}

/// The key of a value in messages: "values.X", "values.\"W_v[2,5]\"".
std::string problem_key(TensorId tensor, const ArrayPart& part, Index layer) {
  const std::string key = to_string(tensor, part, info(tensor).is_of_model() ? 0 : layer);
  return part.empty() && key.find('.') == std::string::npos ? "values." + key : fmt::format("values.\"{}\"", key);
}

/// As `misfit`, for a whole tensor and for a part of one.
std::optional<Problem> misfit_of_whole(const Setup& setup, TensorId tensor, const Shape& numbers) {
  const Shape wanted = shape(tensor, setup);
  const bool repeats = info(tensor).has_batch();
  if (fills(numbers, wanted, wanted.rank() - (repeats ? 1 : 0))) return std::nullopt;
  return Problem{"", problem_key(tensor, {}, setup.layer), words_of(numbers),
                 allowed_shape(numbers, wanted, repeats) + fitting_words(setup, tensor, numbers)};
}

std::optional<Problem> misfit_of_part(const Setup& setup, TensorId tensor, const ArrayPart& part,
                                      const Shape& numbers) {
  const auto ranges = ranges_of(part, shape(tensor, setup));
  if (!ranges || shape_of(*ranges).elements() == 0) {
    return Problem{"", problem_key(tensor, part, setup.layer), ranges ? "a part without numbers" : "a part outside",
                   fmt::format("a part of {}, which has shape {}", name(tensor), shape(tensor, setup).to_string())};
  }
  const Shape wanted = shape_of(*ranges);
  if (fills(numbers, wanted, 0)) return std::nullopt;
  return Problem{"", problem_key(tensor, part, setup.layer), words_of(numbers),
                 "one number, or " + allowed_shape(numbers, wanted, false)};
}

void check_finite(Findings& findings, const GivenValue& value) {
  const auto& index = value.numbers.first_not_finite();
  if (!index) return;
  const double number = value.numbers.tensor().at({index->begin(), index->end()});
  const bool is_one = index->begin() == index->end();
  findings.add(problem_key(value.tensor, value.part, value.layer),
               is_one ? fmt::format("{}", number)
                      : fmt::format("{} at [{}]", number, fmt::join(index->begin(), index->end(), ",")),
               is_one ? "a finite number" : "finite numbers");
}

class ValueChecks {
 public:
  ValueChecks(Findings& findings, const Setup& setup) : findings_(findings), setup_(setup) {}

  void check(const GivenValue& value) {
    if (value.layer >= setup_.sizes.layers) {
      const std::string layers = fmt::format("a layer from L0 to L{}", setup_.sizes.layers - 1);
      return findings_.add(key(value), fmt::format("layer {}", value.layer), layers);
    }
    const Index layer = layer_with(value.tensor, value.layer, setup_);
    if (layer == setup_.layer) check_in(setup_, value);
    else check_in(seen_at(setup_, layer), value);
  }

  void check_in(const Setup& setup, const GivenValue& value) {
    const auto problem = misfit(setup, value.tensor, value.part, value.numbers.tensor().shape());
    if (problem) findings_.add(problem->key, problem->found, problem->allowed);
    if (!exists(value.tensor, setup) || !is_drawn(value.tensor, setup)) return;
    auto ranges = value.part.empty() ? std::nullopt : ranges_of(value.part, shape(value.tensor, setup));
    if (ranges && shape_of(*ranges).elements() > 0)
      parts_.push_back(placed(value, std::move(*ranges), shape(value.tensor, setup)));
    check_finite(findings_, value);
  }

  /// Compares each part only with those before it that reach as far as where it begins: all others are apart.
  void check_overlaps() {
    std::ranges::stable_sort(
        parts_, {}, [](const Placed& part) { return std::tuple(part.value->layer, part.value->tensor, part.first); });
    std::vector<const Placed*> open;
    std::vector<std::pair<const GivenValue*, const GivenValue*>> found;  // the later of two by key, and the earlier
    for (const Placed& part : parts_) {
      std::erase_if(open, [&](const Placed* before) {
        return before->value->tensor != part.value->tensor || before->value->layer != part.value->layer ||
               before->last < part.first;
      });
      const auto other =
          std::ranges::find_if(open, [&](const Placed* before) { return overlap(before->ranges, part.ranges); });
      if (other != open.end())
        found.emplace_back(std::max((*other)->value, part.value), std::min((*other)->value, part.value));
      open.push_back(&part);
    }
    std::ranges::sort(found);
    for (const auto& [later, earlier] : found)
      findings_.add(key(*later), fmt::format("a part that shares numbers with {}", text(*earlier)),
                    "parts that do not overlap");
  }

 private:
  struct Placed {
    const GivenValue* value;
    AxisRanges ranges;
    double first;  ///< the places of its first and last number, counted through the tensor
    double last;
  };

  static Placed placed(const GivenValue& value, AxisRanges ranges, const Shape& shape) {
    double first = 0, last = 0;
    for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
      const auto extent = static_cast<double>(shape[static_cast<int>(axis)]);
      const auto [low, high] = std::minmax({ranges[axis].first, ranges[axis].last()});
      first = first * extent + static_cast<double>(low);
      last = last * extent + static_cast<double>(high);
    }
    return {&value, std::move(ranges), first, last};
  }

  static std::string key(const GivenValue& value) { return problem_key(value.tensor, value.part, value.layer); }
  static std::string text(const GivenValue& value) { return key_of(value); }

  Findings& findings_;
  const Setup& setup_;
  std::vector<Placed> parts_;
};

}  // namespace

std::string remedy(const Shape& shape, const Shape& wanted) {
  if (shape.rank() == wanted.rank() + 1 && std::equal(wanted.begin(), wanted.end(), shape.begin() + 1)) return "[0]";
  if (shape.rank() != wanted.rank() || wanted.rank() == 0) return {};
  if (turned(shape) == wanted && wanted.rank() >= 2) return ".T";
  for (int axis = wanted.rank() - 1; axis >= 0; --axis) {
    if (std::string part = split(shape, wanted, axis); !part.empty()) return part;
  }
  for (int axis = wanted.rank() - 1; wanted.rank() >= 2 && axis >= 0; --axis) {
    if (std::string part = split(shape, turned(wanted), axis); !part.empty()) return part + ".T";
  }
  return {};
}

std::optional<Problem> misfit(const Setup& setup, TensorId tensor, const ArrayPart& part, const Shape& numbers) {
  if (!has_sizes(setup)) return std::nullopt;
  if (tensor == TensorId::X && setup.has_task())
    return Problem{"", problem_key(tensor, part, setup.layer), "a value", "no values of X with a task, which makes it"};
  if (tensor == TensorId::X && !setup.is_first())
    return Problem{"", problem_key(tensor, part, setup.layer), "a value",
                   "values of X in layer 0 only: above it, X is what the layer below leaves"};
  if (info(tensor).known_alone && !part.empty() && setup.values.whole(tensor) == nullptr)
    return Problem{"", problem_key(tensor, part, setup.layer), "a part",
                   fmt::format("a part of {0} only with all of {0}", name(tensor))};
  if (const std::string_view missing = missing_for(tensor, setup); !missing.empty())
    return Problem{"", problem_key(tensor, part, setup.layer), "a value",
                   fmt::format("{} only with {}", name(tensor), missing)};
  return part.empty() ? misfit_of_whole(setup, tensor, numbers) : misfit_of_part(setup, tensor, part, numbers);
}

void check_values(Findings& findings, const Setup& setup) {
  if (setup.values.empty() || !has_sizes(setup)) return;
  ValueChecks checks(findings, setup);
  for (const GivenValue& value : setup.values.entries()) checks.check(value);
  checks.check_overlaps();
}

void check_finite(Findings& findings, const Setup& setup) {
  for (const GivenValue& value : setup.values.entries()) check_finite(findings, value);
}

namespace {

/// The extent of each axis, by the arrays.
class AxisExtents {
 public:
  /// False if the array has another number of axes, or contradicts another array.
  bool read(const ArrayForTensor& array) {
    const TensorInfo& tensor = info(array.tensor);
    const int missing = tensor.rank - array.shape.rank();
    if (missing < 0 || missing > (tensor.has_batch() ? 1 : 0)) return false;
    for (int axis = 0; axis < array.shape.rank(); ++axis) {
      const Index found = array.shape[axis];
      auto& extent = (*this)[tensor.axes[static_cast<std::size_t>(axis) + static_cast<std::size_t>(missing)]];
      if (!is_size(found) || extent.value_or(found) != found) return false;
      extent = found;
    }
    return true;
  }

  std::optional<Index>& operator[](Axis axis) { return extents_[axis]; }

 private:
  std::map<Axis, std::optional<Index>> extents_;
};

/// How many heads keys and values have, if queries have so many of d_head features; nullopt where these do not divide.
std::optional<Index> kv_heads_with(const Setup& setup, Index heads, Index d_head, std::optional<Index> kv_columns) {
  if (kv_columns && *kv_columns % d_head != 0) return std::nullopt;
  const bool follow = setup.kv_heads() == setup.sizes.heads;
  const Index kv_heads = kv_columns ? *kv_columns / d_head : follow ? heads : setup.kv_heads();
  if (kv_heads > heads || heads % kv_heads != 0) return std::nullopt;
  return kv_heads;
}

/// The columns of all query heads: those of the arrays, else d_model where the heads share it. nullopt if heads of
/// d_head features have any number of them.
std::optional<Index> query_columns(const Setup& setup, const std::optional<Index>& found) {
  if (found || setup.sizes.d_head) return found;
  return setup.sizes.d_model;
}

/// Changes the heads as little as the columns of queries and keys allow; false where they allow none. Heads that have
/// `columns` together and do not share d_model get a d_head of their own.
bool choose_heads(Setup& setup, std::optional<Index> columns, std::optional<Index> kv_columns,
                  std::optional<Index> d_head) {
  const Index wanted = setup.sizes.heads;
  std::vector<Index> choices{wanted};
  if (columns) {
    choices.clear();
    for (Index low = 1; low <= *columns / low; ++low) {
      if (*columns % low != 0) continue;
      choices.push_back(low);
      choices.push_back(*columns / low);
    }
  }
  std::ranges::stable_sort(choices, {}, [&](Index heads) { return std::abs(heads - wanted); });
  for (const Index heads : choices) {
    const Index width = columns ? *columns / heads : d_head.value_or(setup.d_head());
    const auto kv_heads = kv_heads_with(setup, heads, width, kv_columns);
    if (!kv_heads || width != d_head.value_or(width)) continue;
    if (setup.sizes.kv_heads || *kv_heads != heads) setup.sizes.kv_heads = kv_heads;
    setup.sizes.heads = heads;
    if (setup.sizes.d_head || heads * width != setup.sizes.d_model) setup.sizes.d_head = width;
    return true;
  }
  return false;
}

/// The features of the input: those of an array that has them, else of one that has as many unless the setup says
/// otherwise.
std::optional<Index> features_of_input(const Setup& setup, AxisExtents& extents) {
  const Sizes& sizes = setup.sizes;
  if (extents[Axis::d_model]) return extents[Axis::d_model];
  if (!sizes.d_source && extents[Axis::d_source]) return extents[Axis::d_source];
  if (!sizes.d_out && extents[Axis::d_out]) return extents[Axis::d_out];
  return sizes.d_head ? std::nullopt : extents[Axis::head_columns];
}

/// Gives a size that may follow d_model the extent of the arrays.
void take_or_follow(std::optional<Index>& size, const std::optional<Index>& extent, Index d_model) {
  if (extent && (size || *extent != d_model)) size = extent;
}

}  // namespace

std::optional<Sizes> fitting_sizes(const Setup& setup, std::span<const ArrayForTensor> arrays) {
  AxisExtents extents;
  for (const ArrayForTensor& array : arrays)
    if (!extents.read(array)) return std::nullopt;
  Setup fitting = setup;
  Sizes& sizes = fitting.sizes;
  const auto take = [](Index& size, const std::optional<Index>& extent) { size = extent.value_or(size); };
  take(sizes.batch, extents[Axis::batch]);
  take(sizes.d_model, features_of_input(setup, extents));
  take_or_follow(sizes.d_out, extents[Axis::d_out], sizes.d_model);
  if (setup.is_cross()) take_or_follow(sizes.d_source, extents[Axis::d_source], sizes.d_model);
  // The queries are what the positions have beyond the past ones.
  for (const Axis axis : {Axis::position, Axis::token}) {
    if (axis == Axis::position && setup.is_cross()) continue;
    if (extents[axis] && *extents[axis] > setup.past()) sizes.query_length = *extents[axis] - setup.past();
  }
  take(sizes.query_length, extents[Axis::query]);
  if (!setup.is_cross() && sizes.key_length) sizes.key_length = fitting.token_count();
  if (setup.is_cross() && extents[Axis::key]) sizes.key_length = extents[Axis::key];
  if (setup.has_attention_alone()) take(sizes.heads, extents[Axis::head]);
  const auto columns = setup.has_attention_alone() ? std::nullopt : query_columns(fitting, extents[Axis::head_columns]);
  if (!setup.has_attention_alone() && !choose_heads(fitting, columns, extents[Axis::kv_columns], extents[Axis::d_head]))
    return std::nullopt;
  const bool all_fit = std::ranges::all_of(arrays, [&](const ArrayForTensor& array) {
    const Shape whole = shape(array.tensor, fitting);
    return std::equal(array.shape.begin(), array.shape.end(), whole.end() - array.shape.rank());
  });
  return all_fit ? std::optional(sizes) : std::nullopt;
}

std::vector<std::pair<std::string_view, Index>> changed_sizes(const Setup& setup, const Sizes& to) {
  const Sizes& from = setup.sizes;
  std::vector<std::pair<std::string_view, Index>> changes;
  const auto add = [&](std::string_view name, Index before, Index after) {
    if (before != after) changes.emplace_back(name, after);
  };
  add("batch", from.batch, to.batch);
  add("query_length", from.query_length, to.query_length);
  if (to.key_length) add("key_length", setup.key_length(), *to.key_length);
  add("d_model", from.d_model, to.d_model);
  add("heads", from.heads, to.heads);
  if (to.kv_heads) add("kv_heads", setup.kv_heads(), *to.kv_heads);
  if (to.d_head) add("d_head", from.d_head.value_or(0), *to.d_head);
  if (to.d_out) add("d_out", setup.d_out(), *to.d_out);
  if (to.d_source) add("d_source", setup.d_source(), *to.d_source);
  return changes;
}

}  // namespace headlight
