#include "core/lecture/expression_values.hpp"

#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "core/compute/matrix_product.hpp"

namespace headlight::expressions {
namespace {

// --- Numbers of values -----------------------------------------------------------------------------------------------

[[noreturn]] void refuse_text(const Value& text, std::string_view what, const char* allowed) {
  refuse(fmt::format("{} of the text \"{}\"", what, std::get<std::string>(text)), allowed);
}

/// Reads the numbers of an array in row-major order, or a single number again and again.
class NumberReader {
 public:
  explicit NumberReader(const Tensor& array) : array_(&array) {
    for (int axis = 0; axis < array.shape().rank(); ++axis) index_.push_back(0);
  }
  explicit NumberReader(double number) : number_(number) {}

  double next() {
    if (array_ == nullptr) return number_;
    const double number = array_->precision() == Precision::float32
                              ? static_cast<double>(array_->data<float>()[offset_])
                              : array_->data<double>()[offset_];
    for (int axis = index_.rank() - 1; axis >= 0; --axis) {
      offset_ += array_->strides()[axis];
      if (++index_[axis] < array_->shape()[axis]) break;
      offset_ -= array_->strides()[axis] * index_[axis];
      index_[axis] = 0;
    }
    return number;
  }

 private:
  const Tensor* array_ = nullptr;
  double number_ = 0;
  Shape index_;
  Index offset_ = 0;
};

NumberReader reader_of(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return NumberReader(*number);
  return NumberReader(std::get<Tensor>(value));
}

template <class Body>
void for_each_number(const Tensor& array, Body&& body) {
  if (array.is_contiguous())
    return with_element_type(array.precision(), [&](auto zero) {
      const auto* const numbers = array.data<decltype(zero)>();
      for (Index i = 0; i < array.elements(); ++i) body(static_cast<double>(numbers[i]));
    });
  NumberReader numbers(array);
  for (Index left = array.elements(); left > 0; --left) body(numbers.next());
}

/// A new array of this shape. `next` gives its numbers in row-major order.
template <class Next>
Tensor computed(const Shape& shape, Next&& next) {
  Tensor array = Tensor::uninitialized(Precision::float64, shape);
  auto* const numbers = array.writable<double>();
  for (Index i = 0; i < shape.elements(); ++i) numbers[i] = next();
  return array;
}

void require_numbers(const Value& value, std::string_view what) {
  if (std::holds_alternative<std::string>(value)) refuse_text(value, what, "numbers");
}

/// The number or, of an array, each of its numbers.
template <class Change>
Value changed(const Value& value, Change&& change) {
  if (const auto* number = std::get_if<double>(&value)) return change(*number);
  const auto& array = std::get<Tensor>(value);
  return computed(array.shape(), [&, numbers = NumberReader(array)]() mutable { return change(numbers.next()); });
}

/// Numbers and arrays in a row.
class Numbers {
 public:
  Numbers(std::span<const Value> values, std::string_view what) : values_(values) {
    for (const Value& value : values) require_numbers(value, what);
  }
  template <class Body>
  void each(Body&& body) const {
    for (const Value& value : values_) {
      if (const auto* number = std::get_if<double>(&value)) body(*number);
      else for_each_number(std::get<Tensor>(value), body);
    }
  }
  double count() const {
    Index all = 0;
    for (const Value& value : values_) all += shape_of(value).elements();
    return static_cast<double>(all);
  }
  template <class Term>
  double sum_of(Term&& term) const {
    double sum = 0;
    each([&](double number) { sum += term(number); });
    return sum;
  }
  double sum() const {
    return sum_of([](double number) { return number; });
  }
  /// The first number that no other is better than, and its index.
  template <class Better>
  std::pair<double, Index> best(Better&& better) const {
    double best = 0;
    Index index = 0;
    Index next = 0;
    each([&](double number) {
      if (next == 0 || better(number, best)) {
        best = number;
        index = next;
      }
      ++next;
    });
    return {best, index};
  }

