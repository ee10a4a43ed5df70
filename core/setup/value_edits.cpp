#include "core/setup/edits.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/shapes.hpp"

namespace headlight {
namespace {

ArrayPart part_of(const Cell& cell) {
  ArrayPart part;
  for (const Index index : cell.index) part.push_back({.is_position = true, .start = index, .stop = {}, .step = {}});
  return part;
}

/// The places that the value takes of its tensor; none where it takes no part, or one that is not there.
std::optional<AxisRanges> ranges_in(const GivenValue& value, const Setup& setup) {
  if (value.part.empty()) return std::nullopt;
  return ranges_of(value.part, shape(value.tensor, setup));
}

/// The given part that holds the cell; null if it is given by itself nowhere.
const GivenValue* part_with(const Values& values, const Setup& setup, const Cell& cell) {
  for (const GivenValue& value : values.entries()) {
    if (!setup.values.is_for(value, cell.tensor)) continue;
    const auto ranges = ranges_in(value, setup);
    if (ranges && has(*ranges, cell.index)) return &value;
  }
  return nullptr;
}

/// The numbers of a part in its whole shape, with another one in the cell.
GivenNumbers with_cell(const GivenValue& value, const AxisRanges& ranges, const Cell& cell, double number) {
  const Shape whole = shape_of(ranges);
  const Tensor& given = value.numbers.tensor();
  Tensor next = Tensor::uninitialized(Precision::float64, whole);
  double* const to = next.writable<double>();
  Shape index = whole;
  for (Index flat = 0; flat < next.elements(); ++flat) {
    Index rest = flat;
    for (int axis = whole.rank() - 1; axis >= 0; --axis) {
      index[axis] = rest % whole[axis];
      rest /= whole[axis];
    }
    // Numbers with fewer axes are repeated along those that they leave out.
    to[flat] = given.at({index.end() - given.shape().rank(), index.end()});
  }
  Index flat = 0;
  int left = 0;
  for (int axis = 0; axis < cell.index.rank(); ++axis) {
    const AxisRange& range = ranges[static_cast<std::size_t>(axis)];
    if (range.is_position) continue;
    flat = flat * whole[left++] + (cell.index[axis] - range.first) / range.step;
  }
  to[flat] = number;
  return GivenNumbers(next);
}

void erase_all(Values& values, TensorId tensor) {
  const std::vector<GivenValue> entries = values.entries();
  for (const GivenValue& value : entries)
    if (values.is_for(value, tensor)) values.erase(tensor, value.part);
}

Tensor row_of(const AddedToken& added) { return tensor_of({std::ssize(*added.row)}, *added.row); }

/// X with a row for each of the tokens after the last one.
Tensor with_rows(const Tensor& given, const std::vector<AddedToken>& added) {
  Shape extents = given.shape();
  const int rows = extents.rank() - 2;
  const Index last = extents[rows];
  extents[rows] += std::ssize(added);
  Tensor longer = Tensor::uninitialized(Precision::float64, extents);
  copy_numbers(given, longer.narrowed(rows, 0, last));
  for (std::size_t i = 0; i < added.size(); ++i)
    copy_numbers(row_of(added[i]), longer.selected(rows, last + static_cast<Index>(i)));
  return longer;
}

}  // namespace

Setup with_number(const Setup& setup, const Cell& cell, double number) {
  Setup next = setup;
  const GivenValue* const part = part_with(setup.values, setup, cell);
  if (part == nullptr || part->part == part_of(cell))
    next.values.set(cell.tensor, part_of(cell), GivenNumbers::single(number));
  else next.values.set(cell.tensor, part->part, with_cell(*part, *ranges_in(*part, setup), cell, number));
  return next;
}

Setup with_array(const Setup& setup, TensorId tensor, const GivenNumbers& numbers) {
  Setup next = setup;
  erase_all(next.values, tensor);
  next.values.set(tensor, {}, numbers);
  return next;
}

Setup with_added_tokens(const Setup& setup, const std::vector<AddedToken>& added) {
  if (added.empty()) return setup;
  const Index first = setup.token_count();
  Setup next = with_query_length(setup, setup.sizes.query_length + std::ssize(added));
  next = with_token(next, first, added.front().label);  // now all have labels
  for (std::size_t i = 0; i < added.size() && first + static_cast<Index>(i) < std::ssize(next.tokens); ++i)
    next.tokens[static_cast<std::size_t>(first) + i] = added[i].label;
  const GivenNumbers* const whole = setup.values.whole(TensorId::X);
  if (whole != nullptr && whole->tensor().shape().rank() >= 2) {
    next.values.set(TensorId::X, {}, GivenNumbers(with_rows(whole->tensor(), added)));
    return next;
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (!added[i].row) continue;
    ArrayPart part{{}, {.is_position = true, .start = first + static_cast<Index>(i), .stop = {}, .step = {}}};
    next.values.set(TensorId::X, std::move(part), GivenNumbers(row_of(added[i])));
  }
  return next;
}

Setup with_cell_of(const Values& from, const Setup& setup, const Cell& cell) {
  Setup next = setup;
  if (const GivenValue* const own = part_with(setup.values, setup, cell)) next.values.erase(cell.tensor, own->part);
  if (const GivenValue* const other = part_with(from, setup, cell)) next.values.set(*other);
  return next;
}

Setup with_tensor_of(const Values& from, const Setup& setup, TensorId tensor) {
  Setup next = setup;
  erase_all(next.values, tensor);
  for (const GivenValue& value : from.entries())
    if (next.values.is_for(value, tensor)) next.values.set(value);
  return next;
}

bool is_changed(const Setup& setup, const Values& from, const Cell& cell) {
  const GivenValue* const own = part_with(setup.values, setup, cell);
  const GivenValue* const other = part_with(from, setup, cell);
  if (own == nullptr || other == nullptr) return own != other;
  return !(*own == *other);
}

}  // namespace headlight
