// The values of an expression, and what its operators and functions make of them. For .cpp files of this folder.
#pragma once

#include <span>
#include <string_view>

#include "core/lecture/expression_tree.hpp"
#include "core/lecture/value.hpp"
#include "core/model/array_part.hpp"

namespace headlight::expressions {

inline constexpr double largest_index = 1e15;

/// An array without axes is a number.
Value value_of(Tensor array);
/// Of a number it has no axes.
Shape shape_of(const Value& value);

// These throw InputError where the value is another one; `what` says of what.
double only_number(const Value& value, std::string_view what);
Index whole_number(const Value& value, std::string_view what);
void require_count(Function function, std::size_t found, std::size_t wanted);

/// The part of an array that `what` names.
Value part_of(const Value& whole, const ArrayPart& part, std::string_view what);
Value negated(const Value& value);
/// As NumPy has it, but that an array and another one have the same shape. `work` pays for products of matrices; the
/// numbers of the operands are the caller's to pay for.
Value of_two(Operator sign, const Value& a, const Value& b, Work& work);
/// A function of numbers and arrays, with NumPy's meaning.
Value result_of(Function function, std::span<const Value> values);

}  // namespace headlight::expressions