 private:
  std::span<const Value> values_;
};

/// The index of the one number that is better than all others.
template <class Better>
double only_best(const Numbers& numbers, std::string_view what, Better&& better) {
  const auto [best, index] = numbers.best(better);
  const double winner = best;  // a lambda of C++20 can't capture a structured binding in Clang
  const auto ties = numbers.sum_of([winner](double number) { return number == winner ? 1.0 : 0.0; });
  if (ties != 1)
    refuse(fmt::format("{} of numbers of which {} are the same", what, ties),
           "numbers with a single largest or smallest one");
  return static_cast<double>(index);
}

double spread(const Numbers& numbers) {
  const double mean = numbers.sum() / numbers.count();
  return std::sqrt(numbers.sum_of([&](double number) { return (number - mean) * (number - mean); }) / numbers.count());
}

double entropy(const Numbers& shares) {
  double bits = 0;
  shares.each([&](double share) { bits -= share > 0 ? share * std::log2(share) : 0; });
  return bits;
}

/// Functions that make one number of an array, or of several numbers.
double reduced(Function function, const Numbers& numbers, std::string_view what) {
  switch (function) {
    case Function::max: return numbers.best(std::greater<>()).first;
    case Function::min: return numbers.best(std::less<>()).first;
    case Function::sum: return numbers.sum();
    case Function::mean: return numbers.sum() / numbers.count();
    case Function::std: return spread(numbers);
    case Function::norm: return std::sqrt(numbers.sum_of([](double number) { return number * number; }));
    case Function::entropy: return entropy(numbers);
    case Function::argmax: return only_best(numbers, what, std::greater<>());
    default: return only_best(numbers, what, std::less<>());
  }
}

double of_each(Function function, double number) {
  switch (function) {
    case Function::sqrt:
      if (number < 0) refuse(fmt::format("sqrt({})", number), "the root of a number of at least 0");
      return std::sqrt(number);
    case Function::abs: return std::abs(number);
    case Function::exp: return std::exp(number);
    default:
      if (number <= 0) refuse(fmt::format("log({})", number), "the logarithm of a number above 0");
      return std::log(number);
  }
}

double divisor(Operator sign, double a, double b) {
  if (b == 0) refuse(fmt::format("{} {} 0", a, name_of(sign)), "another divisor than 0");
  return b;
}

double power(double a, double b) {
  if (a == 0 && b < 0) refuse(fmt::format("0 ** {}", b), "an exponent of 0 or more");
  if (a < 0 && std::isfinite(b) && b != std::floor(b)) refuse(fmt::format("({}) ** {}", a, b), "a whole exponent");
  return std::pow(a, b);
}

double of_two(Operator sign, double a, double b) {
  switch (sign) {
    case Operator::add: return a + b;
    case Operator::subtract: return a - b;
    case Operator::multiply: return a * b;
    case Operator::divide: return a / divisor(sign, a, b);
    case Operator::divide_whole: return std::floor(a / divisor(sign, a, b));
    case Operator::remainder: return a - b * std::floor(a / divisor(sign, a, b));
    case Operator::power: return power(a, b);
    case Operator::less_equal: return a <= b;
    case Operator::greater_equal: return a >= b;
    case Operator::equal: return a == b;
    case Operator::not_equal: return a != b;
    case Operator::less: return a < b;
    case Operator::matrix_product:  // of arrays alone
    case Operator::greater: break;
  }
  return a > b;
}

double dot(const Value& a, const Value& b) {
  NumberReader left = reader_of(a);
  NumberReader right = reader_of(b);
  double sum = 0;
  for (Index i = shape_of(a).elements(); i > 0; --i) {
    const double first = left.next();
    sum += first * right.next();
  }
  return sum;
}

Tensor in_double(const Tensor& array) {
  if (array.precision() == Precision::float64) return array.contiguous();
  return computed(array.shape(), [numbers = NumberReader(array)]() mutable { return numbers.next(); });
}

/// As in NumPy, of arrays with one or two axes: the last axis of the first meets the first axis of the second.
Value matrix_product(const Value& a, const Value& b, Work& work) {
  const Shape left = shape_of(a);
  const Shape right = shape_of(b);
  const bool fits = left.rank() >= 1 && left.rank() <= 2 && right.rank() >= 1 && right.rank() <= 2;
  if (!fits || left[left.rank() - 1] != right[0])
    refuse(fmt::format("@ of shapes {} and {}", left.to_string(), right.to_string()),
           "vectors or matrices, of which the first has as many columns as the second has rows");
  Shape shape;
  if (left.rank() == 2) shape.push_back(left[0]);
  if (right.rank() == 2) shape.push_back(right[1]);
  const Index rows = left.rank() == 2 ? left[0] : 1;
  const Index columns = right.rank() == 2 ? right[1] : 1;
  constexpr double at_once = 16;  // terms that a processor multiplies and adds while another operation takes one number
  work.take(static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(right[0]) / at_once);
  const Tensor first = in_double(std::get<Tensor>(a)), second = in_double(std::get<Tensor>(b));
  Tensor result = Tensor::uninitialized(Precision::float64, shape);
  multiply(MatrixView<double>(first.data<double>(), rows, right[0], AnyStride(right[0], 1)),
           MatrixView<double>(second.data<double>(), right[0], columns, AnyStride(columns, 1)),
           WritableMatrix<double>(result.writable<double>(), rows, columns, RowStride(columns)));
  return value_of(result);
}

double product(Function function, const Value& a, const Value& b) {
  const std::string_view name = name_of(function);
  require_numbers(a, name);
  require_numbers(b, name);
  const Index length = shape_of(a).elements();
  if (length != shape_of(b).elements())
    refuse(fmt::format("{} of {} and {} numbers", name, length, shape_of(b).elements()), "two arrays of equal length");
  if (function == Function::dot) return dot(a, b);
  const double lengths = std::sqrt(dot(a, a) * dot(b, b));
  if (lengths == 0) refuse("cos of an array of zeros", "arrays with a direction");
  return dot(a, b) / lengths;
}

/// The diagonal of a matrix, or the one that is this many columns further to the right.
Value diagonal(std::span<const Value> values) {
  if (values.size() > 2) refuse(fmt::format("diagonal of {} values", values.size()), "diagonal(a) or diagonal(a, 1)");
  const Shape shape = shape_of(values[0]);
  const Index offset = values.size() == 2 ? whole_number(values[1], "diagonal at") : 0;
  const Index row = std::max<Index>(-offset, 0);
  const Index column = std::max<Index>(offset, 0);
  if (shape.rank() != 2 || row >= shape[0] || column >= shape[1])
    refuse(fmt::format("diagonal {} of an array of shape {}", offset, shape.to_string()), "a matrix that it crosses");
  const auto& matrix = std::get<Tensor>(values[0]);
  Index next = 0;
  return computed({std::min(shape[0] - row, shape[1] - column)}, [&] {
    const Index at = next++;
    return matrix.at({row + at, column + at});
  });
}

Value rounded(std::span<const Value> values) {
  if (values.size() > 2) refuse(fmt::format("round of {} values", values.size()), "round(x) or round(x, decimals)");
  const Index decimals = values.size() == 2 ? whole_number(values[1], "round to") : 0;
  const double unit = std::pow(10.0, static_cast<double>(decimals));
  require_numbers(values[0], "round");
  return changed(values[0], [&](double number) { return std::nearbyint(number * unit) / unit; });
}

}  // namespace

// --- Values ----------------------------------------------------------------------------------------------------------

Value value_of(Tensor array) {
  if (array.shape().rank() == 0) return array.at({});
  return array;
}

Shape shape_of(const Value& value) {
  const auto* array = std::get_if<Tensor>(&value);
  return array ? array->shape() : Shape{};
}

double only_number(const Value& value, std::string_view what) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (std::holds_alternative<std::string>(value)) refuse_text(value, what, "a number");
  refuse(fmt::format("{} of an array of shape {}", what, shape_of(value).to_string()), "a number");
}

