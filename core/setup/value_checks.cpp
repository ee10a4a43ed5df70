#include "core/setup/value_checks.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/shapes.hpp"
#include "core/setup/fitting_sizes.hpp"

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

std::optional<AxisRanges> ranges_in(const Setup& setup, TensorId tensor, const ArrayPart& part) {
  const Shape whole = shape(tensor, setup);
  return ranges_of(part, {whole.begin(), whole.end()});
}

/// "; or set sizes.d_model = 6"; empty where no sizes make numbers of this shape fit.
std::string fitting_words(const Setup& setup, TensorId tensor, const Shape& numbers) {
  const std::array arrays{ArrayForTensor{tensor, numbers}};
  const auto sizes = fitting_sizes(setup, arrays);
  if (!sizes) return {};
  std::vector<std::string> changes;
  for (const auto& [size, value] : changed_sizes(setup, *sizes))
    changes.push_back(fmt::format("sizes.{} = {}", size, value));
  return fmt::format("; or set {}", fmt::join(changes, " and "));
}

/// As `misfit`, for a whole tensor and for a part of one.
std::optional<Problem> misfit_of_whole(const Setup& setup, TensorId tensor, const Shape& numbers) {
  const Shape wanted = shape(tensor, setup);
  const bool repeats = info(tensor).has_batch();
  if (fills(numbers, wanted, wanted.rank() - (repeats ? 1 : 0))) return std::nullopt;
  return Problem{"", problem_key(tensor, {}), words_of(numbers),
                 allowed_shape(numbers, wanted, repeats) + fitting_words(setup, tensor, numbers)};
}

std::optional<Problem> misfit_of_part(const Setup& setup, TensorId tensor, const ArrayPart& part,
                                      const Shape& numbers) {
  const auto ranges = ranges_in(setup, tensor, part);
  if (!ranges || shape_of(*ranges).elements() == 0) {
    return Problem{"", problem_key(tensor, part), ranges ? "a part without numbers" : "a part outside",
                   fmt::format("a part of {}, which has shape {}", name(tensor), shape(tensor, setup).to_string())};
  }
  const Shape wanted = shape_of(*ranges);
  if (fills(numbers, wanted, 0)) return std::nullopt;
  return Problem{"", problem_key(tensor, part), words_of(numbers),
                 "one number, or " + allowed_shape(numbers, wanted, false)};
}

class ValueChecks {
 public:
  ValueChecks(Findings& findings, const Setup& setup) : findings_(findings), setup_(setup) {}

  void check(const GivenValue& value) {
    const auto problem = misfit(setup_, value.tensor, value.part, value.numbers.tensor().shape());
    if (problem) findings_.add(problem->key, problem->found, problem->allowed);
    if (!exists(value.tensor, setup_) || !is_drawn(value.tensor, setup_)) return;
    auto ranges = value.part.empty() ? std::nullopt : ranges_in(setup_, value.tensor, value.part);
    if (ranges && shape_of(*ranges).elements() > 0) parts_.push_back({&value, std::move(*ranges)});
    check_finite(value);
  }

  void check_overlaps() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (parts_[i].value->tensor != parts_[j].value->tensor || !overlap(parts_[i].ranges, parts_[j].ranges))
          continue;
        findings_.add(key(*parts_[i].value), fmt::format("a part that shares numbers with {}", text(*parts_[j].value)),
                      "parts that do not overlap");
        break;
      }
    }
  }

 private:
  struct Placed {
    const GivenValue* value;
    AxisRanges ranges;
  };

  static std::string key(const GivenValue& value) { return problem_key(value.tensor, value.part); }
  static std::string text(const GivenValue& value) { return to_string(value.tensor, value.part); }

  void check_finite(const GivenValue& value) {
    const auto& place = value.numbers.first_not_finite();
    if (!place) return;
    const double number = value.numbers.tensor().at({place->begin(), place->end()});
    findings_.add(key(value), fmt::format("{} at [{}]", number, fmt::join(place->begin(), place->end(), ",")),
                  "finite numbers");
  }

  Findings& findings_;
  const Setup& setup_;
  std::vector<Placed> parts_;
};

bool has_sizes(const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  return is_size(sizes.batch) && is_size(sizes.query_length) && is_size(setup.key_length()) && is_size(sizes.d_model) &&
         is_size(sizes.heads) && is_size(setup.kv_heads()) && sizes.d_model % sizes.heads == 0;
}

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

std::string problem_key(TensorId tensor, const ArrayPart& part) {
  const std::string key = to_string(tensor, part);
  return part.empty() ? "values." + key : fmt::format("values.\"{}\"", key);
}

std::optional<Problem> misfit(const Setup& setup, TensorId tensor, const ArrayPart& part, const Shape& numbers) {
  if (!has_sizes(setup)) return std::nullopt;
  if (tensor == TensorId::Y && !setup.is_cross()) {
    return Problem{"", problem_key(tensor, part), "a value",
                   fmt::format("{} only with attention.source = \"cross\"", name(tensor))};
  }
  if (tensor == TensorId::X && setup.has_task())
    return Problem{"", problem_key(tensor, part), "a value", "no values of X with a task, which makes it"};
  if (tensor == TensorId::P && setup.position.encoding != Encoding::learned) {
    return Problem{"", problem_key(tensor, part), "a value",
                   fmt::format("{} only with position.encoding = \"learned\"", name(tensor))};
  }
  return part.empty() ? misfit_of_whole(setup, tensor, numbers) : misfit_of_part(setup, tensor, part, numbers);
}

void check_values(Findings& findings, const Setup& setup) {
  if (setup.values.empty() || !has_sizes(setup)) return;
  ValueChecks checks(findings, setup);
  for (const GivenValue& value : setup.values.entries()) checks.check(value);
  checks.check_overlaps();
}

}  // namespace headlight