Index whole_number(const Value& value, std::string_view what) {
  const double number = only_number(value, what);
  if (number != std::floor(number) || std::abs(number) > largest_index)
    refuse(fmt::format("{} {}", what, number), "a whole number");
  return static_cast<Index>(number);
}

void require_count(Function function, std::size_t found, std::size_t wanted) {
  if (found == wanted) return;
  const std::string_view name = name_of(function);
  refuse(fmt::format("{} of {} values", name, found), fmt::format("{} of {}", name, wanted == 1 ? "one" : "two"));
}

Value part_of(const Value& whole, const ArrayPart& part, std::string_view what) {
  require_numbers(whole, "a part");
  const auto* const array = std::get_if<Tensor>(&whole);
  if (array == nullptr) refuse(fmt::format("{}{}", what, to_string(part)), "indices inside ()");
  const auto ranges = ranges_of(part, array->shape());
  if (!ranges)
    refuse(fmt::format("{}{}", what, to_string(part)), fmt::format("indices inside {}", array->shape().to_string()));
  if (shape_of(*ranges).elements() == 0)
    refuse(fmt::format("{}{}", what, to_string(part)), "a part that holds a number");
  return value_of(window_on(*array, *ranges));
}

Value negated(const Value& value) {
  require_numbers(value, "minus");
  return changed(value, [](double number) { return -number; });
}

Value of_two(Operator sign, const Value& a, const Value& b, Work& work) {
  const auto* const text = std::get_if<std::string>(&a);
  const auto* const other = std::get_if<std::string>(&b);
  if (text && other && (sign == Operator::equal || sign == Operator::not_equal))
    return (*text == *other) == (sign == Operator::equal) ? 1.0 : 0.0;
  const std::string_view what = name_of(sign);
  require_numbers(a, what);
  require_numbers(b, what);
  if (sign == Operator::matrix_product) return matrix_product(a, b, work);
  const Shape shape = shape_of(std::holds_alternative<Tensor>(a) ? a : b);
  if (std::holds_alternative<Tensor>(b) && shape_of(b) != shape)
    refuse(fmt::format("{} of shapes {} and {}", what, shape.to_string(), shape_of(b).to_string()),
           "equal shapes, or a number");
  NumberReader left = reader_of(a);
  NumberReader right = reader_of(b);
  const auto next = [&] {
    const double first = left.next();
    return of_two(sign, first, right.next());
  };
  if (shape.rank() == 0) return next();
  return computed(shape, next);
}

Value result_of(Function function, std::span<const Value> values) {
  const std::string_view what = name_of(function);
  switch (function) {
    case Function::dot:
    case Function::cos: require_count(function, values.size(), 2); return product(function, values[0], values[1]);
    case Function::diagonal: return diagonal(values);
    case Function::round: return rounded(values);
    case Function::sqrt:
    case Function::abs:
    case Function::exp:
    case Function::log:
      require_count(function, values.size(), 1);
      require_numbers(values[0], what);
      return changed(values[0], [&](double number) { return of_each(function, number); });
    default: return reduced(function, Numbers(values, what), what);
  }
}

}  // namespace headlight::expressions
